"""A ledger: every line with its formula and numbers, a bar for its share, and columns of sums. One line is chosen."""

from __future__ import annotations

from pathlib import Path

import param

from widgets.parts.part import Part


class LedgerTable(Part):
    """Lines that are chosen by a click or with the arrow keys. Python writes every number."""

    lines = param.List(
        [],
        doc=(
            "dicts: key, name, formula, worked (the formula with numbers), cells (written, one a column), bars (pairs"
            " of a share, 0 to 1, and a colour), plain (no subscripts in the name)"
        ),
    )
    heads = param.List([], doc="names of the columns behind the first")
    foot = param.List([], doc="the last line: a name, then a cell for each column")
    chosen = param.String("", doc="key of the line that is chosen")
    first = param.String("piece", doc="name of the first column")
    frame_height = param.Integer(0, bounds=(0, None), doc="pixels after which the lines scroll in a frame; 0 never")
    choosable = param.Boolean(True)

    _esm = Path(__file__).parent / "ledger_table.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "ledger_table.css"]
