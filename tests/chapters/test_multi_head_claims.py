"""What chapter 06 says its reader should have seen is so, where no cell of it prints it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from widgets.experiments.kept_pass import Reading, read
from widgets.model.trace import trace
from widgets.pictures import open_sample


def orange(reading: Reading) -> np.ndarray:
    """Patches of the dahlia's own colour, (rows, columns): far more red than green, and bright."""
    (rows, columns), P = reading.trace.grid, reading.patch_size
    red, green, _ = reading.pixels.astype(float).reshape(3, rows, P, columns, P).mean((2, 4))
    return (red > 1.3 * green) & (red > 110)


def test_five_of_six_heads_pick_out_the_dahlia_and_the_other_leaves_it_dark() -> None:
    reading = read("dinov2-small", open_sample("flower"))
    flower = orange(reading).ravel()
    assert 0.1 < flower.mean() < 0.25
    weights = reading.trace.layers[11].weights[0, :, 0, reading.trace.prefix :]  # (k, N): the class token's rows
    on_flower = (weights[:, torch.from_numpy(flower)].sum(1) / weights.sum(1)).numpy()  # share of what goes to patches
    picked = on_flower > 3 * flower.mean()
    assert picked.sum() == 5 and on_flower[~picked][0] < flower.mean() / 2, on_flower


@pytest.mark.parametrize(("name", "patch"), [("cat", 85), ("cat", 200), ("astronaut", 40)])
def test_a_score_of_layer_1_sees_one_patch_in_its_place_and_one_of_layer_2_sees_more(name: str, patch: int) -> None:
    """Chapter 06: no cat detector yet. The patch laid on the gravel keeps its scores in layer 1, and there alone."""
    reading = read("dinov2-small", open_sample(name))
    t, P = reading.trace, reading.patch_size
    row, column = divmod(patch, t.grid[1])
    there = (..., slice(row * P, row * P + P), slice(column * P, column * P + P))
    mixed = read("dinov2-small", open_sample("gravel")).x.clone()
    mixed[there] = reading.x[there]
    pairs = zip(t.layers, trace(reading.checkpoint, mixed).layers, strict=True)
    change = [float((one.scores - other.scores)[0, :, 0, t.prefix + patch].abs().max()) for one, other in pairs]
    assert change[0] < 1e-3 and min(change[1:]) > 0.1, change


def test_three_heads_of_layer_1_give_the_dahlia_more_than_three_times_its_share() -> None:
    reading = read("dinov2-small", open_sample("flower"))
    flower = torch.from_numpy(orange(reading).ravel())
    weights = reading.trace.layers[0].weights[0, :, 0, reading.trace.prefix :]  # (k, N)
    times = weights[:, flower].sum(1) / weights.sum(1) / flower.float().mean()  # (k,)
    assert (times > 3).sum() == 3 and (times - 3).abs().min() > 0.1, times


def test_the_first_layers_one_large_weight_hands_on_less_than_it_weighs() -> None:
    layer = read("dinov2-small", open_sample("cat")).trace.layers[0]
    own = layer.weights[0, :, 0, 0]
    j = int(own.argmax())
    handed_on = layer.weights[0, j, 0] * layer.v[0, j].norm(dim=-1)
    assert (own > 0.5).sum() == 1 and (own < 0.1).sum() == 2
    assert (own[:, None] - torch.tensor([0.5, 0.1])).abs().min() > 0.03, "no head stands near an edge"
    assert abs(float(own[j]) - 0.59) < 0.03 and abs(float(handed_on[0] / handed_on.sum()) - 0.33) < 0.015
