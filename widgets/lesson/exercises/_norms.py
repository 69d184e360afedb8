"""LayerNorm in NumPy, with what people get wrong in it as named faults."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from widgets.lesson.exercises._slips import PLACES, VALUES, VECTOR, Faults, listed, slipping, slips_at
from widgets.lesson.specification import Misconception

Array = np.ndarray


def norm(x: Array, gain: Array, shift: Array, eps: float, faults: Faults) -> Array:
    """LayerNorm of tokens x (T, D), with the named mistakes."""
    if (other := next((WHOLE[fault][1] for fault in faults if fault in WHOLE), None)) is not None:
        return other(x, gain, shift, eps)
    at = slipping(faults)
    x, gain, shift = at("x", x), at("gain", gain), at("shift", shift)
    axis = 0 if "over-tokens" in faults else None if "over-everything" in faults else -1
    fixed = {"eps-1e-5": 1e-5, "eps-1e-6": 1e-6, "eps-1e-12": 1e-12, "no-eps": 0.0}
    eps = next((value for name, value in fixed.items() if name in faults), eps)
    centre = np.median if "median" in faults else np.mean
    centred = at("centred", x - at("mean", centre(x, axis=axis, keepdims=True)))
    spread = at("spread", _spread(x, centred, axis, eps, faults))
    normal = at("normal", (x if "not-centred" in faults or "rms" in faults else centred) / spread)
    if "gain-shift-swapped" in faults:
        gain, shift = shift, gain
    normal = normal + eps if "eps-last" in faults else normal
    if "twice" in faults:
        normal = (normal - normal.mean(axis, keepdims=True)) / np.sqrt(normal.var(axis, keepdims=True) + eps)
    gain = 1 / gain if "gain-divides" in faults else gain
    gain = 1 if "no-gain" in faults else 1 + gain if "gain-plus-one" in faults else gain
    shift = 0 if "no-shift" in faults else shift
    return at("norm", (normal + shift) * gain if "shift-first" in faults else normal * gain + shift)


def _spread(x: Array, centred: Array, axis: int | None, eps: float, faults: Faults) -> Array:
    eps = eps**2 if "eps-squared" in faults else 0.0 if "eps-last" in faults else eps
    if "largest" in faults:
        return np.abs(centred).max(axis=axis, keepdims=True) + eps
    if "mean-deviation" in faults:
        return np.abs(centred).mean(axis=axis, keepdims=True) + eps
    if (other := next((SPREADS[fault][1] for fault in faults if fault in SPREADS), None)) is not None:
        return other(x, eps)
    around = x if "rms" in faults else x - x.mean(axis=axis, keepdims=True)
    squares = around**2
    variance = squares.sum(axis=axis, keepdims=True)
    if "sum-of-squares" not in faults:
        count = x.size if axis is None else x.shape[axis]
        variance = variance / (count - ("sample-variance" in faults))
    if "eps-root" in faults:
        return np.sqrt(variance) + np.sqrt(eps)
    if "eps-outside" in faults:
        return np.sqrt(variance) + eps
    return variance + eps if "not-rooted" in faults else np.sqrt(variance + eps)


def _mean(x: Array) -> Array:
    return x.mean(-1, keepdims=True)


def _variance(x: Array) -> Array:
    return x.var(-1, keepdims=True)


def _normal(x: Array, eps: float) -> Array:
    return (x - _mean(x)) / np.sqrt(_variance(x) + eps)


def _in_groups(x: Array, gain: Array, shift: Array, eps: float) -> Array:
    halves = x.reshape(len(x), 2, -1)
    return _normal(halves, eps).reshape(x.shape) * gain + shift


_INSIDE = "Epsilon is added once to the variance, inside the root: sqrt(variance + eps)."

SPREADS: dict[str, tuple[str, Callable[[Array, float], Array]]] = {
    "variance:of-squares": (
        (
            "Your variance is the mean of x^2: the mean is not taken off before squaring. It is the mean of (x −"
            " mean)^2, or E[x^2] − E[x]^2."
        ),
        lambda x, eps: np.sqrt(_mean(x**2) + eps),
    ),
    "variance:sum-of-squares-of-x": (
        "You divided by the root of the sum of x^2. The variance is the mean of (x − mean)^2.",
        lambda x, eps: np.sqrt((x**2).sum(-1, keepdims=True) + eps),
    ),
    "variance:length": (
        "You divided by the length of the row. Divide by the root of the variance, the mean of (x − mean)^2.",
        lambda x, eps: np.linalg.norm(x, axis=-1, keepdims=True) + eps,
    ),
    "variance:length-of-centred": (
        (
            "You divided by the length of the centred row. Divide by the root of the variance, which is the mean"
            " of the squares, not their sum."
        ),
        lambda x, eps: np.linalg.norm(x - _mean(x), axis=-1, keepdims=True) + eps,
    ),
    "variance:mean-not-squared": (
        "You took E[x^2] − E[x]. The mean is squared too: E[x^2] − E[x]^2.",
        lambda x, eps: np.sqrt(_mean(x**2) - _mean(x) + eps),
    ),
    "variance:mean-added": (
        "You took E[x^2] + E[x]^2. The variance is E[x^2] − E[x]^2.",
        lambda x, eps: np.sqrt(_mean(x**2) + _mean(x) ** 2 + eps),
    ),
    "variance:over-tokens": (
        "The mean runs along the row and the variance down the columns. Both run along the row: axis=-1.",
        lambda x, eps: np.sqrt(x.var(0, keepdims=True) + eps),
    ),
    "variance:of-all": (
        (
            "The mean is each row's and the variance that of the whole matrix. Both are each row's: axis=-1,"
            " keepdims=True."
        ),
        lambda x, eps: np.sqrt(x.var() + eps),
    ),
    "variance:of-token-0": (
        "All rows are divided by the deviation of row 0. Every row has its own.",
        lambda x, eps: np.sqrt(_variance(x)[:1] + eps),
    ),
    "variance:of-means": (
        "You took the variance of the rows' means. It is that of a row's own numbers.",
        lambda x, eps: np.sqrt(_mean(x).var() + eps),
    ),
    "variance:two-less": (
        "You divided the variance by D − 2. It is divided by D.",
        lambda x, eps: np.sqrt(_variance(x) * x.shape[-1] / (x.shape[-1] - 2) + eps),
    ),
    "variance:one-more": (
        "You divided the variance by D + 1. It is divided by D.",
        lambda x, eps: np.sqrt(_variance(x) * x.shape[-1] / (x.shape[-1] + 1) + eps),
    ),
    "variance:over-count": (
        "You divided by D a second time: `var` is a mean already.",
        lambda x, eps: np.sqrt(_variance(x) / x.shape[-1] + eps),
    ),
    "variance:range": (
        "You divided by largest minus smallest. Divide by the root of the variance.",
        lambda x, eps: x.max(-1, keepdims=True) - x.min(-1, keepdims=True) + eps,
    ),
    "variance:largest-number": (
        "You divided by the row's largest number. Divide by the root of the variance.",
        lambda x, eps: x.max(-1, keepdims=True) + eps,
    ),
    "variance:root-of-deviation": (
        "The root was taken twice: `std` is a root already. It is sqrt(variance + eps).",
        lambda x, eps: np.sqrt(np.sqrt(_variance(x)) + eps),
    ),
    "variance:root-of-root": (
        "The root was taken twice. It is sqrt(variance + eps).",
        lambda x, eps: (_variance(x) + eps) ** 0.25,
    ),
    "variance:squared": ("You squared the variance. Divide by its root.", lambda x, eps: (_variance(x) + eps) ** 2),
    "variance:half": (
        "The variance is halved. It is the mean of the squares.",
        lambda x, eps: np.sqrt(_variance(x) / 2 + eps),
    ),
    "variance:not-divided": (
        "You only took the mean off. The row is divided by sqrt(variance + eps) too.",
        lambda x, eps: np.ones((len(x), 1)),
    ),
    "variance:multiplied": (
        "You multiplied by sqrt(variance + eps). The centred row is divided by it.",
        lambda x, eps: 1 / np.sqrt(_variance(x) + eps),
    ),
    "eps:largest-of-both": (
        f"You took the larger of variance and epsilon. {_INSIDE}",
        lambda x, eps: np.sqrt(np.maximum(_variance(x), eps)),
    ),
    "eps:largest-of-deviation": (
        f"You took the larger of deviation and epsilon. {_INSIDE}",
        lambda x, eps: np.maximum(np.sqrt(_variance(x)), eps),
    ),
    "eps:subtracted": (f"You subtracted epsilon. {_INSIDE}", lambda x, eps: np.sqrt(_variance(x) - eps)),
    "eps:twice": (f"Epsilon was added twice. {_INSIDE}", lambda x, eps: np.sqrt(_variance(x) + 2 * eps)),
    "eps:inside-and-outside": (
        f"Epsilon was added inside the root and outside. {_INSIDE}",
        lambda x, eps: np.sqrt(_variance(x) + eps) + eps,
    ),
    "eps:root": (f"You added the root of epsilon. {_INSIDE}", lambda x, eps: np.sqrt(_variance(x) + np.sqrt(eps))),
    "eps:in-quadrature": (
        f"You squared the wrong thing: sqrt(deviation + eps^2). {_INSIDE}",
        lambda x, eps: np.sqrt(np.sqrt(_variance(x)) + eps**2),
    ),
    "eps:times": (f"You multiplied the variance by epsilon. {_INSIDE}", lambda x, eps: np.sqrt(_variance(x) * eps)),
    "eps:once-a-number": (
        f"Epsilon was added to every square, before they were summed. {_INSIDE}",
        lambda x, eps: np.sqrt(((x - _mean(x)) ** 2 + eps).sum(-1, keepdims=True)),
    ),
    "eps:to-the-sum": (
        f"Epsilon was added to the sum of squares, before it was divided by D. {_INSIDE}",
        lambda x, eps: np.sqrt(_variance(x) + eps / x.shape[-1]),
    ),
    "eps:to-the-numbers": (
        f"Epsilon was added to the numbers before they were squared. {_INSIDE}",
        lambda x, eps: np.sqrt(_mean((x - _mean(x) + eps) ** 2)),
    ),
    "eps:one-less": (
        f"You took the sample variance and put epsilon outside the root. LayerNorm divides by D. {_INSIDE}",
        lambda x, eps: np.sqrt(_variance(x) * x.shape[-1] / (x.shape[-1] - 1)) + eps,
    ),
    **{
        f"eps:{value}": (
            f"You used {value} in place of the epsilon you were given. {_INSIDE}",
            lambda x, eps, value=value: np.sqrt(_variance(x) + float(value)),
        )
        for value in ("1e-3", "1e-4", "1e-7", "1e-8", "1e-10", "1")
    },
}
"""What can be divided by in the place of sqrt(variance + eps)."""

WHOLE: dict[str, tuple[str, Callable[[Array, Array, Array, float], Array]]] = {
    "order:gain-first": (
        "The gain came first, and what it made was normalised. Normalise x, then multiply by gain and add shift.",
        lambda x, g, b, eps: _normal(x * g, eps) + b,
    ),
    "order:both-first": (
        "Gain and shift came first, and the norm undid much of them. Normalise x, then multiply by gain and add shift.",
        lambda x, g, b, eps: _normal(x * g + b, eps),
    ),
    "order:shift-first": (
        "The shift was added to x before it was normalised. It is added last.",
        lambda x, g, b, eps: _normal(x + b, eps) * g,
    ),
    "order:gain-before-centring": (
        "You multiplied x by the gain before the mean was taken off. Centre, divide, then multiply.",
        lambda x, g, b, eps: (x * g - _mean(x)) / np.sqrt(_variance(x) + eps) + b,
    ),
    "order:gain-before-its-mean": (
        (
            "The gain was applied to x before its mean was taken off, with x's own variance. Centre, divide, then"
            " multiply."
        ),
        lambda x, g, b, eps: (x * g - _mean(x * g)) / np.sqrt(_variance(x) + eps) + b,
    ),
    "order:gain-before-variance": (
        "You divided by the deviation of the multiplied rows. Mean and variance are those of x.",
        lambda x, g, b, eps: (x - _mean(x)) * g / np.sqrt(_variance(x * g) + eps) + b,
    ),
    "order:gain-on-mean": (
        "The gain multiplied the mean alone. It multiplies the normalised row.",
        lambda x, g, b, eps: (x - _mean(x) * g) / np.sqrt(_variance(x) + eps) + b,
    ),
    "order:shift-divided": (
        "The shift was divided by the deviation too. It is added last.",
        lambda x, g, b, eps: ((x - _mean(x)) * g + b) / np.sqrt(_variance(x) + eps),
    ),
    "order:shift-before-division": (
        "The shift was added before the division. It is added last, after the gain.",
        lambda x, g, b, eps: (x - _mean(x) + b) / np.sqrt(_variance(x) + eps) * g,
    ),
    "order:centred-last": (
        "You divided first and took the mean of x off afterwards. Centre, then divide.",
        lambda x, g, b, eps: (x / np.sqrt(_variance(x) + eps) - _mean(x)) * g + b,
    ),
    "brackets:mean-divided": (
        (
            "The brackets are missing: x − mean / deviation divides the mean alone. It is (x − mean) / sqrt(variance +"
            " eps)."
        ),
        lambda x, g, b, eps: (x - _mean(x) / np.sqrt(_variance(x) + eps)) * g + b,
    ),
    "brackets:gain-divides-too": (
        "The gain stands below the line: it was divided by. It is (x − mean) / sqrt(variance + eps) * gain.",
        lambda x, g, b, eps: (x - _mean(x)) / (np.sqrt(_variance(x) + eps) * g) + b,
    ),
    "brackets:gain-in-root": (
        "The gain stands inside the root. It multiplies the normalised row.",
        lambda x, g, b, eps: (x - _mean(x)) / np.sqrt(_variance(x) + eps * g) + b,
    ),
    "brackets:gain-and-shift": (
        "You multiplied by gain + shift. Multiply by gain, then add shift.",
        lambda x, g, b, eps: _normal(x, eps) * (g + b),
    ),
    "shift:subtracted": ("You subtracted the shift. It is added.", lambda x, g, b, eps: _normal(x, eps) * g - b),
    "shift:multiplied": ("You multiplied by the shift. It is added.", lambda x, g, b, eps: _normal(x, eps) * g * b),
    "shift:twice": ("The shift was added twice.", lambda x, g, b, eps: _normal(x, eps) * g + 2 * b),
    "gain:added": ("You added the gain. It multiplies.", lambda x, g, b, eps: _normal(x, eps) + g + b),
    "gain:twice": ("You multiplied by the gain twice.", lambda x, g, b, eps: _normal(x, eps) * g * g + b),
    "gain:exponent": (
        "You multiplied by exp(gain). The gain is used as it is.",
        lambda x, g, b, eps: _normal(x, eps) * np.exp(g) + b,
    ),
    "centre:token-0": (
        "All rows lost the mean of row 0. Every row has its own.",
        lambda x, g, b, eps: (x - _mean(x)[:1]) / np.sqrt(_variance(x) + eps) * g + b,
    ),
    "centre:over-tokens": (
        "The mean runs down the columns and the variance along the row. Both run along the row: axis=-1.",
        lambda x, g, b, eps: (x - x.mean(0)) / np.sqrt(_variance(x) + eps) * g + b,
    ),
    "centre:of-all": (
        (
            "The mean is that of the whole matrix and the variance each row's. Both are each row's: axis=-1,"
            " keepdims=True."
        ),
        lambda x, g, b, eps: (x - x.mean()) / np.sqrt(_variance(x) + eps) * g + b,
    ),
    "centre:added": (
        "You added the mean. It is subtracted.",
        lambda x, g, b, eps: (x + _mean(x)) / np.sqrt(_variance(x) + eps) * g + b,
    ),
    "centre:reversed": ("You took mean − x. It is x − mean.", lambda x, g, b, eps: -_normal(x, eps) * g + b),
    "centre:sum": (
        "You subtracted the sum of the row. It is the mean.",
        lambda x, g, b, eps: (x - x.sum(-1, keepdims=True)) / np.sqrt(_variance(x) + eps) * g + b,
    ),
    "centre:one-less": (
        "You divided the sum by D − 1 for the mean. The mean is divided by D.",
        lambda x, g, b, eps: (x - x.sum(-1, keepdims=True) / (x.shape[-1] - 1)) / np.sqrt(_variance(x) + eps) * g + b,
    ),
    "centre:minimum": (
        "You subtracted the smallest number. It is the mean.",
        lambda x, g, b, eps: (x - x.min(-1, keepdims=True)) / np.sqrt(_variance(x) + eps) * g + b,
    ),
    "centre:largest": (
        "You subtracted the largest number. It is the mean.",
        lambda x, g, b, eps: (x - x.max(-1, keepdims=True)) / np.sqrt(_variance(x) + eps) * g + b,
    ),
    "centre:twice": (
        "The mean was subtracted twice.",
        lambda x, g, b, eps: (x - 2 * _mean(x)) / np.sqrt(_variance(x) + eps) * g + b,
    ),
    "other:min-max": (
        "You stretched each row to 0 to 1. LayerNorm brings it to mean 0 and variance 1.",
        lambda x, g, b, eps: (
            (x - x.min(-1, keepdims=True)) / (x.max(-1, keepdims=True) - x.min(-1, keepdims=True) + eps) * g + b
        ),
    ),
    "other:length-1": (
        "You brought each row to length 1. LayerNorm brings it to mean 0 and variance 1.",
        lambda x, g, b, eps: x / (np.linalg.norm(x, axis=-1, keepdims=True) + eps) * g + b,
    ),
    "other:length-1-inside": (
        "You brought each row to length 1. LayerNorm brings it to mean 0 and variance 1.",
        lambda x, g, b, eps: x / np.sqrt((x**2).sum(-1, keepdims=True) + eps) * g + b,
    ),
    "other:tanh": (
        "You took tanh of x in the norm's place. LayerNorm brings each row to mean 0 and variance 1.",
        lambda x, g, b, eps: np.tanh(x) * g + b,
    ),
    "other:softmax": (
        "You took a softmax of each row. LayerNorm brings it to mean 0 and variance 1.",
        lambda x, g, b, eps: (lambda p: p / p.sum(-1, keepdims=True) * g + b)(np.exp(x - x.max(-1, keepdims=True))),
    ),
    "other:not-normed": (
        "Nothing was normalised: x met gain and shift as it is. Bring each row to mean 0 and variance 1 first.",
        lambda x, g, b, eps: x * g + b,
    ),
    "other:groups": (
        (
            "You normalised the two halves of each row apart, as a group norm does. LayerNorm takes all D numbers"
            " together."
        ),
        _in_groups,
    ),
    "other:residual": (
        "You added x. A norm has no residual of its own.",
        lambda x, g, b, eps: x + _normal(x, eps) * g + b,
    ),
    "other:rms-of-centred-twice": (
        "You centred before and after the division by the root mean square of x. Divide by that of x − mean.",
        lambda x, g, b, eps: (x - _mean(x)) / np.sqrt(_mean(x**2)) * g + b,
    ),
    "other:rms-plus-eps": (
        "You left the mean out altogether (RMSNorm), and epsilon is outside the root. LayerNorm subtracts the mean.",
        lambda x, g, b, eps: x / (np.sqrt(_mean(x**2)) + eps) * g + b,
    ),
    "other:per-column-and-row": (
        "You normalised the columns and then the rows. LayerNorm works along each row alone.",
        lambda x, g, b, eps: _normal(_normal(x.T, eps).T, eps) * g + b,
    ),
}

ALL = f"{VALUES} {PLACES}"
STEPS = {
    "norm": ("the answer", f"{ALL} over-root-width times-root-width over-width"),
    "normal": (
        "the normalised rows, before the gain",
        f"{ALL} negated doubled halved over-root-width times-root-width over-width",
    ),
    "centred": ("the centred rows, though not in the variance", ALL),
    "spread": (
        "the deviation that rows are divided by",
        (
            "first-row last-row mean-row sum-row maximum-row doubled halved squared"
            " clipped-1 clipped-0-1 over-largest rounded rounded-2 whole rows-backwards"
        ),
    ),
    "mean": ("the mean", "first-row last-row mean-row sum-row doubled halved absolute rounded whole negated relu"),
    "x": ("x, before everything else", ALL),
    "gain": ("the gain", VECTOR),
    "shift": ("the shift", VECTOR),
}


def norm_misconceptions() -> tuple[Misconception, ...]:
    """Everything that has a place in its name."""
    return listed(SPREADS) + listed(WHOLE) + slips_at(STEPS)
