"""The text twin: what a widget shows, in words, folded until asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import param
from panel.custom import JSComponent


class TextTwin(JSComponent):
    """A fold named "In words" that holds a sentence and a small table; it stays open while they change."""

    sentence = param.String("", doc="one or two sentences")
    rows = param.List([], doc="rows of the table: [name, value]")
    label = param.String("In words", doc="what the fold is called")
    opened = param.Boolean(False, doc="whether the fold starts open")

    _esm = Path(__file__).parent / "text_twin.js"
    _stylesheets: ClassVar[list[Any]] = [Path(__file__).parent / "text_twin.css"]
