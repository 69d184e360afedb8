"""A page with one widget on it."""

from __future__ import annotations

from html import escape

import panel as pn

from .chapter import column
from .contents import words_of
from .frame import frame
from .prose import code_fold
from .run import Cell, place, run_when_loaded


def widget_page(name: str, module: str) -> pn.Template:
    """The widget `name` of `module` alone; its code, folded below it, is what a notebook needs."""
    title, summary = words_of(name, module)
    source = f"from widgets import {name}, start\n\nstart()\n{name}()"
    cell = Cell(1, source, place(first=True))
    run_when_loaded(name, [cell])
    body = f'<div class="vit-text"><h1>{escape(title)}</h1><p>{escape(summary)}</p></div>'
    return frame(title, body, column([cell.place, code_fold(source)]), eyebrow=f"Widget {name}", alone=True)
