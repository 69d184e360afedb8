"""The still of a ledger: a bar for each of its lines."""

from __future__ import annotations

from matplotlib.figure import Figure

from widgets.parts.theme import COLOURS


def ledger_still(ledgers: list[tuple[str, list[tuple[str, int, float]]]]) -> Figure:
    """Ledgers (title, lines of name, count, share) side by side: a bar for each line."""
    figure = Figure(figsize=(6.4, 2.9), dpi=100, layout="constrained")
    for axes, (title, lines) in zip(figure.subplots(1, len(ledgers), squeeze=False).flat, ledgers, strict=True):
        names, counts, shares = zip(*reversed(lines), strict=True)
        axes.barh(names, shares, color=COLOURS["accent"][0])
        for place, (number, share) in enumerate(zip(counts, shares, strict=True)):
            axes.text(share, place, f" {number:,}", va="center", fontsize=7, color=COLOURS["ink"][0])
        axes.set_xlim(0, 1.45 * max(shares) or 1)
        axes.set_title(f"{title}: {sum(counts):,}", fontsize=8 if len(ledgers) == 1 else 7)
        axes.set_xlabel("share", fontsize=7)
        axes.tick_params(labelsize=7)
    return figure


def ways_still(title: str, ways: list[tuple[str, int, bool]]) -> Figure:
    """Ways of counting (words, count, whether it fits), a line each."""
    figure = Figure(figsize=(6.4, 0.6 + 0.32 * len(ways)), dpi=100)
    figure.text(
        0.02, 1 - 0.3 / figure.get_figheight(), title, fontsize=9, weight="bold", color=COLOURS["ink"][0], va="center"
    )
    for place, (words, number, fits) in enumerate(ways):
        y = 1 - (0.65 + 0.32 * place) / figure.get_figheight()
        hue = COLOURS["value" if fits else "wrong"][0]
        figure.text(0.02, y, f"{number:,}", fontsize=8, color=hue, va="center", family="monospace")
        figure.text(0.2, y, "fits" if fits else "does not", fontsize=8, color=hue, va="center")
        figure.text(0.3, y, words, fontsize=8, color=COLOURS["ink"][0], va="center")
    return figure


def table_still(title: str, rows: list[tuple[str, str]]) -> Figure:
    """Pairs of a name and a written number, a line each."""
    figure = Figure(figsize=(6.4, 0.6 + 0.26 * len(rows)), dpi=100)
    figure.text(
        0.02, 1 - 0.28 / figure.get_figheight(), title, fontsize=9, weight="bold", color=COLOURS["ink"][0], va="center"
    )
    for place, (name, value) in enumerate(rows):
        y = 1 - (0.6 + 0.26 * place) / figure.get_figheight()
        figure.text(0.02, y, name, fontsize=8, color=COLOURS["muted"][0], va="center")
        figure.text(0.45, y, value, fontsize=8, color=COLOURS["ink"][0], va="center")
    return figure
