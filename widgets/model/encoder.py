"""One encoder block (Eqs. 2 and 3): LayerNorm, attention, residual, LayerNorm, MLP, residual."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from widgets.model.attention import AttentionWeights, merge_heads, multi_head_attention


def layer_norm(x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    """Normalise each token over its D numbers (Ba et al. 2016): x (..., D); weight is gamma, bias beta, both (D,).

    Population variance, epsilon inside the root. Codes differ in epsilon: 1e-6 in the paper's, 1e-12 in the library's
    default, 1e-5 in PyTorch's.
    """
    centred = x - x.mean(-1, keepdim=True)
    variance = centred.square().mean(-1, keepdim=True)  # (..., 1)
    normal = centred * torch.rsqrt(variance + eps)
    if weight is None:
        return normal if bias is None else normal + bias
    return normal * weight if bias is None else torch.addcmul(bias, normal, weight)  # gamma * normal + beta


def gelu(x: Tensor) -> Tensor:
    """x Phi(x), Phi the standard normal's distribution function (Hendrycks and Gimpel 2016): the exact form."""
    half = 0.5 * x  # Phi(x) = (1 + erf(x / sqrt 2)) / 2
    return torch.addcmul(half, half, torch.erf(x * math.sqrt(0.5)))


def gelu_tanh(x: Tensor) -> Tensor:
    """The approximation of the original JAX code: under 1e-3 from the exact form everywhere."""
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


class MLPWeights(NamedTuple):
    """The two matrices of one layer's MLP, stored (out, in)."""

    fc1_weight: Tensor  # (D_ff, D)
    fc1_bias: Tensor | None
    fc2_weight: Tensor  # (D, D_ff)
    fc2_bias: Tensor | None


class MLPTrace(NamedTuple):
    """Every tensor of one layer's MLP."""

    pre_activation: Tensor  # (B, T, D_ff)
    post_activation: Tensor  # (B, T, D_ff)
    mlp: Tensor  # (B, T, D)


def mlp(x: Tensor, w: MLPWeights, activation: Callable[[Tensor], Tensor] = gelu) -> MLPTrace:
    """Work on every token by itself: D to D_ff, GELU, and back to D (section 3.1)."""
    pre = F.linear(x, w.fc1_weight, w.fc1_bias)  # (B, T, D_ff)
    post = activation(pre)  # (B, T, D_ff)
    return MLPTrace(pre, post, F.linear(post, w.fc2_weight, w.fc2_bias))  # (B, T, D)


class BlockWeights(NamedTuple):
    """All parameters of one encoder block."""

    ln1_weight: Tensor
    ln1_bias: Tensor | None
    attention: AttentionWeights
    ln2_weight: Tensor
    ln2_bias: Tensor | None
    mlp: MLPWeights


class BlockTrace(NamedTuple):
    """Every tensor of one block, in the order in which it is computed. msa and mlp are before their residual."""

    ln1: Tensor  # (B, T, D)
    q: Tensor  # (B, k, T, D_h)
    k: Tensor  # (B, k, T, D_h)
    v: Tensor  # (B, k, T, D_h)
    scores: Tensor  # (B, k, T, T)
    weights: Tensor  # (B, k, T, T)
    heads: Tensor  # (B, k, T, D_h)
    msa: Tensor  # (B, T, D)
    z_prime: Tensor  # (B, T, D)
    ln2: Tensor  # (B, T, D)
    pre_activation: Tensor  # (B, T, D_ff)
    post_activation: Tensor  # (B, T, D_ff)
    mlp: Tensor  # (B, T, D)
    z: Tensor  # (B, T, D)


class BlockOptions(NamedTuple):
    """What of a block the weights do not say. All but the activation is there for what `faults` changes."""

    activation: Callable[[Tensor], Tensor] = gelu
    scale: float | None = None  # None: 1 / sqrt(D_h)
    mask: Tensor | None = None  # (T, T)
    merge: Callable[[Tensor], Tensor] = merge_heads


Block = Callable[[Tensor, BlockWeights, int, float, BlockOptions], BlockTrace]
USUAL = BlockOptions()


def block(z: Tensor, w: BlockWeights, k: int, eps: float, options: BlockOptions = USUAL) -> BlockTrace:
    """z' = MSA(LN(z)) + z; z = MLP(LN(z')) + z' (Eqs. 2 and 3), for tokens z (B, T, D) and k heads.

    Raises ValueError unless k divides D.
    """
    ln1 = layer_norm(z, w.ln1_weight, w.ln1_bias, eps)
    a = multi_head_attention(ln1, w.attention, k, options.scale, options.mask, options.merge)
    z_prime = a.msa + z
    ln2 = layer_norm(z_prime, w.ln2_weight, w.ln2_bias, eps)
    m = mlp(ln2, w.mlp, options.activation)
    return BlockTrace(ln1=ln1, ln2=ln2, z_prime=z_prime, z=m.mlp + z_prime, **a._asdict(), **m._asdict())


def post_norm_block(z: Tensor, w: BlockWeights, k: int, eps: float, options: BlockOptions = USUAL) -> BlockTrace:
    """z' = LN(MSA(z) + z); z = LN(MLP(z') + z'): the order of 2017 and of BERT, which ViT does not use.

    In the trace, ln1 and ln2 are what attention and MLP read: here z and z' themselves.
    """
    a = multi_head_attention(z, w.attention, k, options.scale, options.mask, options.merge)
    z_prime = layer_norm(a.msa + z, w.ln1_weight, w.ln1_bias, eps)
    m = mlp(z_prime, w.mlp, options.activation)
    after = layer_norm(m.mlp + z_prime, w.ln2_weight, w.ln2_bias, eps)
    return BlockTrace(ln1=z, ln2=z_prime, z_prime=z_prime, z=after, **a._asdict(), **m._asdict())
