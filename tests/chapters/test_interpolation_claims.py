"""What chapter 11 says its reader should have seen is so, on the copy used here; tests/hub asks the hub's file the
same."""

from __future__ import annotations

import torch

from widgets.checkpoints.loading import load
from widgets.experiments.other_sizes import (
    INTERPOLATED,
    WAYS,
    answer,
    by_resize,
    resized_table,
    shorter_sides,
    similarity_of,
)
from widgets.experiments.sample_sizes import small_picture
from widgets.lesson.predictions import chapter_11
from widgets.model.library import weights_of
from widgets.pictures import open_sample

DINO = "dinov2-small"
CHANGED = [way for way in WAYS if way != INTERPOLATED]


def test_for_the_cat_the_interpolated_table_keeps_y_closest_at_every_smaller_size() -> None:
    cat = open_sample("cat")
    for side in (112, 168, 224, 336, 448):
        kept = {way: answer(DINO, cat, way, side).cosine for way in WAYS}
        assert kept[INTERPOLATED] > max(kept[way] for way in CHANGED), (side, kept)


def test_the_slice_does_much_worse_than_shrinking_the_grid() -> None:
    assert chapter_11.what_a_slice_does() == chapter_11.FITTED


def test_the_way_to_interpolate_matters_little_beside_whether_it_is_done() -> None:
    cat = open_sample("cat")
    lowest = min(by_resize(DINO, cat).values())
    assert (
        1 - lowest
        < 0.002
        < 0.2
        < answer(DINO, cat, INTERPOLATED, 224).cosine - max(answer(DINO, cat, way, 224).cosine for way in CHANGED)
    )


def test_the_coffee_needs_more_rows_than_there_are_and_at_one_column_less_a_slice_does_little_harm() -> None:
    coffee, w = open_sample("coffee"), weights_of(load(DINO).model)
    cut = {
        one.grid: one.cosine
        for side in shorter_sides(w.patch_size, w.grid, coffee)
        if (one := answer(DINO, coffee, "cut off", side))
    }
    assert cut[max(cut)] is None
    near = [cosine for grid, cosine in cut.items() if cosine is not None and grid[1] == w.grid[1] - 1]
    assert near and min(near) > 0.9 > min(
        cosine for grid, cosine in cut.items() if cosine is not None and grid[1] < w.grid[1] - 1
    )


def test_a_position_is_most_like_what_lies_near_it_before_and_after_and_no_neighbour_in_the_random_table() -> None:
    w = weights_of(load(DINO).model)
    for grid in (w.grid, (16, 16)):
        middle = (grid[0] // 2, grid[1] // 2)
        of_one = similarity_of(resized_table(w.positions, w.grid, grid, "bicubic"), grid, middle)
        far = of_one[0, 0], of_one[0, -1], of_one[-1, 0], of_one[-1, -1]
        assert of_one[middle] == of_one.max() and of_one[middle[0], middle[1] + 1] > max(far)
        row, column = of_one[middle[0]].mean(), of_one[:, middle[1]].mean()
        assert min(row, column) > of_one.mean(), "its row and its column stand out"
    random = weights_of(load("random-b16").model)
    of_one = similarity_of(random.positions, random.grid, (7, 7))
    assert float(of_one[7, 8]) < 0.2 and float(torch.cat([of_one[:7], of_one[8:]]).abs().max()) < 0.2


def test_the_galaxies_of_the_quiz() -> None:
    """11-what-differs: without positions y stays nearer, the cat says the opposite, and lost detail is not the
    reason."""
    galaxies, cat = (small_picture(DINO, name, 112) for name in ("galaxies", "cat"))
    assert galaxies.closest == "none" and cat.closest == INTERPOLATED and galaxies.table_full > 0.75
    assert cat.kept[INTERPOLATED] > cat.kept["none"] + 0.4 and galaxies.detail > galaxies.kept[INTERPOLATED] + 0.3
