"""The predictions of each chapter, one file a chapter: what a notebook asks for by id, so that no cell shows an
answer."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from widgets.lesson.prediction import Predict


@cache
def asked() -> dict[str, dict[str, Any]]:
    """Arguments of `Predict` for every id, from every file. Raises ValueError when two files use the same id."""
    found: dict[str, dict[str, Any]] = {}
    for module in pkgutil.iter_modules(__path__):
        for id, arguments in importlib.import_module(f"{__name__}.{module.name}").PREDICTIONS.items():
            if id in found:
                raise ValueError(f"two predictions are called {id!r}: one of them needs another name")
            found[id] = arguments
    return found


def predict(id: str) -> Predict:
    """The prediction of that id, for the end of a cell. Raises ValueError that names the ones there are."""
    from widgets.lesson.prediction import Predict

    if id not in asked():
        raise ValueError(f"there is no prediction {id!r}: choose one of {', '.join(asked())}")
    return Predict(id=id, **asked()[id])
