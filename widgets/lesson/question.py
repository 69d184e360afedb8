"""A question on a page: the form a prediction and a quiz are made of. It asks and shows; it judges nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import param

from widgets.parts.part import HERE as PARTS
from widgets.parts.part import Part

HERE = Path(__file__).parent


class LessonPart(Part):
    """What the parts of a lesson share: their look."""

    _stylesheets = [(PARTS / "part.css").read_text(encoding="utf-8"), HERE / "lesson.css"]
    __abstract = True


class Question(LessonPart):
    """Radio buttons (kind "choice") or a field (kind "number"), a button to commit and one beside it.

    `on_commit` takes {"picked": index} (-1 for none) or {"typed": text}; `on_aside` is the second button's.
    """

    kind = param.Selector(default="choice", objects=["choice", "number"])
    text = param.String("", doc="the question, as HTML")
    choices = param.List([], doc="what can be chosen, as HTML")
    unit = param.String("", doc="unit behind the field")
    typed = param.String("", doc="what stands in the field")
    picked = param.Integer(-1, bounds=(-1, None), doc="index of the chosen option, -1 for none")
    marks = param.List([], doc="for each option '', 'right', 'wrong' or 'yours'")
    locked = param.Boolean(False, doc="whether the answer can no longer be changed")
    problem = param.String("", doc="a sentence beside the field: why this cannot be taken")
    commit_label = param.String("Commit", doc="the main button")
    aside_label = param.String("", doc="the button beside it; none when empty")
    feedback = param.String("", doc="what is said about the answer, as HTML")
    tone = param.Selector(default="", objects=["", "right", "wrong", "neutral"])

    _esm = HERE / "question.js"

    def __init__(self, on_commit: Callable[[dict[str, Any]], None], on_aside: Callable[[], None] | None = None,
                 **params: Any) -> None:
        super().__init__(**params)
        self._on_commit, self._on_aside = on_commit, on_aside

    def _handle_msg(self, message: dict[str, Any]) -> None:
        if message.get("aside"):
            if self._on_aside:
                self._on_aside()
        else:
            self._on_commit(message)
