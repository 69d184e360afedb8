"""A question on a page: the form a prediction and a quiz are made of. It asks and shows; it judges nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import param

from widgets.parts.part import HERE as PARTS
from widgets.parts.part import Part

HERE = Path(__file__).parent


class LessonPart(Part):
    """What the parts of a lesson share: their look."""

    _stylesheets = [(PARTS / "part.css").read_text(encoding="utf-8"), HERE / "lesson.css"]
    __abstract = True


class Question(LessonPart):
    """Radio buttons (kind "choice"), a field ("number") or points to drag ("curve"), and a button to commit.

    `on_commit` takes {"picked": index} (-1 for none), {"typed": text} or {"points": heights}; `on_aside` is called
    for the second button.
    """

    kind = param.Selector(default="choice", objects=["choice", "number", "curve"])
    text = param.String("", doc="the question, as HTML")
    choices = param.List([], doc="what can be chosen, as HTML")
    unit = param.String("", doc="unit behind the field")
    typed = param.String("", doc="what stands in the field")
    axes = param.Dict({}, doc="of a curve: x_texts, x_label, y_label, y_ticks, low, high, step, levels")
    points = param.List([], doc="heights of the reader's points, once committed")
    answer_points = param.List([], doc="heights of the right curve, once it may be seen")
    picked = param.Integer(-1, bounds=(-1, None), doc="index of the chosen option, -1 for none")
    marks = param.List([], doc="for each option '', 'right', 'wrong' or 'yours'")
    locked = param.Boolean(False, doc="whether the answer can no longer be changed")
    problem = param.String("", doc="a sentence beside the field: why this cannot be taken")
    offers = param.List([], doc="texts that may be meant, each a button beside the problem")
    commit_label = param.String("Commit", doc="the main button")
    aside_label = param.String("", doc="the button beside it; none when empty")
    feedback = param.String("", doc="what is said about the answer, as HTML")
    tone = param.Selector(default="", objects=["", "right", "wrong", "neutral"])

    _esm = HERE / "question.js"
    _modules: ClassVar[dict[str, Path]] = {**LessonPart._modules, "vit/curve": HERE / "curve.js"}

    def __init__(
        self, on_commit: Callable[[dict[str, Any]], None], on_aside: Callable[[], None] | None = None, **params: Any
    ) -> None:
        super().__init__(**params)
        self._on_commit, self._on_aside = on_commit, on_aside

    def _handle_msg(self, message: dict[str, Any]) -> None:
        if message.get("aside"):
            if self._on_aside:
                self._on_aside()
        else:
            self._on_commit(message)
