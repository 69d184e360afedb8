"""A batch of wrong solutions by somebody who had not seen the checks: a list, and what adds to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Fresh(NamedTuple):
    """A wrong solution and what is wrong with it."""

    exercise: str
    wrong: str
    function: Callable


def into(batch: list[Fresh]) -> Callable[[str, str], Callable[[Callable], Callable]]:
    """A decorator for the functions of a batch, which takes the exercise and what is wrong."""

    def fresh(exercise: str, wrong: str) -> Callable[[Callable], Callable]:
        def add(function: Callable) -> Callable:
            batch.append(Fresh(exercise, wrong, function))
            return function

        return add

    return fresh
