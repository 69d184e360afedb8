"""Attention distance: how far each head of each layer looks on the reader's picture (the paper's Figures 7 and 11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn

from widgets.experiments.kept_pass import read
from widgets.kit.answering import draws
from widgets.kit.picture_widget import PictureWidget
from widgets.kit.plot_still import plot_still
from widgets.kit.widget import Description
from widgets.parts import NumberTable, Part, Plot, Series

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEADS, CHOSEN, MEAN, EVEN = "one head", "the chosen head", "mean of the layer", "every patch weighed alike"


@dataclass(frozen=True)
class Distances:
    """How far the heads of a checkpoint look on one picture."""

    pixels: np.ndarray  # float (L, k): mean attention distance
    even: float  # the same for a head without any preference
    patch_size: int
    image_size: tuple[int, int]
    title: str  # of the checkpoint
    caption: str


class AttentionDistance(PictureWidget):
    """A dot for every head of every layer: how far from its query the patches lie that it weighs. Click one to choose
    it."""

    title = "Find the far-sighted heads"
    summary = "One dot for each head of each layer: how many pixels lie between a patch and the patches it looks at."
    offers = ("layer", "head")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._plot = Plot(
            title="Click a dot to choose that head",
            x_label="layer",
            y_label="mean attention distance (px)",
            y_range=(0, None),
            height=340,
            tappable=True,
        )
        self._table = NumberTable(title="The chosen head")
        self._found: Distances | None = None
        self.draw_with(self._redraw)
        self.selection.param.watch(self._mark, ["layer", "head"])
        self._plot.param.watch(self._tapped, ["tap"])

    def distances(self) -> Distances:
        """What the state asks for. Raises CheckpointMissing or ValueError with a sentence when it cannot be
        computed."""
        from widgets.model.inspection import even_attention_distance, mean_attention_distance

        reading = read(self.selection.checkpoint, self.choice.picture)
        t, P = reading.trace, reading.patch_size
        found = mean_attention_distance(t.attentions, t.grid, P, t.prefix).numpy()  # (L, k)
        return Distances(
            found,
            even_attention_distance(t.grid, P),
            P,
            reading.pixels.shape[1:],
            reading.checkpoint.title,
            reading.caption,
        )

    @property
    def place(self) -> tuple[int, int]:
        """(layer, head) that is chosen, from 0; the last there is when the selection asks for more."""
        layers, heads = self._found.pixels.shape if self._found else (1, 1)
        return min(self.selection.layer, layers - 1), min(self.selection.head, heads - 1)

    def __panel__(self) -> pn.viewable.Viewable:
        bar = self.bar()
        plot = pn.Column(self._plot, styles={"flex": "3 1 420px", "min-width": "0"}, margin=0)
        table = pn.Column(self._table, styles={"flex": "1 1 250px", "min-width": "0"}, margin=0)
        return self.stacked(bar, pn.FlexBox(plot, table, gap="24px", align_items="flex-start"), gap=12)

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._plot]

    @draws
    def _redraw(self, *_: Any) -> None:
        self._found = self.distances()
        caption = (
            "Attention between patches only: the class token has no place, so it is left out and each row made to sum"
            f" to 1 again. Distances are between patch centres. {self._found.caption}"
        )
        self._plot.param.update(status="ready", message="", caption=caption)
        self._mark()

    def _mark(self, *_: Any) -> None:
        if self._found is None:
            return
        self._plot.update(self._series(self._found))
        self._table.fixed = self._rows(self._found)

    def _series(self, found: Distances) -> list[Series]:
        L, k = found.pixels.shape
        layer, head = self.place
        layers, heads = np.indices((L, k)) + 1
        says = [
            f"layer {n}, head {h}: {d:.1f} px"
            for n, h, d in zip(layers.flat, heads.flat, found.pixels.flat, strict=True)
        ]
        ends, means = [1, L], found.pixels.mean(1)
        return [
            Series(HEADS, layers.ravel(), found.pixels.ravel(), "dots", "query", labels=says),
            Series(CHOSEN, [layer + 1], [found.pixels[layer, head]], "dots", "key", labels=[says[layer * k + head]]),
            Series(
                MEAN,
                range(1, L + 1),
                means,
                "line",
                "query",
                labels=[f"layer {n}, mean of the heads: {d:.1f} px" for n, d in enumerate(means, start=1)],
            ),
            Series(
                EVEN, ends, [found.even] * 2, "line", "muted", dash=True, labels=[f"{EVEN}: {found.even:.1f} px"] * 2
            ),
        ]

    def _rows(self, found: Distances) -> list[tuple[str, str]]:
        layer, head = self.place
        distance = found.pixels[layer, head]
        height, width = found.image_size
        return [
            ("layer", str(layer + 1)),
            ("head", str(head + 1)),
            ("mean attention distance", f"{distance:.1f} px"),
            ("the same in patches", f"{distance / found.patch_size:.1f}"),
            (EVEN, f"{found.even:.1f} px"),
            ("picture, height × width", f"{height} × {width} px"),
        ]

    def _tapped(self, *_: Any) -> None:
        name, point = self._plot.tapped
        if name == HEADS and self._found is not None:
            layer, head = divmod(point, self._found.pixels.shape[1])
            self.selection.param.update(layer=layer, head=head)

    def describe(self) -> Description:
        """The nearest and the farthest head of every layer, in words."""
        found = self.distances()
        (layer, head), d = self.place, found.pixels
        sentence = (
            f"{found.title} on {self.choice.picture.title}: head {head + 1} of layer {layer + 1} looks"
            f" {d[layer, head]:.1f} px far on average. Over all layers the heads lie between {d.min():.1f} and"
            f" {d.max():.1f} px; a head that weighs every patch alike would reach {found.even:.1f} px."
        )
        rows = [(f"layer {n}", f"from {row.min():.1f} to {row.max():.1f} px") for n, row in enumerate(d, start=1)]
        return Description(sentence, rows)

    def still(self) -> Figure:
        """The dots, the mean of each layer, and the distance of a head without preference."""
        found = self.distances()
        return plot_still(self._plot, f"{found.title} on {self.choice.picture.title}", self._series(found), 3.2)
