"""Fit a position table to another grid: its maps before and after, and what it does to y at other sizes (chapter
11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.kit.widget import Description, Widget
from widgets.parts import controls
from widgets.positions.answer_by_picture import AnswerByPicture
from widgets.positions.answer_by_size import AnswerBySize
from widgets.positions.table_on_grid import TableOnGrid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLE, ANSWER, PICTURES = "table", "answer", "pictures"
VIEWS = {"the table": TABLE, "the answer y": ANSWER, "y of all sample pictures": PICTURES}


class PositionInterpolation(Widget):
    """The real position table on any other grid, y of the picture at several sizes, or y of all pictures at one: a view
    at a time."""

    title = "Change the grid"
    summary = (
        "Fit a real position table to another grid, and see what becomes of the model's answer with and without it."
    )

    show = param.Selector(
        default=TABLE,
        objects=list(VIEWS.values()),
        doc="the table on another grid, y at other sizes, or y of all pictures at one",
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.table, self.answer = TableOnGrid(selection=self.selection), AnswerBySize(selection=self.selection)
        self.pictures = AnswerByPicture(selection=self.selection)
        self._body = pn.Column(self.shown, margin=0, sizing_mode="stretch_width")
        self.param.watch(self._turn, ["show"])

    @property
    def shown(self) -> TableOnGrid | AnswerBySize | AnswerByPicture:
        """The view that is on the page."""
        return {TABLE: self.table, ANSWER: self.answer, PICTURES: self.pictures}[self.show]

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(
            controls.radio(self.param.show, "Look at", VIEWS),
            self._body,
            self.text_twin(self.table, self.answer, self.pictures),
            sizing_mode="stretch_width",
            margin=0,
            styles={"gap": "16px", "max-width": "var(--vit-widget-width, 1040px)"},
        )

    def _turn(self, *_: Any) -> None:
        self._body.objects = [self.shown]

    def describe(self) -> Description:
        """The table on both grids, or every y that was run."""
        return self.shown.describe()

    def still(self) -> Figure:
        """The maps before and after; or, when y is shown, its cosines."""
        return self.shown.still()
