"""TableOnGrid without a browser: its maps are the model functions', and its fields refuse."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
import torch

from widgets.checkpoints.loading import load
from widgets.experiments.other_sizes import RESIZES
from widgets.kit.selection import Selection
from widgets.model.library import weights_of
from widgets.model.positions import cosine_similarity_map, interpolate_positions
from widgets.parts.position_map import PositionMap
from widgets.positions.table_on_grid import LATTICE, MAPS, TableOnGrid
from widgets.positions.table_words import METHODS


@pytest.fixture
def widget() -> TableOnGrid:
    return TableOnGrid(selection=Selection())


def drawn(widget: TableOnGrid, name: str) -> np.ndarray:
    part = widget._parts[name]
    return np.frombuffer(part.maps, dtype=np.float16).reshape(part.rows, part.columns).astype(np.float32)


def own(checkpoint: str = "dinov2-small") -> tuple[torch.Tensor, tuple[int, int]]:
    w = weights_of(load(checkpoint).model)
    return w.positions, w.grid


@pytest.mark.parametrize(
    ("grid", "method"),
    [((16, 16), "bicubic"), ((16, 24), "bicubic"), ((20, 11), "bilinear, antialiased"), ((50, 9), "nearest")],
)
def test_the_maps_are_the_real_tables(widget, grid: tuple[int, int], method: str) -> None:
    widget.param.update(new=grid, method=method, dimension=5)
    table, old = own()
    name, antialias = RESIZES[method]
    after = interpolate_positions(table, old, grid, name, antialias)
    paper = interpolate_positions(table, old, grid, "zoom")
    assert np.abs(drawn(widget, "before") - table[1:, 5].reshape(old).numpy()).max() < 1e-4
    assert np.abs(drawn(widget, "after") - after[1:, 5].reshape(grid).numpy()).max() < 1e-4
    assert np.abs(drawn(widget, "apart") - (after - paper)[1:, 5].reshape(grid).numpy()).max() < 1e-4
    row, column = widget.cell(grid)
    every = cosine_similarity_map(after, grid)
    assert np.abs(drawn(widget, "similar_after") - every[row * grid[1] + column].numpy()).max() < 2e-3
    assert (
        widget._parts["before"].high
        == widget._parts["after"].high
        == pytest.approx(max(np.abs(drawn(widget, n)).max() for n in ("before", "after")), abs=1e-4)
    )


def test_from_another_grid_the_real_table_is_brought_there_first(widget) -> None:
    widget.param.update(old=(14, 14), new=(24, 24))
    table, own_grid = own()
    before = interpolate_positions(table, own_grid, (14, 14))
    assert (
        np.abs(
            drawn(widget, "after") - interpolate_positions(before, (14, 14), (24, 24))[1:, 379].reshape(24, 24).numpy()
        ).max()
        < 1e-4
    )
    assert "of 37 × 37, first brought to this grid" in widget._parts["before"].caption
    facts = dict(widget.facts())
    assert facts["patch positions, before"] == "14 × 14 = 196" and facts["patch positions, after"] == "24 × 24 = 576"
    assert facts["rows of the table, with the class token's"] == "197 → 577"
    assert facts["the class token's row of 384 numbers"] == "kept, bit for bit"


def test_a_place_is_the_same_place_on_grids_of_any_size(widget) -> None:
    for grid in ((1, 1), (37, 37), (16, 24), (64, 64), (5, 63)):
        for row in range(grid[0]):
            for column in (0, grid[1] // 2, grid[1] - 1):
                assert PositionMap.cell(PositionMap.code((row, column), grid, LATTICE), grid, LATTICE) == (row, column)
    widget._parts["before"].selected = PositionMap.code((36, 0), (37, 37), LATTICE)
    assert widget.cell((37, 37)) == (36, 0) and widget.cell((16, 16)) == (15, 0)
    assert {widget._parts[name].selected for name in MAPS} == {widget.place}
    assert "row 36, column 0 is chosen" in widget.describe().sentence


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("0", "at least 1, not 0"),
        ("-1", "at least 1, not -1"),
        ("1e9", "at most 64, not 1e9"),
        ("3.7", "whole number, not 3.7"),
        ("", "is empty; type rows x columns, such as 24 x 16"),
        ("a lot", "“a lot” is no number"),
        ("nan", "is no number"),
        ("inf x 4", "is no number"),
        ("16 x 0", "not 0"),
        ("3 x 4 x 5", "more than two numbers"),
        ("<b>9</b>", "&lt;b>9&lt;/b>” is no number"),
        ("1_6", "is no number"),
        ("2,5 x 3", "whole number, and 2,5 looks like 2.5"),
        ("3,5", "did you mean 3 x 5?"),
        ("24 x", "a side is missing"),
    ],
)
@pytest.mark.parametrize("name", ["old", "new"])
def test_what_is_no_grid_is_refused_in_place_and_the_last_good_one_stays(
    widget, name: str, typed: str, words: str
) -> None:
    kept, maps = getattr(widget, name), drawn(widget, "after")
    field = widget._fields[name]
    field._field.value = typed
    assert words in field.refusal.object and field.refusal.object.rstrip("</p>").endswith(
        f"{kept[0]} × {kept[1]} stays."
    )
    assert (
        getattr(widget, name) == kept
        and field._field.value == f"{kept[0]} × {kept[1]}"
        and np.array_equal(drawn(widget, "after"), maps)
    )
    field._field.value = "8x9"
    assert getattr(widget, name) == (8, 9) and field.refusal.object == ""


@pytest.mark.parametrize(
    ("typed", "grid"),
    [("24", (24, 24)), ("24 x 16", (24, 16)), ("24×16", (24, 16)), (" 3, 5 ", (3, 5)), ("1 64", (1, 64))],
)
def test_a_grid_may_be_typed_in_many_ways(widget, typed: str, grid: tuple[int, int]) -> None:
    widget._fields["new"]._field.value = typed
    assert widget.new == grid and drawn(widget, "after").shape == grid


def test_the_table_of_ways_is_computed_from_the_tables(widget) -> None:
    widget.new = (16, 24)
    table, old = own()
    right, paper = (interpolate_positions(table, old, (16, 24), m)[1:] for m in ("bicubic", "zoom"))
    mean, lowest, largest = astuple(widget.ways()["linear, corner on corner"])
    alike = torch.cosine_similarity(right, paper, dim=1)
    assert (mean, lowest) == pytest.approx((float(alike.mean()), float(alike.min())), abs=1e-6)
    assert largest == pytest.approx(float((right - paper).abs().max()), abs=1e-7)
    shown = np.frombuffer(widget._parts["ways"].values, dtype=np.float32).reshape(7, 3)
    assert np.allclose(shown, [astuple(one) for one in widget.ways().values()]) and list(METHODS.values()) == list(
        RESIZES
    )
    assert f"mean cosine of {mean:.3f}" in widget._words.object


def test_the_same_grid_changes_nothing_and_says_so(widget) -> None:
    widget.param.update(new=(37, 37), method="nearest")
    assert not drawn(widget, "apart").any() and "nothing is interpolated" in widget.describe().sentence


def test_a_random_table_is_called_random_and_has_its_own_grid(widget) -> None:
    widget.selection.checkpoint = "random-b16"
    assert (widget.old, widget.new) == ((14, 14), (24, 24)) and widget._slider.end == 767
    assert "random and was never trained" in widget._parts["before"].caption
    assert (
        np.abs(drawn(widget, "before") - own("random-b16")[0][1:, widget.dimension].reshape(14, 14).numpy()).max()
        < 1e-4
    )


def test_a_checkpoint_that_is_not_here_is_answered_and_the_last_maps_stay(widget) -> None:
    before = drawn(widget, "after")
    widget.selection.checkpoint = "resnet"
    assert widget._parts["before"].status == "refused" and "resnet" in widget._parts["before"].message
    assert np.array_equal(drawn(widget, "after"), before) and widget.describe().table == []
    widget.selection.checkpoint = "dinov2-small"
    assert widget._parts["before"].status == "ready"
