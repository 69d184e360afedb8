"""fault_effects.py: where a wrong table tells each patch that it is, and the picture that comes of it."""

from __future__ import annotations

import numpy as np
import pytest

from widgets.checkpoints.loading import load
from widgets.experiments.fault_effects import GREY, damage, places_told
from widgets.model.library import weights_of
from widgets.pictures import open_sample, prepare

W = weights_of(load("dinov2-small").model)


@pytest.mark.parametrize(
    ("grid", "faults"), [((16, 24), ()), ((16, 16), ("transposed_grid",)), ((37, 37), ("class_row_resized",))]
)
def test_a_right_table_tells_every_patch_its_own_place(grid: tuple[int, int], faults: tuple[str, ...]) -> None:
    assert places_told(W, grid, faults).tolist() == list(range(grid[0] * grid[1]))


def test_cut_off_tells_every_patch_that_it_is_near_the_top() -> None:
    rows = places_told(W, (16, 16), ("positions_cut_off",)) // 16
    assert rows.max() <= 3 and rows[0] == 0  # 256 positions are 7 of the 37 rows


def test_exchanged_tells_a_patch_the_place_of_a_turned_grid() -> None:
    told = places_told(W, (16, 24), ("transposed_grid",))
    row, column = np.divmod(np.arange(384), 16)  # patch n gets the position of row n // 16 of 24 rows
    down, across = (row + 0.5) / 24 * 16 - 0.5, (column + 0.5) / 16 * 24 - 0.5
    assert np.mean((np.abs(told // 24 - down) <= 1) & (np.abs(told % 24 - across) <= 1)) > 0.95


def test_the_picture_shows_the_patches_where_they_are_told_to_be() -> None:
    cut = damage("dinov2-small", open_sample("cat"), ("positions_cut_off",))
    assert cut.by_position and (cut.seen[:, 60:] == GREY).all() and not (cut.seen[:, :28] == GREY).all()
    square = damage("dinov2-small", open_sample("cat"), ("transposed_grid",))
    assert square.largest_change == 0 and np.array_equal(square.seen, prepare(open_sample("cat"), 14))
    assert not damage("dinov2-small", open_sample("cat"), ("no_positions",)).by_position
