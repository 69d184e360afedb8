"""The steps of LayerNorm as a reader would write them, with as many digits as make each come out as its cell shows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from widgets.model.norm import NormSteps
from widgets.parts.written_sum import Written, cell, factor, number, significant, value_of

DIGITS = range(3, 18)  # significant digits a written sum may need


def one(x: float) -> str:
    """What stands in the cell of mean, variance or root: three decimals, or four digits of what they would not show."""
    if x == round(x) and abs(x) < 1e6:
        return number(x)
    return number(x, 3) if abs(x) >= 0.1 else significant(x, 4)


def in_row(x: float) -> str:
    """What stands in the cells of a row: three decimals, or 0 / 0 where there is no number."""
    return "0 / 0" if np.isnan(x) else cell(x)


def mean(s: NormSteps) -> Written:
    """(x + ...) / D."""
    total = " + ".join(factor(x) for x in s.x.tolist())
    return [(f"({total}) / {len(s.x)}", "")]


def variance(s: NormSteps) -> Written:
    """The squares of what is left of each number without the mean, over D or D − 1."""
    d = _fewest(s.variance, lambda r: float(((s.x - r(s.mean)) ** 2).sum()) / s.divisor, one)
    written: Written = [("(", "")]
    for place, x in enumerate(s.x.tolist()):
        written += [(" + ", "")] * bool(place) + [(f"({number(x)} − ", ""), (_factor(s.mean, d), "value"), (")²", "")]
    return [*written, (f") / {s.divisor}", "")]


def root(s: NormSteps) -> Written:
    """√(variance + ε)."""
    d = _fewest(s.root, lambda r: float(np.sqrt(r(s.variance) + r(s.epsilon))), one)
    return [
        ("√(", ""),
        (significant(s.variance, d), "class"),
        (" + ", ""),
        (significant(s.epsilon, d), "query"),
        (")", ""),
    ]


def normal(s: NormSteps, j: int) -> Written:
    """Number j less the mean, over the root."""
    if not s.root:
        return [(f"({number(s.x[j])} − ", ""), (_factor(s.mean, 6), "value"), (") / 0", "")]
    d = _fewest(s.normal[j], lambda r: (s.x[j] - r(s.mean)) / r(s.root))
    return [
        (f"({number(s.x[j])} − ", ""),
        (_factor(s.mean, d), "value"),
        (") / ", ""),
        (significant(s.root, d), "accent"),
    ]


def out(s: NormSteps, j: int) -> Written:
    """Number j normalised, times gamma, plus beta."""
    if not s.root:
        return [("0 / 0", "")]
    d = _fewest(s.out[j], lambda r: s.gamma[j] * r(s.normal[j]) + s.beta[j])
    return [
        (factor(s.gamma[j]), "key"),
        ("×", ""),
        (_factor(s.normal[j], d), ""),
        (" + ", ""),
        (factor(s.beta[j]), "position"),
    ]


def _fewest(
    shown: float, again: Callable[[Callable[[float], float]], float], text: Callable[[float], str] = in_row
) -> int:
    """Fewest significant digits with which `again(rounding)` comes out as `text` writes what is `shown`."""
    for digits in DIGITS:
        if text(again(lambda x, d=digits: value_of(significant(x, d)))) == text(shown):
            return digits
    return DIGITS[-1]


def _factor(x: float, digits: int) -> str:
    text = significant(x, digits)
    return f"({text})" if text.startswith("−") else text
