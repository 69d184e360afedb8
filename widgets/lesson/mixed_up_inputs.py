"""The right answer to inputs that were mixed up: two of one shape exchanged, or one taken for another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from widgets.lesson.comparison import alike
from widgets.lesson.named_inputs import names_of
from widgets.lesson.specification import Exercise, Outcome, Seen

DESCRIBED = frozenset({"inputs-exchanged", "input-for-another"})
Place = tuple[int, str | None]  # which argument, and which entry where it is a dict


def mixed_up(exercise: Exercise, outcomes: Sequence[Outcome], failed: Outcome) -> Seen | None:
    """Which inputs, mixed up, make the right answer of every case what came."""
    if any(o.error is not None for o in outcomes):
        return None
    arrays = dict(_arrays(exercise, failed))
    shapes = {name: np.shape(_at(failed.case.arguments(), place)) for name, place in arrays.items()}
    for one, other in permutations(arrays, 2):
        if shapes[one] != shapes[other]:
            continue
        places = arrays[one], arrays[other]
        if one < other and _all(exercise, outcomes, failed, places, True):
            return "inputs-exchanged", f"It is the right answer with `{one}` and `{other}` exchanged."
        if _all(exercise, outcomes, failed, places, False):
            return "input-for-another", f"It is the right answer with `{other}` in the place of `{one}`."
    return None


def _arrays(exercise: Exercise, outcome: Outcome) -> Iterator[tuple[str, Place]]:
    for index, (name, value) in enumerate(zip(names_of(exercise), outcome.case.arguments(), strict=False)):
        entries = value.items() if isinstance(value, dict) else [(None, value)]
        for key, entry in entries:
            if isinstance(entry, np.ndarray):
                yield (name if key is None else f'{name}["{key}"]'), (index, key)


def _at(given: Sequence[Any], place: Place) -> Any:
    index, key = place
    return given[index] if key is None else given[index][key]


def _put(given: list[Any], place: Place, value: Any) -> None:
    index, key = place
    given[index] = value if key is None else {**given[index], key: value}


def _all(
    exercise: Exercise, outcomes: Sequence[Outcome], failed: Outcome, places: tuple[Place, Place], exchanged: bool
) -> bool:
    """Whether the mix-up explains the case that is shown, and then all others."""
    return all(_gives(exercise, outcome, places, exchanged) for outcome in (failed, *outcomes))


def _gives(exercise: Exercise, outcome: Outcome, places: tuple[Place, Place], exchanged: bool) -> bool:
    given = list(outcome.case.arguments())
    one, other = (_at(given, place) for place in places)
    _put(given, places[0], other)
    if exchanged:
        _put(given, places[1], one)
    try:
        found = exercise.expected(*given)
    except Exception:  # no longer of one shape, in this case
        return False
    return alike(found, outcome.returned, outcome.case.tolerance)
