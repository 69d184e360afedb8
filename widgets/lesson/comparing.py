"""What is different between the right answer and the one that came, in a sentence."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

SHOWN = 8  # numbers of a row that a sentence can carry


def difference(expected: Any, returned: Any, tolerance: float, parts: tuple[str, ...] = ()) -> str | None:
    """A sentence on the first difference, None where there is none. `parts` names what a tuple holds.

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
    return value.detach().cpu().numpy() if torch and isinstance(value, torch.Tensor) else value


def glimpse(value: Any, place: tuple[int, ...] | None = None) -> str:
    """A value short enough for a sentence: a number, or an array's shape and the row around `place`."""
    value = as_array(value)
    if isinstance(value, tuple) and value:
        return "; ".join(glimpse(v) for v in value)
    if not isinstance(value, np.ndarray):
        text = f"{value:,}" if type(value) in (int, float) else repr(value)
        return (text if len(text) < 120 else text[:117] + "...").replace("-", "\u2212", text[:1] == "-")
    shape = f"shape {value.shape}"
    if not value.size or not value.ndim or value.dtype == object:
        return shape
    place = place or (0,) * value.ndim
    row = value[place[:-1]]
    start = max(0, min(place[-1] - 2, len(row) - SHOWN)) if len(row) > SHOWN else 0
    dots = ("... " if start else "", " ..." if start + SHOWN < len(row) else "")
    name = f", row {', '.join(map(str, place[:-1]))}" if value.ndim > 1 else ""
    return f"{shape}{name}: {dots[0]}{' '.join(map(number, row[start:start + SHOWN]))}{dots[1]}"


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
    if expected.shape != returned.shape or not expected.ndim or returned.dtype == object:
        return None
    wrong = _wrong(expected, returned, tolerance)
    return tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else None


def _wrong(expected: np.ndarray, returned: np.ndarray, tolerance: float) -> np.ndarray:
    if tolerance == 0:
        return expected != returned
    limit = tolerance * max(float(np.abs(expected).max(initial=0)), 1e-30)
    with np.errstate(invalid="ignore", over="ignore"):
        return ~(np.abs(returned.astype(np.float64) - expected) <= limit)


def _arrays(expected: np.ndarray, returned: Any, tolerance: float) -> str | None:
    returned = as_array(returned)
    if not isinstance(returned, np.ndarray):
        return f"it returned {_kind(returned)} where an array of shape {expected.shape} is expected"
    if returned.dtype.kind not in "biuf":
        return f"it returned an array of {returned.dtype} where plain numbers are expected"
    if returned.shape != expected.shape:
        return f"its shape is {returned.shape} where {expected.shape} is expected"
    wrong = _wrong(expected, returned, tolerance)
    if not wrong.any():
        return None
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (f"{wrong.sum():,} of {wrong.size:,} numbers differ, first at [{', '.join(map(str, place))}]:"
            f" {told_apart(returned[place], expected[place])}")


def _tuples(expected: tuple, returned: Any, tolerance: float, parts: tuple[str, ...]) -> str | None:
    what = f"{len(expected)} things, ({', '.join(parts)})"
    if not isinstance(returned, (tuple, list)):
        return f"it returned {_kind(returned)} where {what} are expected"
    if len(returned) != len(expected):
        return f"it returned {len(returned)} things where {what} are expected"
    for name, right, came in zip(parts, expected, returned):
        if (found := difference(right, came, tolerance)) is not None:
            return f"in `{name}`: {found}"
    return None


def _dicts(expected: dict, returned: Any, tolerance: float) -> str | None:
    if not isinstance(returned, dict):
        return f"it returned {_kind(returned)} where a dict with {', '.join(expected)} is expected"
    missing, extra = [k for k in expected if k not in returned], [k for k in returned if k not in expected]
    if missing:
        return f"its dict has no {' and no '.join(map(repr, missing))}"
    if extra:
        return f"its dict has {', '.join(map(repr, extra))}, which nobody asked for"
    for key, right in expected.items():
        if (found := difference(right, returned[key], tolerance)) is not None:
            return f"in {key!r}: {found}"
    return None


def _integers(expected: int, returned: Any) -> str | None:
    if type(returned) is int:
        return None if returned == expected else f"it returned {returned:,} where {expected:,} is expected"
    if isinstance(as_array(returned), (np.generic, np.ndarray)):
        return f"it returned {_kind(returned)}, {returned}, where a Python int is expected: {expected:,}"
    if isinstance(returned, float):
        return f"it returned a float, {returned:,}, where a whole number is expected: {expected:,}"
    return f"it returned {_kind(returned)} where a whole number is expected: {expected:,}"


def _floats(expected: float, returned: Any, tolerance: float) -> str | None:
    value = as_array(returned)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        return f"it returned {_kind(returned)} where a number is expected: {number(expected)}"
    if abs(float(value) - expected) <= tolerance * max(abs(expected), 1e-30):
        return None
    return f"it returned {told_apart(value, expected)}"


def _kind(value: Any) -> str:
    name = type(value).__name__
    if value is None:
        return "None"
    if type(value).__module__ == "numpy":
        return f"a NumPy {name}"
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"
