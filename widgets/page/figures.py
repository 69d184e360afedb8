"""Stills of widgets: matplotlib figures for notebook previews, slides and PDF. Never pyplot's global state."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from widgets.model.patches import patch_position
from widgets.page.theme import CHANNEL_HUES, COLOURS

INK = COLOURS["ink"][0]


def draw_grid(axes: Axes, pixels: np.ndarray, patch_size: int, patch: int) -> None:
    """Draw pixels (3, H, W) uint8 with the grid of its patches and a ring round one of them."""
    _, height, width = pixels.shape
    axes.imshow(pixels.transpose(1, 2, 0), extent=(0, width, height, 0))
    for side, lines in ((height, axes.hlines), (width, axes.vlines)):
        other = width if side == height and lines == axes.hlines else height
        lines(range(0, side + 1, patch_size), 0, other, colors="white", linewidth=0.4)
    row, column = patch_position(patch, (height // patch_size, width // patch_size))
    corner = (column * patch_size, row * patch_size)
    for colour, line in (("white", 4), (INK, 2)):
        axes.add_patch(Rectangle(corner, patch_size, patch_size, fill=False, edgecolor=colour, linewidth=line))
    axes.set_axis_off()


def patch_still(pixels: np.ndarray, patch_size: int, patch: int, note: str) -> Figure:
    """The picture with its grid, and the selected patch enlarged beside it, in colour and by channel."""
    figure = Figure(figsize=(6.4, 3.2), dpi=100, layout="constrained")
    picture, side = figure.subfigures(1, 2, width_ratios=(1, 1))
    whole = picture.subplots()
    draw_grid(whole, pixels, patch_size, patch)
    row, column = patch_position(patch, (pixels.shape[1] // patch_size, pixels.shape[2] // patch_size))
    P = patch_size
    cut = pixels[:, row * P:(row + 1) * P, column * P:(column + 1) * P]   # (3, P, P)
    axes = side.subplots(2, 2)
    axes[0, 0].imshow(cut.transpose(1, 2, 0))
    axes[0, 0].set_title(f"patch {patch}: row {row}, column {column}", fontsize=8)
    for ax, channel, name, hue in zip(axes.flat[1:], cut, ("red", "green", "blue"), CHANNEL_HUES):
        ax.imshow(channel[..., None] / 255 * np.array(hue))
        ax.set_title(name, fontsize=8)
    for ax in axes.flat:
        ax.set_axis_off()
    whole.set_title(note, fontsize=9)
    return figure


def pictures_in_a_row(pictures: list[tuple[np.ndarray, str]]) -> Figure:
    """Pictures (3, H, W) uint8 side by side, each under its title."""
    figure = Figure(figsize=(5.4, 2.3), dpi=100, layout="constrained")
    for axes, (pixels, title) in zip(figure.subplots(1, len(pictures), squeeze=False).flat, pictures):
        axes.imshow(pixels.transpose(1, 2, 0))
        axes.set_title(title, fontsize=8)
        axes.set_axis_off()
    return figure
