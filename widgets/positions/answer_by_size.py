"""What becomes of y at other sizes of the picture, with the position table interpolated, cut off and left out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn

from widgets.common.number_formats import fixed
from widgets.kit.picture_choice import PictureChoice
from widgets.kit.widget import Description
from widgets.parts import MatrixView, NumberTable, Part, Plot
from widgets.positions import size_answers
from widgets.positions.stepwise import Job, Stepwise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.experiments.other_sizes import SizeAnswer


class AnswerBySize(Stepwise):
    """One picture at several sizes, a forward pass each when it is asked for, and the cosine of its y with that of the
    usual size.

    A view of `PositionInterpolation`, which shows it and its words.
    """

    run_label = "Run the sizes"

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.choice = PictureChoice(selection=self.selection)
        self._parts = self._make_parts()
        self._stale()
        self.selection.param.watch(self._stale, list(self.selection.READ))

    # what is shown, as arrays -----------------------------------------------------------------------------

    def answers(self) -> list[SizeAnswer]:
        """y of the picture at every size, with the table interpolated, cut off and left out. Seconds, unless it was run
        before."""
        from widgets.experiments.other_sizes import answers

        return list(answers(self.selection.checkpoint, self.choice.picture))

    def by_resize(self) -> tuple[dict[str, float], int]:
        """Cosine of y with that of the library's way, for every way to interpolate; and the size, px, at which it was
        run."""
        from widgets.experiments.other_sizes import by_resize

        side = self._compared_side()
        return by_resize(self.selection.checkpoint, self.choice.picture, side), side

    def _compared_side(self) -> int:
        from widgets.model.library import weights_of

        w = weights_of(self.checkpoint().model)
        return 224 if min(w.grid) * w.patch_size != 224 else 24 * w.patch_size

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        flex = {"plot": "1 1 420px", "sizes": "0 1 380px", "pairs": "0 1 560px", "by_resize": "0 1 420px"}
        return self._below([*self.choice.controls, *self._model.controls], flex)

    def _make_parts(self) -> dict[str, Part]:
        plot = Plot(
            title="Does the model still say the same?",
            x_label="shorter side of the picture, px",
            y_label="cosine of y with the reference",
            x_range=(90, 540),
            y_range=(-0.1, 1.05),
            height=300,
        )
        plot.update(size_answers.series([]))  # the lines are there before the page is: a run only moves their points
        return {
            "plot": plot,
            "sizes": MatrixView(
                title="The same numbers", symbol="cosine", row_name="size", column_name="table", follow=False
            ),
            "pairs": MatrixView(
                title="At one size, the tables with one another",
                symbol="cosine",
                row_name="size, px",
                column_name="pair of y",
                follow=False,
            ),
            "by_resize": NumberTable(title="And the way it is interpolated?"),
        }

    def _asked(self) -> tuple[str, str]:
        return self.selection.checkpoint, f"{self.choice.picture.name} {id(self.choice.picture)}"

    def _empty(self) -> None:
        from widgets.experiments.other_sizes import passes

        count = len(passes(self.selection.checkpoint, self.choice.picture))
        self._say(
            f"{count} forward passes of {self.choice.picture.title}, up to the size of the model's own table: seconds"
            f" to a minute. Press “{self.run_label}”."
        )
        self._clear()

    def _jobs(self) -> list[Job]:
        from widgets.experiments.other_sizes import answer, passes

        name, picture = self.selection.checkpoint, self.choice.picture
        every = [
            Job(
                f"{side} px, positions {size_answers.shown(way)}", partial(answer, name, picture, way, side), self._take
            )
            for way, side in passes(name, picture)
        ]
        return [*every, Job("the other ways to interpolate", self.by_resize, self._take_resizes)]

    def _take(self, found: SizeAnswer) -> None:
        self._found.append(found)
        self._draw()

    def _take_resizes(self, found: tuple[dict[str, float], int]) -> None:
        by_resize, side = found
        self._parts["by_resize"].param.update(
            status="ready",
            message="",
            visible=True,
            fixed=[(way, fixed(value, 4)) for way, value in by_resize.items()],
            caption=f"Cosine of y with the y of the library's way (bicubic), shorter side {side} px.",
        )

    def _draw(self) -> None:
        found = self._found
        with pn.io.hold():
            self._parts["plot"].update(
                size_answers.series(found),
                status="ready",
                message="",
                caption=(
                    f"{self.choice.picture.title}, {self._model_said()} The reference is y at"
                    f" {size_answers.size(found[0])}, interpolated."
                ),
            )
            self._parts["sizes"].param.update(status="ready", message="", visible=True, **size_answers.cells(found))
            self._parts["pairs"].param.update(
                status="ready", message="", visible=True, **size_answers.pair_cells(found)
            )

    def _verdict(self) -> str:
        return size_answers.verdict(self._found) + self._if_random()

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """y at every size that was run."""
        read = self._model_said()
        if not self._found:
            return Description(f"{self.choice.picture.title} at several sizes, {read} Nothing has been run yet.", [])
        rows = size_answers.rows(self._found)
        return Description(f"{self.choice.picture.title}, {read} {self._verdict()}", rows)

    def still(self) -> Figure:
        """The cosines by size; the passes are run if they were not."""
        from widgets.kit.plot_still import plot_still  # matplotlib, which only stills need

        self._found = self.answers()
        title = f"{self.choice.picture.title}, {self._model_said()}"
        return plot_still(self._parts["plot"], title, size_answers.series(self._found))
