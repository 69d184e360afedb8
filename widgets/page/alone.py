"""A page with one widget on it."""

from __future__ import annotations

import importlib
from html import escape

import panel as pn

from .chapter import column
from .frame import frame
from .prose import code_fold
from .run import Cell, place, run_when_loaded


def widget_page(name: str, module: str) -> pn.Template:
    """The widget `name` of `module` alone; its code, folded below it, is what a notebook needs."""
    widget = getattr(importlib.import_module(module), name)
    source = f"from widgets import {name}, start\n\nstart()\n{name}()"
    cell = Cell(1, source, place())
    run_when_loaded(name, [cell])
    body = (f'<div class="vit-text"><h1>{escape(widget.title or name)}</h1>'
            f"<p>{escape(widget.summary)}</p></div>")
    return frame(widget.title or name, body, column([cell.place, code_fold(source)]), eyebrow=f"Widget {name}")
