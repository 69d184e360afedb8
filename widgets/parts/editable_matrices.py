"""Small matrices that make one another: some can be edited, and every cell says which numbers made it.

How to use it, in short:

    def edited(key, row, column, text): ...            # the reader typed `text`; answer with show() or refuse()
    sheet = EditableMatrices(edited, undo=step_back, largest=1000.0)
    sheet.show([Line("Your numbers", [Matrix("x", x, editable=True)]),
                Line("What comes of them", [Matrix("y", y, kind="signed", sums=sums, made_of=(("x", "i", ""),))])])

`number_typed(text)` reads what was typed, or raises ValueError with the sentence to refuse it with.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import param

from widgets.common import typed_number
from widgets.common.refusal import Refused
from widgets.common.typed_number import Kind
from widgets.parts.part import Part
from widgets.parts.written_sum import Written, cells, number, plain

Source = tuple[str, str, str]
LARGEST_TYPED = 1000.0  # of either sign
DECIMALS_TYPED = 6


@dataclass(frozen=True)
class Matrix:
    """One matrix of the sheet.

    `made_of` says what is marked when cell (i, j) is pointed at: (key of another matrix, its row, its column), where
    "i" and "j" stand for the indices of the cell and "" for all; so S = q k^T is made of ("q", "i", "") and
    ("k", "j", ""). `sums[i][j]` is cell (i, j) written out, without the "=" and the result.
    """

    key: str  # its name on this sheet and, if `symbol` is empty, its symbol
    values: np.ndarray  # (rows, columns)
    symbol: str = ""
    note: str = ""  # what a row or a column is, in a few words
    editable: bool = False
    hue: str = "ink"  # a colour of the theme
    kind: str = ""  # colours of the cells: "signed", "weight", or "" for none
    row_heads: tuple[str, ...] = ()
    column_heads: tuple[str, ...] = ()
    made_of: tuple[Source, ...] = ()
    sums: list[list[Written]] | None = None
    crossed: np.ndarray | None = None  # boolean: cells that do not count, struck through
    texts: list[list[str]] | None = None  # what stands in the cells, where three decimals do not do

    def content(self) -> dict[str, Any]:
        """What the script draws: every number is written here."""
        rows, columns = self.values.shape
        low, high = self._scale()
        return {
            "key": self.key,
            "symbol": self.symbol or self.key,
            "note": self.note,
            "editable": self.editable,
            "hue": self.hue,
            "kind": self.kind,
            "low": low,
            "high": high,
            "ends": [number(low, 3), number(high, 3)],
            "rows": list(self.row_heads) or [str(i) for i in range(rows)],
            "columns": list(self.column_heads) or [str(j) for j in range(columns)],
            "cells": self.texts
            or ([[number(x) for x in row] for row in self.values.tolist()] if self.editable else cells(self.values)),
            "values": self.values.tolist() if self.kind else None,
            "made_of": self.made_of,
            "sums": self.sums,
            "crossed": None if self.crossed is None else self.crossed.tolist(),
        }

    def written(self, row: int, column: int) -> str:
        """A cell with its sum, as text: what makes it, "=", and the number as it is shown."""
        shown = self.content()["cells"][row][column]
        return f"{plain(self.sums[row][column])} = {shown}" if self.sums else shown

    def _scale(self) -> tuple[float, float]:
        if self.kind == "signed":
            most = float(np.abs(self.values).max(initial=0)) or 1.0
            return -most, most
        return 0.0, 1.0


@dataclass(frozen=True)
class Line:
    """Matrices side by side under a heading; they wrap where the page is narrow."""

    heading: str
    matrices: list[Matrix] = field(default_factory=list)
    beside: bool = False  # to the right of the line before, where both have room


class EditableMatrices(Part):
    """Draws lines of matrices. A number of an editable one is changed by a click or Enter and sent to `on_edit`.

    Arrow keys move between cells, Enter edits, Escape cancels, Ctrl+Z calls `undo`. Pointing at a cell marks what made
    it and shows its sum. The cells that a change moved stay marked until the next one.
    """

    content = param.String("", doc="the lines as JSON, written by show()")
    refusal = param.String("", doc="JSON: the cell whose new text was refused, and why; empty when there is none")
    chosen = param.String("", doc="the cell kept in view, 'key row column': the one last clicked or moved to")
    sum_after = param.Integer(-1, doc="the line after which the written-out sum stands; -1 is the last")

    _esm = Path(__file__).parent / "editable_matrices.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "editable_matrices.css"]

    def __init__(
        self, on_edit: Callable[[str, int, int, str], None], undo: Callable[[], None] = lambda: None, **params: Any
    ) -> None:
        super().__init__(**params)
        self._on_edit, self._undo = on_edit, undo
        self._refusals = 0

    def show(self, lines: list[Line]) -> None:
        """Draw these; a refusal that stood there is over."""
        drawn = [
            {"heading": line.heading, "beside": line.beside, "matrices": [m.content() for m in line.matrices]}
            for line in lines
        ]
        self.param.update(content=json.dumps(drawn, ensure_ascii=False), refusal="")

    def refuse(self, key: str, row: int, column: int, sentence: str) -> None:
        """Say beside the cell why its new text was not taken. The last good number stays."""
        self._refusals += 1
        self.refusal = json.dumps(
            {"key": key, "row": row, "column": column, "sentence": sentence, "count": self._refusals}
        )

    def _handle_msg(self, message: dict[str, Any]) -> None:
        if message.get("undo"):
            self._undo()
        else:
            self._on_edit(str(message["key"]), int(message["row"]), int(message["column"]), str(message["text"]))


def number_typed(text: str) -> float:
    """The number a reader typed into a cell. Raises ValueError with a sentence that says what to do."""
    x = typed_number.number_typed(text, Kind("", -LARGEST_TYPED, LARGEST_TYPED, example="2 or −0.5"))
    if abs(round(x, DECIMALS_TYPED) - x) > 1e-12 or (x and not round(x, DECIMALS_TYPED)):
        raise Refused(f"“{typed_number.short(text)}” has more than {DECIMALS_TYPED} decimals. Round it.")
    return x
