"""Asking about an exercise: its card, the next hint, the solution, starting over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from widgets.lesson import exercises, progress
from widgets.lesson.hints import count_hint, hint_text, solution_text
from widgets.lesson.note import Note

if TYPE_CHECKING:
    from widgets.lesson.exercise_card import ExerciseCard


def exercise(id: str) -> ExerciseCard:
    """The card of an exercise: what to write, how long it takes, hints and solution.

    Raises ValueError when there is no exercise of that id.
    """
    from widgets.lesson.exercise_card import ExerciseCard  # brings Panel's parts, which a check never needs

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


def _one_more(field: str) -> Any:
    def alter(entry: dict[str, Any]) -> None:
        entry[field] = entry.get(field, 0) + 1

    return alter
