"""The pieces of an encoder block in NumPy, with what people get wrong in them as named faults.

The right answers come from `widgets.model`. These are the wrong ones; without faults they agree with the right ones,
which the tests check.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Faults = frozenset[str]
_erf = np.vectorize(math.erf, otypes=[np.float64])


def softmax(scores: np.ndarray, axis: int | tuple[int, ...] | None = -1) -> np.ndarray:
    """e^s / sum e^s along an axis; None takes the whole matrix."""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def attention_weights(q: np.ndarray, k: np.ndarray, divisor: float, faults: Faults) -> np.ndarray:
    """A (..., T, T) from q and k (..., T, D_h), with the named mistakes."""
    scores = q @ k.swapaxes(-1, -2) / divisor
    if "transposed-scores" in faults:
        scores = scores.swapaxes(-1, -2)
    if "no-self" in faults:
        scores = np.where(np.eye(scores.shape[-1], dtype=bool), -1e9, scores)
    if "sigmoid" in faults:
        return 1 / (1 + np.exp(-scores))
    if "causal" in faults:
        scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    if "no-softmax" in faults:
        return scores
    if "hard" in faults:
        return (scores == scores.max(-1, keepdims=True)).astype(float)
    if "shares-of-scores" in faults:
        return scores / scores.sum(-1, keepdims=True)
    weights = softmax(scores, -2 if "columns" in faults else (-2, -1) if "whole" in faults else -1)
    return weights.swapaxes(-1, -2) if "transposed-weights" in faults else weights


def divisor(head_size: int, width: int, heads: int, tokens: int, faults: Faults) -> float:
    """What the scores are divided by."""
    root = math.sqrt(head_size)
    wrong = {"no-scale": 1.0, "scale-not-rooted": float(head_size), "scale-width": math.sqrt(width),
             "scale-tokens": math.sqrt(tokens), "scale-floored": math.isqrt(head_size), "scale-heads": math.sqrt(heads), "scale-multiplied": 1 / root}
    return next((value for name, value in wrong.items() if name in faults), root)


def many_heads(z: np.ndarray, W_qkv: np.ndarray, b_qkv: np.ndarray, W_o: np.ndarray, b_o: np.ndarray, heads: int,
               faults: Faults) -> np.ndarray:
    """MSA(z) (T, D), with the named mistakes."""
    T, D = z.shape
    heads = 1 if "one-head" in faults else heads
    packed = z @ W_qkv + (0 if "no-qkv-bias" in faults else b_qkv)                 # (T, 3D)
    q, k, v = (_split(part, heads, faults) for part in _unpacked(packed, heads, faults))
    A = attention_weights(q, k, divisor(D // heads, D, heads, T, faults), faults)  # (k, T, T)
    if "one-map" in faults:
        A = np.broadcast_to(A.mean(0), A.shape)
    mixed = A @ v                                                                  # (k, T, D_h)
    if "heads-summed" in faults:
        mixed = np.broadcast_to(mixed.sum(0), mixed.shape)
    merged = _merge(mixed, faults)                                                 # (T, D)
    if "no-output-projection" not in faults:
        merged = merged @ (W_o.T if "output-transposed" in faults else W_o)
        bias = 0 if "no-output-bias" in faults else heads * b_o if "bias-for-each-head" in faults else b_o
        merged = merged + bias
    return merged + z if "residual" in faults else merged


def _unpacked(packed: np.ndarray, heads: int, faults: Faults) -> list[np.ndarray]:
    if "third-columns" in faults:
        return [packed[:, i::3] for i in range(3)]
    if "packed-by-head" in faults:  # q, k and v of head 0, then of head 1
        by_head = packed.reshape(len(packed), heads, 3, -1)
        return [by_head[:, :, i].reshape(len(packed), -1) for i in range(3)]
    q, k, v = np.split(packed, 3, axis=1)
    return [k, v, q] if "order-vqk" in faults else [q, v, k] if "order-qvk" in faults else [q, k, v]


def _split(x: np.ndarray, heads: int, faults: Faults) -> np.ndarray:
    T, D = x.shape
    if "heads-attend" in faults:  # the heads stay behind the tokens: each token's heads look at one another
        return x.reshape(T, heads, D // heads)
    if "split-by-reshape" in faults:
        return x.reshape(heads, T, D // heads)
    if "strided-heads" in faults:  # head j takes every k-th column
        return x.reshape(T, D // heads, heads).transpose(2, 0, 1)
    return x.reshape(T, heads, D // heads).swapaxes(0, 1)


def _merge(x: np.ndarray, faults: Faults) -> np.ndarray:
    if "heads-attend" in faults:
        return x.reshape(len(x), -1)
    heads, T, D_h = x.shape
    if "merged-by-reshape" in faults:
        return x.reshape(T, heads * D_h)
    if "merged-strided" in faults:
        return x.transpose(1, 2, 0).reshape(T, heads * D_h)
    if "heads-reversed" in faults:
        x = x[::-1]
    return x.swapaxes(0, 1).reshape(T, heads * D_h)


def norm(x: np.ndarray, gain: np.ndarray, shift: np.ndarray, eps: float, faults: Faults) -> np.ndarray:
    """LayerNorm of tokens x (T, D), with the named mistakes."""
    axis = 0 if "over-tokens" in faults else None if "over-everything" in faults else -1
    fixed = {"eps-1e-5": 1e-5, "eps-1e-6": 1e-6, "eps-1e-12": 1e-12, "no-eps": 0.0}
    eps = next((value for name, value in fixed.items() if name in faults), eps)
    centre = np.median if "median" in faults else np.mean
    centred = x - centre(x, axis=axis, keepdims=True)
    spread = _spread(x, centred, axis, eps, faults)
    normal = (x if "not-centred" in faults or "rms" in faults else centred) / spread
    if "gain-shift-swapped" in faults:
        gain, shift = shift, gain
    normal = normal + eps if "eps-last" in faults else normal
    gain = 1 if "no-gain" in faults else 1 + gain if "gain-plus-one" in faults else gain
    shift = 0 if "no-shift" in faults else shift
    return (normal + shift) * gain if "shift-first" in faults else normal * gain + shift


def _spread(x: np.ndarray, centred: np.ndarray, axis: int | None, eps: float, faults: Faults) -> np.ndarray:
    eps = eps**2 if "eps-squared" in faults else 0.0 if "eps-last" in faults else eps
    if "largest" in faults:
        return np.abs(centred).max(axis=axis, keepdims=True) + eps
    if "mean-deviation" in faults:
        return np.abs(centred).mean(axis=axis, keepdims=True) + eps
    around = x if "rms" in faults else x - x.mean(axis=axis, keepdims=True)
    squares = around**2
    variance = squares.sum(axis=axis, keepdims=True)
    if "sum-of-squares" not in faults:
        count = x.size if axis is None else x.shape[axis]
        variance = variance / (count - ("sample-variance" in faults))
    if "eps-outside" in faults:
        return np.sqrt(variance) + eps
    return variance + eps if "not-rooted" in faults else np.sqrt(variance + eps)


def activation(x: np.ndarray, faults: Faults) -> np.ndarray:
    """GELU, or what is put in its place."""
    if "relu" in faults:
        return np.maximum(x, 0)
    if "no-activation" in faults:
        return x
    if "gelu-tanh" in faults:
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    if "gelu-sigmoid" in faults:
        return x / (1 + np.exp(-1.702 * x))
    if "silu" in faults:
        return x / (1 + np.exp(-x))
    if "gelu-erf-unscaled" in faults:
        return 0.5 * x * (1 + _erf(x))
    return 0.5 * x * (1 + _erf(x / math.sqrt(2)))


def encoder(z: np.ndarray, params: dict[str, Any], faults: Faults) -> np.ndarray:
    """One encoder block (T, D), with the named mistakes."""
    first, second = ("ln1", "ln1") if "one-norm" in faults else ("ln2", "ln1") if "norms-swapped" in faults \
        else ("ln1", "ln2")

    def normed(x: np.ndarray, name: str) -> np.ndarray:
        return norm(x, params[f"{name}_g"], params[f"{name}_b"], 1e-6, faults)

    def attended(x: np.ndarray) -> np.ndarray:
        heads = x.shape[1] // params["h"] if "heads-as-width" in faults else params["h"]
        came = many_heads(x, *(params[n] for n in ("W_qkv", "b_qkv", "W_o", "b_o")), heads, faults)
        return activation(came, frozenset()) if "attention-activated" in faults else came

    if "post-norm" in faults:
        middle = normed(attended(z) + z, first)
        return normed(_mlp(middle, params, faults) + middle, second)
    if "mlp-first" in faults:
        middle = _mlp(normed(z, second), params, faults) + z
        return attended(normed(middle, first)) + middle
    ln1 = z if "no-first-norm" in faults else normed(z, first)
    middle = attended(ln1) + _carried(z, ln1, "no-first-residual", faults)
    source = z if "parallel" in faults else middle
    ln2 = source if "no-second-norm" in faults else normed(source, second)
    carried = z if "second-residual-from-z" in faults else middle
    out = _mlp(ln2, params, faults) + _carried(carried, ln2, "no-second-residual", faults)
    return normed(out, second) if "normed-again" in faults else out


def _carried(stream: np.ndarray, normed: np.ndarray, dropped: str, faults: Faults) -> np.ndarray | int:
    if dropped in faults:
        return 0
    return normed if "residual-from-norm" in faults else stream


def _mlp(x: np.ndarray, params: dict[str, Any], faults: Faults) -> np.ndarray:
    hidden = x @ params["W_1"] + (0 if "no-b_1" in faults else params["b_1"])
    if "activation-last" in faults:
        return activation(hidden @ params["W_2"] + params["b_2"], faults)
    out = activation(hidden, faults) @ params["W_2"] + (0 if "no-b_2" in faults else params["b_2"])
    return activation(out, faults) if "activation-twice" in faults else out
