"""TensorTracer without a browser: the five walks, and what a wrong shape is answered."""

from __future__ import annotations

import pytest

from widgets import TensorTracer
from widgets.counting.shape_guess import CASES, judge, stages, written

SCORES = 6


def test_the_first_walk_has_the_scores_of_l14_at_336_px() -> None:
    scores = stages(0)[SCORES]
    assert scores.dims == (32, 16, 577, 577) and scores.numbers == 170_459_648


@pytest.mark.parametrize(
    ("case", "dims"), [(1, (1, 12, 197, 197)), (2, (8, 12, 577, 577)), (3, (4, 6, 1370, 1370)), (4, (2, 16, 257, 257))]
)
def test_the_other_four(case: int, dims: tuple[int, ...]) -> None:
    assert stages(case)[SCORES].dims == dims


@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_whole_walk_typed_in_every_way_of_writing(case: int) -> None:
    widget = TensorTracer(case=case)
    ways = (
        written,
        lambda d: " ".join(map(str, d)),
        lambda d: " x ".join(map(str, d)),
        lambda d: ",".join(map(str, d)),
        lambda d: f"[{', '.join(map(str, d))}]",
    )
    for number, stage in enumerate(widget.walk):
        assert widget.now == number
        widget.enter({"shape": ways[number % len(ways)](stage.dims)})
        assert not widget._sheet.refusals and widget._walk.lines[number]["cells"][0] == written(stage.dims)
    assert len(widget.known) == len(widget.walk) and "That was the whole walk." in widget._walk.caption
    assert f"{len(widget.walk)} at the first try" in widget._walk.caption


@pytest.mark.parametrize(
    ("typed", "stage", "words"),
    [
        ("32 16 576 576", SCORES, "You left the class token out"),
        ("16 577 577", SCORES, "The batch is missing"),
        ("32 577 577", SCORES, "The heads are missing"),
        ("32 16 577 64", SCORES, "both last sides are T"),
        ("32 577 577 16", SCORES, "in another order"),
        ("32 16 578 578", SCORES, "one token too many"),
        ("24 32 16 577 577", SCORES, "without L"),
        ("32 16 24 24", SCORES, "patches along one side"),
        ("32 24 577 577", SCORES, "the number of layers"),
        ("32 577 1024", 5, "heads side by side"),
        ("32 16 577 1024", 5, "D_h = D / h"),
        ("32 577 588", 1, "not there yet"),
        ("32 576 196", 1, "You counted the pixels"),
        ("32 577 1024", 9, "D_ff"),
        ("32 577 4096", 10, "come down again"),
        ("32 1024", 13, "one number for each class"),
        ("32 576 1024", 3, "You left the class token out"),
        ("32 16 577 500", SCORES, "none of this model's counts"),
        ("5", SCORES, "It has 4 sides, and you typed 1"),
    ],
)
def test_a_wrong_shape_is_answered_by_what_was_mixed_up(typed: str, stage: int, words: str) -> None:
    widget = TensorTracer(case=0)
    widget.asked = stage
    widget.enter({"shape": typed})
    assert words in widget._sheet.refusals["shape"]["sentence"] and widget.now == stage and stage not in widget.known


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "   ",
        "0",
        "-1",
        "1e9",
        "3.7",
        "text",
        "B k T T",
        "9" * 50,
        "9" * 5000,
        "()",
        "(((",
        "x",
        "💥",
        "<b>",
        "1," * 20,
        "²",
    ],
)
def test_absurd_input_is_answered_in_a_sentence(typed: str) -> None:
    widget = TensorTracer()
    widget.enter({"shape": typed})
    assert widget._sheet.refusals["shape"]["sentence"].endswith((".", "3, 4.")) and not widget.known
    assert not judge(typed, 0, SCORES).right


def test_showing_choosing_and_starting_again() -> None:
    widget = TensorTracer()
    widget._walk.chosen = str(SCORES)
    assert widget.asked == SCORES and "A, every query with every key" in widget._sheet.title
    widget.reveal()
    assert widget.known == {SCORES: False} and "170,459,648" in widget._said.object and widget.now == SCORES + 1
    assert "0 of 14 said" in widget._walk.caption and "1 shown" in widget._walk.caption
    assert "170,459,648" in dict(widget.describe().table)["A: every query with every key"]
    widget.forget()
    assert not widget.known and widget.now == 0
    widget.case = 3
    assert len(widget.walk) == 13 and widget.walk[-1].symbol == "y", "the default model has no head"
    assert widget.still() and "?" in widget._walk.lines[0]["cells"]
