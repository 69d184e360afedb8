"""Fit a position table to another grid: its maps before and after, and what it does to y at other sizes (chapter 11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.answer_by_size import AnswerBySize
from widgets.parts import controls
from widgets.table_on_grid import TableOnGrid
from widgets.widget import Description, Widget

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLE, ANSWER = "table", "answer"
VIEWS = {"the table": TABLE, "the answer y": ANSWER}


class PositionInterpolation(Widget):
    """The real position table on any other grid, or y of the picture at several sizes: one of two views at a time."""

    title = "Change the grid"
    summary = "Fit a real position table to another grid, and see what becomes of the model's answer with and without it."

    show = param.Selector(default=TABLE, objects=list(VIEWS.values()), doc="the table on another grid, or y at other sizes")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.table, self.answer = TableOnGrid(selection=self.selection), AnswerBySize(selection=self.selection)
        self._body = pn.Column(self.shown, margin=0, sizing_mode="stretch_width")
        self.param.watch(self._turn, ["show"])

    @property
    def shown(self) -> TableOnGrid | AnswerBySize:
        """The view that is on the page."""
        return self.table if self.show == TABLE else self.answer

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(controls.radio(self.param.show, "Look at", VIEWS), self._body, self.text_twin(self.table, self.answer),
                         sizing_mode="stretch_width", margin=0, styles={"gap": "16px", "max-width": "var(--vit-widget-width, 1040px)"})

    def _turn(self, *_: Any) -> None:
        self._body.objects = [self.shown]

    def describe(self) -> Description:
        """The table on both grids, or y at every size that was run."""
        return self.shown.describe()

    def still(self) -> Figure:
        """The maps before and after; or, when y is shown, its cosines by size."""
        return self.shown.still()
