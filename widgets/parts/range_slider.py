"""A slider with a name that a screen reader finds, which Bokeh's has not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import param

from widgets.parts.part import Part

STYLE = Path(__file__).parent / "controls.css"


class RangeSlider(Part):
    """The browser's own slider over whole numbers, with its label and its value above it."""

    label = param.String("", doc="what is set")
    value = param.Integer(0)
    start = param.Integer(0)
    end = param.Integer(1)
    texts = param.List([], doc="how the values are written, from `start` on; the number itself when empty")
    disabled = param.Boolean(False)

    _esm = Path(__file__).parent / "range_slider.js"
    _stylesheets = [*Part._stylesheets, STYLE, Path(__file__).parent / "range_slider.css"]

    def __init__(self, **params: Any) -> None:
        super().__init__(**{"sizing_mode": None, "width": 260, "height": 52, **params})
