"""Sums as a reader would write them: the very numbers, each in the colour of the matrix it comes from.

A written sum is a list of (text, hue) pairs; `plain` joins the texts. Read as arithmetic it gives the cell's number, to
the digits that are shown: `decimals_needed` says with how many decimals the numbers must stand in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

from widgets.common.number_formats import fixed

Written = list[tuple[str, str]]
"""Pieces of a written sum: text, and the name of a theme colour ("" for ink)."""

SHOWN = 3  # decimals of a cell
FEWEST, MOST = 3, 12  # decimals of the numbers in a sum
LARGE = 1e7  # from here on a number is written with a power of ten
_EXPONENT = re.compile(r"e([−+]?)0*(\d+)")


def cell(x: float, decimals: int = SHOWN) -> str:
    """A number with that many decimals, a true minus sign, and never a −0."""
    return fixed(x, decimals) if abs(x) < LARGE else f"{x:.{decimals}e}".replace("-", "−")


def number(x: float, decimals: int | None = None) -> str:
    """A number inside a sum: whole numbers as they are, others with that many decimals; None gives every digit."""
    if not math.isfinite(x) or (x == math.floor(x) and abs(x) < LARGE):
        return (f"{x:.0f}" if x else "0").replace("-", "−")
    return repr(float(x)).replace("-", "−") if decimals is None else cell(x, decimals)


def significant(x: float, digits: int = 6) -> str:
    """A number with that many significant digits, a true minus sign, and 1e−6 rather than 1e-06."""
    return _EXPONENT.sub(r"e\1\2", f"{x:.{digits}g}".replace("-", "−"))


def value_of(text: str) -> float:
    """The number that a text shows."""
    return float(text.replace("−", "-"))


def cells(values: np.ndarray, decimals: int = SHOWN) -> list[list[str]]:
    """What stands in the cells of a matrix: no decimals where every number of it is whole."""
    whole = bool((values == np.floor(values)).all())
    return [[number(x, decimals) if whole else cell(x, decimals) for x in row] for row in values.tolist()]


def rounded(values: np.ndarray, decimals: int | None) -> np.ndarray:
    """The numbers of an array as a sum writes them."""
    return np.array([value_of(number(x, decimals)) for x in values.ravel().tolist()]).reshape(values.shape)


def decimals_needed(shown: np.ndarray, again: Callable[[int], np.ndarray], decimals: int = SHOWN) -> int | None:
    """Fewest decimals of the numbers in the sums with which every cell of `shown` comes out as it is written.

    `again(d)` computes the matrix from numbers `rounded` to d decimals. None stands for every digit there is.
    """
    wanted = [cell(x, decimals) for x in shown.ravel().tolist()]
    for d in range(FEWEST, MOST + 1):
        if [cell(x, decimals) for x in again(d).ravel().tolist()] == wanted:
            return d
    return None


def factor(x: float, decimals: int | None = None) -> str:
    """A number inside a product or difference: a negative one stands in brackets."""
    text = number(x, decimals)
    return f"({text})" if text.startswith("−") else text


def products(left: np.ndarray, right: np.ndarray, hues: tuple[str, str], decimals: int | None = None) -> Written:
    """left · right written out, a×b + c×d + ...; `hues` are the colours of the two."""
    out: Written = []
    for a, b in zip(left.tolist(), right.tolist(), strict=True):
        out += [(" + ", "")] if out else []
        out += [(factor(a, decimals), hues[0]), ("×", ""), (factor(b, decimals), hues[1])]
    return out


def plain(written: Written) -> str:
    """The sum as text, without its colours."""
    return "".join(text for text, _ in written)
