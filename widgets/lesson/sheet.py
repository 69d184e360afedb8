"""A sheet on a page: text, buttons, and sections that grow as they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from widgets.lesson.question import HERE, LessonPart


class Sheet(LessonPart):
    """`on_press(name)` is called for a button; `buttons` are (name, label, whether it is the main one)."""

    head = param.String("", doc="the text, as HTML")
    buttons = param.List([], doc="(name, label, main) of each button")
    sections = param.List([], doc="what was asked for, as HTML, in order")

    _esm = HERE / "sheet.js"

    def __init__(self, on_press: Callable[[str], None] | None = None, **params: Any) -> None:
        super().__init__(**params)
        self._on_press = on_press

    def _handle_msg(self, message: dict[str, Any]) -> None:
        if self._on_press:
            self._on_press(message["pressed"])
