"""A real position table fitted to another grid: its maps before and after, and how the ways to interpolate differ."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from widgets.common.number_formats import fixed
from widgets.common.refusal import Refused
from widgets.kit.answering import draws
from widgets.kit.model_choice import ModelChoice
from widgets.kit.widget import Description, Widget
from widgets.parts import MatrixView, NumberTable, Part, RangeSlider, controls
from widgets.parts.position_map import PositionMap
from widgets.positions import table_words
from widgets.positions.grid_field import LARGEST, GridField
from widgets.positions.grid_field import written as grid_written
from widgets.positions.table_words import LIBRARY, METHODS, PAPER

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from torch import Tensor

    from widgets.checkpoints.loading import Checkpoint
    from widgets.experiments.other_sizes import Resized
    from widgets.model.vit import ViTWeights

LATTICE = 16 * LARGEST  # places along a side: finer than any grid, so that two of them can be pointed at together
MAPS = ("before", "after", "apart", "similar_before", "similar_after")
PAIRED = (("before", "after"), ("apart",), ("similar_before", "similar_after"))  # what is compared stands side by side
# Tracks of one width, so all maps have one size. Never fewer than two: a pair spans two, and so it never parts.
TRACKS = {
    "display": "grid",
    "gap": "16px",
    "grid-template-columns": "repeat(auto-fit, minmax(min(170px, calc(50% - 8px)), 1fr))",
    "max-width": "1120px",
}
LOOK_OF_MAPS = {"margin": 0, "sizing_mode": "stretch_width"}
STARTS = {
    "dinov2-small": ((16, 16), 379)
}  # the grid of 224 px, and a number of the table that changes with row and column
USUAL = ((24, 24), 0)  # 384 px in patches of 16


class TableOnGrid(Widget):
    """One of the D numbers of every position, and the similarity of one position to all, on the old grid and on a new
    one.

    A view of `PositionInterpolation`, which shows it and its words.
    """

    old = param.Tuple(
        (37, 37), length=2, doc="grid (rows, columns) the table is taken on; by default the one it was trained on"
    )
    new = param.Tuple((16, 16), length=2, doc="grid (rows, columns) it is fitted to")
    method = param.Selector(default=LIBRARY, objects=list(METHODS.values()), doc="how it is interpolated")
    dimension = param.Integer(379, bounds=(0, None), doc="which of the D numbers of every position is drawn")
    place = param.Integer(
        LATTICE // 3 * LATTICE + LATTICE // 3,
        bounds=(0, LATTICE**2 - 1),
        doc="the position compared with all, a place on the lattice",
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._model = ModelChoice(selection=self.selection)
        self._fields = {"old": GridField(label="From grid"), "new": GridField(label="To grid")}
        self._slider = RangeSlider(label="Which of the D numbers", width=220, margin=controls.LOOK["margin"])
        self._words = controls.words("", sizing_mode="stretch_width")
        self._parts = self._make_parts()
        self._last = self.selection.checkpoint
        self._take_up({"old", "new", "dimension"} - set(params))
        self._wire()
        self._redraw()

    # what is shown, as arrays -----------------------------------------------------------------------------

    def checkpoint(self) -> Checkpoint:
        """The model chosen. Raises CheckpointMissing or ValueError with a sentence."""
        from widgets.checkpoints.loading import at_hand

        return at_hand(self.selection.checkpoint)

    def weights(self) -> ViTWeights:
        """Its weights, with the table it was trained with. Raises as `checkpoint` does."""
        from widgets.model.library import weights_of

        return weights_of(self.checkpoint().model)

    def tables(self) -> tuple[Tensor, Tensor, Tensor]:
        """The table (1 + h*w, D) on the old grid, on the new one, and on the new one in the way it is compared with."""
        import torch

        from widgets.experiments.other_sizes import resized_table

        w = self.weights()
        with torch.inference_mode():
            old = resized_table(w.positions, w.grid, self.old, LIBRARY)
            return (
                old,
                resized_table(old, self.old, self.new, self.method),
                resized_table(old, self.old, self.new, self.other),
            )

    @property
    def other(self) -> str:
        """The way the chosen one is compared with: the paper's own code, or the library's when that is chosen."""
        return LIBRARY if self.method == PAPER else PAPER

    def maps(self) -> dict[str, np.ndarray]:
        """One number of every position on both grids, the difference to the other way, and the cosines of one
        position."""
        from widgets.experiments.other_sizes import similarity_of

        old, new, other = self.tables()
        on = {"before": (old, self.old), "after": (new, self.new)}
        found = {name: table[1:, self.dimension].reshape(grid).numpy() for name, (table, grid) in on.items()}
        found["apart"] = (new - other)[1:, self.dimension].reshape(self.new).numpy()
        return found | {
            f"similar_{name}": similarity_of(table, grid, self.cell(grid)).numpy() for name, (table, grid) in on.items()
        }

    def cell(self, grid: tuple[int, int]) -> tuple[int, int]:
        """Row and column of the chosen position on a grid."""
        return PositionMap.cell(self.place, grid, LATTICE)

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        ways = controls.choice(self.param.method, "Interpolated how", METHODS, width=290)
        bar = controls.row(
            *self._model.controls, *(field.control for field in self._fields.values()), ways, self._slider
        )
        maps = [self._side_by_side(*names) for names in PAIRED]
        below = [self._column("facts", "0 1 330px"), self._column("ways", "1 1 420px")]
        return pn.Column(
            bar,
            *(field.refusal for field in self._fields.values()),
            pn.Column(*maps, styles=TRACKS, **LOOK_OF_MAPS),
            self._words,
            pn.FlexBox(*below, gap="32px", align_items="flex-start"),
            margin=0,
            styles={"gap": "16px"},
            sizing_mode="stretch_width",
        )

    def _side_by_side(self, *names: str) -> pn.Column:
        span = f"span {len(names)}"
        maps = [pn.Column(self._parts[name], margin=0, styles={"min-width": "0"}) for name in names]
        return pn.Column(
            *maps,
            styles={
                "display": "grid",
                "grid-template-columns": f"repeat({len(names)}, minmax(0, 1fr))",
                "gap": "16px",
                "grid-column": span,
                "min-width": "0",
            },
            **LOOK_OF_MAPS,
        )

    def _column(self, name: str, flex: str, **styles: str) -> pn.Column:
        return pn.Column(self._parts[name], margin=0, styles={"flex": flex, **styles, "min-width": "0"})

    def _make_parts(self) -> dict[str, Part]:
        look = {"channel": f"{self.selection.channel}-places", "lattice": LATTICE, "selected": self.place}
        maps = {name: PositionMap(digits=2 if name.startswith("similar") else 4, **look) for name in MAPS}
        return {
            **maps,
            "facts": NumberTable(title="What comes out"),
            "ways": MatrixView(
                title="The other ways to interpolate, against the library's",
                symbol="ways",
                row_name="way",
                column_name="measure",
                follow=False,
                low=-1,
                high=1,
            ),
        }

    def _wire(self) -> None:
        self.param.watch(self._redraw, ["old", "new", "method", "dimension", "place"])
        self.selection.param.watch(self._other_model, ["checkpoint"])
        for name, field in self._fields.items():
            field.param.watch(lambda event, name=name: setattr(self, name, event.new), "grid")
        self._slider.param.watch(lambda event: setattr(self, "dimension", event.new), "value")
        for name in MAPS:
            self._parts[name].param.watch(lambda event: setattr(self, "place", event.new), "selected")

    def _take_up(self, names: set[str]) -> None:
        """Start from the grid of the model's own table."""
        try:
            w = self.weights()
        except Refused:
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

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._parts["before"]]

    @draws
    def _redraw(self, *_: Any) -> None:
        states = self._states()
        with pn.io.hold():
            D = self.weights().positions.shape[1]
            self._slider.param.update(end=D - 1, value=self.dimension, label=f"Which of the {D} numbers")
            for name, field in self._fields.items():
                field.grid = getattr(self, name)
            for name, state in states.items():
                self._parts[name].param.update(status="ready", message="", **state)
            for name in MAPS:
                self._parts[name].selected = self.place
            self._words.object = controls.status(self._verdict())

    def _states(self) -> dict[str, dict[str, Any]]:
        maps = self.maps()
        most = max(float(np.abs(maps[name]).max()) for name in ("before", "after")) or 1.0
        scales = {
            "before": most,
            "after": most,
            "apart": float(np.abs(maps["apart"]).max()) or most,
            "similar_before": 1.0,
            "similar_after": 1.0,
        }
        states = {}
        for name, values in maps.items():
            title, caption = self._captions(name)
            states[name] = {
                "maps": values.astype(np.float16).tobytes(),
                "rows": values.shape[0],
                "columns": values.shape[1],
                "title": title,
                "low": -scales[name],
                "high": scales[name],
                "caption": caption,
            }
        return states | {"facts": {"fixed": self.facts()}, "ways": self._ways()}

    def _captions(self, name: str) -> tuple[str, str]:
        old, new = grid_written(self.old), grid_written(self.new)
        row, column = self.cell(self.old if name.endswith("before") else self.new)
        said = {
            "before": (f"Before: {old}", f"Number {self.dimension} of every position. {self._origin()}"),
            "after": (
                f"After: {new}",
                f"The same number on the new grid, {table_words.shown(self.method)}, on the same scale.",
            ),
            "apart": (
                "The choice of method",
                f"After, minus what “{table_words.shown(self.other)}” gives. Its own scale: mind the numbers.",
            ),
            "similar_before": (
                "One position, before",
                f"Cosine of row {row}, column {column} with every position. Click another.",
            ),
            "similar_after": (
                "The same place, after",
                f"Cosine of row {row}, column {column}, which lies at the same place.",
            ),
        }
        return said[name]

    def _origin(self) -> str:
        return table_words.origin(self.checkpoint(), self.weights().grid, self.old)

    def facts(self) -> list[tuple[str, str]]:
        """Names and written numbers: rows before and after, sizes in pixels, and that the class row was kept."""
        before, after, _ = self.tables()
        return table_words.facts(before, after, self.old, self.new, self.weights().patch_size)

    def ways(self) -> dict[str, Resized]:
        """How far the rows of every way to interpolate are from the library's."""
        from widgets.experiments.other_sizes import differences_on

        return differences_on(self.selection.checkpoint, self.old, self.new)

    def _ways(self) -> dict[str, Any]:
        rows = self.ways()
        view = MatrixView.matrix(np.array([astuple(one) for one in rows.values()], dtype=np.float32))
        return {
            **view,
            "low": -1.0,
            "high": 1.0,
            "kind": "signed",
            "row_heads": list(rows),
            "column_heads": ["mean cosine", "lowest cosine", "largest difference"],
            "caption": (
                f"Each patch's row beside the library's (bicubic), {grid_written(self.old)} to"
                f" {grid_written(self.new)}. The largest number of the table is"
                f" {float(self.tables()[0][1:].abs().max()):.3f}."
            ),
        }

    def _verdict(self) -> str:
        way = self.other if self.method == LIBRARY else self.method
        return table_words.verdict(self.old, self.new, way, self.ways()[way], self.checkpoint().is_random)

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """The table on both grids."""
        maps, (row, column) = self.maps(), self.cell(self.old)
        cells = {name: self.cell(self.old if name.endswith("before") else self.new) for name in MAPS}
        numbers = [
            (
                f"number {self.dimension} at row {cells[name][0]}, column {cells[name][1]}, {said}",
                fixed(float(maps[name][cells[name]]), 4),
            )
            for name, said in (("before", "before"), ("after", "after"), ("apart", f"after, minus {self.other}"))
        ]
        ways = [(f"{way}: mean cosine with the library's", fixed(one.mean_cosine)) for way, one in self.ways().items()]
        return Description(
            f"{self._origin()} {self._verdict()} The position in row {row}, column {column} is chosen.",
            [*self.facts(), *numbers, *ways],
        )

    def still(self) -> Figure:
        """The maps before and after."""
        from widgets.positions import position_stills

        maps = self.maps()
        titles = {
            "before": f"number {self.dimension}: {grid_written(self.old)}",
            "after": grid_written(self.new),
            "apart": "minus paper's code" if self.other == PAPER else "minus the library's",
            "similar_before": "cosine with +, before",
            "similar_after": "after",
        }
        return position_stills.before_and_after(
            [
                (
                    titles[name],
                    maps[name],
                    (
                        self.cell(self.old if name.endswith("before") else self.new)
                        if name.startswith("similar")
                        else None
                    ),
                )
                for name in MAPS
            ]
        )
