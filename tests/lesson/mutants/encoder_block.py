"""Wrong encoder blocks, made of right pieces put together wrongly and of wrong pieces put together rightly."""

from __future__ import annotations

import math

import numpy as np

from . import mutant


def norm(x, p, n, eps=1e-6):
    c = x - x.mean(-1, keepdims=True)
    return c / np.sqrt((c * c).mean(-1, keepdims=True) + eps) * p[f"ln{n}_g"] + p[f"ln{n}_b"]


def attend(x, p, root=None):
    T, d = x.shape
    q, k, v = [y.reshape(T, p["h"], -1).swapaxes(0, 1) for y in np.split(x @ p["W_qkv"] + p["b_qkv"], 3, 1)]
    s = q @ k.swapaxes(1, 2) / math.sqrt(root or d // p["h"])
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(T, d) @ p["W_o"] + p["b_o"]


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def mlp(x, p, act=gelu):
    return act(x @ p["W_1"] + p["b_1"]) @ p["W_2"] + p["b_2"]


@mutant("post-norm")
def as_bert(z, params):
    z = norm(z + attend(z, params), params, 1)
    return norm(z + mlp(z, params), params, 2)


@mutant("residual-from-norm")
def stream_is_normalised(z, params):
    x = norm(z, params, 1)
    x = x + attend(x, params)
    x = norm(x, params, 2)
    return x + mlp(x, params)


@mutant("no-first-residual")
def forgets_the_first_sum(z, params):
    z = attend(norm(z, params, 1), params)
    return z + mlp(norm(z, params, 2), params)


@mutant("no-first-residual", "no-second-residual")
def no_sums_at_all(z, params):
    return mlp(norm(attend(norm(z, params, 1), params), params, 2), params)


@mutant("second-residual-from-z")
def adds_the_input_twice(z, params):
    middle = z + attend(norm(z, params, 1), params)
    return z + mlp(norm(middle, params, 2), params)


@mutant("parallel")
def both_halves_read_z(z, params):
    return z + attend(norm(z, params, 1), params) + mlp(norm(z, params, 2), params)


@mutant("one-norm")
def one_norm_for_both(z, params):
    z = z + attend(norm(z, params, 1), params)
    return z + mlp(norm(z, params, 1), params)


@mutant("gelu-tanh")
def tanh_form(z, params):
    z = z + attend(norm(z, params, 1), params)
    return z + mlp(
        norm(z, params, 2), params, lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    )


@mutant("relu")
def relu(z, params):
    z = z + attend(norm(z, params, 1), params)
    return z + mlp(norm(z, params, 2), params, lambda x: np.maximum(x, 0))


@mutant("eps-1e-5")
def torch_default_epsilon(z, params):
    z = z + attend(norm(z, params, 1, 1e-5), params)
    return z + mlp(norm(z, params, 2, 1e-5), params)


@mutant("scale-width")
def root_of_d(z, params):
    z = z + attend(norm(z, params, 1), params, root=z.shape[1])
    return z + mlp(norm(z, params, 2), params)


@mutant("no-second-norm")
def mlp_reads_the_stream(z, params):
    z = z + attend(norm(z, params, 1), params)
    return z + mlp(z, params)


@mutant("changed-input")
def plus_equals(z, params):
    z += attend(norm(z, params, 1), params)
    z += mlp(norm(z, params, 2), params)
    return z


@mutant("residual:first-from-norm")
def first_sum_from_the_norm(z, params):
    x = norm(z, params, 1)
    z = x + attend(x, params)
    return z + mlp(norm(z, params, 2), params)


@mutant("residual:second-from-norm")
def second_sum_from_the_norm(z, params):
    z = z + attend(norm(z, params, 1), params)
    x = norm(z, params, 2)
    return x + mlp(x, params)


@mutant("scale:d-ff")
def root_of_d_ff(z, params):
    z = z + attend(norm(z, params, 1), params, root=len(params["b_1"]))
    return z + mlp(norm(z, params, 2), params)


@mutant("norm:after-sublayers")
def normed_on_the_way_back(z, params):
    z = z + norm(attend(z, params), params, 1)
    return z + norm(mlp(z, params), params, 2)


@mutant("gelu/curve:elu")
def elu(z, params):
    z = z + attend(norm(z, params, 1), params)
    return z + mlp(norm(z, params, 2), params, lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))))
