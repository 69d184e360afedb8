"""Fit a position table to another grid: its maps before and after, and what it does to y at other sizes (chapter 11)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from widgets.model.amounts import fixed
from widgets.page import size_answers
from widgets.page.grid_field import GridField
from widgets.page.grid_field import written as grid_written
from widgets.page.model_choice import ModelChoice
from widgets.page.picture_choice import PictureChoice
from widgets.parts import MatrixView, NumberTable, Part, Plot, controls
from widgets.parts.position_map import PositionMap
from widgets.widget import Description, Widget

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from torch import Tensor

    from widgets.model.other_sizes import SizeAnswer
    from widgets.model.vit import ViTWeights

TABLE, ANSWER = "table", "answer"
VIEWS = {"the table": TABLE, "the answer y": ANSWER}
LATTICE = 1024                      # places that grids of up to 64 x 64 can be pointed at together
METHODS = {                          # shown name -> name in model.other_sizes.RESIZES
    "bicubic (the library)": "bicubic", "bicubic, antialiased": "bicubic, antialiased",
    "bilinear": "bilinear", "bilinear, antialiased": "bilinear, antialiased",
    "linear, corner on corner (paper's code)": "linear, corner on corner",
    "bicubic, offset by 0.1 (DINOv2's code)": "bicubic, offset by 0.1", "nearest": "nearest",
}
LIBRARY, PAPER = "bicubic", "linear, corner on corner"
MAPS = ("before", "after", "apart", "similar_before", "similar_after")
STARTS = {"dinov2-small": ((16, 16), 379)}   # the grid of 224 px, and a number of the table that changes with row and column
USUAL = ((24, 24), 0)                        # 384 px in patches of 16


class PositionInterpolation(Widget):
    """The real position table on any other grid, one of its numbers and one similarity map before and after; and y at several sizes."""

    title = "Change the grid"
    summary = "Fit a real position table to another grid, and see what becomes of the model's answer with and without it."

    show = param.Selector(default=TABLE, objects=list(VIEWS.values()), doc="the table on another grid, or y at other sizes")
    old = param.Tuple((37, 37), length=2, doc="grid (rows, columns) the table is taken on; by default the one it was trained on")
    new = param.Tuple((16, 16), length=2, doc="grid (rows, columns) it is fitted to")
    method = param.Selector(default=LIBRARY, objects=list(METHODS.values()), doc="how it is interpolated")
    dimension = param.Integer(379, bounds=(0, None), doc="which of the D numbers of every position is drawn")
    runs = param.Integer(0, bounds=(0, None), doc="how often the sizes were run to the end")
    place = param.Integer(LATTICE // 3 * LATTICE + LATTICE // 3, bounds=(0, LATTICE**2 - 1), doc="the position compared with all, a place on the lattice")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.choice = PictureChoice(selection=self.selection)
        self._model = ModelChoice(selection=self.selection)
        self._fields = {"old": GridField(label="From grid"), "new": GridField(label="To grid")}
        self._slider = pn.widgets.IntSlider(label="Which of the D numbers", start=0, end=1, **{**controls.LOOK, "width": 220})
        self._run = controls.button("Run the sizes", self._pressed)
        self._status = pn.pane.HTML("", **{**controls.LOOK, "margin": 0, "sizing_mode": "stretch_width"})
        self._words = controls.words("", sizing_mode="stretch_width")
        self._parts = self._make_parts()
        self._known: tuple[str, str] | None = None   # checkpoint and picture of the run on the page
        self._found: list[SizeAnswer] = []
        self._running = 0                            # counts up, so that a run that was left behind notices
        self._body = pn.Column(margin=0, styles={"gap": "16px"}, sizing_mode="stretch_width")
        self._last = self.selection.checkpoint
        self._take_up({"old", "new", "dimension"} - set(params))
        self._wire()
        self._show()

    # what is shown, as arrays -----------------------------------------------------------------------------

    def weights(self) -> ViTWeights:
        """The model's weights, with the table it was trained with. Raises CheckpointMissing or ValueError with a sentence."""
        from widgets.model.checkpoints import at_hand
        from widgets.model.library import weights_of

        return weights_of(at_hand(self.selection.checkpoint).model)

    def tables(self) -> tuple[Tensor, Tensor, Tensor]:
        """The table (1 + h*w, D) on the old grid, on the new one, and on the new one in the way it is compared with."""
        import torch

        from widgets.model.other_sizes import resized_table

        w = self.weights()
        with torch.inference_mode():
            old = resized_table(w.positions, w.grid, self.old, LIBRARY)
            return old, resized_table(old, self.old, self.new, self.method), resized_table(old, self.old, self.new, self.other)

    @property
    def other(self) -> str:
        """The way the chosen one is compared with: the paper's own code, or the library's when that is chosen."""
        return LIBRARY if self.method == PAPER else PAPER

    def maps(self) -> dict[str, np.ndarray]:
        """One number of every position on both grids, the difference to the other way, and the cosines of one position."""
        from widgets.model.other_sizes import similarity_of

        old, new, other = self.tables()
        on = {"before": (old, self.old), "after": (new, self.new)}
        found = {name: table[1:, self.dimension].reshape(grid).numpy() for name, (table, grid) in on.items()}
        found["apart"] = (new - other)[1:, self.dimension].reshape(self.new).numpy()
        return found | {f"similar_{name}": similarity_of(table, grid, self.cell(grid)).numpy() for name, (table, grid) in on.items()}

    def cell(self, grid: tuple[int, int]) -> tuple[int, int]:
        """Row and column of the chosen position on a grid."""
        return PositionMap.cell(self.place, grid, LATTICE)

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
        w = self.weights()
        return 224 if min(w.grid) * w.patch_size != 224 else 24 * w.patch_size

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(controls.radio(self.param.show, "Look at", VIEWS), self._body, self.text_twin(), sizing_mode="stretch_width",
                         margin=0, styles={"gap": "16px", "max-width": "var(--vit-widget-width, 1040px)"})

    def _make_parts(self) -> dict[str, Part]:
        look = {"channel": f"{self.selection.channel}-places", "lattice": LATTICE, "selected": self.place}
        maps = {name: PositionMap(digits=2 if name.startswith("similar") else 4, **look) for name in MAPS}
        plot = Plot(title="Does the model still say the same?", x_label="shorter side of the picture, px",
                    y_label="cosine of y with the reference", x_range=(90, 540), y_range=(-0.1, 1.05), height=300)
        plot.update(size_answers.series([]))   # the lines are there before the page is: a run only moves their points
        return {**maps, "facts": NumberTable(title="What comes out"),
                "ways": MatrixView(title="The other ways to interpolate, against the library's", symbol="E_pos", row_name="way", column_name="measure",
                                   follow=False, low=-1, high=1),
                "plot": plot,
                "sizes": MatrixView(title="The same numbers", symbol="cosine", row_name="size", column_name="table", follow=False),
                "by_resize": NumberTable(title="And the way it is interpolated?")}

    def _wire(self) -> None:
        self.param.watch(self._show, ["show"])
        self.param.watch(self._redraw, ["old", "new", "method", "dimension", "place"])
        self.selection.param.watch(self._other_model, ["checkpoint"])
        self.selection.param.watch(self._answer_stale, ["picture", "upload"])
        for name, field in self._fields.items():
            field.param.watch(lambda event, name=name: setattr(self, name, event.new), "grid")
        self._slider.param.watch(lambda event: setattr(self, "dimension", event.new), "value_throttled")
        for name in MAPS:
            self._parts[name].param.watch(lambda event: setattr(self, "place", event.new), "selected")

    def _show(self, *_: Any) -> None:
        """Put the controls and parts of the chosen view on the page."""
        if self.show == TABLE:
            ways = controls.choice(self.param.method, "Interpolated how", METHODS, width=290)
            bar = pn.FlexBox(*self._model.controls, self._fields["old"].control, self._fields["new"].control, ways, self._slider,
                             align_items="flex-end", margin=0)
            maps = [pn.Column(self._parts[name], margin=0, styles={"flex": "1 1 165px", "max-width": "300px", "min-width": "0"}) for name in MAPS]
            below = [self._column("facts", "0 1 330px"), self._column("ways", "1 1 420px")]
            refused = [field.refusal for field in self._fields.values()]
            self._body.objects = [bar, *refused, pn.FlexBox(*maps, gap="16px", align_items="flex-start"), self._words,
                                  pn.FlexBox(*below, gap="32px", align_items="flex-start")]
            self._redraw()
        else:
            bar = pn.FlexBox(*self.choice.controls, *self._model.controls, self._run, align_items="flex-end", margin=0)
            below = [self._column("plot", "1 1 420px"), self._column("sizes", "0 1 380px"), self._column("by_resize", "0 1 420px")]
            self._body.objects = [bar, self._status, pn.FlexBox(*below, gap="32px", align_items="flex-start")]
            self._answer_stale()

    def _column(self, name: str, flex: str) -> pn.Column:
        return pn.Column(self._parts[name], margin=0, styles={"flex": flex, "min-width": "0"})

    # the table --------------------------------------------------------------------------------------------

    def _take_up(self, names: set[str]) -> None:
        """Start from the grid of the model's own table."""
        try:
            w = self.weights()
        except (RuntimeError, ValueError):
            return
        new, dimension = STARTS.get(self.selection.checkpoint, USUAL)
        wanted = {"old": w.grid, "new": new, "dimension": dimension}
        self.param.update(**{name: wanted[name] for name in names})
        self.dimension = min(self.dimension, w.positions.shape[1] - 1)

    def _other_model(self, *_: Any) -> None:
        if self.selection.checkpoint != self._last:
            self._last = self.selection.checkpoint
            self._take_up({"old", "new", "dimension"})
        self._redraw()
        self._answer_stale()

    def _redraw(self, *_: Any) -> None:
        try:
            states = self._states()
        except (RuntimeError, ValueError) as refusal:
            self._parts["before"].param.update(status="refused", message=str(refusal))
            return
        with pn.io.hold():
            D = self.weights().positions.shape[1]
            self._slider.param.update(end=D - 1, value=self.dimension, label=f"Which of the {D} numbers")
            for name, field in self._fields.items():
                field.grid = getattr(self, name)
            for name, state in states.items():
                self._parts[name].param.update(status="ready", message="", **state)
            for name in MAPS:
                self._parts[name].selected = self.place
            self._words.object = f'<p role="status" style="margin:0;color:var(--vit-ink)">{self._sentence()}</p>'

    def _states(self) -> dict[str, dict[str, Any]]:
        maps = self.maps()
        most = max(float(np.abs(maps[name]).max()) for name in ("before", "after")) or 1.0
        scales = {"before": most, "after": most, "apart": float(np.abs(maps["apart"]).max()) or most, "similar_before": 1.0, "similar_after": 1.0}
        states = {}
        for name, values in maps.items():
            title, caption = self._captions(name)
            states[name] = {"maps": values.astype(np.float16).tobytes(), "rows": values.shape[0], "columns": values.shape[1], "title": title,
                            "low": -scales[name], "high": scales[name], "caption": caption}
        return states | {"facts": {"fixed": self.facts()}, "ways": self._ways()}

    def _captions(self, name: str) -> tuple[str, str]:
        old, new = grid_written(self.old), grid_written(self.new)
        row, column = self.cell(self.old if name.endswith("before") else self.new)
        shown = {
            "before": (f"Before: {old}", f"Number {self.dimension} of every position. {self._origin()}"),
            "after": (f"After: {new}", f"The same number on the new grid, {_shown(self.method)}, on the same scale."),
            "apart": ("The choice of method", f"After, minus what “{_shown(self.other)}” gives. Its own scale: mind the numbers."),
            "similar_before": ("One position, before", f"Cosine of row {row}, column {column} with every position. Click another."),
            "similar_after": ("The same place, after", f"Cosine of row {row}, column {column}, which lies at the same place."),
        }
        return shown[name]

    def _origin(self) -> str:
        from widgets.model.checkpoints import at_hand

        w, checkpoint = self.weights(), at_hand(self.selection.checkpoint)
        whose = f"{checkpoint.title}'s own table" if not self._is_random else f"The table of {checkpoint.title}, which is random and was never trained"
        if self.old == w.grid:
            return f"{whose}."
        return f"{whose} of {grid_written(w.grid)}, first brought to this grid as the library does."

    @property
    def _is_random(self) -> bool:
        return self.selection.checkpoint.startswith("random")

    def facts(self) -> list[tuple[str, str]]:
        """Names and written numbers: rows before and after, sizes in pixels, and that the class row was kept."""
        import torch

        w = self.weights()
        old, new, _ = self.tables()
        P, D = w.patch_size, w.positions.shape[1]
        (h, v), (h2, v2) = self.old, self.new
        return [("patch positions, before", f"{h} × {v} = {h * v:,}"), ("patch positions, after", f"{h2} × {v2} = {h2 * v2:,}"),
                ("rows of the table, with the class token's", f"{len(old):,} → {len(new):,}"),
                (f"a picture of that grid, in patches of {P} px", f"{h * P} × {v * P} → {h2 * P} × {v2 * P} px"),
                (f"the class token's row of {D} numbers", "kept, bit for bit" if torch.equal(old[0], new[0]) else "changed"),
                ("length of a position, mean over all", f"{float(old[1:].norm(dim=1).mean()):.3f} → {float(new[1:].norm(dim=1).mean()):.3f}")]

    def _ways(self) -> dict[str, Any]:
        rows = self.ways()
        view = MatrixView.matrix(np.array(list(rows.values()), dtype=np.float32))
        return {**view, "low": -1.0, "high": 1.0, "kind": "signed", "row_heads": list(rows),
                "column_heads": ["mean cosine", "lowest cosine", "largest difference"],
                "caption": f"Each patch's row beside the library's (bicubic), {grid_written(self.old)} to {grid_written(self.new)}."
                           f" The largest number of the table is {float(self.tables()[0][1:].abs().max()):.3f}."}

    def ways(self) -> dict[str, tuple[float, float, float]]:
        """For every way to interpolate: mean and lowest cosine with the library's rows, and the largest difference."""
        import torch

        from widgets.model.other_sizes import resize_differences

        with torch.inference_mode():
            found = resize_differences(self.tables()[0], self.old, self.new)
        return {way: (one.mean_cosine, one.lowest_cosine, one.largest_difference) for way, one in found.items()}

    def _sentence(self) -> str:
        rows = self.ways()
        mean, lowest, _ = rows[self.other if self.method == LIBRARY else self.method]
        other = _shown(self.other if self.method == LIBRARY else self.method)
        if self.old == self.new:
            return "The two grids are the same: nothing is interpolated, whatever the method, and the table stays as it is."
        trained = " A random table has no shape that interpolation could keep: neighbours have nothing to do with one another." if self._is_random else ""
        return (f"From {grid_written(self.old)} to {grid_written(self.new)}: “{other}” gives positions with a mean cosine of {fixed(mean)} to the"
                f" library's, and {fixed(lowest)} at the least.{trained}")

    # y at several sizes -----------------------------------------------------------------------------------

    def _answer_stale(self, *_: Any) -> None:
        """Another picture or model: what is on the page belongs to the last one, so it goes."""
        if self.show != ANSWER or self._known == self._asked():
            return
        self._running += 1
        self._found, self._known = [], None
        self._run.param.update(label="Run the sizes", disabled=False)
        try:
            from widgets.model.other_sizes import passes

            count = len(passes(self.selection.checkpoint, self.choice.picture))
        except (RuntimeError, ValueError) as refusal:
            self._refuse_answer(str(refusal))
            return
        self._say(f"{count} forward passes of {self.choice.picture.title}, up to the size of the model's own table: seconds to a minute."
                  " Press “Run the sizes”.")
        for name in ("plot", "sizes", "by_resize"):
            self._parts[name].param.update(status="empty", visible=name == "plot", message="Nothing has been run yet.")

    def _asked(self) -> tuple[str, str]:
        return self.selection.checkpoint, f"{self.choice.picture.name} {id(self.choice.picture)}"

    def _refuse_answer(self, sentence: str) -> None:
        self._run.disabled = True
        self._say(sentence, "wrong")

    def _say(self, sentence: str, hue: str = "ink") -> None:
        self._status.object = f'<p role="status" style="margin:0;color:var(--vit-{hue})">{sentence}</p>'

    async def _pressed(self, *_: Any) -> None:
        """Run pass after pass in a thread, and show each as it comes: the page stays alive. A second press stops."""
        from widgets.model.other_sizes import answer, passes

        self._running += 1
        if self._run.label == "Stop":
            self._run.label = "Run the sizes"
            self._say(f"Stopped after {len(self._found)} passes. What was computed is kept for the next run.")
            return
        mine, name, picture, asked = self._running, self.selection.checkpoint, self.choice.picture, self._asked()
        self._found, self._run.label = [], "Stop"
        try:
            todo = passes(name, picture)
            for done, (way, side) in enumerate(todo):
                self._say(f"Pass {done + 1} of {len(todo)}: {side} px, positions {size_answers.shown(way)} …")
                found = await asyncio.to_thread(answer, name, picture, way, side)
                if mine != self._running:
                    return
                self._found.append(found)
                self._draw_answers()
            self._say("Last passes: the other ways to interpolate …")
            by_resize, side = await asyncio.to_thread(self.by_resize)
            if mine == self._running:
                self._finish(by_resize, side, asked)
        except (RuntimeError, ValueError) as refusal:
            self._run.label = "Run the sizes"
            self._say(str(refusal), "wrong")

    def _finish(self, by_resize: dict[str, float], side: int, asked: tuple[str, str]) -> None:
        self._known = asked
        self._run.label = "Run the sizes"
        self._parts["by_resize"].param.update(
            status="ready", message="", visible=True, fixed=[(way, fixed(value, 4)) for way, value in by_resize.items()],
            caption=f"Cosine of y with the y of the library's way (bicubic), shorter side {side} px.")
        self._say(self._verdict())
        self.runs += 1   # the words follow

    def _draw_answers(self) -> None:
        found = self._found
        with pn.io.hold():
            self._parts["plot"].update(size_answers.series(found), status="ready", message="",
                                       caption=f"{self.choice.picture.title}, {self._model_said()} The reference is y at {size_answers.size(found[0])}, interpolated.")
            self._parts["sizes"].param.update(status="ready", message="", visible=True, **size_answers.cells(found))

    def _verdict(self) -> str:
        random = " With random weights positions hardly matter: nothing was trained to read them." if self._is_random else ""
        return size_answers.verdict(self._found) + random

    def _model_said(self) -> str:
        from widgets.model.checkpoints import at_hand

        checkpoint = at_hand(self.selection.checkpoint)
        return f"read by {checkpoint.title}{', which is random and was never trained' if self._is_random else ''}."

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """The table on both grids, or y at every size that was run."""
        try:
            return self._describe_table() if self.show == TABLE else self._describe_answer()
        except (RuntimeError, ValueError) as refusal:
            return Description(str(refusal), [])

    def _describe_table(self) -> Description:
        maps, (row, column) = self.maps(), self.cell(self.old)
        cells = {name: self.cell(self.old if name.endswith("before") else self.new) for name in MAPS}
        numbers = [(f"number {self.dimension} at row {cells[name][0]}, column {cells[name][1]}, {said}", fixed(float(maps[name][cells[name]]), 4))
                   for name, said in (("before", "before"), ("after", "after"), ("apart", f"after, minus {self.other}"))]
        ways = [(f"{way}: mean cosine with the library's", fixed(one[0])) for way, one in self.ways().items()]
        return Description(f"{self._origin()} {self._sentence()} The position in row {row}, column {column} is chosen.",
                           [*self.facts(), *numbers, *ways])

    def _describe_answer(self) -> Description:
        self.weights()
        if not self._found:
            return Description(f"{self.choice.picture.title} at several sizes, {self._model_said()} Nothing has been run yet.", [])
        rows = size_answers.rows(self._found)
        return Description(f"{self.choice.picture.title}, {self._model_said()} {self._verdict()}", rows)

    def still(self) -> Figure:
        """The maps before and after; or, when y is shown, its cosines by size."""
        from widgets.page import position_still

        if self.show == ANSWER:
            self._found = self.answers()
            lines = {size_answers.shown(way): [(min(a.image_size), a.cosine) for a in size_answers.ordered(self._found, way) if a.cosine is not None]
                     for way in size_answers.HUES}
            return position_still.sizes(lines, size_answers.HUES, f"{self.choice.picture.title}, {self._model_said()}")
        maps = self.maps()
        titles = {"before": f"number {self.dimension}: {grid_written(self.old)}", "after": grid_written(self.new),
                  "apart": "minus paper's code" if self.other == PAPER else "minus the library's",
                  "similar_before": "cosine with +, before", "similar_after": "after"}
        return position_still.before_and_after([(titles[name], maps[name], self.cell(self.old if name.endswith("before") else self.new)
                                                 if name.startswith("similar") else None) for name in MAPS])


def _shown(way: str) -> str:
    return next(shown for shown, name in METHODS.items() if name == way)

