"""Each of the hundreds of slips that are looked for alone gives a wrong answer, and one that no other gives."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from widgets.lesson import check, exercises
from widgets.lesson.comparison import difference
from widgets.lesson.specification import Exercise

from .kinds import ARRAYS

EVERY = 40  # of the slips, one in so many goes through a whole check


def _answers(exercise: Exercise, name: str) -> list[Any]:
    """What comes of one fault in every case, None where it raises."""
    answers = []
    for case in exercise.cases:
        try:
            with np.errstate(all="ignore"):
                answers.append(exercise.faulty(*case.arguments(), faults=frozenset([name])))
        except Exception:
            answers.append(None)
    return answers


def _same(exercise: Exercise, one: list[Any], other: list[Any]) -> bool:
    pairs = zip(one, other, exercise.cases, strict=True)
    return all(
        b is None if a is None else b is not None and difference(a, b, case.tolerance, exercise.returns) is None
        for a, b, case in pairs
    )


def _mark(answers: list[Any]) -> tuple:
    """Coarse numbers that are equal for equal answers: shapes, and nothing that rounding can tip over."""
    parts = [a if isinstance(a, tuple) else (a,) for a in answers]
    return tuple(np.shape(part) if part is not None else None for answer in parts for part in answer)


def _sums(answers: list[Any]) -> np.ndarray:
    parts = [part for a in answers for part in (a if isinstance(a, tuple) else (a,))]
    return np.array([0.0 if p is None else float(np.sum(np.clip(np.nan_to_num(p), -1e12, 1e12))) for p in parts])


@pytest.mark.parametrize("id", ARRAYS)
def test_no_slip_is_right_or_the_answer_of_another(id: str) -> None:
    exercise = exercises.find(id)
    names = [m.name for m in exercise.misconceptions if m.sign is None]
    answers = {name: _answers(exercise, name) for name in names}
    right = [exercise.expected(*case.arguments()) for case in exercise.cases]
    assert [name for name in names if _same(exercise, right, answers[name])] == []
    assert [name for name in names if all(a is None for a in answers[name])] == []
    alike, groups = [], {}
    for name in names:
        groups.setdefault(_mark(answers[name]), []).append((name, _sums(answers[name])))
    for group in groups.values():
        for i, (name, sums) in enumerate(group):
            near = (
                j
                for j in range(i)
                if np.allclose(group[j][1], sums, rtol=1e-3, atol=1e-3 * np.abs(sums).max(initial=0))
            )
            alike += [(group[j][0], name) for j in near if _same(exercise, answers[group[j][0]], answers[name])]
    assert alike == []


@pytest.mark.parametrize("id", ARRAYS)
def test_a_slip_is_named_by_the_check(id: str) -> None:
    exercise = exercises.find(id)
    for m in [m for m in exercise.misconceptions if m.alone][::EVERY]:
        result = check(id, lambda *arguments, name=m.name: exercise.faulty(*arguments, faults=frozenset([name])))
        assert result.faults == (m.name,) and m.sentence in result.message, result.message


@pytest.mark.parametrize("id", ARRAYS)
def test_a_mistake_that_nothing_explains_is_answered_within_about_a_second(id: str) -> None:
    exercise, draw = exercises.find(id), np.random.default_rng(0)

    def far_off(*arguments: Any) -> Any:
        def moved(part: np.ndarray) -> np.ndarray:
            return part + (1 + np.abs(part).max()) * draw.random(part.shape)

        right = exercise.expected(*arguments)
        return tuple(map(moved, right)) if isinstance(right, tuple) else moved(right)

    started = time.process_time()
    assert not check(id, far_off).passed
    assert time.process_time() - started < 1.5


@pytest.mark.parametrize("id", ARRAYS)
def test_every_sentence_is_a_sentence_and_short(id: str) -> None:
    for m in exercises.find(id).misconceptions:
        assert m.sentence.rstrip()[-1] in ".?" and 15 < len(m.sentence) < 420, m.name
