"""Many patterns of pixels at once: hover one to see it enlarged, click or press arrow keys to choose it."""

from __future__ import annotations

from pathlib import Path

import param

from widgets.parts.part import Part
from widgets.parts.pattern_row import PatternRow


class PatternWall(Part):
    """Draws every pattern of a bank. `selected` is the one that is chosen, counted as they are drawn, from 0.

    It stands on no channel: what it chooses is a pattern and no token.
    """

    patterns = param.Bytes(b"", doc="M * P * P * 3 bytes, pattern by pattern, row by row")
    side = param.Integer(16, bounds=(1, None), doc="P, pixels of a pattern")
    names = param.List([], doc="what each pattern is called, with its numbers if it has any, in words")
    alt = param.String("Patterns of pixels", doc="what the wall shows, for those who cannot see it")

    _esm = Path(__file__).parent / "pattern_wall.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "pattern_wall.css"]
    drawn = staticmethod(PatternRow.drawn)
