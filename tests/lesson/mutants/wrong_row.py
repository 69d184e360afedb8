"""Wrong searches for the row that cannot be right."""

from __future__ import annotations

import numpy as np

from . import mutant


def softmax(x, axis=1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def rows(z, U, root=None, axis=1):
    q, k, v = np.split(z @ U, 3, axis=1)
    return softmax(q @ k.T / (np.sqrt(q.shape[1]) if root is None else root), axis) @ v


def worst(ours, published):
    return int(np.abs(ours - published).max(axis=1).argmax())


@mutant("ranges")
def looks_at_each_column(z, U_qkv, published):
    v = (z @ U_qkv)[:, 2 * published.shape[1] :]
    outside = (published > v.max(axis=0)) | (published < v.min(axis=0))
    return int(outside.any(axis=1).argmax())


@mutant("weights-unbound")
def solves_without_the_sum(z, U_qkv, published):
    v = np.split(z @ U_qkv, 3, axis=1)[2]
    weights = published @ np.linalg.pinv(v)
    return int(weights.min(axis=1).argmin())


@mutant("from-one")
def counts_from_one(z, U_qkv, published):
    return 1 + worst(rows(z, U_qkv), published)


@mutant("row-itself")
def gives_the_row(z, U_qkv, published):
    return published[worst(rows(z, U_qkv), published)]


@mutant("entry")
def flat_argmax(z, U_qkv, published):
    return int(np.abs(rows(z, U_qkv) - published).argmax())


@mutant("no-scale")
def forgets_the_root(z, U_qkv, published):
    return worst(rows(z, U_qkv, root=1), published)


@mutant("scale-width")
def root_of_the_tokens_width(z, U_qkv, published):
    return worst(rows(z, U_qkv, root=z.shape[1] ** 0.5), published)


@mutant("columns")
def softmax_down_the_columns(z, U_qkv, published):
    return worst(rows(z, U_qkv, axis=0), published)


@mutant("longest")
def largest_norm(z, U_qkv, published):
    return max(range(len(published)), key=lambda i: np.linalg.norm(published[i]))


@mutant("nearest")
def smallest_difference(z, U_qkv, published):
    return int(np.abs(rows(z, U_qkv) - published).max(axis=1).argmin())


@mutant("own-value")
def near_its_own_value(z, U_qkv, published):
    v = np.split(z @ U_qkv, 3, axis=1)[2]
    return int(((published - v) ** 2).sum(axis=1).argmax())
