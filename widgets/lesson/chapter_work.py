"""What there is to do in a chapter: read from the cells of its notebook, so that nobody keeps a second list."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from widgets.lesson.progress import Progress
from widgets.lesson.quiz_data import questions

ASKS = {
    "Predict": "predictions",
    "predict": "predictions",
    "check": "exercises",
    "exercise": "exercises",
    "Quiz": "quizzes",
}


@dataclass(frozen=True)
class Work:
    """Ids of a chapter's predictions, exercises and quizzes, each in order of appearance."""

    predictions: tuple[str, ...] = ()
    exercises: tuple[str, ...] = ()
    quizzes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.predictions or self.exercises or self.quizzes)


@dataclass(frozen=True)
class Standing:
    """How far a reader has come: (done, of) for each kind; a quiz counts its questions, done when right at the first
    try."""

    predictions: tuple[int, int]
    exercises: tuple[int, int]
    questions: tuple[int, int]

    @property
    def share(self) -> float:
        """From 0 to 1, every prediction, exercise and question alike."""
        done, count = (sum(pair) for pair in zip(self.predictions, self.exercises, self.questions, strict=True))
        return done / count if count else 0.0

    def in_words(self) -> str:
        """One line; what the chapter does not have is left out."""
        said = [
            f"{done} of {count} {name if count == 1 else f'{name}s'} {verb}"
            for (done, count), name, verb in (
                (self.predictions, "prediction", "made"),
                (self.exercises, "exercise", "passed"),
            )
            if count
        ]
        done, count = self.questions
        return ", ".join(said + ([f"quiz {done} of {count} right at the first try"] if count else []))


def work_of(sources: Iterable[str]) -> Work:
    """The work in a notebook's code cells: calls of Predict, check, exercise and Quiz that name their id."""
    found: dict[str, dict[str, None]] = {"predictions": {}, "exercises": {}, "quizzes": {}}
    for source in sources:
        for call in _calls(source):
            section = ASKS[call.func.id]
            if (id := _id(call, section)) is not None:
                found[section][id] = None
    return Work(**{section: tuple(ids) for section, ids in found.items()})


def standing(work: Work, progress: Progress) -> Standing:
    """How far the reader of this progress has come with a chapter's work."""
    kept = progress.everything()
    predictions = sum(id in kept["predictions"] for id in work.predictions)
    exercises = sum("passed" in kept["exercises"].get(id, {}) for id in work.exercises)
    best = sum(_best(kept["quizzes"].get(chapter, {})) for chapter in work.quizzes)
    asked = sum(len(questions(chapter)) for chapter in work.quizzes)
    return Standing((predictions, len(work.predictions)), (exercises, len(work.exercises)), (min(best, asked), asked))


def without_code(work: Work, progress: Progress) -> Work:
    """The work that can be done where no code of the reader runs; an exercise that is passed still counts."""
    kept = progress.everything()["exercises"]
    return Work(work.predictions, tuple(id for id in work.exercises if "passed" in kept.get(id, {})), work.quizzes)


def _best(entry: dict[str, Any]) -> int:
    best = entry.get("best", 0)
    return best if isinstance(best, int) else 0


def _calls(source: str) -> list[ast.Call]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKS
    ]


def _id(call: ast.Call, section: str) -> str | None:
    given = next((k.value for k in call.keywords if k.arg == "id"), None)
    if given is None and call.func.id != "Predict":  # whose first argument is its question
        given = call.args[0] if call.args else None
    if given is None and call.args:
        from widgets.lesson.prediction import slug

        question = call.args[0]
        return slug(question.value) if isinstance(question, ast.Constant) else None
    return given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else None
