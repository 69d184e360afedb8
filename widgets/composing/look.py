"""How composed elements look: the course's colours in Bokeh, which the page's theme then paints, and in matplotlib."""

from __future__ import annotations

from typing import Any

import holoviews as hv
from bokeh.models import BoxSelectTool, HoverTool, ResetTool, TapTool

from widgets.parts.composed import TAG
from widgets.parts.theme import COLOURS, colour_scale

HUES = {"class token": "class", "patches, median": "query", "patches, middle half": "query"}
SIDE = 230  # pixels of a map along its longer side: with its scale it fits a phone
WEIGHT = [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in colour_scale("weight")]
KEPT = (BoxSelectTool, HoverTool, ResetTool, TapTool)  # what a pointer may be in the course's plots
Options = dict[str, Any]


def styled(element: Any) -> Any:
    """The element as it looks on a page: with the course's options for Bokeh."""
    in_page, _ = OPTIONS[type(element)](element)
    return element.opts(**in_page, hooks=[_tagged], backend="bokeh")


def printed(drawn: Any) -> Any:
    """Whatever was composed, with the course's options for matplotlib, which only a still needs."""
    import holoviews.plotting.mpl  # noqa: F401  it registers the backend: here, because most readers look at pages

    def looks(element: Any) -> Any:
        return element.opts(**OPTIONS[type(element)](element)[1], backend="matplotlib")

    found = drawn.map(looks, list(OPTIONS))
    return found.opts(sublabel_format="", backend="matplotlib") if isinstance(found, hv.Layout) else found


def _image(element: hv.Image) -> tuple[Options, Options]:
    rows, columns = element.dimension_values("weight", flat=False).shape
    both = {"title": element.label, "colorbar": True, "invert_yaxis": True, "clim": (0, None)}
    page = {"cmap": WEIGHT, "tools": ["hover"], "default_tools": [], "toolbar": None}
    return both | page | _frame(rows, columns), both | {"cmap": "cividis"}


def _points(element: hv.Points) -> tuple[Options, Options]:
    page: Options = {
        "tools": ["box_select", "hover", "tap"],
        "default_tools": ["reset"],
        "active_tools": ["box_select"],
    }
    page["show_legend"] = False
    if "colour" not in element:
        hue = COLOURS["query"][0]
        return page | {"color": hue, "size": 6} | _frame(1, 1), {"color": hue, "s": 12, "show_legend": False}
    rows, columns = (int(element.range(name)[1]) + 1 for name in ("row", "column"))
    placed = {"marker": "square", "invert_yaxis": True, "color": "colour", "size": SIDE / max(rows, columns) * 0.92}
    printed = {"marker": "s", "invert_yaxis": True, "color": "colour", "s": (200 / max(rows, columns)) ** 2}
    return page | placed | _frame(rows, columns), printed | {"show_legend": False}


def _curve(element: hv.Curve) -> tuple[Options, Options]:
    both = {"color": COLOURS[HUES[element.label]][0], "logy": True}
    page = {"line_width": 2, "frame_width": 280, "frame_height": 220, "default_tools": [], "tools": ["hover"]}
    return both | page, both


def _area(element: hv.Area) -> tuple[Options, Options]:
    both = {"color": COLOURS[HUES[element.label]][0], "alpha": 0.2}
    return both | {"line_alpha": 0, "default_tools": []}, both


OPTIONS = {hv.Image: _image, hv.Points: _points, hv.Curve: _curve, hv.Area: _area}


def _frame(rows: int, columns: int) -> Options:
    side = SIDE / max(rows, columns)
    return {"frame_height": round(side * rows), "frame_width": round(side * columns)}


def _tagged(plot: Any, element: Any) -> None:
    """Mark Bokeh's figure for the script that paints it, and let the page show through."""
    figure = plot.state
    if TAG not in figure.tags:
        figure.tags = [*figure.tags, TAG]
    # linked selections bring six more, and begin with the one that moves the plot
    figure.toolbar.tools = [tool for tool in figure.toolbar.tools if isinstance(tool, KEPT)]
    for tool in figure.toolbar.tools:
        if isinstance(tool, BoxSelectTool):
            figure.toolbar.active_drag = tool
    figure.background_fill_color = figure.border_fill_color = None
    figure.sizing_mode = None  # its frame has a size; Bokeh warns of a fixed figure without one of its own
