"""The rest of an encoder block in NumPy, with what people get wrong in it as named faults."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._activations import activation
from ._norms import norm
from ._pieces import many_heads
from ._slips import Faults, inside


def encoder(z: np.ndarray, params: dict[str, Any], faults: Faults) -> np.ndarray:
    """One encoder block (T, D), with the named mistakes."""
    first, second = ("ln1", "ln1") if "one-norm" in faults else ("ln2", "ln1") if "norms-swapped" in faults \
        else ("ln1", "ln2")

    def normed(x: np.ndarray, name: str) -> np.ndarray:
        own = inside("norms", faults) | inside(name, faults)
        return norm(x, params[f"{name}_g"], params[f"{name}_b"], 1e-6, own)

    def attended(x: np.ndarray) -> np.ndarray:
        came = many_heads(x, *(params[n] for n in ("W_qkv", "b_qkv", "W_o", "b_o")), params["h"], inside("attention", faults))
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
