"""Wrong GELUs."""

from __future__ import annotations

import math

import numpy as np
import torch

from . import mutant

erf = np.vectorize(math.erf)


@mutant("relu")
def relu(x):
    return np.maximum(x, 0)


@mutant("gelu-tanh")
def from_the_jax_code(x):
    return torch.nn.functional.gelu(torch.as_tensor(x), approximate="tanh").numpy()


@mutant("no-cube")
def cube_forgotten(x):
    return x / 2 * (1 + np.tanh(x * np.sqrt(2 / np.pi)))


@mutant("gelu-sigmoid")
def quick(x):
    return x * (1 / (1 + np.exp(-1.702 * x)))


@mutant("silu")
def swish(x):
    return torch.nn.functional.silu(torch.as_tensor(x)).numpy()


@mutant("logistic")
def sigmoid(x):
    return torch.sigmoid(torch.as_tensor(x)).numpy()


@mutant("softplus")
def smooth_relu(x):
    return np.log1p(np.exp(x))


@mutant("gelu-erf-unscaled")
def no_root(x):
    return 0.5 * x * (1 + erf(x))


@mutant("erf-halved")
def by_two(x):
    return 0.5 * x * (1 + erf(x / 2))


@mutant("erf-times-root")
def root_multiplies(x):
    return 0.5 * x * (1 + erf(x * 2**0.5))


@mutant("no-one")
def one_forgotten(x):
    return 0.5 * x * erf(x / math.sqrt(2))


@mutant("no-half")
def half_forgotten(x):
    return x * (1 + erf(x / math.sqrt(2)))


@mutant("no-one", "no-half")
def erf_for_phi(x):
    return x * erf(x / math.sqrt(2))


@mutant("phi-only")
def gate_alone(x):
    return torch.distributions.Normal(0, 1).cdf(torch.as_tensor(x)).numpy()


@mutant("density")
def bell(x):
    return x * np.exp(torch.distributions.Normal(0.0, 1.0).log_prob(torch.as_tensor(x)).numpy())


@mutant("mirrored")
def erfc_for_phi(x):
    return x * torch.erfc(torch.as_tensor(x) / math.sqrt(2)).numpy() / 2


@mutant("absolute")
def sign_lost(x):
    x = abs(x)
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


@mutant("no-activation")
def nothing_done(x):
    return np.array(x)


@mutant("scalar-erf")
def one_at_a_time(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


@mutant("scalar-erf")
def with_an_if(x):
    return x if x > 3 else 0.5 * x * (1 + erf(x / math.sqrt(2)))


@mutant("numpy-erf")
def erf_of_numpy(x):
    return 0.5 * x * (1 + np.erf(x / np.sqrt(2)))


@mutant("changed-input")
def in_place(x):
    x *= 0.5 * (1 + erf(x / math.sqrt(2)))
    return x


@mutant("curve:erf-root")
def erf_alone(x):
    return erf(x / math.sqrt(2))


@mutant("curve:tanh-inverse")
def root_upside_down(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(math.pi / 2) * (x + 0.044715 * x**3)))
