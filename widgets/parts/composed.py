"""A drawing of HoloViews in the frame of a part, painted by the theme of the page."""

from __future__ import annotations

from pathlib import Path

import param
from panel.custom import Child

from widgets.parts.part import Part
from widgets.parts.theme import COLOURS

TAG = "vit-composed"
"""A tag of Bokeh's figures: by it the script finds those that it paints."""


class Composed(Part):
    """HoloViews' own drawing with its sliders. Its figures are made with the colours of the light theme."""

    drawing = Child(doc="Panel's pane of the HoloViews object")
    tag = param.String(TAG, constant=True)
    hues = param.Dict(
        {light.lower(): name for name, (light, _) in COLOURS.items()} | {"black": "ink"},
        constant=True,
        doc="which of the course's colours a figure's colour is; HoloViews' frame around a selection is black",
    )

    _esm = Path(__file__).parent / "composed.js"
