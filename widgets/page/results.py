"""What a cell showed, as something Panel can put on a page."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

import panel as pn

from widgets.kit import prose
from widgets.kit.widget import Widget
from widgets.page.workbook import Shown

_FOLDERS = re.compile(r"(?:\b[A-Za-z]:)?[\\/](?:[\w.~ -]+[\\/])+(?=[\w.])")


def views(shown: list[Shown], error: Exception | None) -> list[pn.viewable.Viewable]:
    """Panes for what a cell showed, and a sentence for the error that stopped it."""
    made = [prose.printed(item.value.rstrip("\n")) if item.is_text else view(item.value) for item in shown]
    return made if error is None else [*made, prose.failed(sentence_of(error))]


def view(value: Any) -> pn.viewable.Viewable:
    """A widget or Panel object as it is; a figure as a picture; the object's own HTML; else what a notebook prints."""
    if isinstance(value, (pn.viewable.Viewable, pn.viewable.Viewer)):
        return _standing(value, "var(--vit-widget-width, 1040px)" if isinstance(value, Widget) else "68ch")
    if type(value).__module__.partition(".")[0] == "holoviews":
        from widgets.composing.composed import composed  # HoloViews is loaded already: the cell made this with it

        return _standing(composed(value), "var(--vit-widget-width, 1040px)")
    if type(value).__module__ == "matplotlib.figure":
        png, width = _png(value)
        return prose.picture(png, width, value.get_label())
    if callable(getattr(type(value), "_repr_html_", None)) and (html := value._repr_html_()):
        return prose.table(html)
    if _drawn_by_panel(value):
        return _standing(pn.panel(value), "68ch")
    from IPython.lib.pretty import pretty

    return prose.printed(pretty(value))


def _standing(value: Any, width: str) -> pn.Column:
    return pn.Column(
        value,
        sizing_mode="stretch_width",
        css_classes=["vit-widget"],
        margin=(8, 0, 24, 0),
        stylesheets=[f":host{{width:100%;max-width:{width};margin-inline:auto;font-size:17px}}"],
    )


def _png(figure: Any) -> tuple[bytes, int]:
    """The figure at twice the size the page shows, for fine screens, and the width in pixels that it shows."""
    from PIL import Image

    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=2 * figure.dpi, bbox_inches="tight")
    return drawn.getvalue(), Image.open(drawn).width // 2


def sentence_of(error: Exception) -> str:
    """One sentence for a reader, without the server's folders; the traceback goes to the server's log."""
    said = str(error).strip().splitlines()
    reason = _FOLDERS.sub("", said[0]).rstrip(".") if said else "no reason given"
    return f"This cell stopped: {reason} ({type(error).__name__}). The rest of the page goes on below."


def _drawn_by_panel(value: Any) -> bool:
    """Plots and pictures, which Panel has panes for; text and numbers are printed as a notebook prints them."""
    return type(value).__module__.partition(".")[0] in ("bokeh", "PIL", "IPython")
