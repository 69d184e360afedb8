"""Predictions, exercises, quizzes and progress: what makes this a course and not a gallery."""

from __future__ import annotations

import importlib
from typing import Any

_NAMES: dict[str, str] = {
    "Predict": "widgets.lesson.prediction",
    "predict": "widgets.lesson.predictions",
    "Quiz": "widgets.lesson.quiz_widget",
    "exercise": "widgets.lesson.exercise_commands",
    "check": "widgets.lesson.checking",
    "hint": "widgets.lesson.exercise_commands",
    "solution": "widgets.lesson.exercise_commands",
    "reset": "widgets.lesson.exercise_commands",
}

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(_NAMES[name]), name)
    raise AttributeError(f"widgets.lesson has no {name!r}; it offers {', '.join(__all__)}")


def __dir__() -> list[str]:
    return __all__
