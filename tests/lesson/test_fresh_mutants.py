"""Wrong solutions that nobody had in mind when the checks were written are refused all the same."""

from __future__ import annotations

import pytest

from widgets.lesson import check

from .fresh_mutants import FRESH


@pytest.mark.parametrize("mutant", FRESH, ids=[f"{m.exercise}-{m.function.__name__}" for m in FRESH])
def test_is_refused_and_something_true_is_said_of_it(mutant) -> None:
    result = check(mutant.exercise, mutant.function)
    assert not result.passed and result.lines
    assert result.misconception, f"{mutant.wrong}: {result.message}"
