"""What a forward pass costs by the side of the picture: three parts, the memory of attention, and windows (chapter
09)."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.common.number_formats import percent, short, written_bytes
from widgets.common.refusal import Refused
from widgets.common.typed_number import Kind, NotRead, as_typed, number_typed
from widgets.counting.calculator_settings import Setting, SettingRefused, changed, value_of
from widgets.counting.ledger import product_lines
from widgets.kit.widget import Description, Widget
from widgets.model import count
from widgets.model.costs import SEGMENT, models, sides, windows
from widgets.model.shape import ViTShape, size_pair
from widgets.parts import FieldSheet, LedgerTable, NumberTable, Plot, Series, controls

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HUES = {"patch": "key", "linear": "value", "attention": "query"}
NAMES = {"patch": "patch embedding", "linear": "matrices of the blocks", "attention": "attention, Q Kᵀ and A V"}
SHARES, MACS = "shares", "multiply-adds"
AXES = {SHARES: "% of the multiply-adds", MACS: "G multiply-adds"}
AXIS = (  # short: Bokeh does not wipe away what once stood over its left edge, while a page was still narrow
    "side of the picture, px"
)
BUDGET = 16 * 2**30  # bytes, of one graphics card
LIMITS = {"window": 4096, "batch": 1_000_000}
START_SIZES = {SEGMENT: 1024}
GIB = 2**30


class CostExplorer(Widget):
    """Patch embedding, matrices of the blocks and attention by the side of a square picture, for a chosen model."""

    title = "Enlarge the picture"
    summary = (
        "See where a model's multiply-adds go as the picture grows, when attention overtakes the rest, and what windows"
        " and FlashAttention save."
    )
    still_colours = (16,)  # lines and text: keeps the chapter under its size

    model = param.Selector(default="B/16", objects=list(models()), doc="which model is laid out")
    image_size = param.Parameter(224, doc="side of the picture in pixels, or (height, width); a multiple of P")
    batch = param.Integer(1, bounds=(1, LIMITS["batch"]), doc="pictures at once, for the memory")
    show = param.Selector(default=SHARES, objects=[SHARES, MACS], doc="what the upper plot shows")
    windowed = param.Boolean(False, doc="compare with attention in windows")
    window = param.Integer(14, bounds=(1, LIMITS["window"]), doc="side of a window, in patches")
    global_layers = param.Integer(4, bounds=(0, None), doc="layers whose attention stays global")

    def __init__(self, **params: Any) -> None:
        params.setdefault("image_size", START_SIZES.get(params.get("model", ""), 224))
        params.setdefault("windowed", params.get("model") == SEGMENT)
        super().__init__(**params)
        self._sheet = FieldSheet(self.enter, fold="More: batch, windows")
        self._plot = Plot(x_label=AXIS, y_label="", y_range=(0, None), height=290, tappable=True, left=70, text_at=None)
        self._memory_plot = Plot(
            title="Attention weights kept",
            x_label=AXIS,
            y_label="GiB",
            y_log=True,
            height=240,
            tappable=True,
            left=70,
            text_at=None,
        )
        self._ledger = LedgerTable(first="part", choosable=False)
        self._memory = NumberTable(title="Memory of attention")
        self._windows = NumberTable(title="Attention in windows")
        self._window_box = pn.Column(self._windows, visible=self.windowed, sizing_mode="stretch_width", margin=0)
        self._said = controls.words("", sizing_mode="stretch_width")
        self._show()
        for plot in (self._plot, self._memory_plot):
            plot.param.watch(self._tapped, ["tapped"])
        self.param.watch(self._other_model, ["model"], precedence=0)
        self.param.watch(
            self._show, ["model", "image_size", "batch", "show", "windowed", "window", "global_layers"], precedence=1
        )

    # what is set ------------------------------------------------------------------------------------------

    @property
    def shape(self) -> ViTShape:
        """The model at the size that is set; its own size where that one does not cut into its patches."""
        return replace(models()[self.model][1], image_size=self.image_size)

    def enter(self, changes: dict[str, str]) -> None:
        """Take fields as they were typed, or say under the field why not; the last good value stays."""
        field = next(iter(changes), "")
        try:
            if field in ("image_size", "batch"):
                setting = changed(Setting(self.shape, batch=self.batch), changes)
                values = {"image_size": setting.shape.image_size, "batch": setting.batch}
            elif field in ("window", "global_layers"):
                values = {field: self._whole(field, changes[field])}
            else:
                return
        except SettingRefused as refused:
            self._sheet.refuse(field, changes[field], str(refused), refused.nearest)
            return
        self.param.update(**values)
        self._sheet.show(self._fields())

    def _whole(self, field: str, text: str) -> int:
        """A whole number of this widget's own fields. Raises SettingRefused with the nearest that is possible."""
        least, most, name = (
            (1, LIMITS["window"], "A window's side")
            if field == "window"
            else (0, self.shape.num_hidden_layers, "The number of global layers")
        )
        try:
            return int(number_typed(text, Kind(name, least, most, whole=True, example=f"{getattr(self, field):,}")))
        except NotRead as reason:
            offers = [as_typed(near) for near in reason.near] or [f"{getattr(self, field):,}"]
            raise SettingRefused(str(reason), [(offer, {field: offer}) for offer in offers]) from None

    def _other_model(self, *_: Any) -> None:
        """Another model: keep the size if its patches cut it, and no more global layers than it has."""
        shape = models()[self.model][1]
        wanted = START_SIZES.get(self.model, self.image_size)
        size = (
            wanted
            if all(side % shape.patch_size == 0 for side in size_pair(wanted))
            else 224
            if 224 % shape.patch_size == 0
            else shape.image_size
        )
        with param.parameterized.discard_events(self):
            self.image_size = size
            self.global_layers = min(self.global_layers, shape.num_hidden_layers)
            if self.model == SEGMENT:
                self.windowed, self.window, self.global_layers = True, 14, 4
        self.param.trigger("windowed")

    def _tapped(self, event: param.parameterized.Event) -> None:
        name, point = event.new
        plot = self._plot if event.obj is self._plot else self._memory_plot
        series = next((one for one in plot.series if one.name == name), None)
        if series is not None and 0 <= point < len(series.x):
            self.image_size = int(series.x[point])

    # what is counted --------------------------------------------------------------------------------------

    def curves(self) -> dict[str, list[float]]:
        """Multiply-adds of each part at every side of `sides(shape)`."""
        counted = [count.macs(self.shape, side) for side in sides(self.shape)]
        return {part: [one[part] for one in counted] for part in HUES}

    def windowed_curve(self) -> dict[int, int]:
        """Side -> multiply-adds of attention with windows, where the picture holds one window or more."""
        held = [side for side in sides(self.shape) if side >= self.window * self.shape.patch_size]
        return {side: windows(self.shape, side, self.window, self.global_layers).mixed for side in held}

    def memory_curves(self) -> dict[str, list[int]]:
        """Bytes of the attention weights of all layers, kept whole and with FlashAttention, at every side."""
        return {
            name: [count.attention_memory(self.shape, side, self.batch, flash=flash) for side in sides(self.shape)]
            for name, flash in (("all weights, 2 bytes each", False), ("FlashAttention: a float32 a row", True))
        }

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        bar = controls.row(
            controls.choice(
                self.param.model, "Model", {title: name for name, (title, _) in models().items()}, width=220
            ),
            controls.radio(self.param.show, "Show", {"shares": SHARES, "multiply-adds": MACS}),
            controls.switch(self.param.windowed, "Beside windows"),
        )
        left = pn.Column(
            self._plot,
            self._said,
            self._memory_plot,
            styles={"flex": "1.4 1 420px", "min-width": "0", "gap": "12px"},
            margin=0,
        )
        right = pn.Column(
            self._ledger,
            self._memory,
            self._window_box,
            styles={"flex": "1 1 340px", "min-width": "0", "gap": "16px"},
            margin=0,
        )
        return self.stacked(bar, self._sheet, pn.FlexBox(left, right, gap="28px", align_items="flex-start"), gap=16)

    def _fields(self) -> list[dict[str, Any]]:
        shape, field = self.shape, {"options": [], "note": ""}
        setting = Setting(shape, batch=self.batch)
        return [
            {
                **field,
                "key": "image_size",
                "symbol": "H, W",
                "name": "Picture side, px",
                "value": value_of(setting, "image_size"),
                "more": False,
                "text": True,
                "note": f"T = {shape.num_tokens:,} tokens",
            },
            {
                **field,
                "key": "batch",
                "symbol": "B",
                "name": "Batch, pictures",
                "value": f"{self.batch:,}",
                "more": True,
            },
            {
                **field,
                "key": "window",
                "symbol": "",
                "name": "Window side, patches",
                "value": f"{self.window:,}",
                "more": True,
                "note": "14 in SAM",
            },
            {
                **field,
                "key": "global_layers",
                "symbol": "",
                "name": "Layers left global",
                "value": f"{self.global_layers:,}",
                "more": True,
                "note": f"of {shape.num_hidden_layers}; 4 of 32 in SAM",
            },
        ]

    def _show(self, *_: Any) -> None:
        with pn.io.hold():
            self._sheet.show(self._fields())
            self._plot.update(**self._plot_state())
            self._memory_plot.update(**self._memory_state())
            self._ledger.param.update(**self._ledger_state())
            self._memory.param.update(
                fixed=self._memory_rows(),
                caption=(
                    f"{self._title}, {self._size}, batch {self.batch:,}. All {self.shape.num_hidden_layers} layers;"
                    " the inputs and outputs of attention are left out."
                ),
            )
            self._window_box.visible = self.windowed
            self._windows.param.update(
                fixed=self._window_rows(),
                caption=f"{self._title}, {self._size}. Patches only, no class token: multiply-adds of Q Kᵀ and A V.",
            )
            self._said.object = controls.status(self._sentence())

    @property
    def _title(self) -> str:
        return models()[self.model][0]

    @property
    def _size(self) -> str:
        height, width = size_pair(self.image_size)
        return f"{height:,} px" if height == width else f"{height:,} × {width:,} px"

    def _marks(self) -> list[tuple[float, str]]:
        height, width = size_pair(self.image_size)
        marks = [(sqrt(height * width), self._size)]
        crossover = count.attention_crossover(self.shape)
        return [*marks, (crossover, f"crossover {crossover:,} px")]

    def _plot_state(self) -> dict[str, Any]:
        totals = {side: count.macs(self.shape, side)["total"] for side in sides(self.shape)}
        curves = {part: dict(zip(totals, values, strict=True)) for part, values in self.curves().items()}
        if self.windowed:
            curves["windowed"] = self.windowed_curve()
        series = []
        for part, values in curves.items():
            name, hue = (NAMES[part], HUES[part]) if part in HUES else ("attention with windows", "query")
            y = [100 * value / totals[side] if self.show == SHARES else value / 1e9 for side, value in values.items()]
            labels = [
                f"{name} at {side:,} px: {short(value)} multiply-adds"
                + (f", {percent(value / totals[side])} of the total" if part in HUES else "")
                for side, value in values.items()
            ]
            series.append(Series(name, list(values), y, hue=hue, dash=part not in HUES, labels=labels))
        return {
            "series": series,
            "vertical": self._marks(),
            "y_label": AXES[self.show],
            "title": f"{self._title}: {self.show} by side of the picture",
            "caption": (
                "Square pictures, counted from the shape; nothing is run. Click a point, or use the arrow keys and"
                " Enter, to set the side."
                + (
                    " The windowed curve is relative to the total without windows."
                    if self.windowed and self.show == SHARES
                    else ""
                )
            ),
        }

    def _memory_state(self) -> dict[str, Any]:
        x = sides(self.shape)
        series = [
            Series(
                name,
                x,
                [value / GIB for value in values],
                hue=hue,
                dash=hue == "value",
                labels=[
                    f"{name}, at {side:,} px: {written_bytes(value)}" for side, value in zip(x, values, strict=True)
                ],
            )
            for (name, values), hue in zip(self.memory_curves().items(), ("query", "value"), strict=True)
        ]
        return {
            "series": series,
            "vertical": self._marks()[:1],
            "caption": (
                f"All layers, batch {self.batch:,}. A logarithmic axis: one line grows with T², the other with T."
            ),
        }

    def _ledger_state(self) -> dict[str, Any]:
        lines = product_lines(self.shape)
        total = lines[-1].running
        shown = [
            {
                "key": line.key,
                "name": line.name,
                "formula": line.formula,
                "worked": line.worked,
                "cells": [f"{line.count:,}", percent(line.share)],
                "bars": [[line.share, HUES.get(line.key, "accent")]],
            }
            for line in lines
        ]
        return {
            "lines": shown,
            "heads": ["multiply-adds", "share"],
            "foot": ["Total", f"{total:,}", ""],
            "title": f"{self._title} at {self._size}",
            "caption": f"One picture, forward. In FLOPs, two a multiply-add: {2 * total:,}.",
        }

    def _memory_rows(self) -> list[tuple[str, str]]:
        shape, h, T = self.shape, self.shape.num_attention_heads, self.shape.num_tokens
        kept, flash = (count.attention_memory(shape, None, self.batch, flash=flash) for flash in (False, True))
        return [
            ("weights of a layer, h T², one picture", f"{h * T * T:,}"),
            ("the same in 2 bytes each", f"{2 * h * T * T:,} bytes = {written_bytes(2 * h * T * T)}"),
            ("all layers, whole batch", written_bytes(kept)),
            ("with FlashAttention", f"{written_bytes(flash)}, {kept / flash:,.0f} times less"),
            (f"largest side whose weights fit {written_bytes(BUDGET)}", self._largest()),
        ]

    def _largest(self) -> str:
        try:
            return f"{count.max_image_size(self.shape, BUDGET, self.batch):,} px"
        except Refused:
            return "none: not even one patch"

    def _window_rows(self) -> list[tuple[str, str]]:
        w = windows(self.shape, self.image_size, self.window, self.global_layers)
        L, left = self.shape.num_hidden_layers, self.global_layers
        return [
            ("grid of patches", f"{w.grid[0]:,} × {w.grid[1]:,}"),
            ("padded to whole windows", f"{w.padded[0]:,} × {w.padded[1]:,}"),
            ("windows, and tokens in each", f"{w.windows:,} of {w.tokens:,}"),
            ("a global layer", f"{w.one_global:,}"),
            ("a windowed layer", f"{w.one_windowed:,}"),
            ("a windowed layer is cheaper by", f"{w.cheaper:,.1f} times"),
            (f"all {L} layers global", f"{short(w.all_global)} = {w.all_global:,}"),
            (f"{left} global, {L - left} windowed", f"{short(w.mixed)} = {w.mixed:,}"),
        ]

    def _sentence(self) -> str:
        macs, crossover = count.macs(self.shape), count.attention_crossover(self.shape)
        ratio = macs["attention"] / macs["linear"]
        tokens = replace(self.shape, image_size=crossover).num_tokens
        return (
            f"At {self._size}, attention is {percent(macs['attention'] / macs['total'])} of {macs['total']:,}"
            f" multiply-adds, {ratio:,.3g} times the matrices of the blocks. It reaches them at {crossover:,} px, the"
            f" first side with T ≥ {self._least_tokens():,}; there T = {tokens:,}."
        )

    def _least_tokens(self) -> int:
        """The number of tokens at which attention costs as much as the matrices: 2D + D_ff, or 2D + 1.5 D_ff with three
        of them."""
        D = self.shape.hidden_size
        return -(-count.block_matrices(replace(self.shape, num_hidden_layers=1)) // (2 * D))

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """Every part at this size, the memory and the windows in words."""
        lines = product_lines(self.shape)
        rows = [(line.name, f"{line.count:,} multiply-adds, {percent(line.share)}") for line in lines]
        rows += self._memory_rows() + (self._window_rows() if self.windowed else [])
        return Description(f"{self._title}. {self._sentence()}", rows)

    def still(self) -> Figure:
        """The shares, or multiply-adds, by side."""
        from widgets.kit.plot_still import plot_still  # matplotlib, which only stills need

        return plot_still(self._plot)
