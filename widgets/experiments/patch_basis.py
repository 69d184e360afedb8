"""A picture's patches along directions: its own principal components, random ones, or those that a model's filters
span."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from widgets.checkpoints.loading import at_hand
from widgets.model import embedding
from widgets.model.embedding import Components
from widgets.model.library import weights_of
from widgets.model.patches import patchify, unpatchify
from widgets.pictures import Picture, prepare

PATCH_SIZE = 16  # of the two bases that belong to no model, pixels
SEED = 0  # of the random E


@dataclass(frozen=True)
class Basis:
    """A picture's patches, and directions to write them in. `curve` is the share of variance kept by 1, 2, ...
    numbers."""

    pixels: np.ndarray  # uint8 (3, H, W)
    patch_size: int
    components: Components  # every direction there is, (most, C*P*P), with the mean patch
    coordinates: np.ndarray  # (N, most)
    curve: np.ndarray  # (most,)
    of: str  # whose directions these are, in words

    @property
    def most(self) -> int:
        """How many directions there are."""
        return len(self.curve)

    @property
    def grid(self) -> tuple[int, int]:
        """(rows, columns) of patches."""
        return self.pixels.shape[1] // self.patch_size, self.pixels.shape[2] // self.patch_size

    @property
    def rows(self) -> np.ndarray:
        """The patches, bytes (N, C*P*P)."""
        return patchify(self.pixels, self.patch_size)

    def patterns(self, count: int) -> np.ndarray:
        """The first directions as patterns of pixels: (count, 3, P, P)."""
        directions = self.components.directions[:count].numpy()  # (count, C*P*P)
        return directions.reshape(len(directions), -1, self.patch_size, self.patch_size)

    def rebuilt(self, k: int) -> np.ndarray:
        """The patches again from their first k numbers: float64 (N, C*P*P), not yet rounded to bytes."""
        return embedding.reconstruct(torch.from_numpy(self.coordinates[:, :k]), self.components).numpy()

    def picture(self, k: int) -> np.ndarray:
        """The whole picture from k numbers a patch, rounded to bytes: uint8 (3, H, W)."""
        rows = self.rebuilt(k).round().clip(0, 255).astype(np.uint8)
        return unpatchify(rows, self.pixels.shape[1:], self.patch_size)

    def errors(self, k: int) -> np.ndarray:
        """Root mean square error of every patch, in steps of a byte: (N,)."""
        return embedding.rebuild_error(torch.from_numpy(self.rows), torch.from_numpy(self.rebuilt(k))).numpy()


def basis_of(picture: Picture, kind: str, checkpoint: str = "", patch_size: int = PATCH_SIZE) -> Basis:
    """The directions of one kind for a picture: "components", "random", or the columns of a checkpoint's E ("model").

    A model cuts the picture into patches of its own size, whatever `patch_size` says. Kept, so that the next widget
    that asks has it at once.

    Raises CheckpointMissing or ValueError with a sentence when the checkpoint cannot be had.
    """
    return _of_model(picture, checkpoint) if kind == "model" else _of_picture(picture, kind == "random", patch_size)


@lru_cache(maxsize=4)
def _of_model(picture: Picture, checkpoint: str) -> Basis:
    loaded = at_hand(checkpoint)
    filters = weights_of(loaded.model).filters
    pixels, rows = _cut(picture, filters.shape[-1])
    found = embedding.column_basis(rows, embedding.projection_of_bytes(filters, loaded.preparation.deviation))
    return _along(pixels, rows, filters.shape[-1], found, f"directions made from the filters of {loaded.title}")


@lru_cache(maxsize=8)
def _of_picture(picture: Picture, random: bool, patch_size: int) -> Basis:
    pixels, rows = _cut(picture, patch_size)
    if random:
        found = embedding.column_basis(rows, embedding.random_projection(rows.shape[1], rows.shape[1], SEED))
        return _along(pixels, rows, patch_size, found, f"random directions (seed {SEED})")
    found = embedding.patch_basis(rows, min(len(rows) - 1, rows.shape[1]))
    return _along(pixels, rows, patch_size, found, f"the components of {picture.named}")


def _cut(picture: Picture, patch_size: int) -> tuple[np.ndarray, Tensor]:
    """The picture's pixels (3, H, W), and its patches (N, C*P*P)."""
    pixels = prepare(picture, patch_size)
    return pixels, torch.from_numpy(patchify(pixels, patch_size))


def _along(pixels: np.ndarray, rows: Tensor, patch_size: int, found: Components, of: str) -> Basis:
    return Basis(pixels, patch_size, found, embedding.coordinates(rows, found).numpy(), found.explained().numpy(), of)
