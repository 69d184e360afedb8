"""Runs the cells of one open page, off the server's loop, and fills their places as they finish."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import panel as pn
from bokeh.document import Document
from panel.io.state import set_curdoc

from widgets.kit import prose
from widgets.page.results import views
from widgets.page.workbook import Workbook

log = logging.getLogger("widgets.page")
WORKERS = 8
"""Pages whose cells run at the same time; further visitors wait, and their page says so."""
RUNNING, WAITING = "Running this step …", "Waits for the steps above …"
HAND_OVER = 2.0
"""Seconds at most that a cell waits for the results of the one before to leave: they are drawn while it computes."""
_pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="chapter")


@dataclass(frozen=True)
class Cell:
    """A code cell and its place on the page: below the fold with its code, or alone."""

    number: int
    source: str
    place: pn.Column


class Run:
    """One visitor's run of a page. It ends early when the visitor leaves."""

    def __init__(
        self, name: str, cells: list[Cell], document: Document, made: Callable[[Any], None] | None = None
    ) -> None:
        self.workbook, self._made = Workbook(name), made or (lambda value: None)
        self._cells, self._document = cells, document
        self._waiting = {cell.number: cell.place[0] for cell in cells}
        self._left = threading.Event()
        self._working = threading.Lock()

    def start(self) -> None:
        """Run the cells in a thread of the pool."""
        _pool.submit(self._work)

    def leave(self, session_context: object) -> None:
        """Stop before the next cell, and let go of what the cells made."""
        self._left.set()
        if self._working.acquire(blocking=False):
            self.workbook.close()
            self._working.release()

    def _work(self) -> None:
        with self._working, set_curdoc(self._document):
            for cell, following in zip(self._cells, [*self._cells[1:], None], strict=True):
                if self._left.is_set():
                    break
                (values, made), shown = self._results(cell), threading.Event()
                self._document.add_next_tick_callback(partial(self._show, cell, values, made, following, shown))
                shown.wait(HAND_OVER)
            if self._left.is_set():
                self.workbook.close()

    def _results(self, cell: Cell) -> tuple[list[Any], list[pn.viewable.Viewable]]:
        shown, error = self.workbook.run(cell.number, cell.source)
        if error is not None:
            log.error("%s: cell %s stopped", self.workbook.name, cell.number, exc_info=error)
        try:
            return [one.value for one in shown], views(shown, error)
        except Exception as trouble:  # a result that cannot be drawn is this cell's trouble alone
            log.error("%s: cell %s cannot be shown", self.workbook.name, cell.number, exc_info=trouble)
            return [], views([], trouble)

    def _show(
        self,
        cell: Cell,
        values: list[Any],
        made: list[pn.viewable.Viewable],
        following: Cell | None,
        shown: threading.Event,
    ) -> None:
        if self._left.is_set():
            shown.set()
            return
        if following is not None:
            self._waiting[following.number].object = prose.working(RUNNING).object
        try:
            cell.place.objects = made
            for value in values:
                self._made(value)
        except Exception as trouble:
            log.error("%s: cell %s cannot be drawn", self.workbook.name, cell.number, exc_info=trouble)
            cell.place.objects = views([], trouble)
        finally:
            shown.set()


def place(first: bool = False) -> pn.Column:
    """Where a cell's results go; until they come it says whether the cell is running or waits for its turn."""
    return pn.Column(prose.working(RUNNING if first else WAITING), sizing_mode="stretch_width", margin=0)


def run_when_loaded(name: str, cells: list[Cell], made: Callable[[Any], None] | None = None) -> Run:
    """Start the cells once the page stands in the visitor's browser, and stop them when the visitor leaves.

    `made` is called with each thing a cell showed, once it stands on the page."""
    run = Run(name, cells, pn.state.curdoc, made)
    pn.state.onload(run.start)
    pn.state.on_session_destroyed(run.leave)
    return run
