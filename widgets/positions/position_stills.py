"""Stills of chapter 04: maps of positions, and what became of y."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from widgets.parts.theme import COLOURS, colour_scale


def position_maps(maps: dict[str, np.ndarray], place: tuple[int, int]) -> Figure:
    """Maps of cosines (rows, columns) side by side, from -1 to 1, with a cross where the position itself lies."""
    from matplotlib.colors import ListedColormap

    colours = ListedColormap(np.array(colour_scale("signed")) / 255)
    figure = Figure(figsize=(6.4, 2.1), dpi=100, layout="constrained")
    axes = figure.subplots(1, len(maps), squeeze=False)[0]
    for ax, (title, values) in zip(axes, maps.items(), strict=False):
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
    for ax, pixels, title in zip(axes, (picture, reordered), ("as it is", "reordered"), strict=False):
        ax.imshow(pixels.transpose(1, 2, 0))
        ax.set_title(title, fontsize=8)
        ax.set_axis_off()
    for ax, (title, y) in zip(axes[2:], pairs.items(), strict=False):
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
    from matplotlib.colors import ListedColormap

    colours = ListedColormap(np.array(colour_scale("signed")) / 255)
    shared = max(float(np.abs(values).max()) for _, values, _ in maps[:2])
    figure = Figure(figsize=(6.4, 1.9), dpi=100, layout="constrained")
    for at, (ax, (title, values, place)) in enumerate(
        zip(figure.subplots(1, len(maps), squeeze=False)[0], maps, strict=False)
    ):
        most = 1.0 if place else shared if at < 2 else float(np.abs(values).max()) or shared
        ax.imshow(values, cmap=colours, vmin=-most, vmax=most)
        if place:
            ax.plot(place[1], place[0], "+", color=COLOURS["ink"][0])
        ax.set_title(f"{title}\n±{most:.2g}", fontsize=7.5)
        ax.set_axis_off()
    return figure


def sizes(lines: dict[str, list[tuple[int, float]]], hues: dict[str, str], title: str) -> Figure:
    """Cosine of y with the reference by the shorter side, a line a way: name -> (px, cosine)."""
    figure = Figure(figsize=(6.4, 2.8), dpi=100, layout="constrained")
    axes = figure.subplots()
    for (name, points), hue, dash in zip(lines.items(), hues.values(), ("-", "-.", "--"), strict=False):
        axes.plot(
            *zip(*points, strict=False), marker="o", markersize=4, linestyle=dash, color=COLOURS[hue][0], label=name
        )
    axes.set_ylim(min(0.0, *(cosine for points in lines.values() for _, cosine in points)), 1.05)
    axes.set_xlabel("shorter side of the picture, px", fontsize=8)
    axes.set_ylabel("cosine of y with the reference", fontsize=8)
    axes.set_title(title, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.legend(fontsize=7, title="positions", title_fontsize=7)
    return figure


def needs(dots: dict[str, list[tuple[float, float]]], hues: dict[str, str], title: str) -> Figure:
    """For every picture and way a dot: (cosine at the full size without the table, cosine here with the full size)."""
    figure = Figure(figsize=(6.4, 3.2), dpi=100, layout="constrained")
    axes = figure.subplots()
    axes.plot((0, 1), (0, 1), "--", linewidth=1, color=COLOURS["muted"][0], label="left out at both")
    for (name, points), hue, mark in zip(dots.items(), hues.values(), "os^", strict=False):
        axes.plot(*zip(*points, strict=False), mark, markersize=5, alpha=0.7, color=COLOURS[hue][0], label=name)
    axes.set_xlabel("cosine of y at the full size: table left out, with table", fontsize=8)
    axes.set_ylabel("cosine of y here with the full size", fontsize=8)
    axes.set_title(title, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.legend(fontsize=7)
    return figure
