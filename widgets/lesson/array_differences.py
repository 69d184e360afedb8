"""What a wrong answer is that no misconception explains: a change of the right one that holds in every case.

Nothing here guesses. A description is tried on all cases, as a misconception is, and said only where it gives the very
numbers that came; one that holds in the case shown alone is said to do so. `DESCRIBED` has the short names of
them all; those of `diagnosis` are of every module that describes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from widgets.lesson.comparison import as_array, number
from widgets.lesson.named_inputs import by_name
from widgets.lesson.specification import Exercise, Outcome, Seen

ALMOST = 1e-3  # relative to the largest number: further off than rounding, nearer than a wrong formula
HERE = "On this input, though not on all:"
DECIMALS = range(1, 7)


@dataclass(frozen=True)
class Pair:
    """The right array and the one that came, in float64, for one case; what was given, by name; how close is equal."""

    right: np.ndarray
    came: np.ndarray
    dtype: np.dtype
    limit: float
    given: dict[str, Any]

    def equal(self, one: np.ndarray, other: np.ndarray) -> bool:
        """Whether two arrays have one shape and the same numbers."""
        return one.shape == other.shape and bool((np.abs(one - other) <= self.limit).all())

    @property
    def wrong(self) -> np.ndarray:
        """Where the numbers differ, for two arrays of one shape."""
        return ~(np.abs(self.right - self.came) <= self.limit)


def description(
    exercise: Exercise, outcomes: Sequence[Outcome], failed: Outcome, everywhere: bool = True
) -> Seen | None:
    """What the arrays that came are, seen beside the right ones: in every case, or else in the one that is shown.

    None where nothing certain can be said, or no array is expected.
    """
    if failed.error is not None:
        return None
    if not isinstance(failed.expected, tuple):
        return _of_part(exercise, outcomes, failed, None, everywhere)
    for index, name in enumerate(exercise.returns):
        if (seen := _of_part(exercise, outcomes, failed, index, everywhere)) is not None:
            return seen[0], f"In `{name}`: {seen[1][0].lower()}{seen[1][1:]}"
    return None


def _of_part(
    exercise: Exercise, outcomes: Sequence[Outcome], failed: Outcome, index: int | None, everywhere: bool
) -> Seen | None:
    shown = _pair(exercise, failed, index)
    if shown is None or shown.equal(shown.right, shown.came):
        return None
    if everywhere:
        pairs = [_pair(exercise, outcome, index) for outcome in outcomes]
        return None if None in pairs else next((seen for look in LOOKS if (seen := look(pairs))), None)
    found = next(((look, seen) for look in LOOKS if (seen := look([shown]))), None)
    if found is None or found[0] in OF_ONE_CASE:
        return found and found[1]
    return found[1][0], f"{HERE} {found[1][1]}"


def _pair(exercise: Exercise, outcome: Outcome, index: int | None) -> Pair | None:
    """None where there is no array of plain, finite numbers."""
    right, came = outcome.expected, outcome.returned
    if index is not None:
        if not isinstance(came, (tuple, list)) or len(came) != len(right):
            return None
        right, came = right[index], came[index]
    right, came = as_array(right), as_array(came)
    if not (isinstance(right, np.ndarray) and isinstance(came, np.ndarray)):
        return None
    if came.dtype.kind not in "biuf" or not np.isfinite(came).all():
        return None
    right, limit = right.astype(np.float64), max(outcome.case.tolerance, 1e-9)
    return Pair(
        right,
        came.astype(np.float64),
        came.dtype,
        limit * max(np.abs(right).max(initial=0), 1e-30),
        by_name(exercise, outcome.case),
    )


# Each change: short name, sentence, what is done to the right array, what to the one that came.
Change = Callable[[np.ndarray], np.ndarray]
CHANGES: tuple[tuple[str, str, Change, Change | None], ...] = (
    ("negated", "Every number has the wrong sign.", lambda a: -a, None),
    ("signs-lost", "The signs are lost: every number came without its minus.", np.abs, None),
    ("no-negatives", "Every negative number came as 0.", lambda a: np.maximum(a, 0), None),
    ("rows-reversed", "The rows are right and come in reverse order.", lambda a: a[::-1], None),
    ("columns-reversed", "The columns are right and come in reverse order.", lambda a: a[:, ::-1], None),
    ("all-reversed", "All numbers are right and come in reverse order.", lambda a: a[::-1, ::-1], None),
    (
        "rows-rolled",
        "The rows are right, each one place too low; the last came first.",
        lambda a: np.roll(a, 1, 0),
        None,
    ),
    (
        "rows-rolled",
        "The rows are right, each one place too high; the first came last.",
        lambda a: np.roll(a, -1, 0),
        None,
    ),
    (
        "columns-rolled",
        "The columns are right, each one place too far right; the last came first.",
        lambda a: np.roll(a, 1, 1),
        None,
    ),
    (
        "columns-rolled",
        "The columns are right, each one place too far left; the first came last.",
        lambda a: np.roll(a, -1, 1),
        None,
    ),
    (
        "halves-swapped",
        "The left and the right half of the columns have changed places.",
        lambda a: np.roll(a, a.shape[1] // 2, 1),
        None,
    ),
    ("transposed", "It is the right answer transposed.", lambda a: a.T, None),
    ("row-missing", "The first row is missing; the others are right.", lambda a: a[1:], None),
    ("row-missing", "The last row is missing; the others are right.", lambda a: a[:-1], None),
    ("column-missing", "The first column is missing; the others are right.", lambda a: a[:, 1:], None),
    ("column-missing", "The last column is missing; the others are right.", lambda a: a[:, :-1], None),
    ("one-row-came", "Only the first row came.", lambda a: a[:1], None),
    ("one-row-came", "Only the last row came.", lambda a: a[-1:], None),
    ("one-row-came", "Only the first row came, without its axis.", lambda a: a[0], None),
    ("one-row-came", "Only the last row came, without its axis.", lambda a: a[-1], None),
    ("row-extra", "There is a row too many, the first; the others are right.", lambda a: a, lambda b: b[1:]),
    ("row-extra", "There is a row too many, the last; the others are right.", lambda a: a, lambda b: b[:-1]),
    ("column-extra", "There is a column too many, the first; the others are right.", lambda a: a, lambda b: b[:, 1:]),
    ("column-extra", "There is a column too many, the last; the others are right.", lambda a: a, lambda b: b[:, :-1]),
    ("whole-numbers", "The fractions are cut off: every number is right before its point.", np.trunc, None),
    ("whole-numbers", "Every number came rounded to a whole one.", np.rint, None),
    ("whole-numbers", "Every number came rounded down to a whole one.", np.floor, None),
    ("halves", "Every number came rounded to 16 bits.", lambda a: a.astype(np.float16).astype(np.float64), None),
    ("squared", "Every number came squared.", np.square, None),
    ("inverted", "Every number came as its inverse, 1 divided by the right one.", lambda a: 1 / a, None),
    ("rows-alike", "Every row of yours is the right first row.", lambda a: np.broadcast_to(a[:1], a.shape), None),
    (
        "rows-alike",
        "Every row of yours is the mean of all right rows.",
        lambda a: np.broadcast_to(a.mean(0), a.shape),
        None,
    ),
    ("sum-of-rows", "Yours is the sum of all right rows.", lambda a: a.sum(0), None),
    ("mean-of-rows", "Yours is the mean of all right rows.", lambda a: a.mean(0), None),
    ("rows-normalised", "Each row is the right one divided by its sum.", lambda a: a / a.sum(-1, keepdims=True), None),
    ("rows-centred", "Each row is the right one less its mean.", lambda a: a - a.mean(-1, keepdims=True), None),
    (
        "rows-to-length-1",
        "Each row is the right one divided by its length.",
        lambda a: a / np.linalg.norm(a, axis=-1, keepdims=True),
        None,
    ),
)


def _changed(pairs: Sequence[Pair]) -> Seen | None:
    """One of the changes above, the same in every case."""
    for name, sentence, right, came in CHANGES:
        if all(_gives(pair, right, came) for pair in pairs):
            return name, sentence
    return None


def _gives(pair: Pair, right: Change, came: Change | None) -> bool:
    try:
        return pair.equal(right(pair.right), came(pair.came) if came else pair.came)
    except (IndexError, ValueError):  # no such axis
        return False


def _reshaped(pairs: Sequence[Pair]) -> Seen | None:
    """The right numbers in order, in another shape."""
    shown = next((p for p in pairs if p.right.shape != p.came.shape), None)
    if shown is None or not all(p.equal(p.right.ravel(), p.came.ravel()) for p in pairs):
        return None
    return "other-shape", (
        f"The numbers are right and in order; only the shape is {shown.came.shape}, not {shown.right.shape}."
    )


def _is_an_input(pairs: Sequence[Pair]) -> Seen | None:
    for name in _shared(pairs):
        if all(_equals(p, p.given[name]) for p in pairs):
            return "input-itself", f"What came is `{name}` as it was given."
    return None


OPERATIONS: tuple[tuple[str, str, Callable], ...] = (
    ("input-added", "It is the right answer plus {it}: that is added once too often, or does not belong here.", np.add),
    ("input-missing", "It is the right answer less {it}: that is left out, or taken away.", np.subtract),
    ("input-multiplied", "It is the right answer times {it}.", np.multiply),
    ("input-divided", "It is the right answer divided by {it}.", np.divide),
)


def _with_an_input(pairs: Sequence[Pair]) -> Seen | None:
    """The right answer and one of the inputs, added, taken away, multiplied or divided by."""
    for name in _shared(pairs):
        for words, of in (("`{}`", np.asarray), ("the root of `{}`", np.sqrt)):
            for fault, sentence, operation in OPERATIONS:
                if all(
                    _equals(p, p.given[name], lambda x, p=p, of=of, operation=operation: operation(p.right, of(x)))
                    for p in pairs
                ):
                    return fault, sentence.format(it=words.format(name))
    return _with_a_side(pairs)


def _with_a_side(pairs: Sequence[Pair]) -> Seen | None:
    """The right answer times or divided by how many rows or columns it has, or the root of that."""
    for axis, side in ((0, "the number of its rows"), (-1, "the number of its columns")):
        for words, power in (
            (" times {}", 1),
            (" divided by {}", -1),
            (" times the root of {}", 0.5),
            (" divided by the root of {}", -0.5),
        ):
            if all(p.right.ndim and p.equal(p.right * float(p.right.shape[axis]) ** power, p.came) for p in pairs):
                return "side-multiplied", f"It is the right answer{words.format(side)}."
    return None


def _shared(pairs: Sequence[Pair]) -> list[str]:
    return [
        name
        for name, value in pairs[0].given.items()
        if isinstance(value, (int, float, np.ndarray))
        and not isinstance(value, bool)
        and all(name in p.given for p in pairs)
    ]


def _equals(pair: Pair, value: Any, change: Callable[[Any], Any] = np.asarray) -> bool:
    try:
        return pair.equal(np.asarray(change(value), dtype=np.float64), pair.came)
    except (ValueError, TypeError):  # the shapes do not fit
        return False


def _proportional(pairs: Sequence[Pair]) -> Seen | None:
    if (factor := _factor(pairs)) is None:
        return None
    return "proportional", f"Every number is {number(factor)} times what is expected{_in_every(pairs)}."


def _factor(pairs: Sequence[Pair]) -> float | None:
    if any(p.right.shape != p.came.shape or not p.right.any() for p in pairs):
        return None
    place = np.abs(pairs[0].right).argmax()
    factor = float(pairs[0].came.flat[place] / pairs[0].right.flat[place])
    return factor if all(p.equal(p.right * factor, p.came) for p in pairs) else None


def _offset(pairs: Sequence[Pair]) -> Seen | None:
    if any(p.right.shape != p.came.shape for p in pairs) or max(p.right.size for p in pairs) < 2:
        return None
    shift = float((pairs[0].came - pairs[0].right).mean())
    if not all(p.equal(p.right + shift, p.came) for p in pairs):
        return None
    return "same-offset", f"Every number is off by the same {number(shift)}{_in_every(pairs)}."


def _by_case(pairs: Sequence[Pair]) -> Seen | None:
    """Each case with a factor, a shift or both of its own."""
    if any(p.right.shape != p.came.shape for p in pairs) or max(p.right.size for p in pairs if p.wrong.any()) < 4:
        return None
    if len(pairs) > 1 and all(_factor([p]) is not None for p in pairs if p.right.any()):
        told = ", ".join(number(_factor([p]), 3) for p in pairs[:4] if p.right.any())
        return "factor-by-case", (
            f"In each case all numbers are the right ones times one factor, but another one each: {told}."
        )
    if len(pairs) > 1 and all(_offset([p]) for p in pairs if p.right.size > 1):
        return "shift-by-case", "In each case all numbers are off by the same amount, but another one each."
    if all(_is_stretched(p) for p in pairs):
        return "stretched", (
            "In each case the numbers are the right ones, all stretched and shifted alike: is"
            " something normalised that should be left as it is?"
        )
    return None


def _is_stretched(pair: Pair) -> bool:
    """Whether a factor and a shift, the same for all numbers, make the right answer what came."""
    design = np.stack([pair.right.ravel(), np.ones(pair.right.size)], axis=1)
    factor, shift = np.linalg.lstsq(design, pair.came.ravel(), rcond=None)[0]
    return abs(factor) > ALMOST and pair.equal(factor * pair.right + shift, pair.came)


def _in_every(pairs: Sequence[Pair]) -> str:
    return ", in every case" if len(pairs) > 1 else ""


def _by_lines(pairs: Sequence[Pair]) -> Seen | None:
    """Rows or columns of which each is off by an amount, or a factor, of its own."""
    if any(p.right.ndim != 2 or p.right.shape != p.came.shape for p in pairs):
        return None
    for axis, line in ((0, "column"), (1, "row")):
        if max(p.right.shape[axis] for p in pairs if p.wrong.any()) < 3:
            continue  # two numbers are always something times two others
        gaps = [(p.came - p.right).mean(axis, keepdims=True) for p in pairs]
        if all(p.equal(p.right + gap, p.came) for p, gap in zip(pairs, gaps, strict=True)):
            return f"{line}s-shifted", (
                f"Within a {line} every number is off by the same amount. What is added or"
                f" taken away with one number a {line}?"
            )
        factors = [_projection(p, axis) for p in pairs]
        if all(p.equal(p.right * factor, p.came) for p, factor in zip(pairs, factors, strict=True)):
            return f"{line}s-scaled", (
                f"Within a {line} every number is the right one times the same factor. What is"
                f" multiplied or divided by with one number a {line}?"
            )
    return None


def _projection(pair: Pair, axis: int) -> np.ndarray:
    length = (pair.right**2).sum(axis, keepdims=True)
    return (pair.right * pair.came).sum(axis, keepdims=True) / np.where(length > 0, length, 1)


def _almost(pairs: Sequence[Pair]) -> Seen | None:
    for places in DECIMALS:
        if all(p.equal(p.right.round(places), p.came) for p in pairs):
            return "few-decimals", (
                f"It is the right answer rounded to {places} decimals. Leave the digits to whoever prints it."
            )
    if not all(p.right.shape == p.came.shape and _is_near(p) for p in pairs):
        return None
    coarse = next((p.dtype for p in pairs if p.dtype in (np.float16, np.float32)), None)
    if coarse is not None:
        return "almost", f"It is nearly right, and comes in {coarse}. Compute in the type of the input, float64."
    return "almost", (
        "It is nearly right, and further off than rounding in float64: look for an approximation, a small"
        " constant such as epsilon, or a coarser number type."
    )


def _is_near(pair: Pair) -> bool:
    return bool(np.abs(pair.right - pair.came).max() <= ALMOST * np.abs(pair.right).max())


def _by_sign(pairs: Sequence[Pair]) -> Seen | None:
    """Wrong only where an input of the answer's own shape is negative, or only where it is positive."""
    if any(p.right.shape != p.came.shape for p in pairs):
        return None
    for name in _shared(pairs):
        if any(np.shape(p.given[name]) != p.right.shape for p in pairs):
            continue
        for word, side in (("negative", -1), ("positive", 1)):
            inside = [side * np.asarray(p.given[name]) > 0 for p in pairs]
            if all(not p.wrong[~i].any() for p, i in zip(pairs, inside, strict=True)) and any(
                (~i).any() for i in inside
            ):
                return f"{word}-only", f"Wrong are only numbers whose `{name}` is {word}."
    return None


def _by_size(pairs: Sequence[Pair]) -> Seen | None:
    """Right where an input of the answer's own shape is near 0 and wrong further out, or the other way round."""
    for name in _shared(pairs):
        if any(np.shape(p.given[name]) != p.right.shape or p.came.shape != p.right.shape for p in pairs):
            continue
        sizes = [(np.abs(p.given[name])[p.wrong], np.abs(p.given[name])[~p.wrong]) for p in pairs]
        if sum(bool(len(wrong) and right.any()) for wrong, right in sizes) < min(2, len(pairs)):
            continue
        if all(wrong.min(initial=np.inf) > right.max(initial=0) for wrong, right in sizes):
            first = min(wrong.min(initial=np.inf) for wrong, _ in sizes)
            return "far-only", (
                f"Right are the numbers whose `{name}` is near 0, wrong those further out: the first"
                f" wrong one has |{name}| = {number(first, 3)}. Is a series cut off, or a limit set?"
            )
        if all(wrong.max(initial=0) < right.min(initial=np.inf) for wrong, right in sizes):
            last = max(wrong.max(initial=0) for wrong, _ in sizes)
            return "near-only", (
                f"Wrong are the numbers whose `{name}` is near 0, right those further out: the last"
                f" wrong one has |{name}| = {number(last, 3)}."
            )
    return None


def _some_lines(pairs: Sequence[Pair]) -> Seen | None:
    """Only some rows, or only some columns, are wrong: the first, the last, all but one of these."""
    if any(p.right.ndim != 2 or p.right.shape != p.came.shape for p in pairs):
        return None
    for axis, line in ((1, "row"), (0, "column")):
        masks = [p.wrong.any(axis) for p in pairs if p.wrong.any()]
        if all(len(m) == 1 for m in masks) or len(masks) < min(2, len(pairs)):
            continue  # a single wrong case says nothing of every case
        for place, word in ((0, "first"), (-1, "last")):
            alone = [np.arange(len(m)) == place % len(m) for m in masks]
            if all((m == a).all() for m, a in zip(masks, alone, strict=True)):
                return f"{word}-{line}-wrong", f"Only the {word} {line} is wrong{_in_every(pairs)}."
            if line == "row" and all((m == ~a).all() for m, a in zip(masks, alone, strict=True)):
                return f"{word}-row-right", f"Only the {word} row is right{_in_every(pairs)}."
    return None


def _moved(pairs: Sequence[Pair]) -> Seen | None:
    """The right rows, columns or numbers in other places."""
    flat = all(p.right.ndim == 2 and p.right.shape == p.came.shape for p in pairs)
    if flat and all(p.equal(_sorted_rows(p.right), _sorted_rows(p.came)) for p in pairs):
        return "rows-moved", "The rows are right, in another order."
    if flat and all(p.equal(_sorted_rows(p.right.T), _sorted_rows(p.came.T)) for p in pairs):
        return "columns-moved", "The columns are right, in another order."
    if not all(p.equal(np.sort(p.right.ravel()), np.sort(p.came.ravel())) for p in pairs):
        return None
    shape = "" if all(p.right.shape == p.came.shape for p in pairs) else " and another shape"
    return "scrambled", f"All numbers are there, in other places{shape}: an axis was moved, split or merged wrongly."


def _sorted_rows(a: np.ndarray) -> np.ndarray:
    return a[np.lexsort(a.T[::-1])]


def _which_rows(pairs: Sequence[Pair]) -> Seen | None:
    """Which rows are wrong in the one case that is shown."""
    pair = pairs[0]
    if len(pairs) > 1 or pair.right.ndim != 2 or pair.right.shape != pair.came.shape or pair.wrong.any(1).all():
        return None
    wrong = np.flatnonzero(pair.wrong.any(1))
    named = ", ".join(map(str, wrong[:6])) + (" ..." if len(wrong) > 6 else "")
    return "some-rows", f"Some rows are right; wrong are {named}."


LOOKS: tuple[Callable[[Sequence[Pair]], Seen | None], ...] = (
    _changed,
    _reshaped,
    _is_an_input,
    _with_an_input,
    _almost,
    _proportional,
    _offset,
    _by_case,
    _by_lines,
    _moved,
    _by_sign,
    _by_size,
    _some_lines,
    _which_rows,
)
OF_ONE_CASE = (_which_rows,)

DESCRIBED = frozenset(
    {name for name, *_ in (*CHANGES, *OPERATIONS)}
    | {
        "other-shape",
        "input-itself",
        "side-multiplied",
        "proportional",
        "same-offset",
        "factor-by-case",
        "shift-by-case",
        "stretched",
        "rows-shifted",
        "columns-shifted",
        "rows-scaled",
        "columns-scaled",
        "almost",
        "few-decimals",
        "negative-only",
        "positive-only",
        "far-only",
        "near-only",
        "rows-moved",
        "columns-moved",
        "scrambled",
        "some-rows",
        "first-row-wrong",
        "last-row-wrong",
        "first-row-right",
        "last-row-right",
        "first-column-wrong",
        "last-column-wrong",
    }
)
