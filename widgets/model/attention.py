"""Self-attention, one head and many (the paper's Appendix A, Eqs. 5 to 8), and why the scores are scaled."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from widgets.common.refusal import Refused
from widgets.model.tensor_defaults import FLOAT32, seeded


def attention(
    q: Tensor, k: Tensor, v: Tensor, scale: float | None = None, mask: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Let every token gather from all the others: A = softmax(q k^T / sqrt(D_h)), SA = A v (Eqs. 6 and 7).

    q, k, v are (..., T, D_h) floats; returns output (..., T, D_h), weights A and scores, both (..., T, T). Row i
    belongs to query i. `scale` multiplies q k^T, None is D_h ** -0.5. In the boolean `mask`, which broadcasts to
    (..., T, T), True may attend; ViT has none. Scores are scaled, before the mask.

    Raises ValueError for shapes that do not belong together, a mask that is not boolean or leaves a query nothing.
    """
    _check_heads_agree(q, k, v)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    # q is scaled and not q k^T: the same product, from fewer numbers
    scores = (q * scale) @ k.transpose(-2, -1)  # (..., T, T)
    weights = softmax(scores if mask is None else _masked(scores, mask))  # (..., T, T), rows sum to 1
    return weights @ v, weights, scores


def softmax(scores: Tensor) -> Tensor:
    """Turn each row into shares: e^s / sum e^s. Subtracting the row's maximum changes nothing but avoids overflow."""
    powers = (scores - scores.amax(-1, keepdim=True)).exp_()
    total = powers.sum(-1, keepdim=True)
    # In place where no gradient needs the powers: at 518 px each copy of a layer's weights is 45 MB.
    return powers / total if powers.requires_grad else powers.div_(total)


def split_heads(x: Tensor, k: int) -> Tensor:
    """Give each head its own D_h columns: (B, T, D) to (B, k, T, D_h). Raises ValueError unless k divides D."""
    if x.ndim < 2 or isinstance(k, bool) or not isinstance(k, int) or k < 1 or x.shape[-1] % k:
        raise Refused(f"{k!r} heads do not divide the {x.shape[-1]} columns of {tuple(x.shape)} evenly")
    return x.reshape(*x.shape[:-1], k, x.shape[-1] // k).transpose(-3, -2)


def merge_heads(x: Tensor) -> Tensor:
    """Put the heads side by side again: (B, k, T, D_h) to (B, T, D). Heads go behind tokens before the reshape.

    Raises ValueError for fewer than three dimensions.
    """
    if x.ndim < 3:
        raise Refused(f"heads have the shape (B, k, T, D_h), not {tuple(x.shape)}")
    moved = x.transpose(-3, -2)  # (B, T, k, D_h)
    return moved.reshape(*moved.shape[:-2], -1)  # (B, T, D)


class AttentionWeights(NamedTuple):
    """The matrices of one layer's attention as PyTorch stores them: (out, in), applied as x W^T + b."""

    q_weight: Tensor  # (D, D): the q columns of U_qkv, transposed
    q_bias: Tensor | None
    k_weight: Tensor
    k_bias: Tensor | None
    v_weight: Tensor
    v_bias: Tensor | None
    o_weight: Tensor  # (D, D): U_msa, transposed
    o_bias: Tensor | None

    @classmethod
    def packed(cls, U_qkv: Tensor, b_qkv: Tensor | None, U_msa: Tensor, b_msa: Tensor | None) -> AttentionWeights:
        """Take them as the paper writes them, (in, out): U_qkv (D, 3D), columns q then k then v, and U_msa (D, D)."""
        (q, k, v), biases = U_qkv.T.chunk(3), (None,) * 3 if b_qkv is None else b_qkv.chunk(3)
        return cls(q, biases[0], k, biases[1], v, biases[2], U_msa.T, b_msa)


class AttentionTrace(NamedTuple):
    """Every tensor of one layer's attention."""

    q: Tensor  # (B, k, T, D_h)
    k: Tensor  # (B, k, T, D_h)
    v: Tensor  # (B, k, T, D_h)
    scores: Tensor  # (B, k, T, T)
    weights: Tensor  # (B, k, T, T)
    heads: Tensor  # (B, k, T, D_h): A v of each head
    msa: Tensor  # (B, T, D)


def multi_head_attention(
    z: Tensor,
    w: AttentionWeights,
    k: int,
    scale: float | None = None,
    mask: Tensor | None = None,
    merge: Callable[[Tensor], Tensor] = merge_heads,
) -> AttentionTrace:
    """MSA(z) = [SA_1(z); ...; SA_k(z)] U_msa (Eq. 8) for tokens z (B, T, D) and k heads.

    `merge` joins the heads; it can be replaced to show what a wrong one does. Raises ValueError unless k divides D.
    """
    q = split_heads(F.linear(z, w.q_weight, w.q_bias), k)  # (B, k, T, D_h)
    keys = split_heads(F.linear(z, w.k_weight, w.k_bias), k)  # (B, k, T, D_h)
    v = split_heads(F.linear(z, w.v_weight, w.v_bias), k)  # (B, k, T, D_h)
    heads, weights, scores = attention(q, keys, v, scale, mask)
    msa = F.linear(merge(heads), w.o_weight, w.o_bias)  # (B, T, D)
    return AttentionTrace(q, keys, v, scores, weights, heads, msa)


def random_scores(head_size: int, keys: int = 64, draws: int = 1, seed: int = 0) -> Tensor:
    """Draw queries, each with `keys` keys of its own, all of independent standard normal numbers, and multiply.

    Returns the unscaled scores, float64 (draws, keys). Raises ValueError for a size, number of keys (2 or more) or of
    draws that is no positive whole number.
    """
    for name, value, least in (("head_size", head_size, 1), ("keys", keys, 2), ("draws", draws, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise Refused(f"{name} must be a whole number, {least} or more, not {value!r}")
    generator = seeded(seed)
    rows = []
    for start in range(0, draws, 100):  # a hundred draws at a time: D_h 512 would take a quarter of a gigabyte
        n = min(100, draws - start)
        q = torch.randn(n, 1, head_size, generator=generator, **FLOAT32)
        k = torch.randn(n, keys, head_size, generator=generator, **FLOAT32)
        rows.append((q @ k.transpose(1, 2)).squeeze(1))  # (n, keys)
    return torch.cat(rows).double()  # (draws, keys)


def scaling_statistics(head_size: int, keys: int = 64, draws: int = 2000, seed: int = 0) -> dict[str, dict[str, float]]:
    """Measure what scaling does to one random query and `keys` random keys: `score_statistics` of many draws.

    Returns "scaled" and "unscaled". Raises ValueError as `random_scores` does.
    """
    scores = random_scores(head_size, keys, draws, seed)  # (draws, keys)
    return {"scaled": score_statistics(scores * head_size**-0.5), "unscaled": score_statistics(scores)}


def score_statistics(scores: Tensor) -> dict[str, float]:
    """Describe the softmax of some queries' scores (queries, keys).

    `std` is of all scores. Means over the queries: `spread` (standard deviation of one query's scores: softmax sees no
    more of them), `largest_weight`, `entropy` (nats), `jacobian_norm` (Frobenius norm of the softmax's Jacobian
    diag(a) - a a^T) and `own_derivatives` (its trace, the sum over the keys of a (1 - a), how far each weight follows
    its own score: 1 - sum a^2).
    """
    a = softmax(scores)  # (queries, keys)
    second = (a**2).sum(1)
    # ||diag(a) - a a^T||_F^2 = sum a_i^2 - 2 sum a_i^3 + (sum a_i^2)^2; rounding may leave it just below 0
    jacobian = (second - 2 * (a**3).sum(1) + second**2).clamp_min(0).sqrt()
    return {
        "std": float(scores.std()),
        "spread": float(scores.std(1).mean()),
        "largest_weight": float(a.amax(1).mean()),
        "entropy": float(-torch.special.xlogy(a, a).sum(1).mean()),
        "jacobian_norm": float(jacobian.mean()),
        "own_derivatives": float((1 - second).mean()),
    }


def _masked(scores: Tensor, mask: Tensor) -> Tensor:
    if mask.dtype != torch.bool:
        raise Refused(f"mask must be boolean (True may attend), not {mask.dtype}")
    if not mask.any(-1).all():
        raise Refused("mask leaves a query nothing to attend to: each row needs at least one True")
    return scores.masked_fill(~mask, -torch.inf)


def _check_heads_agree(q: Tensor, k: Tensor, v: Tensor) -> None:
    if not (q.is_floating_point() and k.is_floating_point() and v.is_floating_point()):
        raise Refused(f"q, k and v must be floats, not {q.dtype}, {k.dtype} and {v.dtype}")
    if min(q.ndim, k.ndim, v.ndim) < 2 or q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise Refused(
            f"q {tuple(q.shape)}, k {tuple(k.shape)} and v {tuple(v.shape)} do not belong together:"
            " q and k need one width, k and v one number of tokens"
        )
