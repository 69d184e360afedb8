"""Say the shape of every tensor of a forward pass before it is shown (chapter 09)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.counting.shape_guess import CASES, amount, judge, stages, written
from widgets.kit.widget import TEXT_COLOURS, Description, Widget
from widgets.model.shape_trace import Stage
from widgets.parts import FieldSheet, LedgerTable, controls

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNKNOWN = "?"
INVITATION = "Type the sides one after another, with commas or spaces, and press Enter."
FORGET, REVEAL = "Start again", "Show this one"


class TensorTracer(Widget):
    """The walk of a batch through a model: the reader types each tensor's shape, and is told what a wrong one mixes
    up."""

    title = "Say the shape first"
    summary = (
        "Five models and sizes: type the shape of each tensor on the way. A wrong one is answered by what was mixed up."
    )
    still_colours = TEXT_COLOURS

    case = param.Integer(0, bounds=(0, len(CASES) - 1), doc="which model, size and batch")
    asked = param.Integer(0, bounds=(0, None), doc="which tensor of the walk is asked for, from 0")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.known: dict[int, bool] = {}  # stage -> whether the reader said it (else it was shown)
        self.tries: dict[int, int] = {}
        self._sheet = FieldSheet(self.enter)
        self._walk = LedgerTable(first="tensor", heads=["shape", "numbers"])
        self._said = controls.words("", sizing_mode="stretch_width")
        self._reveal = controls.button(REVEAL, self.reveal)
        self._again = controls.button(FORGET, self.forget)
        self._verdict = ""
        self._show()
        self._walk.param.watch(
            lambda event: setattr(self, "asked", int(event.new)) if event.new.isdecimal() else None, ["chosen"]
        )
        self.param.watch(self.forget, ["case"])
        self.param.watch(self._ask, ["asked"])

    # what the reader does ---------------------------------------------------------------------------------

    @property
    def walk(self) -> list[Stage]:
        """The tensors of this case."""
        return stages(self.case)

    @property
    def now(self) -> int:
        """The tensor that is asked for: never behind the last."""
        return min(self.asked, len(self.walk) - 1)

    def enter(self, changes: dict[str, str]) -> None:
        """Judge what was typed; a right shape is written into the walk, and the next open one is asked for."""
        typed, place = str(changes.get("shape", "")), self.now
        if not typed.strip() and place in self.known:
            return
        verdict = judge(typed, self.case, place)
        self.tries[place] = self.tries.get(place, 0) + 1
        if not verdict.right:
            self._verdict = ""
            self._say()
            self._sheet.refuse("shape", typed[:80], verdict.sentence, [])
            return
        self.known.setdefault(place, True)
        self._next(verdict.sentence)

    def reveal(self, *_: Any) -> None:
        """Write the asked shape into the walk without the reader's answer."""
        stage = self.walk[self.now]
        self.known.setdefault(self.now, False)
        self._next(f"{stage.symbol} is {stage.symbols} = {written(stage.dims)}: {amount(stage)}.")

    def forget(self, *_: Any) -> None:
        """Every shape is asked for again."""
        self.known, self.tries, self._verdict = {}, {}, ""
        with param.parameterized.discard_events(self):
            self.asked = 0
        self._show()
        self.param.trigger("asked")

    def _next(self, sentence: str) -> None:
        self._verdict = sentence
        still_open = [place for place in range(len(self.walk)) if place not in self.known]
        after = [place for place in still_open if place > self.now]
        target = (after or still_open or [self.now])[0]
        with param.parameterized.discard_events(self):
            self.asked = target
        self._show()
        self.param.trigger("asked")  # the words follow, though the place may be the same

    def _ask(self, *_: Any) -> None:
        """Another tensor was chosen in the walk."""
        if self._drawn != self.now:
            self._verdict = ""
            self._show()

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        bar = controls.row(
            controls.choice(
                self.param.case, "Model, size and batch", {title: n for n, (title, _, _) in enumerate(CASES)}, width=320
            ),
            self._reveal,
            self._again,
        )
        return pn.Column(
            bar,
            self._sheet,
            self._said,
            self._walk,
            self.text_twin(),
            sizing_mode="stretch_width",
            max_width=800,
            margin=0,
            styles={"gap": "16px"},
        )

    def _show(self) -> None:
        stage, done = self.walk[self.now], self.now in self.known
        self._drawn = self.now
        with pn.io.hold():
            field = {
                "key": "shape",
                "symbol": "",
                "name": "Its shape, in numbers",
                "value": written(stage.dims) if done else "",
                "options": [],
                "note": "",
                "more": False,
                "text": True,
                "place": [self.case, self.now],
            }  # the place differs, so that the field is emptied
            self._sheet.show(
                [field],
                caption=f"{self.facts()}.",
                title=f"{self.now + 1} of {len(self.walk)}: {stage.symbol}, {stage.step}"
                + (" (in each layer)" if stage.in_each_layer else ""),
            )
            self._reveal.disabled = done
            self._say()
            self._walk.param.update(
                lines=[self._line(n) for n in range(len(self.walk))],
                chosen=str(self.now),
                title=CASES[self.case][0],
                caption=self._caption(),
            )

    def _say(self) -> None:
        self._said.object = controls.status(self._verdict or INVITATION)

    def facts(self) -> str:
        """What the reader needs to know of the model."""
        _, shape, batch = CASES[self.case]
        head = f", {shape.num_labels:,} classes" if shape.num_labels else ", no head"
        return (
            f"{batch} picture{'s' if batch > 1 else ''}, P {shape.patch_size}, D {shape.hidden_size:,}, h"
            f" {shape.num_attention_heads}, D_ff {shape.intermediate_size:,}, a class token{head}"
        )

    def _line(self, place: int) -> dict[str, Any]:
        stage = self.walk[place]
        name = f"{stage.symbol}: {stage.step}"
        if place not in self.known:
            return {"key": str(place), "name": name, "formula": "", "cells": [UNKNOWN, ""]}
        return {
            "key": str(place),
            "name": name,
            "formula": stage.symbols,
            "cells": [written(stage.dims), f"{stage.numbers:,}"],
        }

    def _caption(self) -> str:
        said, first = sum(self.known.values()), sum(self.known[n] and self.tries.get(n) == 1 for n in self.known)
        if not self.known:
            return "Choose any line to be asked for that tensor."
        end = " That was the whole walk." if len(self.known) == len(self.walk) else ""
        return f"{said} of {len(self.walk)} said, {first} at the first try, {len(self.known) - said} shown.{end}"

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """The tensors that are known so far, and the one that is asked for."""
        stage = self.walk[self.now]
        rows = [
            (
                f"{one.symbol}: {one.step}",
                f"{one.symbols} = {written(one.dims)}, {one.numbers:,} numbers" if n in self.known else "not said yet",
            )
            for n, one in enumerate(self.walk)
        ]
        return Description(
            f"{CASES[self.case][0]}: {self.facts()}. Asked for: the shape of {stage.symbol}, {stage.step}.", rows
        )

    def still(self) -> Figure:
        """The walk, with what is known of it."""
        from widgets.counting.ledger_still import table_still

        return table_still(
            CASES[self.case][0],
            [
                (f"{one.symbol}: {one.step}", written(one.dims) if n in self.known else f"{UNKNOWN} = (        )")
                for n, one in enumerate(self.walk)
            ],
        )
