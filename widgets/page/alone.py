"""A page with one widget on it."""

from __future__ import annotations

from html import escape
from typing import Any

import panel as pn

from ..widget import Widget
from . import address
from .chapter import column
from .frame import frame
from .prose import code_fold
from .run import Cell, place, run_when_loaded
from .selection import selection_here


def widget_page(kind: type[Widget], asked: dict[str, Any]) -> pn.Template:
    """A widget alone, set to what its address asked for; its code, folded below it, is what a notebook needs."""
    name, title, summary = kind.__name__, kind.title, kind.summary
    settings = ", ".join(f"{of}={value!r}" for of, value in asked.items())
    source = f"from widgets import {name}, start\n\nstart()\n{name}({settings})"
    cell = Cell(1, source, place(first=True))
    kept = address.mirror(selection_here(), without=address.own(kind))
    run_when_loaded(name, [cell], made=lambda value: kept.follow(value) if isinstance(value, kind) else None)
    body = f'<div class="vit-text"><h1>{escape(title)}</h1><p>{escape(summary)}</p></div>'
    return frame(title, body, column([cell.place, code_fold(source)], kept), eyebrow=f"Widget {name}", alone=True)
