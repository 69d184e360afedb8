"""Hover a patch: where it lies in the picture, in the sequence, and in the matrix x_p (chapter 02)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from widgets.common.number_formats import fixed
from widgets.common.refusal import Refused
from widgets.kit import stills
from widgets.kit.picture_choice import PictureChoice
from widgets.kit.widget import Description, Widget
from widgets.model.count import sequence_facts
from widgets.model.patches import number_places, patch_position, patchify, to_channels_last
from widgets.parts import MatrixView, NumberTable, Part, PatchPixels, PictureGrid, TokenStrip, controls
from widgets.pictures import PREPARATIONS, Picture, prepare

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PATCH_SIZES = [8, 14, 16, 28, 32, 56]
PREFIX = 1  # the class token comes before the patches in z, so patch n is token n + 1


class PatchHover(Widget):
    """A picture cut into patches. Hover one: the same patch is marked in the sequence and in the matrix."""

    title = "Hover a patch"
    summary = "Cut a picture into patches and follow one of them into the sequence a ViT reads."

    patch_size = param.Selector(default=16, objects=PATCH_SIZES, doc="P, pixels")
    numbers = param.Selector(default="bytes", objects=list(PREPARATIONS), doc="how the pixels are written as numbers")
    channels_last = param.Boolean(False, doc="row-column-channel inside a row, not channel-row-column")
    colours = param.Selector(
        default="own",
        objects=["own", "likeness"],
        doc="the picture's own, or how alike the checkpoint finds each patch to the one followed",
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self.selection.patch_size in PATCH_SIZES:
            self.patch_size = self.selection.patch_size
        self.choice = PictureChoice(selection=self.selection)
        self._written: tuple[tuple[Any, ...], np.ndarray] | None = None
        self._cut: tuple[Picture, int, np.ndarray] | None = None
        self.selection.token = min(
            self.selection.token, PREFIX + self.facts["patches"] - 1
        )  # an address may ask for more
        self._drawn_on = self.grid
        self._parts = self._make_parts()
        self.param.watch(self._redraw, ["patch_size", "numbers", "channels_last", "colours"])
        self.selection.param.watch(self._redraw, list(self.selection.READ))
        self.selection.param.watch(self._follow_patch_size, ["patch_size"])
        self.share_token(*self._parts.values())

    # what is shown, as arrays -----------------------------------------------------------------------------

    @property
    def picture(self) -> Picture:
        """The picture of the selection."""
        return self.choice.picture

    @property
    def pixels(self) -> np.ndarray:
        """The picture as it is cut: uint8 (3, H, W), both sides multiples of P."""
        if self._cut is None or self._cut[:2] != (self.picture, self.patch_size):
            self._cut = (self.picture, self.patch_size, prepare(self.picture, self.patch_size))
        return self._cut[2]

    @property
    def grid(self) -> tuple[int, int]:
        """(rows, columns) of patches."""
        return self.pixels.shape[1] // self.patch_size, self.pixels.shape[2] // self.patch_size

    @property
    def facts(self) -> dict[str, int]:
        """N, P^2 C, T and T^2 of this picture at this P."""
        return sequence_facts(self.pixels.shape[1:], self.patch_size)

    @property
    def patch(self) -> int:
        """The selected patch; patch 0 stands in for the class token, which this widget does not draw."""
        return min(max(self.selection.token - PREFIX, 0), self.facts["patches"] - 1)

    def rows(self) -> np.ndarray:
        """The matrix x_p: float32 (N, P*P*C), in the chosen numbers and order."""
        wanted = (self.picture, self.patch_size, self.numbers, self.channels_last)
        if self._written is None or self._written[0] != wanted:
            rows = patchify(PREPARATIONS[self.numbers].apply(self.pixels), self.patch_size)
            self._written = (wanted, to_channels_last(rows, self.patch_size) if self.channels_last else rows)
        return self._written[1]

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        parts = self._parts
        bar = pn.FlexBox(*self.choice.controls, *self._controls(), align_items="flex-end", margin=(0, 0, 8, 0))
        details = pn.Column(parts["pixels"], parts["table"], styles={"flex": "1 1 340px", "min-width": "0"}, margin=0)
        picture = pn.Column(
            parts["grid"], styles={"flex": "1 1 300px", "max-width": "448px", "min-width": "0"}, margin=0
        )
        strip = pn.Column(parts["strip"], styles={"flex": "1 1 100%", "min-width": "0", "order": "3"}, margin=0)
        # under the rest, or beside it where a page is as wide as a projector's
        matrix = pn.Column(
            parts["matrix"],
            margin=0,
            styles={"flex": "1 1 var(--vit-beside, 100%)", "min-width": "0", "order": "var(--vit-beside-order, 4)"},
        )
        whole = pn.FlexBox(picture, details, strip, matrix, gap="24px", align_items="flex-start")
        return self.stacked(bar, whole, gap=20, wide=True)

    def _controls(self) -> list[pn.viewable.Viewable]:
        looks = {"their own pixels": "own", "what a trained ViT finds alike": "likeness"}
        orders = {"channel, row, column": False, "row, column, channel": True}
        return [
            controls.radio(self.param.patch_size, "Patch side P, in pixels", {f"{p}": p for p in PATCH_SIZES}),
            controls.choice(
                self.param.numbers, "Numbers written as", {p.title: k for k, p in PREPARATIONS.items()}, width=290
            ),
            controls.choice(self.param.channels_last, "Order inside a row", orders, width=210),
            controls.choice(self.param.colours, "Colour the patches by", looks, width=250),
        ]

    def _make_parts(self) -> dict[str, Part]:
        shared = {"channel": self.selection.channel, "prefix": PREFIX, "selected": self.patch + PREFIX}
        parts = {
            "grid": PictureGrid(title="Hover a patch, click to keep it", **shared),
            "pixels": PatchPixels(**shared),
            "table": NumberTable(**shared),
            "strip": TokenStrip(title="The sequence", **shared),
            "matrix": MatrixView(
                title="Every patch is a row",
                row_name="patch",
                symbol="x_p",
                row_offset=PREFIX,
                number_kind="float16",
                **shared,
            ),
        }
        for name, state in self._states().items():
            parts[name].param.update(**state)
        return parts

    def _states(self) -> dict[str, dict[str, Any]]:
        """What each part shows now."""
        rows, P, pixels = self.rows(), self.patch_size, self.pixels
        seen = {**PictureGrid.picture(pixels), "patch_size": P}
        digits = 0 if self.numbers == "bytes" else 3
        matrix = MatrixView.matrix(rows, "float16") | {"digits": digits, "caption": self._matrix_caption()}
        if self.numbers == "bytes":
            matrix |= {"kind": "grey", "high": 255.0}
        return {
            "grid": seen | self._likeness() | {"alt": self.picture.alt, "positions": self._positions()},
            "strip": (
                seen
                | {
                    "caption": (
                        f"Patches in raster order. The bar is the whole sequence, a tick for each of the {self.grid[0]}"
                        " rows of patches."
                    )
                }
            ),
            "pixels": (
                seen
                | {
                    "values": rows.astype(np.float16).tobytes(),
                    "digits": digits,
                    "spans": self._spans(),
                    "places": number_places(P, 3, self.channels_last).astype(np.int32).tobytes(),
                }
            ),
            "table": self._table(),
            "matrix": matrix,
        }

    def _positions(self) -> bytes:
        places = [patch_position(n, self.grid) for n in range(self.facts["patches"])]
        return np.array(places, dtype=np.int32).tobytes()

    def _likeness(self) -> dict[str, Any]:
        """The map over the picture, if it is asked for, and the caption that says what is seen."""
        plain = {"maps": b"", "caption": self._picture_caption(), "status": "ready", "message": ""}
        if self.colours == "own":
            return plain
        from widgets.experiments import (
            token_similarity,  # here, because it brings transformers, and most readers start without
        )

        try:
            checkpoint = token_similarity.reader_of(self.selection.checkpoint, self.patch_size, self.pixels.shape[1:])
        except Refused as refusal:
            return plain | {"status": "refused", "message": str(refusal)}
        alike = token_similarity.patch_likeness(checkpoint, checkpoint.preparation.apply(self.pixels))
        maps = np.concatenate([alike[:PREFIX], alike])  # (PREFIX + N, N): a token a row
        caption = (
            f"{self._picture_caption()} {checkpoint.title} reads patches of this size. Yellow patches came out of it"
            f" most like the one you follow. {checkpoint.provenance.sentence}"
        )
        return plain | {
            "maps": maps.astype(np.float16).tobytes(),
            "maps_low": float(np.quantile(alike, 0.1)),
            "maps_high": 1.0,
            "caption": caption,
            "maps_name": "likeness: cosine of the tokens that come out; the least alike tenth is drawn as one",
        }

    def _table(self) -> dict[str, Any]:
        facts = self.facts
        by_token = [[str(n), *map(str, patch_position(n, self.grid))] for n in range(facts["patches"])]
        fixed = [
            ("patches, N = HW / P²", f"{facts['patches']:,}"),
            ("numbers a patch, P² C", f"{facts['row_length']:,}"),
            ("tokens, T = N + 1 class token", f"{facts['tokens']:,}"),
            ("entries of one attention table, T²", f"{facts['attention_entries']:,}"),
        ]
        return {
            "names": ["patch n", "its row in the grid", "its column in the grid"],
            "by_token": by_token,
            "fixed": fixed,
        }

    def _spans(self) -> list[str]:
        if self.channels_last:
            return [f"every third, from {c}" for c in range(3)]
        size = self.patch_size**2
        return [f"{c * size} to {(c + 1) * size - 1}" for c in range(3)]

    def _picture_caption(self) -> str:
        (_, height, width), (rows, columns) = self.pixels.shape, self.grid
        return (
            f"{self.picture.title}, scaled to {height} px high and {width} px wide, cut into {rows} × {columns} patches"
            f" of {self.patch_size} px."
        )

    def _matrix_caption(self) -> str:
        return f"Numbers: {PREPARATIONS[self.numbers].title}."

    # what changes -----------------------------------------------------------------------------------------

    def _redraw(self, *events: param.parameterized.Event) -> None:
        if any(event.name == "colours" for event in events) and self._went_to_the_models_patch_size():
            return  # that change has redrawn everything
        self.selection.patch_size = self.patch_size
        self.selection.carry(self._drawn_on, self.grid)
        self._drawn_on = self.grid
        with pn.io.hold():
            for name, state in self._states().items():
                self._parts[name].param.update(**state)

    def _went_to_the_models_patch_size(self) -> bool:
        """A checkpoint reads patches of one size: asked for its colours, go there, if it is on this machine."""
        if self.colours == "own":
            return False
        from widgets.checkpoints.loading import available, load

        if self.selection.checkpoint not in available():
            return False
        before, self.patch_size = self.patch_size, load(self.selection.checkpoint).model.config.patch_size
        return before != self.patch_size

    def _follow_patch_size(self, event: param.parameterized.Event) -> None:
        if event.new in PATCH_SIZES:
            self.patch_size = event.new

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """The selected patch and the cut in words."""
        n, facts, (_, height, width) = self.patch, self.facts, self.pixels.shape
        row, column = patch_position(n, self.grid)
        P = self.patch_size
        sentence = (
            f"{self.picture.title}, {height} × {width} px, is cut into {facts['patches']:,} patches of {P} × {P} px."
            f" Patch {n} lies in row {row}, column {column} and becomes row {n} of x_p: {facts['row_length']:,}"
            " numbers."
        )
        values = self.rows()[n]
        digits = 0 if self.numbers == "bytes" else 3
        first = ", ".join(fixed(v, digits) for v in values[:6])
        table = [
            ("picture", self.picture.title),
            (
                "pixels of the patch",
                f"rows {row * P} to {row * P + P - 1}, columns {column * P} to {column * P + P - 1}",
            ),
            (f"first six numbers ({PREPARATIONS[self.numbers].title})", first),
            *self._table()["fixed"],
        ]
        return Description(sentence, table)

    def still(self) -> Figure:
        """The picture with its grid, the selected patch ringed, and the patch enlarged beside it."""
        return stills.patch_still(
            self.pixels, self.patch_size, self.patch, f"x_p: {self.facts['patches']:,} × {self.facts['row_length']:,}"
        )
