"""The activations of an MLP as curves: value, slope, lowest point, and how far its exact and its tanh form are
apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from widgets.model.encoder import gelu, gelu_tanh
from widgets.model.tensor_defaults import FLOAT64
from widgets.model.trace import Trace
from widgets.model.vit import ViTWeights

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"GELU": gelu, "GELU, tanh form": gelu_tanh, "ReLU": torch.relu}
"""Shown name -> function. All work number by number."""


class Curve(NamedTuple):
    """An activation at places x: float64 arrays of one length."""

    x: np.ndarray
    value: np.ndarray
    slope: np.ndarray  # ReLU has none at 0; torch calls it 0 there


class BySign(NamedTuple):
    """An MLP's output before its last bias, in two parts: lengths as shares of the whole's, (T,) each."""

    negative: np.ndarray  # from the pre-activations below 0
    positive: np.ndarray  # from those above 0


class Varying(NamedTuple):
    """The share of each part's squared length that differs from token to token, from 0 to 1."""

    negative: float
    positive: float


class Extreme(NamedTuple):
    """A place on the axis and the value there."""

    x: float
    value: float


def curve(name: str, x: np.ndarray) -> Curve:
    """Value and slope of an activation of ACTIVATIONS at x. The slope is torch's own derivative of the function."""
    places = torch.tensor(np.asarray(x), **FLOAT64, requires_grad=True)
    with torch.enable_grad():
        value = ACTIVATIONS[name](places)
        (slope,) = torch.autograd.grad(value.sum(), places)
    return Curve(places.detach().numpy(), value.detach().numpy(), slope.numpy())


def by_sign(pre_activation: Tensor, W_2: Tensor, centred: bool = False) -> BySign:
    """How long the two parts of GELU(a) W_2 are that come from a below 0 and from a above 0.

    `pre_activation` a is (T, D_ff); `W_2` is (D, D_ff), as `linear` wants it. The two parts add up to the whole as
    vectors; their lengths need not, as the parts may point different ways. `centred`: each part, and the whole,
    without its mean over the tokens.
    """
    parts = [part - part.mean(0) if centred else part for part in _parts(pre_activation, W_2)]  # 2 of (T, D)
    whole = torch.linalg.vector_norm(parts[0] + parts[1], dim=-1)  # (T,)
    return BySign(*((torch.linalg.vector_norm(part, dim=-1) / whole).detach().numpy() for part in parts))


def varying(pre_activation: Tensor, W_2: Tensor) -> Varying:
    """What is left of each part's squared length, over all tokens, without its mean over the tokens.

    Near 0: the part is nearly the same vector for every token, as a bias is. A part that is nothing gives NaN.
    """
    return Varying(
        *(float((part - part.mean(0)).square().sum() / part.square().sum()) for part in _parts(pre_activation, W_2))
    )


def _parts(pre_activation: Tensor, W_2: Tensor) -> list[Tensor]:
    """GELU(a) W_2 from a below 0 and from a above 0: two of (T, D), float64."""
    a = pre_activation.double()
    return [gelu(torch.where(kept, a, 0.0)) @ W_2.double().T for kept in (a < 0, a > 0)]


def cut_off(t: Trace, batch: int = 0, tokens: slice = slice(None)) -> list[Tensor]:
    """What ReLU cuts off GELU, as a mean over the tokens: GELU(a) where a is below 0, 0 elsewhere. One (D_ff,) a layer.

    The mean is over every token of the picture, the class token among them, or over those of `tokens`.
    """
    return [gelu(layer.pre_activation[batch, tokens].clamp(max=0)).mean(0) for layer in t.layers]


def relu_twin(w: ViTWeights, means: list[Tensor] | None = None) -> ViTWeights:
    """The same weights with ReLU for GELU. `means`: what `cut_off` gives, handed to every token as part of b_2."""
    if means is None:
        return replace(w, activation=torch.relu)
    mlps = [
        b.mlp._replace(fc2_bias=b.mlp.fc2_weight @ mean + (0 if b.mlp.fc2_bias is None else b.mlp.fc2_bias))
        for b, mean in zip(w.blocks, means, strict=True)
    ]
    return replace(
        w, activation=torch.relu, blocks=tuple(b._replace(mlp=mlp) for b, mlp in zip(w.blocks, mlps, strict=True))
    )


def loud(pre_activation: Tensor, level: float = 0.1) -> float:
    """Share of the pre-activations for which GELU gives more than `level`, of either sign."""
    return float((gelu(pre_activation.double()).abs() > level).double().mean())


@cache
def lowest_of_gelu() -> Extreme:
    """Where GELU is lowest, to machine precision: halve the interval in which its slope changes sign."""
    low, high = -2.0, 0.0  # slope below 0 at one end, above it at the other
    while high - low > 1e-12:
        middle = (low + high) / 2
        below = curve("GELU", np.array([middle])).slope[0] < 0
        low, high = (middle, high) if below else (low, middle)
    return Extreme(high, float(curve("GELU", np.array([high])).value[0]))


@cache
def widest_gap() -> Extreme:
    """Where GELU's exact and tanh form are furthest apart for x > 0, and by how much. For -x the gap is the same."""
    x = np.linspace(0, 8, 80_001)  # beyond 8 both are x, to the last digit
    gaps = np.abs(curve("GELU", x).value - curve("GELU, tanh form", x).value)
    return Extreme(float(x[gaps.argmax()]), float(gaps.max()))
