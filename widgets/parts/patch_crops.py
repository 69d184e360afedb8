"""The same patch cut from several pictures of one size, side by side and enlarged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import param

from widgets.parts.part import Part


class PatchCrops(Part):
    """Draws the patch that is followed as it is in each of its pictures."""

    rgb = param.Bytes(b"", doc="M * H * W * 3 bytes, picture by picture, row by row")
    picture_width = param.Integer(0, bounds=(0, None), doc="pixels")
    picture_height = param.Integer(0, bounds=(0, None), doc="pixels")
    patch_size = param.Integer(16, bounds=(1, None), doc="P, pixels")
    names = param.List([], doc="what each picture is")

    _esm = Path(__file__).parent / "patch_crops.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "pattern_row.css"]

    @staticmethod
    def pictures(pixels: np.ndarray) -> dict[str, Any]:
        """Parameters that show `pixels` (M, 3, H, W) uint8."""
        if pixels.ndim != 4 or pixels.shape[1] != 3 or pixels.dtype != np.uint8:
            raise ValueError(f"pictures to draw are (M, 3, H, W) of uint8, not {pixels.shape} of {pixels.dtype}")
        return {
            "rgb": np.ascontiguousarray(pixels.transpose(0, 2, 3, 1)).tobytes(),
            "picture_height": pixels.shape[2],
            "picture_width": pixels.shape[3],
        }
