"""What is different between the right answer and the one that came, in a sentence."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from widgets.lesson.plain_values import Foreign, kind_of, shown

SHOWN = 8  # numbers of a row that a sentence can carry
LONGEST = 256  # bits of an integer that a sentence can carry


def difference(expected: Any, returned: Any, tolerance: float, parts: tuple[str, ...] = ()) -> str | None:
    """A sentence on the first difference, None where there is none. `parts` names what a tuple holds, each part of it:
    raises ValueError where they are more or fewer.

    `tolerance` is relative to the largest number expected. Arrays may come back as torch tensors.
    """
    if isinstance(expected, np.ndarray):
        return _arrays(expected, returned, tolerance)
    if isinstance(expected, tuple):
        return _tuples(expected, returned, tolerance, parts)
    if isinstance(expected, dict):
        return _dicts(expected, returned, tolerance)
    if isinstance(expected, int):
        return _integers(expected, returned)
    return _floats(expected, returned, tolerance)


def as_array(value: Any) -> Any:
    """A torch tensor as the NumPy array of the same numbers; anything else as it is."""
    torch = sys.modules.get("torch")
    return value.numpy() if torch is not None and isinstance(value, torch.Tensor) else value


def whole(value: Any) -> Any:
    """NumPy's and torch's integers as Python's, also within a dict, a tuple or a list; anything else as it is."""
    if isinstance(value, dict):
        return {key: whole(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(whole, value))
    single = as_array(value)
    if isinstance(single, (np.generic, np.ndarray)) and single.ndim == 0 and single.dtype.kind in "iu":
        return int(single)
    return value


def alike(one: Any, other: Any, tolerance: float = 0.0) -> bool:
    """Whether two plain values are the same, whatever they are: nan is like nan, a tensor like its array."""
    one, other = as_array(one), as_array(other)
    if isinstance(one, (np.ndarray, np.generic)) or isinstance(other, (np.ndarray, np.generic)):
        numbers = all(isinstance(value, (np.ndarray, np.generic, int, float)) for value in (one, other))
        return (
            numbers
            and np.shape(one) == np.shape(other)
            and _arrays_alike(np.asarray(one), np.asarray(other), tolerance)
        )
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(alike(a, b, tolerance) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key], tolerance) for key in one)
    if isinstance(one, float) and isinstance(other, float):
        return _arrays_alike(np.asarray(one), np.asarray(other), tolerance)
    return bool(one == other)


def _arrays_alike(one: np.ndarray, other: np.ndarray, tolerance: float) -> bool:
    if one.dtype.kind not in "biuf" or other.dtype.kind not in "biuf":
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    same = (one == other) | ((one != one) & (other != other))
    if tolerance and not same.all():
        same |= ~_wrong(np.where(np.isfinite(one), one, 0), other, tolerance) & np.isfinite(one)
    return bool(same.all())


def glimpse(value: Any, place: tuple[int, ...] | None = None) -> str:
    """A value short enough for a sentence: a number, or an array's shape and the row around `place`."""
    value = as_array(value)
    if isinstance(value, tuple) and value:
        return "; ".join(glimpse(v) for v in value)
    if isinstance(value, Foreign):
        return value.text
    if not isinstance(value, np.ndarray):
        text = written_out(value) if type(value) in (int, float) else shown(value)
        longest = 240 if isinstance(value, dict) else 120
        return (text if len(text) < longest else text[: longest - 3] + "...").replace("-", "\u2212", text[:1] == "-")
    shape = f"shape {value.shape}"
    if not value.ndim and value.dtype.kind in "biuf":
        return number(value)
    if not value.size or not value.ndim:
        return shape
    place = place or (0,) * value.ndim
    row = value[place[:-1]]
    start = max(0, min(place[-1] - 2, len(row) - SHOWN)) if len(row) > SHOWN else 0
    dots = ("... " if start else "", " ..." if start + SHOWN < len(row) else "")
    name = f", row {', '.join(map(str, place[:-1]))}" if value.ndim > 1 else ""
    return f"{shape}{name}: {dots[0]}{' '.join(map(number, row[start : start + SHOWN]))}{dots[1]}"


def written_out(value: int | float) -> str:
    """A number in full, or, where that would fill pages, how long it is."""
    if isinstance(value, int) and value.bit_length() > LONGEST:
        return f"a number of about {int(value.bit_length() * 0.30103):,} digits"
    return f"{value:,}".replace("-", "\u2212")


def number(value: Any, digits: int = 4) -> str:
    """A number with as many digits as a reader compares by eye."""
    value = np.asarray(value).item()
    text = f"{value:.{digits}g}" if isinstance(value, float) else str(value)
    return text.replace("-", "\u2212")


def told_apart(came: Any, expected: Any) -> str:
    """Two numbers that differ, with as many digits as it takes to see it."""
    digits = next((d for d in (4, 6, 9) if number(came, d) != number(expected, d)), 17)
    return f"{number(came, digits)} where {number(expected, digits)} is expected"


def first_place(expected: Any, returned: Any, tolerance: float) -> tuple[int, ...] | None:
    """Index of the first number that differs, for two arrays of one shape; else None."""
    expected, returned = as_array(expected), as_array(returned)
    if not (isinstance(expected, np.ndarray) and isinstance(returned, np.ndarray)):
        return None
    if expected.shape != returned.shape or not expected.ndim or returned.dtype.kind not in "biuf":
        return None
    wrong = _wrong(expected, returned, tolerance)
    return tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else None


def _wrong(expected: np.ndarray, returned: np.ndarray, tolerance: float) -> np.ndarray:
    if tolerance == 0:
        return expected != returned
    finite = expected[np.isfinite(expected)]  # one infinity would make the limit infinite, and all numbers right
    if expected.size and not finite.size:
        return np.ones(expected.shape, dtype=bool)
    limit = tolerance * max(float(np.abs(finite).max(initial=0)), 1e-30)
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(returned.astype(np.float64) - expected) <= limit
    return ~(near | (returned == expected) | (np.isnan(returned) & np.isnan(expected)))


def _arrays(expected: np.ndarray, returned: Any, tolerance: float) -> str | None:
    returned = as_array(returned)
    if not isinstance(returned, np.ndarray):
        return f"it returned {kind_of(returned)} where an array of shape {expected.shape} is expected"
    if returned.dtype.kind not in "biuf":
        return f"it returned an array of {returned.dtype} where plain numbers are expected"
    if returned.shape != expected.shape:
        return f"its shape is {returned.shape} where {expected.shape} is expected"
    wrong = _wrong(expected, returned, tolerance)
    if not wrong.any():
        return None
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (
        f"{wrong.sum():,} of {wrong.size:,} numbers differ, first at [{', '.join(map(str, place))}]:"
        f" {told_apart(returned[place], expected[place])}"
    )


def without_the_answer(expected: Any, returned: Any, tolerance: float) -> str | None:
    """What is wrong, where the numbers expected would be the whole solution; None where nothing is.

    Numbers in a dict are told by how many are wrong and by their sum, anything else by its kind.
    """
    if isinstance(expected, dict) and isinstance(returned, dict) and expected.keys() == returned.keys():
        unlike = [key for key, came in returned.items() if type(came) is not type(expected[key])]
        if unlike:
            return f"in {unlike[0]!r}: it is {kind_of(returned[unlike[0]])} where a whole number is expected"
        wrong = sum(difference(right, returned[key], tolerance) is not None for key, right in expected.items())
        sums = sum(returned.values()), sum(expected.values())
        told = "as they must" if sums[0] == sums[1] else f"where the right ones sum to {written_out(sums[1])}"
        return f"not right: {wrong} of its {len(expected)} numbers; they sum to {written_out(sums[0])} {told}"
    if isinstance(expected, dict):
        return difference(expected, returned, tolerance)  # which keys there are is part of the question
    return f"it returned {kind_of(returned)}, {glimpse(returned)}, and that is not it"


def _tuples(expected: tuple, returned: Any, tolerance: float, parts: tuple[str, ...]) -> str | None:
    what = f"{len(expected)} things, ({', '.join(parts)})"
    if not isinstance(returned, (tuple, list)):
        return f"it returned {kind_of(returned)} where {what} are expected"
    if len(returned) != len(expected):
        return f"it returned {len(returned)} things where {what} are expected"
    for name, right, came in zip(parts, expected, returned, strict=True):
        if (found := difference(right, came, tolerance)) is not None:
            return f"in `{name}`: {found}"
    return None


def _dicts(expected: dict, returned: Any, tolerance: float) -> str | None:
    if not isinstance(returned, dict):
        return f"it returned {kind_of(returned)} where a dict with {', '.join(expected)} is expected"
    missing, extra = [k for k in expected if k not in returned], [k for k in returned if k not in expected]
    if missing:
        return f"its dict has no {' and no '.join(map(repr, missing))}"
    if extra:
        return f"its dict has {', '.join(map(glimpse, extra[:4]))}, which nobody asked for"
    for key, right in expected.items():
        if (found := difference(right, returned[key], tolerance)) is not None:
            return f"in {key!r}: {found}"
    return None


def _integers(expected: int, returned: Any) -> str | None:
    if type(returned) is int:
        if returned == expected:
            return None
        return f"it returned {written_out(returned)} where {written_out(expected)} is expected"
    came = f"{kind_of(returned)}, {glimpse(returned)}," if is_number(returned) else kind_of(returned)
    python = "a Python int" if is_number(returned) and whole(returned) is not returned else "a whole number"
    return f"it returned {came} where {python} is expected: {written_out(expected)}"


def _floats(expected: float, returned: Any, tolerance: float) -> str | None:
    value = as_array(returned)
    if not is_number(value):
        many = isinstance(value, np.ndarray) and value.ndim
        came = f"an array of shape {value.shape}" if many else kind_of(returned)
        return f"it returned {came} where a number is expected: {number(expected)}"
    if type(value) is int and value.bit_length() > LONGEST:
        return f"it returned {written_out(value)} where {number(expected)} is expected"
    if abs(float(value) - expected) <= tolerance * max(abs(expected), 1e-30):
        return None
    return f"it returned {told_apart(value, expected)}"


def same_kind(expected: Any, returned: Any) -> bool:
    """Whether what came is of the kind expected, so that its numbers can be looked at."""
    if isinstance(expected, np.ndarray):
        value = as_array(returned)
        return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"
    if isinstance(expected, tuple):
        return isinstance(returned, (tuple, list)) and len(returned) == len(expected)
    return isinstance(returned, dict) if isinstance(expected, dict) else is_number(returned)


def is_number(value: Any) -> bool:
    """Whether it is one real number, in Python's, NumPy's or torch's clothes."""
    value = as_array(value)
    if isinstance(value, (np.generic, np.ndarray)):
        return value.ndim == 0 and value.dtype.kind in "iuf"
    return type(value) in (int, float)
