"""What can be said of wrong numbers, alone or in a dict, that no misconception explains: by what they are off, exactly.

Like `describing`, which does it for arrays: what is said holds in every case.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from widgets.lesson.comparison import number, whole
from widgets.lesson.named_inputs import by_name
from widgets.lesson.specification import Exercise, Outcome, Seen

POWERS = (
    (1, "times {}"),
    (-1, "divided by {}"),
    (2, "times the square of {}"),
    (-2, "divided by the square of {}"),
    (0.5, "times the root of {}"),
    (-0.5, "divided by the root of {}"),
)
DESCRIBED = frozenset({"proportional", "total-only", "one-entry", "constant", "negated", "same-offset", "input-factor"})
EXACT = 1e-9  # relative; a factor is a factor, not nearly one
KNOWN = {
    86_400: "A day has 86,400 seconds.",
    3_600: "An hour has 3,600 seconds.",
    60: "An hour has 60 minutes, and a minute 60 seconds.",
    24: "A day has 24 hours.",
    1_440: "A day has 1,440 minutes.",
    1_024: "1,024 is 2^10.",
    1_048_576: "1,048,576 is 2^20.",
    365: "A year has 365 days.",
    8: "A byte has 8 bits.",
}


def observation(exercise: Exercise, outcomes: Sequence[Outcome], failed: Outcome) -> Seen | None:
    """A short name and a sentence, None where nothing certain can be said or no number is expected."""
    if any(o.error for o in outcomes) or not isinstance(failed.expected, (int, float, dict)):
        return None
    if not isinstance(failed.expected, dict):
        pairs = _pairs(outcomes, None)
        return _off(exercise, outcomes, pairs) if pairs else None
    if (factor := _common_factor(outcomes)) is not None:
        return "proportional", f"Every number is {factor} times what is expected."
    return _of_entries(exercise, outcomes, failed)


def _of_entries(exercise: Exercise, outcomes: Sequence[Outcome], failed: Outcome) -> Seen | None:
    """The entry of the dict that is off, and by what; a total is only off because another entry is."""
    pairs = {key: _pairs(outcomes, key) for key in failed.expected}
    if any(found is None for found in pairs.values()):
        return None
    wrong = [key for key in pairs if any(right != came for right, came in pairs[key])]
    if wrong == ["total"]:
        return "total-only", "Only `total` is wrong, in every case; the entries that it sums are right."
    off = [key for key in wrong if key != "total"]
    if len(off) != 1:
        return None
    seen = _off(exercise, outcomes, pairs[off[0]])
    fault, more = (seen[0], f" {seen[1]}") if seen else ("one-entry", "")
    return fault, f"Wrong is `{off[0]}`; the other entries are right.{more}"


def _pairs(outcomes: Sequence[Outcome], key: str | None) -> list[tuple[Any, Any]] | None:
    """Right and came of every case; None where something that came is no number."""
    found = []
    for outcome in outcomes:
        right, came = outcome.expected, whole(outcome.returned)
        if key is not None:
            right, came = right[key], whole(came.get(key)) if isinstance(came, dict) else None
        if type(came) not in (int, float) or came != came or abs(came) > 1e300:
            return None
        found.append((right, came))
    return found


def _off(exercise: Exercise, outcomes: Sequence[Outcome], pairs: list[tuple[Any, Any]]) -> Seen | None:
    """By one factor, by one of the inputs as a factor, or by one amount, in every case."""
    if len(pairs) > 1 and len({came for _, came in pairs}) == 1:
        return "constant", "Your function gives the same number for every input."
    if all(came == -right for right, came in pairs):
        return "negated", "The number has the wrong sign."
    if all(right for right, _ in pairs):
        ratios = [Fraction(came) / Fraction(right) for right, came in pairs]
        if (seen := _one_factor(ratios) or _input_as_factor(exercise, outcomes, ratios)) is not None:
            return seen
    gaps = {came - right for right, came in pairs}
    if len(gaps) == 1 and all(type(gap) is int for gap in gaps):
        gap = gaps.pop()
        return "same-offset", f"The number is {abs(gap):,} too {'high' if gap > 0 else 'low'}, in every case."
    return None


def _one_factor(ratios: list[Fraction]) -> Seen | None:
    ratio = ratios[0]
    if not ratio or any(not _near(other, ratio) for other in ratios):
        return None
    simple = ratio.limit_denominator(10_000) if ratio < 1 else 1 / (1 / ratio).limit_denominator(10_000)
    is_simple = 1 < simple.denominator < 100 and _near(simple, ratio)
    shown = f"{simple.numerator:,}/{simple.denominator:,}" if is_simple else number(float(ratio))
    known = next(
        (
            f" {what}"
            for value, what in KNOWN.items()
            if _near(ratio, Fraction(value)) or _near(ratio, Fraction(1, value))
        ),
        "",
    )
    return "proportional", f"The number is {shown} times what is expected, in every case.{known}"


def _input_as_factor(exercise: Exercise, outcomes: Sequence[Outcome], ratios: list[Fraction]) -> Seen | None:
    given = [by_name(exercise, outcome.case) for outcome in outcomes]
    for name in given[0]:
        values = [inputs.get(name) for inputs in given]
        if any(type(value) not in (int, float) or value <= 0 for value in values) or len(set(values)) == 1:
            continue
        for power, words in POWERS:
            if all(
                abs(float(ratio) / float(value) ** power - 1) < EXACT
                for ratio, value in zip(ratios, values, strict=True)
            ):
                return "input-factor", f"It is the right number {words.format(f'`{name}`')}, in every case."
    return None


def _near(one: Fraction, other: Fraction) -> bool:
    return abs(one - other) <= EXACT * abs(other)


def _common_factor(outcomes: Sequence[Outcome]) -> int | None:
    """By what whole number all entries of all dicts are too large."""
    for factor in range(2, 13):
        if all(
            isinstance(o.returned, dict) and o.returned == {k: factor * v for k, v in o.expected.items()}
            for o in outcomes
        ):
            return factor
    return None
