"""One forward pass of a picture through a checkpoint, shared by every widget of the process that asks for it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from widgets.pictures import Picture, prepare

if TYPE_CHECKING:
    from torch import Tensor

    from widgets.checkpoints.loading import Checkpoint
    from widgets.model.trace import Trace

KEPT = 2  # readings: a trace of dinov2-small at 224 px holds about 100 MB


@dataclass(frozen=True)
class Reading:
    """A picture as a checkpoint read it: the pixels it was given, and every tensor of the pass (batch of one)."""

    checkpoint: Checkpoint  # loaded for the size of `pixels`
    picture: Picture
    pixels: np.ndarray  # uint8 (3, H, W), cut to multiples of P
    x: Tensor  # (1, 3, H, W), prepared
    trace: Trace

    @property
    def patch_size(self) -> int:
        """P of the checkpoint, in pixels."""
        return self.checkpoint.patch_size

    @property
    def caption(self) -> str:
        """Which model and which picture: the end of a caption."""
        return f"{self.picture.title}, read by {self.checkpoint.title}. {self.checkpoint.provenance.brief}"


_lock = threading.Lock()
_kept: OrderedDict[tuple[str, Picture], Reading] = OrderedDict()


def read(name: str, picture: Picture) -> Reading:
    """Run a picture through a checkpoint that is on this machine, or return the pass that is still kept.

    Raises CheckpointMissing when the checkpoint is not here, ValueError for an unknown name: each with a sentence
    that says what to do.
    """
    with _lock:  # two widgets of a page ask at once: the second waits for the pass of the first
        key = (name, picture)
        if key not in _kept:
            _kept[key] = _pass(name, picture)
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
        _kept.move_to_end(key)
        return _kept[key]


def _pass(name: str, picture: Picture) -> Reading:
    import torch

    from widgets.checkpoints.loading import at_hand, load
    from widgets.model.trace import check_keepable, trace

    pixels = prepare(picture, at_hand(name).patch_size)
    check_keepable(at_hand(name), pixels)
    checkpoint = load(name, pixels.shape[1:])
    x = torch.from_numpy(checkpoint.preparation.apply(pixels))[None]  # (1, 3, H, W)
    return Reading(checkpoint, picture, pixels, x, trace(checkpoint, x))
