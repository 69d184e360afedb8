"""How alike a model finds the patches of a picture: cosines between the tokens it gives out."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn.functional import normalize

from widgets.checkpoints.loading import Checkpoint, at_hand, load
from widgets.common.refusal import Refused


def patch_likeness(checkpoint: Checkpoint, pixels: np.ndarray) -> np.ndarray:
    """Cosine similarity of every patch's final token to every other's: (N, N), from -1 to 1, 1 on the diagonal.

    `pixels` (C, H, W) are prepared as the checkpoint wants them, at the size it was loaded for.
    """
    with torch.inference_mode():
        z = checkpoint.model.base_model(pixel_values=torch.from_numpy(pixels)[None]).last_hidden_state[0]  # (1 + N, D)
    rows = normalize(z[1:], dim=-1)  # (N, D)
    return (rows @ rows.T).clamp(-1, 1).numpy()  # (N, N)


def reader_of(name: str, patch_size: int, image_size: tuple[int, int]) -> Checkpoint:
    """The checkpoint at hand for pictures (H, W), if it reads patches of that size.

    Raises CheckpointMissing as `at_hand` does; ValueError for an unknown name or patches it does not read.
    """
    checkpoint = at_hand(name)
    own = checkpoint.patch_size
    if own != patch_size:
        raise Refused(f"{checkpoint.title} reads patches of {own} px, so it cannot colour patches of {patch_size} px.")
    return load(name, image_size)
