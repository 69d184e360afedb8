"""The hand-set ViT of chapter 00: small enough that every number fits on a screen, and set without any training.

Real: every product, sum, norm and softmax, on the reader's own picture. Hand-set: the weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from widgets.common.refusal import Refused
from widgets.model.attention import AttentionWeights
from widgets.model.embedding import Components, patch_basis
from widgets.model.encoder import BlockWeights, MLPWeights
from widgets.model.patches import patchify
from widgets.model.positions import sincos_2d
from widgets.model.tensor_defaults import FLOAT32, seeded
from widgets.model.vit import ViTWeights

HIDDEN_SIZE = 8  # D: eight principal components
NUM_HEADS = 2  # k: head 1 reads features 0 to 3, head 2 features 4 to 7
NUM_LAYERS = 2  # L
INTERMEDIATE_SIZE = 32  # D_ff = 4D
POSITION_BASE = 100.0  # waves of 6 and 63 patches: right for a grid of 7, where 10,000 is made for hundreds
POSITION_SIZE = 0.5  # positions weigh half as much as content
SHARPNESS = 2.0  # how strongly a query prefers keys like itself


@dataclass(frozen=True)
class HandSetViT:
    """The weights, the picture's basis they were made from, and one sentence for each piece: hand-set or random."""

    weights: ViTWeights
    basis: Components
    origins: dict[str, str]


ORIGINS = {
    "patch_embedding": "hand-set: the picture's own first 8 principal components, each scaled to variance 1",
    "class_token": "hand-set: all zeros, so that its first query prefers nothing and it averages the whole picture",
    "positions": "hand-set: sines and cosines of row and column, at half size; zeros for the class token",
    "attention": (
        "hand-set: each head compares its own four features (0 to 3, 4 to 7) and passes them on as they are; the query"
        " is doubled, so that the shares are sharper"
    ),
    "layer_norms": "hand-set: gain 1, shift 0",
    "mlp": "random, from a fixed seed",
    "head": "random, from a fixed seed: its answers mean nothing",
}


def hand_set_vit(pixels: Tensor, patch_size: int = 32, num_labels: int = 3, seed: int = 0) -> HandSetViT:
    """Set a ViT of D 8, two heads and two layers by hand for one picture (C, H, W) of prepared pixels.

    Run it with `trace(vit.weights, pixels[None])`. Raises ValueError for a picture that does not cut into patches, or
    into fewer than 9 (eight components need them), and for one whose patches are all alike.
    """
    if pixels.ndim != 3 or not pixels.is_floating_point():
        raise Refused(f"pixels must be floats of shape (C, H, W), not {pixels.dtype} {tuple(pixels.shape)}")
    patches = patchify(pixels, patch_size)  # (N, C*P*P)
    if len(patches) <= HIDDEN_SIZE:
        raise Refused(f"{len(patches)} patches have no {HIDDEN_SIZE} principal components: use 9 patches or more")
    basis = patch_basis(patches, HIDDEN_SIZE)
    filters, bias = _whitened(basis, (pixels.shape[0], pixels.shape[1], pixels.shape[2]), patch_size)
    generator = seeded(seed)
    grid = (pixels.shape[1] // patch_size, pixels.shape[2] // patch_size)
    weights = ViTWeights(
        filters=filters,
        filter_bias=bias,
        class_token=torch.zeros(HIDDEN_SIZE, **FLOAT32),
        positions=_positions(grid),
        blocks=tuple(_block(generator) for _ in range(NUM_LAYERS)),
        norm_weight=torch.ones(HIDDEN_SIZE, **FLOAT32),
        norm_bias=torch.zeros(HIDDEN_SIZE, **FLOAT32),
        num_attention_heads=NUM_HEADS,
        layer_norm_eps=1e-6,
        grid=grid,
        head_weight=_random(generator, num_labels, HIDDEN_SIZE),
        head_bias=torch.zeros(num_labels, **FLOAT32),
    )
    return HandSetViT(weights, basis, ORIGINS)


def _whitened(basis: Components, image_shape: tuple[int, int, int], P: int) -> tuple[Tensor, Tensor]:
    """Return the components as filters (D, C, P, P) and a bias (D,): features of mean 0 and variance 1."""
    E = basis.directions / basis.deviations()[:, None]  # (D, C*P*P)
    bias = -(E @ basis.mean)  # (D,): takes the mean patch to 0
    return E.float().reshape(HIDDEN_SIZE, image_shape[0], P, P), bias.float()


def _positions(grid: tuple[int, int]) -> Tensor:
    of_patches = POSITION_SIZE * sincos_2d(grid, HIDDEN_SIZE, POSITION_BASE)
    return torch.cat([torch.zeros(1, HIDDEN_SIZE, **FLOAT32), of_patches])  # (1 + N, D)


def _block(generator: torch.Generator) -> BlockWeights:
    """Identity matrices give head j the features 4j to 4j + 3 and nothing else."""
    same = torch.eye(HIDDEN_SIZE, **FLOAT32)
    zero, one = torch.zeros(HIDDEN_SIZE, **FLOAT32), torch.ones(HIDDEN_SIZE, **FLOAT32)
    return BlockWeights(
        one,
        zero,
        AttentionWeights(SHARPNESS * same, zero, same, zero, same, zero, same, zero),
        one,
        zero,
        MLPWeights(
            _random(generator, INTERMEDIATE_SIZE, HIDDEN_SIZE),
            torch.zeros(INTERMEDIATE_SIZE, **FLOAT32),
            _random(generator, HIDDEN_SIZE, INTERMEDIATE_SIZE),
            zero,
        ),
    )


def _random(generator: torch.Generator, rows: int, columns: int) -> Tensor:
    # variance 1 / columns keeps the size of what passes through
    return torch.randn(rows, columns, generator=generator, **FLOAT32) * columns**-0.5
