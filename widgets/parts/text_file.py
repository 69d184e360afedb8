"""A button that saves a text as a file on the reader's machine."""

from __future__ import annotations

from pathlib import Path

import param

from widgets.parts.part import Part


class TextFile(Part):
    """Saves `text` under `file_name` when the button is pressed; the browser makes the file, no server is asked."""

    text = param.String("", doc="what the file holds")
    file_name = param.String("table.csv")
    label = param.String("Save as CSV")

    _esm = Path(__file__).parent / "text_file.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "code_copy.css"]
