"""One forward pass with every tensor kept, named as the paper names it, and compared with the library's own."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from widgets.common.refusal import Refused
from widgets.model.encoder import BlockTrace
from widgets.model.faults import steps_with
from widgets.model.library import library_stages, weights_of
from widgets.model.vit import ViTWeights, check_pixels, embed, layers, read_out

MOST_KEPT = 800  # patches: what attention keeps grows with their square, to a quarter of a gigabyte and more here


class Agreement(NamedTuple):
    """One row of `Trace.compare`: how far ours is from the library's."""

    stage: str
    shape: tuple[int, ...]
    difference: float  # largest absolute difference
    largest: float  # largest magnitude in the library's
    relative: float  # difference over largest


@dataclass(frozen=True)
class Trace:
    """Every tensor of one forward pass, under the paper's names. `layers[0].q` is q of the first block."""

    patches: Tensor  # (B, N, C*P*P)
    patch_embeddings: Tensor  # (B, N, D)
    z0: Tensor  # (B, T, D)
    layers: tuple[BlockTrace, ...]  # L of them; z of the last is z_L, before the final norm
    normalised: Tensor  # (B, T, D): LN(z_L)
    y: Tensor  # (B, D)
    logits: Tensor | None  # (B, K)
    grid: tuple[int, int]  # (rows, columns) of patches
    prefix: int  # tokens before the patches
    faults: tuple[str, ...]
    pixels: Tensor = field(repr=False)  # (B, C, H, W)
    model: Any = field(repr=False, default=None)  # the library's, to compare with

    @property
    def attentions(self) -> tuple[Tensor, ...]:
        """The weights of every layer, each (B, k, T, T)."""
        return tuple(layer.weights for layer in self.layers)

    def into(self, layer: int) -> Tensor:
        """What a layer (from 0) reads: z0, or z of the layer before, (B, T, D)."""
        return self.layers[layer - 1].z if layer else self.z0

    def attention_map(self, layer: int, head: int, query: int, batch: int = 0) -> Tensor:
        """Return how one query (a token, 0 the class token) weighs the patches: (rows, columns). All count from 0."""
        return self.layers[layer].weights[batch, head, query, self.prefix :].reshape(self.grid)

    def stages(self) -> dict[str, Tensor]:
        """Return all tensors by name, in the order of the forward pass; "layer 1 q" is that of the first block."""
        named = {"patches": self.patches, "patch_embeddings": self.patch_embeddings, "z0": self.z0}
        for number, layer in enumerate(self.layers, start=1):
            named |= {f"layer {number} {name}": tensor for name, tensor in layer._asdict().items()}
        named |= {"normalised": self.normalised, "y": self.y}
        return named if self.logits is None else named | {"logits": self.logits}

    def compare(self) -> list[Agreement]:
        """Run the library on the same pixels and compare stage by stage, in order.

        The cut and the scores are not compared: the library has no tensor of either.
        Raises ValueError when there is no library model, or it does not keep its attention weights.
        """
        ours, theirs = self.stages(), library_stages(self.model, self.pixels)
        return [_agreement(stage, ours[stage], theirs[stage]) for stage in ours if stage in theirs]


def check_keepable(checkpoint: Any, pixels: np.ndarray) -> None:
    """Raise ValueError, with a sentence, for pixels (C, H, W) that the checkpoint cuts into more than MOST_KEPT
    patches.

    For pages: a reader's own picture may be a panorama, and a trace of it would fill the memory of all readers.
    """
    P, (_, height, width) = checkpoint.patch_size, pixels.shape
    patches = (height // P) * (width // P)
    if patches > MOST_KEPT:
        raise Refused(
            f"This picture is so long and narrow that {checkpoint.title} cuts it into {patches:,} patches, and keeping"
            " what every token takes from every other would fill the memory. Choose one whose long side is at most"
            " three times its short side."
        )


def power_of_ten_above(difference: float) -> str:
    """A bound that prints the same on every processor: the power of ten at least five times the difference."""
    return f"1e{math.ceil(math.log10(max(5 * difference, 1e-12)))}"


@torch.no_grad()
def trace(checkpoint: Any, pixels: Tensor, faults: Iterable[str] = ()) -> Trace:
    """Run a checkpoint on prepared pixels (B, C, H, W) with our functions, and keep every tensor.

    Takes a checkpoint, a library `ViTModel` or `ViTForImageClassification`, or `ViTWeights`. For a size other than
    the position table's the table is interpolated. `faults` are names from `faults.FAULTS`.

    Raises TypeError for pixels that are no floats, ValueError for a wrong number of channels, a size that is no
    multiple of P, a NaN, or an unknown fault.
    """
    model = None if isinstance(checkpoint, ViTWeights) else getattr(checkpoint, "model", checkpoint)
    w = checkpoint if model is None else weights_of(model)
    check_pixels(w, pixels)
    pixels = pixels.to(w.filters.dtype)
    faults = (faults,) if isinstance(faults, str) else tuple(faults)
    steps = steps_with(faults, w, getattr(checkpoint, "preparation", None))
    start = embed(w, pixels, steps)
    kept = tuple(layers(w, start.z0, steps))
    end = read_out(w, kept[-1].z, steps)
    grid = (pixels.shape[-2] // w.patch_size, pixels.shape[-1] // w.patch_size)
    return Trace(*start, kept, *end, grid=grid, prefix=w.prefix, faults=faults, pixels=pixels, model=model)


def _agreement(stage: str, ours: Tensor, theirs: Tensor) -> Agreement:
    difference, largest = float((ours - theirs).abs().max()), float(theirs.abs().max())
    relative = difference / largest if largest else (0.0 if difference == 0 else float("inf"))
    return Agreement(stage, tuple(theirs.shape), difference, largest, relative)
