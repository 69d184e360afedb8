"""Wrong ways to run several heads."""

from __future__ import annotations

import numpy as np

from . import mutant


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@mutant("scale-width")
def root_of_D(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = [x.reshape(T, heads, -1).transpose(1, 0, 2) for x in np.split(z @ W_qkv + b_qkv, 3, -1)]
    A = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(D))
    return (A @ v).transpose(1, 0, 2).reshape(T, D) @ W_o + b_o


@mutant("merged-by-reshape")
def reshape_merges(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = [x.reshape(T, heads, -1).transpose(1, 0, 2) for x in np.split(z @ W_qkv + b_qkv, 3, -1)]
    A = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(D // heads))
    return (A @ v).reshape(T, D) @ W_o + b_o


@mutant("split-by-reshape")
def reshape_splits(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = [x.reshape(heads, T, -1) for x in np.split(z @ W_qkv + b_qkv, 3, -1)]
    A = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(D // heads))
    return (A @ v).transpose(1, 0, 2).reshape(T, D) @ W_o + b_o


@mutant("split-by-reshape", "merged-by-reshape")
def reshape_both_ways(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = [x.reshape(heads, T, -1) for x in np.split(z @ W_qkv + b_qkv, 3, -1)]
    A = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(D // heads))
    return (A @ v).reshape(T, D) @ W_o + b_o


@mutant("packed-by-head")
def packed_per_head(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = (z @ W_qkv + b_qkv).reshape(T, heads, 3, D // heads).transpose(2, 1, 0, 3)
    A = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(D // heads))
    return (A @ v).swapaxes(0, 1).reshape(T, D) @ W_o + b_o


@mutant("strided-heads")
def heads_in_strides(z, W_qkv, b_qkv, W_o, b_o, heads):
    D = z.shape[1]
    qkv = z @ W_qkv + b_qkv
    out = []
    for j in range(heads):
        q, k, v = qkv[:, :D][:, j::heads], qkv[:, D : 2 * D][:, j::heads], qkv[:, 2 * D :][:, j::heads]
        out.append(softmax(q @ k.T / np.sqrt(D // heads)) @ v)
    return np.concatenate(out, axis=1) @ W_o + b_o


@mutant("one-head")
def single_head(z, W_qkv, b_qkv, W_o, b_o, heads):
    q, k, v = np.split(z @ W_qkv + b_qkv, 3, -1)
    return softmax(q @ k.T / np.sqrt(q.shape[1])) @ v @ W_o + b_o


@mutant("no-output-projection")
def without_W_o(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = [x.reshape(T, heads, -1).transpose(1, 0, 2) for x in np.split(z @ W_qkv + b_qkv, 3, -1)]
    A = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(D // heads))
    return (A @ v).transpose(1, 0, 2).reshape(T, D)


@mutant("no-qkv-bias", "no-output-bias")
def without_biases(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = [x.reshape(T, heads, -1).transpose(1, 0, 2) for x in np.split(z @ W_qkv, 3, -1)]
    A = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(D // heads))
    return (A @ v).transpose(1, 0, 2).reshape(T, D) @ W_o


@mutant("output-transposed")
def weights_as_nn_linear(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = [x.reshape(T, heads, -1).transpose(1, 0, 2) for x in np.split(z @ W_qkv + b_qkv, 3, -1)]
    A = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(D // heads))
    return (A @ v).transpose(1, 0, 2).reshape(T, D) @ W_o.T + b_o


@mutant("one-map")
def averaged_maps(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = [x.reshape(T, heads, -1).transpose(1, 0, 2) for x in np.split(z @ W_qkv + b_qkv, 3, -1)]
    A = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(D // heads)).mean(0)
    return (A @ v).transpose(1, 0, 2).reshape(T, D) @ W_o + b_o


@mutant("residual")
def adds_z(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = [x.reshape(T, heads, -1).transpose(1, 0, 2) for x in np.split(z @ W_qkv + b_qkv, 3, -1)]
    A = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(D // heads))
    return z + (A @ v).transpose(1, 0, 2).reshape(T, D) @ W_o + b_o


@mutant("heads:v-previous")
def values_of_the_head_before(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    w = D // heads
    q, k, v = np.split(z @ W_qkv + b_qkv, 3, -1)
    out = []
    for j in range(heads):
        own, other = slice(j * w, (j + 1) * w), slice((j - 1) % heads * w, ((j - 1) % heads + 1) * w)
        out.append(softmax(q[:, own] @ k[:, own].T / np.sqrt(w)) @ v[:, other])
    return np.hstack(out) @ W_o + b_o
