"""What a class guessed: predictions of many readers, gathered from their progress and counted for the wall.

Where they come from is for the page that connects a class to decide; an entry of `predictions` in an exported progress
is all it takes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from widgets.lesson.lesson_text import written

BINS = 8


@dataclass(frozen=True)
class Distribution:
    """Counts of guesses. `labels` name the bars; `mine` is the bar of this reader's guess, None without one."""

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    shown: int  # readers who asked to see the answer without a guess
    mine: int | None = None

    @property
    def guessed(self) -> int:
        """Readers who guessed."""
        return sum(self.counts)


def entries_of(progresses: Iterable[dict[str, Any]], id: str) -> list[dict[str, Any]]:
    """The entries of one prediction in the progress of many readers; who has none is left out."""
    found = (progress.get("predictions", {}).get(id) for progress in progresses)
    return [entry for entry in found if isinstance(entry, dict)]


def of_choices(entries: Sequence[dict[str, Any]], choices: Sequence[str], mine: Any = None) -> Distribution:
    """One bar a choice, in the order of the choices. A text that is no longer offered is left out."""
    guesses = [entry.get("guess") for entry in entries]
    return Distribution(
        tuple(choices),
        tuple(guesses.count(choice) for choice in choices),
        _shown(entries),
        list(choices).index(mine) if mine in choices else None,
    )


def of_numbers(entries: Sequence[dict[str, Any]], mine: float | None = None, bins: int = BINS) -> Distribution:
    """Bars of equal width over the guesses; over their logarithms when they span more than a factor of 100."""
    guesses = [float(e["guess"]) for e in entries if _is_number(e.get("guess"))]
    if not guesses:
        return Distribution((), (), _shown(entries))
    low, high = min(guesses), max(guesses)
    if low == high:
        return Distribution((written(low),), (len(guesses),), _shown(entries), 0 if mine == low else None)
    wide = low > 0 and high / low > 100
    scale, back = (math.log, math.exp) if wide else (float, float)
    start, width = scale(low), (scale(high) - scale(low)) / bins
    edges = [back(start + width * i) for i in range(bins + 1)]
    counts = [0] * bins
    for guess in guesses:
        counts[_bar(scale(guess), start, width, bins)] += 1
    inside = mine is not None and low <= mine <= high
    return Distribution(
        tuple(f"{written(_short(a))} to {written(_short(b))}" for a, b in itertools.pairwise(edges)),
        tuple(counts),
        _shown(entries),
        _bar(scale(mine), start, width, bins) if inside else None,
    )


def _bar(value: float, start: float, width: float, bins: int) -> int:
    return min(bins - 1, int((value - start) / width + 1e-9))  # a guess on an edge belongs above it


def _short(value: float) -> float:
    return float(f"{value:.3g}")


def _shown(entries: Sequence[dict[str, Any]]) -> int:
    return sum(1 for entry in entries if entry.get("shown") and entry.get("guess") is None)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
