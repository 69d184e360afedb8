"""The rest of an encoder block in NumPy, with what people get wrong in it as named faults."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from widgets.lesson.exercises._activations import activation
from widgets.lesson.exercises._arrangements import ARRANGEMENTS, Pieces
from widgets.lesson.exercises._norms import norm
from widgets.lesson.exercises._pieces import many_heads
from widgets.lesson.exercises._slips import Faults, inside, slipping


def encoder(z: np.ndarray, params: dict[str, Any], faults: Faults) -> np.ndarray:
    """One encoder block (T, D), with the named mistakes."""
    first, second = (
        ("ln1", "ln1") if "one-norm" in faults else ("ln2", "ln1") if "norms-swapped" in faults else ("ln1", "ln2")
    )

    def normed(x: np.ndarray, name: str) -> np.ndarray:
        gain, shift = name, name
        other = "ln2" if name == "ln1" else "ln1"
        if "norm:shifts-swapped" in faults or ("norm:first-shift-for-both" in faults and name == "ln2"):
            shift = other
        if "norm:gains-swapped" in faults or ("norm:first-gain-for-both" in faults and name == "ln2"):
            gain = other
        own = inside("norms", faults) | inside(name, faults)
        return norm(x, params[f"{gain}_g"], params[f"{shift}_b"], 1e-6, own)

    def attended(x: np.ndarray) -> np.ndarray:
        return _attended(x, z, params, faults)

    at = slipping(faults)
    z = at("z", z)
    for name, (_, arranged) in ARRANGEMENTS.items():
        if name in faults:
            return arranged(
                z,
                Pieces(
                    lambda x: normed(x, "ln1"), lambda x: normed(x, "ln2"), attended, lambda x: _mlp(x, params, faults)
                ),
            )
    if "post-norm" in faults:
        middle = normed(attended(z) + z, first)
        return normed(_mlp(middle, params, faults) + middle, second)
    if "mlp-first" in faults:
        middle = _mlp(normed(z, second), params, faults) + z
        return attended(normed(middle, first)) + middle
    ln1 = z if "no-first-norm" in faults else normed(z, first)
    middle = at("middle", attended(ln1) + _carried(z, ln1, "no-first-residual", faults))
    if "no-mlp" in faults:
        return middle
    source = z if "parallel" in faults else middle - z if "mlp-of-attention" in faults else middle
    ln2 = source if "no-second-norm" in faults else normed(source, second)
    for name, (_, mean_of_z, spread_of_z) in STATISTICS.items():
        if name in faults:
            ln2 = _with_statistics(source, z if mean_of_z else source, z if spread_of_z else source, params)
    carried = z if "second-residual-from-z" in faults else 2 * middle if "residual-doubled" in faults else middle
    out = _mlp(ln2, params, faults) + _carried(carried, ln2, "no-second-residual", faults)
    return at("out", normed(out, second) if "normed-again" in faults else out)


_SECOND = "The second norm computes both anew, from z'."
STATISTICS = {
    "norm:statistics-of-z": (f"The second norm used the mean and the deviation of z. {_SECOND}", True, True),
    "norm:mean-of-z": (f"The second norm took off the mean of z. {_SECOND}", True, False),
    "norm:deviation-of-z": (f"The second norm divided by the deviation of z. {_SECOND}", False, True),
}


def _with_statistics(x: np.ndarray, of_mean: np.ndarray, of_spread: np.ndarray, params: dict[str, Any]) -> np.ndarray:
    """The second norm of x (T, d) with the mean and the deviation of other tokens."""
    centred = x - of_mean.mean(-1, keepdims=True)
    return centred / np.sqrt(of_spread.var(-1, keepdims=True) + 1e-6) * params["ln2_g"] + params["ln2_b"]


def _attended(x: np.ndarray, z: np.ndarray, params: dict[str, Any], faults: Faults) -> np.ndarray:
    """MSA of what it reads, x (T, d); z is the block's input."""
    W_qkv, b_qkv, W_o, b_o = (params[name] for name in ("W_qkv", "b_qkv", "W_o", "b_o"))
    if "scale:d-ff" in faults:  # as if the scores were divided by sqrt(d_ff): queries that much smaller
        smaller = np.ones(len(b_qkv))
        smaller[: len(z[0])] = math.sqrt(len(z[0]) // params["h"] / len(params["b_1"]))
        W_qkv, b_qkv = W_qkv * smaller, b_qkv * smaller
    reading = next(
        ((tuple(z if part in READING[fault][1] else x for part in "qkv")) for fault in faults if fault in READING), ()
    )
    came = many_heads(x, W_qkv, b_qkv, W_o, b_o, params["h"], inside("attention", faults), reading)
    return activation(came, frozenset()) if "attention-activated" in faults else came


READING = {
    f"reads:{parts}": (f"You made {words} from z itself. Queries, keys and values are all made from LN(z).", parts)
    for parts, words in (
        ("q", "the queries"),
        ("k", "the keys"),
        ("v", "the values"),
        ("qk", "queries and keys"),
        ("kv", "keys and values"),
        ("qv", "queries and values"),
    )
}


def _carried(stream: np.ndarray, normed: np.ndarray, dropped: str, faults: Faults) -> np.ndarray | int:
    if dropped in faults:
        return 0
    return normed if "residual-from-norm" in faults else stream


def _mlp(x: np.ndarray, params: dict[str, Any], faults: Faults) -> np.ndarray:
    at, W_1, b_1, W_2, b_2 = slipping(faults), *(params[name] for name in ("W_1", "b_1", "W_2", "b_2"))
    b_1, b_2, W_1, W_2 = at("b_1", b_1), at("b_2", b_2), at("W_1", W_1), at("W_2", W_2)
    own = faults | inside("gelu", faults)
    for name, (_, other) in MLPS.items():
        if name in faults:
            return other(x, W_1, b_1, W_2, b_2, lambda y: activation(y, own))
    hidden = at("hidden", x @ W_1 + (0 if "no-b_1" in faults else b_1))
    if "activation-last" in faults:
        return activation(hidden @ W_2 + b_2, own)
    out = at("activated", activation(hidden, own)) @ W_2 + (0 if "no-b_2" in faults else b_2)
    return at("mlp", activation(out, own) if "activation-twice" in faults else out)


_MLP = "The MLP is GELU(x W_1 + b_1) W_2 + b_2."
MLPS = {
    "mlp:bias-after": (
        f"b_1 was added behind the activation. {_MLP}",
        lambda x, W, b, V, c, act: (act(x @ W) + b) @ V + c,
    ),
    "mlp:activation-first": (
        f"The activation ran before the first layer. {_MLP}",
        lambda x, W, b, V, c, act: (act(x) @ W + b) @ V + c,
    ),
    "mlp:activation-before-both": (
        f"The activation ran before the first layer too. {_MLP}",
        lambda x, W, b, V, c, act: act(act(x) @ W + b) @ V + c,
    ),
    "mlp:activation-without-last-bias": (
        f"An activation stands before b_2. {_MLP}",
        lambda x, W, b, V, c, act: act(act(x @ W + b) @ V) + c,
    ),
    "mlp:no-biases": (f"Both biases are missing. {_MLP}", lambda x, W, b, V, c, act: act(x @ W) @ V),
    "mlp:b_1-twice": (f"b_1 was added twice. {_MLP}", lambda x, W, b, V, c, act: act(x @ W + 2 * b) @ V + c),
    "mlp:b_2-twice": (f"b_2 was added twice. {_MLP}", lambda x, W, b, V, c, act: act(x @ W + b) @ V + 2 * c),
    "mlp:residual": (
        f"The MLP added what it read. The residual adds z' once. {_MLP}",
        lambda x, W, b, V, c, act: x + act(x @ W + b) @ V + c,
    ),
    "mlp:gated": (
        f"The hidden numbers were multiplied by their activation (a gated MLP). {_MLP}",
        lambda x, W, b, V, c, act: ((x @ W + b) * act(x @ W + b)) @ V + c,
    ),
    "mlp:hidden-kept": (
        f"The hidden numbers were added to their activation. {_MLP}",
        lambda x, W, b, V, c, act: ((x @ W + b) + act(x @ W + b)) @ V + c,
    ),
    "mlp:two-activations": (
        f"The activation ran twice between the layers. {_MLP}",
        lambda x, W, b, V, c, act: act(act(x @ W + b)) @ V + c,
    ),
    "mlp:weights-swapped": (
        f"The second layer's matrix was used, transposed, for the first. {_MLP}",
        lambda x, W, b, V, c, act: act(x @ V.T + b) @ V + c,
    ),
    "mlp:tied": (
        f"The first layer's matrix was used again, transposed, for the second. {_MLP}",
        lambda x, W, b, V, c, act: act(x @ W + b) @ W.T + c,
    ),
    "mlp:both-transposed": (
        f"The two matrices changed places, transposed. {_MLP}",
        lambda x, W, b, V, c, act: act(x @ V.T + b) @ W.T + c,
    ),
    "mlp:reshaped": (
        f"You reshaped W_1 and W_2 where nothing is to be moved. Both are stored (in, out): used as they are. {_MLP}",
        lambda x, W, b, V, c, act: act(x @ W.reshape(W.shape[::-1]).T + b) @ V.reshape(V.shape[::-1]).T + c,
    ),
    "mlp:mean-token": (
        f"The MLP read the mean of the tokens. It works on each token alone. {_MLP}",
        lambda x, W, b, V, c, act: np.broadcast_to(act(x.mean(0) @ W + b) @ V + c, x.shape),
    ),
}
