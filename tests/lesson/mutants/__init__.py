"""Wrong solutions as readers write them, each a real misconception. A module is named after its exercise."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import NamedTuple


class Mutant(NamedTuple):
    """A wrong solution and the short names of the misconceptions a check must recognise in it."""

    exercise: str
    faults: tuple[str, ...]
    function: Callable


_all: list[Mutant] = []


def mutant(*faults: str) -> Callable[[Callable], Callable]:
    """Mark a function as a wrong solution of the exercise its module is named after."""

    def mark(function: Callable) -> Callable:
        _all.append(Mutant(function.__module__.rpartition(".")[2], faults, function))
        return function

    return mark


def mutants() -> list[Mutant]:
    """All of them."""
    if not _all:
        for module in pkgutil.iter_modules(__path__):
            importlib.import_module(f"{__name__}.{module.name}")
    return list(_all)
