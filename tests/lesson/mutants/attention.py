"""Wrong attention heads."""

from __future__ import annotations

import numpy as np

from . import mutant


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@mutant("no-scale")
def unscaled(q, k, v):
    A = softmax(q @ k.T)
    return A @ v, A


@mutant("scale-not-rooted")
def divided_by_width(q, k, v):
    A = softmax(q @ k.T / q.shape[-1])
    return A @ v, A


@mutant("scale-tokens")
def root_of_len(q, k, v):
    A = softmax(q @ k.T / np.sqrt(len(k)))
    return A @ v, A


@mutant("columns")
def first_axis(q, k, v):
    A = softmax(q @ k.T / np.sqrt(q.shape[1]), axis=0)
    return A @ v, A


@mutant("whole")
def sums_everything(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - s.max())
    A = e / e.sum()
    return A @ v, A


@mutant("transposed-scores")
def keys_as_rows(q, k, v):
    A = softmax(k @ q.T / np.sqrt(q.shape[1]))
    return A @ v, A


@mutant("not-transposed")
def forgets_to_transpose(q, k, v):
    A = softmax(q @ k / np.sqrt(q.shape[1]))
    return A @ v, A


@mutant("overflow-exp")
def naive_exp(q, k, v):
    e = np.exp(q @ k.T / np.sqrt(q.shape[1]))
    A = e / e.sum(axis=1, keepdims=True)
    return A @ v, A


@mutant("causal")
def like_a_language_model(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    s[np.triu_indices(len(s), 1)] = -1e9
    A = softmax(s)
    return A @ v, A


@mutant("swapped")
def wrong_order(q, k, v):
    A = softmax(q @ k.T / np.sqrt(q.shape[1]))
    return A, A @ v


@mutant("output-only")
def output_alone(q, k, v):
    return softmax(q @ k.T / np.sqrt(q.shape[1])) @ v


@mutant("mixes-keys")
def mixes_keys(q, k, v):
    A = softmax(q @ k.T / np.sqrt(q.shape[1]))
    return A @ k, A


@mutant("no-softmax")
def no_softmax(q, k, v):
    A = q @ k.T / np.sqrt(q.shape[1])
    return A @ v, A


@mutant("scores-returned")
def returns_scores(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    return softmax(s) @ v, s


@mutant("softmax:no-keepdims")
def sum_without_keepdims(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - s.max(1, keepdims=True))
    A = e / e.sum(1)
    return A @ v, A


@mutant("scores:clipped-50")
def clipped(q, k, v):
    A = softmax(np.clip(q @ k.T / np.sqrt(q.shape[1]), -50, 50))
    return A @ v, A
