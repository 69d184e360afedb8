"""One patch four ways: its colours, its three channels, and its row of numbers."""

from __future__ import annotations

from pathlib import Path

import param

from widgets.parts.part import Part


class PatchPixels(Part):
    """The pixels of the patch that is followed: enlarged, by channel, and laid out as one row of numbers."""

    rgb = param.Bytes(b"", doc="H * W * 3 bytes")
    picture_width = param.Integer(0)
    picture_height = param.Integer(0)
    patch_size = param.Integer(16, bounds=(1, None))
    values = param.Bytes(b"", doc="float16, (N, P*P*C): the numbers as they are written")
    places = param.Bytes(b"", doc="int32, (P*P*C, 3): channel, row and column of each number of a row")
    spans = param.List([], doc="for red, green and blue, which numbers of the row are theirs, in words")
    digits = param.Integer(0, bounds=(0, 6))

    _esm = Path(__file__).parent / "patch_pixels.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "patch_pixels.css"]
