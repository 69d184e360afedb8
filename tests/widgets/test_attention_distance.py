"""AttentionDistance without a browser: the dots are where a loop over NumPy puts them, and a click chooses a head."""

from __future__ import annotations

import numpy as np
import pytest

from tests.widgets.test_head_explorer import library_attention
from widgets.attention.attention_distance import CHOSEN, EVEN, HEADS, MEAN, AttentionDistance
from widgets.kit.selection import Selection
from widgets.lesson.predictions.chapter_06 import WHERE, layer_of_the_nearest_head, parameters_with_24_heads
from widgets.parts import Series


@pytest.fixture
def widget() -> AttentionDistance:
    return AttentionDistance(selection=Selection())


def series(widget: AttentionDistance) -> dict[str, Series]:
    return {one.name: one for one in widget._plot.series}


@pytest.mark.parametrize(
    ("name", "picture", "grid", "P", "layer"),
    [
        ("dinov2-small", "cat", (16, 16), 14, 3),
        ("dinov2-small", "coffee", (16, 24), 14, 0),
        ("random-b16", "photographer", (14, 14), 16, 5),
    ],
)
def test_a_dot_is_the_mean_distance_of_its_head(
    widget, name: str, picture: str, grid: tuple, P: int, layer: int
) -> None:
    widget.selection.param.update(checkpoint=name, picture=picture)
    between = library_attention(name, picture, layer)[:, 1:, 1:].astype(np.float64)
    r, c = np.divmod(np.arange(grid[0] * grid[1]), grid[1])
    away = P * np.hypot(r[:, None] - r, c[:, None] - c)
    wanted = (between / between.sum(-1, keepdims=True) * away).sum(-1).mean(-1)
    dots, k = series(widget)[HEADS], len(wanted)
    assert np.allclose(dots.y[layer * k : (layer + 1) * k], wanted, atol=0.01)
    assert set(dots.x[layer * k : (layer + 1) * k]) == {layer + 1}
    assert series(widget)[MEAN].y[layer] == pytest.approx(wanted.mean(), abs=0.01)
    assert series(widget)[EVEN].y[0] == pytest.approx(away.mean(), abs=0.01)
    assert dots.labels[layer * k + 2] == f"layer {layer + 1}, head 3: {wanted[2]:.1f} px"


def test_a_click_on_a_dot_chooses_its_layer_and_head(widget: AttentionDistance) -> None:
    widget._plot.tap = [0, 3 * 6 + 4, 1]
    assert (widget.selection.layer, widget.selection.head) == (3, 4)
    chosen = series(widget)[CHOSEN]
    assert chosen.x == [4] and chosen.y[0] == series(widget)[HEADS].y[22]
    assert dict(widget._table.fixed)["mean attention distance"] == f"{chosen.y[0]:.1f} px"
    assert "head 5 of layer 4 looks" in widget.describe().sentence
    widget.selection.layer = 0
    widget._plot.tap = [0, 3 * 6 + 4, 2]
    assert widget.selection.layer == 3, "the same dot, clicked again"
    widget._plot.tap = [2, 7, 3]
    assert (widget.selection.layer, widget.selection.head) == (3, 4), "a line is no head"


def test_heads_without_training_look_as_far_as_no_preference_does(widget: AttentionDistance) -> None:
    widget.selection.checkpoint = "random-b16"
    found = widget.distances()
    assert found.pixels.shape == (12, 12) and np.abs(found.pixels / found.even - 1).max() < 0.15
    assert "Random" in widget.describe().sentence and "never trained" in widget._plot.caption


def test_a_selection_that_asks_for_more_gets_the_last() -> None:
    widget = AttentionDistance(selection=Selection(layer=50, head=50))
    assert widget.place == (11, 5)


def test_a_checkpoint_that_is_not_here_is_answered_and_the_dots_stay(widget: AttentionDistance) -> None:
    before = widget._plot.series
    widget.selection.checkpoint = "resnet"
    assert (
        widget._plot.status == "refused"
        and "no checkpoint called" in widget._plot.message
        and "stay" in widget._plot.message
    )
    assert widget._plot.series == before and "no checkpoint" in widget.describe().sentence


def test_words_hold_the_ends_of_every_layer(widget: AttentionDistance) -> None:
    found, words = widget.distances().pixels, dict(widget.describe().table)
    assert len(words) == 12 and words["layer 2"] == f"from {found[1].min():.1f} to {found[1].max():.1f} px"


def test_the_prediction_of_chapter_06_is_computed(widget: AttentionDistance) -> None:
    nearest = widget.distances().pixels.min(1)
    assert WHERE[layer_of_the_nearest_head()] == "In layers 2 to 5" and 1 <= nearest.argmin() <= 4
    assert nearest.min() < 0.8 * min(nearest[0], nearest[5:].min()), "not by a hair"
    assert parameters_with_24_heads() == 4 * 768**2 + 4 * 768
