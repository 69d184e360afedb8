"""A count as a sum of named terms, each a product of named quantities; and the slips one can make in writing it.

A slip is one change at one place: a term left out or counted twice, a factor lost, added or mistaken for another, a
quantity mistaken everywhere. What it adds to the right answer follows from the formula, so nobody has to list it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import ceil, floor, prod, sqrt
from typing import Any

Values = dict[str, Any]
PLAIN, NEAR, FAR = 1, 2, 4  # how far-fetched a slip is
SHOWN = 4  # terms of a group that a sentence spells out
NONE = float("nan")
FEW = ("2", "3", "4")
PER_CENT = "That is in per cent, and rounded. Return the number itself as it comes out."
CONSTANTS: Values = {str(n): n for n in range(13)} | {"-1": -1}


@dataclass(frozen=True)
class Term:
    """A product. `factors` and `over` name quantities, repeated for powers; a name made of digits is that number."""

    name: str
    factors: tuple[str, ...]
    over: tuple[str, ...] = ()
    key: str = ""  # the entry of the dict it belongs to
    sign: int = 1

    def value(self, values: Values) -> Any:
        """The product, in whole numbers where all are whole."""
        found = self.sign * prod(values[f] for f in self.factors)
        return found / prod(values[f] for f in self.over) if self.over else found

    @property
    def text(self) -> str:
        """The product as a reader writes it."""
        below = product(self.over)
        return product(self.factors) + (f" / ({below})" if len(set(self.over)) > 1 else f" / {below}" if below else "")


def terms(table: dict[str, str], key: str = "", sign: int = 1) -> tuple[Term, ...]:
    """Terms by name, each product written with blanks between its factors, a slash before those it is divided by."""
    found = []
    for name, written in table.items():
        above, _, below = written.partition("/")
        found.append(Term(name, tuple(above.split()), tuple(below.split()), key, sign))
    return tuple(found)


def product(factors: Iterable[str]) -> str:
    """Factors with powers: numbers first, the rest in the order given."""
    factors = sorted(factors, key=lambda f: not f.isdigit())
    powers = {f: factors.count(f) for f in factors}
    return " ".join(_bracketed(f) + (f"^{n}" if n > 1 else "") for f, n in powers.items()) or ("1" if factors else "")


def _bracketed(name: str) -> str:
    return f"({name})" if any(sign in name for sign in "+-/") else name


@dataclass(frozen=True, eq=False)
class Formula:
    """The right answer as a sum of terms, and what may be mistaken in it.

    `read` turns the arguments of the exercise into its quantities; `derived` follow from those, in order. `variants`
    are near misses of a quantity: name -> what was written instead -> its value. `groups` name sums of terms.
    `units` say what a constant factor of the whole answer means; `extras` what has a number that is too much, by key;
    `instead` other answers by the sentence that names them.
    """

    read: Callable[..., Values]
    terms: tuple[Term, ...]
    derived: dict[str, Callable[[Values], Any]] = field(default_factory=dict)
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    variants: dict[str, dict[str, Callable[[Values], Any]]] = field(default_factory=dict)
    meaning: dict[str, str] = field(default_factory=dict)
    advice: dict[tuple[str, str], str] = field(default_factory=dict)  # (quantity, taken for it) -> a better sentence
    units: dict[str, str] = field(default_factory=dict)
    extras: dict[str, dict[str, str]] = field(default_factory=dict)
    instead: dict[str, Callable[[Values], Any]] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()  # terms that nobody mistakes
    besides: tuple[Term, ...] = ()  # what somebody may count who should not
    loose: tuple[str, ...] = ()  # quantities of which a product may be added or left out
    conditions: dict[str, Callable[[Values], bool]] = field(default_factory=dict)
    tolerance: float = 0

    def values(self, base: Values, name: str = "", instead: Any = None, near: bool = True) -> Values:
        """All quantities of one case; with `name`, that quantity is `instead`, and what follows from it follows.

        `near` asks for the near misses too, which only some slips look at.
        """
        base = base | {name: instead} if name in base else base
        values = {**CONSTANTS, **base, "base": base}
        for other, rule in self.derived.items():
            values[other] = instead if other == name else rule(values)
        if near:
            for table in self.variants.values():
                for written, rule in table.items():
                    values[written] = rule(values)
        return values

    def at(self, *arguments: Any) -> Values:
        """All quantities of these arguments."""
        return self.values(self.read(*arguments))

    def total(self, values: Values) -> Any:
        """The answer, kept with the quantities once it is known."""
        if "total" not in values:
            values["total"] = sum(t.value(values) for t in self.terms)
        return values["total"]

    @cache
    def part(self, key: str) -> Formula:
        """The formula of one entry."""
        kept = tuple(t for t in self.terms if t.key == key)
        names = {t.name for t in kept}
        groups = {g: of for g, of in self.groups.items() if names.issuperset(of)}
        return replace(self, terms=kept, groups=groups, extras={"": self.extras.get(key, {})})

    @property
    def keys(self) -> tuple[str, ...]:
        """Entries of the answer, in order; one empty name where it is a number."""
        return tuple(dict.fromkeys(t.key for t in self.terms))

    def members(self) -> dict[str, tuple[Term, ...]]:
        """Every term and every group by name."""
        by_name = {t.name: t for t in self.terms}
        return {t.name: (t,) for t in self.terms} | {
            g: tuple(by_name[n] for n in names) for g, names in self.groups.items()
        }

    def means(self, name: str) -> str:
        """A sentence on a quantity, with a blank before it; empty where its name says it all."""
        return f" {name} is {self.meaning[name]}." if name in self.meaning else ""

    @property
    def base_names(self) -> tuple[str, ...]:
        """Quantities that the terms or the derived quantities are made of and that have a meaning."""
        return tuple(self.meaning)


@dataclass(frozen=True, eq=False)
class Slip:
    """One mistake: `value` is the answer that it gives, from a case's right quantities."""

    cost: int
    name: str
    sentence: str
    value: Callable[[Values], Any]
    members: tuple[Term, ...] = ()  # the terms it is in; none where it is everywhere
    world: tuple[str, str] | None = None  # the quantity mistaken everywhere, and for what
    ratio: bool = False  # whether it multiplies the whole answer

    def gives(self, values: Values) -> Any:
        """The answer with this slip; not a number where there is none."""
        try:
            found = self.value(values)
        except (ArithmeticError, ValueError):  # a size that is 0, or no side of whole patches
            return NONE
        return NONE if found is None or isinstance(found, complex) else found


@cache
def slips(formula: Formula) -> list[Slip]:
    """All single slips, the likeliest first."""
    found = [*in_quantities(formula), *in_the_whole(formula), *in_terms(formula)]
    return sorted(found, key=lambda slip: slip.cost)


# Quantities -----------------------------------------------------------------------------------------------------


def in_quantities(formula: Formula) -> Iterator[Slip]:
    """A quantity taken for another everywhere, or two that changed places."""
    for name, table in formula.variants.items():
        for written in table:
            if not name.endswith("^2"):
                yield _taken(formula, name, written, nearness(formula, name, written))
    names = formula.base_names
    for name in names:
        for written in names:
            if written != name:
                yield _taken(formula, name, written, FAR)
                if name < written:
                    yield _swapped(formula, name, written)
        if formula.tolerance:  # whole numbers stay as they are when they are rounded
            if re.fullmatch(r"\d+", name):
                yield _rounded_on_the_way(formula, name)
            yield from (_input_rounded(formula, name, words, change) for words, change in ROUNDINGS.items())


def nearness(formula: Formula, name: str, written: str) -> int:
    """How likely it is that this is written for that: a sum or a power that nobody thought of is less so."""
    thought_of = (name, written) in formula.advice or written in formula.meaning or re.fullmatch(r"[\d^]+", written)
    return NEAR if thought_of or not re.search(r"[-+(^]| plus ", written) else NEAR + 1


def _taken(formula: Formula, name: str, written: str, cost: int) -> Slip:
    def value(values: Values) -> Any:
        return formula.total(formula.values(values["base"], name, values[written], near=False))

    words = formula.advice.get((name, written)) or f"You took {written} for {name}.{formula.means(name)}"
    return Slip(cost, "quantity", words, value, world=(name, written))


ROUNDINGS: dict[str, Callable[[float], float]] = {
    "down to a whole number": floor,
    "up to a whole number": ceil,
    "to a whole number": round,
    "to one decimal": lambda x: round(x, 1),
    "to two decimals": lambda x: round(x, 2),
}


def _input_rounded(formula: Formula, name: str, words: str, change: Callable[[float], float]) -> Slip:
    def value(values: Values) -> Any:
        base = values["base"]
        return formula.total(formula.values(base, name, change(base[name]), near=False)) if name in base else None

    return Slip(NEAR, "input-rounded", f"You rounded {name} {words} before you computed. Use it as it is given.", value)


def _rounded_on_the_way(formula: Formula, written: str) -> Slip:
    """A whole number of smaller units, which are then divided by."""

    def value(values: Values) -> Any:
        return floor(formula.total(values) * values[written]) / values[written]

    return Slip(
        NEAR,
        "rounded-on-the-way",
        f"You divided with // before the division by {written}. Divide with / and round nothing.",
        value,
    )


def _swapped(formula: Formula, name: str, written: str) -> Slip:
    def value(values: Values) -> Any:
        base = values["base"]
        if not (name in base and written in base):
            return None
        return formula.total(formula.values(base | {name: values[written], written: values[name]}, near=False))

    return Slip(FAR, "swapped", f"{name} and {written} changed places.", value)


# Terms ----------------------------------------------------------------------------------------------------------


def in_terms(formula: Formula) -> Iterator[Slip]:
    """One term, or one group of terms, that is left out, counted too often, or has a factor wrong."""
    for name, members in formula.members().items():
        if name in formula.fixed:
            continue
        text = " + ".join(t.text for t in members[:SHOWN]) + (" and more" if len(members) > SHOWN else "")
        for cost, kind, words, above, below in _edits(formula, name, members):
            yield Slip(cost, kind, f"{words}: {text}.", _edited(formula, members, above, below), members)
    for extra in formula.besides:
        yield Slip(
            NEAR,
            "too-much",
            f"You counted {extra.name}, {extra.text}, as well. Leave that out.",
            lambda v, extra=extra: formula.total(v) + extra.value(v),
            (extra,),
        )


def _edited(
    formula: Formula, members: tuple[Term, ...], above: tuple[str, ...], below: tuple[str, ...]
) -> Callable[[Values], Any]:
    def value(values: Values) -> Any:
        if any(not values[f] for f in below):
            return formula.total(values) + sum(
                _without_zero(t, above, below, values) - t.value(values) for t in members
            )
        if (known := values.get(members)) is None:
            part = sum(t.value(values) for t in members)
            known = values[members] = (part, formula.total(values) - part)
        part, rest = known
        for factor in above:
            part *= values[factor]
        return rest + (over(part, prod(values[f] for f in below)) if below else part)

    return value


def _without_zero(term: Term, above: tuple[str, ...], below: tuple[str, ...], values: Values) -> Any:
    """A term with factors exchanged, one of which is 0 and cannot be divided by. Raises ValueError if it has none."""
    factors = list(term.factors)
    for factor in below:
        factors.remove(factor)
    return replace(term, factors=(*factors, *above)).value(values)


def over(above: Any, below: Any) -> Any:
    """A quotient, whole where both are. Raises ZeroDivisionError."""
    return above // below if isinstance(above, int) and isinstance(below, int) else above / below


Edit = tuple[int, str, str, tuple[str, ...], tuple[str, ...]]


def _edits(formula: Formula, name: str, members: tuple[Term, ...]) -> Iterator[Edit]:
    """(cost, kind, sentence up to the colon, factors to multiply by, factors to divide by)."""
    yield PLAIN, "missing-term", f"The term of {name} is missing", ("0",), ()
    yield PLAIN, "term-twice", f"You counted the term of {name} twice. Once is right", ("2",), ()
    if any(t.sign < 0 for t in formula.terms):
        yield NEAR, "wrong-side", f"You counted the term of {name} on the other side of the comparison", ("-1",), ()
    else:
        yield NEAR, "wrong-sign", f"You subtracted the term of {name}. It is added", ("-1",), ()
    yield NEAR, "half-term", f"You halved the term of {name}. It is", (), ("2",)
    shared = [f for f in dict.fromkeys(members[0].factors) if all(f in t.factors for t in members)]
    others = (*formula.base_names, *FEW)
    for old in shared:
        yield _without(name, members[0], old)
        near = tuple(n for n in formula.variants.get(old, ()) if n not in ("0", "1"))  # those are left out or dropped
        if members[0].factors.count(old) == 2:
            for new in formula.variants.get(f"{old}^2", ()):
                yield NEAR, "factor-replaced", f"The term of {name} has {new} where {old}^2 belongs", (new,), (old, old)
        for new in (*near, *(n for n in others if n not in near)):
            if new != old:
                yield (
                    nearness(formula, old, new) if new in near else FAR,
                    "factor-replaced",
                    f"The term of {name} has {new} where {old} belongs",
                    (new,),
                    (old,),
                )
                if members[0].factors.count(old) == 2 and new not in FEW:
                    yield (
                        FAR,
                        "factor-replaced",
                        f"The term of {name} has {product((new, new))} where {old}^2 belongs",
                        (new, new),
                        (old, old),
                    )
    yield from _several(name, shared)
    if len(members) == 1:
        yield from _like_another(formula, name, members[0])
    if len(formula.terms) == 1:
        yield from _turned_over(members[0])
    for new in (*others, "8"):
        yield FAR - 1, "extra-factor", f"The term of {name} has the factor {new} too many", (new,), ()
        if new not in shared:
            yield FAR - 1, "divided", f"You divided the term of {name} by {new}, which is not in it", (), (new,)


def _several(name: str, shared: list[str]) -> Iterator[Edit]:
    """Two or three factors that a bracket would have taken along."""
    for several in (*combinations(shared, 2), *combinations(shared, 3)):
        yield (
            NEAR + 1,
            "missing-factor",
            f"The term of {name} lacks the factors {' and '.join(several)}. Is a bracket missing? It is",
            (),
            several,
        )


def _like_another(formula: Formula, name: str, term: Term) -> Iterator[Edit]:
    """Most of another term, as when a bias has as many numbers as its layer has inputs."""
    own = Counter(term.factors)
    for other in formula.terms:
        if other is term or other.over or other.name.split("'s ")[0] != name.split("'s ")[0]:
            continue  # of another layer: nobody takes one for the other
        for lost in dict.fromkeys(other.factors):
            found = Counter(other.factors)
            found[lost] -= 1
            above, below = tuple((found - own).elements()), tuple((own - found).elements())
            if len(above) > 1 and below:
                yield (
                    FAR,
                    "factor-replaced",
                    f"The term of {name} has {product(above)} where {product(below)} belongs",
                    above,
                    below,
                )


def _turned_over(only: Term) -> Iterator[Edit]:
    """In an answer that is one product: a factor left out or on the wrong side of the stroke."""
    for name in dict.fromkeys(only.factors):
        yield NEAR, "inverted", f"You divided by {name}. Multiply by it", (), (name, name)
    for name in dict.fromkeys(only.over):
        yield NEAR, "missing-factor", f"You did not divide by {name}", (name,), ()
        yield NEAR, "inverted", f"You multiplied by {name}. Divide by it", (name, name), ()
        yield FAR, "extra-factor", f"You divided by {name} twice", (), (name,)
        rest = tuple(other for other in only.over if other != name)
        yield (
            NEAR,
            "brackets",
            "Python reads a / b * c as (a / b) * c. Put everything that divides in one pair of brackets",
            (*rest, *rest),
            (),
        )


def _without(name: str, first: Term, old: str) -> Edit:
    count = first.factors.count(old)
    words = (
        f"The term of {name} lacks the factor {old}"
        if count == 1
        else f"The term of {name} has {product((old,) * (count - 1))} where {old}^{count} belongs"
    )
    return NEAR, "missing-factor", words, (), (old,)


# The whole ------------------------------------------------------------------------------------------------------


def in_the_whole(formula: Formula) -> Iterator[Slip]:
    """The whole answer times or over one number, rounded, or with something else besides."""
    if len(formula.terms) > 1:
        yield from _scaled(formula)
    for written, words in formula.units.items():
        for value in _in_unit(formula, written):
            yield Slip(PLAIN, "unit", words, value, ratio=True)
    for words, value in formula.instead.items():
        yield Slip(PLAIN, "instead", words, value)
    if len(formula.terms) > 1:
        yield Slip(
            PLAIN,
            "zero",
            "Your number is 0. Does an `if ... else 0` take the whole sum? Put it in brackets.",
            lambda v: 0 * formula.total(v),
        )
    yield Slip(NEAR, "negated", "Your number has the wrong sign.", lambda v: -formula.total(v), ratio=True)
    yield from _rounded(formula)
    for written, words in formula.extras.get("", {}).items():
        factors = tuple(written.split())
        yield Slip(
            PLAIN,
            "too-much",
            f"Your number is too high by {product(factors)}. {words}",
            lambda v, factors=factors: formula.total(v) + prod(v[f] for f in factors),
        )


def _scaled(formula: Formula) -> Iterator[Slip]:
    """The whole answer times or over one quantity."""
    shared = set.intersection(*(set(t.factors) for t in formula.terms))
    for name in (*formula.base_names, *FEW):
        yield Slip(
            NEAR,
            "whole-times",
            f"Your number is {name} times what it should be.",
            lambda v, name=name: formula.total(v) * v[name],
            ratio=True,
        )
        lost = f"The factor {name} is missing."
        if name not in shared:
            lost = f"Your number is divided by {name} once too often."
        yield Slip(NEAR, "whole-over", lost, lambda v, name=name: over(formula.total(v), v[name]), ratio=True)
        if name in shared:
            yield Slip(
                NEAR,
                "inverted",
                f"You divided by {name}. Multiply by it.",
                lambda v, name=name: over(formula.total(v), v[name] ** 2),
                ratio=True,
            )


def _in_unit(formula: Formula, written: str) -> Iterator[Callable[[Values], Any]]:
    """The answer times "1000", or over "/1000", in whole numbers and not."""
    number = float(written.lstrip("/"))
    number = int(number) if number.is_integer() else number
    if not written.startswith("/"):
        yield lambda v: formula.total(v) * number
        return
    yield lambda v: formula.total(v) / number
    if not formula.tolerance:
        yield lambda v: formula.total(v) // number


def _rounded(formula: Formula) -> Iterator[Slip]:
    words = "You rounded the answer. Return it as it comes out."
    for digits in range(-3, 7) if formula.tolerance else range(-9, 0):
        yield Slip(NEAR, "rounded", words, lambda v, n=digits: round(formula.total(v), n))
    for digits in range(1, 8):
        yield Slip(NEAR, "rounded", words, lambda v, n=digits: _significant(formula.total(v), n))
    if not formula.tolerance:
        return
    for other, sentence, value in (
        ("rounded", words, floor),
        ("rounded", words, ceil),
        ("capped", "You cut the answer off at 1. Return it as it comes out.", lambda x: min(1.0, x)),
        ("capped", "You made the answer at least 1. Return it as it comes out.", lambda x: max(1.0, x)),
        ("upside-down", "The answer is upside down: turn the quotient over.", lambda x: 1 / x),
        ("upside-down", "The answer is upside down, and in per cent.", lambda x: 100 / x),
        ("rounded", PER_CENT, lambda x: round(100 * x)),
        ("rounded", PER_CENT, lambda x: floor(100 * x)),
        ("rounded", PER_CENT, lambda x: round(100 * x, 1)),
        ("rounded", PER_CENT, lambda x: round(100 * x, 2)),
        ("rest", "You returned 1 minus the answer.", lambda x: 1 - x),
        ("off-by-one", "You added 1 to the answer.", lambda x: x + 1),
        ("off-by-one", "You took 1 off the answer.", lambda x: x - 1),
        ("squared", "You squared the answer.", lambda x: x * x),
        ("root", "You took the root of the answer.", sqrt),
    ):
        yield Slip(NEAR, other, sentence, lambda v, value=value: value(formula.total(v)))


def _significant(number: Any, digits: int) -> Any:
    return type(number)(float(f"{number:.{digits}g}"))


@cache
def products(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Products of up to four of these quantities, the short ones first."""
    return [factors for length in range(5 if names else 1) for factors in combinations_with_replacement(names, length)]
