"""Progress on a page: a line at the head of a chapter, and a sheet with all of it, to save, load and delete."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import panel as pn
import param

from widgets.lesson import progress
from widgets.lesson.chapter_work import Work, standing, without_code
from widgets.lesson.progress_keeper import ProgressKeeper
from widgets.lesson.question import LessonPart

BROWSER = "It lives in this browser, not on the server."
MACHINE = "It lives in a file on this machine."


Chapters = Sequence[tuple[str, str, Work]]
"""(title, address or "", work) of each line."""


class ProgressPart(LessonPart):
    """Lines of progress that follow the reader; `actions` shows the buttons to save, load and delete all of it."""

    rows = param.List([], doc="(name, words, share from 0 to 1, address or '') of each line")
    where = param.String("", doc="where the progress lives")
    actions = param.Boolean(False)
    exported = param.String("", doc="the whole progress as JSON, for the file")
    notice = param.String("", doc="a sentence when something went wrong")

    _esm = Path(__file__).parent / "progress_sheet.js"

    def __init__(self, chapters: Chapters, **params: Any) -> None:
        super().__init__(**params)
        self._chapters, self._store = chapters, progress.current()
        self._store.watch(self._follow)
        self._follow()

    def _follow(self) -> None:
        rows = [self._row(*chapter) for chapter in self._chapters]
        exported = self._store.export() if self.actions else ""
        self.param.update(rows=rows, exported=exported, notice=self._store.notice)

    def _row(self, title: str, address: str, work: Work) -> list[Any]:
        possible = work if progress.served_page() is None else without_code(work, self._store)
        stands = standing(possible, self._store)
        return [escape(title), stands.in_words(), round(stands.share, 4), address]

    def _handle_msg(self, message: dict[str, Any]) -> None:
        if message.get("delete"):
            self._store.delete()
        elif "load" in message:
            try:
                self._store.take(message["load"])
            except ValueError as problem:
                self.notice = f"{str(problem)[:1].upper()}{str(problem)[1:]}. Nothing was changed."


def chapter_progress(work: Work) -> pn.Column:
    """One line at the head of a chapter. On a served page it also keeps the progress in the visitor's browser."""
    return _with_keeper(ProgressPart([("Your progress", "", work)], margin=(0, 0, 24, 0)))


def course_progress(chapters: Chapters) -> pn.Column:
    """All chapters that have work in them, and buttons to save, load and delete the progress."""
    where = BROWSER if progress.served_page() else MACHINE
    return _with_keeper(
        ProgressPart(
            [c for c in chapters if c[2]], title="Your progress", where=where, actions=True, margin=(32, 0, 0, 0)
        )
    )


def _with_keeper(part: ProgressPart) -> pn.Column:
    keeper = [ProgressKeeper(progress.current())] if progress.served_page() is not None else []
    return pn.Column(part, *keeper, sizing_mode="stretch_width", margin=0)
