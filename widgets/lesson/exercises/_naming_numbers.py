"""Which slip gives the reader's number in every case: one at first, then one under a condition, then two at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from math import isfinite, log, prod
from typing import Any, NamedTuple

import numpy as np

from widgets.lesson.exercises._terms import NEAR, Formula, Slip, Values, product, products, slips
from widgets.lesson.specification import Outcome

Named = tuple[tuple[str, ...], str]
ALTERNATIVES = 3  # explanations of one number that a sentence can carry
FEW_TIMES = 12
ENOUGH = 3  # answers that are no chance
PREFIXES = range(1, 7)  # kilo to exa
FLOAT = 1e-9  # relative, for a reader's float
BEYOND_FLOATS = 10**300
WRONG_KINDS = (bool, np.bool_, dict, list, tuple, set, str)
EXACT_IN_FLOAT, WORD = 2**53, 2**32
OTHER_PIECES = {"missing-term", "term-twice", "too-much"}  # two of them may well be different pieces of one size
ONE_IS_ENOUGH = {"quantity", "unit", "whole-times", "whole-over", "extra-factor", "divided", "rounded"}
CONVERTED = (
    "float-rounding",
    "The number went through a float on its way: those hold 53 bits, and this count has more."
    " Divide with `//` and raise whole numbers only.",
)


class Seen(NamedTuple):
    """One case: its right quantities, the right answer and the one that came."""

    values: Values
    right: Any
    came: Any

    @property
    def wrong(self) -> bool:
        """Whether the answer differs at all."""
        return not self.is_(self.right)

    def is_(self, value: Any) -> bool:
        """Whether `value` is what came."""
        if value != value:
            return False
        if type(self.came) is int and type(value) is int:
            return value == self.came
        return abs(value - self.came) <= FLOAT * abs(self.came)


def plain_number(value: Any) -> Any:
    """The Python number behind a NumPy one; None for what is no number, or none that floats reach."""
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, (int, np.integer)):
        return int(value) if abs(int(value)) < BEYOND_FLOATS else None
    return float(value) if isinstance(value, (float, np.floating)) and isfinite(value) else None


def no_answer(formula: Formula, outcomes: list[Outcome]) -> Named | None:
    """Which entry is asked for that is not there, or under which condition the function raises or returns nothing."""
    error = next((o.error for o in outcomes if o.error is not None), None)
    given = outcomes[0].case.arguments()[0]
    if isinstance(error, KeyError) and isinstance(given, dict) and error.args and error.args[0] not in given:
        names = ", ".join(f"`{name}`" for name in given)
        return ("no-such-entry",), f"`cfg` has no entry {error.args[0]!r}. It has {names}."
    failed = [o.error is not None or o.returned is None for o in outcomes]
    for words, holds in formula.conditions.items():
        if [bool(holds(formula.at(*o.case.arguments()))) for o in outcomes] == failed:
            what = f"raises {type(error).__name__}" if error is not None else "returns nothing"
            return ("condition",), f"{words} your function {what}, and only there."
    if error is None and not all(failed):
        words = "In some cases your function returns nothing. Every branch must end with `return`."
        return ("returns-nothing",), words
    return None


def of_the_rest(explain_all: Callable[[list[Outcome]], Named | None], outcomes: list[Outcome]) -> Named | None:
    """What is wrong with the answers, where there are some and the function raises elsewhere."""
    answered = [o for o in outcomes if o.error is None and o.returned is not None]
    error = next((o.error for o in outcomes if o.error is not None), None)
    if error is None or len(answered) < ENOUGH or not (told := explain_all(answered)):
        return None
    return told[0], f"{told[1]} Where it raises {type(error).__name__}, that may be why."


def seen(formula: Formula, outcomes: list[Outcome], key: str = "") -> list[Seen] | None:
    """All cases with the number that came, None where one has none."""
    found = []
    for outcome in outcomes:
        came, right = outcome.returned, outcome.expected
        came, right = (came.get(key), right[key]) if key else (came, right)
        if (came := plain_number(came)) is None:
            return None
        found.append(Seen(formula.at(*outcome.case.arguments()), right, came))
    return found


def explain_number(formula: Formula, cases: list[Seen], lastly: bool = False) -> Named | None:
    """The likeliest slip that gives the number that came in every case."""
    wrong = [case for case in cases if case.wrong]
    if not wrong or all(_overflowed(case) for case in wrong):  # an overflow has a sentence of its own
        return None
    if lastly:
        return certain(formula, cases)
    if all(_by_float(case) for case in wrong):
        return (CONVERTED[0],), CONVERTED[1]
    if told := constant([(case.right, case.came) for case in cases]):
        return told
    known = slips(formula)
    ways: tuple[Callable[[], Named | None], ...] = (
        lambda: _single(formula, known, cases),
        lambda: _prefixes(cases),
        lambda: clamped(_passed(cases)),
        lambda: _conditional(formula, known, cases, wrong),
        lambda: _off_by(formula, cases),
        lambda: _pair(formula, known, cases),
        lambda: _conditional(formula, known, cases, wrong, _pair),
    )
    return next((found for way in ways if (found := way())), None)


def constant(cases: list[tuple[Any, Any]]) -> Named | None:
    """That one number came for all inputs; `cases` hold the right answer and the one that came."""
    if len({came for _, came in cases}) > 1:
        return None
    right, came = cases[0]
    kept = (
        " It is right for the first input alone: is it written into your function, or kept from one call to the next?"
        if came == right
        else ""
    )
    return ("constant",), f"Your function returns {plain(came)} in every case, whatever it is given.{kept}"


def _overflowed(case: Seen) -> bool:
    return type(case.came) is int and type(case.right) is int and (case.came - case.right) % WORD == 0


def _by_float(case: Seen) -> bool:
    return (
        type(case.right) is int
        and abs(case.right) > EXACT_IN_FLOAT
        and (abs(case.came - case.right) <= 1e-12 * case.right)
    )


def _single(formula: Formula, known: list[Slip], cases: list[Seen]) -> Named | None:
    """The slips of the lowest cost that fit everywhere, as one sentence."""
    told = max(cases, key=lambda case: abs(case.came - case.right))
    found: list[Slip] = []
    for slip in known:
        if found and slip.cost > found[0].cost:
            break
        if slip.name == "unit" and not told.came:  # whatever is small is 0 in a large unit
            continue
        if told.is_(slip.gives(told.values)) and all(case.is_(slip.gives(case.values)) for case in cases):
            found.append(slip)
    return ((found[0].name,), either([(s.name, s.sentence) for s in found])) if found else None


def either(found: list[tuple[str, str]]) -> str:
    """The first of (short name, sentence), with others that are different mistakes and not other words for it."""
    first = found[0][0]
    kin = {first} | OTHER_PIECES if first in OTHER_PIECES else {first} - ONE_IS_ENOUGH
    sentences = list(dict.fromkeys(sentence for name, sentence in found if name in kin)) or [found[0][1]]
    shown = sentences[:ALTERNATIVES]
    if len(shown) == 1:
        return shown[0]
    return f"It is one of these, which give the same number. {' Or: '.join(shown)}"


Way = Callable[[Formula, list[Slip], list[Seen]], "Named | None"]


def _conditional(
    formula: Formula, known: list[Slip], cases: list[Seen], wrong: list[Seen], way: Way = _single
) -> Named | None:
    """A slip, or what else `way` finds, that is made only where something holds."""
    for words, holds in formula.conditions.items():
        inside = [case for case in cases if holds(case.values)]
        if len(wrong) < 2 or len(inside) == len(cases) or any(case not in inside for case in wrong):
            continue
        if found := way(formula, known, inside):
            return found[0], f"{words}: {found[1]}"
    return None


def _far_fetched(formula: Formula, factors: tuple[str, ...]) -> bool:
    """Whether a product of three is like no term of the formula, which has two of them nowhere."""
    return len(factors) > 2 and not any(
        len(set(factors)) - len(set(factors) & set(t.factors)) <= 1 for t in formula.terms
    )


def _off_by(formula: Formula, cases: list[Seen], far: bool = False) -> Named | None:
    """A small product of quantities, a few times over, that every case has too much of or is short of.

    `far` asks for products that look like no term: true, but said only where nothing plainer is.
    """
    gaps = [case.came - case.right for case in cases]
    first = next(i for i, gap in enumerate(gaps) if gap)
    if any(type(gap) is not int for gap in gaps):
        return None
    for factors in products(formula.loose):
        one = prod(cases[first].values[f] for f in factors)
        times = gaps[first] // one if one else 0
        if not times or abs(times) > FEW_TIMES or _far_fetched(formula, factors) != far:
            continue
        if all(gap == times * prod(case.values[f] for f in factors) for gap, case in zip(gaps, cases, strict=True)):
            much = product((str(abs(times)), *factors) if abs(times) > 1 or not factors else factors)
            if times > 0:
                return ("too-much",), f"Your number is too high by {much} in every case. Which piece has that many?"
            return ("short-of",), f"Your number is short by {much} in every case. Which piece has that many?"
    return None


# Two at once ----------------------------------------------------------------------------------------------------


def _pair(formula: Formula, known: list[Slip], cases: list[Seen]) -> Named | None:
    """Two slips of the likelier sort."""
    known = [slip for slip in known if slip.cost <= NEAR]
    told = max(cases, key=lambda case: abs(case.came - case.right))
    found = [
        (first, second)
        for first, second in (*_sums(known, told), *_ratios(formula, known, told), *_worlds(formula, known, told))
        if all(_both(formula, first, second, case) for case in cases)
    ]
    if not found:
        return None
    first, second = min(found, key=lambda pair: pair[0].cost + pair[1].cost)
    return (first.name, second.name), f"Two things at once. {first.sentence} {second.sentence}"


def _both(formula: Formula, first: Slip, second: Slip, case: Seen) -> bool:
    """Whether the two slips together give what came."""
    one, right, values = first.gives(case.values), case.right, case.values
    if first.world:
        return bool(changed := _world(formula, first, case)) and case.is_(second.gives(changed))
    two = second.gives(values)
    if one != one or two != two:
        return False
    if not (first.ratio or len(formula.terms) == 1):
        return case.is_(one + two - right)
    if type(one * two * case.came) is int:
        return bool(right) and one * two == case.came * right
    return bool(right) and case.is_(one * two / right)


def _sums(known: list[Slip], told: Seen) -> Iterator[tuple[Slip, Slip]]:
    """Pairs in different terms whose gaps add up to the gap of one case."""
    gaps = [(s.gives(told.values) - told.right, i) for i, s in enumerate(known) if s.members]
    gaps = sorted((g, i) for g, i in gaps if g == g and g)
    sizes, gap = [g for g, _ in gaps], told.came - told.right
    slack = 0 if type(gap) is int else FLOAT * abs(told.came)
    for size, i in gaps:
        for _, j in gaps[bisect_left(sizes, gap - size - slack) : bisect_right(sizes, gap - size + slack)]:
            if i < j and not set(known[i].members) & set(known[j].members):
                yield known[i], known[j]


def _ratios(formula: Formula, known: list[Slip], told: Seen) -> Iterator[tuple[Slip, Slip]]:
    """Pairs of which one multiplies the whole: their ratios multiply to the ratio of one case."""
    if not told.right or not told.came or len(known) < 2:
        return
    one_term = len(formula.terms) == 1
    sized = ((s.gives(told.values), i) for i, s in enumerate(known))
    logs = sorted((log(abs(v / told.right)), i) for v, i in sized if v and v == v)
    sizes, wanted = [size for size, _ in logs], log(abs(told.came / told.right))
    for size, i in logs:
        if not (known[i].ratio or (one_term and known[i].members)):
            continue
        for _, j in logs[bisect_left(sizes, wanted - size - FLOAT) : bisect_right(sizes, wanted - size + FLOAT)]:
            if i != j and not known[j].world:
                yield known[i], known[j]


def _worlds(formula: Formula, known: list[Slip], told: Seen) -> Iterator[tuple[Slip, Slip]]:
    """A quantity mistaken everywhere, and a slip in a term or in the whole besides."""
    others = [s for s in known if s.members or s.ratio]
    for first in known:
        if first.world and (values := _world(formula, first, told)):
            yield from ((first, second) for second in others if told.is_(second.gives(values)))


def _world(formula: Formula, slip: Slip, case: Seen) -> Values | None:
    """All quantities of a case with one mistaken."""
    name, written = slip.world
    try:
        return formula.values(case.values["base"], name, case.values[written])
    except ArithmeticError:
        return None


# What is true where no slip is found ------------------------------------------------------------------------------


def plain(number: Any) -> str:
    return f"{int(number):,}" if number == int(number) else f"{float(number):,.6g}"


def _passed(cases: list[Seen]) -> tuple[str, list[tuple[Any, Any]]]:
    """Right answers with those that came; a float that is right within rounding counts as right."""
    return "", [(case.right, case.came if case.wrong else case.right) for case in cases]


def clamped(*units: tuple[str, list[tuple[Any, Any]]]) -> Named | None:
    """A least or a largest number that the answers never pass; `units` hold pairs of right answer and what came."""
    for unit, pairs in units:
        least, largest = min(came for _, came in pairs), max(came for _, came in pairs)
        if sum(right != came for right, came in pairs) < 2:
            continue
        if all(came == max(right, least) for right, came in pairs):
            return ("never-below",), f"Your answers never go below {plain(least)}{unit}. There is no such limit."
        if all(came == min(right, largest) for right, came in pairs):
            return ("never-above",), f"Your answers never go above {plain(largest)}{unit}. There is no such limit."
    return None


def _ratio(cases: list[Seen]) -> float | None:
    """One number by which every answer is too large."""
    ratios = [case.came / case.right for case in cases if case.right]
    if not ratios or not ratios[0] or any(abs(r - ratios[0]) > FLOAT * abs(r) for r in ratios):
        return None
    return ratios[0]


def _prefixes(cases: list[Seen]) -> Named | None:
    """Kilo, mega and so on as powers of 1,024, or what is left of them after a division."""
    ratio = _ratio(cases) or 0
    for power in PREFIXES:
        for words, one in (("1,024 / 1,000", 1.024), ("1,000 / 1,024", 1 / 1.024)):
            if abs(ratio / one**power - 1) < FLOAT:
                raised = f"({words})^{power}" if power > 1 else words
                return ("binary-prefixes",), (
                    f"Your number is {ratio:,.6g} times what it should be, which is {raised}."
                    " Prefixes are powers of 1,000 here, not of 1,024."
                )
    return None


def _proportional(cases: list[Seen]) -> Named | None:
    if (ratio := _ratio(cases)) is None:
        return None
    return ("proportional",), f"Your number is {ratio:,.6g} times what it should be, in every case."


def certain(formula: Formula, cases: list[Seen]) -> Named | None:
    """What is true of the answers whatever the reader did."""
    return (
        _proportional(cases)
        or separated(formula, cases)
        or _off_by(formula, cases, far=True)
        or _beyond(cases)
        or by_field(cases)
    )


def _beyond(cases: list[Seen]) -> Named | None:
    """A quantity of which the small values, or the large ones, are those that go wrong."""
    wrong, right = [case for case in cases if case.wrong], [case for case in cases if not case.wrong]
    if len(wrong) < 2 or len(right) < 2:
        return None
    for name in cases[0].values["base"]:
        low, high = [c.values["base"][name] for c in wrong], [c.values["base"][name] for c in right]
        if max(low) < min(high):
            return ("condition",), (
                f"Your answer is wrong wherever {name} is {max(low):,} or less, and right from"
                f" {min(high):,} on. Look at what your function does with small values of it."
            )
        if min(low) > max(high):
            return ("condition",), (
                f"Your answer is wrong wherever {name} is {min(low):,} or more, and right up to"
                f" {max(high):,}. Look at what your function does with large values of it."
            )
    return None


def separated(formula: Formula, cases: list[Seen]) -> Named | None:
    """A condition that tells the wrong cases from the right ones."""
    wrong = [case.wrong for case in cases]
    for words, holds in formula.conditions.items():
        if sum(wrong) < 2 or wrong.count(False) < 2:  # a single case has many properties by chance
            return None
        if [bool(holds(case.values)) for case in cases] == wrong:
            return ("condition",), (
                f"{words} your answer is wrong in every case, and right in all others. Look at"
                " what your function does there."
            )
    return None


def by_field(cases: list[Seen]) -> Named | None:
    """Quantities with which the answer changes wrongly, from cases that differ in one of them."""
    steps: dict[str, list[tuple[Seen, Seen]]] = {}
    for a in cases:
        for b in cases:
            if name := _rises(a, b):
                steps.setdefault(name, []).append((a, b))
    kinds = {name: _kind(pairs) for name, pairs in steps.items()}
    for kind, words in FIELD_WORDS.items():
        names = [name for name in kinds if kinds[name] == kind]
        if names:
            a, b = next((a, b) for a, b in steps[names[0]] if _differs(a, b))
            told = words.format(
                names=" and ".join(f"`{n}`" for n in names),
                one=a.values[names[0]],
                two=b.values[names[0]],
                came=_apart(b.came - a.came, b.right - a.right),
                right=_apart(b.right - a.right, b.came - a.came),
            )
            return (kind,), told
    return None


def _apart(number: Any, other: Any) -> str:
    """A number with as many digits as tell it from the other."""
    return plain(number) if plain(number) != plain(other) else f"{float(number):,.12g}"


FIELD_WORDS = {
    "unused": "Your answer does not change with {names}, and it should.",
    "no-part": "Your answer changes with {names}, which plays no part.",
    "wrong-change": "When one number alone changes, your answer changes wrongly with {names}. For example: from"
    " {one:,} to {two:,} it changes by {came}, and {right} is right.",
}


def _rises(a: Seen, b: Seen) -> str:
    """The one quantity in which two cases differ and the second has more; "" for any other two."""
    one, two = a.values["base"], b.values["base"]
    names = [n for n in one if one[n] != two[n]]
    return names[0] if len(names) == 1 and one[names[0]] < two[names[0]] else ""


def _differs(a: Seen, b: Seen) -> bool:
    """Whether the answer changes otherwise than it should."""
    gap = (b.came - a.came) - (b.right - a.right)
    return bool(gap) if type(gap) is int else abs(gap) > FLOAT * max(abs(a.came), abs(b.came))


def _kind(pairs: list[tuple[Seen, Seen]]) -> str:
    if not any(_differs(a, b) for a, b in pairs):
        return ""
    if all(a.came == b.came for a, b in pairs):
        return "unused"
    in_steps = "side" in pairs[0][0].values["base"]  # a side stays the same though its cost has changed
    idle = not in_steps and all(a.right == b.right for a, b in pairs)
    return "no-part" if idle else "wrong-change"
