"""All heads of one layer: a picture in which the query is chosen, and a small map of its row of A for every head."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import param

from widgets.parts.part import Part
from widgets.parts.picture_grid import PictureGrid

FACTS = 5  # numbers a row: see `facts`


class HeadMaps(Part):
    """Hover a patch of the picture, or the class token, and every map shows the row of A that belongs to it.

    Pointing at a map reads the weight of that key in every head; a click on a map selects its head, whose map then
    lies over the picture. One layer's weights are sent at once, so hovering stays in the browser.
    """

    rgb = param.Bytes(b"", doc="H * W * 3 bytes, row by row")
    picture_width = param.Integer(0, bounds=(0, None), doc="pixels")
    picture_height = param.Integer(0, bounds=(0, None), doc="pixels")
    patch_size = param.Integer(16, bounds=(1, None), doc="P, pixels")
    alt = param.String("", doc="what the picture shows, for those who cannot see it")
    weights = param.Bytes(b"", doc="float16, (k, T, T): A of every head; 8 bits would turn most of them to 0")
    facts = param.Bytes(
        b"",
        doc=(
            "float32, (k, T, 5): weight on the prefix, on all patches, on both; the largest on a"
            " patch, and which patch that is"
        ),
    )
    tops = param.Bytes(b"", doc="float32, (T,): for each query the weight at which the scale that all heads share ends")
    heads = param.Integer(0, bounds=(0, None), doc="k")
    tokens = param.Integer(0, bounds=(0, None), doc="T")
    head = param.Integer(0, bounds=(0, None), doc="head that is selected, from 0")
    head_names = param.List([], doc="what is written over each map")
    scale = param.Selector(
        default="shared",
        objects=["shared", "own"],
        doc="colours from 0 to the query's `tops`, or to each head's own largest weight on a patch",
    )

    _esm = Path(__file__).parent / "head_maps.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "head_maps.css"]

    picture = staticmethod(PictureGrid.picture)

    @staticmethod
    def layer(weights: np.ndarray, facts: np.ndarray, tops: np.ndarray) -> dict[str, Any]:
        """Parameters that show the `weights` (k, T, T) of one layer, with five `facts` a row (k, T, 5) and `tops`
        (T,)."""
        k, T, columns = weights.shape
        if T != columns or facts.shape != (k, T, FACTS) or tops.shape != (T,):
            raise ValueError(
                f"weights (k, T, T), facts (k, T, {FACTS}) and tops (T,) do not belong together:"
                f" {weights.shape}, {facts.shape}, {tops.shape}"
            )
        return {
            "weights": np.ascontiguousarray(weights, dtype=np.float16).tobytes(),
            "heads": k,
            "tokens": T,
            "facts": np.ascontiguousarray(facts, dtype=np.float32).tobytes(),
            "tops": tops.astype(np.float32).tobytes(),
        }
