"""A step of a picture's way through a ViT, as a reader looks at it: what words, parts and still of the stepper are made
from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from widgets.experiments.kept_pass import read
from widgets.model.steps import Place
from widgets.pictures import Picture

if TYPE_CHECKING:
    from widgets.model.step_rows import Pass, Rows, StepView

HAND_SET = "hand-set"  # the other choice of `Selection.model` is a checkpoint
EARLY = ("cut", "flatten", "embed")  # the class token has not joined yet


@dataclass(frozen=True)
class Opened:
    """A picture's pass through a model, and what both are called."""

    run: Pass
    picture: Picture
    model: str  # as it stands inside a sentence
    origin: str  # where its weights are from, a sentence
    hand_set: bool

    @property
    def what(self) -> str:
        """Which picture goes through which model."""
        return f"{self.picture.title} through {self.model}"


def opened(model: str, checkpoint: str, picture: Picture) -> Opened:
    """Run a picture through the hand-set ViT or a checkpoint. Raises CheckpointMissing or ValueError with a
    sentence."""
    from widgets.model.step_rows import Pass, hand_set_pass

    if model == HAND_SET:
        return Opened(
            hand_set_pass(picture),
            picture,
            "the hand-set ViT",
            "Its weights are set by hand or random, not trained.",
            True,
        )
    from widgets.model.library import weights_of

    found = read(checkpoint, picture)
    run = Pass(found.trace, weights_of(found.checkpoint.model), found.pixels, found.checkpoint.labels)
    return Opened(run, picture, found.checkpoint.title, found.checkpoint.provenance.sentence, False)


@dataclass(frozen=True)
class Scene:
    """One step of the pass. `wanted_head` (from 0) and `wanted_token` (a row of z) may be more than there are."""

    opened: Opened
    places: list[Place]
    index: int
    wanted_head: int
    wanted_token: int

    @property
    def run(self) -> Pass:
        """The pass."""
        return self.opened.run

    @property
    def place(self) -> Place:
        """The step and its layer."""
        return self.places[self.index]

    @property
    def head(self) -> int:
        """The head shown, from 0."""
        return min(self.wanted_head, self.run.weights.num_attention_heads - 1)

    @property
    def token(self) -> int:
        """The row of z that is followed; before the class token is there, patch 0 in its stead."""
        first = self.run.trace.prefix if self.place.step.key in EARLY else 0
        return max(first, min(self.wanted_token, self.run.tokens - 1))

    @property
    def headless(self) -> bool:
        """Whether this is the reading out of a model that has no answer head."""
        return self.place.step.key == "head" and self.run.trace.logits is None

    @cached_property
    def view(self) -> StepView:
        """All that the step shows, for every token."""
        return self.view_at(self.place)

    def view_at(self, place: Place) -> StepView:
        """What another step of the same pass shows."""
        from widgets.model.step_rows import view_of

        return view_of(self.run, place, self.head)

    def row_of(self, rows: Rows) -> int:
        """Which row of a matrix belongs to the token that is followed."""
        return 0 if rows.one else self.token - rows.first

    def followed(self, rows: Rows) -> np.ndarray:
        """The numbers shown of that row: (shown,)."""
        return rows.values[self.row_of(rows)]
