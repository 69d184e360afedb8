"""Slips that can happen at any step of a computation: one table, used by every exercise whose answer has steps.

An exercise computes its wrong answers with `at = slipping(faults)` and sends the value of each step through
`at("scores", scores)`. A fault `scores:absolute` then changes the scores as SLIPS["absolute"] says, and
`slips_at` writes its sentence: where, what happened, and what to do instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from widgets.lesson.specification import Misconception

Faults = frozenset[str]
Array = np.ndarray
erf = np.vectorize(math.erf, otypes=[np.float64])


class Slip(NamedTuple):
    """What happens to the numbers of a step, in the second person, and the change itself on (..., rows, columns)."""

    words: str
    change: Callable[[Array], Array]


def slipping(faults: Faults) -> Callable[[str, Array], Array]:
    """The function that a step's value goes through: `at(step, value)`."""
    slips = [fault.split(":", 1) for fault in faults if ":" in fault]

    def at(step: str, value: Array) -> Array:
        for where, slip in slips:
            if where == step and slip in SLIPS:
                value = SLIPS[slip].change(value)
        return value

    return at


def slips_at(steps: dict[str, tuple[str, str]]) -> tuple[Misconception, ...]:
    """Misconceptions for steps: `{"scores": ("the scores", "absolute tanh ...")}`, one for each slip named."""
    return tuple(
        Misconception(f"{step}:{slip}", f"At {words}: {SLIPS[slip].words}", alone=True)
        for step, (words, slips) in steps.items()
        for slip in slips.split()
    )


def listed(table: dict[str, tuple]) -> tuple[Misconception, ...]:
    """Misconceptions from a table of name: (sentence, ...)."""
    return tuple(Misconception(name, entry[0], alone=True) for name, entry in table.items())


def but(found: Iterable[Misconception], same: str) -> tuple[Misconception, ...]:
    """Misconceptions without those in `same`, which change no answer of an exercise or give the answer of another."""
    out = set(same.split())
    return tuple(m for m in found if m.name not in out)


def inside(scope: str, faults: Faults) -> Faults:
    """The faults of one part of a larger computation: those named `scope/fault`, and those that have no place."""
    return frozenset(
        fault.removeprefix(f"{scope}/")
        for fault in faults
        if fault.startswith(f"{scope}/") or ("/" not in fault and ":" not in fault)
    )


def scoped(scope: str, words: str, found: Iterable[Misconception]) -> tuple[Misconception, ...]:
    """The misconceptions of a smaller exercise, in one part of a larger one."""
    return tuple(
        Misconception(f"{scope}/{m.name}", f"{words}: {m.sentence}", alone=True) for m in found if m.sign is None
    )


def _norm(x: Array, axis: int | None) -> Array:
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + 1e-6)


def _softmax(x: Array, axis: int | None) -> Array:
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def _same_for_all(pick: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda x: np.broadcast_to(pick(x), x.shape).copy()


def _zeroed(x: Array, *place: int | slice) -> Array:
    x = x.copy()
    x[(..., *place)] = 0
    return x


def _reread(x: Array) -> Array:
    """(rows, columns) turned, and read as (rows, columns) again: reshape for a transpose."""
    return x.swapaxes(-1, -2).reshape(x.shape)


_ALL = slice(None)
_KEEP = "Use the numbers as they come."

SLIPS: dict[str, Slip] = {
    # signs and sizes
    "negated": Slip(f"every sign is turned. {_KEEP}", lambda x: -x),
    "absolute": Slip("the signs are lost, as abs does. Negative numbers stay negative.", np.abs),
    "doubled": Slip("every number is twice what it should be. Count it once.", lambda x: 2 * x),
    "halved": Slip("every number is half of what it should be. Nothing is halved here.", lambda x: x / 2),
    "squared": Slip(f"every number is squared. {_KEEP}", np.square),
    "over-root-width": Slip(
        f"you divided by the root of the number of columns. {_KEEP}", lambda x: x / np.sqrt(x.shape[-1])
    ),
    "times-root-width": Slip(
        f"you multiplied by the root of the number of columns. {_KEEP}", lambda x: x * np.sqrt(x.shape[-1])
    ),
    "over-width": Slip(f"you divided by the number of columns. {_KEEP}", lambda x: x / x.shape[-1]),
    "times-width": Slip(f"you multiplied by the number of columns. {_KEEP}", lambda x: x * x.shape[-1]),
    "over-rows": Slip(f"you divided by the number of rows. {_KEEP}", lambda x: x / x.shape[-2]),
    "over-root-rows": Slip(
        f"you divided by the root of the number of rows. {_KEEP}", lambda x: x / np.sqrt(x.shape[-2])
    ),
    "over-255": Slip(f"you divided by 255. {_KEEP}", lambda x: x / 255),
    "to-minus-1-1": Slip(f"you brought numbers of 0 to 1 to −1 to 1. {_KEEP}", lambda x: 2 * x - 1),
    "bytes-to-minus-1-1": Slip(f"you brought bytes to −1 to 1. {_KEEP}", lambda x: x / 127.5 - 1),
    # functions
    "relu": Slip("negative numbers became 0. There is no ReLU here.", lambda x: np.maximum(x, 0)),
    "gelu": Slip(
        "the numbers went through GELU. There is no activation here.", lambda x: x / 2 * (1 + erf(x / np.sqrt(2)))
    ),
    "silu": Slip(
        "the numbers went through SiLU, x sigmoid(x). There is no activation here.", lambda x: x / (1 + np.exp(-x))
    ),
    "tanh": Slip("the numbers went through tanh. There is no activation here.", np.tanh),
    "sigmoid": Slip("the numbers went through a sigmoid. There is no activation here.", lambda x: 1 / (1 + np.exp(-x))),
    "exp": Slip(f"the numbers went through exp. {_KEEP}", np.exp),
    "log": Slip(f"you took the logarithm. {_KEEP}", np.log),
    "softmax": Slip("a softmax ran along each row. There is none here.", lambda x: _softmax(x, -1)),
    "softmax-columns": Slip("a softmax ran down each column. There is none here.", lambda x: _softmax(x, -2)),
    # centring and normalising
    "centred": Slip(f"each row's mean is taken off. {_KEEP}", lambda x: x - x.mean(-1, keepdims=True)),
    "centred-columns": Slip(f"each column's mean is taken off. {_KEEP}", lambda x: x - x.mean(-2, keepdims=True)),
    "centred-all": Slip(f"the mean of all numbers is taken off. {_KEEP}", lambda x: x - x.mean()),
    "from-0": Slip(f"the smallest number is taken off all. {_KEEP}", lambda x: x - x.min()),
    "row-minimum": Slip(f"each row's smallest number is taken off. {_KEEP}", lambda x: x - x.min(-1, keepdims=True)),
    "row-maximum": Slip(f"each row's largest number is taken off. {_KEEP}", lambda x: x - x.max(-1, keepdims=True)),
    "over-largest": Slip(f"all is divided by the largest number. {_KEEP}", lambda x: x / x.max()),
    "over-largest-size": Slip(f"all is divided by the largest absolute number. {_KEEP}", lambda x: x / np.abs(x).max()),
    "over-row-largest": Slip(
        f"each row is divided by its largest number. {_KEEP}", lambda x: x / x.max(-1, keepdims=True)
    ),
    "min-max": Slip(
        f"the numbers are stretched to 0 to 1 by the smallest and the largest. {_KEEP}",
        lambda x: (x - x.min()) / (x.max() - x.min()),
    ),
    "row-min-max": Slip(
        f"each row is stretched to 0 to 1. {_KEEP}",
        lambda x: (x - x.min(-1, keepdims=True)) / (x.max(-1, keepdims=True) - x.min(-1, keepdims=True)),
    ),
    "over-sum": Slip(f"each row is divided by its sum. {_KEEP}", lambda x: x / x.sum(-1, keepdims=True)),
    "over-column-sum": Slip(f"each column is divided by its sum. {_KEEP}", lambda x: x / x.sum(-2, keepdims=True)),
    "unit": Slip(f"each row is brought to length 1. {_KEEP}", lambda x: x / np.linalg.norm(x, axis=-1, keepdims=True)),
    "unit-columns": Slip(
        f"each column is brought to length 1. {_KEEP}", lambda x: x / np.linalg.norm(x, axis=-2, keepdims=True)
    ),
    "normalised": Slip(
        "each row is normalised to mean 0 and variance 1. No LayerNorm stands here.", lambda x: _norm(x, -1)
    ),
    "rms": Slip(
        "each row is divided by its root mean square (RMSNorm). No norm stands here.",
        lambda x: x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6),
    ),
    "normalised-columns": Slip(
        "each column is normalised to mean 0 and variance 1. No norm stands here.", lambda x: _norm(x, -2)
    ),
    "normalised-all": Slip(
        "all numbers together are normalised to mean 0 and variance 1. No norm stands here.", lambda x: _norm(x, None)
    ),
    # number types and limits
    "float16": Slip(
        "the numbers are in half precision, which keeps three digits. Stay in float64 or float32.",
        lambda x: x.astype(np.float16).astype(np.float64),
    ),
    "whole": Slip("the numbers lost what is behind the point, as int() does. Stay in floating point.", np.trunc),
    "rounded": Slip("the numbers are rounded to whole ones. Round nothing.", np.round),
    "rounded-1": Slip("the numbers are rounded to one decimal. Round nothing.", lambda x: np.round(x, 1)),
    "rounded-2": Slip("the numbers are rounded to two decimals. Round nothing.", lambda x: np.round(x, 2)),
    "rounded-3": Slip("the numbers are rounded to three decimals. Round nothing.", lambda x: np.round(x, 3)),
    "rounded-4": Slip("the numbers are rounded to four decimals. Round nothing.", lambda x: np.round(x, 4)),
    "clipped-0-1": Slip("the numbers are cut off at 0 and 1. Cut nothing off.", lambda x: x.clip(0, 1)),
    **{
        f"clipped-{limit}": Slip(
            f"the numbers are cut off at −{limit} and {limit}. Cut nothing off.",
            lambda x, limit=limit: x.clip(-limit, limit),
        )
        for limit in (1, 2, 3, 5, 6, 10, 20, 30, 50, 80, 88, 100, 500, 700, 709, 1000, 10_000)
    },
    # places
    "transposed": Slip("rows and columns are exchanged. Leave them as they come.", lambda x: x.swapaxes(-1, -2)),
    "reread": Slip(
        "a reshape stands where a transpose is meant, or there is one too many: the shape fits and the numbers"
        " are scrambled.",
        _reread,
    ),
    "rows-backwards": Slip("the rows are in reverse order. Leave them as they come.", lambda x: x[..., ::-1, :]),
    "columns-backwards": Slip("the columns are in reverse order. Leave them as they come.", lambda x: x[..., ::-1]),
    "rows-rolled": Slip(
        "every row has moved up by one, and the first has become the last. Row i stays row i.",
        lambda x: np.roll(x, -1, -2),
    ),
    "rows-rolled-back": Slip(
        "every row has moved down by one, and the last has become the first. Row i stays row i.",
        lambda x: np.roll(x, 1, -2),
    ),
    "columns-rolled": Slip(
        "every column has moved by one to the left. Column j stays column j.", lambda x: np.roll(x, -1, -1)
    ),
    "columns-rolled-back": Slip(
        "every column has moved by one to the right. Column j stays column j.", lambda x: np.roll(x, 1, -1)
    ),
    "sorted": Slip("the numbers of each row are sorted. Leave them in their order.", lambda x: np.sort(x, -1)),
    "sorted-rows": Slip("the numbers of each column are sorted. Leave them in their order.", lambda x: np.sort(x, -2)),
    "summed-up": Slip(
        "the rows are summed up as they go (cumsum). Each row stands for itself.", lambda x: np.cumsum(x, -2)
    ),
    "summed-up-columns": Slip(
        "the columns are summed up as they go (cumsum). Each number stands for itself.", lambda x: np.cumsum(x, -1)
    ),
    # rows and columns lost
    "first-row": Slip(
        "row 0 stands in for all rows. Every row has its own numbers.", _same_for_all(lambda x: x[..., :1, :])
    ),
    "last-row": Slip(
        "the last row stands in for all rows. Every row has its own numbers.", _same_for_all(lambda x: x[..., -1:, :])
    ),
    "mean-row": Slip(
        "the mean of all rows stands in for each. Every row has its own numbers.",
        _same_for_all(lambda x: x.mean(-2, keepdims=True)),
    ),
    "sum-row": Slip(
        "the sum of all rows stands in for each. Every row has its own numbers.",
        _same_for_all(lambda x: x.sum(-2, keepdims=True)),
    ),
    "maximum-row": Slip(
        "the largest of each column stands in for all rows. Every row has its own numbers.",
        _same_for_all(lambda x: x.max(-2, keepdims=True)),
    ),
    "first-column": Slip(
        "column 0 stands in for all columns. Every column has its own numbers.", _same_for_all(lambda x: x[..., :1])
    ),
    "mean-column": Slip(
        "the mean of each row stands in for its numbers. Keep every number.",
        _same_for_all(lambda x: x.mean(-1, keepdims=True)),
    ),
    "sum-column": Slip(
        "the sum of each row stands in for its numbers. Keep every number.",
        _same_for_all(lambda x: x.sum(-1, keepdims=True)),
    ),
    "mean-all": Slip(
        "the mean of all numbers stands in for each. Keep every number.", _same_for_all(lambda x: x.mean(keepdims=True))
    ),
    "first-row-0": Slip("row 0 became 0. It takes part like the others.", lambda x: _zeroed(x, 0, _ALL)),
    "last-row-0": Slip(
        "the last row is missing: it is 0. Check where a loop or a slice stops.", lambda x: _zeroed(x, -1, _ALL)
    ),
    "first-column-0": Slip(
        "column 0 is missing: it is 0. Check where a loop or a slice starts.", lambda x: _zeroed(x, 0)
    ),
    "last-column-0": Slip(
        "the last column is missing: it is 0. Check where a loop or a slice stops.", lambda x: _zeroed(x, -1)
    ),
    "only-first-row": Slip(
        "only row 0 has its numbers, the others are 0. Fill every row.", lambda x: _zeroed(x, slice(1, None), _ALL)
    ),
    # one axis: a bias, a gain, the class token
    "first-number": Slip(
        "its first number stands in for all. Every column has its own.", lambda x: np.full_like(x, x[0])
    ),
    "last-number": Slip(
        "its last number stands in for all. Every column has its own.", lambda x: np.full_like(x, x[-1])
    ),
    "mean-number": Slip(
        "its mean stands in for all its numbers. Every column has its own.", lambda x: np.full_like(x, x.mean())
    ),
    "sum-number": Slip(
        "its sum stands in for all its numbers. Every column has its own.", lambda x: np.full_like(x, x.sum())
    ),
    "zeros": Slip("all is 0: this part is missing.", np.zeros_like),
    "ones": Slip("all is 1, as if this had not been given. Use what you are given.", np.ones_like),
}
"""The table, by name."""

VALUES = (
    "absolute squared relu gelu silu tanh sigmoid exp softmax centred centred-columns centred-all from-0"
    " row-minimum row-maximum over-largest over-largest-size min-max row-min-max over-sum unit unit-columns normalised"
    " rms normalised-columns normalised-all float16 whole rounded rounded-1 rounded-2 rounded-3 clipped-0-1"
    " clipped-1 clipped-2 clipped-3 clipped-5 clipped-10 clipped-1000"
)
PLACES = (
    "reread rows-backwards columns-backwards rows-rolled rows-rolled-back columns-rolled columns-rolled-back sorted"
    " sorted-rows summed-up summed-up-columns first-row last-row mean-row sum-row maximum-row first-column mean-column"
    " mean-all first-row-0 last-row-0 first-column-0 last-column-0 only-first-row"
)
VECTOR = (
    "absolute squared relu tanh sigmoid exp softmax centred from-0 over-largest over-largest-size min-max over-sum unit"
    " normalised float16 whole rounded rounded-1 rounded-2 rounded-3 clipped-0-1 clipped-1 clipped-2 clipped-3"
    " columns-backwards columns-rolled columns-rolled-back sorted summed-up-columns first-number last-number"
    " mean-number sum-number first-column-0 last-column-0 ones negated doubled halved"
)
FACTORS = "negated doubled halved over-root-width times-root-width over-width times-width over-rows over-root-rows"

LIMITS = " ".join(f"clipped-{limit}" for limit in (6, 20, 30, 50, 80, 88, 100, 500, 700, 709, 10_000))
