"""What becomes of y for all sample pictures at one smaller size, and how much of it is the position table's doing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.kit.widget import Description
from widgets.parts import MatrixView, Part, Plot, controls
from widgets.pictures import open_sample, sample_names
from widgets.positions import sample_answers
from widgets.positions.stepwise import Job, Stepwise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.experiments.sample_sizes import SmallPicture

PATCHES = (8, 12, 16, 24)
OF_STILL = ("cat", "photographer", "flower", "galaxies")
"""Pictures that a still is drawn from when nothing was run: two that the table helps, two that it does not. All ten
take a minute."""


class AnswerByPicture(Stepwise):
    """All sample pictures at one size: which table keeps y closest to that of the full size, and what one change alone
    does.

    A view of `PositionInterpolation`, which shows it and its words.
    """

    run_label = "Run all sample pictures"

    patches = param.Selector(default=8, objects=list(PATCHES), doc="patches along the shorter side of every picture")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._parts = self._make_parts()
        self._stale()
        self.selection.param.watch(self._stale, ["checkpoint"])
        self.param.watch(self._stale, ["patches"])

    # what is shown, as arrays -----------------------------------------------------------------------------

    def side(self) -> int:
        """px along the shorter side of every picture. Raises as `checkpoint` does."""
        from widgets.experiments.sample_sizes import side_of

        return side_of(self.selection.checkpoint, self.patches)

    def pictures(self) -> list[SmallPicture]:
        """Every sample picture at the size chosen. Minutes, unless it was run before."""
        from widgets.experiments.sample_sizes import small_pictures

        return list(small_pictures(self.selection.checkpoint, self.side()))

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        sizes = controls.radio(
            self.param.patches, "Patches along the shorter side", {str(count): count for count in PATCHES}
        )
        flex = {"plot": "1 1 420px", "kept": "0 1 440px", "alone": "0 1 640px"}
        return self._below([*self._model.controls, sizes], flex)

    def _make_parts(self) -> dict[str, Part]:
        plot = Plot(
            title="Which pictures need their positions?",
            x_label="cosine of y at the full size: table left out, with table",
            y_label="cosine of y here with the full size",
            x_range=(0, 1.05),
            y_range=(0, 1.05),
            height=340,
        )
        plot.update(sample_answers.series([]))
        look = {"symbol": "cosine", "row_name": "picture", "follow": False}
        return {
            "plot": plot,
            "kept": MatrixView(title="y here with y at the full size", column_name="table", **look),
            "alone": MatrixView(title="One change at a time", column_name="change", **look),
        }

    def _asked(self) -> tuple[str, int]:
        return self.selection.checkpoint, self.patches

    def _empty(self) -> None:
        self._say(
            f"{len(sample_names())} pictures at {self.side()} px along the shorter side, six forward passes each, three"
            f" of them at the full size: one to three minutes, and less for the next size. Press “{self.run_label}”."
        )
        self._clear()

    def _jobs(self) -> list[Job]:
        from widgets.experiments.sample_sizes import small_picture

        name, side = self.selection.checkpoint, self.side()
        return [
            Job(open_sample(sample).title, partial(small_picture, name, sample, side), self._take)
            for sample in sample_names()
        ]

    def _take(self, found: SmallPicture) -> None:
        self._found.append(found)
        with pn.io.hold():
            self._parts["plot"].update(
                sample_answers.series(self._found),
                status="ready",
                message="",
                caption=(
                    f"A dot for each picture and table, {self._model_said()} On the right, the full-size y hardly needs"
                    " its table."
                ),
            )
            self._parts["kept"].param.update(
                status="ready",
                message="",
                visible=True,
                **sample_answers.kept_cells(self._found),
                caption=f"Shorter side {found.side} px. Both the size and the table differ from the full size.",
            )
            self._parts["alone"].param.update(
                status="ready",
                message="",
                visible=True,
                **sample_answers.alone_cells(self._found),
                caption=self._alone_said(found.side),
            )

    def _alone_said(self, side: int) -> str:
        return (
            f"First two: the same {side} px, that table and the interpolated one. Third: the full size, without the"
            f" table and with it. Size alone: {side} px and the full size, both without the table. Detail alone: the"
            f" {side} px picture enlarged to the full size."
        )

    def _verdict(self) -> str:
        return sample_answers.verdict(self._found) + self._if_random()

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """Every number of the pictures that were run."""
        asked = f"All sample pictures at {self.side()} px along the shorter side, {self._model_said()}"
        if not self._found:
            return Description(f"{asked} Nothing has been run yet.", [])
        return Description(f"{asked} {self._verdict()}", sample_answers.rows(self._found))

    def still(self) -> Figure:
        """The dots of the plot; of four pictures when none was run, without the detail, which is not drawn."""
        from widgets.experiments.sample_sizes import small_picture
        from widgets.kit.plot_still import plot_still  # matplotlib, which only stills need

        found = (
            self._found
            if self._known == self._asked()
            else [small_picture(self.selection.checkpoint, name, self.side(), detail=False) for name in OF_STILL]
        )
        count = f"{len(found)} of the {len(sample_names())} sample pictures"
        title = f"{count} at {self.side()} px, {self._model_said()}"
        return plot_still(self._parts["plot"], title, sample_answers.series(found), 3.2)
