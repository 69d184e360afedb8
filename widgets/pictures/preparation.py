"""From bytes to the numbers a model reads: preprocessing is part of the model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from widgets.common.refusal import Refused


@dataclass(frozen=True)
class Preparation:
    """How one model scales its pixels: (v / 255 - mean) / deviation, channel by channel.

    mean and deviation hold three numbers each (red, green, blue), on values from 0 to 1.
    """

    name: str
    title: str
    mean: tuple[float, float, float]
    deviation: tuple[float, float, float]

    def levels(self) -> np.ndarray:
        """Return the prepared value of every byte: float32 (3, 256), read-only."""
        return _levels(self)

    def apply(self, pixels: np.ndarray) -> np.ndarray:
        """Prepare a uint8 picture (3, H, W); returns float32 (3, H, W).

        Raises TypeError or ValueError when the picture is not bytes of that shape.
        """
        if not isinstance(pixels, np.ndarray) or pixels.dtype != np.uint8:
            raise TypeError(f"pixels must be a NumPy array of uint8, not {getattr(pixels, 'dtype', type(pixels))}")
        if pixels.ndim != 3 or pixels.shape[0] != 3:
            raise Refused(f"pixels must have the shape (3, H, W), not {pixels.shape}")
        levels = self.levels()
        return np.stack([levels[channel][pixels[channel]] for channel in range(3)])


@cache
def _levels(preparation: Preparation) -> np.ndarray:
    byte = np.arange(256, dtype=np.float64) / 255
    mean, deviation = np.array([preparation.mean, preparation.deviation])[:, :, None]  # (3, 1) each
    levels = ((byte - mean) / deviation).astype(np.float32)  # (3, 256)
    levels.setflags(write=False)
    return levels


PREPARATIONS: dict[str, Preparation] = {
    "bytes": Preparation("bytes", "0 to 255, as they are", (0.0, 0.0, 0.0), (1 / 255, 1 / 255, 1 / 255)),
    "vit-b16": Preparation("vit-b16", "ViT-B/16: from -1 to 1", (0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
    "dinov2-small": Preparation(
        "dinov2-small", "DINOv2: ImageNet mean and deviation", (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    ),
}
