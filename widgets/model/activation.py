"""The activations of an MLP as curves: value, slope, lowest point, and how far GELU's two forms are apart."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from widgets.model.encoder import gelu, gelu_tanh

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"GELU": gelu, "GELU, tanh form": gelu_tanh, "ReLU": torch.relu}
"""Shown name -> function. All work number by number."""


class Curve(NamedTuple):
    """An activation at places x: float64 arrays of one length."""

    x: np.ndarray
    value: np.ndarray
    slope: np.ndarray   # ReLU has none at 0; torch calls it 0 there


class BySign(NamedTuple):
    """An MLP's output before its last bias, in two parts: lengths as shares of the whole's, (T,) each."""

    negative: np.ndarray   # from the pre-activations below 0
    positive: np.ndarray   # from those above 0


class Extreme(NamedTuple):
    """A place on the axis and the value there."""

    x: float
    value: float


def curve(name: str, x: np.ndarray) -> Curve:
    """Value and slope of an activation of ACTIVATIONS at x. The slope is torch's own derivative of the function."""
    places = torch.tensor(np.asarray(x), dtype=torch.float64, requires_grad=True)
    with torch.enable_grad():
        value = ACTIVATIONS[name](places)
        (slope,) = torch.autograd.grad(value.sum(), places)
    return Curve(places.detach().numpy(), value.detach().numpy(), slope.numpy())


def by_sign(pre_activation: Tensor, W_2: Tensor) -> BySign:
    """How long the two parts of GELU(a) W_2 are that come from a below 0 and from a above 0.

    `pre_activation` a is (T, D_ff); `W_2` is (D, D_ff), as `linear` wants it. The two parts add up to the whole as
    vectors; their lengths need not, as the parts may point different ways.
    """
    a = pre_activation.double()
    parts = [gelu(torch.where(kept, a, 0.0)) @ W_2.double().T for kept in (a < 0, a > 0)]    # 2 of (T, D)
    whole = torch.linalg.vector_norm(parts[0] + parts[1], dim=-1)                            # (T,)
    return BySign(*((torch.linalg.vector_norm(part, dim=-1) / whole).detach().numpy() for part in parts))


def loud(pre_activation: Tensor, level: float = 0.1) -> float:
    """Share of the pre-activations for which GELU gives more than `level`, of either sign."""
    return float((gelu(pre_activation.double()).abs() > level).double().mean())


@cache
def lowest_of_gelu() -> Extreme:
    """Where GELU is lowest, to machine precision: halve the interval in which its slope changes sign."""
    low, high = -2.0, 0.0                                                 # slope below 0 at one end, above it at the other
    while high - low > 1e-12:
        middle = (low + high) / 2
        below = curve("GELU", np.array([middle])).slope[0] < 0
        low, high = (middle, high) if below else (low, middle)
    return Extreme(high, float(curve("GELU", np.array([high])).value[0]))


@cache
def widest_gap() -> Extreme:
    """Where GELU's exact and tanh form are furthest apart for x > 0, and by how much. For -x the gap is the same."""
    x = np.linspace(0, 8, 80_001)                                         # beyond 8 both are x, to the last digit
    gaps = np.abs(curve("GELU", x).value - curve("GELU, tanh form", x).value)
    return Extreme(float(x[gaps.argmax()]), float(gaps.max()))
