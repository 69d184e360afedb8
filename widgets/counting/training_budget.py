"""What a training run costs: exaFLOPs, device-days and utilisation, beside what the paper prints (chapter 09)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.common.number_formats import digits
from widgets.counting.budget import FIELDS, Run, changed, peaks, printed_core_days, runs, typed
from widgets.counting.calculator_settings import SettingRefused
from widgets.kit.widget import TEXT_COLOURS, Description, Widget
from widgets.model import count
from widgets.model.costs import WAYS, models, table6
from widgets.parts import FieldSheet, LedgerTable, NumberTable, controls

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OWN = "your own"
NOTES = {
    "images": "JFT: 303 million",
    "classes": "JFT-300M: 18,291 (Sun et al. 2017)",
    "mfu": "of the peak",
    "epochs": "passes over all pictures",
}
NEAR = 0.005  # a difference within this share is called a fit


class TrainingBudget(Widget):
    """A run in exaFLOPs, days on one device and on many; the paper's Table 6 beside the same count, right or wrong."""

    title = "Budget a training run"
    summary = (
        "Set epochs, pictures, a device and how well it is used; read exaFLOPs and days, and check the count against"
        " the paper's own table."
    )
    still_colours = TEXT_COLOURS

    way = param.Selector(default="right", objects=list(WAYS), doc="how compute is counted: rightly, or with a mistake")
    run = param.ClassSelector(class_=Run, default=Run(), doc="the training run")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._sheet = FieldSheet(self.enter, fold="More: model, pictures, classes, devices")
        self._preset = pn.widgets.Select(label="A row of Table 6", width=210, **controls.PLAIN)
        self._device = pn.widgets.Select(label="Device", width=170, **controls.PLAIN)
        self._numbers = NumberTable(title="This run")
        self._table = LedgerTable(
            title="The paper's Table 6, counted",
            first="model",
            heads=["printed", "counted", "difference"],
            choosable=False,
        )
        self._said = controls.words("", sizing_mode="stretch_width")
        self._show()
        self._preset.param.watch(self._pick, ["value"])
        self._device.param.watch(self._pick_device, ["value"])
        self.param.watch(self._show, ["run", "way"])

    # what is set ------------------------------------------------------------------------------------------

    def enter(self, changes: dict[str, str]) -> None:
        """Take a field as it was typed, or say under it why not; the last good run stays."""
        for field, text in changes.items():
            try:
                run = changed(self.run, field, text)
            except SettingRefused as refused:
                if field in FIELDS:
                    self._sheet.refuse(field, text, str(refused), refused.nearest)
                return
            if run == self.run:
                self._show()
            self.run = run

    def _pick(self, event: param.parameterized.Event) -> None:
        if event.new in runs():
            row = runs()[event.new]
            self.run = Run(
                row.model, row.epochs, row.images, peak=self.run.peak, mfu=self.run.mfu, devices=self.run.devices
            )

    def _pick_device(self, event: param.parameterized.Event) -> None:
        if event.new in peaks():
            self.enter({"peak": f"{peaks()[event.new]}"})

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        way = controls.choice(self.param.way, "Count it as", {text: way for way, (text, _) in WAYS.items()}, width=300)
        bar = controls.row(self._preset, self._device, way)
        left = pn.Column(self._numbers, styles={"flex": "1 1 380px", "min-width": "0"}, margin=0)
        right = pn.Column(
            self._table, self._said, styles={"flex": "1 1 380px", "min-width": "0", "gap": "12px"}, margin=0
        )
        return self.stacked(bar, self._sheet, pn.FlexBox(left, right, gap="28px", align_items="flex-start"), gap=16)

    def _show(self, *_: Any) -> None:
        with pn.io.hold():
            self._sheet.show(self._fields())
            preset = next(
                (
                    title
                    for title, run in runs().items()
                    if (run.model, run.epochs, run.images, run.classes)
                    == (self.run.model, self.run.epochs, self.run.images, self.run.classes)
                ),
                OWN,
            )
            device = next((name for name, peak in peaks().items() if peak == self.run.peak), OWN)
            for select, value, names in ((self._preset, preset, [*runs()]), (self._device, device, [*peaks()])):
                select.param.update(options=names if value in names else [OWN, *names], value=value)
            self._numbers.param.update(
                fixed=self.rows(),
                caption=(
                    f"{models()[self.run.model][0]} at {self.run.shape.image_size} px. A device-day is one device for"
                    " one day."
                ),
            )
            self._table.param.update(
                lines=self._lines(),
                caption=(
                    "Count: 303 million pictures, 18,291 classes, 224 px. Printed: exaFLOPs in Table 6 of the paper."
                ),
            )
            self._said.object = f'<p role="status" style="margin:0;color:var(--vit-ink)">{self._verdict()}</p>'

    def _fields(self) -> list[dict[str, Any]]:
        front = ("epochs", "peak", "mfu")
        model = {
            "key": "model",
            "symbol": "",
            "name": "Model",
            "value": self.run.model,
            "options": [[name, title] for name, (title, _) in models().items()],
            "note": "",
            "more": True,
        }
        rest = [
            {
                "key": field,
                "symbol": "",
                "name": FIELDS[field][0],
                "value": typed(self.run, field),
                "options": [],
                "note": NOTES.get(field, ""),
                "more": field not in front,
            }
            for field in (*front, "images", "classes", "devices")
        ]
        return [*rest[: len(front)], model, *rest[len(front) :]]

    def rows(self) -> list[tuple[str, str]]:
        """The run's numbers, each with its name."""
        run, macs = self.run, count.macs(self.run.shape)["total"]
        exaflops, days = run.exaflops(self.way), run.device_days(self.way)
        rows = [
            ("multiply-adds of a picture, forward", f"{macs:,}"),
            ("FLOPs of a picture in training", f"{exaflops * 1e18 / (run.epochs * run.images):,.0f}"),
            ("pictures seen", f"{run.epochs * run.images:,.0f}"),
            ("compute of the run", f"{digits(exaflops, 4)} exaFLOPs"),
            ("device-days", digits(days, 4)),
            (f"days on {run.devices:,.0f} device{'s' if run.devices != 1 else ''}", digits(days / run.devices, 4)),
        ]
        printed = printed_core_days(run.model)
        if (
            printed
            and run.epochs in (7, 14)
            and any(known.model == run.model and known.epochs == run.epochs for known in runs().values())
        ):
            share = count.implied_mfu(exaflops, printed, peaks()["a TPU v3 core"])
            rows.append(
                (
                    f"if it takes the {printed:,} TPU v3 core-days of Table 2",
                    f"{100 * share:.1f}% of the peak" + ("" if share <= 1 else ": impossible"),
                )
            )
        return rows

    def _lines(self) -> list[dict[str, Any]]:
        return [
            {
                "key": f"{row.model} {row.epochs}",
                "name": f"ViT-{row.model}, {row.epochs} epochs",
                "formula": "",
                "cells": [f"{row.printed:,}", f"{row.counted:,.1f}", f"{100 * row.difference:+.2f}%".replace("-", "−")],
            }
            for row in table6(self.way)
        ]

    def _verdict(self) -> str:
        rows = table6(self.way)
        near = sum(abs(row.difference) < NEAR for row in rows)
        text, why = WAYS[self.way]
        counted = f"{near} of {len(rows)} rows fit within {100 * NEAR:g}%."
        return (
            f"{counted} {why}"
            if why
            else (
                f"{counted} Only B/32 does not: the count is {100 * rows[0].difference:.1f}% above what is printed, and"
                " nothing in the paper says why."
            )
        )

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """The run and the table in words."""
        table = [(f"{line['name']}: printed, counted, difference", ", ".join(line["cells"])) for line in self._lines()]
        return Description(
            f"{models()[self.run.model][0]}, {self.run.epochs:,.7g} epochs over {self.run.images:,.0f} pictures,"
            f" counted as: {WAYS[self.way][0]}. {digits(self.run.exaflops(self.way), 4)} exaFLOPs. {self._verdict()}",
            [*self.rows(), *table],
        )

    def still(self) -> Figure:
        """The table, printed beside counted."""
        from widgets.counting.ledger_still import table_still

        return table_still(
            f"Table 6 counted as: {WAYS[self.way][0]}",
            [(line["name"], "printed {}, counted {}, {}".format(*line["cells"])) for line in self._lines()],
        )
