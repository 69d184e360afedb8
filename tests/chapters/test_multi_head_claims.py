"""What chapter 06 says its reader should have seen is so, where no cell of it prints it."""

from __future__ import annotations

import numpy as np
import torch

from widgets.model.pictures import open_sample
from widgets.page.reading import Reading, read


def orange(reading: Reading) -> np.ndarray:
    """Patches of the dahlia's own colour, (rows, columns): far more red than green, and bright."""
    (rows, columns), P = reading.trace.grid, reading.patch_size
    red, green, _ = reading.pixels.astype(float).reshape(3, rows, P, columns, P).mean((2, 4))
    return (red > 1.3 * green) & (red > 110)


def test_five_of_six_heads_pick_out_the_dahlia_and_the_other_leaves_it_dark() -> None:
    reading = read("dinov2-small", open_sample("flower"))
    flower = orange(reading).ravel()
    assert 0.1 < flower.mean() < 0.25
    weights = reading.trace.layers[11].weights[0, :, 0, reading.trace.prefix:]          # (k, N): the class token's rows
    on_flower = (weights[:, torch.from_numpy(flower)].sum(1) / weights.sum(1)).numpy()  # share of what goes to patches
    picked = on_flower > 3 * flower.mean()
    assert picked.sum() == 5 and on_flower[~picked][0] < flower.mean() / 2, on_flower


def test_the_first_layers_one_large_weight_hands_on_less_than_it_weighs() -> None:
    layer = read("dinov2-small", open_sample("cat")).trace.layers[0]
    own = layer.weights[0, :, 0, 0]
    j = int(own.argmax())
    handed_on = layer.weights[0, j, 0] * layer.v[0, j].norm(dim=-1)
    assert abs(float(own[j]) - 0.59) < 0.03 and abs(float(handed_on[0] / handed_on.sum()) - 0.33) < 0.015
