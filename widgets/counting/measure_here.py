"""Time the real model on this machine at several sizes, beside the ratios that counting gives (chapter 09)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.common.refusal import Refused
from widgets.experiments.timing import BASE, ROUNDS, Size, Timing, measure, sizes
from widgets.kit.answering import in_words
from widgets.kit.model_choice import ModelChoice
from widgets.kit.widget import TEXT_COLOURS, Description, Widget
from widgets.model.shape import ViTShape
from widgets.parts import LedgerTable, Plot, Series, controls

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.model.shape import ViTShape

MEASURE, STOP = "Measure here", "Stop"


class MeasureHere(Widget):
    """Forward passes of the loaded model, timed when asked; only ratios are shown, beside the counted ones."""

    title = "Measure it here"
    summary = (
        "Will half the multiply-adds be half the time? Time the real model at several sizes on this machine, and"
        " compare the ratios."
    )
    still_colours = TEXT_COLOURS

    done = param.Integer(0, bounds=(0, None), doc="passes that have been timed")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._found: dict[int, Timing] = {}
        self._turn = 0
        self.model = ModelChoice(selection=self.selection)
        self._press = controls.button(MEASURE, self._pressed)
        self._plot = Plot(
            title="Time against multiply-adds, both relative",
            x_label="multiply-adds, relative",
            y_label="time, relative",
            x_log=True,
            y_log=True,
            height=260,
            x_ticks=(0.125, 0.25, 0.5, 1, 2),
            y_ticks=(0.125, 0.25, 0.5, 1, 2, 4),
        )
        self._table = LedgerTable(
            first="side of the picture",
            heads=["multiply-adds", "counted ratio", "measured ratio", "measured / counted"],
            choosable=False,
        )
        self._said = controls.words("", sizing_mode="stretch_width")
        self._start_over()
        self.selection.param.watch(self._start_over, ["checkpoint"])

    # what is counted and measured -------------------------------------------------------------------------

    @property
    def shape(self) -> ViTShape:
        """The shape of the selected checkpoint. Raises CheckpointMissing or ValueError."""
        from widgets.checkpoints.loading import at_hand

        return ViTShape.from_checkpoint(at_hand(self.selection.checkpoint))

    def sizes(self) -> list[Size]:
        """The sizes that are timed; none when there is no model."""
        try:
            return sizes(self.shape)
        except Refused:
            return []

    def ratios(self) -> dict[int, float]:
        """Side -> measured time relative to the base, for the sizes that are measured; empty before the base is."""
        base = next((one for one in self._found.values() if one.size.ratio == 1), None)
        return {side: one.fastest / base.fastest for side, one in self._found.items()} if base else {}

    async def _pressed(self, *_: Any) -> None:
        """Measure in a thread, round after round, and show every pass as it comes. A second press stops."""
        self._turn += 1
        if self._press.label == STOP:
            self._press.label = MEASURE
            self._say(
                f"Stopped after {self.done} passes. "
                + (self._verdict() if self._all_seen else "Not every size is measured.")
            )
            return
        mine, todo = self._turn, self.sizes()
        self._found, self.done, self._press.label = {}, 0, STOP
        self._draw()
        self._say(f"First a pass of each of the {len(todo)} sizes that is not counted …")
        passes = measure(self.selection.checkpoint, todo)
        try:
            while (timing := await asyncio.to_thread(next, passes, None)) is not None:
                if mine != self._turn:
                    return
                self._found[timing.size.side] = timing
                self._say(f"Round {timing.passes} of at most {ROUNDS}: {timing.size.side} px …")
                self._draw()
                self.done += 1
            self._press.label = MEASURE
            self._say(self._verdict())
        except Exception as error:
            self._press.label = MEASURE
            self._say(in_words(error, self)[1], "wrong")

    @property
    def _all_seen(self) -> bool:
        return bool(self._found) and len(self._found) == len(self.sizes())

    def _start_over(self, *_: Any) -> None:
        self._turn += 1
        self._found, self.done = {}, 0
        self._press.param.update(label=MEASURE, disabled=not self.sizes())
        if self.sizes():
            self._say(
                f"{len(self.sizes())} sizes, at most {ROUNDS + 1} forward passes of each: seconds to half a minute."
                f" What do you expect? Then press “{MEASURE}”."
            )
        else:
            self._say(self._refusal(), "wrong")
        self._draw()

    def _refusal(self) -> str:
        try:
            return f"{self.shape.patch_size}"
        except Refused as refusal:
            return str(refusal)

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        bar = controls.row(*self.model.controls, self._press)
        left = pn.Column(self._plot, styles={"flex": "1 1 380px", "min-width": "0"}, margin=0)
        right = pn.Column(self._table, styles={"flex": "1 1 460px", "min-width": "0"}, margin=0)
        return self.stacked(bar, self._said, pn.FlexBox(left, right, gap="28px", align_items="flex-start"), gap=12)

    def _say(self, sentence: str, hue: str = "ink") -> None:
        self._said.object = controls.status(sentence, hue)

    @property
    def _title(self) -> str:
        from widgets.checkpoints.loading import at_hand

        try:
            return at_hand(self.selection.checkpoint).title
        except Refused:
            return self.selection.checkpoint

    def _draw(self) -> None:
        todo, ratios = self.sizes(), self.ratios()
        counted = [size.ratio for size in todo]
        series = [
            Series(
                "if time followed the count",
                counted,
                counted,
                hue="muted",
                dash=True,
                labels=[f"{size.side} px: {size.ratio:.3f} times the multiply-adds" for size in todo],
            )
        ]
        seen = [size for size in todo if size.side in ratios]
        series.append(
            Series(
                "measured on this machine",
                [size.ratio for size in seen],
                [ratios[size.side] for size in seen],
                kind="dots",
                hue="query",
                labels=[f"{size.side} px: counted {size.ratio:.3f}, measured {ratios[size.side]:.3f}" for size in seen],
            )
        )
        with pn.io.hold():
            self._plot.update(
                series,
                caption=(
                    f"{self._title}, one picture of random numbers, the fastest of up to {ROUNDS} passes. Both axes are"
                    f" logarithmic; 1 is {self._base(todo)}."
                ),
            )
            self._table.param.update(
                lines=[self._line(size, ratios) for size in todo],
                title=f"{self._title}: counted and measured",
                caption="Ratios only: seconds belong to one machine and one minute.",
            )

    def _base(self, todo: list[Size]) -> str:
        return next((f"{size.side} px" for size in todo if size.ratio == 1), f"{BASE} px")

    def _line(self, size: Size, ratios: dict[int, float]) -> dict[str, Any]:
        measured = ratios.get(size.side)
        return {
            "key": str(size.side),
            "name": f"{size.side} px",
            "formula": f"T = {size.tokens:,}",
            "cells": [
                f"{size.macs:,}",
                f"{size.ratio:.3f}",
                "–" if measured is None else f"{measured:.3f}",
                "–" if measured is None else f"{measured / size.ratio:.2f}",
            ],
        }

    def _verdict(self) -> str:
        ratios, half = self.ratios(), min(self.sizes(), key=lambda size: abs(size.ratio - 0.5))
        spread = max(one.slowest / one.fastest for one in self._found.values())
        noise = (
            f" The slowest pass of a size took up to {spread:.1f} times as long as its fastest: other work on the"
            " machine shows too."
            if spread > 1.3
            else ""
        )
        return (
            f"At {half.side} px there are {half.ratio:.3f} times the multiply-adds of {self._base(self.sizes())}, and a"
            f" pass took {ratios[half.side]:.3f} times as long, on this machine, just now.{noise}"
        )

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """The sizes with their counted ratios, and the measured ones where there are any."""
        ratios = self.ratios()
        if not self.sizes():
            return Description(self._refusal(), [])
        rows = [
            (
                f"{size.side} px, T = {size.tokens:,}",
                f"counted {size.ratio:.3f}, "
                + (f"measured {ratios[size.side]:.3f}" if size.side in ratios else "not measured yet"),
            )
            for size in self.sizes()
        ]
        return Description(
            f"{self._title} at {len(rows)} sizes, relative to {self._base(self.sizes())}. "
            + (self._verdict() if self._all_seen else "Not all of them are measured yet."),
            rows,
        )

    def still(self) -> Figure:
        """The counted ratios. A time that was measured somewhere else would say nothing here."""
        from widgets.counting.ledger_still import table_still

        return table_still(
            f"{self._title}: counted ratios, to be measured on your machine",
            [
                (f"{size.side} px, T = {size.tokens:,}", f"{size.ratio:.3f} times the multiply-adds")
                for size in self.sizes()
            ]
            or [("", self._refusal())],
        )
