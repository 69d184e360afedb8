"""Between a prediction and the next heading nothing is shown before the guess."""

from __future__ import annotations

import panel as pn

from widgets.lesson import Predict, progress
from widgets.lesson.fold_answers import Meanwhile, UntilGuessed, fold

NAMES = ("heading", "predict", "why", "table", "next", "end")
PAGE = {name: pn.pane.HTML(name) for name in NAMES}
SOURCES = (
    ("markdown", "## Guess"),
    ("code", "Predict('How many?', 'number', 3, id='n')"),
    ("markdown", "Because."),
    ("code", "show()"),
    ("markdown", "### Next"),
    ("markdown", "The end."),
)


def blocks() -> list:
    return fold([(kind, source, [PAGE[name]]) for (kind, source), name in zip(SOURCES, NAMES, strict=True)])


def test_only_what_follows_the_prediction_is_folded_until_there_is_a_guess() -> None:
    shown = blocks()
    assert [b for b in shown if not isinstance(b, (Meanwhile, UntilGuessed))] == [
        PAGE[n] for n in ("heading", "predict", "next", "end")
    ]
    said, folded = shown[2:4]
    assert (
        "The rest of this section opens when you have answered, or pressed “Show me”." in said[0].object
        and said.visible
    )
    assert list(folded) == [PAGE["why"], PAGE["table"]] and not folded.visible
    predict = Predict("How many?", "number", 3, id="n")
    predict.commit(2)
    assert folded.visible and blocks()[3].visible and not said.visible and not blocks()[2].visible
    predict.again()
    assert not folded.visible and said.visible
    predict.show()
    assert folded.visible and not said.visible


def test_two_predictions_fold_their_own_part_and_an_end_without_heading_is_kept() -> None:
    cells = [
        ("code", "Predict('a', 'number', 1, id='a')", ["a"]),
        ("markdown", "x", [pn.pane.HTML("x")]),
        ("code", "Predict('b', 'number', 1, id='b')", ["b"]),
        ("markdown", "y", [pn.pane.HTML("y")]),
    ]
    first, says_x, x, second, says_y, y = fold(cells)
    progress.current().change("predictions", "b", lambda entry: entry.update(guess=1))
    assert (first, second, x.visible, y.visible) == ("a", "b", False, True)
    assert (says_x.visible, says_y.visible) == (True, False)


def test_a_page_without_predictions_is_left_as_it_is() -> None:
    assert fold([("markdown", "# T", ["t"]), ("code", "print(1)", ["p", "q"])]) == ["t", "p", "q"]


def test_the_code_of_a_prediction_is_folded_too_for_its_answer_stands_in_it() -> None:
    code, result = pn.pane.HTML("code"), pn.pane.HTML("result")
    shown = fold(
        [("code", "Predict('How many?', 'number', 3, id='n')", [code, result]), ("markdown", "# Next", ["next"])]
    )
    assert shown[0] is result and list(shown[1]) == [code] and not shown[1].visible and shown[2] == "next"
