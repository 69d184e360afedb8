"""Wrong ways from patches to tokens."""

from __future__ import annotations

import numpy as np

from . import mutant


@mutant("no-bias")
def product_alone(patches, W_E, b_E):
    return patches @ W_E


@mutant("not-fitting")
def as_nn_linear(patches, W_E, b_E):
    return patches @ W_E.T + b_E


@mutant("not-fitting")
def dot_the_wrong_way(patches, W_E, b_E):
    return np.dot(W_E, patches) + b_E


@mutant("weights-reshaped")
def reshape_for_transpose(patches, W_E, b_E):
    W = W_E.reshape(W_E.shape[1], W_E.shape[0])  # "(out, in)"
    return patches @ W.T + b_E


@mutant("turned")
def columns_are_tokens(patches, W_E, b_E):
    return W_E.T @ patches.T + b_E[:, None]


@mutant("normalised")
def normalised_first(patches, W_E, b_E):
    z = (patches - patches.mean(axis=-1, keepdims=True)) / patches.std(axis=-1, keepdims=True)
    return z @ W_E + b_E


@mutant("relu")
def with_activation(patches, W_E, b_E):
    return np.maximum(0, patches @ W_E + b_E)


@mutant("scaled-root")
def scaled_as_in_2017(patches, W_E, b_E):
    return (patches @ W_E + b_E) * W_E.shape[1] ** 0.5


@mutant("class-row")
def with_a_class_row(patches, W_E, b_E):
    tokens = patches @ W_E + b_E
    return np.concatenate([np.zeros_like(tokens[:1]), tokens])


@mutant("bias-down")
def bias_as_a_column(patches, W_E, b_E):
    return patches @ W_E + b_E[:, None]


@mutant("b_E:first-number")
def bias_as_one_number(patches, W_E, b_E):
    return patches @ W_E + b_E[0]


@mutant("bias:in-weights")
def bias_on_every_weight(patches, W_E, b_E):
    return patches @ (W_E + b_E)
