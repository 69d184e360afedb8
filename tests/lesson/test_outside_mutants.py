"""Wrong solutions by somebody who had not seen the checks are refused, and none is called what it is not."""

from __future__ import annotations

from collections import Counter

import pytest

from widgets.lesson import check, exercises
from widgets.lesson.diagnosis import DESCRIBED

from .outside_mutants import OUTSIDE, Outside

SIGNS = {"changed-input"}  # named by what every exercise looks at, not by a misconception of its own


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("mutant", OUTSIDE, ids=[f"{m.exercise}-{m.function.__name__}" for m in OUTSIDE])
def test_is_refused_and_not_called_what_it_is_not(mutant: Outside) -> None:
    result = check(mutant.exercise, mutant.function)
    assert not result.passed
    assert result.lines[0][0] == "Input" and len(result.lines) > 1
    assert tuple(result.faults) == mutant.faults, result.message
    assert bool(result.misconception) == (mutant.today != "silent")


@pytest.mark.parametrize("mutant", OUTSIDE, ids=[f"{m.exercise}-{m.function.__name__}" for m in OUTSIDE])
def test_named_means_by_a_misconception_and_described_means_by_none(mutant: Outside) -> None:
    names = {m.name for m in exercises.find(mutant.exercise).misconceptions} | SIGNS
    assert (bool(mutant.faults) and names.issuperset(mutant.faults)) == (mutant.today == "named")
    assert (bool(mutant.faults) and DESCRIBED.issuperset(mutant.faults)) == (mutant.today == "described")
    assert bool(mutant.faults) == (mutant.today != "silent")


def test_three_an_exercise_and_the_figures_of_today() -> None:
    assert set(Counter(m.exercise for m in OUTSIDE).values()) == {3} and len(OUTSIDE) == 30
    assert Counter(m.today for m in OUTSIDE) == {"named": 26, "silent": 4}
