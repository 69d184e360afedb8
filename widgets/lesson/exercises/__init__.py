"""The exercises, one file each. Adding a file adds an exercise."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from widgets.lesson.specification import Exercise


@cache
def names() -> tuple[str, ...]:
    """Ids of all exercises, in alphabetical order."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")))


def find(id: str) -> Exercise:
    """The exercise of that id. Raises ValueError that names the exercises there are."""
    if id not in names():
        raise ValueError(f"there is no exercise {id!r}: choose one of {', '.join(names())}")
    return importlib.import_module(f"{__name__}.{id}").EXERCISE
