"""A guess comes before the answer, which is nowhere to be read before that."""

from __future__ import annotations

import pytest

from widgets.lesson import Predict, progress
from widgets.lesson.answer_kinds import NumberGuess
from widgets.lesson.lesson_text import how_far, written


def patches(**params) -> Predict:
    return Predict("How many patches?", "number", lambda: 196, unit="patches", why="14 x 14", id="n", **params)


def growth(answer="16 times", **params) -> Predict:
    return Predict("How much?", "choice", answer, choices=("2 times", "4 times", "16 times"), id="g", **params)


@pytest.mark.parametrize(
    "text, unit, value",
    [
        ("196", "", 196),
        (" 1,000 ", "patches", 1000),
        ("1 000 000", "", 1e6),
        ("1e3", "px", 1000),
        ("\u22125", "", -5),
        ("0.5", "", 0.5),
        ("12 %", "%", 12),
        ("+3", "", 3),
        ("1_000", "", 1000),
        ("16 times", "times", 16),
        ("16x", "times", 16),
        ("3 x 10^8", "parameters", 3e8),
    ],
)
def test_numbers_as_people_type_them(text: str, unit: str, value: float) -> None:
    assert NumberGuess(unit).read(text) == value


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "is empty; type a number, such as 100 or 0.5"),
        ("   ", "is empty"),
        ("many", "is no number"),
        ("1e999", "at most"),
        ("nan", "is no number"),
        ("0,5", "did you mean 0.5?"),
        ("1,234", r"did you mean 1234 or 1\.234\?"),
        ("9" * 400, "longer than any number"),
        ("1.2.3", "is no number"),
        ("<b>", "is no number"),
        ("12 %", "has more than a number in it"),
    ],
)
def test_what_is_no_number_is_answered_in_a_sentence(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        NumberGuess("").read(text)


@pytest.mark.parametrize("unit", ["", "patches", "times"])
@pytest.mark.parametrize("guess", [0.5, 1234.0, 1234.5, 1e6, 12.0, -7.0])
def test_what_a_form_is_filled_with_is_read_back(unit: str, guess: float) -> None:
    if unit != "patches" or guess.is_integer():
        assert NumberGuess(unit).read(NumberGuess(unit).filled(guess)["typed"]) == guess


@pytest.mark.parametrize(
    "guess, answer, words",
    [
        (196, 196, "exactly"),
        (150, 196, "46 too low, which is 23% of the answer"),
        (392, 196, "2 times too much"),
        (98, 196, "2 times too little"),
        (-1, 3, "4 too low"),
        (0.3, 0.1, "0.2 too high"),
        (195, 196, "very close"),
        (0, 0, "exactly"),
        (1, 0, "1 too high"),
    ],
)
def test_how_far_off(guess: float, answer: float, words: str) -> None:
    assert words in how_far(guess, answer)


def test_numbers_are_written_with_separators_and_a_true_minus() -> None:
    assert [written(v) for v in (86567656, -3, 0.25, 1234.5)] == ["86,567,656", "\u22123", "0.25", "1,234"]


def test_the_answer_is_computed_only_after_a_guess_and_appears_only_then() -> None:
    asked = []
    predict = Predict("How many?", "number", lambda: asked.append(1) or 196, why="because", id="n")
    told = f"{predict!r} {predict.describe()} {predict._form} {predict.__panel__()}"
    assert not asked and "196" not in told and "because" not in told
    predict.commit(150)
    assert asked and "196" in predict._form.feedback and "because" in predict._form.feedback


def test_what_follows_stays_folded_until_the_guess() -> None:
    made = []
    predict = patches(reveals=lambda: made.append(1) or "the rest")
    assert not predict._revealed.visible and not made
    predict.commit(1)
    assert predict._revealed.visible and made == [1] and predict.settled


def test_a_refused_entry_loses_nothing() -> None:
    predict = patches()
    predict._form._handle_msg({"typed": "lots"})
    assert "is no number" in predict._form.problem and predict._form.typed == "lots" and not predict.settled
    predict._form._handle_msg({"typed": "195,5"})
    assert predict._form.offers == ["195", "196"]
    predict._form._handle_msg({"typed": "1e30"})
    assert "at most" in predict._form.problem and predict._form.offers == []
    predict._form._handle_msg({"typed": "196"})
    assert (
        predict.settled and predict._form.problem == "" and predict._form.offers == [] and predict._form.tone == "right"
    )


def test_a_choice_needs_a_choice_and_marks_both() -> None:
    predict = growth()
    predict._form._handle_msg({"picked": -1})
    assert "Choose one" in predict._form.problem
    predict._form._handle_msg({"picked": 1})
    assert predict._form.marks == ["", "wrong", "right"] and predict._form.tone == "wrong"


@pytest.mark.parametrize("answer", ["16 times", 2, lambda: "16 times", lambda: 2])
def test_the_answer_of_a_choice_is_its_text_or_its_index(answer: object) -> None:
    predict = growth(answer)
    predict.commit("16 times")
    assert predict._form.tone == "right"


def test_show_me_shows_without_a_guess() -> None:
    predict = patches()
    predict._form._handle_msg({"aside": True})
    assert predict.settled and predict.guess is None and "196" in predict._form.feedback
    assert progress.current().read("predictions", "n")["shown"]


def test_a_guess_is_kept_and_comes_back_and_can_be_made_again() -> None:
    patches().commit(150)
    kept = progress.current().read("predictions", "n")
    assert kept["guess"] == 150 and kept["kind"] == "number" and not kept["shown"]
    back = patches()
    assert back.settled and back.guess == 150 and "46 too low" in back._form.feedback
    back.again()
    assert not back.settled and not back._form.locked and "196" not in back._form.feedback
    assert not patches().settled


def test_a_kept_choice_that_is_no_longer_offered_is_dropped() -> None:
    growth().commit("4 times")
    other = Predict("How much?", "choice", 0, choices=("a little", "a lot"), id="g")
    assert not other.settled


def test_an_answer_that_cannot_be_computed_is_a_sentence() -> None:
    predict = Predict("How many?", "number", lambda: 1 / 0, id="z")
    predict.commit(3)
    assert predict._form.status == "refused" and "division by zero" in predict._form.message
    assert progress.current().read("predictions", "z")["guess"] == 3


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("?", "choice", 0), "two choices"),
        (("?", "choice", "c", ("a", "b")), "none of the choices"),
        (("?", "choice", 5, ("a", "b")), "none of the choices"),
        (("?", "number", 1, ("a", "b")), "takes no choices"),
    ],
)
def test_a_prediction_that_makes_no_sense_is_refused_when_written(arguments: tuple, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Predict(*arguments)


def test_still_and_plain_text_never_hold_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIT_COURSE_STILLS", "1")
    predict = patches()
    predict.commit(150)
    bundle = predict._repr_mimebundle_()
    assert "How many patches?" in bundle["text/plain"] and "196" not in bundle["text/plain"]
    drawn = " ".join(text.get_text() for text in predict.still().texts)
    assert "How many patches?" in drawn and "196" not in drawn


def curve(answer=lambda: [1, 4, 16], **params) -> Predict:
    return Predict(
        "How do entries grow?",
        "curve",
        answer,
        x=(32, 16, 8),
        y=(0, 20),
        x_label="patch side",
        y_label="growth",
        id="c",
        **params,
    )


def test_a_curve_is_judged_by_its_mean_and_its_worst_place() -> None:
    predict = curve()
    predict._form._handle_msg({"points": [1, 4, 10]})
    assert predict.guess == [1, 4, 10] and predict._form.answer_points == [1, 4, 16]
    assert "On average you were 2 off; furthest at 8: 6 too low." in predict._form.feedback
    assert curve()._form.points == [1, 4, 10]  # and comes back


def test_a_curve_hides_its_answer_until_there_is_one_and_refuses_another_length() -> None:
    predict = curve()
    assert predict._form.answer_points == [] and predict._form.axes["x_texts"] == ["32", "16", "8"]
    predict._form._handle_msg({"points": [1, 4]})
    assert "one height for each of the 3 places" in predict._form.problem and not predict.settled
    predict.show()
    assert predict._form.answer_points == [1, 4, 16] and predict._form.tone == "neutral"


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"x": (1,), "y": (0, 1)}, "two places"),
        ({"x": (1, 2), "y": (1, 1)}, "low, high"),
        ({"x": (1, 2)}, "low, high"),
        ({"x": (1, 2), "y": (0, 1), "answer": [1, 2, 3]}, "3 heights for 2 places"),
    ],
)
def test_a_curve_that_makes_no_sense_is_refused_when_written(arguments: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Predict("?", "curve", arguments.pop("answer", lambda: []), **arguments)


def test_an_unknown_kind_names_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"number.*choice.*curve"):
        Predict("?", "sketch", 1)


def test_what_the_class_guessed_shows_only_beside_the_answer() -> None:
    predict = growth()
    predict.classroom = [
        {"guess": "4 times"},
        {"guess": "16 times"},
        {"guess": "4 times"},
        {"guess": None, "shown": True},
    ]
    assert predict._form.feedback == ""
    predict.commit("16 times")
    assert "The class: 3 guesses." in predict._form.feedback and "16 times (you)" in predict._form.feedback
