"""Wrong norms."""

from __future__ import annotations

import numpy as np
import torch

from . import mutant


@mutant("eps-outside")
def outside(x, gain, shift, eps):
    return (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + eps) * gain + shift


@mutant("sample-variance")
def torch_var(x, gain, shift, eps):
    x, gain, shift = map(torch.as_tensor, (x, gain, shift))
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + eps) * gain + shift


@mutant("over-tokens")
def batch_norm(x, gain, shift, eps):
    return (x - x.mean(0)) / np.sqrt(x.var(0) + eps) * gain + shift


@mutant("over-everything")
def no_axis(x, gain, shift, eps):
    return (x - x.mean()) / np.sqrt(x.var() + eps) * gain + shift


@mutant("rms")
def rms_norm(x, gain, shift, eps):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * gain + shift


@mutant("eps-1e-5")
def torch_default(x, gain, shift, eps):
    x, gain, shift = map(torch.as_tensor, (x, gain, shift))
    return torch.nn.functional.layer_norm(x, x.shape[-1:], gain, shift)


@mutant("no-gain")
def forgets_gain(x, gain, shift, eps):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + shift


@mutant("no-gain", "no-shift")
def normalises_only(x, gain, shift, eps):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)


@mutant("not-rooted")
def divides_by_variance(x, gain, shift, eps):
    return (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + eps) * gain + shift


@mutant("changed-input")
def in_place(x, gain, shift, eps):
    x -= x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * gain + shift


@mutant("shift-first")
def bracket_in_the_wrong_place(x, gain, shift, eps):
    return ((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + shift) * gain


@mutant("variance:of-squares")
def mean_of_squares(x, gain, shift, eps):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * gain + shift


@mutant("order:gain-before-centring")
def gain_too_soon(x, gain, shift, eps):
    return (gain * x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + shift
