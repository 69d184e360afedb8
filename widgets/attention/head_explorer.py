"""Head explorer: hover a patch and see its row of A in every head of a layer, of four hand-set heads or of the real
model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param
import torch

from widgets.experiments.kept_pass import read
from widgets.kit import stills
from widgets.kit.answering import draws
from widgets.kit.picture_widget import PictureWidget
from widgets.kit.widget import Description
from widgets.model.hand_set_heads import HEADS, PREFIX, hand_heads
from widgets.model.inspection import row_shares
from widgets.model.patches import patch_index, patch_position, token_name
from widgets.parts import HeadMaps, Part, controls
from widgets.pictures import PREPARATIONS, Picture, prepare

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HAND_PATCH = 16  # pixels: the hand-set heads read 14 x 14 patches of a square picture
BRIGHTEST = 0.01  # share of a query's weights, all heads together, that the shared scale draws as its brightest colour
FIRST_QUERY = (0.39, 0.39)  # of height and width, for the hand-set heads: on the cat, an eye
SCALES = {"one for all heads": "shared", "each its own": "own"}


@dataclass(frozen=True, eq=False)
class Layer:
    """The heads of one layer at work on one picture."""

    title: str  # "Layer 3 of DINOv2 ViT-S/14"
    names: tuple[str, ...]  # one a head
    weights: np.ndarray  # float32 (k, T, T): A
    facts: np.ndarray  # float32 (k, T, 5), as `row_shares` in inspection.py adds them up
    pixels: np.ndarray  # uint8 (3, H, W)
    patch_size: int
    prefix: int
    caption: str

    @cached_property
    def tops(self) -> np.ndarray:
        """Where the shared scale ends for each query, float32 (T,): one peak would leave all else dark."""
        return np.quantile(self.weights[:, :, self.prefix :], 1 - BRIGHTEST, axis=(0, 2)).astype(np.float32)

    @property
    def grid(self) -> tuple[int, int]:
        """(rows, columns) of patches."""
        return self.pixels.shape[1] // self.patch_size, self.pixels.shape[2] // self.patch_size


class HeadExplorer(PictureWidget):
    """A query on the picture, and the row of A that belongs to it in all heads of a layer, side by side."""

    title = "Compare the heads"
    summary = (
        "Choose a patch and see where every head of a layer looks from there, in a trained ViT or in heads set by hand."
    )
    offers = ("layer",)

    source = param.Selector(
        default="model", objects=["model", "hand"], doc="heads of the checkpoint, or four set by hand"
    )
    scale = param.Selector(
        default="shared", objects=list(SCALES.values()), doc="one colour scale, or one for each head"
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._maps = HeadMaps(channel=self.selection.channel)
        self._shown: Layer | None = None
        self._redraw()
        self.param.watch(self._sourced, ["source"])
        self.param.watch(self._rescale, ["scale"])
        self.selection.param.watch(self._redraw, [*self.selection.READ, "layer"])
        self.selection.param.watch(self._follow, ["token", "head"])
        self._maps.param.watch(self._chosen, ["selected", "head"])

    # what is shown, as arrays -----------------------------------------------------------------------------

    def layer(self) -> Layer:
        """The heads that the state asks for.

        Raises CheckpointMissing or ValueError with a sentence when they cannot be computed.
        """
        if self.source == "hand":
            return by_hand(self.choice.picture)
        return of_model(self.selection.checkpoint, self.choice.picture, self.selection.layer)

    @property
    def query(self) -> int:
        """The row of A that is shown."""
        return min(self.selection.token, self._tokens - 1)

    @property
    def head(self) -> int:
        """The head that is shown large."""
        return min(self.selection.head, (len(self._shown.names) if self._shown else 1) - 1)

    @property
    def _tokens(self) -> int:
        return self._shown.weights.shape[-1] if self._shown else 1

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        sources = {"of the model": "model", "set by hand": "hand"}
        model = pn.Row(*self.models.controls, margin=0, visible=self.param.source.rx() == "model")
        bar = controls.row(
            *self.choice.controls,
            controls.choice(self.param.source, "Heads", sources, width=150),
            model,
            controls.choice(self.param.scale, "Colour scale", SCALES, width=160),
        )
        return self.stacked(bar, self._maps, gap=12)

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._maps]

    @draws
    def _redraw(self, *_: Any) -> None:
        before, self._shown = self._shown, self.layer()
        layer = self._shown
        if before is not None:
            self.selection.carry(before.grid, layer.grid, (before.prefix, layer.prefix))
        self._maps.param.update(
            title=f"{layer.title}: hover a patch",
            caption=layer.caption,
            status="ready",
            message="",
            alt=self.choice.picture.alt,
            patch_size=layer.patch_size,
            prefix=layer.prefix,
            head_names=list(layer.names),
            head=self.head,
            scale=self.scale,
            selected=self.query,
            **HeadMaps.picture(layer.pixels),
            **HeadMaps.layer(layer.weights, layer.facts, layer.tops),
        )

    def _sourced(self, *_: Any) -> None:
        """Draw the other heads; the hand-set ones start from a patch, as their class token prefers nothing."""
        self._redraw()
        layer = self._shown
        if self.source == "hand" and self._maps.status == "ready" and self.selection.token < layer.prefix:
            at = (int(share * side) for share, side in zip(FIRST_QUERY, layer.grid, strict=True))
            self.selection.token = layer.prefix + patch_index(*at, layer.grid)

    def _rescale(self, *_: Any) -> None:
        self._maps.scale = self.scale

    # what changes -----------------------------------------------------------------------------------------

    def _follow(self, *_: Any) -> None:
        self._maps.param.update(selected=self.query, head=self.head)

    def _chosen(self, *events: param.parameterized.Event) -> None:
        names = {"selected": "token", "head": "head"}
        self.selection.param.update(
            **{names[event.name]: event.new for event in events if event.new != self._now(event.name)}
        )

    def _now(self, name: str) -> int:
        """What stands in the selection: another widget's head may be larger than ours, and stays."""
        return self.query if name == "selected" else self.head

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """Where every head looks from the query, in words."""
        layer = self.layer()
        query = min(self.selection.token, layer.weights.shape[-1] - 1)
        head = min(self.selection.head, len(layer.names) - 1)
        row = layer.facts[:, query]  # (k, 5)
        sentence = (
            f"{layer.title}, {self.choice.picture.title}. The query is {name_and_place(query, layer)}."
            f" {layer.names[head]} gives {row[head, 0]:.3f} of its weight to the class token and {row[head, 1]:.3f} to"
            f" the {layer.weights.shape[-1] - layer.prefix:,} patches, most to"
            f" {name_and_place(layer.prefix + int(row[head, 4]), layer)}."
        )
        rows = [
            (name, f"class token {to:.3f}, patches {rest:.3f}, most on patch {int(at)}: {most:.4f}")
            for name, (to, rest, _, most, at) in zip(layer.names, row, strict=True)
        ]
        scale = (
            "one for all heads"
            if self.scale == "shared"
            else "each head its own, so colours of two heads cannot be compared"
        )
        return Description(sentence, [*rows, ("colour scale", scale)])

    def still(self) -> Figure:
        """The picture with the query ringed, and the map of every head."""
        layer = self.layer()
        query, (rows, columns) = min(self.selection.token, layer.weights.shape[-1] - 1), layer.grid
        maps = layer.weights[:, query, layer.prefix :].reshape(-1, rows, columns)
        top = float(layer.tops[query]) if self.scale == "shared" else None
        colours = "each head its own scale" if top is None else f"yellow: a weight of {top:.4f} or more"
        return stills.heads_still(
            layer.pixels,
            layer.patch_size,
            query - layer.prefix,
            maps,
            layer.names,
            f"{layer.title}\nquery: {name_and_place(query, layer)}\n{colours}",
            top,
        )


def name_and_place(token: int, layer: Layer) -> str:
    """What a reader calls a row of A."""
    name = token_name(token, layer.prefix)
    if token < layer.prefix:
        return name
    row, column = patch_position(token - layer.prefix, layer.grid)
    return f"{name} (row {row}, column {column})"


def of_model(checkpoint: str, picture: Picture, layer: int) -> Layer:
    """All heads of one layer of a checkpoint; a layer it does not have becomes its last.

    Raises CheckpointMissing or ValueError with a sentence.
    """
    reading = read(checkpoint, picture)
    layer = min(layer, len(reading.trace.layers) - 1)
    weights = reading.trace.layers[layer].weights[0]  # (k, T, T)
    return Layer(
        f"Layer {layer + 1} of {reading.checkpoint.title}",
        tuple(f"Head {h + 1}" for h in range(len(weights))),
        weights.numpy(),
        _facts(weights, reading.trace.prefix),
        reading.pixels,
        reading.patch_size,
        reading.trace.prefix,
        reading.caption,
    )


@lru_cache(maxsize=4)
def by_hand(picture: Picture) -> Layer:
    """The four hand-set heads on a picture. Raises ValueError for a picture whose patches are all alike."""
    pixels = prepare(picture, HAND_PATCH)
    made = hand_heads(torch.from_numpy(PREPARATIONS["vit-b16"].apply(pixels)), HAND_PATCH)
    weights = made.trace.weights[0]  # (4, T, T)
    caption = (
        f"{picture.title}, {HAND_PATCH} px patches. Set by hand, not trained: "
        + "; ".join(f"head {n} compares {head.compares}" for n, head in enumerate(HEADS, start=1))
        + ". The class token is a row of zeros, so its query prefers nothing."
    )
    return Layer(
        "Four hand-set heads",
        tuple(f"Head {n}: {head.name}" for n, head in enumerate(HEADS, start=1)),
        weights.numpy(),
        _facts(weights, PREFIX),
        pixels,
        HAND_PATCH,
        PREFIX,
        caption,
    )


def _facts(weights: Any, prefix: int) -> np.ndarray:
    return np.stack([field.numpy().astype(np.float32) for field in row_shares(weights, prefix)], axis=-1)  # (k, T, 5)
