"""Every tensor of a ViT in one drawing, to scale: as HTML on a page and in a notebook, as a still, and in words."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from html import escape
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from widgets.common.refusal import Refused
from widgets.counting.shape_guess import written
from widgets.kit.widget import STILLS, png_of
from widgets.model.shape import FAMILY, size_pair
from widgets.model.shape_trace import Stage, shape_trace
from widgets.parts.theme import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDEST = 256  # pixels that the widest tensor takes, so that it fits a telephone
THINNEST = 3  # pixels: a thinner side would not be seen
GAP = 2  # pixels between the tables of a stack
SEQUENCE = "(B, T, D)"
ACCENT = "var(--vit-accent,#6A5FD8)"  # where a notebook has no theme of ours, a tone that both of its own can bear
LIST = "list-style:none;margin:0;padding:0"
RULE = "border-top:1px solid var(--vit-line,rgba(128,128,128,.4))"
STILL_LINE, STILL_LEFT = 46, 370  # pixels of a still: the height of a tensor's line, and where its boxes begin


class Boxes(NamedTuple):
    """How a tensor is drawn: `count` tables side by side, each `width` x `height` pixels."""

    count: int
    width: float
    height: float


@dataclass(frozen=True)
class ShapeDrawing:
    """The tensors of one picture's way through a model, each with its shape, its words and a drawing to scale."""

    name: str
    stages: tuple[Stage, ...]
    layers: int
    sides: tuple[int, int]

    @property
    def numbers_a_pixel(self) -> int:
        """How many numbers one pixel of the drawing stands for: the fewest with which the widest tensor fits."""
        return max(1, ceil(max(stage.dims[-1] for stage in self.stages) / WIDEST))

    @property
    def sentence(self) -> str:
        """What is drawn, and to which scale."""
        height, width = self.sides
        title = self.name if "-" in self.name else f"ViT-{self.name}"
        return (
            f"{title}: every tensor on the way of one picture of {height} × {width} px. The drawings are to scale,"
            f" a pixel for {self.numbers_a_pixel} numbers; no side is drawn thinner than {THINNEST} px."
            f" What is filled has the shape {SEQUENCE}."
        )

    def boxes(self, stage: Stage) -> Boxes:
        """The drawing of a tensor: its last two sides are a table, one before them a stack; a vector is a thin row."""
        *stack, rows, columns = (1, *stage.dims[1:]) if len(stage.dims) < 3 else stage.dims[1:]
        width, height = (max(THINNEST, side / self.numbers_a_pixel) for side in (columns, rows))
        return Boxes(stack[0] if stack else 1, width, height)

    def is_sequence(self, stage: Stage) -> bool:
        """Whether the tensor is all tokens, a row each: the shape that a layer takes in and hands on."""
        return stage.symbols == SEQUENCE

    def lines(self) -> list[str]:
        """A line for each tensor: the same in words."""
        return [
            f"{stage.symbol}, {stage.step}{f' (in each of {self.layers} layers)' if stage.in_each_layer else ''}:"
            f" {stage.symbols} = {written(stage.dims)}"
            for stage in self.stages
        ]

    def still(self) -> Figure:
        """The drawing as a matplotlib figure, for a notebook that shows no HTML."""
        from matplotlib.figure import Figure

        tall = STILL_LINE * len(self.stages) + 8
        figure = Figure(figsize=(6.4, tall / 100), dpi=100)
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, 640), ylim=(tall, 0))  # a unit of the axes is a pixel
        axes.set_axis_off()
        inside = [place for place, stage in enumerate(self.stages) if stage.in_each_layer]
        for place, stage in enumerate(self.stages):
            self._draw(axes, STILL_LINE * place + 8, stage, place == inside[0])
        ends = (STILL_LINE * inside[0] + 10, STILL_LINE * (inside[-1] + 1) - 2)
        axes.plot((3, 3), ends, color=COLOURS["accent"][0], linewidth=2)
        return figure

    def _draw(self, axes: Any, top: float, stage: Stage, opens_layer: bool) -> None:
        from matplotlib.patches import Rectangle

        mark = f"  (from here in each of {self.layers} layers)" if opens_layer else ""
        for down, words, hue in (
            (10, f"{stage.symbol}: {stage.step}{mark}", "ink"),
            (26, f"{stage.symbols} = {written(stage.dims)}", "muted"),
        ):
            axes.text(10, top + down, _mathtext(words), fontsize=8, color=COLOURS[hue][0], va="center")
        boxes, colour = self.boxes(stage), COLOURS["accent"][0]
        for n in range(boxes.count):
            corner = (STILL_LEFT + n * (boxes.width + GAP), top + 18 - boxes.height / 2)
            axes.add_patch(
                Rectangle(
                    corner,
                    boxes.width,
                    boxes.height,
                    fill=self.is_sequence(stage),
                    edgecolor=colour,
                    facecolor=colour,
                    linewidth=1,
                )
            )

    def __repr__(self) -> str:
        return "\n".join([self.sentence, *self.lines()])

    def _repr_html_(self) -> str:
        """The list of tensors, each with its drawing: text, so that it can be read out, searched and set narrow."""
        groups = groupby(self.stages, lambda stage: stage.in_each_layer)
        items = [(inside, "".join(map(self._item, stages))) for inside, stages in groups]
        listed = "".join(self._layer(item) if inside else item for inside, item in items)
        return (
            f'<figure style="margin:0;line-height:1.45"><figcaption style="padding-bottom:8px">'
            f'{escape(self.sentence)}</figcaption><ol style="{LIST}">{listed}</ol></figure>'
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if os.environ.get(STILLS):
            return {"image/png": png_of(self.still(), colours=(16,)), "text/plain": repr(self)}
        return {"text/html": self._repr_html_(), "text/plain": repr(self)}

    def _layer(self, items: str) -> str:
        """The tensors of a layer, marked off from the rest."""
        beside = f"border-left:4px solid {ACCENT};padding-left:12px;margin:8px 0"
        return (
            f'<li style="margin:0;{RULE}"><div style="{beside}">In each of the {self.layers} layers:'
            f'<ol style="{LIST}">{items}</ol></div></li>'
        )

    def _item(self, stage: Stage) -> str:
        row = f"display:flex;flex-wrap:wrap;gap:4px 16px;align-items:center;margin:0;padding:6px 0;{RULE}"
        symbols = f'<span style="color:var(--vit-muted,inherit)">{_html(stage.symbols)} =</span>'
        return (
            f'<li style="{row}"><span style="flex:1 1 240px"><strong>{_html(stage.symbol)}</strong>: '
            f"{_html(stage.step)}<br>{symbols} {written(stage.dims)}</span>{self._boxes_html(stage)}</li>"
        )

    def _boxes_html(self, stage: Stage) -> str:
        """The boxes of a tensor as inline SVG, which a screen reader passes over: the shape stands in the text."""
        boxes, fill = self.boxes(stage), ACCENT if self.is_sequence(stage) else "none"
        step = boxes.width + GAP
        rects = "".join(
            f'<rect x="{1 + n * step:.1f}" y="1" width="{boxes.width:.1f}" height="{boxes.height:.1f}"'
            f' fill="{fill}" stroke="{ACCENT}"/>'
            for n in range(boxes.count)
        )
        return (
            f'<span aria-hidden="true" style="flex:0 0 {WIDEST + GAP}px;max-width:100%">'
            f'<svg width="{boxes.count * step:.1f}" height="{boxes.height + 2:.1f}"'
            f' style="display:block;max-width:100%">{rects}</svg></span>'
        )


def draw_shapes(name: str) -> ShapeDrawing:
    """The drawing of a model of the family, at the size it was trained at: `draw_shapes("B/16")`.

    Raises ValueError for a model that is not in the family, with the names that are.
    """
    if name not in FAMILY:
        raise Refused(f"draw_shapes takes the name of a model, not {name!r}: {', '.join(FAMILY)}")
    shape = FAMILY[name]
    return ShapeDrawing(name, tuple(shape_trace(shape)), shape.num_hidden_layers, size_pair(shape.image_size))


def _html(text: str) -> str:
    """Words in which a symbol such as `z_0` has its index set low."""
    return re.sub(r"\b([A-Za-z]+)_(\w+)", r"\1<sub>\2</sub>", escape(text))


def _mathtext(text: str) -> str:
    return re.sub(r"_(\w+)", r"$_{\\mathrm{\1}}$", text)
