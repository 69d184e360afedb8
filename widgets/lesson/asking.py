"""Asking about an exercise: its card, the next hint, the solution, starting over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import exercises, progress
from .note import Note
from .specification import Exercise

if TYPE_CHECKING:
    from .exercise_card import ExerciseCard


def exercise(id: str) -> ExerciseCard:
    """The card of an exercise: what to write, how long it takes, hints and solution.

    Raises ValueError when there is no exercise of that id.
    """
    from .exercise_card import ExerciseCard

    return ExerciseCard(exercise=exercises.find(id))


def hint(id: str) -> Note:
    """The next of three hints; after the third it stays. Raises ValueError when there is no such exercise.

    A served page runs its cells at every visit, so there hints and solution are on the exercise's card alone.
    """
    found = exercises.find(id)
    if progress.served_page() is not None:
        return Note(f"{id}: on this page the hints are on the exercise's card, behind its button.", one_line=True)
    return Note(hint_text(found, count_hint(found)))


def solution(id: str) -> Note:
    """At the first call a line that says to call again, from then on the worked solution.

    Raises ValueError when there is no exercise of that id.
    """
    found = exercises.find(id)
    if progress.served_page() is not None:
        return Note(f"{id}: on this page the solution is on the exercise's card, behind its button.", one_line=True)
    asked = progress.current().change("exercises", id, _one_more("solution"))["solution"]
    if asked == 1:
        return Note(
            f'{id}: this shows the whole solution. Call solution("{id}") again to see it, or hint("{id}") for a hint.',
            one_line=True,
        )
    return Note(solution_text(found))


def reset(id: str) -> Note:
    """Start an exercise over: checks, hints and solution asked for are forgotten. Raises ValueError."""
    exercises.find(id)
    progress.current().forget("exercises", id)
    return Note(f"{id}: started over. No check, no hint, no solution is counted.", one_line=True)


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


def _one_more(field: str) -> Any:
    def alter(entry: dict[str, Any]) -> None:
        entry[field] = entry.get(field, 0) + 1

    return alter
