"""Stills of chapter 04: maps of positions, and what became of y."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from widgets.parts.theme import COLOURS, colour_scale


def position_maps(maps: dict[str, np.ndarray], place: tuple[int, int]) -> Figure:
    """Maps of cosines (rows, columns) side by side, from -1 to 1, with a cross where the position itself lies."""
    colours = ListedColormap(np.array(colour_scale("signed")) / 255)
    figure = Figure(figsize=(6.4, 2.1), dpi=100, layout="constrained")
    axes = figure.subplots(1, len(maps), squeeze=False)[0]
    for ax, (title, values) in zip(axes, maps.items(), strict=True):
        drawn = ax.imshow(values, cmap=colours, vmin=-1, vmax=1)
        ax.plot(place[1], place[0], "+", color=COLOURS["ink"][0])
        ax.set_title(title, fontsize=9)
        ax.set_axis_off()
    figure.colorbar(drawn, ax=axes, shrink=0.8, ticks=(-1, 0, 1)).set_label("cosine", fontsize=8)
    return figure


def answers_scattered(pairs: dict[str, np.ndarray], picture: np.ndarray, reordered: np.ndarray) -> Figure:
    """A picture (3, H, W) as it is and reordered, and for each pair (2, D) the numbers of y before and after."""
    figure = Figure(figsize=(6.4, 2.3), dpi=100, layout="constrained")
    axes = figure.subplots(1, 2 + len(pairs))
    for ax, pixels, title in zip(axes[:2], (picture, reordered), ("as it is", "reordered"), strict=True):
        ax.imshow(pixels.transpose(1, 2, 0))
        ax.set_title(title, fontsize=8)
        ax.set_axis_off()
    for ax, (title, y) in zip(axes[2:], pairs.items(), strict=True):
        ax.scatter(*y, s=4, color=COLOURS["accent"][0])
        ax.set_title(title, fontsize=8)
        ax.set_xlabel("y, as it is", fontsize=7)
        ax.set_ylabel("y, reordered", fontsize=7)
        ax.tick_params(labelsize=6)
        ax.set_box_aspect(1)
    return figure


def before_and_after(maps: list[tuple[str, np.ndarray, tuple[int, int] | None]]) -> Figure:
    """Maps (title, (rows, columns), a place to mark or none) of signed numbers side by side, the first two on one
    scale."""
    colours = ListedColormap(np.array(colour_scale("signed")) / 255)
    shared = max(float(np.abs(values).max()) for _, values, _ in maps[:2])
    figure = Figure(figsize=(6.4, 1.9), dpi=100, layout="constrained")
    for at, (ax, (title, values, place)) in enumerate(
        zip(figure.subplots(1, len(maps), squeeze=False)[0], maps, strict=True)
    ):
        most = 1.0 if place else shared if at < 2 else float(np.abs(values).max()) or shared
        ax.imshow(values, cmap=colours, vmin=-most, vmax=most)
        if place:
            ax.plot(place[1], place[0], "+", color=COLOURS["ink"][0])
        ax.set_title(f"{title}\n±{most:.2g}", fontsize=7.5)
        ax.set_axis_off()
    return figure
