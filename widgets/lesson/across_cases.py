"""What tells the cases that came out right from those that did not, and what else shows only across cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from widgets.lesson.comparison import as_array, difference, number
from widgets.lesson.named_inputs import by_name
from widgets.lesson.specification import Exercise, Outcome, Seen

CAUSES = {
    "nan": "0/0, inf \u2212 inf, or a root or logarithm of a negative number",
    "inf": "a division by 0, or an exp of more than 709",
}
DESCRIBED = frozenset({"not-finite", "kept", "parted", "raises-in-some"})
SOME = 3  # cases that a sentence can name
LARGER = 8  # times: inputs that are far larger than all others


def across(exercise: Exercise, outcomes: Sequence[Outcome], failed: Outcome) -> Seen | None:
    """Numbers that are none, an answer that belongs to another case, or a property that parts right from wrong."""
    return _not_finite(exercise, outcomes, failed) or _of_another(exercise, outcomes, failed)


def _not_finite(exercise: Exercise, outcomes: Sequence[Outcome], failed: Outcome) -> Seen | None:
    """Where nan or inf came, and whether only large inputs bring it about."""
    kinds = [_kinds(outcome) for outcome in outcomes]
    here = kinds[outcomes.index(failed)]
    if not here:
        return None
    told = " ".join(f"`{kind}` came: {CAUSES[kind]}." for kind in here)
    sizes = [_largest(by_name(exercise, outcome.case)) for outcome in outcomes]
    finite = [size for size, found in zip(sizes, kinds, strict=True) if not found]
    where = " It came in every case." if not finite else ""
    if finite and min(s for s, found in zip(sizes, kinds, strict=True) if found) > LARGER * max(finite):
        where = " It comes only where the inputs are far larger than elsewhere: look at what is raised to a power."
    return "not-finite", told + where


def _kinds(outcome: Outcome) -> list[str]:
    values = outcome.returned if isinstance(outcome.returned, (tuple, list)) else [outcome.returned]
    arrays = [array for array in map(_numbers, values) if array is not None]
    return [kind for kind, test in (("nan", np.isnan), ("inf", np.isinf)) if any(test(a).any() for a in arrays)]


def _numbers(value: Any) -> np.ndarray | None:
    value = as_array(value)
    if type(value) is float or (isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f"):
        return np.asarray(value)
    return None


def _largest(given: dict[str, Any]) -> float:
    sizes = [float(np.abs(value).max(initial=0)) for value in given.values() if isinstance(value, np.ndarray)]
    return max(sizes, default=0.0)


def _of_another(exercise: Exercise, outcomes: Sequence[Outcome], failed: Outcome) -> Seen | None:
    """The right answer to an earlier case, unless it is a whole number, which may be that by chance."""
    if failed.error is not None or isinstance(failed.expected, int):
        return None
    for earlier in outcomes[: outcomes.index(failed)]:
        if difference(earlier.expected, failed.returned, earlier.case.tolerance, exercise.returns) is None:
            return "kept", (
                f"That is the right answer to an earlier input, {earlier.case.name}. Does your function"
                " keep something from one call to the next?"
            )
    return None


def parted(exercise: Exercise, outcomes: Sequence[Outcome]) -> Seen | None:
    """A property of the input that every wrong case has and no right one, where there are two of each."""
    right = [outcome.right for outcome in outcomes]
    if right.count(True) < 2 or right.count(False) < 2:
        return None
    features = [dict(_features(by_name(exercise, outcome.case))) for outcome in outcomes]
    for name in features[0]:
        values = [found.get(name) for found in features]
        if values == [not r for r in right]:
            return "parted", f"It is wrong exactly where {name}, and right wherever not."
    return None


def raised(outcomes: Sequence[Outcome]) -> Seen | None:
    """In which cases the function raises where it answers in others, and what the right answers there share."""
    raising, answering = [o for o in outcomes if o.error], [o for o in outcomes if not o.error]
    if not raising or not answering:
        return None
    named = "; ".join(o.case.name for o in raising[:SOME]) + ("; and more" if len(raising) > SOME else "")
    error = type(raising[0].error).__name__
    told = f"Your function raises {error} in {len(raising)} of {len(outcomes)} cases: {named}."
    right = " Where it answers, it is right." if all(o.right for o in answering) else ""
    return "raises-in-some", told + right + _raised_beyond(raising, answering)


def _raised_beyond(raising: Sequence[Outcome], answering: Sequence[Outcome]) -> str:
    """Whether it raises where the right answer is large, or small; "" where no number is expected."""
    there, elsewhere = [o.expected for o in raising], [o.expected for o in answering]
    if len(there) < 2 or any(type(value) not in (int, float) for value in (*there, *elsewhere)):
        return ""
    for words, sign in (("more", 1), ("less", -1)):
        beyond, limit = min(sign * v for v in there), max(sign * v for v in elsewhere)
        if beyond > limit:
            round_one = next((one for one in (0, 1) if limit <= sign * one < beyond), None)
            than = number(sign * limit, 3) if round_one is None else str(round_one)
            return f" It raises wherever the right answer is {words} than {than}. Return that answer too."
    return ""


def _features(given: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """What may hold of an input, in words."""
    for name, value in given.items():
        if isinstance(value, bool):
            yield f"`{name}` is True", value
            yield f"`{name}` is False", not value
        elif isinstance(value, (int, float)):
            yield f"`{name}` is 0", value == 0
            yield f"`{name}` is not 0", value != 0
            yield f"`{name}` is 1", value == 1
            yield f"`{name}` is more than 1", value > 1
        elif isinstance(value, str):
            yield f"`{name}` is {value!r}", True
        elif isinstance(value, np.ndarray):
            yield from _of_array(name, value)


def _of_array(name: str, value: np.ndarray) -> Iterator[tuple[str, bool]]:
    if value.ndim >= 2:
        rows, columns = value.shape[-2:]
        yield f"`{name}` has as many rows as columns", rows == columns
        yield f"`{name}` has more rows than columns", rows > columns
        yield f"`{name}` has fewer rows than columns", rows < columns
        yield f"`{name}` is not square", rows != columns
    yield f"`{name}` has a single row", value.shape[:1] == (1,)
    yield f"`{name}` has more than one row", value.shape[:1] > (1,)
    yield f"`{name}` holds negative numbers", bool((value < 0).any())
