"""What chapter 04 says its reader should have seen is so, on the cat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from widgets.block.read_out import ReadOut
from widgets.checkpoints.loading import load
from widgets.common.facts import published
from widgets.experiments.kept_pass import read
from widgets.experiments.shuffle import ShuffleResult, shuffle_test
from widgets.kit.selection import Selection
from widgets.model.library import weights_of
from widgets.model.position_tables import position_table, similarity_rows
from widgets.model.trace import trace
from widgets.model.vit import represent
from widgets.pictures import open_sample, sample_names

CAT = open_sample("cat")


def shuffled(order: str, draw: int = 0, checkpoint: str = "dinov2-small") -> ShuffleResult:
    return shuffle_test(checkpoint, CAT, order, draw)


def test_with_positions_y_moves_a_hundred_thousand_times_as_much() -> None:
    result = shuffled("shuffle")
    assert (
        result.without.largest_change < 1e-4
        and result.with_positions.largest_change > 1e5 * result.without.largest_change
    )


def test_two_patches_move_y_a_little_each_time_by_another_amount() -> None:
    moved = [shuffled("swap", draw) for draw in range(3)]
    changes = [round(result.with_positions.largest_change, 3) for result in moved]
    assert (
        len(set(changes)) == 3
        and 0.01 < min(changes) < max(changes) < 1 < shuffled("shuffle").with_positions.largest_change
    )
    assert max(result.without.largest_change for result in moved) < 1e-4


def test_upside_down_y_is_another_vector() -> None:
    assert shuffled("rows").with_positions.cosine < 0.5


def test_positions_of_the_random_model_move_y_much_less() -> None:
    untrained, trained = (
        shuffled("shuffle", checkpoint=name).with_positions for name in ("random-b16", "dinov2-small")
    )
    assert 20 * untrained.largest_change < trained.largest_change and untrained.cosine > 0.99


def test_the_first_layer_adds_a_longer_vector_to_row_0_than_it_holds() -> None:
    trace = read("dinov2-small", CAT).trace
    assert trace.layers[0].msa[0, 0].norm() > trace.z0[0, 0].norm()


def test_what_is_most_alike_lies_one_or_two_steps_away_and_in_the_stored_table_beside_it() -> None:
    w = weights_of(load("dinov2-small").model)
    for grid, steps, share in (((16, 16), {1, 2}, 1), (w.grid, {1}, 0.99)):
        similar = similarity_rows(position_table("learned", w, grid), grid)[1:].fill_diagonal_(-2)
        down, across = np.abs(
            np.subtract(np.divmod(np.arange(len(similar)), grid[1]), np.divmod(similar.argmax(1).numpy(), grid[1]))
        )
        assert np.mean((np.minimum(down, across) == 0) & np.isin(down + across, list(steps))) >= share
    assert min(w.grid) > 2 * 16, "one step of the chapter's grid is more than two of the stored one's"


def test_the_class_tokens_row_is_like_no_places() -> None:
    w = weights_of(load("dinov2-small").model)
    of_class = similarity_rows(position_table("learned", w, (16, 16)), (16, 16))[0]
    assert [f"{float(end):.2f}" for end in (of_class.min(), of_class.max())] == ["-0.23", "-0.06"], (
        "as the chapter says"
    )


def test_the_rows_by_hand_are_the_models_and_row_0_is_nearly_twice_the_class_token() -> None:
    b16 = {name: np.array(row) for name, row in published("vit_b16_cats").items() if name.endswith("_first6")}
    rounding = 0.0015  # three numbers, each rounded to three decimals
    for row, token in ((0, "x_class"), (1, "patch0_embedding")):
        by_hand = b16[f"{token}_first6"] + b16[f"E_pos{row}_first6"]
        assert np.abs(by_hand - b16[f"z0_row{row}_first6"]).max() < rounding
    assert np.abs(b16["z0_row0_first6"] - 2 * b16["x_class_first6"]).max() < rounding
    assert np.abs(b16["z0_row1_first6"] - 2 * b16["patch0_embedding_first6"]).max() > 0.1, "which is not so of a patch"


def test_positions_are_shorter_than_what_tells_patches_apart_and_yet_y_needs_them() -> None:
    seen, w = read("dinov2-small", CAT), weights_of(load("dinov2-small", (224, 224)).model)
    patches, places = (
        float((rows - rows.mean(0)).norm(dim=1).mean()) for rows in (seen.trace.patch_embeddings[0], w.positions[1:])
    )
    assert 4 * places < patches
    without = trace(seen.checkpoint, seen.x, ["no_positions"]).y
    assert float(torch.cosine_similarity(without, seen.trace.y)) < 0.3


def test_only_the_sum_of_the_class_token_and_its_position_is_used() -> None:
    w, x = weights_of(load("dinov2-small", (224, 224)).model), read("dinov2-small", CAT).x
    moved = w.positions.clone()
    moved[0] -= 1
    other = replace(w, class_token=w.class_token + 1, positions=moved)
    with torch.no_grad():
        assert torch.allclose(represent(w, x).y, represent(other, x).y, atol=1e-3)


def test_for_some_pictures_both_ways_of_reading_find_the_same_one() -> None:
    found = [ReadOut(selection=Selection(picture=name)).neighbours() for name in sample_names()]
    same = [one.nearest(0) == one.nearest(1) for one in found]
    assert any(same) and not all(same)
