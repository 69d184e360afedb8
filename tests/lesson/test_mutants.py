"""Every wrong solution is refused, and by the message that names its misconception."""

from __future__ import annotations

from collections import Counter

import pytest

from widgets.lesson import check, exercises

from .mutants import Mutant, mutants

ALL = mutants()
GENERAL = {
    "changed-input": "changes `",
    "numpy-integer": "NumPy integer",
    "overflow": "overflowed",
    "fraction": "whole number",
}


@pytest.mark.parametrize("mutant", ALL, ids=[f"{m.exercise}-{m.function.__name__}" for m in ALL])
def test_is_refused_by_name(mutant: Mutant) -> None:
    result = check(mutant.exercise, mutant.function)
    assert not result.passed
    assert set(result.faults) == set(mutant.faults), result.message
    found = exercises.find(mutant.exercise)
    for fault in mutant.faults:
        sentence = GENERAL.get(fault) or found.misconception(fault).sentence
        assert sentence in result.misconception and result.misconception in result.message


def test_every_exercise_has_six_or_more() -> None:
    counts = Counter(m.exercise for m in ALL)
    few = {id: counts[id] for id in exercises.names() if counts[id] < 6}
    assert not few, "six wrong answers or more in tests/lesson/mutants/<name>.py"
