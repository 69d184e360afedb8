"""A few patterns of pixels side by side, each with its name and a number that may follow the token."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import param

from widgets.parts.part import Part

SCALE = "Grey is 0; the largest number of {} is drawn as light or as dark as there is."


class PatternRow(Part):
    """Draws patterns P x P px enlarged. Under each stands a note, and the number it has for the token followed."""

    patterns = param.Bytes(b"", doc="M * P * P * 3 bytes, pattern by pattern, row by row")
    side = param.Integer(16, bounds=(1, None), doc="P, pixels of a pattern")
    heads = param.List([], doc="name of each pattern")
    notes = param.List([], doc="written under each pattern; none when empty")
    by_token = param.Bytes(b"", doc="float32, (N, M): a number of each pattern for each token from `prefix` on")
    digits = param.Integer(1, bounds=(0, 6), doc="decimals of those numbers")
    high = param.Number(1.0, doc="magnitude at which the bar of a number is full")
    lit = param.Integer(10_000, bounds=(0, None), doc="patterns from this one on are drawn faint: they are not in use")
    size = param.Integer(72, bounds=(16, 400), doc="pixels a pattern is drawn wide")

    _esm = Path(__file__).parent / "pattern_row.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "pattern_row.css"]

    @staticmethod
    def drawn(patterns: np.ndarray, high: float | None = None) -> dict[str, Any]:
        """Parameters that show `patterns` (M, C, P, P) scaled symmetrically round grey; C is 1 or 3.

        `high` is the magnitude that is drawn black or white; without it each pattern has its own largest.
        """
        return {"patterns": grey_centred(patterns, high).tobytes(), "side": patterns.shape[-1]}


def grey_centred(patterns: np.ndarray, high: float | None = None) -> np.ndarray:
    """Signed numbers (M, C, P, P) as colours, 0 in the middle: uint8 (M, P, P, 3). One channel gives greys.

    Raises ValueError for another shape.
    """
    if patterns.ndim != 4 or patterns.shape[1] not in (1, 3):
        raise ValueError(f"patterns to draw are (M, 3, P, P) or (M, 1, P, P), not {patterns.shape}")
    reach = np.abs(patterns).max((1, 2, 3), keepdims=True) if high is None else high
    scaled = patterns / np.maximum(reach, 1e-30)  # -1 to 1
    colours = (127.5 + 127.5 * scaled).round().clip(0, 255).astype(np.uint8)
    return np.repeat(colours, 3 // patterns.shape[1], axis=1).transpose(0, 2, 3, 1).copy()
