"""Naming a slip in a search for a picture's side: in what is compared, in the comparison, or in what is returned.

Nothing is searched again: whether a side is the one that somebody with a slip finds is seen from that side and the one
before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil, floor, isqrt
from typing import Any, NamedTuple

from widgets.lesson.exercises._naming_numbers import (
    CONVERTED,
    EXACT_IN_FLOAT,
    WRONG_KINDS,
    Named,
    Seen,
    certain,
    clamped,
    constant,
    either,
    no_answer,
    of_the_rest,
    plain,
    plain_number,
)
from widgets.lesson.exercises._terms import FAR, NEAR, PLAIN, Formula, Slip, Values, in_quantities, in_terms
from widgets.lesson.specification import Outcome

Gap = Callable[[Any], Any]  # side in patches -> what the formula gives there; at 0 or above the size is enough
UNCHANGED = Slip(0, "", "", lambda values: values["total"])


@dataclass(frozen=True, eq=False)
class Search:
    """The smallest side at which the formula is not negative; with `largest`, the largest at which it is not positive.

    `formula` has the side in patches as its quantity `side`; `closed` is the same condition, rearranged.
    """

    formula: Formula
    closed: Formula | None = None
    largest: bool = False

    def found(self, gap: Gap, side: Any, strict: bool = False) -> bool:
        """Whether the search ends at this side; `strict`: "more than" for "at least", "less than" for "at most"."""
        if side != int(side) or side < 1 - self.largest:
            return False
        return self.ends(gap, int(side), 1, strict)

    def ends(self, gap: Gap, side: Any, step: Any, strict: bool = False) -> bool:
        """The same where sides go up by `step`."""
        if self.largest:  # a search may begin at one patch and never ask whether that fits
            return (side <= step or not self.over(gap(side), strict)) and self.over(gap(side + step), strict)
        return self.over(gap(side), strict) and (side <= step or not self.over(gap(side - step), strict))

    def over(self, gap: Any, strict: bool) -> bool:
        """Whether a size is enough, or too much."""
        return gap > 0 if self.largest != strict else gap >= 0


Fits = Callable[[Search, Gap, Any, Values], bool]


class Way(NamedTuple):
    """A mistake outside the formula. `fits` says whether the number that came is what it leads to."""

    cost: int
    name: str
    sentence: str
    fits: Fits


def _scaled(factor: Callable[[Values], int]) -> Fits:
    return lambda s, gap, came, v: came % factor(v) == 0 and s.found(gap, came // factor(v))


def _square(plus: Callable[[Values], int], times: Callable[[Values], int]) -> Fits:
    def fits(s: Search, gap: Gap, came: Any, v: Values) -> bool:
        patches = came // times(v) - plus(v)
        return came % times(v) == 0 and patches > 0 and isqrt(patches) ** 2 == patches and s.found(gap, isqrt(patches))

    return fits


def _prefix(v: Values) -> int:
    return v["cls"] + v["n_registers"]


def _stepped(by: int) -> Fits:
    return lambda s, gap, came, v: (
        came % v["P"] == 0 and (s.found(gap, came // v["P"] - by) or (by < 0 and came == v["P"] and s.found(gap, 1)))
    )


def _nearest(s: Search, gap: Gap, came: Any, v: Values) -> bool:
    side = Fraction(came, v["P"])
    half = Fraction(1, 2)
    return side == int(side) and (side <= 1 or gap(side - half) <= 0) and gap(side + half) >= 0


def _root_of_tokens(s: Search, gap: Gap, came: Any, v: Values) -> bool:
    root = came // v["P"]
    least = isqrt(max(0, root * root - _prefix(v)))
    return came % v["P"] == 0 and any(
        s.found(gap, side) and isqrt(side * side + _prefix(v)) == root for side in range(least, root + 1)[:20]
    )


def _odd_sides(s: Search, gap: Gap, came: Any, v: Values) -> bool:
    side = came // v["P"]
    return came % v["P"] == 0 and side % 2 == 1 and s.ends(gap, side, 2)


def _rounded(up: bool) -> Fits:
    def fits(s: Search, gap: Gap, came: Any, v: Values) -> bool:
        side = Fraction(came, v["P"])
        if side != int(side):
            return False
        if up:
            return (side <= 1 or gap(side - 1) < 0) and gap(side) >= 0
        return (side <= 1 or gap(side) <= 0) and gap(side + 1) > 0

    return fits


def _pixels(step: Callable[[Values], int]) -> Fits:
    def fits(s: Search, gap: Gap, came: Any, v: Values) -> bool:
        if came == v["P"] and s.found(gap, 1):  # a search may begin at one patch
            return True
        return came % step(v) == 0 and s.ends(gap, Fraction(came, v["P"]), Fraction(step(v), v["P"]))

    return fits


def _doubling(s: Search, gap: Gap, came: Any, v: Values) -> bool:
    side = came // v["P"]
    if came % v["P"] or side < 1 or side & (side - 1):
        return False
    return (
        not s.over(gap(side), False) and s.over(gap(2 * side), False)
        if s.largest
        else s.over(gap(side), False) and (side == 1 or not s.over(gap(side // 2), False))
    )


def _bounded(least: bool) -> Fits:
    def fits(s: Search, gap: Gap, came: Any, v: Values) -> bool:
        own = v["img"] // v["P"]
        if came % v["P"]:
            return False
        if came == own * v["P"] and s.over(gap(own), False) == least:
            return True
        return s.found(gap, came // v["P"]) and (came // v["P"] >= own) == least

    return fits


STRICTLY = 'Equal counts: "at least" and "at most" include the size at which the two are the same.'
SIMPLE = ("missing-term", "term-twice", "missing-factor")
RIGHT = Way(0, "", "", _scaled(lambda v: v["P"]))
WAYS = (
    Way(PLAIN, "grid-returned", "You returned the side in patches. Multiply by P for pixels.", _scaled(lambda v: 1)),
    Way(
        PLAIN,
        "tokens-returned",
        "You returned the number of tokens. The side in pixels is asked for.",
        _square(_prefix, lambda v: 1),
    ),
    Way(
        PLAIN,
        "patches-returned",
        "You returned the number of patches. The side in pixels is asked for.",
        _square(lambda v: 0, lambda v: 1),
    ),
    Way(
        PLAIN,
        "root-forgotten",
        "You multiplied the number of patches by P. The side has the root of that many.",
        _square(lambda v: 0, lambda v: v["P"]),
    ),
    Way(
        PLAIN,
        "root-forgotten",
        "You multiplied the number of tokens by P. Take class token and registers off, then the root.",
        _square(_prefix, lambda v: v["P"]),
    ),
    Way(
        PLAIN,
        "area-returned",
        "You returned the picture's area. Its side is asked for.",
        _square(lambda v: 0, lambda v: v["P"] ** 2),
    ),
    Way(
        PLAIN,
        "strictly",
        STRICTLY,
        lambda s, gap, came, v: came % v["P"] == 0 and s.found(gap, came // v["P"], strict=True),
    ),
    Way(PLAIN, "one-short", "That is one step of P too small.", _stepped(-1)),
    Way(PLAIN, "one-further", "That is one step of P too large.", _stepped(1)),
    Way(
        PLAIN,
        "img-returned",
        'You returned `cfg["img"]`, which plays no part.',
        lambda s, gap, came, v: came == v["img"],
    ),
    Way(NEAR, "two-short", "That is two steps of P too small.", _stepped(-2)),
    Way(NEAR, "two-further", "That is two steps of P too large.", _stepped(2)),
    Way(PLAIN, "rounded-down", "You rounded the side in patches down. Round up: it must be enough.", _rounded(False)),
    Way(
        PLAIN, "rounded-up", "You rounded the side in patches up, and that no longer fits. Round down.", _rounded(True)
    ),
    Way(
        PLAIN,
        "nearest",
        "You rounded to the nearest side in patches. It must be the first that is enough, or the last that fits.",
        _nearest,
    ),
    Way(
        PLAIN,
        "any-pixel",
        "That side is no multiple of P. Round the side in patches, then multiply by P.",
        _pixels(lambda v: 1),
    ),
    Way(
        PLAIN,
        "last-pixel",
        "You went up pixel by pixel and stopped right below the next whole patch. The side is a multiple of P.",
        lambda s, gap, came, v: (came + 1) % v["P"] == 0 and s.found(gap, came // v["P"]),
    ),
    Way(PLAIN, "steps-of-16", "You went in steps of 16 px. The side is a multiple of P.", _pixels(lambda v: 16)),
    Way(NEAR, "steps-of-2p", "You went in steps of 2 P. Every multiple of P counts.", _pixels(lambda v: 2 * v["P"])),
    Way(NEAR, "odd-sides", "You went in steps of 2 P, from P on. Every multiple of P counts.", _odd_sides),
    Way(
        NEAR,
        "root-of-tokens",
        "You took the root of T for the side. Class token and registers are tokens, but have no place"
        " in the grid: take them off first.",
        _root_of_tokens,
    ),
    Way(NEAR, "steps-of-img", "You went in steps of `img`, which plays no part.", _pixels(lambda v: v["img"])),
    Way(NEAR, "steps-of-32", "You went in steps of 32 px. The side is a multiple of P.", _pixels(lambda v: 32)),
    Way(NEAR, "steps-of-8", "You went in steps of 8 px. The side is a multiple of P.", _pixels(lambda v: 8)),
    Way(NEAR, "sixteen", "You multiplied the side in patches by 16. It is P.", _scaled(lambda v: 16)),
    Way(
        PLAIN,
        "doubled",
        "You doubled the side at every step, and so stepped over the one that is asked for.",
        _doubling,
    ),
    Way(NEAR, "starts-at-img", 'You never go below `cfg["img"]`, which plays no part.', _bounded(True)),
    Way(NEAR, "capped-at-img", 'You never go above `cfg["img"]`, which plays no part.', _bounded(False)),
    Way(NEAR, "doubled-answer", "The side is twice what it should be.", _scaled(lambda v: 2 * v["P"])),
    Way(NEAR, "squared-p", "You multiplied the side in patches by P^2. It is P.", _scaled(lambda v: v["P"] ** 2)),
)


class Place(NamedTuple):
    """One case of a search: its quantities without a side, the right answer and the one that came."""

    base: Values
    values: Values
    right: int
    came: Any
    at: dict[Any, Values]

    def gap(self, formula: Formula, slip: Slip) -> Gap:
        """What the formula with a slip gives at a side."""

        def found(side: Any) -> Any:
            if (formula, side) not in self.at:
                values = self.at[formula, side] = formula.values(self.base | {"side": side})
                formula.total(values)
            return slip.gives(self.at[formula, side])

        return found


def explain_search(search: Search, outcomes: list[Outcome], lastly: bool = False) -> Named | None:
    """Short names and a sentence for the slip behind these sides, or None. `lastly` as in `explain`."""
    if any(o.error is not None or o.returned is None for o in outcomes):
        rest = partial(explain_search, search)
        return no_answer(search.formula, outcomes) or (None if lastly else of_the_rest(rest, outcomes))
    if kind := next((type(o.returned).__name__ for o in outcomes if isinstance(o.returned, WRONG_KINDS)), None):
        return ("wrong-kind",), f"Return one number, not a {kind}."
    if any(plain_number(o.returned) is None for o in outcomes):
        return None
    cases = [_place(search, o) for o in outcomes]
    wrong = [case for case in cases if case.came != case.right]
    if not wrong:
        return None
    if told := constant([(case.right, case.came) for case in cases]):
        return told
    if lastly:
        seen = [Seen(case.values, case.right, case.came) for case in cases]
        return certain(search.formula, seen)
    if all(case.base.get("budget_bytes", 0) > EXACT_IN_FLOAT for case in wrong):
        return (CONVERTED[0],), CONVERTED[1]
    return (
        _likeliest(search, cases)
        or clamped(*_in_patches(cases))
        or _conditional(search, cases, wrong)
        or _pairs(search, cases)
        or _off_the_grid(cases)
    )


def _off_the_grid(cases: list[Place]) -> Named | None:
    """Sides that hold no whole number of patches, and whether rounding them is all that is left to do."""
    off = [case for case in cases if case.came % case.base["P"]]
    if not off:
        return None
    told = (
        f"In {len(off)} of {len(cases)} cases your side is no multiple of P: for example {plain(off[0].came)} with P ="
        f" {off[0].base['P']}. A picture is cut into whole patches."
    )
    for words, whole in (("down", floor), ("up", ceil)):
        if all(whole(Fraction(case.came, case.base["P"])) * case.base["P"] == case.right for case in cases):
            told += f" Rounded {words} to a multiple of P, every answer of yours is right."
    return ("no-multiple",), told


def _in_patches(cases: list[Place]) -> Iterator[tuple[str, list[tuple[Any, Any]]]]:
    """(unit, right answers with those that came), in pixels and in patches."""
    yield " px", [(case.right, case.came) for case in cases]
    yield " patches", [(Fraction(case.right, case.base["P"]), Fraction(case.came, case.base["P"])) for case in cases]


def _place(search: Search, outcome: Outcome) -> Place:
    base = search.formula.read(*outcome.case.arguments())
    came = plain_number(outcome.returned)
    came = int(came) if came == int(came) else Fraction(came)
    side = outcome.expected // base["P"]
    values = search.formula.values(base | {"side": side}) | {"base": base}
    return Place(base, values, outcome.expected, came, {})


def _known(search: Search) -> Iterator[tuple[Formula, Slip]]:
    for formula in (search.formula, *([search.closed] if search.closed else [])):
        yield from ((formula, slip) for slip in (*in_quantities(formula), *in_terms(formula)))


def _fits(search: Search, formula: Formula, slip: Slip, way: Way, case: Place) -> bool:
    try:
        return way.fits(search, case.gap(formula, slip), case.came, case.values)
    except (ArithmeticError, ValueError):
        return False


Explained = tuple[int, tuple[str, ...], str, Callable[[Place], bool]]


def _single(search: Search) -> list[Explained]:
    """Every single mistake, the likeliest first: in the formula, or outside it."""
    formula = search.formula
    found: list[Explained] = [
        (way.cost, (way.name,), way.sentence, lambda case, way=way: _fits(search, formula, UNCHANGED, way, case))
        for way in WAYS
    ]
    found += [
        (
            slip.cost + (f is search.closed),
            (slip.name,),
            slip.sentence,
            lambda case, f=f, slip=slip: _fits(search, f, slip, RIGHT, case),
        )
        for f, slip in _known(search)
    ]
    return sorted(found, key=lambda e: e[0])


def _likeliest(search: Search, cases: list[Place], known: list[Explained] | None = None) -> Named | None:
    told = max(cases, key=lambda case: abs(case.came - case.right))
    found: list[Explained] = []
    for explained in known or _single(search):
        if found and explained[0] > found[0][0]:
            break
        if explained[3](told) and all(map(explained[3], cases)):
            found.append(explained)
    return (found[0][1], either([(e[1][0], e[2]) for e in found])) if found else None


def _conditional(search: Search, cases: list[Place], wrong: list[Place]) -> Named | None:
    """A mistake that is made only where something holds."""
    for words, holds in search.formula.conditions.items():
        inside = [case for case in cases if holds(case.values)]
        outside = [case for case in cases if not holds(case.values)]
        if len(wrong) < 3 or not outside or any(case.came != case.right for case in outside):
            continue
        if found := _likeliest(search, inside):
            return found[0], f"{words}: {found[1]}"
    return None


def _pairs(search: Search, cases: list[Place]) -> Named | None:
    """A mistake in the formula and one outside it, or a quantity mistaken everywhere and a term besides."""
    order = sorted(cases, key=lambda case: -abs(case.came - case.right))
    strictly = Slip(PLAIN, "strictly", STRICTLY, lambda v: v["total"] + (1 if search.largest else -1))
    for formula, slip in sorted([(search.formula, strictly), *_known(search)], key=lambda known: known[1].cost):
        if slip.cost >= FAR:
            break
        for way in WAYS:
            if all(_fits(search, formula, slip, way, case) for case in order):
                return (slip.name, way.name), f"Two things at once. {slip.sentence} {way.sentence}"
    for first, second in _worlds(search):
        if all(_fits(search, search.formula, _after(search.formula, first, second), RIGHT, case) for case in order):
            return (first.name, second.name), f"Two things at once. {first.sentence} {second.sentence}"
    return None


def _worlds(search: Search) -> Iterator[tuple[Slip, Slip]]:
    everywhere = [slip for slip in in_quantities(search.formula) if slip.world and slip.cost <= NEAR]
    besides = [*everywhere, *(slip for slip in in_terms(search.formula) if slip.cost <= NEAR and slip.name in SIMPLE)]
    return ((first, second) for first in everywhere for second in besides if first is not second)


def _after(formula: Formula, first: Slip, second: Slip) -> Slip:
    """The second slip, made by somebody who made the first as well."""
    name, written = first.world

    def value(values: Values) -> Any:
        if (known := values.get(first)) is None:
            known = values[first] = formula.values(values["base"], name, values[written])
        return second.gives(known)

    return Slip(0, "", "", value)
