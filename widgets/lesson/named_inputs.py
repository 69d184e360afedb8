"""What an exercise gives a function, by the names a reader knows it under."""

from __future__ import annotations

from typing import Any

from widgets.lesson.specification import Case, Exercise


def names_of(exercise: Exercise) -> list[str]:
    """Names of the function's arguments, in order."""
    inside = exercise.signature[exercise.signature.index("(") + 1 : exercise.signature.rindex(")")]
    return [name.split("=")[0].strip() for name in inside.split(",") if name.strip()]


def by_name(exercise: Exercise, case: Case) -> dict[str, Any]:
    """A fresh copy of all arguments of a case; an entry of a dict is named as it is written: `cfg["d"]`."""
    found: dict[str, Any] = {}
    for name, value in zip(names_of(exercise), case.arguments(), strict=False):
        if isinstance(value, dict):
            found |= {f'{name}["{key}"]': entry for key, entry in value.items()}
        else:
            found[name] = value
    return found
