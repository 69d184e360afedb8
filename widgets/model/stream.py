"""The residual stream of a forward pass: how long each token is, and how much each sublayer adds to it, in which
direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from widgets.model.trace import Trace


@dataclass(frozen=True)
class Stream:
    """Numbers of every token, layer by layer. Arrays of float64; tokens are rows."""

    length: np.ndarray  # (T, L + 1): Euclidean length of z_0 ... z_L
    largest: np.ndarray  # (T, L + 1): magnitude of their largest number
    attention: np.ndarray  # (T, L): length of MSA(LN(z)) over that of z, to which it is added
    mlp: np.ndarray  # (T, L): length of MLP(LN(z')) over that of z', to which it is added
    attention_cosine: np.ndarray  # (T, L): cosine of MSA(LN(z)) with that z; below 0, part of z is cancelled
    mlp_cosine: np.ndarray  # (T, L): cosine of MLP(LN(z')) with that z'
    kept: np.ndarray  # (T, L + 1): cosine of z_0 ... z_L with z_0
    positive: np.ndarray  # (T, L): share of the D_ff pre-activations above 0


class Difference(NamedTuple):
    """How far our z of one layer is from the library's."""

    absolute: float
    relative: float  # over the largest magnitude in the library's
    largest: float


def stream(t: Trace, batch: int = 0) -> Stream:
    """Measure one picture of a trace."""
    before = [t.z0, *(layer.z for layer in t.layers)]
    states = torch.stack([z[batch] for z in before], 1)  # (T, L + 1, D)
    middle = torch.stack([layer.z_prime[batch] for layer in t.layers], 1)  # (T, L, D)
    attention = torch.stack([layer.msa[batch] for layer in t.layers], 1)  # (T, L, D)
    mlp = torch.stack([layer.mlp[batch] for layer in t.layers], 1)  # (T, L, D)
    shares = [(layer.pre_activation[batch] > 0).double().mean(-1) for layer in t.layers]  # L of (T,)
    return Stream(
        _length(states),
        states.abs().amax(-1).double().numpy(),
        _length(attention) / _length(states[:, :-1]),
        _length(mlp) / _length(middle),
        _cosine(attention, states[:, :-1]),
        _cosine(mlp, middle),
        _cosine(states, states[:, :1]),
        torch.stack(shares, 1).numpy(),
    )


def quartiles(values: np.ndarray) -> np.ndarray:
    """Lower quartile, median and upper quartile over the rows (tokens): (3, columns)."""
    return np.quantile(values, (0.25, 0.5, 0.75), axis=0)


def differences(t: Trace) -> list[Difference]:
    """Ours against the library's z_1 ... z_L. Runs the library once; raises ValueError as `Trace.compare` does."""
    return [
        Difference(row.difference, row.relative, row.largest)
        for row in t.compare()
        if row.stage.startswith("layer ") and row.stage.split()[-1] == "z"
    ]


def _length(vectors: Tensor) -> np.ndarray:
    return torch.linalg.vector_norm(vectors, dim=-1, dtype=torch.float64).numpy()


def _cosine(vectors: Tensor, others: Tensor) -> np.ndarray:
    return torch.nn.functional.cosine_similarity(vectors.double(), others.double(), dim=-1).numpy()
