"""Putting the cases of an exercise to a reader's function: inputs made beforehand, answers kept as plain values."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widgets.lesson.plain_values import plain
from widgets.lesson.raised_errors import reached
from widgets.lesson.specification import Case, Exercise
from widgets.lesson.time_limit import OutOfTime


@dataclass(frozen=True)
class Question:
    """One case, ready to be put: `given` is handed to the function, `before` is a copy of it."""

    case: Case
    expected: Any
    given: tuple[Any, ...]
    before: tuple[Any, ...]


@dataclass(frozen=True)
class Answer:
    """What came of one question, in plain values; `after` is what the function was given, as it was left."""

    returned: Any
    error: BaseException | None
    after: tuple[Any, ...]


@dataclass
class Run:
    """What is known of a run so far; it is filled in the reader's thread and read after it."""

    answers: list[Answer] = field(default_factory=list)
    current: Case | None = None
    unsolved: str = ""
    tensors: bool = False


@dataclass(frozen=True)
class Questions:
    """All cases of an exercise, with NumPy arrays and, where there are arrays at all, with torch tensors."""

    arrays: tuple[Question, ...]
    tensors: tuple[Question, ...]


def prepared(exercise: Exercise) -> Questions:
    """Every input and every right answer, made afresh. Imports all that it takes, torch too."""
    expected = [exercise.expected(*case.arguments()) for case in exercise.cases]
    arrays = _questions(exercise, expected, lambda value: value)
    if not any(_holds_arrays(question.given) for question in arrays):
        return Questions(arrays, ())
    return Questions(arrays, _questions(exercise, expected, with_tensors))


def put(questions: Questions, function: Callable[..., Any], run: Run) -> None:
    """Run all cases with NumPy arrays; if the function cannot read those, with torch tensors."""
    put_all(questions.arrays, function, run)
    if not questions.tensors or not run.answers or run.answers[0].error is None:
        return
    with_arrays, run.answers, run.tensors = run.answers, [], True
    put_all(questions.tensors, function, run)
    if (
        run.answers
        and run.answers[0].error is not None
        and (reached(run.answers[0].error, function) <= reached(with_arrays[0].error, function))
    ):
        run.answers, run.tensors = with_arrays, False  # else torch is what it is written for: there it came further


def _questions(exercise: Exercise, expected: Sequence[Any], adapt: Callable[[Any], Any]) -> tuple[Question, ...]:
    found = []
    for case, right in zip(exercise.cases, expected, strict=True):
        given = adapt(case.arguments())
        found.append(Question(case, right, given, plain(given)))
    return tuple(found)


def put_all(questions: Sequence[Question], function: Callable[..., Any], run: Run) -> None:
    """Call the function with one question after the other and keep what comes."""
    for question in questions:
        run.current, returned, error = question.case, None, None
        try:
            returned = function(*question.given)
        except OutOfTime:
            raise
        except BaseException as raised:  # also what ends a program or a generator
            if isinstance(raised, NotImplementedError) and _says_so_itself(raised):
                run.unsolved = "not solved yet. Write the function, then run its cell and this one again."
                return
            error = _readable(raised)
        if not run.answers and error is None and (returned is None or returned is Ellipsis):
            run.unsolved = "not solved yet: the function returned nothing. End it with `return`."
            return
        run.answers.append(Answer(plain(returned), error, plain(question.given)))


def _says_so_itself(error: NotImplementedError) -> bool:
    """Whether a `raise` of the reader's says it; torch raises the same for what a kind of tensor cannot do."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    return bool(last and (last[0].line or "").startswith("raise")) or not error.args


def _readable(error: BaseException) -> BaseException:
    """The error, or another in its place where its own text raises."""
    try:
        str(error)
    except OutOfTime:
        raise
    except BaseException:
        name = type.__getattribute__(type(error), "__name__")
        return RuntimeError(f"{name}, whose text cannot be read").with_traceback(error.__traceback__)
    return error


def with_tensors(value: Any) -> Any:
    """The same with torch tensors in place of arrays, in tuples, lists and dicts too."""
    import torch

    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy())
    if isinstance(value, (list, tuple)):
        return type(value)(with_tensors(v) for v in value)
    return {k: with_tensors(v) for k, v in value.items()} if isinstance(value, dict) else value


def _holds_arrays(value: Any) -> bool:
    if isinstance(value, (list, tuple, dict)):
        return any(map(_holds_arrays, value.values() if isinstance(value, dict) else value))
    return isinstance(value, np.ndarray)
