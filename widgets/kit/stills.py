"""Stills of widgets: matplotlib figures for notebook previews, slides and PDF. Never pyplot's global state."""

from __future__ import annotations

import re
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogLocator

from widgets.common.number_formats import fixed
from widgets.model.patches import patch_position
from widgets.parts.theme import CHANNEL_HUES, COLOURS, colour_scale

INK = COLOURS["ink"][0]


def draw_grid(axes: Axes, pixels: np.ndarray, patch_size: int, patch: int) -> None:
    """Draw pixels (3, H, W) uint8 with the grid of its patches and a ring round one of them (none if negative)."""
    _, height, width = pixels.shape
    axes.imshow(pixels.transpose(1, 2, 0), extent=(0, width, height, 0))
    for side, lines in ((height, axes.hlines), (width, axes.vlines)):
        other = width if side == height and lines == axes.hlines else height
        lines(range(0, side + 1, patch_size), 0, other, colors="white", linewidth=0.4)
    axes.set_axis_off()
    if patch < 0:
        return
    row, column = patch_position(patch, (height // patch_size, width // patch_size))
    corner = (column * patch_size, row * patch_size)
    for colour, line in (("white", 4), (INK, 2)):
        axes.add_patch(Rectangle(corner, patch_size, patch_size, fill=False, edgecolor=colour, linewidth=line))


def _beside(figure: Figure, left: float, right: float) -> tuple[SubFigure, SubFigure]:
    """Two parts of a figure side by side, of these relative widths."""
    parts: Any = figure.subfigures(1, 2, width_ratios=(left, right))
    return parts[0], parts[1]


def _stacked(figure: Figure, above: float, below: float) -> tuple[SubFigure, SubFigure]:
    """Two parts of a figure, one under the other, of these relative heights."""
    parts: Any = figure.subfigures(2, 1, height_ratios=(above, below))
    return parts[0], parts[1]


def patch_still(pixels: np.ndarray, patch_size: int, patch: int, note: str) -> Figure:
    """The picture with its grid, and the selected patch enlarged beside it, in colour and by channel."""
    figure = Figure(figsize=(6.4, 3.2), dpi=100, layout="constrained")
    picture, side = _beside(figure, 1, 1)
    whole = picture.subplots()
    draw_grid(whole, pixels, patch_size, patch)
    row, column = patch_position(patch, (pixels.shape[1] // patch_size, pixels.shape[2] // patch_size))
    P = patch_size
    cut = pixels[:, row * P : (row + 1) * P, column * P : (column + 1) * P]  # (3, P, P)
    axes = side.subplots(2, 2)
    axes[0, 0].imshow(cut.transpose(1, 2, 0))
    axes[0, 0].set_title(f"patch {patch}: row {row}, column {column}", fontsize=8)
    for ax, channel, name, hue in zip(axes.flat[1:], cut, ("red", "green", "blue"), CHANNEL_HUES, strict=True):
        ax.imshow(channel[..., None] / 255 * np.array(hue))
        ax.set_title(name, fontsize=8)
    for ax in axes.flat:
        ax.set_axis_off()
    whole.set_title(note, fontsize=9)
    return figure


def pictures_in_a_row(pictures: list[tuple[np.ndarray, str]]) -> Figure:
    """Pictures (3, H, W) uint8 side by side, each under its title."""
    figure = Figure(figsize=(5.4, 2.3), dpi=100, layout="constrained")
    width = 21 if len(pictures) > 3 else 60  # letters of a title beside its neighbours
    for axes, (pixels, title) in zip(figure.subplots(1, len(pictures), squeeze=False).flat, pictures, strict=True):
        axes.imshow(pixels.transpose(1, 2, 0))
        axes.set_title("\n".join(fill(line, width) for line in title.split("\n")), fontsize=8)
        axes.set_axis_off()
    return figure


def token_curves(
    panels: list[tuple[str, str, np.ndarray, np.ndarray, np.ndarray | None, np.ndarray]],
    followed: str,
    even: bool = False,
) -> Figure:
    """Curves over the layers, a panel each, on logarithmic axes or, for cosines, on `even` ones: (title, name of the
    axis, places, followed token, class token or None, quartiles (3, places) of the patches)."""
    figure = Figure(figsize=(6.4, 4.2), dpi=100, layout="constrained")
    places = figure.subplots(2, 2).flat
    for axes in places[len(panels) :]:
        axes.remove()
    for axes, (title, below, x, token, of_class, band) in zip(places, panels, strict=False):
        axes.fill_between(x, band[0], band[2], color="0.85")
        axes.plot(x, band[1], "--", color="0.4", linewidth=1, label="median of the patches, middle half shaded")
        if of_class is not None:
            axes.plot(x, of_class, "*-", color=COLOURS["class"][0], linewidth=1, markersize=5, label="class token")
        if followed.startswith("patch"):
            axes.plot(x, token, "o-", color=INK, linewidth=1.5, markersize=3, label=followed)
        if even:
            axes.set_ylim(-1.05, 1.05)
            axes.axhline(0, color="0.6", linewidth=0.8)
        else:
            axes.set_yscale("log", subs=())
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_major_formatter("{x:g}")
        axes.set_title(title, fontsize=9)
        axes.set_xlabel(below, fontsize=8)
        axes.tick_params(labelsize=7)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=7)
    return figure


def sentence(text: str) -> Figure:
    """A sentence where there is nothing to draw: what is missing and what to do."""
    figure = Figure(figsize=(6.4, 1.2), dpi=100)
    figure.text(0.02, 0.5, text, fontsize=9, color=INK, va="center", wrap=True)
    return figure


def heads_still(
    pixels: np.ndarray,
    patch_size: int,
    patch: int,
    maps: np.ndarray,
    names: tuple[str, ...],
    note: str,
    top: float | None,
) -> Figure:
    """The picture with the query patch ringed (none for a negative `patch`), and the map (rows, columns) of every head,
    in colours from 0 to `top`, or to each head's own largest."""
    columns = 2 if len(maps) == 4 else 4 if len(maps) % 4 == 0 else 3
    rows = -(-len(maps) // columns)
    figure = Figure(figsize=(6.4, max(2.6, 1.35 * rows)), dpi=100, layout="constrained")
    left, right = _beside(figure, 1, 0.55 * columns)
    whole = left.subplots()
    draw_grid(whole, pixels, patch_size, patch)
    whole.set_title(note, fontsize=8)
    for axes, one, name in zip(right.subplots(rows, columns, squeeze=False).flat, maps, names, strict=False):
        axes.imshow(one, cmap="cividis", vmin=0, vmax=(float(one.max()) if top is None else top) or 1)
        axes.set_title(name, fontsize=7)
        axes.set_axis_off()
    return figure


def activations(
    lines: list[tuple[str, np.ndarray, np.ndarray, str, bool]], middles: np.ndarray, shares: np.ndarray, title: str
) -> Figure:
    """Activations (name, x, y, colour of the theme, dashed) over a histogram of pre-activations on the same axis."""
    figure = Figure(figsize=(6.4, 3.6), dpi=100, layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    for name, x, y, hue, dashed in lines:
        above.plot(x, y, "--" if dashed else "-", color=COLOURS[hue][0], linewidth=1.5, label=name)
    above.legend(fontsize=8)
    below.bar(
        middles,
        shares,
        width=middles[1] - middles[0],
        color=[COLOURS["muted" if x < 0 else "accent"][0] for x in middles],
    )
    below.set_title(title, fontsize=9)
    below.set_xlabel("pre-activation a", fontsize=8)
    for axes in (above, below):
        axes.tick_params(labelsize=7)
    return figure


def pictures_and_patterns(pictures: list[tuple[np.ndarray, str]], patterns: np.ndarray, note: str) -> Figure:
    """Pictures (3, H, W) uint8 side by side, and under them patterns (M, P, P, 3) uint8 in rows of eight."""
    rows = -(-len(patterns) // 8)
    figure = Figure(figsize=(5.2, 2.2 + 0.65 * rows), dpi=100, layout="constrained")
    above, below = _stacked(figure, 2.2, 0.65 * rows)
    for axes, (pixels, title) in zip(above.subplots(1, len(pictures), squeeze=False).flat, pictures, strict=True):
        axes.imshow(pixels.transpose(1, 2, 0))
        axes.set_title(title, fontsize=8)
        axes.set_axis_off()
    for number, axes in enumerate(below.subplots(rows, 8, squeeze=False).flat):
        axes.set_axis_off()
        if number < len(patterns):
            axes.imshow(patterns[number])
    below.suptitle(note, fontsize=8)
    return figure


def rows_still(
    pixels: np.ndarray, patch_size: int, patch: int, title: str, lines: list[tuple[str, np.ndarray, float, bool]]
) -> Figure:
    """The picture with a patch ringed, and beside it rows of numbers in coloured cells.

    A line is (what it is, its numbers, the end of its scale, whether they are shares).
    """
    figure = Figure(figsize=(6.4, 3.0), dpi=100, layout="constrained")
    picture, side = _beside(figure, 1, 1.6)
    draw_grid(picture.subplots(), pixels, patch_size, patch)
    figure.suptitle(title, fontsize=9)
    signed = ListedColormap(np.array(colour_scale("signed")) / 255)
    for axes, (name, row, high, weight) in zip(
        side.subplots(max(1, len(lines)), 1, squeeze=False).flat, lines, strict=False
    ):
        axes.imshow(
            row[None], aspect="auto", cmap="cividis" if weight else signed, vmin=0 if weight else -high, vmax=high or 1
        )
        for column, value in enumerate(row):
            light = (value < high / 2) if weight else (abs(value) > 0.7 * high)
            axes.text(column, 0, fixed(value, 2), ha="center", va="center", fontsize=7, color="white" if light else INK)
        axes.set_title(re.sub(r"_(\w+)", r"$_{\\mathrm{\1}}$", name), fontsize=8)
        axes.set_axis_off()
    return figure


def number_rows(rows: list[tuple[str, np.ndarray]], title: str) -> Figure:
    """Rows of numbers in coloured cells, each under its name, zero in the middle of its scale."""
    figure = Figure(figsize=(6.4, 0.8 * len(rows) + 0.4), dpi=100, layout="constrained")
    figure.suptitle(title, fontsize=9)
    for axes, (name, row) in zip(figure.subplots(len(rows), 1, squeeze=False).flat, rows, strict=True):
        high = float(np.abs(row).max()) or 1.0
        axes.imshow(row[None], aspect="auto", cmap="PuOr_r", vmin=-1.4 * high, vmax=1.4 * high)
        for column, value in enumerate(row):
            axes.text(column, 0, fixed(value), ha="center", va="center", fontsize=8, color=INK)
        axes.set_title(name, fontsize=8, loc="left")
        axes.set_axis_off()
    return figure
