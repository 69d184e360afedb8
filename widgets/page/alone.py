"""A page with one widget on it."""

from __future__ import annotations

from html import escape
from typing import Any

import panel as pn

from widgets.kit.prose import code_fold
from widgets.kit.selection import selection_here
from widgets.kit.widget import Widget
from widgets.page import address
from widgets.page.chapter import column
from widgets.page.frame import frame
from widgets.page.run import Cell, place, run_when_loaded


def widget_page(kind: type[Widget], asked: dict[str, Any]) -> pn.Template:
    """A widget alone, set to what its address asked for; its code, folded below it, is what a notebook needs."""
    name, title, summary = kind.__name__, kind.title, kind.summary
    settings = ", ".join(f"{of}={value!r}" for of, value in asked.items())
    source = f"from widgets import {name}, start\n\nstart()\n{name}({settings})"
    cell = Cell(1, source, place(first=True))
    kept = address.mirror(selection_here(), without=address.linkable_parameters(kind))
    run_when_loaded(name, [cell], made=lambda value: kept.follow(value) if isinstance(value, kind) else None)
    body = f'<div class="vit-text"><h1>{escape(title)}</h1><p>{escape(summary)}</p></div>'
    return frame(title, body, column([cell.place, code_fold(source)], kept), eyebrow=f"Widget {name}", alone=True)
