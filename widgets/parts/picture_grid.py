"""A picture cut into patches: hover one to follow it, click or press arrow keys to select it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import param

from widgets.parts.part import Part


class PictureGrid(Part):
    """Draws a picture with the grid of its patches; marks the patch that its channel follows.

    With `maps`, a matrix with one row a token and one column a patch, it colours every patch by the row of the
    token that is followed.
    """

    rgb = param.Bytes(b"", doc="H * W * 3 bytes, row by row")
    picture_width = param.Integer(0, bounds=(0, None), doc="pixels")
    picture_height = param.Integer(0, bounds=(0, None), doc="pixels")
    patch_size = param.Integer(16, bounds=(1, None), doc="P, pixels")
    positions = param.Bytes(b"", doc="int32, (N, 2): row and column of every patch")
    follow = param.Boolean(True, doc="ring the patch that is followed, and let the pointer and the keys choose one")
    stand_in = param.Boolean(True, doc="ring patch 0 when the class token is followed, which has no patch")
    marked = param.List([], doc="patches that are outlined, whichever is followed")
    alt = param.String("", doc="what the picture shows, for those who cannot see it")
    maps = param.Bytes(b"", doc="float16, (tokens, N), or empty for no colouring")
    maps_low = param.Number(0.0)
    maps_high = param.Number(1.0)
    maps_kind = param.Selector(default="weight", objects=["weight", "signed", "grey"])
    maps_over = param.Boolean(False, doc="there are numbers above maps_high, and the scale says so")
    maps_name = param.String("", doc="what the colours mean, written beside the scale")

    _esm = Path(__file__).parent / "picture_grid.js"

    @staticmethod
    def picture(pixels: np.ndarray) -> dict[str, Any]:
        """Parameters that show `pixels` (3, H, W) uint8."""
        channels, height, width = pixels.shape
        if channels != 3 or pixels.dtype != np.uint8:
            raise ValueError(f"a picture to draw is (3, H, W) of uint8, not {pixels.shape} of {pixels.dtype}")
        return {
            "rgb": np.ascontiguousarray(pixels.transpose(1, 2, 0)).tobytes(),
            "picture_height": height,
            "picture_width": width,
        }
