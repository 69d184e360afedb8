"""On a page, what stands between a prediction and the next heading stays folded until the guess is made.

A notebook folds nothing: there only the answer on the card waits for the guess. What comes after the heading is open in
both, a widget that shows the answer too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import panel as pn

from widgets.kit.prose import prose
from widgets.lesson import progress
from widgets.lesson.chapter_work import work_of

Cell = tuple[str, str, Sequence[pn.viewable.Viewable]]
"""(type, source, what the page shows for it) of one cell; of a code cell the result is the last."""


class Meanwhile(pn.Column):
    """Says where something is folded, as long as it is."""

    def __init__(self, prediction: str) -> None:
        from widgets.lesson.prediction import SHOW

        super().__init__(
            prose(f"*The rest of this section opens when you have answered, or pressed “{SHOW}”.*"),
            sizing_mode="stretch_width",
            margin=0,
        )
        self._prediction, self._kept_by = prediction, progress.current()
        self._kept_by.watch(self._follow)
        self._follow()

    def _follow(self) -> None:
        self.visible = not self._kept_by.read("predictions", self._prediction)


class UntilGuessed(pn.Column):
    """Shown once the reader has guessed, or has asked to see the answer."""

    def __init__(self, prediction: str, *blocks: pn.viewable.Viewable) -> None:
        super().__init__(*blocks, sizing_mode="stretch_width", margin=0, visible=False)
        self._prediction, self._kept_by = prediction, progress.current()
        self._kept_by.watch(self._follow)
        self._follow()

    def _follow(self) -> None:
        self.visible = bool(self._kept_by.read("predictions", self._prediction))


def fold(cells: Iterable[Cell]) -> list[pn.viewable.Viewable]:
    """The blocks of a page, with those after a prediction and before the next heading folded, and a line that says so.

    The code of a prediction is folded with them: the answer can be read in it. Where that is all, nothing is said.
    """
    shown: list[pn.viewable.Viewable] = []
    waiting, held, own = "", [], 0

    def release() -> None:
        if len(held) > own:
            shown.append(Meanwhile(waiting))
        if held:
            shown.append(UntilGuessed(waiting, *held))

    for kind, source, blocks in cells:
        predicted = work_of([source]).predictions if kind == "code" else ()
        if waiting and (predicted or (kind == "markdown" and source.lstrip().startswith("#"))):
            release()
            waiting, held = "", []
        if predicted:
            waiting, held, own = predicted[-1], list(blocks[:-1]), len(blocks) - 1
            shown.extend(blocks[-1:])
        else:
            (held if waiting else shown).extend(blocks)
    release()
    return shown
