"""A second batch that nobody had seen, put to the checks after the first had been learned from: what they know now."""

from __future__ import annotations

from collections import Counter

import pytest

from widgets.lesson import exercises

from .answered import answered
from .batch import Fresh
from .second_look_mutants import AGAIN

DESCRIBED = "gelu_flat"  # the right numbers in another shape: that is said, and there is no more to it


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("mutant", AGAIN, ids=[f"{m.exercise}-{m.function.__name__}" for m in AGAIN])
def test_is_refused_and_named(mutant: Fresh) -> None:
    kind, result = answered(mutant.exercise, mutant.function)
    assert result.lines[0][0] == "Input"
    assert kind == ("described" if mutant.function.__name__ == DESCRIBED else "named"), result.message


def test_every_exercise_there_was_has_its_share() -> None:
    """The batch is closed: it was written against the exercises of its day, and a later one cannot join it."""
    counted = Counter(m.exercise for m in AGAIN)
    assert set(counted) <= set(exercises.names()) and len(counted) == 19
    assert min(counted.values()) >= 3 and len(AGAIN) == 64
