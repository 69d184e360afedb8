"""A field for a grid, such as "24 x 16": what is typed is checked in place, and the last good grid stays."""

from __future__ import annotations

import re
from typing import Any

import panel as pn
import param

from widgets.parts import controls

LARGEST = 64  # rows or columns: as many cells as a map can show on a phone
EXAMPLE = "Type rows x columns, such as 24 x 16, or 24 for 24 x 24."
BETWEEN = re.compile(r"\s*[x×*,;]\s*|\s+")


class GridField(pn.viewable.Viewer):
    """A text field whose `grid` is (rows, columns), each from 1 to LARGEST."""

    grid = param.Tuple((1, 1), length=2, doc="rows and columns")
    label = param.String("Grid", constant=True)

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._field = pn.widgets.TextInput(label=self.label, value=written(self.grid), **{**controls.PLAIN, "width": 130})
        self._words = pn.pane.HTML("", **{**controls.LOOK, "margin": 0})
        self._field.param.watch(self._typed, "value")
        self.param.watch(self._follow, "grid")

    @property
    def control(self) -> pn.viewable.Viewable:
        """The field itself."""
        return self._field

    @property
    def refusal(self) -> pn.pane.HTML:
        """The sentence on what was typed, empty when it was good. It stands below the row of controls."""
        return self._words

    def _typed(self, event: param.parameterized.Event) -> None:
        if event.new == written(self.grid):
            return
        try:
            self.grid = grid_typed(event.new)
        except ValueError as refusal:
            self._say(f"{self.label}: {refusal} {written(self.grid)} stays.")
        else:
            self._say("")
        self._field.value = written(self.grid)

    def _follow(self, *_: Any) -> None:
        self._field.value = written(self.grid)
        self._say("")

    def _say(self, sentence: str) -> None:
        escaped = sentence.replace("&", "&amp;").replace("<", "&lt;")
        self._words.object = f'<p role="alert" style="margin:0;color:var(--vit-wrong)">{escaped}</p>' if sentence else ""

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(self._field, self._words, margin=0)


def grid_typed(text: str) -> tuple[int, int]:
    """Rows and columns that a reader typed. Raises ValueError with a sentence that says what to do."""
    typed = text.strip().replace("−", "-")
    if not typed:
        raise ValueError(f"the field was left empty. {EXAMPLE}")
    sides = [_side(piece, typed) for piece in BETWEEN.split(typed)]
    if len(sides) > 2:
        raise ValueError(f"“{typed[:20]}” has more than two numbers. {EXAMPLE}")
    return sides[0], sides[-1]


def _side(piece: str, typed: str) -> int:
    try:
        value = float(piece.replace("_", "?"))
    except ValueError:
        raise ValueError(f"“{typed[:20]}” is no grid. {EXAMPLE}") from None
    if not abs(value) < float("inf"):
        raise ValueError(f"“{typed[:20]}” is no grid. {EXAMPLE}")
    if value < 1:
        raise ValueError(f"a grid has at least 1 row and 1 column, not {piece.replace('-', '−')}. {EXAMPLE}")
    if value > LARGEST:
        raise ValueError(f"{piece} is too many to draw: at most {LARGEST} rows and {LARGEST} columns.")
    if value != int(value):
        raise ValueError(f"rows and columns are whole numbers, and {piece} is none. {EXAMPLE}")
    return int(value)


def written(grid: tuple[int, int]) -> str:
    """As it stands in the field: rows first."""
    return f"{grid[0]} × {grid[1]}"
