"""LayerNorm of one token, step by step, in float64: what the lab writes out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from widgets.common.refusal import Refused


@dataclass(frozen=True)
class NormSteps:
    """Every number on the way from a token (D,) to its norm (D,)."""

    x: np.ndarray
    gamma: np.ndarray
    beta: np.ndarray
    epsilon: float
    divisor: int  # D, or D - 1 for the sample variance
    mean: float
    centred: np.ndarray
    variance: float
    root: float  # sqrt(variance + epsilon)
    normal: np.ndarray  # centred / root; NaN where root is 0
    out: np.ndarray  # gamma * normal + beta


def norm_steps(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, epsilon: float, sample: bool = False) -> NormSteps:
    """Normalise one token (D,) over its numbers. With `sample` the variance is divided by D - 1, which is the mistake.

    Raises ValueError for other shapes, numbers that are not finite, a negative epsilon, or a variance of one number
    divided by D - 1.
    """
    x, gamma, beta = (np.asarray(row, dtype=np.float64) for row in (x, gamma, beta))
    if x.ndim != 1 or not len(x) or not x.shape == gamma.shape == beta.shape:
        raise Refused(f"x, gamma and beta are three rows of one length, not {x.shape}, {gamma.shape} and {beta.shape}")
    if not np.isfinite([x, gamma, beta]).all():
        raise Refused("every number must be finite: there is a NaN or an infinity among them")
    if not 0 <= epsilon < np.inf:
        raise Refused(f"epsilon is added under a root: it is 0 or above, not {epsilon}")
    if sample and len(x) < 2:
        raise Refused("a sample variance divides by D - 1, so it needs two numbers or more")
    divisor = len(x) - sample
    mean = float(x.mean())
    centred = x - mean
    variance = float((centred**2).sum() / divisor)
    root = float(np.sqrt(variance + epsilon))
    normal = centred / root if root else np.full_like(x, np.nan)
    return NormSteps(x, gamma, beta, epsilon, divisor, mean, centred, variance, root, normal, gamma * normal + beta)


def spread(rows: list[NormSteps]) -> float:
    """The largest difference between the norms of two of these, number by number."""
    out = np.stack([steps.out for steps in rows])  # (rows, D)
    return float((out.max(0) - out.min(0)).max())
