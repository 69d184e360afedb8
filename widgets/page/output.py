"""Where a cell's words go: to the page that runs the cell, or to standard output in a notebook and a terminal."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)
"""Set while a page runs a cell, in that cell's thread only; takes the text that was said."""


def say(*objects: object, sep: str = " ", end: str = "\n") -> None:
    """`print` for code of the course that a cell calls: on a page the words stand below the cell that caused them."""
    take = listener.get()
    if take is None:
        print(*objects, sep=sep, end=end)
    else:
        take(sep.join(map(str, objects)) + end)
