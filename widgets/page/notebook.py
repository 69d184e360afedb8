"""What the first code cell of a chapter calls, so that widgets work in a notebook without a network."""

from __future__ import annotations

import os
from io import BytesIO
from typing import Any

import panel as pn
from bokeh.core.serialization import Serializer
from bokeh.models import ImportedStyleSheet
from panel.io.resources import CDN_DIST, DIST_DIR

from widgets.kit.selection import share_in_kernel
from widgets.page.comms import wait_for_comms
from widgets.page.output import listener


def start() -> None:
    """Make this notebook ready for the course's widgets; on a hosted page there is nothing to do.

    Panel's scripts and stylesheets go into the notebook page itself, so nothing is fetched from outside. The
    widgets of the notebook share one selection.
    """
    if listener.get() is not None:  # a page runs this cell; its session may be gone already, so do not ask Panel
        return
    os.environ["PANEL_INLINE"] = "true"
    share_in_kernel()
    wait_for_comms()
    _inline_stylesheets()
    _show_figures()
    pn.extension("mathjax")


def _show_figures() -> None:
    """Let a Figure made without pyplot, and what is composed of HoloViews' elements, show themselves under a cell."""
    from IPython import get_ipython

    shell = get_ipython()
    if shell is not None:
        shell.display_formatter.formatters["image/png"].for_type_by_name("matplotlib.figure", "Figure", _png)
        shell.display_formatter.mimebundle_formatter.for_type_by_name(
            "holoviews.core.dimension", "Dimensioned", _composed
        )


def _composed(drawn: Any) -> Any:
    from widgets.composing.composed import shown_in_notebook  # HoloViews, which few cells ask for

    return shown_in_notebook(drawn)


def _png(figure: Any) -> bytes:
    drawn = BytesIO()
    figure.savefig(drawn, format="png", bbox_inches="tight")
    return drawn.getvalue()


def _inline_stylesheets() -> None:
    """Send each stylesheet as text where Panel names a file on a public server.

    With PANEL_INLINE Panel does so itself on the ordinary way to a notebook, but not on the way through ipywidgets
    that VS Code takes.
    """
    if ImportedStyleSheet.to_serializable is not _as_text:
        ImportedStyleSheet.to_serializable = _as_text


def _as_text(sheet: ImportedStyleSheet, serializer: Serializer) -> Any:
    sent = super(ImportedStyleSheet, sheet).to_serializable(serializer)
    file = DIST_DIR / sheet.url.removeprefix(CDN_DIST).partition("?")[0]
    if sheet.url.startswith(CDN_DIST) and file.is_file():
        sent["name"] = "InlineStyleSheet"
        sent["attributes"] = {"css": file.read_text(encoding="utf-8")}
    return sent
