"""A plot of lines, dots, bars or steps in the course's colours, drawn by Bokeh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import panel as pn
import param
from bokeh.models import ColumnDataSource, DataRange1d, HoverTool, Label, Node, Span, TapTool
from bokeh.plotting import figure
from bokeh.plotting.glyph_api import GlyphAPI
from panel.custom import Child

from widgets.parts.part import Part
from widgets.parts.theme import COLOURS

KINDS = ("line", "dots", "bars", "steps")
MARKERS = {
    "circle": "●",
    "square": "■",
    "triangle": "▲",
    "diamond": "◆",
    "star": "★",
}  # the second cue of dots, by their place
TEXT_HEIGHT = 16  # px of a line of text at a vertical line
TOOLTIP = '<div style="font:13px system-ui,sans-serif;max-width:260px;padding:2px 4px;color:#1B1D22">@label</div>'


@dataclass(frozen=True)
class Series:
    """One thing that is plotted. `labels` are what hovering a point says, written in Python; one a point."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    kind: str = "line"  # of KINDS; the bars of a histogram stand at their middles
    hue: str = "accent"  # a name in theme.COLOURS
    dash: bool = False
    labels: Sequence[str] = field(default=())
    width: float = 0.0  # of a bar, on the x axis; 0 takes the space between two

    def __post_init__(self) -> None:
        if self.kind not in KINDS or self.hue not in COLOURS:
            raise ValueError(
                f"a series is one of {', '.join(KINDS)} in a colour of the theme, not {self.kind!r} in {self.hue!r}"
            )
        if not len(self.x) == len(self.y) or (len(self.labels) not in (0, len(self.x))):
            raise ValueError(
                f"{self.name}: {len(self.x)} x, {len(self.y)} y and {len(self.labels)} labels do not belong together"
            )

    def look(self, place: int) -> dict[str, Any]:
        """What the legend shows of it when it is the series at this place."""
        sign = list(MARKERS.values())[place % len(MARKERS)] if self.kind == "dots" else ""
        return {"name": self.name, "hue": self.hue, "kind": self.kind, "dash": self.dash, "sign": sign}

    def columns(self) -> dict[str, list[Any]]:
        """The columns of Bokeh's data source."""
        labels = list(self.labels) or [
            f"{self.name}: {y:.3g} at {x:.3g}".replace("-", "−") for x, y in zip(self.x, self.y, strict=True)
        ]
        return {"x": list(map(float, self.x)), "y": list(map(float, self.y)), "label": labels}


class Plot(Part):
    """Bokeh's figure in the frame of a part: title, caption, states, legend, and a point that arrow keys move.

    `update` shows other series. With `tappable`, a click on a mark (or Enter on the point of the arrow keys) sets
    `tapped` to (name of the series, index of the point).
    """

    figure = Child(doc="Bokeh's figure")
    figure_name = param.String("", doc="by which the script finds the figure")
    legend = param.List([], doc="looks of the series, in order")
    tap = param.List([], doc="what the browser says was chosen: [series, point, how often]")
    tapped = param.Tuple(("", -1), length=2, doc="(name of a series, index of its point) that was chosen last")
    tappable = param.Boolean(False)

    _esm = Path(__file__).parent / "plot.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "plot.css"]

    def __init__(
        self,
        x_label: str = "",
        y_label: str = "",
        x_range: tuple[float, float] | None = None,
        y_range: tuple[float, float | None] | None = None,
        x_log: bool = False,
        y_log: bool = False,
        height: int = 240,
        left: int = 4,
        text_at: int | None = 4,
        x_ticks: Sequence[float] = (),
        y_ticks: Sequence[float] = (),
        **params: Any,
    ) -> None:
        """Ticks stand where Bokeh puts them, or at `x_ticks` and `y_ticks`.

        The text of a vertical line stands `text_at` pixels above the bottom, away from the curves, or with None at the
        top, over the curves. `left` pixels, at least, stand before the axes: give two plots the same, and one stands
        under the other."""
        axes = {
            "x_axis_label": x_label,
            "y_axis_label": y_label,
            "x_axis_type": "log" if x_log else "linear",
            "y_axis_type": "log" if y_log else "linear",
        }
        axes |= {name: ends for name, ends in (("x_range", x_range), ("y_range", y_range)) if ends is not None}
        if y_range is not None and y_range[1] is None:  # from there up to what is plotted
            axes["y_range"] = DataRange1d(start=y_range[0])
        self._figure = figure(height=height, sizing_mode="stretch_width", toolbar_location=None, tools="", **axes)
        self._bottom, self._text_at = _lowest(y_range, y_log), text_at
        self._logs = {"xscale": x_log, "yscale": y_log}
        self._ends: dict[str, tuple[float, float | None] | None] = {"xlim": x_range, "ylim": y_range}
        self._series: tuple[Series, ...] = ()
        self.vertical: tuple[tuple[float, str], ...] = ()
        """Places (x, text) that are marked by a dashed line now."""
        self._sources: list[ColumnDataSource] = []
        self._lines: list[tuple[Span, Label]] = []
        self._base_look()
        self._figure.min_border_left = left
        if text_at is None:
            self._figure.y_range.range_padding = 0.4  # room for two lines
        for axis, ticks in ((self._figure.xaxis, x_ticks), (self._figure.yaxis, y_ticks)):
            if ticks:
                axis.ticker, axis.major_label_overrides = list(ticks), {tick: f"{tick:,}" for tick in ticks}
        self._cursor = self._figure.scatter(
            "x",
            "y",
            source=ColumnDataSource({"x": [], "y": []}),
            size=14,
            line_width=2,
            line_color=COLOURS["ink"][0],
            fill_color=None,
        )
        self._cursor.tags = ["ink"]
        super().__init__(figure=pn.pane.Bokeh(self._figure, sizing_mode="stretch_width", margin=0), **params)
        self._figure.name = self.figure_name = f"plot-{self._figure.id}"
        self.param.watch(self._on_tap, "tap")

    @property
    def axes(self) -> dict[str, Any]:
        """Labels, scales and the ends that are fixed, under matplotlib's names: what a still is set to."""
        found: dict[str, Any] = {name: "log" for name, is_log in self._logs.items() if is_log}
        found |= {"xlabel": self._figure.xaxis[0].axis_label, "ylabel": self._figure.yaxis[0].axis_label}
        return found | {name: ends for name, ends in self._ends.items() if ends is not None}

    @property
    def series(self) -> tuple[Series, ...]:
        """What is plotted now."""
        return self._series

    def update(
        self,
        series: Sequence[Series],
        vertical: Sequence[tuple[float, str]] = (),
        y_label: str | None = None,
        ends: tuple[tuple[float, float], tuple[float, float]] | None = None,
        **params: Any,
    ) -> None:
        """Show these series, and dashed lines at the places `vertical` (x, text); `params` are the part's own.

        `y_label` renames the axis, for a plot that can show two things. `ends` moves both axes, (x_range, y_range), of
        a plot that was made with ranges: so two plots can be given the same."""
        # Bokeh's own models are changed here. While another change is on its way a click is handled without the lock
        # that Bokeh asks for: held until the end, the changes go out when they may. Lines go ahead: a browser that
        # hears of a new one and of anything else in one message draws before it has made the line.
        with pn.io.hold():
            self._mark(vertical)
        looks = [one.look(place) for place, one in enumerate(series)]
        with pn.io.hold():
            self._name_axes(y_label, ends)
            self._replace(series, is_like_before=looks == self.legend)
            self.param.update(legend=looks, **params)

    def _name_axes(self, y_label: str | None, ends: tuple[tuple[float, float], tuple[float, float]] | None) -> None:
        if ends is not None:
            for axis, (start, end) in zip((self._figure.x_range, self._figure.y_range), ends, strict=True):
                axis.update(start=start, end=end)
            self._ends = dict(zip(("xlim", "ylim"), ends, strict=True))
        if y_label is not None and y_label != self._figure.yaxis[0].axis_label:
            self._figure.yaxis[0].axis_label = y_label

    def _replace(self, series: Sequence[Series], is_like_before: bool) -> None:
        if is_like_before:
            for source, one in zip(self._sources, series, strict=True):
                source.data = one.columns()
        else:
            aside = figure()  # one change for the browser: between two it could be asked for a series that is not there
            self._sources = [self._draw(aside, one, place) for place, one in enumerate(series)]
            self._figure.renderers = [*aside.renderers, self._cursor]  # last: the script moves it, on top of all
            self._tools()
        self._series = tuple(series)

    def _draw(self, aside: GlyphAPI, one: Series, place: int) -> ColumnDataSource:
        source, light = ColumnDataSource(one.columns()), COLOURS[one.hue][0]
        look = {"line_color": light, "line_width": 2, "line_dash": "dashed" if one.dash else "solid"}
        if one.kind == "line":
            drawn = aside.line("x", "y", source=source, **look)
        elif one.kind == "steps":
            drawn = aside.step("x", "y", source=source, mode="center", **look)
        elif one.kind == "dots":
            drawn = aside.scatter(
                "x",
                "y",
                source=source,
                size=8,
                marker=list(MARKERS)[place % len(MARKERS)],
                line_color=light,
                fill_color=light,
                fill_alpha=0.55,
            )
        else:
            width = one.width or (abs(one.x[1] - one.x[0]) if len(one.x) > 1 else 1.0)
            drawn = aside.vbar(
                "x",
                width,
                "y",
                bottom=self._bottom,
                source=source,
                line_color=light,
                fill_color=light,
                fill_alpha=0.15 if one.dash else 0.45,
                line_dash=look["line_dash"],
            )
        drawn.nonselection_glyph = drawn.selection_glyph = None
        drawn.tags = [one.hue]
        return source

    def _tools(self) -> None:
        marks = [one for one in self._figure.renderers if one is not self._cursor]
        sliding = all(one.glyph.__class__.__name__ in ("Line", "Step") for one in marks)
        hover = HoverTool(
            renderers=marks, tooltips=TOOLTIP, mode="vline" if sliding else "mouse", point_policy="snap_to_data"
        )
        self._figure.tools = [hover, *([TapTool(renderers=marks)] if self.tappable else [])]

    def _mark(self, vertical: Sequence[tuple[float, str]]) -> None:
        self.vertical = tuple(vertical)
        # lines are moved or hidden, never replaced: a browser may still be drawing one that is gone; Bokeh then fails
        for place in range(len(self._lines), len(vertical)):
            line = Span(
                location=0, dimension="height", line_dash="dotted", line_width=1.5, line_color=COLOURS["ink"][0]
            )
            text = Label(x=0, **self._text_place(place), text_font_size="12px", text_color=COLOURS["ink"][0])
            self._lines.append((line, text))
            line.location = text.x = vertical[place][0]
            self._figure.add_layout(line), self._figure.add_layout(text)
        for place, (line, text) in enumerate(self._lines):
            line.visible = text.visible = place < len(vertical)
            if line.visible:
                line.location = text.x = vertical[place][0]
                text.text = vertical[place][1]

    def _text_place(self, place: int) -> dict[str, Any]:
        if self._text_at is None:
            return {"y": Node(target="frame", symbol="top"), "y_offset": -TEXT_HEIGHT * (1 + place % 2), "x_offset": 4}
        return {"y": self._text_at + TEXT_HEIGHT * (place % 3), "y_units": "screen", "x_offset": 4}

    def _base_look(self) -> None:
        self._figure.background_fill_color = self._figure.border_fill_color = self._figure.outline_line_color = None
        self._figure.grid.grid_line_color = COLOURS["line"][0]
        self._figure.axis.axis_line_color = self._figure.axis.major_tick_line_color = COLOURS["line"][0]
        self._figure.axis.minor_tick_line_color = None
        for text in ("axis_label_text_color", "major_label_text_color"):
            setattr(self._figure.axis, text, COLOURS["muted"][0])
        self._figure.axis.axis_label_text_font_style = "normal"
        self._figure.axis.axis_label_text_font_size = self._figure.axis.major_label_text_font_size = "12px"
        self._figure.min_border = 4

    def _on_tap(self, event: param.parameterized.Event) -> None:
        series, point, _ = event.new
        if series < len(self._series) and point < len(self._series[series].x):
            self.tapped = (self._series[series].name, point)


def _lowest(y_range: tuple[float, float] | None, y_log: bool) -> float:
    """Where bars stand: a logarithmic axis has no zero."""
    return (y_range[0] if y_range else 1e-3) if y_log else 0.0
