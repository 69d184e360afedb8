"""The hints of an exercise and its solution, in words, and the count of those that were given."""

from __future__ import annotations

from typing import Any

from widgets.lesson import progress
from widgets.lesson.specification import Exercise


def count_hint(found: Exercise) -> int:
    """Count one more hint as given and return its number, from 1; the last one stays the last."""

    def alter(entry: dict[str, Any]) -> None:
        entry["hints"] = min(entry.get("hints", 0) + 1, len(found.hints))

    return progress.current().change("exercises", found.id, alter)["hints"]


def hint_text(found: Exercise, number: int) -> str:
    """Hint `number`, from 1, with how many there are."""
    return f"Hint {number} of {len(found.hints)}. {found.hints[number - 1]}"


def solution_text(found: Exercise) -> str:
    """The worked solution with its commentary, as Markdown."""
    return f"A solution of `{found.id}`:\n\n```python\n{found.solution.strip()}\n```\n\n{found.commentary}"
