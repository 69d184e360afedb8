"""A curve over the layers for the token that is followed, among the class token's and the patches' middle half."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import param

from widgets.parts.part import Part


class TokenCurves(Part):
    """Draws one number of every token, layer by layer, on a logarithmic axis, or on an even one from −1 to 1.

    The curve of the token its channel follows is drawn thick, the class token's with stars; the band holds the middle
    half of the patches, with their median dashed. Pointing or arrow keys read a layer, and a click keeps it in `layer`.
    """

    values = param.Bytes(b"", doc="float32, (tokens, points), above 0 unless `even`")
    band = param.Bytes(b"", doc="float32, (3, points): lower quartile, median and upper quartile of the patches")
    tokens = param.Integer(0, bounds=(0, None))
    points = param.Integer(0, bounds=(0, None))
    first = param.Integer(0, bounds=(0, None), doc="number of the first point: 0 for z_0, 1 for the first layer")
    point_name = param.String("layer", doc="what stands before the number of a point in the read-out")
    layer = param.Integer(1, bounds=(0, None), doc="the number that is selected; it counts as the points do")
    even = param.Boolean(False, doc="an axis of even steps, for cosines; else a logarithmic one")
    low = param.Number(0.1, doc="lower end of the axis")
    high = param.Number(10.0, doc="its upper end")
    level = param.Number(0.0, bounds=(0, None), doc="a value to draw a line at; 0 for none, but on an even axis")
    drawing = param.Integer(180, bounds=(80, None), doc="height of the drawing, in pixels")
    y_label = param.String("", doc="name and unit of the number")
    digits = param.Integer(3, bounds=(0, 6), doc="decimals of the read-out")

    _esm = Path(__file__).parent / "token_curves.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "token_curves.css"]

    @staticmethod
    def curves(values: np.ndarray, band: np.ndarray, first: int) -> dict[str, Any]:
        """Parameters that show `values` (tokens, points) over the band (3, points), and an axis that holds them all.

        Raises ValueError for other shapes, and for values a logarithmic axis has no place for.
        """
        if values.ndim != 2 or band.shape != (3, values.shape[1]):
            raise ValueError(
                f"curves are (tokens, points) with a band (3, points), not {values.shape} with {band.shape}"
            )
        if not (np.isfinite(values).all() and values.min() > 0):
            raise ValueError("a logarithmic axis has places for finite numbers above 0 only")
        return {
            "values": values.astype(np.float32).tobytes(),
            "band": band.astype(np.float32).tobytes(),
            "tokens": values.shape[0],
            "points": values.shape[1],
            "first": first,
            "even": False,
            "low": float(values.min()) * 0.9,
            "high": float(values.max()) * 1.1,
        }

    @staticmethod
    def cosines(values: np.ndarray, band: np.ndarray, first: int) -> dict[str, Any]:
        """Parameters that show cosines (tokens, points) over the band (3, points), on an axis from −1 to 1 with a line
        at 0.

        Raises ValueError for other shapes, and for what is no cosine.
        """
        if values.ndim != 2 or band.shape != (3, values.shape[1]):
            raise ValueError(
                f"curves are (tokens, points) with a band (3, points), not {values.shape} with {band.shape}"
            )
        if not (np.abs(values) <= 1 + 1e-6).all():
            raise ValueError("a cosine lies between −1 and 1")
        return {
            "values": values.astype(np.float32).tobytes(),
            "band": band.astype(np.float32).tobytes(),
            "tokens": values.shape[0],
            "points": values.shape[1],
            "first": first,
            "even": True,
            "low": -1.05,
            "high": 1.05,
            "level": 0.0,
        }
