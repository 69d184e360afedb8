"""The whole Vision Transformer, from pixels to answer (Eqs. 1 to 4): the one computation behind every number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from widgets.common.refusal import Refused
from widgets.model.attention import merge_heads
from widgets.model.embedding import embed_patches, projection_matrix
from widgets.model.encoder import Block, BlockOptions, BlockTrace, BlockWeights, block, gelu, layer_norm
from widgets.model.patches import check_image_size, patchify
from widgets.model.positions import interpolate_positions


@dataclass(frozen=True)
class ViTWeights:
    """All parameters of a ViT, and the few numbers that say how to use them."""

    filters: Tensor  # (D, C, P, P): E, as a filter bank
    filter_bias: Tensor  # (D,)
    class_token: Tensor | None  # (D,): x_class
    positions: Tensor  # (1 + N, D), or (N, D) without a class token: E_pos
    blocks: tuple[BlockWeights, ...]  # L of them
    norm_weight: Tensor  # (D,)
    norm_bias: Tensor | None  # (D,)
    num_attention_heads: int  # k
    layer_norm_eps: float
    grid: tuple[int, int]  # (rows, columns) of the position table
    head_weight: Tensor | None = None  # (K, D)
    head_bias: Tensor | None = None  # (K,)
    registers: Tensor | None = None  # (R, D)
    pool: str = "cls"  # or "gap"
    activation: Callable[[Tensor], Tensor] = gelu

    @property
    def patch_size(self) -> int:
        """P, in pixels."""
        return self.filters.shape[-1]

    @property
    def prefix(self) -> int:
        """How many tokens stand before the patches: class token and registers."""
        return int(self.class_token is not None) + (0 if self.registers is None else len(self.registers))


@dataclass(frozen=True)
class Steps:
    """The steps of the forward pass that a fault may replace. The defaults are the right ones."""

    pixels: Callable[[Tensor], Tensor] = lambda pixels: pixels  # (B, C, H, W)
    cut: Callable[[Tensor, int], Tensor] = patchify  # (C, H, W) to (N, C*P*P)
    tokens: Callable[[Tensor], Tensor] = lambda embeddings: embeddings  # (B, N, D)
    resize: Callable[..., Tensor] = interpolate_positions  # E_pos to the picture's grid
    positions: Callable[[Tensor], Tensor] = lambda table: table  # (1 + N, D)
    scale: Callable[[int, int], float] = lambda head_size, hidden_size: head_size**-0.5
    mask: Callable[[int], Tensor | None] = lambda tokens: None  # (T, T)
    merge: Callable[[Tensor], Tensor] = merge_heads  # to (B, T, D)
    eps: Callable[[float], float] = lambda eps: eps
    activation: Callable[[Tensor], Tensor] | None = None  # None: the model's own
    block: Block = block


RIGHT = Steps()


class Input(NamedTuple):
    """The first tensors of a forward pass."""

    patches: Tensor  # (B, N, C*P*P)
    patch_embeddings: Tensor  # (B, N, D)
    z0: Tensor  # (B, T, D)


class Output(NamedTuple):
    """The last tensors of a forward pass."""

    normalised: Tensor  # (B, T, D): LN(z_L), every token
    y: Tensor  # (B, D)
    logits: Tensor | None  # (B, K)


def check_pixels(w: ViTWeights, pixels: Tensor) -> None:
    """Raise TypeError or ValueError unless pixels are a batch (B, C, H, W) of finite floats that this can cut."""
    if not isinstance(pixels, torch.Tensor) or not pixels.is_floating_point():
        kind = pixels.dtype if isinstance(pixels, torch.Tensor) else type(pixels).__name__
        raise TypeError(f"pixels must be a tensor of floats, prepared for the model, not {kind}")
    channels = w.filters.shape[1]
    if pixels.ndim != 4 or pixels.shape[1] != channels or len(pixels) == 0:
        raise Refused(f"pixels must have the shape (B, {channels}, H, W), not {tuple(pixels.shape)}")
    check_image_size(pixels.shape[-2], pixels.shape[-1], w.patch_size)
    if not torch.isfinite(pixels).all():
        raise Refused("pixels must be finite numbers: there is a NaN or an infinity among them")


def embed(w: ViTWeights, pixels: Tensor, steps: Steps = RIGHT) -> Input:
    """z_0 = [x_class; x_p^1 E; ...; x_p^N E] + E_pos (Eq. 1), for pixels (B, C, H, W).

    For another grid than the table's, the table is interpolated. Registers have no position: they are put after the
    class token once the positions are added (Darcet et al. 2024).
    """
    P = w.patch_size
    patches = torch.stack([steps.cut(picture, P) for picture in steps.pixels(pixels)])  # (B, N, C*P*P)
    embeddings = steps.tokens(embed_patches(patches, projection_matrix(w.filters), w.filter_bias))  # (B, N, D)
    n_cls = int(w.class_token is not None)
    grid = (pixels.shape[-2] // P, pixels.shape[-1] // P)
    table = steps.positions(steps.resize(w.positions, w.grid, grid, prefix=n_cls))
    batch = len(pixels)
    z = embeddings
    if w.class_token is not None:
        z = torch.cat([w.class_token.expand(batch, 1, -1), embeddings], 1)
    z = z + table  # (B, n_cls + N, D)
    if w.registers is not None:
        z = torch.cat([z[:, :n_cls], w.registers.expand(batch, -1, -1), z[:, n_cls:]], 1)  # (B, T, D)
    return Input(patches, embeddings, z)


def layers(w: ViTWeights, z: Tensor, steps: Steps = RIGHT) -> Iterator[BlockTrace]:
    """Yield the trace of each of the L blocks (Eqs. 2 and 3), one after the other, from z_0 (B, T, D)."""
    D, k = z.shape[-1], w.num_attention_heads
    scale, eps = steps.scale(D // k, D), steps.eps(w.layer_norm_eps)
    options = BlockOptions(steps.activation or w.activation, scale, steps.mask(z.shape[1]), steps.merge)
    for weights in w.blocks:
        layer = steps.block(z, weights, k, eps, options)
        yield layer
        z = layer.z  # (B, T, D)


def read_out(w: ViTWeights, z: Tensor, steps: Steps = RIGHT) -> Output:
    """y = LN(z_L^0) (Eq. 4), or the norm of the patches' mean with "gap"; and the head's answer, if any."""
    eps = steps.eps(w.layer_norm_eps)
    normalised = layer_norm(z, w.norm_weight, w.norm_bias, eps)  # (B, T, D)
    if w.pool == "cls":
        y = normalised[:, 0]  # (B, D)
    else:
        y = layer_norm(z[:, w.prefix :].mean(1), w.norm_weight, w.norm_bias, eps)  # (B, D)
    logits = None if w.head_weight is None else F.linear(y, w.head_weight, w.head_bias)  # (B, K)
    return Output(normalised, y, logits)


def represent(w: ViTWeights, pixels: Tensor, steps: Steps = RIGHT) -> Output:
    """Run the whole model and keep only what it ends with; pixels (B, C, H, W). Raises as `check_pixels` does."""
    check_pixels(w, pixels)
    z = embed(w, pixels, steps).z0
    for layer in layers(w, z, steps):
        z = layer.z
    return read_out(w, z, steps)
