"""GELU, its tanh form and ReLU, and where a real model's own pre-activations lie on their axis (chapter 07)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param
import torch

from widgets.common.number_formats import fixed
from widgets.experiments.kept_pass import Reading, read
from widgets.kit import stills
from widgets.kit.answering import draws
from widgets.kit.picture_widget import PictureWidget
from widgets.kit.widget import Description
from widgets.model.activation import ACTIVATIONS, curve, loud, lowest_of_gelu, widest_gap
from widgets.model.patches import token_name
from widgets.model.stream import stream
from widgets.parts import MatrixView, Part, Plot, Series, controls

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.model.stream import Stream

AXIS = (-5.0, 3.0)
PLACES = (-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0)  # where the values stand in the table
STEP, BIN = 0.05, 0.2
LEFT = 62  # pixels before the axes of both plots, so that one stands under the other
LOUD = 0.1  # what GELU gives, of either sign, beyond which a number counts as heard
LOOKS = {"GELU": ("accent", False), "GELU, tanh form": ("key", True), "ReLU": ("value", False)}
WHOSE = {"all tokens": "all", "the class token": "class", "the token you follow": "followed"}


class ActivationPlot(PictureWidget):
    """Three activations with their slopes, over a histogram of what the chosen layer feeds into its own."""

    title = "Point at the curve"
    summary = "GELU against ReLU, and where on that axis a trained model's own numbers lie."
    offers = ("layer",)

    show = param.Selector(default="value", objects=["value", "slope"], doc="what the upper plot draws")
    tokens = param.Selector(default="all", objects=list(WHOSE.values()), doc="whose pre-activations are counted")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.reading: Reading | None = None
        self._measured: Stream | None = None
        self._curves = Plot(
            title="Three activations", x_label="pre-activation a", y_label="f(a)", x_range=AXIS, height=280, left=LEFT
        )
        self._values = MatrixView(
            title="The three at nine places",
            symbol="f",
            row_name="function",
            column_name="place a",
            follow=False,
            digits=4,
        )
        self._histogram = Plot(
            x_label="pre-activation a",
            y_label="share of the numbers",
            x_range=AXIS,
            height=190,
            left=LEFT,
            title="Where the model's own numbers lie on that axis",
        )
        self._shares = Plot(
            title="How many are positive, layer by layer",
            x_label="layer",
            y_label="share above 0",
            y_range=(0, 1),
            height=220,
            tappable=True,
        )
        self._draw_curves()
        self.draw_with(self._read)
        self.param.watch(self._draw_curves, ["show"])
        self.param.watch(self._draw_numbers, ["tokens"])
        self.selection.param.watch(self._draw_numbers, ["layer", "token"])
        self._shares.param.watch(self._layer_chosen, "tapped")

    # what is shown, as arrays -----------------------------------------------------------------------------

    @property
    def layer(self) -> int:
        """The layer that is shown, from 0."""
        return min(self.selection.layer, len(self.reading.trace.layers) - 1)

    @property
    def token(self) -> int | None:
        """The row of z whose numbers are counted; None for all."""
        rows = self.reading.trace.z0.shape[1]
        return {"all": None, "class": 0, "followed": min(self.selection.token, rows - 1)}[self.tokens]

    def pre_activations(self) -> np.ndarray:
        """What goes into the layer's activation: float32 (T, D_ff), or (1, D_ff) for one token."""
        numbers = self.reading.trace.layers[self.layer].pre_activation[0].numpy()
        return numbers if self.token is None else numbers[self.token][None]

    def positive(self) -> np.ndarray:
        """Share of the pre-activations above 0 in every layer: (L,), for the tokens that are counted."""
        shares = self._measured.positive  # (T, L)
        return shares.mean(0) if self.token is None else shares[self.token]

    def loud(self) -> float:
        """Share of the pre-activations for which GELU gives more than LOUD, of either sign."""
        return loud(torch.from_numpy(self.pre_activations()), LOUD)

    def histogram(self) -> tuple[np.ndarray, np.ndarray]:
        """Middles of the bins on the axis, and the share of all numbers that lies in each."""
        edges = np.linspace(*AXIS, round((AXIS[1] - AXIS[0]) / BIN) + 1)
        numbers = self.pre_activations()
        counts, _ = np.histogram(numbers, edges)
        return (edges[:-1] + edges[1:]) / 2, counts / numbers.size

    def values(self) -> np.ndarray:
        """The activations (rows) at PLACES (columns): (3, 9)."""
        return np.stack([getattr(curve(name, np.array(PLACES)), self.show) for name in ACTIVATIONS])

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        draw = {"values": "value", "slopes": "slope"}
        bar = self.bar(
            controls.choice(self.param.tokens, "Count the numbers of", WHOSE, width=190),
            controls.radio(self.param.show, "Draw", draw),
        )
        shares = pn.Column(self._shares, margin=0, styles={"flex": "1 1 260px", "min-width": "0"})
        values = pn.Column(self._values, margin=0, styles={"flex": "0 1 700px", "min-width": "0"})
        return self.stacked(
            bar, self._curves, self._histogram, pn.FlexBox(shares, values, gap="24px", align_items="flex-start"), gap=16
        )

    def _draw_curves(self, *_: Any) -> None:
        x = np.round(np.linspace(*AXIS, round((AXIS[1] - AXIS[0]) / STEP) + 1), 9)
        drawn = {name: curve(name, x) for name in ACTIVATIONS}
        series = [
            Series(
                name,
                x,
                getattr(c, self.show),
                "line",
                LOOKS[name][0],
                LOOKS[name][1],
                labels=[
                    f"{name} of {fixed(at, 2)}: {fixed(value, 4)}, slope {fixed(slope, 3)}"
                    for at, value, slope in zip(*c, strict=True)
                ],
            )
            for name, c in drawn.items()
        ]
        lowest, gap = lowest_of_gelu(), widest_gap()
        caption = (
            f"Dotted: GELU is lowest at a = {fixed(lowest.x, 3)}, where it is {fixed(lowest.value, 3)}. Its exact and"
            f" its tanh form are never more than {gap.value:.5f} apart, at a = ±{gap.x:.2f}, so their curves cover one"
            " another. ReLU has no slope at 0; torch takes 0 there."
        )
        self._curves.update(series, vertical=[(lowest.x, "")], caption=caption)
        self._values.param.update(
            symbol={"value": "f", "slope": "f′"}[self.show],
            row_heads=["GELU", "tanh form", "ReLU"],
            column_heads=[fixed(x, 1) for x in PLACES],
            **MatrixView.matrix(self.values()),
        )

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._histogram, self._shares]

    @draws
    def _read(self, *_: Any) -> None:
        self.reading = read(self.selection.checkpoint, self.choice.picture)
        self._measured = stream(self.reading.trace)
        self._draw_numbers()

    def _draw_numbers(self, *_: Any) -> None:
        if self._measured is None or self.not_drawn:
            return
        at, shares = self.histogram()
        below = at < 0
        series = [
            Series(
                name,
                at[part],
                shares[part],
                "bars",
                hue,
                labels=[
                    f"{fixed(x - BIN / 2, 1)} to {fixed(x + BIN / 2, 1)}: {share:.2%} of the numbers"
                    for x, share in zip(at[part], shares[part], strict=True)
                ],
                width=BIN,
            )
            for name, part, hue in (("negative", below, "muted"), ("positive", ~below, "accent"))
        ]
        self._histogram.update(series, status="ready", message="", caption=self._histogram_caption(1 - shares.sum()))
        places = np.arange(1, len(self.positive()) + 1)
        rows = [(self._who(), self.positive(), "accent")]
        if self.token != 0 and self.reading.trace.prefix:
            rows.append(("the class token", self._measured.positive[0], "class"))
        self._shares.update(
            [
                Series(
                    name,
                    places,
                    of,
                    "bars" if i == 0 else "dots",
                    hue,
                    width=0.7,
                    labels=[
                        f"layer {n}, {name}: {share:.1%} are positive" for n, share in zip(places, of, strict=True)
                    ],
                )
                for i, (name, of, hue) in enumerate(rows)
            ],
            vertical=[(self.layer + 1, "")],
            status="ready",
            message="",
            caption=(
                f"The dotted line marks layer {self.layer + 1}. Click another to go there. Random weights give about"
                " one half."
            ),
        )

    def _who(self) -> str:
        if self.token is None:
            return "all tokens"
        return token_name(self.token, self.reading.trace.prefix)

    def _histogram_caption(self, outside: float) -> str:
        numbers = self.pre_activations()
        return (
            f"Layer {self.layer + 1}, {self._who()}: {numbers.size:,} numbers, {self.positive()[self.layer]:.1%} of"
            f" them positive. For {self.loud():.1%}, GELU gives more than {LOUD} or less than −{LOUD}. They go from"
            f" {fixed(float(numbers.min()), 1)} to {fixed(float(numbers.max()), 1)}; {outside:.1%} lie off this axis."
            f" {self.reading.caption}"
        )

    # what changes -----------------------------------------------------------------------------------------

    def _layer_chosen(self, event: param.parameterized.Event) -> None:
        if event.new[1] >= 0:
            self.selection.layer = event.new[1]

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """The layer's share of positive numbers, and the activations at nine places."""
        if self.not_drawn or self._measured is None:
            return Description(self.not_drawn, [])
        shares = self.positive()
        sentence = (
            f"In layer {self.layer + 1} of {self.reading.checkpoint.title}, {self.reading.picture.named},"
            f" {shares[self.layer]:.1%} of the pre-activations of {self._who()} are positive; over all layers"
            f" {shares.min():.1%} to {shares.max():.1%}."
        )
        said = {"value": "value", "slope": "slope"}[self.show]
        rows = [
            (
                f"{said} at a = {fixed(x, 1)}",
                f"GELU {fixed(gelu, 4)}, tanh form {fixed(tanh, 4)}, ReLU {fixed(relu, 1)}",
            )
            for x, (gelu, tanh, relu) in zip(PLACES, self.values().T, strict=True)
        ]
        rows.append(
            (f"GELU gives more than {LOUD} or less than −{LOUD}", f"for {self.loud():.1%} of the layer's numbers")
        )
        return Description(sentence, rows)

    def still(self) -> Figure:
        """The curves over the histogram of the layer's own numbers."""
        if self._measured is None:
            return stills.sentence(self.not_drawn)
        x = np.linspace(*AXIS, 401)
        lines = [(name, x, getattr(curve(name, x), self.show), *LOOKS[name]) for name in ACTIVATIONS]
        return stills.activations(
            lines,
            *self.histogram(),
            f"layer {self.layer + 1}, {self._who()}: {self.positive()[self.layer]:.1%} positive",
        )
