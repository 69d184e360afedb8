"""The sequence of tokens a picture becomes: a film of patches in raster order, with the whole sequence under it."""

from __future__ import annotations

from pathlib import Path

import param

from widgets.parts.part import Part
from widgets.parts.picture_grid import PictureGrid


class TokenStrip(Part):
    """Draws the tokens around the one that is followed, each with its number, over a bar of the whole sequence."""

    rgb = param.Bytes(b"", doc="H * W * 3 bytes, row by row")
    picture_width = param.Integer(0, bounds=(0, None), doc="pixels")
    picture_height = param.Integer(0, bounds=(0, None), doc="pixels")
    patch_size = param.Integer(16, bounds=(1, None), doc="P, pixels")
    show_prefix = param.Boolean(False, doc="draw the class token and registers before the patches")

    _esm = Path(__file__).parent / "token_strip.js"
    picture = staticmethod(PictureGrid.picture)
