"""The still of a `Plot`: the same series, axes and marks, so that no plot is described twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from widgets.parts.plot import Plot, Series
from widgets.parts.theme import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKS = "os^D*"  # beside those of parts.plot.MARKERS, by the place of the series
INK = COLOURS["ink"][0]


def plot_still(plot: Plot, title: str = "", series: Sequence[Series] = (), height: float = 3.0) -> Figure:
    """What the plot shows, or other `series` on its axes, under its own title or this one; `height` in inches."""
    figure = Figure(figsize=(6.4, height), dpi=100, layout="constrained")
    axes = figure.subplots()
    drawn = series or plot.series
    for place, one in enumerate(drawn):
        _draw(axes, one, place)
    for place, (x, text) in enumerate(plot.vertical):
        axes.axvline(x, color=INK, linestyle=":", linewidth=1)
        above = axes.get_xaxis_transform()
        axes.text(x, 0.02 + 0.08 * place, f" {text}", transform=above, fontsize=7, color=INK)
    axes.set(**plot.axes)
    axes.set_title(title or plot.title, fontsize=9)
    axes.xaxis.label.set_fontsize(8)
    axes.yaxis.label.set_fontsize(8)
    axes.tick_params(labelsize=7)
    if len(drawn) > 1:
        axes.legend(fontsize=7, frameon=False)
    return figure


def _draw(axes: Axes, one: Series, place: int) -> None:
    colour: dict[str, Any] = {"color": COLOURS[one.hue][0], "label": one.name}
    if one.kind == "dots":
        axes.plot(one.x, one.y, MARKS[place % len(MARKS)], markersize=5, alpha=0.7, **colour)
    elif one.kind == "bars":
        width = one.width or (abs(one.x[1] - one.x[0]) if len(one.x) > 1 else 1.0)
        axes.bar(one.x, one.y, width, alpha=0.45, **colour)
    else:
        style = "steps-mid" if one.kind == "steps" else "default"
        axes.plot(one.x, one.y, "--" if one.dash else "-", linewidth=1.6, drawstyle=style, **colour)
