"""On what a wrong answer depends: the reader's function is asked again, with one input changed at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from widgets.lesson.case_runs import Answer
from widgets.lesson.comparison import alike
from widgets.lesson.named_inputs import names_of
from widgets.lesson.specification import Exercise, Outcome, Seen

Ask = Callable[[Sequence[tuple[Any, ...]]], "list[Answer] | None"]
"""Puts inputs to the reader's function; None where it did not end in time."""

NAMED = 3  # inputs that one sentence can hold
STRETCH = 1.37
DESCRIBED = frozenset({"unsteady", "input-ignored", "input-used"})


def unsteady(failed: Outcome, ask: Ask) -> Seen | None:
    """That the same input brings another answer."""
    again = ask([failed.case.arguments()]) if failed.error is None else None
    if not again or again[0].error is not None or _stays(failed, again[0]):
        return None
    return "unsteady", (
        "Asked again with the same input, your function gave another answer: something in it is random,"
        " or kept from one call to the next."
    )


def dependence(exercise: Exercise, outcomes: Sequence[Outcome], failed: Outcome, ask: Ask) -> Seen | None:
    """That the answer changes with an input that it must not change with, or not with one that it must."""
    if exercise.any_integer:  # an index has few values: that it stays, or not, says little
        return None
    changes = _changes(exercise, failed)
    answers = ask(list(changes.values()))
    unlike = [
        name
        for name, answer in zip(changes, answers or [], strict=False)
        if _stays(failed, answer) == _matters(exercise, failed, changes[name])
    ]
    ignored = [
        name
        for name in unlike
        if _matters(exercise, failed, changes[name]) and _ignored_everywhere(exercise, outcomes, failed, name, ask)
    ]
    if ignored:
        named = ", ".join(f"`{name}`" for name in ignored[:NAMED])
        return "input-ignored", f"Your answer does not change when {named} {'does' if len(ignored) == 1 else 'do'}."
    for name in unlike:
        if not any(name in (more := _changes(exercise, o)) and _matters(exercise, o, more[name]) for o in outcomes):
            return "input-used", f"Your answer changes with `{name}`; the right one does not depend on it."
    return None


def _ignored_everywhere(exercise: Exercise, outcomes: Sequence[Outcome], failed: Outcome, name: str, ask: Ask) -> bool:
    """Whether the other answers stay as well, wherever the right one changes."""
    others = [
        (o, given)
        for o in outcomes
        if o is not failed and o.error is None
        for found, given in _changes(exercise, o).items()
        if found == name and _matters(exercise, o, given)
    ]
    answers = ask([given for _, given in others])
    return answers is not None and all(_stays(o, answer) for (o, _), answer in zip(others, answers, strict=True))


def _stays(outcome: Outcome, answer: Answer) -> bool:
    return answer.error is None and alike(outcome.returned, answer.returned, outcome.case.tolerance)


def _changes(exercise: Exercise, outcome: Outcome) -> dict[str, tuple[Any, ...]]:
    """Name of an input -> all arguments of a case, with that one changed, where an input like that exists."""
    found = {}
    for place, (name, value) in enumerate(zip(names_of(exercise), outcome.case.arguments(), strict=False)):
        for key in value if isinstance(value, dict) else [None]:
            given = list(outcome.case.arguments())
            given[place] = _another(value) if key is None else {**given[place], key: _another(value[key])}
            if _exists(exercise, given):
                found[name if key is None else f'{name}["{key}"]'] = tuple(given)
    return found


def _exists(exercise: Exercise, given: Sequence[Any]) -> bool:
    try:
        exercise.expected(*given)
    except Exception:  # heads that do not divide the width, for one
        return False
    return True


def _matters(exercise: Exercise, outcome: Outcome, given: tuple[Any, ...]) -> bool:
    """Whether the right answer to the changed input is another one."""
    return not alike(outcome.expected, exercise.expected(*given), outcome.case.tolerance)


def _another(value: Any) -> Any:
    """Something else of the same kind and shape; the value itself where there is no telling."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return 2 * value if value else 1
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return STRETCH * value[..., ::-1] + np.arange(value.shape[-1]) / 8 if value.ndim else value
    return STRETCH * value if isinstance(value, float) else value
