"""Hover a position: how alike its row of E_pos is to all others, in four tables (chapter 04)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param
import torch

from widgets.common.number_formats import fixed
from widgets.common.refusal import Refused
from widgets.kit.answering import draws
from widgets.kit.picture_widget import PictureWidget
from widgets.kit.widget import Description
from widgets.model.library import weights_of
from widgets.model.patches import patch_position
from widgets.model.position_tables import likeness, most_alike, position_table, similarity_rows
from widgets.parts import MatrixView, Part, PictureGrid, controls
from widgets.parts.map_tiles import MapTiles
from widgets.parts.position_map import PositionMap
from widgets.pictures import prepare

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.model.position_tables import Likeness

MOST = 800  # patches: four tables of cosines of so many take 5 MB on their way to the browser
TILES = 8  # at most so many in a row
STORED = "stored"
NAMES = {"learned": "learned", "sincos_1d": "sinusoidal 1-D", "sincos_2d": "sinusoidal 2-D", "random": "random"}
LOOK_FOR = {
    "learned": "Look for a cross: its own row and column.",
    "sincos_1d": (
        "Look for a band: what comes shortly before and after in the sequence. The patch above is a whole row away."
    ),
    "sincos_2d": (
        "Look for a cross again, put there by the formula: half of the numbers tell the row, half the column."
        " On the scale of all tables it is nearly all orange: choose “each table its own” above."
    ),
    "random": "Look for a single cell: itself. It is like no other, neighbour or not.",
}
UNTRAINED = (
    "Look for a single cell: itself. This model was never trained, so its table is as random as the one called random."
)
ENLARGED = (
    "Look for a short line: itself and what was mixed with it. This model was never trained and its table is random,"
    " but making it larger mixes each place with those beside it."
)
MEASURES = ["share in row", "share in column", "cosine in row", "cosine in column", "cosine in neither"]
SCALES = {"one for all, −1 to 1": "same", "each table its own": "own"}


class PositionSimilarity(PictureWidget):
    """Four tables of positions on the grid of a picture: a model's own, two by formula, and a random one."""

    title = "Hover a position"
    summary = "See which places a ViT's position table holds alike, beside tables made by formula and by chance."

    table = param.Selector(default="learned", objects=[*NAMES, STORED], doc="whose maps are all drawn as tiles")
    scale = param.Selector(default="same", objects=list(SCALES.values()), doc="of the colours of the maps")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._similar: dict[tuple[str, str, tuple[int, int]], tuple[np.ndarray, Likeness]] = {}
        self._said: dict[tuple[str, str, tuple[int, int]], list[str]] = {}
        self._radio, self._offered = pn.Column(margin=0), {}
        self._grid = (0, 0)  # that the maps are drawn on
        self._words = controls.words("", sizing_mode="stretch_width")
        self._parts = self._make_parts()
        self.share_token(*(self._parts[name] for name in ("picture", *NAMES, "tiles")))
        self.draw_with(self._redraw, "table", "scale")
        self._start_at_a_patch()

    def _start_at_a_patch(self) -> None:
        """Where nobody has chosen, begin at a place with a row and a column: the class token has neither."""
        part = self._parts["learned"]
        if not self.selection.token and part.rows:
            self.selection.token = 1 + part.rows // 3 * part.columns + part.columns // 3

    # what is shown, as arrays -----------------------------------------------------------------------------

    def look_at(self) -> tuple[str, tuple[int, int], np.ndarray]:
        """Title of the checkpoint, grid (rows, columns) and pixels (3, H, W) of the picture as it would cut it.

        Raises CheckpointMissing, or ValueError with a sentence for an unknown checkpoint or too many patches.
        """
        from widgets.checkpoints.loading import at_hand

        checkpoint = at_hand(self.selection.checkpoint)
        P = checkpoint.patch_size
        pixels = prepare(self.choice.picture, P)
        grid = (pixels.shape[1] // P, pixels.shape[2] // P)
        if grid[0] * grid[1] > MOST:
            raise Refused(
                f"{self.choice.picture.title} is cut into {grid[0] * grid[1]:,} patches, too many to compare each with"
                f" each here: choose a picture with at most {MOST}."
            )
        return checkpoint.title, grid, pixels

    def similarity(self, kind: str) -> tuple[np.ndarray, Likeness, tuple[int, int]]:
        """Cosines of every row with the patches' rows, (1 + N, N), what they add up to, and their grid.

        `kind` is a table's name; "stored" is the learned one on the grid it was made for. Raises as `look_at` does.
        """
        from widgets.checkpoints.loading import at_hand

        w = weights_of(at_hand(self.selection.checkpoint).model)
        grid = w.grid if kind == STORED else self.look_at()[1]
        wanted = (self.selection.checkpoint, kind, grid)
        if wanted not in self._similar:
            with torch.inference_mode():
                table = position_table("learned" if kind == STORED else kind, w, grid)
                self._similar[wanted] = (similarity_rows(table, grid).numpy(), likeness(table, grid))
        return *self._similar[wanted], grid

    @property
    def _stored_grid(self) -> tuple[int, int]:
        from widgets.checkpoints.loading import at_hand

        return weights_of(at_hand(self.selection.checkpoint).model).grid

    def said(self, kind: str) -> list[str]:
        """For each token, which patch's position is most alike to its own: sentences. Raises as `look_at` does."""
        similar, _, grid = self.similarity(kind)
        wanted = (self.selection.checkpoint, kind, grid)
        if wanted not in self._said:
            self._said[wanted] = [_said_of_class(similar[0]), *_said_of_patches(similar[1:], grid)]
        return self._said[wanted]

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        parts = self._parts
        scale = controls.choice(self.param.scale, "Colour scale", SCALES, width=190)
        bar = self.bar(scale)
        maps = [
            pn.Column(parts[name], styles={"flex": "1 1 165px", "max-width": "300px", "min-width": "0"}, margin=0)
            for name in ("picture", *NAMES)
        ]
        tiles = pn.Column(
            self._radio, parts["tiles"], margin=0, styles={"flex": "1 1 300px", "max-width": "560px", "min-width": "0"}
        )
        facts = pn.Column(
            parts["facts"], self._words, margin=0, styles={"flex": "1 1 380px", "min-width": "0", "gap": "12px"}
        )
        return self.stacked(
            bar,
            pn.FlexBox(*maps, gap="16px", align_items="flex-start"),
            pn.FlexBox(tiles, facts, gap="24px", align_items="flex-start"),
            gap=20,
            wide=True,
        )

    def _make_parts(self) -> dict[str, Part]:
        shared = {"channel": self.selection.channel, "prefix": 1, "selected": self.selection.token}
        maps = {
            name: PositionMap(title=shown, offer_class=name == "learned", **shared) for name, shown in NAMES.items()
        }
        return {
            "picture": PictureGrid(title="Hover, click to keep", stand_in=False, **shared),
            **maps,
            "tiles": MapTiles(title="Every map at its own place", name_of_scale="cosine", **shared),
            "facts": MatrixView(
                title="What each table tells of the grid",
                symbol="shares and cosines",
                row_name="table",
                column_name="measure",
                follow=False,
            ),
        }

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._parts["picture"]]

    @draws
    def _redraw(self, *_: Any) -> None:
        title, grid, pixels = self.look_at()
        if self.table == STORED and grid == self._stored_grid:
            self.table = "learned"  # the same table then, and not offered twice; this has redrawn everything
            return
        states = self._states(title, grid, pixels)
        before, self._grid = self._grid, grid
        self.selection.carry(grid if before == (0, 0) else before, grid)
        with pn.io.hold():
            for name, state in states.items():
                self._parts[name].param.update(status="ready", message="", **state)
            self._offer(self._options(grid))
            self._words.object = f'<p style="margin:0;color:var(--vit-ink)">{self._how_to_read(title)}</p>'

    def _offer(self, options: dict[str, str]) -> None:
        """New radio buttons only when there are others: the keyboard is on them while they are used."""
        if options != self._offered:
            self._offered = options
            self._radio.objects = [controls.radio(self.param.table, "Tiles of the table", options)]

    def _states(self, title: str, grid: tuple[int, int], pixels: np.ndarray) -> dict[str, dict[str, Any]]:
        places = [patch_position(n, grid) for n in range(grid[0] * grid[1])]
        picture = {
            **PictureGrid.picture(pixels),
            "patch_size": pixels.shape[1] // grid[0],
            "alt": self.choice.picture.alt,
            "positions": np.array(places, dtype=np.int32).tobytes(),
            "caption": (
                f"{self.choice.picture.title}. It only sets the grid, {grid[0]} × {grid[1]}: no pixel of it is used."
            ),
        }
        maps = {
            name: {
                **PositionMap.of(self.similarity(name)[0], grid),
                **self._colours(name),
                "said": self.said(name),
                "title": self._title(name),
                "caption": self._look_for(name, title),
            }
            for name in NAMES
        }
        return {"picture": picture, **maps, "tiles": self._tiles(title), "facts": self._facts(title)}

    def _title(self, name: str) -> str:
        return {"learned": "learned", "random": "random (seed 0)"}.get(name, NAMES[name])

    def _look_for(self, name: str, title: str) -> str:
        if name != "learned":
            return LOOK_FOR[name]
        grid, stored = self.similarity(name)[2], self._stored_grid
        made = (
            "as stored"
            if grid == stored
            else f"stored as {stored[0]} × {stored[1]}, interpolated to {grid[0]} × {grid[1]}"
        )
        untrained = UNTRAINED if grid == stored else ENLARGED
        return (
            f"{untrained if self.selection.checkpoint.startswith('random') else LOOK_FOR[name]} From {title}, {made}."
        )

    def _colours(self, kind: str) -> dict[str, Any]:
        if self.scale == "same":
            return {"low": -1.0, "high": 1.0, "kind": "signed"}
        return {"low": float(self.similarity(kind)[0].min()), "high": 1.0, "kind": "weight"}

    def _tiles(self, title: str) -> dict[str, Any]:
        similar, _, grid = self.similarity(self.table)
        stride = -(-max(grid) // TILES)
        patches = [r * grid[1] + c for r in range(0, grid[0], stride) for c in range(0, grid[1], stride)]
        every = (
            "Every position" if stride == 1 else f"Every {_ordinal(stride)} position of every {_ordinal(stride)} row"
        )
        shown = "learned, as stored" if self.table == STORED else NAMES[self.table]
        return {
            **MapTiles.of(similar[[1 + n for n in patches]], grid, -(-grid[1] // stride)),
            **self._colours(self.table),
            "tokens": [] if grid != self.similarity("learned")[2] else [1 + n for n in patches],
            "names": [f"Tile of the position in {_place(n, grid)}" for n in patches],
            "alt": f"Maps of the {shown} table, each at the place of its own position.",
            "caption": (
                f"The {shown} table of {grid[0]} × {grid[1]} positions,"
                f" {title if self.table in ('learned', STORED) else 'no model'}. {every} has a tile, at its own place,"
                " and in the tile its cosine with all."
            ),
        }

    def _facts(self, title: str) -> dict[str, Any]:
        rows = self.facts()
        _, columns = grid = self.similarity("learned")[2]
        N = grid[0] * grid[1]
        chance = (
            f"By chance, {(columns - 1) / (N - 1):.3f} of them would lie in its row and {(grid[0] - 1) / (N - 1):.3f}"
            f" in its column ({grid[0]} × {columns} positions)."
        )
        view = MatrixView.matrix(np.round(list(rows.values()), 3) + 0.0)  # no minus before a zero
        return {
            **view,
            "low": -1.0,
            "high": 1.0,
            "kind": "signed",
            "row_heads": list(rows),
            "column_heads": MEASURES,
            "caption": (
                "Shares: of the 4 positions most alike to a position, how many lie in its row, and in its column."
                f" {chance} Cosines: the mean with the others of its row, of its column, and with those in neither."
                f" “learned” is {title}'s."
            ),
        }

    def facts(self) -> dict[str, list[float]]:
        """A row of MEASURES for each table, by the name it has on screen. Raises as `look_at` does."""
        found = {}
        kinds = [*NAMES] if self._stored_grid == self.similarity("learned")[2] else [*NAMES, STORED]
        for kind in kinds:
            _, alike, grid = self.similarity(kind)
            name = f"learned, {grid[0]} × {grid[1]} as stored" if kind == STORED else NAMES[kind]
            found[name] = [
                alike.share_in_row,
                alike.share_in_column,
                alike.same_row,
                alike.same_column,
                alike.elsewhere,
            ]
        return found

    def _options(self, grid: tuple[int, int]) -> dict[str, str]:
        stored = self._stored_grid
        options = {shown: kind for kind, shown in NAMES.items()}
        return options if grid == stored else options | {f"learned, as stored ({stored[0]} × {stored[1]})": STORED}

    def _how_to_read(self, title: str) -> str:
        facts = self.facts()
        learned, formula, chance = (facts[NAMES[kind]] for kind in ("learned", "sincos_1d", "random"))
        stored = [
            f" ({row + column:.1%} as it is stored)"
            for name, (row, column, *_) in facts.items()
            if name not in NAMES.values()
        ]
        return (
            f"Of the four positions most alike to a position, {learned[0] + learned[1]:.1%} lie in its row or column in"
            f" the table of {title}{''.join(stored)}, {chance[0] + chance[1]:.1%} in the random one. In the 1-D formula"
            f" {formula[1]:.1%} lie in its column."
        )

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """The selected position in each table, and the measures."""
        title, grid, _ = self.look_at()
        rows = [
            (f"{name}: {measure}", fixed(value))
            for name, values in self.facts().items()
            for measure, value in zip(MEASURES, values, strict=True)
        ]
        token = min(self.selection.token, grid[0] * grid[1])
        who = f"the position of patch {token - 1}, {_place(token - 1, grid)}" if token else "the class token's row"
        said = [(f"{shown}: {who}", self.said(kind)[token]) for kind, shown in NAMES.items()]
        where = f"the patches of {self.choice.picture.named}, {grid[0]} × {grid[1]}"
        return Description(
            f"Four position tables on {where}, compared from {who}. {self._how_to_read(title)}", [*said, *rows]
        )

    def still(self) -> Figure:
        """The map of one position in each table, on one scale."""
        from widgets.positions.position_stills import position_maps

        grid = self.look_at()[1]
        patch = max(0, self.selection.token - 1)
        return position_maps(
            {self._title(kind): self.similarity(kind)[0][1 + patch].reshape(grid) for kind in NAMES},
            patch_position(patch, grid),
        )


def _said_of_patches(similar: np.ndarray, grid: tuple[int, int]) -> list[str]:
    nearest = most_alike(torch.from_numpy(similar), 1)[:, 0].tolist()
    return [f"Most alike: {_place(m, grid)} (cosine {fixed(similar[n, m])})." for n, m in enumerate(nearest)]


def _said_of_class(cosines: np.ndarray) -> str:
    if not np.abs(cosines).max():
        return "The class token's row is zeros: no cosine is defined."
    return f"The class token's row: cosines between {fixed(cosines.min())} and {fixed(cosines.max())}."


def _place(n: int, grid: tuple[int, int]) -> str:
    return "row {}, column {}".format(*patch_position(n, grid))


def _ordinal(n: int) -> str:
    return {2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh", 8: "eighth"}.get(n, f"{n}th")
