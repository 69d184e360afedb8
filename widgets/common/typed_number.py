"""The one reader of typed numbers: what a text can mean in its field, and a question where that is not one number.

A point stands before decimals, and commas, spaces, apostrophes or underscores between groups of three digits. A comma
that can only be a decimal one is asked about, and so is one that may be either where the field could hold both:

    number_typed("61.5 TFLOP/s", Kind("Peak", 0.001, 1e6, units=("TFLOP/s",)))    is 61.5
    number_typed("61,5", ...)                                                     asks: “61,5”: did you mean 61.5?
    sides_typed("224 by 320", Kind("Picture side", 1, 4096, whole=True))          is (224.0, 320.0)
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple

from widgets.common.refusal import Refused

LONGEST = 60  # characters of one number
FARTHEST = 1000  # characters that are looked at: what is longer was pasted by mistake
FAR = 1e15  # bounds further apart than this need not be said
RULE = "A point stands before decimals here, a comma between thousands."
WAYS = {  # unit -> how it may be written, beside itself; case does not matter
    "%": ("per cent", "percent"),
    "px": ("pixel", "pixels"),
    "times": ("time", "x", "×"),
    "TFLOP/s": ("TFLOPs/s", "TFLOPS", "TFLOP"),
}
NAMED = {2: "two", 4: "four"}
_ALIKE = str.maketrans(
    {
        **dict.fromkeys("−–﹣－", "-"),
        **dict.fromkeys("’ʼ＇‘", "'"),
        **dict.fromkeys("*✕⋅·", "×"),
        **dict.fromkeys("\u200b\u2060\ufeff", ""),
        "＋": "+",
        "，": ",",
        "．": ".",
        "％": "%",
        "；": ";",
        "（": "(",
        "）": ")",
        "＾": "^",
        "ｘ": "x",
    }
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_WHOLE_TEXT = re.compile(
    r"(?P<sign>[+-]?) ?(?P<digits>[\d.,'_ ]*\d[\d.,'_ ]*?)(?: ?e(?P<e>[+-]?\d+)| ?[x×] ?10 ?\^ ?(?P<power>[+-]?\d+))?",
    re.I,
)
_POWER = re.compile(r"(?P<sign>[+-]?) ?10 ?\^ ?(?P<power>[+-]?\d+)")
_PLAIN = re.compile(r"\d+\.?\d*|\.\d+")
_GROUPED = re.compile(r"[1-9]\d{0,2}([ ,'_])\d{3}(?:\1\d{3})*(?:\.\d*)?")
_DECIMAL_COMMA = re.compile(r"(?:\d*|[1-9]\d{0,2}([ .'_])\d{3}(?:\1\d{3})*),\d+")
_POINTS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")
_BETWEEN = re.compile(r" ?(?:(?<![a-z])x(?![a-z])|[×;]|(?<=[\d ])by(?=[\d ])|, ) ?", re.I)
_MORE = re.compile(r"(?P<number>.*\d\.?) ?(?P<rest>%|[^\W\d_][^\d]*)")


@dataclass(frozen=True)
class Kind:
    """What may stand in a field: its name in a sentence, its bounds, whether it is whole, its units, one that is good.

    A side of a picture is a multiple of `step` too; what is none is refused elsewhere, but it settles what was meant.
    """

    name: str = ""
    least: float = -math.inf
    most: float = math.inf
    whole: bool = False
    units: tuple[str, ...] = ()
    example: str = "100 or 0.5"
    step: int = 1
    ask: str = ""  # what to type, in place of the sentence that the bounds make

    @property
    def wanted(self) -> str:
        """What to type, after a semicolon."""
        if self.ask:
            return self.ask
        span = f" from {_plain(self.least)} to {_plain(self.most)}" if self.most - self.least < FAR else ""
        return f"type a {'whole ' if self.whole else ''}number{span}, such as {self.example}"

    def holds(self, value: float) -> bool:
        """Whether a number can stand in the field."""
        return self.least <= value <= self.most and math.isfinite(value) and not (self.whole and value % self.step)


class NotRead(Refused):
    """Why a text is no number of its field, and `near`: numbers (or tuples of sides) that could be meant."""

    def __init__(self, sentence: str, near: tuple[float | tuple[float, ...], ...] = ()) -> None:
        super().__init__(sentence[:1].upper() + sentence[1:])
        self.near = near


class _Reading(NamedTuple):
    value: float
    text: str  # as it would be typed without a doubt
    sure: bool  # by the course's own rule, so that it need not be asked about


def number_typed(text: str, kind: Kind = Kind()) -> float:
    """The number a text means in a field, never a negative zero. Raises NotRead with a sentence, perhaps a question."""
    typed = _same_signs(text)
    if not typed:
        raise NotRead(f"{_lead(kind)}the field is empty; {kind.wanted}.")
    readings = _readings(_without_unit(typed, kind), kind.whole) if len(typed) <= LONGEST else []
    if not readings:
        raise NotRead(f"{_lead(kind)}{_no_number(text, typed, kind)}; {kind.wanted}.")
    meant = [one for one in readings if kind.holds(one.value)] or readings[:1]
    if len(meant) == 1:
        _check(meant[0], kind, text)
        if meant[0].sure:
            return meant[0].value
    texts = " or ".join(one.text for one in meant)
    raise NotRead(f"“{short(text)}”: did you mean {texts}? {RULE}", tuple(one.value for one in meant))


def sides_typed(text: str, kind: Kind, most: int = 2, listed: bool = False) -> tuple[float, ...]:
    """The sides a text means: one or up to `most`, such as 224, 224 x 320, (224, 320). Raises NotRead."""
    return tuple(number_typed(side, kind) for side in split_sides(text, kind, most, listed))


def split_sides(text: str, kind: Kind, most: int = 2, listed: bool = False) -> list[str]:
    """The text of each side, still to be read. Raises NotRead.

    In a `listed` text, or one in brackets, commas always stand between sides; in a listed one spaces too.
    """
    typed = _same_signs(text)
    if len(typed) > most * LONGEST:
        return [text]  # which is refused for its length when it is read
    bare = re.sub(r"^[\[(] ?(.*?) ?,? ?[\])]$", r"\1", typed)
    power = _POWER.fullmatch(bare) or ((whole := _WHOLE_TEXT.fullmatch(bare)) and whole["power"])
    if power or not bare:
        return [bare]
    apart = re.sub(r" ?([x×;]) ?", r"\1", bare)
    sides = _BETWEEN.split(re.sub(r" ?, ?| " if listed else " ?, ?", ", ", apart) if listed or bare != typed else bare)
    if len(sides) == 1:
        sides = _weakly_split(text, bare, kind, most)
    if len(sides) > most:
        raise NotRead(f"“{short(text)}” has more than {NAMED.get(most, most)} numbers; {kind.wanted}.")
    if len(sides) > 1 and "" in (side.strip() for side in sides):
        raise NotRead(f"{_lead(kind)}a side is missing in “{short(text)}”; {kind.wanted}.")
    grouped = re.search(r"[1-9]\d{0,2}(?:,\d{3})+(?!\d)", bare)
    if grouped and any(re.match(r"0\d\d", side) for side in sides):
        one = grouped[0].replace(",", "")
        raise NotRead(f"“{grouped[0]}”: did you mean {one}? Here a comma stands between two sides.")
    return sides


def as_typed(value: float | tuple[float, ...], whole: bool = True) -> str:
    """A number or sides as a field shows them, so that they are read back as they are."""
    if isinstance(value, tuple):
        return " x ".join(as_typed(side, whole) for side in value)
    text = f"{value:,.12g}" if abs(value) < 1e12 or value != int(value) else f"{value:,.0f}"
    return text if whole or text.count(",") != 1 or "." in text else text.replace(",", "")


def short(text: str) -> str:
    """What was typed, for a sentence."""
    typed = " ".join(text[:FARTHEST].split())
    return typed if len(typed) <= 20 else typed[:17] + "..."


# --- how a text is taken apart


def _same_signs(text: str) -> str:
    """One sign for each meaning: digits of every script, spaces, minus signs, apostrophes, powers."""
    plain = text[:FARTHEST].replace("**", "^").translate(_ALIKE)
    plain = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else " " if c.isspace() else c for c in plain)
    plain = re.sub(r"[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda found: "^" + found[0].translate(_RAISED), plain)
    return re.sub(r" +", " ", plain).strip()


def _without_unit(typed: str, kind: Kind) -> str:
    """The text without the unit of its field behind it."""
    for unit in kind.units:
        for way in (unit, *WAYS.get(unit, ()), unit.removesuffix("s")):
            if way and typed.lower().endswith(way.lower()) and re.search(r"[\d.] ?$", typed[: -len(way)]):
                return typed[: -len(way)].strip()
    return typed


def _readings(typed: str, whole: bool) -> list[_Reading]:
    """All that a text can mean, the course's own reading first; none when it is no number."""
    if found := _POWER.fullmatch(typed):
        readings = [_reading(found["sign"], "1", found["power"], True)]
    elif found := _WHOLE_TEXT.fullmatch(typed):
        power, meanings = found["e"] or found["power"] or "0", _meanings(found["digits"], whole)
        readings = [_reading(found["sign"], text, power, sure) for text, sure in meanings]
    else:
        return []
    return [one for one in readings if one is not None]


def _meanings(digits: str, whole: bool) -> list[tuple[str, bool]]:
    """What digits with points and commas can mean, written with a point and no groups, and whether that needs no
    question."""
    found = []
    if _PLAIN.fullmatch(digits):
        found.append((digits, True))
    elif _GROUPED.fullmatch(digits):
        found.append((re.sub(r"[ ,'_]", "", digits), True))
    if _DECIMAL_COMMA.fullmatch(digits) and not (whole and found):  # 1,000 of a whole number has no decimals
        before, _, after = digits.rpartition(",")
        found.append(((re.sub(r"[ .'_]", "", before) or "0") + f".{after}", False))
    if _POINTS.fullmatch(digits) and (whole or digits.count(".") > 1):
        found.append((digits.replace(".", ""), False))
    return found


def _reading(sign: str, digits: str, power: str, sure: bool) -> _Reading | None:
    """A reading with its sign and power of ten; none where a number that is not 0 is too small to be told from it."""
    text = f"{sign}{digits}" + (f"e{int(power)}" if int(power) else "")
    value = float(text) + 0.0
    return None if value == 0 and re.search(r"[1-9]", digits) else _Reading(value, text.replace("-", "−"), sure)


def _weakly_split(text: str, bare: str, kind: Kind, most: int) -> list[str]:
    """Two sides with a space between them and nothing else, unless that is one number; of a bare comma, as in 24,16, a
    question."""
    sides = re.split(r"[ ,]", bare)
    if not 2 <= len(sides) <= max(most, 2) or not all(re.fullmatch(r"[1-9]\d*", side) for side in sides):
        return [bare]
    pair = tuple(map(float, sides))
    try:
        one = number_typed(bare, kind)
    except NotRead:
        one = math.nan
    possible = all(map(kind.holds, pair))
    if kind.holds(one):
        if not possible:
            return [bare]
        texts = f"{as_typed(pair)} or {as_typed(one).replace(',', '')}"
        raise NotRead(f"“{short(text)}”: did you mean {texts}? {RULE}", (pair, one))
    if "," not in bare:
        return sides
    if not possible:
        return [bare]  # as one number it is told why not
    raise NotRead(
        f"“{short(text)}”: did you mean {as_typed(pair)}? A comma with no space is no sign between two sides.", (pair,)
    )


# --- why not


def _lead(kind: Kind) -> str:
    return f"{kind.name}: " if kind.name else ""


def _check(reading: _Reading, kind: Kind, text: str) -> None:
    """Raise NotRead for the one thing that a text can mean, where it cannot stand in its field."""
    name, value = kind.name or "The number", reading.value
    but = f", not {short(text)}" if reading.sure else f", and {short(text)} looks like {reading.text}"
    fraction = kind.whole and math.isfinite(value) and value != int(value)
    if not kind.least <= value <= kind.most and not (fraction and kind.least - 1 < value < kind.most + 1):
        end = kind.least if value < kind.least else kind.most
        raise NotRead(f"{name} must be at {'least' if value < kind.least else 'most'} {_plain(end)}{but}.", (end,))
    if math.isinf(value):
        raise NotRead(f"{_lead(kind)}“{short(text)}” is more than a computer counts to; {kind.wanted}.")
    if fraction:
        near = tuple(float(n) for n in (math.floor(value), math.floor(value) + 1) if kind.least <= n <= kind.most)
        raise NotRead(f"{name} must be a whole number{but}.", near)


def _no_number(text: str, typed: str, kind: Kind) -> str:
    """In a few words, why a text is no number of its field."""
    if len(typed) > LONGEST:
        return f"“{short(text)}” is longer than any number here"
    found = _MORE.fullmatch(typed)
    if found and found["rest"].lower() != "e" and _readings(found["number"], False):
        return (
            f"“{short(text)}” is not in {kind.units[0]}"
            if kind.units
            else f"“{short(text)}” has more than a number in it"
        )
    if (_WHOLE_TEXT.fullmatch(typed) or _POWER.fullmatch(typed)) and re.search(r"e-|\^ ?-", typed, re.I):
        return f"“{short(text)}” is too small to count with"
    return f"“{short(text)}” is no number"


def _plain(number: float) -> str:
    """A bound, in full or as a power of ten."""
    power = round(math.log10(number)) if number > 1e13 else 0
    text = f"10^{power}" if power and number == 10.0**power else as_typed(number)
    return text.replace("-", "−")
