"""Attention in NumPy, with what people get wrong in it as named faults.

The right answers come from `widgets.model`. These are the wrong ones; without faults they agree with the right ones,
which the tests check.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from widgets.lesson.exercises._slips import Faults, listed, slipping
from widgets.lesson.exercises._softmaxes import DIVISORS, MAPS, OF_HEADS, softmax
from widgets.lesson.specification import Misconception

BLOCKS = {"".join(map(str, b)) for b in product(range(3), repeat=3)} - {"012", "021", "102", "120"}
"""Which D columns of W_qkv are read for q, k and v, where it is wrong; three of them have older names."""
HEADS_MOVED = {
    "previous": ("the head before", lambda x: np.roll(x, 1, 0)),
    "next": ("the next head", lambda x: np.roll(x, -1, 0)),
    "first": ("head 0", lambda x: np.broadcast_to(x[:1], x.shape)),
    "mean": ("all heads, averaged", lambda x: np.broadcast_to(x.mean(0), x.shape)),
    "last": ("the last head", lambda x: np.broadcast_to(x[-1:], x.shape)),
    "reversed": ("the heads in reverse", lambda x: x[::-1]),
}
PROJECTIONS = {
    "output:per-head-rows": (
        "Every head went through the first D_h rows of `W_o`. Head j meets its own: join the heads first, then"
        " one product with `W_o`.",
        lambda m, W_o: m.sum(0) @ W_o[: m.shape[-1]],
    ),
    "output:mean-of-heads": (
        "You averaged the heads and used the first D_h rows of `W_o`. The heads stand side by side: (T, D) @ W_o.",
        lambda m, W_o: m.mean(0) @ W_o[: m.shape[-1]],
    ),
    "output:first-head-alone": (
        "Only head 0 reached `W_o`. All heads stand side by side, (T, D).",
        lambda m, W_o: m[0] @ W_o[: m.shape[-1]],
    ),
    "output:last-head-alone": (
        "Only the last head reached `W_o`. All heads stand side by side, (T, D).",
        lambda m, W_o: m[-1] @ W_o[-m.shape[-1] :],
    ),
    "output:block-diagonal": (
        "Each head met only its own D_h columns of `W_o`, so no head is mixed with another. All D numbers meet"
        " all of `W_o`.",
        lambda m, W_o: np.hstack(
            [
                x @ W_o[j * x.shape[1] : (j + 1) * x.shape[1], j * x.shape[1] : (j + 1) * x.shape[1]]
                for j, x in enumerate(m)
            ]
        ),
    ),
    "output:mean-not-tiled": (
        "The mean of the heads took the place of each. The heads stand side by side, each with its own numbers.",
        lambda m, W_o: np.tile(m.mean(0), (1, len(m))) @ W_o,
    ),
    "output:first-head-for-all": (
        "Head 0 took the place of all heads. The heads stand side by side, each with its own numbers.",
        lambda m, W_o: np.tile(m[0], (1, len(m))) @ W_o,
    ),
    "output:tokens-first": (
        "You joined each head's tokens and not each token's heads: (T, D) must hold, for every token, head 0,"
        " then head 1, and so on.",
        lambda m, W_o: m.transpose(2, 0, 1).reshape(m.shape[1], -1) @ W_o,
    ),
    "output:turned": (
        "The joined heads were turned by a reshape. Swap heads and tokens, then merge: (T, heads, D_h) to (T, D).",
        lambda m, W_o: _joined(m).T.reshape(m.shape[1], -1) @ W_o,
    ),
    "output:twice": ("You multiplied by `W_o` twice.", lambda m, W_o: _joined(m) @ W_o @ W_o),
    "output:over-heads": (
        "You divided by the number of heads. The heads are joined, not averaged.",
        lambda m, W_o: _joined(m) @ W_o / len(m),
    ),
}


def _joined(mixed: np.ndarray) -> np.ndarray:
    return mixed.swapaxes(0, 1).reshape(mixed.shape[1], -1)


def attention_weights(q: np.ndarray, k: np.ndarray, divisor: float, faults: Faults) -> np.ndarray:
    """A (..., T, T) from q and k (..., T, D_h), with the named mistakes."""
    at = slipping(faults)
    q, k = at("q", q), at("k", k)
    scores = at("scores", at("products", _products(q, k, faults)) / divisor)
    if "transposed-scores" in faults:
        scores = scores.swapaxes(-1, -2)
    if "no-self" in faults:
        scores = np.where(np.eye(scores.shape[-1], dtype=bool), -1e9, scores)
    if "sigmoid" in faults:
        return 1 / (1 + np.exp(-scores))
    if "causal" in faults:
        scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    if "base-2" in faults:
        scores = scores * math.log(2)
    if "maximum-of-columns" in faults:
        powers = np.exp(scores - scores.max(-2, keepdims=True))
        return powers / powers.sum(-1, keepdims=True)
    if "no-softmax" in faults:
        return scores
    if "hard" in faults:
        return (scores == scores.max(-1, keepdims=True)).astype(float)
    if "shares-of-scores" in faults:
        return scores / scores.sum(-1, keepdims=True)
    if (other := next((MAPS[fault] for fault in faults if fault in MAPS), None)) is not None:
        return other.weights(scores)
    over_heads = "softmax:over-heads" in faults and scores.ndim == 3
    axis = -2 if "columns" in faults else (-2, -1) if "whole" in faults else -3 if over_heads else -1
    weights = softmax(scores, axis)
    return at("weights", weights.swapaxes(-1, -2) if "transposed-weights" in faults else weights)


PRODUCTS = {
    "scores:q-with-q": (
        "The scores compare queries with queries. Row i compares query i with every key: q k^T.",
        lambda q, k: q @ q.swapaxes(-1, -2),
    ),
    "scores:k-with-k": (
        "The scores compare keys with keys. Row i compares query i with every key: q k^T.",
        lambda q, k: k @ k.swapaxes(-1, -2),
    ),
    "scores:sums": (
        "You added queries and keys where their dot product is meant: q k^T.",
        lambda q, k: q.sum(-1)[..., :, None] + k.sum(-1)[..., None, :],
    ),
    "scores:differences": (
        "You compared q and k by the sum of their differences. It is their dot product: q k^T.",
        lambda q, k: -np.abs(q[..., :, None, :] - k[..., None, :, :]).sum(-1),
    ),
    "scores:length-of-difference": (
        "You compared q and k by their distance. It is their dot product: q k^T.",
        lambda q, k: -np.sqrt(((q[..., :, None, :] - k[..., None, :, :]) ** 2).sum(-1)),
    ),
    "scores:far-is-alike": (
        "The further apart q and k are, the larger your score. It is their dot product: q k^T.",
        lambda q, k: ((q[..., :, None, :] - k[..., None, :, :]) ** 2).sum(-1),
    ),
    "scores:first-number": (
        "Only the first number of each query and key was compared. A dot product takes all D_h.",
        lambda q, k: q[..., :1] @ k[..., :1].swapaxes(-1, -2),
    ),
    "scores:all-but-last": (
        "The last number of each query and key is missing in the scores. A dot product takes all D_h.",
        lambda q, k: q[..., :-1] @ k[..., :-1].swapaxes(-1, -2),
    ),
    "scores:all-but-first": (
        "The first number of each query and key is missing in the scores. A dot product takes all D_h.",
        lambda q, k: q[..., 1:] @ k[..., 1:].swapaxes(-1, -2),
    ),
    "scores:k-reread": (
        "You reshaped k where a transpose is meant: the shape fits and the numbers are scrambled. It is q k^T.",
        lambda q, k: q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]),
    ),
    "scores:largest-product": (
        "You took the largest product of two numbers. A dot product sums them.",
        lambda q, k: (q[..., :, None, :] * k[..., None, :, :]).max(-1),
    ),
    "scores:cosine": (
        "You compared q and k by their cosine. It is the plain dot product, divided by sqrt(D_h).",
        lambda q, k: (
            (q / np.linalg.norm(q, axis=-1, keepdims=True))
            @ (k / np.linalg.norm(k, axis=-1, keepdims=True)).swapaxes(-1, -2)
        ),
    ),
    "scores:unscaled-cosine": (
        "You compared q and k by their cosine. It is the plain dot product, divided by sqrt(D_h).",
        lambda q, k: math.sqrt(q.shape[-1]) * PRODUCTS["scores:cosine"][1](q, k),
    ),
    "scores:unscaled-distance": (
        "You compared q and k by their squared distance. It is their dot product, divided by sqrt(D_h).",
        lambda q, k: -math.sqrt(q.shape[-1]) * PRODUCTS["scores:far-is-alike"][1](q, k),
    ),
    "scores:squared-distance": (
        "You compared q and k by their squared distance. It is their dot product, divided by sqrt(D_h).",
        lambda q, k: -PRODUCTS["scores:far-is-alike"][1](q, k),
    ),
    "scores:normed": (
        "You normalised queries and keys (QK-norm, as ViT-22B does). Here q and k are used as they are.",
        lambda q, k: _normal(q) @ _normal(k).swapaxes(-1, -2),
    ),
}


def _normal(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6)


def _products(q: np.ndarray, k: np.ndarray, faults: Faults) -> np.ndarray:
    other = next((PRODUCTS[fault][1] for fault in faults if fault in PRODUCTS), None)
    return other(q, k) if other else q @ k.swapaxes(-1, -2)


def divisor(head_size: int, width: int, heads: int, tokens: int, faults: Faults) -> float:
    """What the scores are divided by."""
    root = math.sqrt(head_size)
    wrong = {
        "no-scale": 1.0,
        "scale-not-rooted": float(head_size),
        "scale-width": math.sqrt(width),
        "scale-tokens": math.sqrt(tokens),
        "scale-floored": math.isqrt(head_size),
        "scale-heads": math.sqrt(heads),
        "scale-multiplied": 1 / root,
    }
    for fault in faults:
        if fault in wrong:
            return wrong[fault]
        if fault in DIVISORS or fault in OF_HEADS:
            return (DIVISORS | OF_HEADS)[fault][1](head_size, width, heads, tokens)
    return root


def many_heads(
    z: np.ndarray,
    W_qkv: np.ndarray,
    b_qkv: np.ndarray,
    W_o: np.ndarray,
    b_o: np.ndarray,
    heads: int,
    faults: Faults,
    reading: tuple[np.ndarray, ...] = (),
) -> np.ndarray:
    """MSA(z) (T, D), with the named mistakes; `reading` are the tokens of q, k and v, where they are not all z."""
    at = slipping(faults)
    z, W_qkv, W_o = at("z", z), _blocks(at("W_qkv", W_qkv), "columns", faults), at("W_o", W_o)
    b_qkv, b_o = _biases(b_qkv, faults), at("b_o", b_o)
    T, D = z.shape
    real = heads
    heads = 1 if {"one-head", "one-head:scaled"} & faults else D // heads if "heads-as-width" in faults else heads
    packed = _packed(z, W_qkv, b_qkv, heads, faults)  # (T, 3D)
    if reading:
        packed = np.hstack([x @ W for x, W in zip(reading, np.split(W_qkv, 3, axis=1), strict=True)]) + b_qkv
    q, k, v = (
        _moved(name, _split(part, heads, faults), faults)
        for name, part in zip("qkv", _unpacked(packed, heads, faults), strict=True)
    )
    q = np.broadcast_to(q[:1], q.shape) if "one-query" in faults else q
    width = D // (real if "one-head:scaled" in faults else heads)
    A = attention_weights(q, k, divisor(width, D, heads, T, faults), faults)  # (k, T, T)
    A = _moved("A", A, faults)
    if "one-map" in faults:
        A = np.broadcast_to(A.mean(0), A.shape)
    v = at("v", k if "mixes-keys" in faults else q if "mixes-queries" in faults else v)
    mixed = at(
        "mixed", (v if "attention:skipped" in faults else A @ v) + (v if "attention:values-added" in faults else 0)
    )  # (k, T, D_h)
    if "heads-summed" in faults:
        mixed = np.broadcast_to(mixed.sum(0), mixed.shape)
    return _out(z, mixed, W_o, b_o, heads, faults)


def _out(z: np.ndarray, mixed: np.ndarray, W_o: np.ndarray, b_o: np.ndarray, heads: int, faults: Faults) -> np.ndarray:
    at = slipping(faults)
    if (other := next((PROJECTIONS[fault][1] for fault in faults if fault in PROJECTIONS), None)) is not None:
        return other(mixed, W_o) + b_o
    merged = at("merged", _merge(mixed, faults))  # (T, D)
    merged = merged + z if "residual:before-output" in faults else merged
    if "averaged" in faults:
        merged = np.broadcast_to(merged.mean(0), merged.shape)
    if "bias-before" in faults:
        return (merged + b_o) @ W_o
    if "no-output-projection" not in faults:
        merged = merged @ (W_o.T if "output-transposed" in faults else W_o)
        bias = 0 if "no-output-bias" in faults else heads * b_o if "bias-for-each-head" in faults else b_o
        merged = merged + bias
    elif "bias:without-output" in faults:
        merged = merged + b_o
    return at("msa", merged + z if "residual" in faults else merged)


def _biases(b_qkv: np.ndarray, faults: Faults) -> np.ndarray:
    D = len(b_qkv) // 3
    for fault in faults:
        if fault.startswith("bias:without-"):
            lost = {"q": [0], "v": [2], "qk": [0, 1], "qv": [0, 2], "kv": [1, 2]}.get(
                fault.removeprefix("bias:without-"), []
            )
            parts = [0 * part if i in lost else part for i, part in enumerate(b_qkv.reshape(3, D))]
            return np.concatenate(parts)
        if fault == "bias:of-q-for-all":
            return np.tile(b_qkv[:D], 3)
        if fault == "bias:reversed-blocks":
            return b_qkv.reshape(3, D)[::-1].ravel()
        if fault == "bias:by-head":
            return b_qkv.reshape(-1, 3).T.ravel()
    return _blocks(slipping(faults)("b_qkv", b_qkv), "biases", faults)


def _blocks(packed: np.ndarray, what: str, faults: Faults) -> np.ndarray:
    """W_qkv or b_qkv with the thirds that a fault `columns:011` or `biases:011` gives to q, k and v."""
    thirds = next((fault.removeprefix(f"{what}:") for fault in faults if fault.startswith(f"{what}:")), "012")
    parts = np.split(packed, 3, axis=-1)
    return packed if thirds == "012" else np.concatenate([parts[int(i)] for i in thirds], axis=-1)


def _packed(z: np.ndarray, W_qkv: np.ndarray, b_qkv: np.ndarray, heads: int, faults: Faults) -> np.ndarray:
    T, D = z.shape
    bias = (
        0
        if "no-qkv-bias" in faults
        else 2 * b_qkv
        if "bias:twice" in faults
        else -b_qkv
        if "bias:subtracted" in faults
        else b_qkv
    )
    if "packed:transposed" in faults:
        W_qkv = W_qkv.reshape(3 * D, D).T
    if "packed:own-numbers" in faults:  # head j sees only its own D_h numbers of z
        own = (np.arange(D)[:, None] // (D // heads)) == (np.arange(3 * D)[None] % D // (D // heads))
        W_qkv = W_qkv * own
    return z @ W_qkv + bias


def _moved(name: str, x: np.ndarray, faults: Faults) -> np.ndarray:
    """x (heads, ...), or the same from another head: faults `heads:v-previous` and the like."""
    for fault in faults:
        if fault.startswith(f"heads:{name}-"):
            return HEADS_MOVED[fault.removeprefix(f"heads:{name}-")][1](x)
    return x


def _unpacked(packed: np.ndarray, heads: int, faults: Faults) -> list[np.ndarray]:
    if "third-columns" in faults:
        return [packed[:, i::3] for i in range(3)]
    if "packed-by-head" in faults:  # q, k and v of head 0, then of head 1
        by_head = packed.reshape(len(packed), heads, 3, -1)
        return [by_head[:, :, i].reshape(len(packed), -1) for i in range(3)]
    if "packed:by-reshape" in faults:
        return list(packed.reshape(3, len(packed), -1))
    if "packed:numbers-of-head" in faults:  # (T, heads, D_h, 3)
        by_head = packed.reshape(len(packed), heads, -1, 3)
        return [by_head[..., i].reshape(len(packed), -1) for i in range(3)]
    q, k, v = np.split(packed, 3, axis=1)
    for fault in faults:
        if fault.startswith("blocks:"):
            return [(q, k, v)[int(i)] for i in fault.removeprefix("blocks:")]
    return [k, v, q] if "order-vqk" in faults else [q, v, k] if "order-qvk" in faults else [q, k, v]


def _split(x: np.ndarray, heads: int, faults: Faults) -> np.ndarray:
    T, D = x.shape
    if "heads-attend" in faults:  # the heads stay behind the tokens: each token's heads look at one another
        return x.reshape(T, heads, D // heads)
    if "split-by-reshape" in faults:
        return x.reshape(heads, T, D // heads)
    if "strided-heads" in faults:  # head j takes every k-th column
        return x.reshape(T, D // heads, heads).transpose(2, 0, 1)
    if "split:turned" in faults:
        return x.T.reshape(heads, T, D // heads)
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


def head_misconceptions() -> tuple[Misconception, ...]:
    """Blocks of W_qkv, heads and projections taken for others."""
    blocks = tuple(
        Misconception(
            f"blocks:{found}",
            f"Your q came from the {_ORDER[found[0]]} D columns of `W_qkv`, k from the {_ORDER[found[1]]} and v from"
            f" the {_ORDER[found[2]]}. They are q, then k, then v.",
            alone=True,
        )
        for found in sorted(BLOCKS)
    )
    moved = tuple(
        Misconception(
            f"heads:{name}-{how}", f"Every head used the {whose} of {words}. Head j has its own {whose}.", alone=True
        )
        for name, whose in (("q", "queries"), ("k", "keys"), ("v", "values"), ("A", "weights"))
        for how, (words, _) in HEADS_MOVED.items()
    )
    return blocks + moved + listed(PROJECTIONS | _mixed_up())


def _mixed_up() -> dict[str, tuple[str]]:
    """Columns that go with another third of the biases, and biases with another third of the columns."""
    found = {}
    for thirds in map("".join, product("012", repeat=3)):
        if thirds == "012":
            continue
        wrong = [(name, "qkv"[int(i)]) for name, i, own in zip("qkv", thirds, "012", strict=True) if i != own]
        if thirds not in ("002", "022"):  # only k's, whose bias does not show: its block as a whole
            found[f"columns:{thirds}"] = (
                f"In `W_qkv`, {_taken(wrong)}, and each its own part of `b_qkv`. Both are q, then k, then v.",
            )
        # A bias of k adds one number to a whole row of scores, which softmax does not see; two more are in `_biases`.
        if thirds[1] == "1" and thirds not in ("010", "210"):
            found[f"biases:{thirds}"] = (
                f"In `b_qkv`, {_taken(wrong)}. The first D numbers belong to q, the next to k, the last to v.",
            )
    return found


def _taken(wrong: list[tuple[str, str]]) -> str:
    return " and ".join(f"{name} got the part of {other}" for name, other in wrong)


_ORDER = {"0": "first", "1": "second", "2": "third"}
