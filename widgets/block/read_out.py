"""Read one vector out of a picture's tokens, by the class token or by the average of the patches (chapter 04)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import torch
from torch.nn.functional import cosine_similarity

from widgets.common.number_formats import fixed
from widgets.kit import stills
from widgets.kit.answering import draws
from widgets.kit.picture_widget import PictureWidget
from widgets.kit.widget import Description
from widgets.parts import MatrixView, NumberTable, Part, PictureGrid
from widgets.pictures import open_sample, prepare, sample_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WAYS = ("by the class token", "by the mean of the patches")
SIDE = 112  # pixels: the shorter side of the neighbours' pictures


@dataclass(frozen=True)
class Neighbours:
    """The sample pictures, but for the one that is looked at, and how alike each is to it by both ways."""

    title: str  # of the checkpoint
    provenance: str
    names: tuple[str, ...]  # S sample names
    cosines: np.ndarray  # (S, 2): with the same way's reading of each sample
    between: float  # cosine of the two readings of this picture
    mirrored: tuple[float, float]  # cosine with the same way's reading of its mirror image: a yardstick

    def nearest(self, way: int) -> str:
        """Name of the sample that is most alike by one way."""
        return self.names[int(self.cosines[:, way].argmax())]


class ReadOut(PictureWidget):
    """The two ways to read a picture's vector out of a ViT: which picture does each find most alike?"""

    title = "Read out one vector"
    summary = (
        "Take the class token's last state, or the average of the patches', and see which picture each finds most"
        " alike."
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._pictures = [
            PictureGrid(title=title, follow=False) for title in ("This picture", *(f"Most alike {way}" for way in WAYS))
        ]
        self._matrix = MatrixView(
            title="How alike every sample picture is",
            symbol="cosines",
            row_name="picture",
            column_name="way to read",
            column_heads=list(WAYS),
            follow=False,
        )
        self._table = NumberTable(title="The two vectors of this picture")
        self.draw_with(self._redraw)

    def neighbours(self) -> Neighbours:
        """Compare this picture with the samples by both ways. Raises CheckpointMissing or ValueError with a
        sentence."""
        from widgets.checkpoints.loading import at_hand
        from widgets.experiments.readout import mirrored, read_outs, sample_read_outs

        checkpoint = at_hand(self.selection.checkpoint)
        here = read_outs(self.selection.checkpoint, self.choice.picture)  # two of (D,)
        turned = read_outs(self.selection.checkpoint, mirrored(self.choice.picture))
        titles, known = sample_read_outs(self.selection.checkpoint)  # two of (S, D)
        others = [n for n, title in enumerate(titles) if title != self.choice.picture.title]
        cosines = torch.stack(
            [cosine_similarity(of[others], one[None]) for of, one in zip(known, here, strict=True)], dim=1
        )  # (S, 2)
        return Neighbours(
            checkpoint.title,
            checkpoint.provenance.brief,
            tuple(sample_names()[n] for n in others),
            cosines.numpy(),
            float(cosine_similarity(*here, dim=0)),
            tuple(float(cosine_similarity(one, other, dim=0)) for one, other in zip(here, turned, strict=True)),
        )

    def __panel__(self) -> pn.viewable.Viewable:
        bar = self.bar()
        pictures = [
            pn.Column(part, styles={"flex": "1 1 150px", "max-width": "210px", "min-width": "0"}, margin=0)
            for part in self._pictures
        ]
        left = pn.Column(
            pn.FlexBox(*pictures, gap="16px", align_items="flex-start"),
            self._table,
            margin=0,
            styles={"flex": "1 1 420px", "min-width": "0", "gap": "12px"},
        )
        right = pn.Column(self._matrix, styles={"flex": "1 1 360px", "min-width": "0"}, margin=0)
        return self.stacked(bar, pn.FlexBox(left, right, gap="24px", align_items="flex-start"), gap=16, wide=True)

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._pictures[0]]

    @draws
    def _redraw(self, *_: Any) -> None:
        found = self.neighbours()
        shown = [self.choice.picture, *(open_sample(found.nearest(way)) for way in (0, 1))]
        said = ["", *(f" Cosine {found.cosines[:, way].max():.3f}." for way in (0, 1))]
        with pn.io.hold():
            for part, picture, words in zip(self._pictures, shown, said, strict=True):
                part.param.update(
                    status="ready",
                    message="",
                    patch_size=SIDE * 20,
                    alt=picture.alt,
                    caption=f"{picture.title}.{words}",
                    **PictureGrid.picture(prepare(picture, 1, SIDE)),
                )
            self._matrix.param.update(
                **{**MatrixView.matrix(found.cosines), "low": -1.0, "high": 1.0, "kind": "signed"},
                row_heads=[open_sample(name).title for name in found.names],
                caption=(
                    "Cosine of each picture's vector with this picture's, both read the same way. None of them need"
                    f" show the same thing: the most alike is the nearest there is. {found.provenance}"
                ),
            )
            self._table.fixed = self._rows(found)

    @staticmethod
    def _rows(found: Neighbours) -> list[tuple[str, str]]:
        return [
            ("cosine of the two with each other", fixed(found.between)),
            *((f"with its mirror image, {way}", fixed(value)) for value, way in zip(found.mirrored, WAYS, strict=True)),
            *((f"most alike {way}", open_sample(found.nearest(n)).title) for n, way in enumerate(WAYS)),
        ]

    def describe(self) -> Description:
        """Both readings in words, and the cosines with every sample."""
        found = self.neighbours()
        first, second = (open_sample(found.nearest(way)).title for way in (0, 1))
        verdict = (
            f"both find “{first}” most alike"
            if first == second
            else f"the class token finds “{first}” most alike, the mean of the patches “{second}”"
        )
        rows = [
            (f"{open_sample(name).title}: {way}", fixed(value))
            for name, pair in zip(found.names, found.cosines, strict=True)
            for way, value in zip(WAYS, pair, strict=True)
        ]
        return Description(
            f"{self.choice.picture.title} read by {found.title}: {verdict}.", [*self._rows(found), *rows]
        )

    def still(self) -> Figure:
        """This picture and the one most alike by each way."""
        found = self.neighbours()
        shown = [(self.choice.picture, "this picture")] + [
            (open_sample(found.nearest(way)), f"most alike\n{WAYS[way]}") for way in (0, 1)
        ]
        return stills.pictures_in_a_row([(prepare(picture, 1, SIDE), title) for picture, title in shown])
