"""A short text for the reader: text in a terminal, Markdown in a notebook and on a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Note:
    """One hint, one solution, one line. `text` is light Markdown that reads well as it stands."""

    text: str
    one_line: bool = False  # a line that a notebook prints as it stands

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": self.text, **({"text/markdown": self.text} if not self.one_line else {})}

    def __panel__(self) -> Any:
        import panel as pn

        return pn.pane.Markdown(self.text, sizing_mode="stretch_width", margin=0)
