"""The still of a ledger: a bar for each of its lines."""

from __future__ import annotations

from matplotlib.figure import Figure

from widgets.page.theme import COLOURS


def ledger_still(ledgers: list[tuple[str, list[tuple[str, int, float]]]]) -> Figure:
    """Ledgers (title, lines of name, count, share) side by side: a bar for each line."""
    figure = Figure(figsize=(6.4, 2.9), dpi=100, layout="constrained")
    for axes, (title, lines) in zip(figure.subplots(1, len(ledgers), squeeze=False).flat, ledgers):
        names, counts, shares = zip(*reversed(lines))
        axes.barh(names, shares, color=COLOURS["accent"][0])
        for place, (number, share) in enumerate(zip(counts, shares)):
            axes.text(share, place, f" {number:,}", va="center", fontsize=7, color=COLOURS["ink"][0])
        axes.set_xlim(0, 1.45 * max(shares) or 1)
        axes.set_title(f"{title}: {sum(counts):,}", fontsize=8 if len(ledgers) == 1 else 7)
        axes.set_xlabel("share", fontsize=7)
        axes.tick_params(labelsize=7)
    return figure
