"""How long a forward pass takes on this machine, at sizes whose multiply-adds stand in known ratios to one another."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from time import perf_counter
from typing import Any, NamedTuple

import torch

from widgets.model import count
from widgets.model.shape import ViTShape
from widgets.model.tensor_defaults import FLOAT32, seeded

WANTED = (0.125, 0.25, 0.5, 1.0, 2.0)  # multiply-adds, relative to those at BASE
BASE = 224  # pixels, or the nearest multiple of P
ROUNDS = 8  # passes of each size, the fastest of which counts
PATIENCE = 20.0  # seconds after which there are rounds enough, when there are LEAST
LEAST = 3

_one_at_a_time = threading.Lock()  # two visitors measuring at once would measure each other


class Size(NamedTuple):
    """A size that is timed: side in pixels, tokens, multiply-adds, and their ratio to those of the base."""

    side: int
    tokens: int
    macs: int
    ratio: float


class Timing(NamedTuple):
    """What was measured at a size so far, in seconds: the fastest and the slowest pass, and how many there were."""

    size: Size
    fastest: float
    slowest: float
    passes: int


def sizes(shape: ViTShape) -> list[Size]:
    """The sizes that are timed, from small to large: for each ratio of WANTED the side that comes nearest to it."""
    P = shape.patch_size
    base = max(1, round(BASE / P)) * P
    whole = count.macs(shape, base)["total"]
    sides = [n * P for n in range(1, 3 * base // P)]
    chosen = {min(sides, key=lambda side: abs(count.macs(shape, side)["total"] / whole - ratio)) for ratio in WANTED}
    return [
        Size(
            side,
            (side // P) ** 2 + shape.prefix,
            count.macs(shape, side)["total"],
            count.macs(shape, side)["total"] / whole,
        )
        for side in sorted(chosen)
    ]


def measure(name: str, sizes: list[Size]) -> Iterator[Timing]:
    """Time forward passes of one random picture, size after size, round after round; each pass yields what is known.

    The fastest pass of a size is what its work takes: other programs can only make a pass slower, and a round meets all
    sizes alike. A first pass of each is not counted. It is the library's own model, with attention as matrix products.
    Stop by not going on. Raises CheckpointMissing when the checkpoint is not on this machine.
    """
    from widgets.checkpoints.loading import at_hand, load

    at_hand(name)
    models = {size: load(name, size.side).model for size in sizes}
    seconds: dict[Size, list[float]] = {size: [] for size in sizes}
    for size in sizes:
        _pass(models[size], size.side)
    for number in range(ROUNDS):
        if number >= LEAST and sum(map(sum, seconds.values())) > PATIENCE:
            return
        for size in sizes:
            seconds[size].append(_pass(models[size], size.side))
            yield Timing(size, min(seconds[size]), max(seconds[size]), len(seconds[size]))


def _pass(model: Any, side: int) -> float:
    """Seconds of one forward pass."""
    pixels = torch.rand(1, model.config.num_channels, side, side, generator=seeded(0), **FLOAT32)
    with _one_at_a_time, torch.inference_mode():  # entered and left in one thread: each pass may run in another
        began = perf_counter()
        model(pixels)
        return perf_counter() - began
