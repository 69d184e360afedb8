"""Step through a ViT: one picture from its pixels to the answer, one step at a time (chapter 00)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.common.refusal import Refused
from widgets.first_look import step_parts, step_words
from widgets.first_look.step_scene import HAND_SET, Opened, Scene, opened
from widgets.kit.answering import draws
from widgets.kit.picture_choice import PictureChoice
from widgets.kit.widget import Description, Widget
from widgets.model.steps import Place, Walk, moved
from widgets.parts import MatrixView, Part, PatchPixels, PictureGrid, RowFlow, StepBar, controls

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.model.step_rows import Pass

CHECKPOINT = "checkpoint"
HAND_SET_TITLE = "A small ViT, set by hand"
WITH_HEADS = ("qkv", "scores", "softmax", "mix")


class ForwardStepper(Widget):
    """A picture on its way through a whole ViT. Steps, one after another; the token that is followed in every one.

    The hand-set ViT is small enough to be shown complete; of a checkpoint the first columns are shown.
    """

    title = "Step through a ViT"
    summary = "Follow one patch from its pixels to the answer, one step at a time, with every number on the way."

    refusal = param.String("", doc="why the last choice could not be shown; empty when it is")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self.selection.checkpoint != type(self.selection).param.checkpoint.default:
            self.selection.model = CHECKPOINT  # an address that names another checkpoint wants to see it
        self.choice = PictureChoice(selection=self.selection)
        self.walk = Walk(1)
        self._opened: Opened | None = None
        self._shown: tuple[str, ...] = ()  # the model and picture that were asked for last
        self._parts = self._make_parts()
        self._head_select = pn.widgets.Select(label="Head", width=80, **controls.LOOK)
        self._model_select = pn.widgets.Select(label="Model", width=260, **controls.LOOK)
        self._words = pn.pane.HTML("", sizing_mode="stretch_width", margin=0)
        self._notes = pn.pane.HTML("", sizing_mode="stretch_width", margin=0)
        self._connect()
        self._reload(at=self.selection.step)
        self._begin()

    # what is shown, as arrays -----------------------------------------------------------------------------

    @property
    def place(self) -> Place:
        """The step shown and its layer."""
        return self.walk.place

    @property
    def scene(self) -> Scene:
        """All that is shown. Raises RuntimeError with a sentence when the model or the picture could not be opened."""
        if self._opened is None:
            raise Refused(self.refusal)
        return Scene(self._opened, self.walk.places, self.walk.index, self.selection.head, self.selection.token)

    @property
    def run(self) -> Pass:
        """The picture's pass through the model. Raises as `scene` does."""
        return self.scene.run

    @property
    def token(self) -> int:
        """The row of z that is followed. Raises as `scene` does."""
        return self.scene.token

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        parts = self._parts
        bar = controls.row(*self.choice.controls, self._model_select, self._head_select)
        column = {"min-width": "0"}
        picture = pn.Column(parts["grid"], styles={**column, "flex": "1 1 240px", "max-width": "320px"}, margin=0)
        self._pixels_column = pn.Column(parts["pixels"], sizing_mode="stretch_width", margin=0)
        flow = pn.Column(
            parts["flow"], self._pixels_column, self._notes, styles={**column, "flex": "3 1 380px"}, margin=0
        )
        matrix = pn.Column(parts["matrix"], styles={**column, "flex": "1 1 200px"}, margin=0)
        self._matrix_column = matrix
        if self._opened is not None:
            self._show_columns(self.scene)
        whole = pn.FlexBox(picture, flow, matrix, gap="24px", align_items="flex-start")
        return self.stacked(bar, parts["bar"], self._words, whole, gap=8, wide=True)

    def _make_parts(self) -> dict[str, Part]:
        shared = {"channel": self.selection.channel, "selected": self.selection.token}
        return {
            "bar": StepBar(mark_means=f"{step_parts.MARK} here a token takes in something of other tokens"),
            "grid": PictureGrid(title="Hover a patch, click to keep it", **shared),
            "flow": RowFlow(**shared),
            "pixels": PatchPixels(digits=3, **shared),
            "matrix": MatrixView(title="All tokens", heat_height=240, **shared),
        }

    def _connect(self) -> None:
        self.share_token(*(part for name, part in self._parts.items() if name != "bar"))
        self._parts["bar"].param.watch(lambda event: self._go(event.new), ["step"])
        self._model_select.param.watch(self._model_picked, "value")
        self._head_select.param.watch(lambda event: setattr(self.selection, "head", event.new or 0), "value")
        self.selection.param.watch(lambda *_: self._reload(), [*self.selection.READ, "model"])
        self.selection.param.watch(self._follow, ["step", "layer"])
        self.selection.param.watch(lambda *_: self._redraw(), ["head"])

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._parts["bar"]]

    def notice(self, status: str, sentence: str) -> None:
        """Say it on the bar, and what can be done instead."""
        hand_set = status == "refused" and self.selection.model == HAND_SET
        self.refusal = f"{sentence} Choose another picture, or another model." if hand_set else sentence
        self._fill_selects()
        super().notice(status, self.refusal)

    @draws
    def _reload(self, at: int | None = None) -> None:
        """Run the model on the picture, and stand at the same step of it; what cannot be run is answered."""
        before, self._shown = self._opened, self._asked()
        found = opened(self.selection.model, self.selection.checkpoint, self.choice.picture)
        layers = len(found.run.weights.blocks)
        self._opened, self.walk = found, self.walk.resized(layers) if at is None else Walk(layers, at)
        self.refusal = ""  # last: who watches it looks at the new pass, from a step that it has
        if before is not None:
            old, new = before.run.trace, found.run.trace
            self.selection.carry(old.grid, new.grid, (old.prefix, new.prefix))
        self._fill_selects()
        with pn.io.hold():
            self._parts["bar"].param.update(
                status="ready", message="", blocks=step_parts.blocks(self.walk.places, layers)
            )
            self._parts["grid"].param.update(**step_parts.picture(found))
            self._arrived()

    def _begin(self) -> None:
        """A new visitor follows a patch in the middle: the class token joins late, and has no place to look at."""
        if self._opened is not None and self.selection.token == 0 and self.selection.step == 0:
            rows, columns = self.run.trace.grid
            self.selection.token = self.run.trace.prefix + rows // 2 * columns + columns // 2

    def _go(self, index: int) -> None:
        """Go to a step by its number; beyond the last, to the last."""
        if self._opened is None or index == self.walk.index:
            return
        self.walk.go(index)
        self._arrived()

    def _arrived(self) -> None:
        layer = {} if self.place.layer is None else {"layer": self.place.layer}
        self.selection.param.update(step=self.walk.index, **layer)
        done = sorted(i for i, place in enumerate(self.walk.places) if place in self.walk.done)
        with pn.io.hold():
            self._parts["bar"].param.update(step=self.walk.index, done=done)
            self._redraw()

    def _asked(self) -> tuple[str, ...]:
        return (
            self.selection.model,
            self.selection.checkpoint if self.selection.model == CHECKPOINT else "",
            self.choice.picture.name,
        )

    def _follow(self, *_: Any) -> None:
        """Another widget chose a step; or a layer: then stand at the same step of that one."""
        if self._opened is None or self._asked() != self._shown:
            return  # another stepper has reloaded first, and speaks of another walk
        layer = self.selection.layer
        if self.selection.step != self.walk.index:
            self._go(self.selection.step)
        elif self.place.layer not in (None, layer) and layer < len(self.run.weights.blocks):
            self._go(self.walk.places.index(moved(self.place, layer)))

    def _redraw(self) -> None:
        if self._opened is None:
            return
        scene = self.scene
        with pn.io.hold():
            for name, state in step_parts.states(scene).items():
                self._parts[name].param.update(**state)
            self._words.object, self._notes.object = step_words.explanation(scene), step_words.small_print(scene)
            self._show_columns(scene)
            self._head_select.visible = self.place.step.key in WITH_HEADS

    def _show_columns(self, scene: Scene) -> None:
        if hasattr(self, "_matrix_column"):
            self._matrix_column.visible = scene.view.whole is not None
            self._pixels_column.visible = scene.place.step.key == "cut"

    # what changes -----------------------------------------------------------------------------------------

    def _fill_selects(self) -> None:
        from widgets.checkpoints.fetching import facts_of
        from widgets.checkpoints.loading import available

        models = {HAND_SET_TITLE: HAND_SET} | {facts_of(name)["title"]: name for name in available()}
        chosen = HAND_SET if self.selection.model == HAND_SET else self.selection.checkpoint
        if chosen not in models.values():
            models |= {chosen: chosen}
        self._model_select.param.update(options=models, value=chosen)
        if self._opened is not None:
            count = self.run.weights.num_attention_heads
            self._head_select.param.update(options={f"{h + 1}": h for h in range(count)}, value=self.scene.head)

    def _model_picked(self, event: param.parameterized.Event) -> None:
        if event.new == HAND_SET:
            self.selection.model = HAND_SET
        elif event.new:
            self.selection.param.update(checkpoint=event.new, model=CHECKPOINT)

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """The step, and the first numbers of the followed token's row in each matrix of it."""
        return Description(self.refusal, []) if self._opened is None else step_words.description(self.scene)

    def still(self) -> Figure:
        """The picture with the followed patch, and its rows at this step in coloured cells."""
        from widgets.first_look import step_still
        from widgets.kit import stills

        return stills.sentence(self.refusal) if self._opened is None else step_still.still(self.scene)
