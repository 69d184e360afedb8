"""A short text for the reader: text in a terminal, Markdown in a notebook and on a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from widgets.lesson.check_result import BOX, WAITING
from widgets.lesson.lesson_text import blocks
from widgets.lesson.progress import served_page


@dataclass(frozen=True)
class Note:
    """One hint, one solution, one line. `text` is light Markdown that reads well as it stands."""

    text: str
    one_line: bool = False  # a line that a notebook prints as it stands

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": self.text, **({} if self.one_line else {"text/markdown": self.text})}

    def _repr_html_(self) -> str | None:
        """What a page of the hosted course shows; a notebook takes the Markdown."""
        if self.one_line or served_page() is None:
            return None
        return f'<div style="{BOX.format(colour=WAITING)}">{blocks(self.text)}</div>'
