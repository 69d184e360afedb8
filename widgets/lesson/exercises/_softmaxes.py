"""What people put in the softmax's place, what they mask and what they divide scores by: three tables of slips."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from widgets.lesson.specification import Misconception

Array = np.ndarray
MASKED = -1e9  # what a masked score is set to: a row that is masked as a whole stays finite


def softmax(scores: Array, axis: int | tuple[int, ...] | None = -1) -> Array:
    """e^s / sum e^s along an axis; None takes the whole matrix."""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


class Map(NamedTuple):
    """A sentence for the reader, and the weights (..., T, T) that come of scores (..., T, T) with this mistake."""

    sentence: str
    weights: Callable[[Array], Array]


def _powers(scores: Array) -> Array:
    return np.exp(scores - scores.max(-1, keepdims=True))


def _kept(scores: Array, kept: Array) -> Array:
    return softmax(np.where(kept, scores, MASKED))


def _places(scores: Array) -> tuple[Array, Array]:
    """Numbers of the query (T, 1) and of the key (1, T)."""
    T = scores.shape[-1]
    return np.arange(T)[:, None], np.arange(T)[None]


def _largest(scores: Array, count: int) -> Array:
    """Where the `count` largest scores of each row are."""
    return scores >= np.sort(scores, -1)[..., -min(count, scores.shape[-1]), None]


def _near(scores: Array, reach: int) -> Array:
    query, key = _places(scores)
    return _kept(scores, np.abs(query - key) <= reach)


def _side(scores: Array) -> Array:
    """Triangle (T, T): query i sees keys 0 to i."""
    return np.tri(scores.shape[-1], dtype=bool)


def _turned(sums: Array) -> Array:
    return sums.swapaxes(-1, -2)  # what (..., T, 1) becomes when its axis is lost and it meets (..., T, T)


_RIGHT = "The weights are e^s, divided by the sum of e^s along the row."
_NO_MASK = "A ViT has no mask: every token sees every token."

MAPS: dict[str, Map] = {
    "softmax:twice": Map("The softmax ran twice. It runs once, on the scores.", lambda s: softmax(softmax(s))),
    "softmax:no-keepdims": Map(
        "The sum lost its axis, so column j was divided by the sum of row j: the shapes fit and the rows do not sum to"
        " 1. Keep it: `powers.sum(axis=-1, keepdims=True)`.",
        lambda s: _powers(s) / _turned(_powers(s).sum(-1, keepdims=True)),
    ),
    "softmax:maximum-no-keepdims": Map(
        "The maximum lost its axis, so row j's was taken off column j. Keep it: `scores.max(axis=-1, keepdims=True)`.",
        lambda s: (lambda p: p / p.sum(-1, keepdims=True))(np.exp(s - _turned(s.max(-1, keepdims=True)))),
    ),
    "softmax:neither-keepdims": Map(
        "Maximum and sum lost their axis, so column j met those of row j. Keep it in both, with keepdims=True.",
        lambda s: (lambda p: p / _turned(p.sum(-1, keepdims=True)))(np.exp(s - _turned(s.max(-1, keepdims=True)))),
    ),
    "softmax:not-divided": Map(f"You did not divide by the row's sum. {_RIGHT}", _powers),
    "softmax:exp-alone": Map(f"That is exp alone, not divided by the row's sum. {_RIGHT}", np.exp),
    "softmax:over-all": Map(
        "You divided by the sum of the whole matrix. Every row is divided by its own sum.",
        lambda s: _powers(s) / _powers(s).sum((-2, -1), keepdims=True),
    ),
    "softmax:over-columns": Map(
        "You divided by the sums of the columns. Every row is divided by its own sum.",
        lambda s: _powers(s) / _powers(s).sum(-2, keepdims=True),
    ),
    "softmax:over-count": Map(f"You divided by the number of keys. {_RIGHT}", lambda s: _powers(s) / s.shape[-1]),
    "softmax:scores-over-count": Map(
        f"There is no softmax: the scores are divided by the number of keys. {_RIGHT}", lambda s: s / s.shape[-1]
    ),
    "softmax:over-mean": Map(
        f"You divided by the mean of the powers, not by their sum. {_RIGHT}",
        lambda s: _powers(s) / _powers(s).mean(-1, keepdims=True),
    ),
    "softmax:over-length": Map(
        f"You divided by the length of the row of powers, not by their sum. {_RIGHT}",
        lambda s: _powers(s) / np.linalg.norm(_powers(s), axis=-1, keepdims=True),
    ),
    "softmax:one-more": Map(
        f"There is a 1 in the sum, so that a row may give less than 1. {_RIGHT}",
        lambda s: np.exp(s) / (1 + np.exp(s).sum(-1, keepdims=True)),
    ),
    "softmax:one-more-shifted": Map(
        f"A 1 is added to the sum. {_RIGHT}", lambda s: _powers(s) / (1 + _powers(s).sum(-1, keepdims=True))
    ),
    "softmax:logarithm": Map(
        "That is the logarithm of the softmax. Attention takes the softmax itself.",
        lambda s: s - s.max(-1, keepdims=True) - np.log(_powers(s).sum(-1, keepdims=True)),
    ),
    "softmax:ten": Map(
        "You took powers of 10. Softmax takes powers of e: np.exp.", lambda s: softmax(s * math.log(10))
    ),
    "softmax:uniform": Map(f"All keys have the same weight. {_RIGHT}", lambda s: np.full_like(s, 1 / s.shape[-1])),
    "softmax:relu": Map(
        f"You took ReLU of the scores and divided by the sum. {_RIGHT}",
        lambda s: s.clip(0) / np.maximum(s.clip(0).sum(-1, keepdims=True), 1e-12),
    ),
    "softmax:relu-alone": Map(f"You took ReLU of the scores for weights. {_RIGHT}", lambda s: s.clip(0)),
    "softmax:relu-over-count": Map(
        f"You took ReLU of the scores, divided by the number of keys. {_RIGHT}", lambda s: s.clip(0) / s.shape[-1]
    ),
    "softmax:sizes": Map(
        f"You divided the absolute scores by their sum. {_RIGHT}",
        lambda s: np.abs(s) / np.abs(s).sum(-1, keepdims=True),
    ),
    "softmax:over-sizes": Map(
        f"You divided the scores by the sum of their absolute values. {_RIGHT}",
        lambda s: s / np.abs(s).sum(-1, keepdims=True),
    ),
    "softmax:squares": Map(
        f"You divided the squared scores by their sum. {_RIGHT}", lambda s: s**2 / (s**2).sum(-1, keepdims=True)
    ),
    "softmax:length-1": Map(
        f"You brought the rows of scores to length 1. {_RIGHT}", lambda s: s / np.linalg.norm(s, axis=-1, keepdims=True)
    ),
    "softmax:from-minimum": Map(
        f"You took each row's smallest score off and divided by the sum, without exp. {_RIGHT}",
        lambda s: (lambda r: r / r.sum(-1, keepdims=True))(s - s.min(-1, keepdims=True)),
    ),
    "softmax:softplus": Map(
        f"You took log(1 + e^s) for e^s. {_RIGHT}",
        lambda s: (lambda p: p / p.sum(-1, keepdims=True))(np.logaddexp(0, s)),
    ),
    "softmax:sigmoid-shares": Map(
        f"You divided sigmoids by their sum. {_RIGHT}",
        lambda s: (lambda p: p / p.sum(-1, keepdims=True))(1 / (1 + np.exp(-s))),
    ),
    "softmax:tanh": Map(f"You took tanh for the softmax. {_RIGHT}", np.tanh),
    "softmax:standardised": Map(
        "You normalised each row of scores before the softmax. Only sqrt(D_h) divides them.",
        lambda s: softmax((s - s.mean(-1, keepdims=True)) / s.std(-1, keepdims=True)),
    ),
    "softmax:over-deviation": Map(
        "You divided by the standard deviation of the scores. Only sqrt(D_h) divides them.",
        lambda s: softmax(s / s.std((-2, -1), keepdims=True)),
    ),
    "softmax:both-ways": Map(
        "You multiplied a softmax along the rows by one down the columns. Only the rows count.",
        lambda s: softmax(s) * softmax(s, -2),
    ),
    "softmax:two-largest": Map(
        "Only the two largest scores of a row kept a weight. Softmax shares it out among all keys.",
        lambda s: _kept(s, _largest(s, 2)),
    ),
    "softmax:three-largest": Map(
        "Only the three largest scores of a row kept a weight. Softmax shares it out among all keys.",
        lambda s: _kept(s, _largest(s, 3)),
    ),
    "weights:symmetric": Map(
        "You made the weights symmetric. Query i's view of key j is not j's view of i.",
        lambda s: (softmax(s) + softmax(s).swapaxes(-1, -2)) / 2,
    ),
    "scores:symmetric": Map(
        "You made the scores symmetric. Query i's view of key j is not j's view of i.",
        lambda s: softmax((s + s.swapaxes(-1, -2)) / 2),
    ),
    "weights:identity-added": Map(
        "You added the identity to the weights. The residual comes later, in the block.",
        lambda s: softmax(s) + np.eye(s.shape[-1]),
    ),
    "weights:identity": Map(
        f"Every token looks at itself alone. {_RIGHT}", lambda s: np.broadcast_to(np.eye(s.shape[-1]), s.shape)
    ),
    "weights:inverted": Map("You took 1 minus the weights. The weights themselves mix v.", lambda s: 1 - softmax(s)),
    "weights:squared-again": Map(
        "The weights are applied twice: A A v. Once is enough: A v.", lambda s: softmax(s) @ softmax(s)
    ),
    "mask:future": Map(
        f"Your tokens see themselves and later ones only. {_NO_MASK}",
        lambda s: _kept(s, ~_side(s) | np.eye(s.shape[-1], dtype=bool)),
    ),
    "mask:later": Map(f"Your tokens see later ones only. {_NO_MASK}", lambda s: _kept(s, ~_side(s))),
    "mask:earlier": Map(
        f"Your tokens see earlier ones only, and not themselves. {_NO_MASK}",
        lambda s: _kept(s, _side(s) & ~np.eye(s.shape[-1], dtype=bool)),
    ),
    "mask:zeros": Map(
        "You multiplied the scores of later tokens by 0. That is no mask, since e^0 is 1; and a ViT has none.",
        lambda s: softmax(s * _side(s)),
    ),
    "mask:after": Map(
        f"You set the weights of later tokens to 0, after the softmax. {_NO_MASK}", lambda s: softmax(s) * _side(s)
    ),
    "mask:diagonal-after": Map(
        "You set the diagonal to 0 after the softmax. A token sees itself too.",
        lambda s: softmax(s) * ~np.eye(s.shape[-1], dtype=bool),
    ),
    "mask:diagonal-0": Map(
        "You set the diagonal of the scores to 0. A token's score with itself is like any other.",
        lambda s: softmax(s * ~np.eye(s.shape[-1], dtype=bool)),
    ),
    "mask:neighbours": Map(f"Your tokens see their direct neighbours only. {_NO_MASK}", lambda s: _near(s, 1)),
    "mask:near": Map(f"Your tokens see no further than two places. {_NO_MASK}", lambda s: _near(s, 2)),
    "mask:without-token-0": Map(
        f"Token 0 is masked: nobody sees it. {_NO_MASK}", lambda s: _kept(s, _places(s)[1] > 0)
    ),
    "mask:without-last": Map(
        f"The last token is masked: nobody sees it. {_NO_MASK}", lambda s: _kept(s, _places(s)[1] < s.shape[-1] - 1)
    ),
    "mask:token-0-alone": Map(
        f"All tokens look at token 0 alone. {_NO_MASK}", lambda s: np.broadcast_to((_places(s)[1] == 0) * 1.0, s.shape)
    ),
    "mask:negative": Map(
        "Scores under 0 are masked. A small score has a small weight, not none.",
        lambda s: _kept(s, (s > 0) | (s == s.max(-1, keepdims=True))),
    ),
}

DIVISORS: dict[str, tuple[str, Callable[[int, int, int, int], float]]] = {  # of D_h, D, heads, T
    "scale:root-twice": ("the fourth root of D_h", lambda D_h, D, k, T: D_h**0.25),
    "scale:twice-width": ("sqrt(2 D_h)", lambda D_h, D, k, T: math.sqrt(2 * D_h)),
    "scale:one-less": ("sqrt(D_h − 1)", lambda D_h, D, k, T: math.sqrt(max(D_h - 1, 1))),
    "scale:one-more": ("sqrt(D_h + 1)", lambda D_h, D, k, T: math.sqrt(D_h + 1)),
    "scale:half-width": ("D_h / 2", lambda D_h, D, k, T: D_h / 2),
    "scale:squared": ("D_h squared", lambda D_h, D, k, T: D_h**2),
    "scale:power": ("D_h to the power of 3/2", lambda D_h, D, k, T: D_h**1.5),
    "scale:tokens-not-rooted": ("T, the number of tokens", lambda D_h, D, k, T: T),
    "scale:size": ("the root of T D_h, how many numbers there are", lambda D_h, D, k, T: math.sqrt(T * D_h)),
    "scale:times-width": ("1 / D_h, which multiplies by it", lambda D_h, D, k, T: 1 / D_h),
    "scale:eight": ("8, which is sqrt(D_h) for heads of 64 only", lambda D_h, D, k, T: 8.0),
    "scale:sixty-four": ("64, the width of a head of ViT-B", lambda D_h, D, k, T: 64.0),
    "scale:two": ("2", lambda D_h, D, k, T: 2.0),
    "scale:ten": ("10", lambda D_h, D, k, T: 10.0),
    "scale:tenth": ("0.1, which multiplies by 10", lambda D_h, D, k, T: 0.1),
    "scale:logarithm": ("the logarithm of D_h", lambda D_h, D, k, T: math.log(max(D_h, 2))),
}
OF_HEADS = {
    "scale:D-not-rooted": ("D, the width of the model", lambda D_h, D, k, T: D),
    "scale:heads-not-rooted": ("the number of heads", lambda D_h, D, k, T: k),
    "scale:packed": ("sqrt(3 D), from the width of q, k and v together", lambda D_h, D, k, T: math.sqrt(3 * D)),
    "scale:packed-head": ("sqrt(3 D_h), from a head's q, k and v together", lambda D_h, D, k, T: math.sqrt(3 * D_h)),
    "scale:heads-times-root": ("k sqrt(D_h), once a head", lambda D_h, D, k, T: k * math.sqrt(D_h)),
    "scale:times-root-D": ("1 / sqrt(D), which multiplies by the root", lambda D_h, D, k, T: 1 / math.sqrt(D)),
    "scale:width-over": ("sqrt(D) / k", lambda D_h, D, k, T: math.sqrt(D) / k),
}


def scale_misconceptions(heads: bool = False) -> tuple[Misconception, ...]:
    """Wrong divisors; with `heads`, those too that need a model wider than a head."""
    found = DIVISORS | OF_HEADS if heads else DIVISORS
    return tuple(
        Misconception(
            name,
            f"You divided the scores by {words}. They are divided by sqrt(D_h), the root of a head's width.",
            alone=True,
        )
        for name, (words, _) in found.items()
    )
