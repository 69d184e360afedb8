"""Is a ViT told where its patches were? Put them in another order, with positions and without (chapter 04)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from widgets.checkpoints.loading import Checkpoint, at_hand, load
from widgets.common.refusal import Refused
from widgets.model.faults import steps_with
from widgets.model.library import weights_of
from widgets.model.patches import patchify, unpatchify
from widgets.model.vit import Output, represent
from widgets.pictures import Picture, prepare

ORDERS = {
    "shuffle": "all patches shuffled",
    "swap": "two patches changed over",
    "rows": "rows of patches from bottom to top",
}


@dataclass(frozen=True)
class Change:
    """What became of the answer when the patches changed places. `y` are the first D numbers of sight: (2, D)."""

    y: np.ndarray  # (2, D): of the picture as it is, and of the picture in the other order
    cosine: float  # of the two
    largest_change: float  # of a number of y
    largest: float  # magnitude in y of the picture as it is
    token_change: float  # largest change of a number of a patch's token that comes out, each patch with itself


@dataclass(frozen=True)
class ShuffleResult:
    """One order, tried on a checkpoint with its positions and without. Pictures are uint8 (3, H, W)."""

    title: str  # of the checkpoint
    provenance: str
    patch_size: int
    picture: np.ndarray
    reordered: np.ndarray
    order: np.ndarray  # (N,): the patch that now stands at each place
    with_positions: Change
    without: Change


def patch_order(kind: str, grid: tuple[int, int], seed: int = 0) -> np.ndarray:
    """The patch that stands at each place of a grid (rows, columns), in raster order: int64 (N,).

    The same seed gives the same order on every machine. Raises ValueError for a kind that is not in ORDERS.
    """
    N = grid[0] * grid[1]
    draw = np.random.default_rng(seed)
    if kind == "shuffle":
        return draw.permutation(N)
    if kind == "rows":
        return np.arange(N).reshape(grid)[::-1].ravel()
    if kind == "swap":
        order = np.arange(N)
        if N > 1:
            a, b = draw.choice(N, 2, replace=False)
            order[[a, b]] = order[[b, a]]
        return order
    raise Refused(f"there is no order {kind!r}: use one of {', '.join(ORDERS)}")


def reorder(pixels: np.ndarray, patch_size: int, order: np.ndarray) -> np.ndarray:
    """Put the patches of a picture (C, H, W) in another order: the same shape, patch order[n] at place n."""
    return unpatchify(patchify(pixels, patch_size)[order], pixels.shape[1:], patch_size)


@lru_cache(maxsize=16)
def shuffle_test(name: str, picture: Picture, kind: str, seed: int = 0) -> ShuffleResult:
    """Run a picture and the same patches in another order through a checkpoint, with E_pos and with zeros in its place.

    Raises CheckpointMissing when the checkpoint is not on this machine, ValueError for an unknown name or kind.
    """
    P = at_hand(name).patch_size
    pixels = prepare(picture, P)  # (3, H, W)
    checkpoint = load(name, pixels.shape[1:])
    order = patch_order(kind, (pixels.shape[1] // P, pixels.shape[2] // P), seed)
    other = reorder(pixels, P, order)
    changes = [
        _change(_outputs(checkpoint, pixels, faults), _outputs(checkpoint, other, faults), order, checkpoint)
        for faults in ((), ("no_positions",))
    ]
    return ShuffleResult(checkpoint.title, checkpoint.provenance.brief, P, pixels, other, order, *changes)


@torch.inference_mode()
def _outputs(checkpoint: Checkpoint, pixels: np.ndarray, faults: tuple[str, ...]) -> Output:
    w = weights_of(checkpoint.model)
    x = torch.from_numpy(checkpoint.preparation.apply(pixels))[None]  # (1, 3, H, W)
    return represent(w, x, steps_with(faults, w, checkpoint.preparation))


def _change(before: Output, after: Output, order: np.ndarray, checkpoint: Checkpoint) -> Change:
    prefix = weights_of(checkpoint.model).prefix
    y = torch.cat([before.y, after.y])  # (2, D)
    here, there = before.normalised[0, prefix:], after.normalised[0, prefix:]  # (N, D)
    moved: Tensor = here[torch.from_numpy(order)] - there  # (N, D): place n holds patch order[n]
    return Change(
        y.numpy(),
        float(cosine_similarity(y[0], y[1], dim=0)),
        float((y[1] - y[0]).abs().max()),
        float(y[0].abs().max()),
        float(moved.abs().max()),
    )
