"""Which slip is behind the answers of a counting exercise, be they numbers or dictionaries of numbers."""

from __future__ import annotations

from functools import partial

from widgets.lesson.exercises._naming_dicts import explain_dict
from widgets.lesson.exercises._naming_numbers import WRONG_KINDS, Named, explain_number, no_answer, of_the_rest, seen
from widgets.lesson.exercises._terms import Formula
from widgets.lesson.specification import Outcome


def explain(formula: Formula, outcomes: list[Outcome], lastly: bool = False) -> Named | None:
    """Short names and a sentence for the slip behind these answers; None where none is found.

    `lastly` asks for what is certain where no slip was found: the condition or the quantity that is taken wrongly.
    """
    if any(o.error is not None or o.returned is None for o in outcomes):
        return no_answer(formula, outcomes) or (None if lastly else of_the_rest(partial(explain, formula), outcomes))
    if formula.keys != ("",):
        return explain_dict(formula, outcomes, lastly)
    if kind := next((type(o.returned).__name__ for o in outcomes if isinstance(o.returned, WRONG_KINDS)), None):
        return ("wrong-kind",), f"Return one number, not a {kind}."
    cases = seen(formula, outcomes)
    return explain_number(formula, cases, lastly) if cases else None
