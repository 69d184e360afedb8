"""What the first code cell of a chapter calls, so that widgets work in a notebook without a network."""

from __future__ import annotations

import os
from functools import wraps
from io import BytesIO
from typing import Any

import panel as pn
from bokeh.models import ImportedStyleSheet, InlineStyleSheet, Model

from .selection import share_in_kernel


def start() -> None:
    """Make this notebook ready for the course's widgets; on a hosted page there is nothing to do.

    Panel's scripts and stylesheets go into the notebook page itself, so nothing is fetched from outside. The
    widgets of the notebook share one selection.
    """
    document = pn.state.curdoc
    if document is not None and document.session_context is not None:
        return
    os.environ["PANEL_INLINE"] = "true"
    share_in_kernel()
    _inline_stylesheets()
    _show_figures()
    pn.extension("mathjax")


def _show_figures() -> None:
    """Let a matplotlib Figure made without pyplot show itself as the last expression of a cell."""
    from IPython import get_ipython

    shell = get_ipython()
    if shell is not None:
        shell.display_formatter.formatters["image/png"].for_type_by_name("matplotlib.figure", "Figure", _png)


def _png(figure: Any) -> bytes:
    drawn = BytesIO()
    figure.savefig(drawn, format="png", bbox_inches="tight")
    return drawn.getvalue()


def _inline_stylesheets() -> None:
    """Wrap Panel's notebook rendering: PANEL_INLINE leaves a few stylesheets of each model on a public server."""
    from panel.io import notebook

    if hasattr(notebook.render_model, "__wrapped__"):
        return
    render = notebook.render_model

    @wraps(render)
    def render_offline(model: Model, *args: Any, **kwargs: Any) -> Any:
        for part in model.select({"type": Model}):
            if any(isinstance(sheet, ImportedStyleSheet) for sheet in getattr(part, "stylesheets", [])):
                part.stylesheets = [_inlined(sheet) for sheet in part.stylesheets]
        return render(model, *args, **kwargs)

    notebook.render_model = render_offline


def _inlined(sheet: Any) -> Any:
    from panel.io.resources import CDN_DIST, DIST_DIR

    if not isinstance(sheet, ImportedStyleSheet) or not sheet.url.startswith(CDN_DIST):
        return sheet
    file = DIST_DIR / sheet.url.removeprefix(CDN_DIST).partition("?")[0]
    return InlineStyleSheet(css=file.read_text(encoding="utf-8"))
