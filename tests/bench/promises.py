"""What the course promises about speed and memory, beside what was measured: kept, missed, or missed twice over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

TOO_MUCH = 2  # times a promise: a busy machine explains less than that


@dataclass(frozen=True)
class Promise:
    """One promised number: `measured` shall be at most `most`, both in `unit`."""

    what: str
    measured: float
    most: float
    unit: str

    @property
    def missed(self) -> bool:
        """Whether it is over what was promised."""
        return self.measured > self.most

    @property
    def failed(self) -> bool:
        """Whether it is so far over that a busy machine is no explanation; at a promise of 0 any number is."""
        return self.measured > TOO_MUCH * self.most

    def __str__(self) -> str:
        return f"{self.what}: {self.measured:.4g} {self.unit}, promised at most {self.most:g}"


@dataclass(frozen=True)
class Figure:
    """What a benchmark prints of one thing it measured, and what was promised of it."""

    shown: Any
    promises: tuple[Promise, ...] = ()

    def __str__(self) -> str:
        return str(self.shown) + "".join(f"; promised: {p.what} at most {p.most:g} {p.unit}" for p in self.promises)


def spread(times: list[float], **most: float) -> Figure:
    """Median, 95th percentile and largest of milliseconds; `median=40, p95=100` are promises of them."""
    found = {"median": median(times), "p95": quantiles(times, n=20)[-1], "largest": max(times)}
    shown = ", ".join(f"{name} {value:.1f} ms" for name, value in found.items())
    promises = tuple(Promise(name, found[name], limit, "ms") for name, limit in most.items())
    return Figure(f"{shown} (n={len(times)})", promises)


def verdict(figures: Mapping[str, Mapping[str, Any]]) -> tuple[str, int]:
    """A text that names every promise that was missed, and the exit status: 1 where one was missed twice over."""
    made = [(what, p) for found in figures.values() for what, f in found.items() for p in getattr(f, "promises", ())]
    missed = [(what, promise) for what, promise in made if promise.missed]
    lines = [f"{len(made)} promises, {len(missed)} missed."]
    for what, promise in missed:
        far = f" That is over {TOO_MUCH} times as much." if promise.failed else ""
        lines.append(f"Missed: {what}, {promise}.{far}")
    return "\n".join(lines), int(any(promise.failed for _, promise in missed))
