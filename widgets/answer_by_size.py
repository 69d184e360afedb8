"""What becomes of y at other sizes of the picture, with the position table interpolated, cut off and left out."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.model.amounts import fixed
from widgets.page import size_answers
from widgets.page.model_choice import ModelChoice
from widgets.page.picture_choice import PictureChoice
from widgets.parts import MatrixView, NumberTable, Part, Plot, controls
from widgets.widget import Description, Widget

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.model.checkpoints import Checkpoint
    from widgets.model.other_sizes import SizeAnswer

RUN, STOP = "Run the sizes", "Stop"


class AnswerBySize(Widget):
    """One picture at several sizes, a forward pass each when it is asked for, and the cosine of its y with that of the usual size.

    A view of `PositionInterpolation`, which shows it and its words.
    """

    runs = param.Integer(0, bounds=(0, None), doc="how often the sizes were run to the end")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.choice, self._model = PictureChoice(selection=self.selection), ModelChoice(selection=self.selection)
        self._run = controls.button(RUN, self._pressed)
        self._status = pn.pane.HTML("", **{**controls.LOOK, "margin": 0, "sizing_mode": "stretch_width"})
        self._parts = self._make_parts()
        self._known: tuple[str, str] | None = None   # checkpoint and picture of the run on the page
        self._found: list[SizeAnswer] = []
        self._running = 0                            # counts up, so that a run that was left behind notices
        self._stale()
        self.selection.param.watch(self._stale, ["picture", "upload", "checkpoint"])

    # what is shown, as arrays -----------------------------------------------------------------------------

    def checkpoint(self) -> Checkpoint:
        """The model chosen. Raises CheckpointMissing or ValueError with a sentence."""
        from widgets.model.checkpoints import at_hand

        return at_hand(self.selection.checkpoint)

    def answers(self) -> list[SizeAnswer]:
        """y of the picture at every size, with the table interpolated, cut off and left out. Seconds, unless it was run before."""
        from widgets.model.other_sizes import answers

        return list(answers(self.selection.checkpoint, self.choice.picture))

    def by_resize(self) -> tuple[dict[str, float], int]:
        """Cosine of y with that of the library's way, for every way to interpolate; and the size, px, at which it was run."""
        from widgets.model.other_sizes import by_resize

        side = self._compared_side()
        return by_resize(self.selection.checkpoint, self.choice.picture, side), side

    def _compared_side(self) -> int:
        from widgets.model.library import weights_of

        w = weights_of(self.checkpoint().model)
        return 224 if min(w.grid) * w.patch_size != 224 else 24 * w.patch_size

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        bar = pn.FlexBox(*self.choice.controls, *self._model.controls, self._run, align_items="flex-end", margin=0)
        flex = {"plot": "1 1 420px", "sizes": "0 1 380px", "by_resize": "0 1 420px"}
        below = [pn.Column(self._parts[name], margin=0, styles={"flex": of, "min-width": "0"}) for name, of in flex.items()]
        return pn.Column(bar, self._status, pn.FlexBox(*below, gap="32px", align_items="flex-start"), margin=0, styles={"gap": "16px"},
                         sizing_mode="stretch_width")

    def _make_parts(self) -> dict[str, Part]:
        plot = Plot(title="Does the model still say the same?", x_label="shorter side of the picture, px",
                    y_label="cosine of y with the reference", x_range=(90, 540), y_range=(-0.1, 1.05), height=300)
        plot.update(size_answers.series([]))   # the lines are there before the page is: a run only moves their points
        return {"plot": plot,
                "sizes": MatrixView(title="The same numbers", symbol="cosine", row_name="size", column_name="table", follow=False),
                "by_resize": NumberTable(title="And the way it is interpolated?")}

    def _stale(self, *_: Any) -> None:
        """Another picture or model: what is on the page belongs to the last one, so it goes."""
        if self._known == self._asked():
            return
        self._running += 1
        self._found, self._known = [], None
        self._run.param.update(label=RUN, disabled=False)
        try:
            from widgets.model.other_sizes import passes

            count = len(passes(self.selection.checkpoint, self.choice.picture))
        except (RuntimeError, ValueError) as refusal:
            self._refuse(str(refusal))
            return
        self._say(f"{count} forward passes of {self.choice.picture.title}, up to the size of the model's own table: seconds to a minute."
                  f" Press “{RUN}”.")
        for name in ("plot", "sizes", "by_resize"):
            self._parts[name].param.update(status="empty", visible=name == "plot", message="Nothing has been run yet.")

    def _asked(self) -> tuple[str, str]:
        return self.selection.checkpoint, f"{self.choice.picture.name} {id(self.choice.picture)}"

    def _refuse(self, sentence: str) -> None:
        self._run.disabled = True
        self._say(sentence, "wrong")

    def _say(self, sentence: str, hue: str = "ink") -> None:
        self._status.object = f'<p role="status" style="margin:0;color:var(--vit-{hue})">{sentence}</p>'

    async def _pressed(self, *_: Any) -> None:
        """Run pass after pass in a thread, and show each as it comes: the page stays alive. A second press stops."""
        from widgets.model.other_sizes import answer, passes

        self._running += 1
        if self._run.label == STOP:
            self._run.label = RUN
            self._say(f"Stopped after {len(self._found)} passes. What was computed is kept for the next run.")
            return
        mine, name, picture, asked = self._running, self.selection.checkpoint, self.choice.picture, self._asked()
        self._found, self._run.label = [], STOP
        try:
            todo = passes(name, picture)
            for done, (way, side) in enumerate(todo):
                self._say(f"Pass {done + 1} of {len(todo)}: {side} px, positions {size_answers.shown(way)} …")
                found = await asyncio.to_thread(answer, name, picture, way, side)
                if mine != self._running:
                    return
                self._found.append(found)
                self._draw()
            self._say("Last passes: the other ways to interpolate …")
            by_resize, side = await asyncio.to_thread(self.by_resize)
            if mine == self._running:
                self._finish(by_resize, side, asked)
        except (RuntimeError, ValueError) as refusal:
            self._run.label = RUN
            self._say(str(refusal), "wrong")

    def _finish(self, by_resize: dict[str, float], side: int, asked: tuple[str, str]) -> None:
        self._known = asked
        self._run.label = RUN
        self._parts["by_resize"].param.update(
            status="ready", message="", visible=True, fixed=[(way, fixed(value, 4)) for way, value in by_resize.items()],
            caption=f"Cosine of y with the y of the library's way (bicubic), shorter side {side} px.")
        self._say(self._verdict())
        self.runs += 1   # the words follow

    def _draw(self) -> None:
        found = self._found
        with pn.io.hold():
            self._parts["plot"].update(size_answers.series(found), status="ready", message="",
                                       caption=f"{self.choice.picture.title}, {self._model_said()} The reference is y at"
                                               f" {size_answers.size(found[0])}, interpolated.")
            self._parts["sizes"].param.update(status="ready", message="", visible=True, **size_answers.cells(found))

    def _verdict(self) -> str:
        random = " With random weights positions hardly matter: nothing was trained to read them." if self.checkpoint().is_random else ""
        return size_answers.verdict(self._found) + random

    def _model_said(self) -> str:
        checkpoint = self.checkpoint()
        return f"read by {checkpoint.title}{', which is random and was never trained' if checkpoint.is_random else ''}."

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """y at every size that was run."""
        try:
            read = self._model_said()
        except (RuntimeError, ValueError) as refusal:
            return Description(str(refusal), [])
        if not self._found:
            return Description(f"{self.choice.picture.title} at several sizes, {read} Nothing has been run yet.", [])
        rows = size_answers.rows(self._found)
        return Description(f"{self.choice.picture.title}, {read} {self._verdict()}", rows)

    def still(self) -> Figure:
        """The cosines by size; the passes are run if they were not."""
        from widgets.page import position_still

        self._found = self.answers()
        lines = {size_answers.shown(way): [(min(a.image_size), a.cosine) for a in size_answers.ordered(self._found, way) if a.cosine is not None]
                 for way in size_answers.HUES}
        return position_still.sizes(lines, size_answers.HUES, f"{self.choice.picture.title}, {self._model_said()}")
