"""Miscount without a browser: the wrong sums are those of the exercise, and the difference says what was forgotten."""

from __future__ import annotations

import pytest

from widgets import Miscount
from widgets.counting.miscount import MISTAKES, MODELS
from widgets.model.count import parameters
from widgets.model.shape import FAMILY


@pytest.mark.parametrize("model", MODELS)
def test_the_right_sum_is_the_models(model: str) -> None:
    widget = Miscount(model=model)
    assert widget.counts == (parameters(FAMILY[model])["total"],) * 2


@pytest.mark.parametrize(
    ("mistake", "difference", "units"),
    [
        ("final-norm", -2 * 768, "−2 D"),
        ("patch-bias", -768, "−1 D"),
        ("class-row", -768, "−1 D"),
        ("qkv-biases", -36 * 768, "−36 D"),
        ("one-norm", -24 * 768, "−24 D"),
        ("gain-only", -25 * 768, "−25 D"),
        ("output-projection", -12 * (768 * 768 + 768), "−9,228 D"),
        ("heads-multiply", 11 * 28_348_416, "+406,032 D"),
        ("head-bias", -1000, "−1.30 D: not whole"),
        ("pooler", 590_592, "+769 D"),
    ],
)
def test_each_mistake_leaves_its_difference(mistake: str, difference: int, units: str) -> None:
    widget = Miscount(mistake=mistake)
    right, wrong = widget.counts
    assert wrong - right == difference and dict(widget._rows())["in units of D"] == units
    words = widget._words.object
    assert ("the two are the same" in words) == (round(right / 1e6) == round(wrong / 1e6))
    assert " d " not in words and "^" not in words
    assert f"{wrong:,}" in widget.describe().sentence


def test_a_difference_that_mixes_places_says_so() -> None:
    L, D = FAMILY["B/16"].num_hidden_layers, FAMILY["B/16"].hidden_size
    for mistake, difference, words in (
        ("gain-only", -(2 * L * D + D), "2 L D in the layers, and one D in the final norm"),
        ("pooler", (D + 1) * D, "D² + D, is D + 1 times D"),
        ("output-projection", -L * (D + 1) * D, "a layer, D² + D, is D + 1 times D"),
    ):
        widget = Miscount(mistake=mistake)
        assert widget.counts[1] - widget.counts[0] == difference and words in widget._words.object


def test_every_mistake_is_one_of_the_exercise() -> None:
    for mistake in MISTAKES:
        widget = Miscount(mistake=mistake)
        assert widget.still() and (mistake == "none") == (widget.counts[0] == widget.counts[1])
