"""The same for answers that are a dict of numbers and their total."""

from __future__ import annotations

from itertools import product as every

from widgets.lesson.comparison import is_number
from widgets.lesson.exercises._naming_numbers import Named, Seen, explain_number, plain_number, seen
from widgets.lesson.exercises._terms import Formula, in_quantities
from widgets.lesson.plain_values import kind_of
from widgets.lesson.specification import Outcome

TOTAL = "total"
SUM = "`total` is not the sum of your own parts. Add them up."


def explain_dict(formula: Formula, outcomes: list[Outcome], lastly: bool) -> Named | None:
    """Short names and a sentence for what is wrong in the parts, else in the total."""
    if any(not isinstance(o.returned, dict) for o in outcomes):
        return ("wrong-kind",), f"Return a dict with {', '.join(f'`{key}`' for key in (*formula.keys, TOTAL))}."
    if any(o.returned.keys() != o.expected.keys() for o in outcomes):
        return None  # the keys have a sentence of their own
    parts = {key: seen(formula.part(key), outcomes, key) for key in formula.keys}
    if no_number := [f"`{key}`" for key, cases in parts.items() if cases is None]:
        return None if lastly else _no_number(outcomes, no_number)
    wrong = [key for key, cases in parts.items() if any(case.wrong for case in cases)]
    if not wrong:
        return _total(formula, outcomes)
    if lastly:
        return _key_by_key(formula, parts, wrong, lastly)
    return _exchanged(parts, wrong) or _everywhere(formula, parts) or _key_by_key(formula, parts, wrong)


def _no_number(outcomes: list[Outcome], keys: list[str]) -> Named | None:
    """Which entries hold something else than a number, in any case."""
    others = [value for o in outcomes for value in o.returned.values() if plain_number(value) is None]
    if any(map(is_number, others)):  # a number all the same, if boxed or too large, and told as that
        return None
    kinds = {kind_of(value) for value in others}
    return ("wrong-kind",), f"In {' and '.join(keys)} there must be a number, not {' or '.join(sorted(kinds))}."


def _exchanged(parts: dict[str, list[Seen]], wrong: list[str]) -> Named | None:
    """Two entries that changed places."""
    for one in wrong:
        for two in wrong:
            pairs = list(zip(parts[one], parts[two], strict=True))
            if one < two and all(a.came == b.right and b.came == a.right for a, b in pairs):
                return ("keys-swapped",), f"`{one}` and `{two}` changed places."
    return None


def _everywhere(formula: Formula, parts: dict[str, list[Seen]]) -> Named | None:
    """One quantity mistaken everywhere, which explains every entry; or one factor in all."""
    first = next(iter(parts))
    by_key = {key: list(in_quantities(formula.part(key))) for key in parts}
    order = sorted(range(len(by_key[first])), key=lambda i: by_key[first][i].cost)
    for i in order:
        if all(case.is_(by_key[key][i].gives(case.values)) for key, cases in parts.items() for case in cases):
            return (by_key[first][i].name,), by_key[first][i].sentence
    for written, words in formula.units.items():
        number = int(float(written.lstrip("/")))
        if all(
            case.came == (case.right // number if "/" in written else case.right * number)
            for cases in parts.values()
            for case in cases
        ):
            return ("unit",), words
    return None


def _key_by_key(formula: Formula, parts: dict[str, list[Seen]], wrong: list[str], lastly: bool = False) -> Named | None:
    """What is wrong in each wrong entry, for two of them at most."""
    found = {key: explain_number(formula.part(key), parts[key], lastly) for key in wrong}
    told = {key: named for key, named in found.items() if named}
    if not told:
        return None
    sentences: dict[str, list[str]] = {}
    for key, (_, sentence) in told.items():
        sentences.setdefault(sentence, []).append(f"`{key}`")
    names = tuple(dict.fromkeys(name for names, _ in told.values() for name in names))
    return names, " ".join(f"In {' and '.join(keys)}: {sentence}" for sentence, keys in sentences.items())


def _total(formula: Formula, outcomes: list[Outcome]) -> Named | None:
    """What the total is made of, where all parts are right."""
    keys, cases = formula.keys, []
    for outcome in outcomes:
        came = plain_number(outcome.returned.get(TOTAL))
        if came is None:
            return _no_number(outcomes, [f"`{TOTAL}`"])
        cases.append(([outcome.expected[key] for key in keys], came))
    if all(Seen({}, 0, came).is_(sum(parts)) for parts, came in cases):
        return None
    ways = sorted(every((1, 0, 2, -1), repeat=len(keys)), key=lambda w: sum(n != 1 for n in w))
    for times in ways[1:]:
        if all(came == sum(n * part for n, part in zip(times, parts, strict=True)) for parts, came in cases):
            words = {0: "leaves out", 2: "counts twice", -1: "subtracts"}
            told = [f"{words[n]} `{key}`" for n, key in zip(times, keys, strict=True) if n != 1]
            return ("total",), f"Your `total` {', '.join(told)}. It is the sum of the four entries."
    return _total_with_factor(formula, outcomes, cases) or (("total",), SUM)


def _total_with_factor(formula: Formula, outcomes: list[Outcome], cases: list[tuple[list[int], int]]) -> Named | None:
    """Entries that the total counts as often as a quantity says, which is in them already."""
    values = [formula.at(*o.case.arguments()) for o in outcomes]
    for factor in formula.base_names:
        for times in every((False, True), repeat=len(formula.keys)):
            if any(times) and all(
                came == sum(part * (v[factor] if more else 1) for part, more in zip(parts, times, strict=True))
                for (parts, came), v in zip(cases, values, strict=True)
            ):
                told = " and ".join(f"`{key}`" for key, more in zip(formula.keys, times, strict=True) if more)
                return ("total",), (
                    f"Your `total` multiplies {told} by {factor}. The entries are complete: `total` is their sum."
                )
    return None
