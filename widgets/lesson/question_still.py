"""Questions as a matplotlib figure: what a notebook keeps. There is no answer in it."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from widgets.parts.theme import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 6.4  # inches, 100 pixels each
LINE = 0.22
CHARACTERS = 78


@dataclass(frozen=True)
class Line:
    """A paragraph of the figure: its text, and how it stands out."""

    text: str
    bold: bool = False
    muted: bool = False
    indent: int = 0  # characters


def drawn(lines: list[Line]) -> Figure:
    """The paragraphs under one another, wrapped, in a frame."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    wrapped = [(row, line) for line in lines for row in (wrap(_plain(line.text), CHARACTERS - line.indent) or [""])]
    height = LINE * (len(wrapped) + 2)
    figure = Figure(figsize=(WIDTH, height), dpi=100, facecolor=COLOURS["paper"][0])
    figure.add_artist(Rectangle((0.005, 0.02), 0.99, 0.96, fill=False, edgecolor=COLOURS["line"][0]))
    for i, (row, line) in enumerate(wrapped):
        figure.text(
            0.04 + 0.012 * line.indent,
            1 - LINE * (i + 1) / height,
            row,
            va="top",
            fontsize=9.5,
            fontweight="bold" if line.bold else "normal",
            parse_math=False,
            color=COLOURS["muted" if line.muted else "ink"][0],
        )
    return figure


def _plain(text: str) -> str:
    return text.replace("`", "")
