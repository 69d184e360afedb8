"""What one mistake does to the model on a picture: what it then reads, and how far y moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity, normalize

from widgets.checkpoints.loading import Checkpoint, at_hand
from widgets.experiments.readout import sample_read_outs
from widgets.model.faults import RESIZES, steps_with
from widgets.model.library import weights_of
from widgets.model.patches import patchify, unpatchify
from widgets.model.positions import Grid, interpolate_positions
from widgets.model.trace import Trace, check_keepable, trace
from widgets.model.vit import ViTWeights
from widgets.pictures import Picture, prepare, sample_names

RESIZED = frozenset(RESIZES)  # mistakes that leave the patches alone and tell them they are elsewhere
GREY = 128
FIRST = 3  # numbers of y to show


@dataclass(frozen=True)
class Damage:
    """What came of a mistake. `seen` is the picture the model reads: uint8 (3, H, W)."""

    title: str  # of the checkpoint
    provenance: str
    patch_size: int
    seen: np.ndarray
    shape: tuple[int, ...]  # of y, (D,)
    cosine: float  # of y with the right y
    largest_change: float  # of a number of y
    largest: float  # magnitude in the right y
    by_position: bool  # `seen` has each patch where its position says it is, and grey where none is
    nearest: str  # title of the picture whose right y has the largest cosine with y, samples and this one
    begins: tuple[float, ...]  # the first numbers of y
    others: tuple[
        tuple[str, float], ...
    ] = ()  # every other sample: title, cosine of its right y with the right y; most alike first


def damage(name: str, picture: Picture, faults: tuple[str, ...]) -> Damage:
    """Run a picture through a checkpoint with and without faults (names from `faults.FAULTS`).

    Raises CheckpointMissing when the checkpoint is not on this machine, ValueError for an unknown name or a picture
    that is too long to keep its pass."""
    checkpoint = at_hand(name)  # with the table it was trained with: some mistakes are made when that is resized
    P = checkpoint.patch_size
    pixels = prepare(picture, P)
    check_keepable(checkpoint, pixels)
    prepared = torch.from_numpy(checkpoint.preparation.apply(pixels))[None]  # (1, 3, H, W)
    broken = trace(checkpoint, prepared, faults)
    right = trace(checkpoint, prepared).y[0] if faults else broken.y[0]  # (D,)
    y = broken.y[0]
    return Damage(
        checkpoint.title,
        checkpoint.provenance.brief,
        P,
        _seen(checkpoint, broken, pixels, faults),
        tuple(y.shape),
        float(cosine_similarity(y, right, dim=0)),
        float((y - right).abs().max()),
        float(right.abs().max()),
        not RESIZED.isdisjoint(faults),
        _nearest(name, picture, right, y) if faults else picture.title,
        tuple(y[:FIRST].tolist()),
        other_answers(name, picture, right) if faults else (),
    )


def _seen(checkpoint: Checkpoint, t: Trace, pixels: np.ndarray, faults: tuple[str, ...]) -> np.ndarray:
    """What the model reads, uint8 (3, H, W): the patches that went in, and where the positions are wrong, moved
    there."""
    P = checkpoint.patch_size
    if not RESIZED.isdisjoint(faults):
        return _moved(pixels, P, places_told(weights_of(checkpoint.model), t.grid, faults))
    prepared = unpatchify(t.patches[0].numpy(), pixels.shape[1:], P)
    mean, deviation = (
        np.array(side)[:, None, None] for side in (checkpoint.preparation.mean, checkpoint.preparation.deviation)
    )
    return (255 * (prepared * deviation + mean)).round().clip(0, 255).astype(np.uint8)


@torch.no_grad()
def places_told(w: ViTWeights, grid: Grid, faults: tuple[str, ...]) -> np.ndarray:
    """The patch whose right position is most like the one that each patch is given: int64 (N,)."""
    n_cls = int(w.class_token is not None)
    given, right = (
        resize(w.positions, w.grid, grid, prefix=n_cls)[n_cls:]
        for resize in (steps_with(faults, w).resize, interpolate_positions)
    )  # (N, D) each
    return (normalize(given, dim=1) @ normalize(right, dim=1).T).argmax(1).numpy()  # of (N, N) cosines


def _moved(pixels: np.ndarray, patch_size: int, places: np.ndarray) -> np.ndarray:
    patches = patchify(pixels, patch_size)  # (N, C*P*P)
    moved = np.full_like(patches, GREY)
    moved[places] = patches  # of several at one place the last is seen
    return unpatchify(moved, pixels.shape[1:], patch_size)


def _nearest(name: str, picture: Picture, right: Tensor, y: Tensor) -> str:
    titles, known = sample_answers(name)
    cosines = cosine_similarity(torch.cat([known, right[None]]), y[None], dim=1)
    return (*titles, picture.title)[int(cosines.argmax())]


def other_answers(name: str, picture: Picture, right: Tensor) -> tuple[tuple[str, float], ...]:
    """How alike the right y, (D,), of a picture and of every other sample are: (title, cosine), most alike first.

    What a wrong y is measured against: a y that is no more like the right one may as well be another picture's.
    """
    titles, known = sample_answers(name)
    cosines = cosine_similarity(known, right[None], dim=1).tolist()
    found = [
        (title, cosine)
        for sample, title, cosine in zip(sample_names(), titles, cosines, strict=True)
        if sample != picture.name
    ]
    return tuple(sorted(found, key=lambda one: -one[1]))


def sample_answers(name: str) -> tuple[tuple[str, ...], Tensor]:
    """The right y of every sample picture: their titles, and (pictures, D). A forward pass each, once a process."""
    titles, read = sample_read_outs(name)
    return titles, read.class_token
