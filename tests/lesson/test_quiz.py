"""Quiz questions are sound, and the quiz judges, explains, and counts the first try."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import median

import pytest

from widgets.lesson import Quiz, progress
from widgets.lesson.lesson_text import inline
from widgets.lesson.quiz_data import chapters, questions, read
from widgets.lesson.quiz_widget import order_of

ALL = [(chapter, question) for chapter in chapters() for question in questions(chapter)]


def test_chapter_02_has_its_quiz() -> None:
    assert len(questions("02")) >= 5


@pytest.mark.parametrize("chapter", chapters())
def test_ids_name_their_chapter(chapter: str) -> None:
    assert all(q.id.startswith(f"{chapter}-") for q in questions(chapter))


@pytest.mark.parametrize("chapter, question", ALL, ids=[q.id for _, q in ALL])
def test_no_option_is_given_away_by_its_length(chapter, question) -> None:
    lengths = [len(option.text) for option in question.options]
    right = lengths[question.right]
    assert (right <= 1.6 * median(lengths) and right >= median(lengths) / 1.6) or max(lengths) <= 12


def gained(question, end=max) -> float:
    """The chance to be right with the longest option as it is shown, or with the shortest."""
    lengths = [len(option.text.replace("`", "")) for option in question.options]
    chosen = [i for i, length in enumerate(lengths) if length == end(lengths)]
    return (question.right in chosen) / len(chosen)


@pytest.mark.parametrize("chapter", [*chapters(), "all"])
def test_who_always_takes_the_longest_option_is_right_in_a_third_at_most(chapter: str) -> None:
    asked = [question for number, question in ALL if chapter in (number, "all")]
    found = {question.id: round(gained(question), 2) for question in asked if gained(question)}
    assert sum(map(gained, asked)) <= len(asked) / 3, found


PLACED = re.compile(
    r"\b(?:all|none|any|both|either|neither|two) of (?:the )?(?:above|below|others?|options|answers|choices)\b"
    r"|^(?:both|neither|all|none)(?: of (?:these|them))?\.?$|(?<![-\w])(?:first|second|third|last|previous|other)"
    r" (?:options?|answers?|choices?)\b"
    r"|\b(?:options?|answers?|choices?) (?:[a-d]\b|above|below)|^[A-D] and [A-D]$",
    re.I,
)


@pytest.mark.parametrize(
    "text",
    [
        "All of the above",
        "Both",
        "None of these",
        "Neither of the answers",
        "A and C",
        "The first option",
        "as in the answer b",
        "Both.",
        "The other answers are wrong",
    ],
)
def test_an_option_that_speaks_of_others_is_found(text: str) -> None:
    assert PLACED.search(text)


@pytest.mark.parametrize("chapter, question", ALL, ids=[q.id for _, q in ALL])
def test_no_option_and_no_reason_speaks_of_another_by_its_place(chapter, question) -> None:
    said = [text for option in question.options for text in (option.text, option.why) if PLACED.search(text)]
    assert not said, said


@pytest.mark.parametrize("chapter, question", ALL, ids=[q.id for _, q in ALL])
def test_over_readers_the_right_option_stands_at_every_place_alike(chapter, question) -> None:
    orders = [order_of(question, seed) for seed in range(1000)]
    assert all(sorted(order) == list(range(len(question.options))) for order in orders)
    places, share = [order.index(question.right) for order in orders], 1000 / len(question.options)
    assert all(0.75 * share < places.count(place) < 1.25 * share for place in range(len(question.options)))


def test_for_one_reader_no_place_is_a_strategy() -> None:
    for seed in range(100):
        places = [order_of(question, seed).index(question.right) for _, question in ALL]
        assert max(places.count(place) for place in range(4)) < 0.45 * len(places)


@pytest.mark.parametrize("chapter, question", ALL, ids=[q.id for _, q in ALL])
def test_every_option_is_explained_in_a_sentence_of_its_own(chapter, question) -> None:
    whys = [option.why for option in question.options]
    assert len(set(whys)) == len(whys)
    assert all(len(why) >= 30 and why.endswith(".") for why in whys)


OPTION = "{text: %s, why: because it is so}"


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda text: text.replace("right: true", "right: false", 1), "exactly one option"),
        (lambda text: text.replace("id: b-1", "id: b-0"), "the same id"),
        (lambda text: text.replace("why: w2", "", 1), "needs a text and a why"),
        (lambda text: text.replace("text: t1", "text: t0", 1), "read the same"),
        (lambda text: text.replace("id: b-4", "id: b-4x\n    questoin: x", 1).replace("question: q4", ""), "lacks one"),
        (lambda text: "questions: []", "0 questions"),
        (lambda text: "- a", "a list called questions"),
        (lambda text: text.replace("why: w0", "why: w0\n        hint: no", 1), "a field nobody reads"),
        (lambda text: text.replace("text: t2", "text: 12", 1), "as text in quotes"),
    ],
)
def test_a_broken_file_is_refused_by_name(tmp_path: Path, change, words: str) -> None:
    path = tmp_path / "99.yml"
    good = "questions:\n" + "".join(
        f"  - id: b-{i}\n    question: q{i}\n    options:\n"
        + "".join(
            f"      - text: t{j}\n        why: w{j}\n{'        right: true' if j == 1 else ''}\n" for j in range(3)
        )
        for i in range(5)
    )
    path.write_text(good)
    assert len(read(path)) == 5
    path.write_text(change(good))
    with pytest.raises(ValueError, match=f"99.yml.*{words}"):
        read(path)


def test_unknown_chapter_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="02"):
        Quiz("77")


def wrong(question) -> int:
    return (question.right + 1) % len(question.options)


def pick(quiz: Quiz, question, option: int) -> None:
    """Choose an option where it stands on the page."""
    quiz._forms[question.id]._handle_msg({"picked": quiz.order(question).index(option)})


def mark(quiz: Quiz, question, option: int) -> str:
    return quiz._forms[question.id].marks[quiz.order(question).index(option)]


def reader(seed: int) -> None:
    """Be the reader with this number."""
    progress.current().take(json.dumps(progress.empty() | {"seed": seed}))


@pytest.mark.parametrize("seed", range(6))
def test_right_at_the_first_try(seed: int) -> None:
    reader(seed)
    quiz = Quiz("02")
    first = quiz.questions[0]
    form = quiz._forms[first.id]
    pick(quiz, first, first.right)
    assert form.locked and form.tone == "right" and form.commit_label == "" and quiz.score == 1
    assert "N = HW / P\u00b2" in form.feedback and mark(quiz, first, first.right) == "right"
    assert form.choices[form.picked] == inline(first.options[first.right].text)


@pytest.mark.parametrize("seed", range(6))
def test_a_wrong_answer_is_explained_may_be_tried_again_and_does_not_score(seed: int) -> None:
    reader(seed)
    quiz = Quiz("02")
    first = quiz.questions[0]
    form = quiz._forms[first.id]
    pick(quiz, first, wrong(first))
    assert not form.locked and form.tone == "wrong" and mark(quiz, first, wrong(first)) == "wrong"
    assert "right" not in form.marks and first.options[first.right].why[:20] not in form.feedback
    assert inline(first.options[wrong(first)].why) in form.feedback
    pick(quiz, first, first.right)
    assert form.locked and quiz.score == 0 and quiz.solved == 1
    assert "1 more after another try" in quiz.describe().sentence


def test_a_readers_order_is_drawn_once_and_what_is_kept_is_the_option_not_its_place() -> None:
    quiz = Quiz("02")
    drawn = progress.current().everything()["seed"]
    first = quiz.questions[0]
    pick(quiz, first, wrong(first))
    assert (
        Quiz("02")._forms[first.id].choices == quiz._forms[first.id].choices
        and progress.current().everything()["seed"] == drawn
    )
    assert progress.current().read("quizzes", "02")["tries"] == {first.id: [wrong(first)]}


def test_another_order_that_arrives_takes_what_was_picked_with_it() -> None:
    quiz = Quiz("02")
    first, second = quiz.questions[:2]
    pick(quiz, first, first.right)
    pick(quiz, second, wrong(second))
    orders = set()
    for seed in range(8):
        progress.current().arrive(json.dumps(progress.empty() | {"seed": seed}))
        forms = [quiz._forms[q.id] for q in (first, second)]
        orders.add(tuple(quiz.order(first)))
        assert [form.choices[form.picked] for form in forms] == [
            inline(first.options[first.right].text),
            inline(second.options[wrong(second)].text),
        ]
        assert mark(quiz, first, first.right) == "right" and mark(quiz, second, wrong(second)) == "wrong"
        assert sum(map(bool, forms[0].marks)) == sum(map(bool, forms[1].marks)) == 1
    assert len(orders) > 3


def test_where_notebooks_are_built_the_order_is_fixed_and_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIT_COURSE_STILLS", "1")
    assert Quiz("02")._seed == 0 and progress.current().everything() == progress.empty()


def test_nothing_chosen_is_a_sentence() -> None:
    quiz = Quiz("02")
    form = quiz._forms[quiz.questions[0].id]
    form._handle_msg({"picked": -1})
    assert "Choose one" in form.problem and not quiz.tries


def test_a_quiz_comes_back_as_it_was_left_and_can_be_started_over() -> None:
    quiz = Quiz("02")
    for question in quiz.questions:
        quiz.answer(question.id, question.right)
    kept = progress.current().read("quizzes", "02")
    assert kept["score"] == kept["of"] == len(quiz.questions) == kept["best"]
    back = Quiz("02")
    assert back.score == len(quiz.questions) and all(form.locked for form in back._forms.values())
    back.again()
    assert back.score == 0 and progress.current().read("quizzes", "02")["best"] == len(quiz.questions)
    assert Quiz("02").tries == {}


def test_a_question_that_left_the_chapter_is_no_trouble() -> None:
    progress.current().change("quizzes", "02", lambda entry: entry.update(tries={"02-gone": [1], "02-count": [9]}))
    assert Quiz("02").tries == {}


def test_still_and_plain_text_show_questions_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIT_COURSE_STILLS", "1")
    quiz = Quiz("02")
    bundle = quiz._repr_mimebundle_()
    assert len(bundle["image/png"]) < 30_000
    drawn = " ".join(text.get_text() for text in quiz.still().texts)
    assert all(option.why not in drawn for q in quiz.questions for option in q.options)
    assert not any(option.why in repr(quiz.__panel__()) for q in quiz.questions for option in q.options)
