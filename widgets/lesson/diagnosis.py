"""Which misconception stands behind a wrong answer: the one that gives the very same wrong answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from widgets.lesson import (
    across_cases,
    array_differences,
    input_dependence,
    mixed_up_inputs,
    number_differences,
    raised_errors,
)
from widgets.lesson.across_cases import across, parted, raised
from widgets.lesson.array_differences import HERE, description
from widgets.lesson.comparison import as_array, difference, same_kind, whole
from widgets.lesson.input_dependence import Ask, dependence, unsteady
from widgets.lesson.mixed_up_inputs import mixed_up
from widgets.lesson.number_differences import observation
from widgets.lesson.plain_values import Foreign, kind_of
from widgets.lesson.specification import Exercise, Outcome, Seen

AT_ONCE = 2  # misconceptions that may meet in one answer
WORD = 2**32
UNFIT = (ValueError, RuntimeError, IndexError, TypeError)

DESCRIBED = (
    across_cases.DESCRIBED
    | array_differences.DESCRIBED
    | mixed_up_inputs.DESCRIBED
    | number_differences.DESCRIBED
    | input_dependence.DESCRIBED
    | (raised_errors.DESCRIBED)
)
"""Short names that describe what came, and name no misconception."""

CHANGED = "Your function changes `{name}`, which it was only lent. Work on a copy, or build a new array."
FIXED_WIDTH = (
    "The number is a NumPy integer, {kind}. Those have a fixed width, 32 bits on some machines, and"
    " overflow without a word. Count in Python ints: wrap what comes from NumPy in int()."
)
BOXED = (
    "The number comes in {kind} of one number. Its integers have a fixed width and overflow without a word. Count"
    " in Python ints: `.item()` takes the number out."
)
OVERFLOWED = "The number overflowed: it is the right one modulo 2^32. Count in Python ints, which have no limit."
NO_ARRAY = "Your function returns a list. Make one array of it, with np.array or np.stack."
WRONG_KEYS = "The dict must have exactly these entries: {keys}."
FRACTION = "A count is a whole number: divide with `//`, not with `/`."


@dataclass(frozen=True)
class Diagnosis:
    """Short names of what was recognised, and the sentence for the reader."""

    faults: tuple[str, ...]
    sentence: str


def diagnose(exercise: Exercise, outcomes: list[Outcome], failed: Outcome, ask: Ask | None = None) -> Diagnosis | None:
    """The misconception behind the first failure, or what was seen of it; None where nothing certain can be said.

    `ask` puts further inputs to the reader's function, to see what its answer depends on.
    """
    if failed.changed and failed.difference is None:
        return Diagnosis(("changed-input",), CHANGED.format(name=failed.changed))
    faults = _same_wrong_answer(exercise, outcomes, failed)
    if (
        exercise.explain
        and not _settles(exercise, faults, outcomes)
        and (told := _explained(exercise, outcomes, False))
    ):
        return Diagnosis(*told)
    if faults is not None:
        sentences = [exercise.misconception(f).sentence for f in faults]
        if len(faults) > 1:
            return Diagnosis(faults, f"Two things at once. {' '.join(sentences)}")
        everywhere = all(_explains(exercise, faults, o) for o in outcomes)
        return Diagnosis(faults, sentences[0] if everywhere else f"{HERE} {sentences[0]}")
    for misconception in exercise.misconceptions:
        if misconception.sign and _holds(misconception.sign, failed, outcomes):
            return Diagnosis((misconception.name,), misconception.sentence)
    if failed.changed:
        return Diagnosis(("changed-input",), CHANGED.format(name=failed.changed))
    found = _wrong_kind(failed.expected, failed.returned) or _wrong_kind_of_number(failed.expected, failed.returned)
    if found is None and (told := _explained(exercise, outcomes, True)):
        return Diagnosis(*told)
    if found is None and (seen := described(exercise, outcomes, failed, ask)):
        return Diagnosis((seen[0],), seen[1])
    return found


def described(exercise: Exercise, outcomes: list[Outcome], failed: Outcome, ask: Ask | None = None) -> Seen | None:
    """What was seen, where no misconception explains it. Nothing where it would give the whole solution away."""
    if exercise.answer_is_secret:
        return None
    if failed.error is not None:
        return raised_errors.cause(failed.error) or parted(exercise, outcomes) or raised(outcomes)
    if not same_kind(failed.expected, failed.returned):
        return None
    return (
        (ask and unsteady(failed, ask))
        or across(exercise, outcomes, failed)
        or mixed_up(exercise, outcomes, failed)
        or description(exercise, outcomes, failed)
        or observation(exercise, outcomes, failed)
        or (ask and dependence(exercise, outcomes, failed, ask))
        or description(exercise, outcomes, failed, everywhere=False)
        or parted(exercise, outcomes)
        or None
    )


def _same_wrong_answer(exercise: Exercise, outcomes: list[Outcome], failed: Outcome) -> tuple[str, ...] | None:
    """Fewest faults that explain every case; else the one fault that explains the first failure and most others."""
    if failed.error is None and _only_its_kind_is_wrong(exercise, failed):
        return None  # two mistakes that cancel would explain that
    second_best, telling = None, not isinstance(failed.expected, (int, dict))  # one number fits too many mistakes
    for faults in _suspects(exercise):
        if not _explains(exercise, faults, failed):
            continue
        if all(_explains(exercise, faults, o) for o in outcomes):
            return faults
        if telling and len(faults) == 1 and second_best is None and _explains_most(exercise, faults, outcomes):
            second_best = faults
    return None if failed.error is not None else second_best


def _only_its_kind_is_wrong(exercise: Exercise, failed: Outcome) -> bool:
    return difference(failed.expected, whole(failed.returned), failed.case.tolerance, exercise.returns) is None


def _settles(exercise: Exercise, faults: tuple[str, ...] | None, outcomes: list[Outcome]) -> bool:
    """Whether one misconception explains every case."""
    return faults is not None and len(faults) == 1 and all(_explains(exercise, faults, o) for o in outcomes)


def _explains_most(exercise: Exercise, faults: tuple[str, ...], outcomes: list[Outcome]) -> bool:
    """Whether more than half of the wrong answers are those of this fault; one alone may be so by chance."""
    wrong = [outcome for outcome in outcomes if not outcome.right]
    return 2 * sum(_explains(exercise, faults, outcome) for outcome in wrong) > len(wrong)


def _explained(exercise: Exercise, outcomes: list[Outcome], lastly: bool) -> tuple[tuple[str, ...], str] | None:
    try:
        return exercise.explain(outcomes, lastly) if exercise.explain else None
    except Exception:  # the answers are of a kind or a size that nothing can be said of
        return None


def _suspects(exercise: Exercise) -> Iterator[tuple[str, ...]]:
    suspects = [m for m in exercise.misconceptions if m.sign is None]
    yield from ((m.name,) for m in suspects)
    together = [m.name for m in suspects if not m.alone]
    for count in range(2, AT_ONCE + 1):
        yield from combinations(together, count)


def _explains(exercise: Exercise, faults: tuple[str, ...], outcome: Outcome) -> bool:
    """Whether somebody with these faults would have got this outcome: the same answer, or an exception too."""
    try:
        with np.errstate(all="ignore"):
            answer = exercise.faulty(*outcome.case.arguments(), faults=frozenset(faults))
    except Exception as error:  # an impossible combination, or what the reader met as well
        return len(faults) == 1 and _alike(error, outcome.error)
    if outcome.error is not None:
        return False
    returned = whole(outcome.returned) if isinstance(outcome.expected, (int, dict)) else outcome.returned
    return difference(answer, returned, outcome.case.tolerance, exercise.returns) is None


def _alike(one: Exception, other: BaseException | None) -> bool:
    """Whether both say the same of numbers that do not fit: NumPy and torch raise different errors for it."""
    return type(one) is type(other) or (isinstance(one, UNFIT) and isinstance(other, UNFIT))


def _holds(sign: Callable[[Outcome, list[Outcome]], bool], failed: Outcome, outcomes: list[Outcome]) -> bool:
    try:
        return bool(sign(failed, outcomes))
    except Exception:  # the answer is of a kind this sign cannot look at
        return False


def _wrong_kind(expected: Any, returned: Any) -> Diagnosis | None:
    if isinstance(returned, Foreign):
        return Diagnosis(("wrong-kind",), returned.advice) if returned.advice else None
    if isinstance(expected, np.ndarray) and isinstance(returned, (list, tuple)):
        return Diagnosis(("no-array",), NO_ARRAY)
    if isinstance(expected, dict) and isinstance(returned, dict) and expected.keys() != returned.keys():
        return Diagnosis(("wrong-keys",), WRONG_KEYS.format(keys=", ".join(f"`{key}`" for key in expected)))
    if isinstance(expected, tuple) and isinstance(returned, (list, tuple)):
        return next((d for d in map(_wrong_kind, expected, returned) if d), None)
    return None


def _wrong_kind_of_number(expected: Any, returned: Any) -> Diagnosis | None:
    if isinstance(expected, dict) and isinstance(returned, dict):
        found = (_wrong_kind_of_number(v, returned.get(k)) for k, v in expected.items())
        return next((d for d in found if d), None)
    if type(expected) is not int or returned is None:
        return None
    number = whole(returned)
    if type(number) is int and number != expected and (number - expected) % WORD == 0:
        return Diagnosis(("overflow",), OVERFLOWED)
    if number is not returned and number == expected:
        if isinstance(returned, np.integer):
            return Diagnosis(("numpy-integer",), FIXED_WIDTH.format(kind=type(returned).__name__))
        return Diagnosis(("boxed-integer",), BOXED.format(kind=kind_of(returned)))
    single = as_array(returned)
    is_float = isinstance(single, (float, np.floating)) or (
        isinstance(single, np.ndarray) and single.ndim == 0 and single.dtype.kind == "f"
    )
    return Diagnosis(("fraction",), FRACTION) if is_float else None
