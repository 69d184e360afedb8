"""What there is to do in a chapter is read from its cells, and progress says how far a reader is."""

from __future__ import annotations

from widgets.lesson import Predict, Quiz
from widgets.lesson.chapter_work import Work, standing, without_code, work_of
from widgets.lesson.progress import Progress

CELLS = [
    "from widgets import Predict, check\nPredict('How many?', 'number', 3, id='02-many')",
    "Predict('And now?', 'number', 4)",
    "exercise('patchify')",
    "check('patchify', f); check('attention', g)",
    "hint('layer_norm')",
    "Quiz('02')",
    "%matplotlib inline",
    "def check_it(): pass",
    "Predict(text, 'number', 3)",
    "check(name, f)",
]


def test_ids_are_found_once_in_order_and_magics_do_no_harm() -> None:
    assert work_of(CELLS) == Work(("02-many", "and-now"), ("patchify", "attention"), ("02",))


def test_the_id_of_a_prediction_without_one_is_the_widgets_own() -> None:
    assert Predict("And now?", "number", 4).id == "and-now"


def test_standing_counts_what_is_kept() -> None:
    work, store = work_of(CELLS), Progress()
    questions = len(Quiz("02").questions)
    assert (
        standing(work, store).in_words()
        == f"0 of 2 predictions made, 0 of 2 exercises passed, quiz 0 of {questions} right at the first try"
    )
    store.record_check("patchify", True)
    store.record_check("attention", False)
    store.change("predictions", "02-many", lambda entry: entry.update(guess=3))
    store.change("quizzes", "02", lambda entry: entry.update(best=questions, score=1))
    stands = standing(work, store)
    assert (
        stands.in_words()
        == f"1 of 2 predictions made, 1 of 2 exercises passed, quiz {questions} of {questions} right at the first try"
    )
    assert stands.share == (2 + questions) / (4 + questions)


def test_nothing_to_do_is_nothing() -> None:
    assert not Work() and standing(Work(), Progress()).share == 0 and standing(Work(), Progress()).in_words() == ""


def test_where_no_code_runs_only_a_passed_exercise_counts() -> None:
    work, store = work_of(CELLS), Progress()
    assert without_code(work, store).exercises == ()
    store.record_check("attention", True)
    assert standing(without_code(work, store), store).exercises == (1, 1)
