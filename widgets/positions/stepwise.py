"""A view whose numbers take seconds to minutes: it runs when it is asked, shows each number as it comes, and can be
stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.kit.answering import in_words
from widgets.kit.model_choice import ModelChoice
from widgets.kit.widget import Widget
from widgets.parts import controls

if TYPE_CHECKING:
    from widgets.checkpoints.loading import Checkpoint

STOP = "Stop"


@dataclass(frozen=True)
class Job:
    """One step of a run: what is said while it lasts, what is called in a thread, and what takes its result."""

    said: str
    call: Callable[[], Any]
    take: Callable[[Any], None]


class Stepwise(Widget):
    """A model, a button, a line that says how far the run is, and the run. A view says what its jobs are, and of what
    they are asked."""

    runs = param.Integer(0, bounds=(0, None), doc="how often it was run to the end")
    run_label = "Run"  # of the button

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._model = ModelChoice(selection=self.selection)
        self._parts: dict[str, Any] = {}  # the plot first: it stands there before a run
        self._run = controls.button(self.run_label, self._pressed)
        self._status = pn.pane.HTML("", **{**controls.LOOK, "margin": 0, "sizing_mode": "stretch_width"})
        self._known: tuple | None = None  # what the run on the page was asked of
        self._found: list[Any] = []
        self._running = 0  # counts up, so that a run that was left behind notices

    def checkpoint(self) -> Checkpoint:
        """The model chosen. Raises CheckpointMissing or ValueError with a sentence."""
        from widgets.checkpoints.loading import at_hand

        return at_hand(self.selection.checkpoint)

    def _model_said(self) -> str:
        checkpoint = self.checkpoint()
        return f"read by {checkpoint.title}{', which is random and was never trained' if checkpoint.is_random else ''}."

    def _if_random(self) -> str:
        """What is to be kept in mind when the model is random; else nothing."""
        return (
            " With random weights positions hardly matter: nothing was trained to read them."
            if self.checkpoint().is_random
            else ""
        )

    def _below(self, inputs: list[pn.viewable.Viewable], flex: dict[str, str]) -> pn.Column:
        """The controls and the button, the line, and the parts side by side, each as wide as `flex` says."""
        bar = controls.row(*inputs, self._run)
        parts = [
            pn.Column(self._parts[name], margin=0, styles={"flex": of, "min-width": "0"}) for name, of in flex.items()
        ]
        return pn.Column(
            bar,
            self._status,
            pn.FlexBox(*parts, gap="32px", align_items="flex-start"),
            margin=0,
            styles={"gap": "16px"},
            sizing_mode="stretch_width",
        )

    def _clear(self) -> None:
        """No numbers: the first part says so, the others are not there."""
        for place, part in enumerate(self._parts.values()):
            part.param.update(status="empty", visible=not place, message="Nothing has been run yet.")

    def _asked(self) -> tuple:
        """Of what the numbers are asked: when it changes, they go."""
        raise NotImplementedError

    def _jobs(self) -> list[Job]:
        """The steps, in order. Raises RuntimeError or ValueError with a sentence where there is nothing to run."""
        raise NotImplementedError

    def _verdict(self) -> str:
        """What was found, in a sentence."""
        raise NotImplementedError

    def _empty(self) -> None:
        """Take the numbers off the page, and say what a run would do. Raises as `_jobs` does."""
        raise NotImplementedError

    def _stale(self, *_: Any) -> None:
        """Another thing is asked: what is on the page belongs to the last one, so it goes."""
        if self._known == self._asked():
            return
        self._running += 1
        self._found, self._known = [], None
        self._run.param.update(label=self.run_label, disabled=False)
        try:
            self._empty()
        except Exception as error:
            self._run.disabled = True
            self._say(in_words(error, self)[1], "wrong")

    def _say(self, sentence: str, hue: str = "ink") -> None:
        self._status.object = controls.status(sentence, hue)

    async def _pressed(self, *_: Any) -> None:
        """Run job after job in a thread, and show each as it comes: the page stays alive. A second press stops."""
        self._running += 1
        if self._run.label == STOP:
            self._run.label = self.run_label
            self._say(f"Stopped after {len(self._found)} steps. What was computed is kept for the next run.")
            return
        mine, asked = self._running, self._asked()
        self._found, self._run.label = [], STOP
        try:
            jobs = self._jobs()
            for done, job in enumerate(jobs):
                self._say(f"Step {done + 1} of {len(jobs)}: {job.said} …")
                found = await asyncio.to_thread(job.call)
                if mine != self._running:
                    return
                job.take(found)
            self._known, self._run.label = asked, self.run_label
            self._say(self._verdict())
            self.runs += 1  # the words follow
        except Exception as error:
            self._run.label = self.run_label
            self._say(in_words(error, self)[1], "wrong")
