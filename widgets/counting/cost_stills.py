"""Stills of chapter 09: curves by the side of a picture, and ratios of time beside ratios of cost."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from widgets.parts.theme import COLOURS

Curve = tuple[str, Sequence[float], Sequence[float], str, bool]


def curves_still(curves: list[Curve], marks: list[tuple[float, str]], title: str, x_label: str, y_label: str) -> Figure:
    """Curves (name, x, y, hue, dashed) with dotted lines at `marks` (x, text)."""
    figure = Figure(figsize=(6.4, 3.0), dpi=100, layout="constrained")
    axes = figure.subplots()
    for name, x, y, hue, dash in curves:
        axes.plot(x, y, label=name, color=COLOURS[hue][0], linestyle="--" if dash else "-", linewidth=1.6)
    for place, (x, text) in enumerate(marks):
        axes.axvline(x, color=COLOURS["ink"][0], linestyle=":", linewidth=1)
        axes.text(
            x,
            0.02 + 0.08 * place,
            f" {text}",
            transform=axes.get_xaxis_transform(),
            fontsize=7,
            color=COLOURS["ink"][0],
        )
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(x_label, fontsize=8)
    axes.set_ylabel(y_label, fontsize=8)
    axes.set_ylim(bottom=0)
    axes.tick_params(labelsize=7)
    axes.legend(fontsize=7, frameon=False)
    return figure
