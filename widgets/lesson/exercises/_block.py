"""The rest of an encoder block in NumPy, with what people get wrong in it as named faults."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._pieces import Faults, many_heads

_erf = np.vectorize(math.erf, otypes=[np.float64])


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
    if "twice" in faults:
        normal = (normal - normal.mean(axis, keepdims=True)) / np.sqrt(normal.var(axis, keepdims=True) + eps)
    gain = 1 / gain if "gain-divides" in faults else gain
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
    if "eps-root" in faults:
        return np.sqrt(variance) + np.sqrt(eps)
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
    if "no-mlp" in faults:
        return middle
    source = z if "parallel" in faults else middle - z if "mlp-of-attention" in faults else middle
    ln2 = source if "no-second-norm" in faults else normed(source, second)
    carried = z if "second-residual-from-z" in faults else 2 * middle if "residual-doubled" in faults else middle
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
