"""Checking a reader's function: run it on the cases, and name the misconception behind the first failure.

Three steps, so that each can only go wrong as what it is. The course makes all inputs and right answers; the reader's
function runs, alone against the clock; the course judges copies of what came. What raises in the first or the last
step is the course's own fault and is said as that.
"""

from __future__ import annotations

import inspect
import io
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from typing import Any

import numpy as np

from widgets.lesson import exercises, progress
from widgets.lesson.case_runs import Answer, Question, Questions, Run, prepared, put, put_all, with_tensors
from widgets.lesson.check_result import Result
from widgets.lesson.comparison import alike, difference, first_place, glimpse, whole, without_the_answer
from widgets.lesson.diagnosis import diagnose
from widgets.lesson.input_dependence import Ask
from widgets.lesson.named_inputs import names_of
from widgets.lesson.plain_values import shown
from widgets.lesson.raised_errors import in_a_sentence
from widgets.lesson.specification import Exercise, Outcome
from widgets.lesson.time_limit import run_within

TIME_LIMIT = 10.0  # seconds for all cases together
AGAIN = 3.0  # seconds, all in all, for asking once more what a wrong answer depends on


def check(id: str, function: Callable[..., Any], seconds: float = TIME_LIMIT) -> Result:
    """Run the reader's function against the cases of an exercise and say what is right or wrong, and why.

    Never raises for what the function does. Raises ValueError when there is no exercise of that id.
    """
    exercise = exercises.find(id)
    if not callable(function):
        return _not_yet(
            exercise,
            (
                (
                    "",
                    f'`check` takes the function itself: `check("{exercise.id}",'
                    f" {exercise.id})`, with no brackets after its name.",
                ),
            ),
        )
    try:
        with np.errstate(all="ignore"):  # this thread's, whatever the reader has set
            questions = prepared(exercise)
    except Exception as error:
        return _own_fault(exercise, error)
    if not _takes(function, questions.arrays[0].given):
        return _not_yet(
            exercise,
            (("", f"Your function must take what the exercise gives it, in this order: `{exercise.signature}`"),),
        )
    run = Run()
    in_time = run_within(seconds, lambda: put(questions, function, run))
    if run.unsolved:
        return Result(exercise.id, False, f"{exercise.id}: {run.unsolved}")
    try:
        with np.errstate(all="ignore"):  # this thread's, whatever the reader has set
            result = _judge(exercise, function, questions, run, None if in_time else seconds)
    except Exception as error:
        return _own_fault(exercise, error)
    progress.current().record_check(id, result.passed)
    return result


def _takes(function: Any, arguments: tuple[Any, ...]) -> bool:
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    except Exception:  # some built-in functions tell nobody their signature, and some objects lie
        pass
    return True


def _judge(exercise: Exercise, function: Any, questions: Questions, run: Run, seconds: float | None) -> Result:
    """Passed means as many answers as cases, all of them right, in time. Raises RuntimeError where some are missing."""
    answers = tuple(run.answers)  # a thread that could not be stopped may go on adding
    outcomes = [_outcome(exercise, *pair) for pair in zip(questions.arrays, answers, strict=False)]
    failed = next((o for o in outcomes if not o.right), None)
    if failed is not None:
        return _explain(exercise, function, outcomes, failed, _asks(function, run))
    if seconds is not None:
        return _not_yet(
            exercise,
            (
                ("Input", run.current.name if run.current else exercise.cases[0].name),
                (
                    "",
                    f"Your function had not ended after {seconds:g} s and was stopped. Look for a loop whose end"
                    " is never reached.",
                ),
            ),
            faults=("endless",),
        )
    if len(outcomes) != len(exercise.cases):
        raise RuntimeError(f"{len(outcomes)} of {len(exercise.cases)} cases were run")
    return Result(
        exercise.id,
        True,
        f"{exercise.id}: passed, all {len(outcomes)} cases.",
        (("Last case", exercise.cases[-1].name),),
    )


def _outcome(exercise: Exercise, question: Question, answer: Answer) -> Outcome:
    case, expected = question.case, question.expected
    if answer.error is not None:
        return Outcome(case, expected, error=answer.error)
    returned = whole(answer.returned) if exercise.any_integer else answer.returned
    return Outcome(
        case,
        expected,
        returned,
        changed=_changed(exercise, question.before, answer.after),
        difference=difference(expected, returned, case.tolerance, exercise.returns),
    )


def _changed(exercise: Exercise, before: Sequence[Any], after: Sequence[Any]) -> str:
    """Name of the first argument the function changed, "" where it left all alone."""
    return next(
        (name for name, old, new in zip(names_of(exercise), before, after, strict=False) if not alike(old, new)), ""
    )


def _asks(function: Callable[..., Any], run: Run) -> Ask:
    """How the diagnosis puts further inputs to the function: against a clock of its own, as the cases were."""
    left = [AGAIN]

    def ask(inputs: Sequence[tuple[Any, ...]]) -> list[Answer] | None:
        more, started = Run(), time.monotonic()
        questions = [Question(run.current, None, with_tensors(i) if run.tensors else i, ()) for i in inputs]
        with redirect_stdout(io.StringIO()):  # what the function prints was printed once, for the cases
            in_time = left[0] > 0 and run_within(left[0], lambda: put_all(questions, function, more))
        left[0] -= time.monotonic() - started
        return more.answers if in_time and len(more.answers) == len(questions) else None

    return ask


def _explain(exercise: Exercise, function: Any, outcomes: list[Outcome], failed: Outcome, ask: Ask) -> Result:
    lines = [("Input", failed.case.name)]
    found = diagnose(exercise, outcomes, failed, ask)
    if failed.error is not None:
        lines += [*_expected(exercise, failed), ("", in_a_sentence(failed.error, function))]
    elif failed.difference is not None:
        place = first_place(failed.expected, failed.returned, failed.case.tolerance)
        told = (
            without_the_answer(failed.expected, failed.returned, failed.case.tolerance)
            if exercise.answer_is_secret
            else failed.difference
        )
        lines += [
            *_expected(exercise, failed, place),
            ("Came", glimpse(failed.returned, place)),
            ("Difference", f"{told}."),
        ]
    if found:
        lines.append(("What it looks like", found.sentence))
    if done := outcomes.index(failed):
        lines.append(("Right before that", f"{done} of {len(exercise.cases)} cases"))
    return _not_yet(exercise, tuple(lines), found.sentence if found else None, found.faults if found else ())


def _expected(exercise: Exercise, failed: Outcome, place: tuple[int, ...] | None = None) -> list[tuple[str, str]]:
    return [] if exercise.answer_is_secret else [("Expected", glimpse(failed.expected, place))]


def _not_yet(
    exercise: Exercise,
    lines: tuple[tuple[str, str], ...],
    misconception: str | None = None,
    faults: tuple[str, ...] = (),
) -> Result:
    return Result(exercise.id, False, f"{exercise.id}: not yet.", lines, misconception, faults)


def _own_fault(exercise: Exercise, error: Exception) -> Result:
    """What is said when the course could not check: neither right nor wrong, and no attempt."""
    return Result(
        exercise.id,
        False,
        f"{exercise.id}: not checked.",
        (
            (
                "",
                "The course itself went wrong here, not your function. Nothing was counted. Run this cell again; if it"
                " stays so, restart the kernel, and please report it.",
            ),
            ("The course's own error", f"{type(error).__name__}: {shown(str(error))}"),
        ),
        checked=False,
    )
