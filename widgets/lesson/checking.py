"""Checking a reader's function: run it on the cases, and name the misconception behind the first failure."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import exercises, progress
from .comparing import as_array, difference, first_place, glimpse
from .diagnosis import diagnose, in_a_sentence
from .result import Result
from .running import run_within
from .specification import Case, Exercise, Outcome

TIME_LIMIT = 10.0  # seconds for all cases together


@dataclass
class Run:
    """What is known of a run so far; it is filled in the reader's thread and read after it."""

    outcomes: list[Outcome] = field(default_factory=list)
    current: Case | None = None
    unsolved: str = ""


def check(id: str, function: Callable[..., Any], seconds: float = TIME_LIMIT) -> Result:
    """Run the reader's function against the cases of an exercise and say what is right or wrong, and why.

    Never raises for what the function does. Raises ValueError when there is no exercise of that id.
    """
    exercise = exercises.find(id)
    if (refusal := _not_callable_so(exercise, function)) is not None:
        return refusal
    run = Run()
    in_time = run_within(seconds, lambda: _try(exercise, function, run))
    result = _judge(exercise, function, run, None if in_time else seconds)
    if not run.unsolved:
        progress.current().record_check(id, result.passed)
    return result


def _not_callable_so(exercise: Exercise, function: Any) -> Result | None:
    if not callable(function):
        return _not_yet(exercise, (("", f"`check` takes the function itself: `check(\"{exercise.id}\","
                                        f" {exercise.id})`, with no brackets after its name."),))
    arguments = exercise.cases[0].arguments()
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return _not_yet(exercise, (("", f"Your function must take what the exercise gives it, in this order:"
                                        f" `{exercise.signature}`"),))
    except ValueError:  # some built-in functions tell nobody their signature
        pass
    return None


def _try(exercise: Exercise, function: Callable[..., Any], run: Run) -> None:
    """Run all cases with NumPy arrays; if the function cannot read those, with torch tensors."""
    _run_cases(exercise, function, run, lambda value: value)
    if not run.outcomes or run.outcomes[0].error is None:
        return
    with_arrays, run.outcomes = run.outcomes, []
    _run_cases(exercise, function, run, _with_tensors)
    if run.outcomes and run.outcomes[0].error is not None:
        run.outcomes = with_arrays


def _run_cases(exercise: Exercise, function: Callable[..., Any], run: Run, adapt: Callable[[Any], Any]) -> None:
    for case in exercise.cases:
        run.current = case
        arguments = adapt(case.arguments())
        before = copy.deepcopy(arguments)
        expected = exercise.expected(*case.arguments())
        try:
            returned = function(*arguments)
        except NotImplementedError:
            run.unsolved = "not solved yet. Write the function, then run its cell and this one again."
            return
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            run.outcomes.append(Outcome(case, expected, error=error))
            continue
        if not run.outcomes and (returned is None or returned is Ellipsis):
            run.unsolved = "not solved yet: the function returned nothing. End it with `return`."
            return
        run.outcomes.append(Outcome(
            case, expected, copy.copy(returned), changed=_changed(exercise, before, arguments),
            difference=difference(expected, returned, case.tolerance, exercise.returns)))


def _with_tensors(value: Any) -> Any:
    import torch

    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy())
    if isinstance(value, (list, tuple)):
        return type(value)(_with_tensors(v) for v in value)
    return {k: _with_tensors(v) for k, v in value.items()} if isinstance(value, dict) else value


def _changed(exercise: Exercise, before: tuple, after: tuple) -> str:
    """Name of the first argument the function changed, "" where it left all alone."""
    names = exercise.signature[exercise.signature.index("(") + 1:exercise.signature.rindex(")")].split(",")
    for name, old, new in zip(names, before, after):
        if not _same(old, new):
            return name.split("=")[0].strip()
    return ""


def _same(old: Any, new: Any) -> bool:
    old, new = as_array(old), as_array(new)
    if isinstance(old, np.ndarray):
        return isinstance(new, np.ndarray) and old.shape == new.shape and bool(np.all((old == new) | (old != old)))
    if isinstance(old, dict):
        return old.keys() == new.keys() and all(_same(old[k], new[k]) for k in old)
    if isinstance(old, (list, tuple)):
        return len(old) == len(new) and all(map(_same, old, new))
    return bool(old == new)


def _judge(exercise: Exercise, function: Any, run: Run, seconds: float | None) -> Result:
    if run.unsolved:
        return Result(exercise.id, False, f"{exercise.id}: {run.unsolved}")
    failed = next((o for o in run.outcomes if not o.right), None)
    if failed is None and seconds is not None:
        return _not_yet(exercise, (
            ("Input", run.current.name if run.current else exercise.cases[0].name),
            ("", f"Your function had not ended after {seconds:g} s and was stopped. Look for a loop whose end"
                 " is never reached.")), faults=("endless",))
    if failed is None:
        count = len(exercise.cases)
        return Result(exercise.id, True, f"{exercise.id}: passed, all {count} cases.",
                      (("Last case", exercise.cases[-1].name),))
    return _explain(exercise, function, run.outcomes, failed)


def _explain(exercise: Exercise, function: Any, outcomes: list[Outcome], failed: Outcome) -> Result:
    lines = [("Input", failed.case.name)]
    found = diagnose(exercise, outcomes, failed)
    if failed.error is not None:
        lines += [("Expected", glimpse(failed.expected)), ("", in_a_sentence(failed.error, function))]
    elif failed.difference is not None:
        place = first_place(failed.expected, failed.returned, failed.case.tolerance)
        lines += [("Expected", glimpse(failed.expected, place)), ("Came", glimpse(failed.returned, place)),
                  ("Difference", failed.difference + ".")]
    if found:
        lines.append(("What it looks like", found.sentence))
    if done := outcomes.index(failed):
        lines.append(("Right before that", f"{done} of {len(exercise.cases)} cases"))
    return _not_yet(exercise, tuple(lines), found.sentence if found else None, found.faults if found else ())


def _not_yet(exercise: Exercise, lines: tuple[tuple[str, str], ...], misconception: str | None = None,
             faults: tuple[str, ...] = ()) -> Result:
    return Result(exercise.id, False, f"{exercise.id}: not yet.", lines, misconception, faults)
