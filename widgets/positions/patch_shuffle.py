"""Shuffle a picture's patches, with positions and without: is the model's answer still the same? (chapter 04)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from widgets.common.number_formats import fixed
from widgets.kit.answering import draws
from widgets.kit.picture_widget import PictureWidget
from widgets.kit.widget import Description
from widgets.parts import NumberTable, Part, PictureGrid, Plot, Series, controls

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.experiments.shuffle import Change, ShuffleResult

ORDERS = {"shuffle all": "shuffle", "swap two": "swap", "rows upside down": "rows"}
WITH, WITHOUT = "with E_pos", "without E_pos"


class ShuffleTest(PictureWidget):
    """A picture and its patches in another order, through the real model with its positions and without them."""

    title = "Shuffle the patches"
    summary = "Put the patches of a picture in another order. Without positions the model cannot tell."

    order = param.Selector(default="shuffle", objects=list(ORDERS.values()), doc="how the patches change places")
    seed = param.Integer(0, bounds=(0, 999), doc="of the draw of places")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._before = PictureGrid(title="As it is", follow=False)
        self._after = PictureGrid(title="In another order", follow=False)
        self._plot = Plot(
            title="How far every number of y moves",
            x_label="y of the picture as it is",
            y_label="change in the other order",
            height=300,
        )
        self._tables = {
            name: NumberTable(title=title)
            for name, title in ((WITH, "With its positions"), (WITHOUT, "Zeros in place of E_pos"))
        }
        self._again = controls.button("Draw again", self._draw_again)
        self._words = controls.words("", sizing_mode="stretch_width")
        self.draw_with(self._redraw, "order", "seed")

    def result(self) -> ShuffleResult:
        """What the model answers to both orders. Raises CheckpointMissing or ValueError with a sentence."""
        from widgets.experiments.shuffle import shuffle_test

        return shuffle_test(self.selection.checkpoint, self.choice.picture, self.order, self.seed)

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        orders = controls.radio(self.param.order, "Order of the patches", ORDERS)
        bar = self.bar(orders, self._again)
        pictures = [
            pn.Column(part, styles={"flex": "1 1 220px", "max-width": "300px", "min-width": "0"}, margin=0)
            for part in (self._before, self._after)
        ]
        plot = pn.Column(self._plot, styles={"flex": "1 1 320px", "max-width": "440px", "min-width": "0"}, margin=0)
        tables = [
            pn.Column(part, styles={"flex": "1 1 320px", "min-width": "0"}, margin=0) for part in self._tables.values()
        ]
        return self.stacked(
            bar,
            pn.FlexBox(*pictures, plot, gap="20px", align_items="flex-start"),
            self._words,
            pn.FlexBox(*tables, gap="32px", align_items="flex-start"),
            gap=16,
            wide=True,
        )

    def _draw_again(self, *_: Any) -> None:
        self.seed = (self.seed + 1) % 1000

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._before]

    @draws
    def _redraw(self, *_: Any) -> None:
        self._again.disabled = self.order == "rows"  # nothing is drawn there
        result = self.result()
        picture, moved = self.choice.picture, np.flatnonzero(result.order != range(len(result.order))).tolist()
        marked = moved if self.order == "swap" else []  # two among hundreds cannot be found by eye
        with pn.io.hold():
            self._before.param.update(
                status="ready",
                message="",
                marked=marked,
                patch_size=result.patch_size,
                alt=picture.alt,
                caption=f"{picture.title}, {len(result.order):,} patches of {result.patch_size} px.",
                **PictureGrid.picture(result.picture),
            )
            self._after.param.update(
                marked=marked,
                patch_size=result.patch_size,
                alt=f"{picture.title} with its patches in another order.",
                caption=f"{len(moved):,} of the patches stand elsewhere{outlined(marked)}.{self._drawn()}",
                **PictureGrid.picture(result.reordered),
            )
            self._plot.update(
                self._series(result),
                caption=(
                    "One dot a number of y. On the line at 0 nothing has changed. The scale fits the largest change."
                ),
            )
            for name, change in self._changes(result).items():
                self._tables[name].fixed = self._rows(change)
            self._words.object = controls.status(f"{self._sentence(result)} {result.provenance}")

    def _drawn(self) -> str:
        return "" if self.order == "rows" else f" Drawn at random, draw {self.seed}."

    @staticmethod
    def _changes(result: ShuffleResult) -> dict[str, Change]:
        return {WITH: result.with_positions, WITHOUT: result.without}

    def _series(self, result: ShuffleResult) -> list[Series]:
        changes = self._changes(result)
        ends = [float(end(end(c.y[0]) for c in changes.values())) for end in (min, max)]
        hues = {WITH: "position", WITHOUT: "accent"}
        dots = [
            Series(
                name,
                change.y[0].tolist(),
                (change.y[1] - change.y[0]).tolist(),
                kind="dots",
                hue=hues[name],
                labels=[f"{name}: number {i} of y, {fixed(a)}, then {fixed(b)}" for i, (a, b) in enumerate(change.y.T)],
            )
            for name, change in changes.items()
        ]
        return [*dots, Series("no change", ends, [0.0, 0.0], hue="muted", dash=True, labels=["no change"] * 2)]

    @staticmethod
    def _rows(change: Change) -> list[tuple[str, str]]:
        return [
            ("largest change of a number of y", small(change.largest_change)),
            ("largest number of y, as it is", fixed(change.largest)),
            ("cosine of the two y", fixed(change.cosine)),
            ("largest change of a patch's own token", small(change.token_change)),
        ]

    def _sentence(self, result: ShuffleResult) -> str:
        kept, lost = result.with_positions, result.without
        return (
            f"With its positions, {result.title} moves a number of y by up to {small(kept.largest_change)}. Without"
            f" them by {small(lost.largest_change)}, which is rounding: sums of the same numbers in another order."
        )

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """What the other order did to y, with positions and without."""
        result = self.result()
        how = next(shown for shown, order in ORDERS.items() if order == self.order)
        rows = [
            (f"{name}: {what}", value)
            for name, change in self._changes(result).items()
            for what, value in self._rows(change)
        ]
        return Description(
            f"The patches of {self.choice.picture.title}, {how}.{self._drawn()} {self._sentence(result)}", rows
        )

    def still(self) -> Figure:
        """Both pictures, and y before against after, with positions and without."""
        from widgets.positions.position_stills import answers_scattered

        result = self.result()
        return answers_scattered(
            {name: change.y for name, change in self._changes(result).items()}, result.picture, result.reordered
        )


def outlined(patches: list[int]) -> str:
    """Which patches are outlined, as a clause; nothing when none is."""
    return f": patches {' and '.join(map(str, patches))}, outlined" if patches else ""


def small(value: float) -> str:
    """A size as a reader reads it: three decimals, or a number with its power of ten when that would be
    0.000-something."""
    if value == 0 or value >= 1e-2:
        return f"{value:.3f}" if value else "0"
    digits, power = f"{value:.1e}".split("e")
    return f"{digits} × 10" + str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
