"""Numbers, each with its name: those of the token that is followed, and those that stay."""

from __future__ import annotations

from pathlib import Path

import param

from widgets.parts.part import Part


class NumberTable(Part):
    """A table of names and numbers. `by_token` holds a list of written numbers for each token; Python writes them
    all."""

    fixed = param.List([], doc="pairs (name, written number) that do not depend on the token")
    names = param.List([], doc="names of the numbers that follow the token")
    by_token = param.List([], doc="for each token from `prefix` on, its written numbers in the order of `names`")

    _esm = Path(__file__).parent / "number_table.js"
