"""Resizing a grid by one matrix an axis: every curve, convention and edge that people or libraries use, as faults.

A resize of (D, h, w) to (D, h', w') is R_h (h', h) from the left and R_w (w', w) from the right. What differs between
libraries is the curve that weighs the neighbours, where a new cell reads, what stands beyond the edge, and whether the
curve is widened when the grid shrinks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np

Array = np.ndarray
Grid = tuple[int, int]


def _cubic(a: float) -> Callable[[Array], Array]:
    def curve(t: Array) -> Array:
        t = np.abs(t)
        near = ((a + 2) * t - (a + 3)) * t * t + 1
        return np.where(t <= 1, near, np.where(t < 2, ((a * t - 5 * a) * t + 8 * a) * t - 4 * a, 0))

    return curve


def _smooth(t: Array) -> Array:
    t = np.abs(t)  # the cubic B-spline, which smooths and does not pass through the points
    return np.where(t <= 1, (4 - 6 * t**2 + 3 * t**3) / 6, np.where(t < 2, (2 - t) ** 3 / 6, 0))


def _mitchell(t: Array) -> Array:
    t = np.abs(t)
    near = (21 * t**3 - 36 * t**2 + 16) / 18
    return np.where(t <= 1, near, np.where(t < 2, (-7 * t**3 + 36 * t**2 - 60 * t + 32) / 18, 0))


def _lanczos(t: Array) -> Array:
    return np.where(np.abs(t) < 3, np.sinc(t) * np.sinc(t / 3), 0)


CURVES: dict[str, tuple[str, Callable[[Array], Array], int]] = {  # words, weights, reach
    "bicubic": ("bicubic with a = −0.75", _cubic(-0.75), 2),
    "a-0.5": ("bicubic with a = −0.5 (Keys' curve, as in Pillow and TensorFlow)", _cubic(-0.5), 2),
    "a-1": ("bicubic with a = −1", _cubic(-1.0), 2),
    "a-0.6": ("bicubic with a = −0.6", _cubic(-0.6), 2),
    "a-0": ("bicubic with a = 0", _cubic(0.0), 2),
    "linear": ("linear", lambda t: np.maximum(1 - np.abs(t), 0), 1),
    "spline": ("a cubic B-spline, which smooths", _smooth, 2),
    "mitchell": ("Mitchell's cubic curve", _mitchell, 2),
    "lanczos": ("Lanczos", _lanczos, 3),
}
PLACES: dict[str, tuple[str, Callable[[Array, int, int], Array]]] = {
    "edges": ("", lambda i, old, new: (i + 0.5) * old / new - 0.5),
    "corners": (
        "the corners lie on one another (`align_corners=True`)",
        lambda i, old, new: i * (old - 1) / max(new - 1, 1),
    ),
    "no-half": ("the half cell is missing: new cell i reads at i h / h'", lambda i, old, new: i * old / new),
    "one-short": (
        "the scale is h / (h' + 0.1), as with an offset of 0.1",
        lambda i, old, new: (i + 0.5) * old / (new + 0.1) - 0.5,
    ),
    "half-added": ("half a cell is added and not taken off again", lambda i, old, new: (i + 0.5) * old / new),
    "half-taken": ("half a cell is taken off and none was added", lambda i, old, new: i * old / new - 0.5),
}
EDGES: dict[str, tuple[str, Callable[[Array, int], Array]]] = {
    "nearest": ("", lambda j, old: j.clip(0, old - 1)),
    "mirrored": ("the grid is mirrored at its edge", lambda j, old: _mirrored(j, old)),
    "reflected": ("the grid is reflected about its outermost cells", lambda j, old: _reflected(j, old)),
    "wrapped": ("the grid goes round from one edge to the other", lambda j, old: j % old),
    "zero": ("beyond the edge stand zeros", lambda j, old: np.where((j < 0) | (j >= old), -1, j)),
    "left-out": (
        "cells beyond the edge are left out and the others weigh more",
        lambda j, old: np.where((j < 0) | (j >= old), -1, j),
    ),
}


def _mirrored(j: Array, old: int) -> Array:
    j = j % (2 * old)
    return np.where(j < old, j, 2 * old - 1 - j)


def _reflected(j: Array, old: int) -> Array:
    period = max(2 * (old - 1), 1)
    j = j % period
    return np.where(j < old, j, period - j)


def matrix(old: int, new: int, curve: str, place: str = "edges", edge: str = "nearest", widened: bool = False) -> Array:
    """Weights (new, old) of one axis. `widened` stretches the curve where the axis shrinks (antialias)."""
    _, weigh, reach = CURVES[curve]
    stretch = max(old / new, 1.0) if widened else 1.0
    at = PLACES[place][1](np.arange(new, dtype=np.float64), old, new)
    weights = np.zeros((new, old))
    far = math.ceil(reach * stretch) + 1
    for offset in range(-far, far + 1):
        j = np.floor(at).astype(int) + offset
        w, cell = weigh((j - at) / stretch), EDGES[edge][1](j, old)
        inside = cell >= 0
        np.add.at(weights, (np.arange(new)[inside], cell[inside]), w[inside])
    return weights / weights.sum(1, keepdims=True) if widened or edge == "left-out" else weights


def _nearest(old: int, new: int, how: str) -> Array:
    i = np.arange(new)
    at = {
        "rounded": np.round(i * (old - 1) / max(new - 1, 1)),
        "ceiling": np.ceil(i * old / new),
        "truncated": np.trunc((i + 0.5) * old / new - 0.5),
    }[how]
    return np.eye(old)[at.astype(int).clip(0, old - 1)]


def _cells(old: int, new: int, how: str) -> Array:
    """No resize at all: cells taken over, the rest filled."""
    i = np.arange(new)
    if how == "zeros":
        return np.eye(new, old)
    at = (
        i % old
        if how == "repeated"
        else i.clip(0, old - 1)
        if how == "last"
        else (i + (old - new) // 2).clip(0, old - 1)
    )
    return np.eye(old)[at]


def _both(make: Callable[[int, int], Array]) -> Callable[[int, int, int], Array]:
    return lambda old, new, axis: make(old, new)


def _named() -> dict[str, tuple[str, Callable[[int, int, int], Array]]]:
    """Every wrong combination: its sentence, and the matrix for axis 0 (rows) or 1 (columns)."""
    right = (
        "Here it is bicubic with a = −0.75, `align_corners=False`, the edge repeated and no antialias:"
        " `F.interpolate`'s own."
    )
    found = {}
    for curve, place, edge, widened in product(CURVES, PLACES, EDGES, (False, True)):
        unusual = (curve != "bicubic") + (place != "edges") + (edge != "nearest") + widened
        if not 1 <= unusual <= (3 if widened and curve == "a-0.5" else 2):
            continue
        said = [f"your resize is {CURVES[curve][0]}" if curve != "bicubic" else "your resize is bicubic"]
        said += [words for words in (PLACES[place][0], EDGES[edge][0]) if words]
        said += ["the curve is widened where the grid shrinks (antialias)"] if widened else []
        text = ", ".join(said[:-1]) + " and " * (len(said) > 1) + said[-1]
        found[f"resize:{curve}-{place}-{edge}{'-widened' * widened}"] = (
            f"{text[0].upper()}{text[1:]}. {right}",
            _both(lambda old, new, c=curve, p=place, e=edge, w=widened: matrix(old, new, c, p, e, w)),
        )
    for how, words in (
        ("rounded", "rounded, corner on corner"),
        ("ceiling", "rounded up"),
        ("truncated", "cut off to a whole place"),
    ):
        found[f"resize:nearest-{how}"] = (
            f"You took one old position for each new one, its place {words}. {right}",
            _both(lambda old, new, h=how: _nearest(old, new, h)),
        )
    for how, words in (
        ("zeros", "filled up with zeros"),
        ("repeated", "repeated from the start"),
        ("last", "filled up with its last cells"),
        ("centre", "cut out of the middle"),
    ):
        found[f"resize:cells-{how}"] = (
            f"The old grid was not stretched: it was taken as it is, {words}. {right}",
            _both(lambda old, new, h=how: _cells(old, new, h)),
        )
    for name, other in (("linear", "linear"), ("corners", None)):
        for axis, words in ((0, "rows"), (1, "columns")):
            found[f"resize:{words}-{name}"] = (
                f"Along the {words} your resize is {'linear' if other else 'corner on corner'}. {right}",
                lambda old, new, which, axis=axis, other=other: (
                    matrix(old, new, "bicubic")
                    if which != axis
                    else matrix(old, new, other)
                    if other
                    else matrix(old, new, "bicubic", "corners")
                ),
            )
    return found


RESIZES = _named()


def resized(maps: Array, new: Grid, fault: str) -> Array:
    """(D, h, w) to (D, h', w') in the way of a fault of RESIZES."""
    make = RESIZES[fault][1]
    rows, columns = make(maps.shape[1], new[0], 0), make(maps.shape[2], new[1], 1)
    return rows @ maps @ columns.T
