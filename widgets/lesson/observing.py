"""What can be said of a wrong answer that no misconception explains: how it differs from the right one, exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .comparing import as_array, number
from .specification import Exercise, Outcome

Seen = tuple[tuple[str], str]
ALMOST = 1e-3  # relative to the largest number: further off than rounding, nearer than a wrong formula


def observation(exercise: Exercise, outcomes: list[Outcome], failed: Outcome) -> Seen | None:
    """A short name and a sentence, None where nothing certain can be said."""
    if failed.error is not None:
        return None
    expected, returned = failed.expected, failed.returned
    if isinstance(expected, tuple):
        if not isinstance(returned, (tuple, list)) or len(returned) != len(expected):
            return None
        pairs = zip(exercise.returns, map(as_array, expected), map(as_array, returned))
        seen = ((name, _of_arrays(right, came, failed.case.tolerance)) for name, right, came in pairs)
        return next(((s[0], f"In `{name}`: {s[1][0].lower()}{s[1][1:]}") for name, s in seen if s), None)
    return _of_arrays(as_array(expected), as_array(returned), failed.case.tolerance)


def _of_arrays(expected: Any, returned: Any, tolerance: float) -> Seen | None:
    if not (isinstance(expected, np.ndarray) and isinstance(returned, np.ndarray)) or not returned.size:
        return None
    if returned.dtype.kind not in "biuf" or not np.isfinite(returned).all():
        return None
    a, b = expected.astype(np.float64), returned.astype(np.float64)
    limit = max(tolerance, 1e-9) * max(np.abs(a).max(), 1e-30)

    def same(x: np.ndarray, y: np.ndarray) -> bool:
        return x.shape == y.shape and bool((np.abs(x - y) <= limit).all())

    if same(a, b):
        return None
    if a.size == b.size and a.shape != b.shape:
        return _of_shapes(a, b, same)
    return _of_values(a, b, limit, same) if a.shape == b.shape else None


def _of_shapes(a: np.ndarray, b: np.ndarray, same: Callable[[np.ndarray, np.ndarray], bool]) -> Seen | None:
    if same(a, b.T):
        return ("transposed",), "It is the right answer transposed."
    if same(a.ravel(), b.ravel()):
        return ("other-shape",), f"The numbers are right and in order; only the shape is {b.shape}, not {a.shape}."
    if same(np.sort(a.ravel()), np.sort(b.ravel())):
        return ("scrambled",), ("All numbers are there, in other places and another shape: an axis was moved or merged"
                                " wrongly.")
    return None


def _of_values(a: np.ndarray, b: np.ndarray, limit: float,
               same: Callable[[np.ndarray, np.ndarray], bool]) -> Seen | None:
    if np.abs(a - b).max() <= ALMOST * np.abs(a).max():
        return ("almost",), ("It is nearly right, and further off than rounding in float64: look for an approximation, a"
                             " small constant such as epsilon, or a coarser number type.")
    if (factor := _factor(a, b)) is not None and same(a * factor, b):
        return ("proportional",), f"Every number is {number(factor)} times what is expected."
    if a.shape[:1] > (1,) and same(b - a, np.broadcast_to((b - a).mean(), a.shape)):
        return ("offset",), f"Every number is off by the same {number((b - a).mean())}."
    if a.ndim == 2 and a.shape[0] == a.shape[1] and same(a, b.T):
        return ("transposed",), "It is the right answer transposed."
    if a.ndim == 2 and same(a[np.lexsort(a.T[::-1])], b[np.lexsort(b.T[::-1])]):
        return ("rows-moved",), "The rows are right, in another order."
    if same(np.sort(a.ravel()), np.sort(b.ravel())):
        return ("scrambled",), "All numbers are there, in other places: an axis was moved, split or merged wrongly."
    if a.ndim == 2 and (np.abs(a - b) <= limit).all(1).any():
        wrong = np.flatnonzero(~(np.abs(a - b) <= limit).all(1))
        named = ", ".join(map(str, wrong[:6])) + (" ..." if len(wrong) > 6 else "")
        return ("some-rows",), f"Some rows are right; wrong are {named}."
    return None


def _factor(a: np.ndarray, b: np.ndarray) -> float | None:
    place = np.unravel_index(np.abs(a).argmax(), a.shape)
    return float(b[place] / a[place]) if a[place] else None
