"""What HoloViews drew, on a page, in a notebook and as a still."""

from __future__ import annotations

import os
from io import BytesIO
from typing import Any

import panel as pn

from widgets.kit.widget import STILLS, palette
from widgets.parts.composed import Composed

SLIDERS = ":host{color:var(--vit-ink);--design-secondary-text-color:var(--vit-ink)}"


def composed(drawn: Any) -> Composed:
    """A HoloViews object as a part of a page or a notebook."""
    import holoviews as hv

    if isinstance(drawn, hv.Layout):
        drawn = drawn.opts(title="", backend="bokeh")  # it would repeat in bold what the sliders say
    pane: Any = pn.panel(drawn, widget_location="top_left")  # beside two plots a phone would have to look for them
    for slider in pane.select(pn.widgets.Widget):
        slider.stylesheets = [*slider.stylesheets, SLIDERS]
    return Composed(drawing=pane)


def still(drawn: Any) -> bytes:
    """A PNG of the same elements, drawn by HoloViews' matplotlib backend."""
    import holoviews as hv

    from widgets.composing.look import printed

    png = BytesIO()
    hv.render(printed(drawn), backend="matplotlib").savefig(png, format="png", dpi=80, bbox_inches="tight")
    return palette(png)


def shown_in_notebook(drawn: Any) -> Any:
    """What a notebook keeps of a HoloViews object (a still), or shows of it while its kernel runs."""
    if os.environ.get(STILLS):
        return {"image/png": still(drawn), "text/plain": f"{type(drawn).__name__} of HoloViews"}
    return composed(drawn)._repr_mimebundle_()
