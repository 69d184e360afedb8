"""ShuffleTest without a browser: what it shows is shuffle_test's, and NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from widgets.common.number_formats import fixed
from widgets.experiments.shuffle import shuffle_test
from widgets.kit.selection import Selection
from widgets.pictures import open_sample
from widgets.positions.patch_shuffle import WITH, WITHOUT, ShuffleTest, small


@pytest.fixture
def widget() -> ShuffleTest:
    return ShuffleTest(selection=Selection())


@pytest.mark.parametrize(
    ("picture", "order"), [("cat", "shuffle"), ("cat", "swap"), ("coffee", "rows"), ("photographer", "shuffle")]
)
def test_tables_and_dots_are_the_models_two_answers(widget: ShuffleTest, picture: str, order: str) -> None:
    widget.selection.picture = picture
    widget.order = order
    result = shuffle_test("dinov2-small", open_sample(picture), order)
    for name, change in ((WITH, result.with_positions), (WITHOUT, result.without)):
        before, after = change.y.astype(np.float64)
        shown = dict(widget._tables[name].fixed)
        assert shown["largest change of a number of y"] == small(np.abs(change.y[1] - change.y[0]).max())
        assert shown["cosine of the two y"] == fixed(before @ after / np.linalg.norm(before) / np.linalg.norm(after))
        dots = next(series for series in widget._plot.series if series.name == name)
        assert np.array_equal(dots.x, change.y[0]) and np.array_equal(dots.y, change.y[1] - change.y[0])
    assert "× 10⁻" in dict(widget._tables[WITHOUT].fixed)["largest change of a number of y"]
    assert "× 10⁻" not in dict(widget._tables[WITH].fixed)["largest change of a number of y"]


def test_the_pictures_hold_the_same_patches(widget: ShuffleTest) -> None:
    before, after = (
        np.frombuffer(part.rgb, dtype=np.uint8).reshape(224, 224, 3) for part in (widget._before, widget._after)
    )
    cut = [
        sorted(picture.reshape(16, 14, 16, 14, 3).swapaxes(1, 2).reshape(256, -1).tolist())
        for picture in (before, after)
    ]
    assert cut[0] == cut[1] and not np.array_equal(before, after)


def test_draw_again_is_another_order_and_the_first_comes_back(widget: ShuffleTest) -> None:
    first = widget._after.rgb
    widget._draw_again()
    assert widget._after.rgb != first and "draw 1" in widget._after.caption
    widget.seed = 0
    assert widget._after.rgb == first
    widget.order = "swap"
    moved = np.flatnonzero(widget.result().order != np.arange(256)).tolist()
    assert widget._after.caption.startswith(
        f"2 of the patches stand elsewhere: patches {moved[0]} and {moved[1]}, outlined"
    )
    assert widget._before.marked == widget._after.marked == moved
    widget.order = "shuffle"
    assert widget._before.marked == widget._after.marked == []


def test_nothing_is_drawn_when_rows_are_turned_over(widget: ShuffleTest) -> None:
    widget.order = "rows"
    assert widget._again.disabled and "Drawn" not in widget.describe().sentence
    after = np.frombuffer(widget._after.rgb, dtype=np.uint8).reshape(224, 224, 3)
    before = np.frombuffer(widget._before.rgb, dtype=np.uint8).reshape(224, 224, 3)
    assert np.array_equal(after[:14], before[-14:])


def test_an_untrained_model_has_its_say(widget: ShuffleTest) -> None:
    widget.selection.checkpoint = "random-b16"
    assert "Random ViT-B/16" in widget.describe().sentence and "never trained" in widget._words.object
    assert "× 10⁻" in dict(widget._tables[WITHOUT].fixed)["largest change of a number of y"]


def test_a_checkpoint_that_is_not_here_is_answered(widget: ShuffleTest) -> None:
    before = widget._after.rgb
    widget.selection.checkpoint = "resnet"
    assert widget._before.status == "refused" and "no checkpoint called" in widget._before.message
    assert widget._after.rgb == before and widget.describe().table == []
    assert "no checkpoint called" in widget.still().texts[0].get_text(), "the preview says it too"


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0"), (6.4496, "6.450"), (0.1028, "0.103"), (3.81e-6, "3.8 × 10⁻⁶"), (9.99e-4, "1.0 × 10⁻³")],
)
def test_small_numbers_are_written_with_their_power_of_ten(value: float, said: str) -> None:
    assert small(value) == said
