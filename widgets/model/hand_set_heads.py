"""Four attention heads set by hand, on any picture: what "heads specialise" can mean, before a trained model shows it.

Real: every product and softmax, on the reader's own picture. Hand-set: the tokens and the four heads.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import normalize

from widgets.common.refusal import Refused
from widgets.model.attention import AttentionTrace, AttentionWeights, multi_head_attention
from widgets.model.embedding import Components, coordinates, patch_basis
from widgets.model.patches import patchify
from widgets.model.positions import sincos_2d
from widgets.model.tensor_defaults import FLOAT32

COMPONENTS = 8  # the picture's own principal components: features 0 to 7 of a token
POSITION_FEATURES = 24  # features 8 to 31: six waves for the row, six for the column, a sine and a cosine each
HIDDEN_SIZE = COMPONENTS + POSITION_FEATURES  # D
PREFIX = 1  # a class token stands before the patches
NUM_HEADS = 4  # k, so D_h is 8
POSITION_BASE = 30.0  # the slowest wave is 107 patches long: no two places of a picture look alike to it
GROUPS = ((0, 3), (3, 8))  # of the components: colour and brightness, then fine detail; each is scaled to length 1


@dataclass(frozen=True)
class HandHead:
    """One head: its name, what it compares, which features of a token it reads, and how strongly each counts."""

    name: str
    compares: str
    features: tuple[int, ...]  # D_h of them at most
    sharpness: tuple[float, ...]  # what each feature of the query is multiplied by


def _slow_waves() -> tuple[int, ...]:
    """Sine and cosine of the slowest wave of the row, and of the column."""
    half = POSITION_FEATURES // 2
    return (COMPONENTS + half - 2, COMPONENTS + half - 1, HIDDEN_SIZE - 2, HIDDEN_SIZE - 1)


HEADS = (
    HandHead("colour", "colour and brightness: components 1 to 3", (0, 1, 2), (15.0,) * 3),
    HandHead("detail", "fine detail: components 4 to 8", (3, 4, 5, 6, 7), (12.0,) * 5),
    HandHead("place", "place alone: the slowest waves of row and column", _slow_waves(), (350.0,) * 4),
    HandHead("both", "colour and place together", (0, 1, 2, *_slow_waves()), (15.0,) * 3 + (60.0,) * 4),
)


@dataclass(frozen=True)
class HandHeads:
    """The four heads at work on one picture."""

    z: Tensor  # (1, T, D): a class token of zeros, then the patches
    trace: AttentionTrace  # of these heads, k = 4
    grid: tuple[int, int]  # (rows, columns) of patches
    basis: Components  # the picture's own


def hand_heads(pixels: Tensor, patch_size: int) -> HandHeads:
    """Run four hand-set heads on one picture (C, H, W) of prepared pixels.

    Raises ValueError for a picture that does not cut into patches, or into fewer than 9 (eight components need them),
    and for one whose patches are too alike to have eight components.
    """
    patches = patchify(pixels, patch_size)  # (N, C*P*P)
    if len(patches) <= COMPONENTS:
        raise Refused(f"{len(patches)} patches have no {COMPONENTS} principal components: use 9 patches or more")
    basis = patch_basis(patches, COMPONENTS)
    grid = (pixels.shape[1] // patch_size, pixels.shape[2] // patch_size)
    content = coordinates(patches, basis) / basis.deviations()  # (N, 8), variance 1
    # else a query would prefer the most unusual patches, whatever it looks like itself
    content = torch.cat([normalize(content[:, a:b], dim=1) for a, b in GROUPS], 1)
    tokens = torch.cat([content.float(), sincos_2d(grid, POSITION_FEATURES, POSITION_BASE)], 1)  # (N, D)
    # a class token of zeros prefers nothing, so its query weighs every token alike
    z = torch.cat([torch.zeros(1, HIDDEN_SIZE, **FLOAT32), tokens])[None]  # (1, 1 + N, D)
    return HandHeads(z, multi_head_attention(z, weights(), NUM_HEADS), grid, basis)


def weights() -> AttentionWeights:
    """U_qkv picks each head's features (and sharpens the query); values pass what a head read; U_msa is the
    identity."""
    D_h = HIDDEN_SIZE // NUM_HEADS
    picks, sharp = (torch.zeros(HIDDEN_SIZE, HIDDEN_SIZE, **FLOAT32) for _ in range(2))
    for number, head in enumerate(HEADS):
        for place, (feature, factor) in enumerate(zip(head.features, head.sharpness, strict=True)):
            picks[feature, number * D_h + place] = 1  # (in, out): head j makes columns j*D_h on
            sharp[feature, number * D_h + place] = factor
    return AttentionWeights.packed(torch.cat([sharp, picks, picks], 1), None, torch.eye(HIDDEN_SIZE, **FLOAT32), None)
