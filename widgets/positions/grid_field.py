"""A field for a grid, such as "24 x 16": what is typed is checked in place, and the last good grid stays."""

from __future__ import annotations

from typing import Any

import panel as pn
import param

from widgets.common.refusal import Refused
from widgets.common.typed_number import Kind, sides_typed
from widgets.parts import controls

LARGEST = 64  # rows or columns: as many cells as a map can show on a phone
KIND = Kind("A side of a grid", 1, LARGEST, whole=True, ask="type rows x columns, such as 24 x 16, or 24 for 24 x 24")


class GridField(pn.viewable.Viewer):
    """A text field whose `grid` is (rows, columns), each from 1 to LARGEST."""

    grid = param.Tuple((1, 1), length=2, doc="rows and columns")
    label = param.String("Grid", constant=True)

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._field = pn.widgets.TextInput(
            label=self.label, value=written(self.grid), **{**controls.PLAIN, "width": 130}
        )
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
        except Refused as refusal:
            self._say(f"{self.label}: {refusal} {written(self.grid)} stays.")
        else:
            self._say("")
        self._field.value = written(self.grid)

    def _follow(self, *_: Any) -> None:
        self._field.value = written(self.grid)
        self._say("")

    def _say(self, sentence: str) -> None:
        escaped = sentence.replace("&", "&amp;").replace("<", "&lt;")
        self._words.object = (
            f'<p role="alert" style="margin:0;color:var(--vit-wrong)">{escaped}</p>' if sentence else ""
        )

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(self._field, self._words, margin=0)


def grid_typed(text: str) -> tuple[int, int]:
    """Rows and columns that a reader typed. Raises ValueError with a sentence that says what to do."""
    sides = sides_typed(text, KIND)
    return int(sides[0]), int(sides[-1])


def written(grid: tuple[int, int]) -> str:
    """As it stands in the field: rows first."""
    return f"{grid[0]} × {grid[1]}"
