"""Attention in NumPy, with what people get wrong in it as named faults.

The right answers come from `widgets.model`. These are the wrong ones; without faults they agree with the right ones,
which the tests check.
"""

from __future__ import annotations

import math

import numpy as np

Faults = frozenset[str]


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
    weights = softmax(scores, -2 if "columns" in faults else (-2, -1) if "whole" in faults else -1)
    return weights.swapaxes(-1, -2) if "transposed-weights" in faults else weights


def divisor(head_size: int, width: int, heads: int, tokens: int, faults: Faults) -> float:
    """What the scores are divided by."""
    root = math.sqrt(head_size)
    wrong = {"no-scale": 1.0, "scale-not-rooted": float(head_size), "scale-width": math.sqrt(width),
             "scale-tokens": math.sqrt(tokens), "scale-floored": math.isqrt(head_size),
             "scale-heads": math.sqrt(heads), "scale-multiplied": 1 / root}
    return next((value for name, value in wrong.items() if name in faults), root)


def many_heads(z: np.ndarray, W_qkv: np.ndarray, b_qkv: np.ndarray, W_o: np.ndarray, b_o: np.ndarray, heads: int,
               faults: Faults) -> np.ndarray:
    """MSA(z) (T, D), with the named mistakes."""
    T, D = z.shape
    heads = 1 if "one-head" in faults else heads
    packed = z @ W_qkv + (0 if "no-qkv-bias" in faults else b_qkv)                 # (T, 3D)
    q, k, v = (_split(part, heads, faults) for part in _unpacked(packed, heads, faults))
    q = np.broadcast_to(q[:1], q.shape) if "one-query" in faults else q
    A = attention_weights(q, k, divisor(D // heads, D, heads, T, faults), faults)  # (k, T, T)
    if "one-map" in faults:
        A = np.broadcast_to(A.mean(0), A.shape)
    mixed = A @ v                                                                  # (k, T, D_h)
    if "heads-summed" in faults:
        mixed = np.broadcast_to(mixed.sum(0), mixed.shape)
    merged = _merge(mixed, faults)                                                 # (T, D)
    if "averaged" in faults:
        merged = np.broadcast_to(merged.mean(0), merged.shape)
    if "bias-before" in faults:
        return (merged + b_o) @ W_o
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
