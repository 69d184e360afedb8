"""Wrong solutions by somebody who had not seen the checks are refused, and none is called what it is not."""

from __future__ import annotations

from collections import Counter

import pytest

from .answered import answered
from .outside_mutants import OUTSIDE, Outside


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("mutant", OUTSIDE, ids=[f"{m.exercise}-{m.function.__name__}" for m in OUTSIDE])
def test_is_refused_and_not_called_what_it_is_not(mutant: Outside) -> None:
    kind, result = answered(mutant.exercise, mutant.function)
    assert not result.passed
    assert result.lines[0][0] == "Input" and len(result.lines) > 1
    assert tuple(result.faults) == mutant.faults, result.message
    assert kind == mutant.today and bool(result.misconception) == (kind != "silent")


def test_three_an_exercise_and_the_figures_of_today() -> None:
    assert set(Counter(m.exercise for m in OUTSIDE).values()) == {3} and len(OUTSIDE) == 30
    assert Counter(m.today for m in OUTSIDE) == {"named": 30}
