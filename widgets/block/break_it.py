"""Break it: switch on a real mistake and see what the running model makes of it (every chapter's "break it")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from widgets.block.cosine_line import cosine_line, spread
from widgets.common.number_formats import fixed
from widgets.kit import stills
from widgets.kit.answering import draws
from widgets.kit.picture_widget import PictureWidget
from widgets.kit.widget import Description
from widgets.model.faults import FAULTS
from widgets.parts import NumberTable, Part, PictureGrid, controls

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.experiments.fault_effects import Damage

RIGHT = "none"


class BreakIt(PictureWidget):
    """One of a list of mistakes, on or off, on the real model: what it now reads, and what becomes of y."""

    title = "Break it"
    summary = "Switch on a mistake from real code. Nothing crashes; see what the model's answer is worth."

    faults = param.List(["view_instead_of_cut", "wrong_normalisation"], item_type=str, doc="names from model.faults")
    fault = param.String(RIGHT, doc="the mistake that is on, or none")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._grid = PictureGrid(title="What the model now reads", follow=False)
        self._table = NumberTable(title="What becomes of y")
        self._line = controls.words("", sizing_mode="stretch_width")
        self._words = controls.words("", sizing_mode="stretch_width")
        self.draw_with(self._redraw, "fault", "faults")

    def options(self) -> dict[str, str]:
        """Shown name -> fault, "nothing" first."""
        return {"nothing: as it should be": RIGHT} | {FAULTS[name].title: name for name in self.faults}

    def damage(self) -> Damage:
        """What the mistake does to this picture on this checkpoint.

        Raises CheckpointMissing or ValueError with a sentence when it cannot be computed.
        """
        from widgets.experiments.fault_effects import damage

        return damage(self.selection.checkpoint, self.choice.picture, () if self.fault == RIGHT else (self.fault,))

    def __panel__(self) -> pn.viewable.Viewable:
        bar = self.bar(
            controls.choice(self.param.fault, "The mistake", self.options(), width=280),
        )
        left = pn.Column(self._grid, styles={"flex": "1 1 260px", "max-width": "336px", "min-width": "0"}, margin=0)
        right = pn.Column(
            self._table,
            self._line,
            self._words,
            styles={"flex": "1 1 340px", "min-width": "0", "gap": "12px"},
            margin=0,
        )
        return self.stacked(bar, pn.FlexBox(left, right, gap="24px"), gap=12)

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._grid]

    @draws
    def _redraw(self, *_: Any) -> None:
        damage = self.damage()
        picture = self.choice.picture
        self._grid.param.update(
            status="ready",
            message="",
            patch_size=damage.patch_size,
            alt=f"{picture.title}, as the model reads it. {self._explanation()}",
            caption=f"{picture.title}, {self._how(damage)} {damage.provenance}",
            **PictureGrid.picture(damage.seen),
        )
        self._table.fixed = self._rows(damage)
        self._line.param.update(
            visible=bool(damage.others), object=cosine_line(damage.cosine, damage.others) if damage.others else ""
        )
        same = self.fault != RIGHT and damage.largest_change == 0
        here = " On this picture, through this model, it changes nothing: choose another." if same else ""
        self._words.object = controls.status(f"{self._explanation()}{here}")

    @staticmethod
    def _how(damage: Damage) -> str:
        if damage.by_position:
            return (
                "each patch moved to where its position says it is: the right position that the given one is most like."
                " Grey where no patch is told to be."
            )
        return "put together again from the patches that go in."

    def _rows(self, damage: Damage) -> list[tuple[str, str]]:
        return [
            ("errors raised", "none"),
            ("shape of y", " × ".join(map(str, damage.shape))),
            ("first numbers of y", ", ".join(fixed(number) for number in damage.begins)),
            ("cosine of y with the right y", fixed(damage.cosine)),
            *self._yardstick(damage),
            ("largest change of a number of y", f"{damage.largest_change:.3f}"),
            ("largest number of the right y", f"{damage.largest:.3f}"),
            ("picture with the nearest right y", damage.nearest),
        ]

    @staticmethod
    def _yardstick(damage: Damage) -> list[tuple[str, str]]:
        """How alike another picture's y is when nothing is wrong: the most and the least alike of the samples."""
        if not damage.others:
            return []
        ends = {"most alike": damage.others[0], "least alike": damage.others[-1]}
        return [
            (f"another picture’s right y: {which}", f"{fixed(cosine)}, {title}")
            for which, (title, cosine) in ends.items()
        ]

    def _explanation(self) -> str:
        if self.fault == RIGHT:
            return "Everything is as it should be. Choose a mistake above."
        return f"{FAULTS[self.fault].seen} {FAULTS[self.fault].unseen}"

    def describe(self) -> Description:
        """The mistake and what it does, in words."""
        damage = self.damage()
        title = self.choice.picture.title
        if self.fault == RIGHT:
            return Description(f"{title} through {damage.title} with no mistake switched on.", self._rows(damage))
        sentence = (
            f"{FAULTS[self.fault].title}, on {title} through {damage.title}: no error, the same shape, and y keeps a"
            f" cosine of {fixed(damage.cosine)} with what it should be. For comparison, with no mistake:"
            f" {spread(damage.others)}."
        )
        return Description(sentence, self._rows(damage))

    def still(self) -> Figure:
        """The picture as the model reads it under each mistake, with the cosine of y."""
        from widgets.experiments.fault_effects import damage

        found = [
            (name, damage(self.selection.checkpoint, self.choice.picture, () if name == RIGHT else (name,)))
            for name in (RIGHT, *self.faults)
        ]
        others = next((d.others for _, d in found if d.others), ())
        right = (
            f"As it should be\nother pictures’ y: {fixed(others[-1][1], 2)} to {fixed(others[0][1], 2)}"
            if others
            else "As it should be"
        )
        return stills.pictures_in_a_row(
            [
                (np.asarray(d.seen), right if n == RIGHT else f"{FAULTS[n].title}\ncosine of y: {fixed(d.cosine, 2)}")
                for n, d in found
            ]
        )
