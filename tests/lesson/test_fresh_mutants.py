"""Wrong solutions that nobody had in mind when the checks were written are refused all the same."""

from __future__ import annotations

import pytest

from widgets.lesson import check

from .fresh_mutants import FRESH


@pytest.mark.parametrize("mutant", FRESH, ids=[f"{m.exercise}-{m.function.__name__}" for m in FRESH])
def test_is_refused_with_input_and_difference(mutant) -> None:
    result = check(mutant.exercise, mutant.function)
    assert not result.passed
    assert result.lines[0][0] == "Input" and len(result.lines) > 1


def test_nine_in_ten_are_named_or_described() -> None:
    said = [mutant for mutant in FRESH if check(mutant.exercise, mutant.function).misconception]
    assert len(said) >= 0.9 * len(FRESH)


def test_square_pictures_coming_out_right_by_chance_is_not_called_a_square_only_function() -> None:
    slip = next(m for m in FRESH if m.function.__name__ == "unfold_without_permute")
    assert "only-square" not in check("patchify", slip.function).faults
