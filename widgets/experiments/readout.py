"""Two ways to read one vector out of a picture's tokens: the class token, or the average of the patches (chapter
04)."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from widgets.checkpoints.loading import Checkpoint, at_hand, load
from widgets.model.library import weights_of
from widgets.model.vit import ViTWeights, embed, layers, read_out
from widgets.pictures import Picture, open_sample, prepare, sample_names


def mirrored(picture: Picture) -> Picture:
    """The picture with left and right changed over: it shows the same things."""
    return replace(picture, rgb=picture.rgb[:, ::-1].copy())


class ReadOuts(NamedTuple):
    """The final norm of the class token's last state, and of the mean of the patches' last states."""

    class_token: Tensor  # (D,), or (S, D) for S pictures
    mean: Tensor  # the same shape


def read_outs(name: str, picture: Picture) -> ReadOuts:
    """Both readings of one picture by a checkpoint, from the same forward pass.

    Raises CheckpointMissing when the checkpoint is not on this machine, ValueError for an unknown name.
    """
    pixels = prepare(picture, at_hand(name).patch_size)
    checkpoint = load(name, pixels.shape[1:])
    return _read(checkpoint, torch.from_numpy(checkpoint.preparation.apply(pixels))[None])


@lru_cache(maxsize=4)
def sample_read_outs(name: str) -> tuple[tuple[str, ...], ReadOuts]:
    """Titles of the sample pictures and both readings of each, (S, D): a forward pass a picture, once a process."""
    samples = [open_sample(sample) for sample in sample_names()]
    found = [read_outs(name, sample) for sample in samples]
    return tuple(s.title for s in samples), ReadOuts(*(torch.stack(rows) for rows in zip(*found, strict=True)))


@torch.inference_mode()
def _read(checkpoint: Checkpoint, x: Tensor) -> ReadOuts:
    w: ViTWeights = weights_of(checkpoint.model)
    z = embed(w, x).z0
    for layer in layers(w, z):
        z = layer.z  # (1, T, D)
    return ReadOuts(read_out(replace(w, pool="cls"), z).y[0], read_out(replace(w, pool="gap"), z).y[0])
