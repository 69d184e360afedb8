"""A few lines of code to look at, and a button that copies them."""

from __future__ import annotations

from pathlib import Path

import param

from widgets.parts.part import Part


class CodeCopy(Part):
    """A button that puts `code` on the clipboard, and the same code under a fold."""

    code = param.String("", doc="what is copied")
    label = param.String("Copy as NumPy code")

    _esm = Path(__file__).parent / "code_copy.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "code_copy.css"]
