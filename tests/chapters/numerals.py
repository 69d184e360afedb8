"""The numerals of a chapter's text, and where each may come from.

A numeral is fine when the chapter prints it (nbval compares what is printed), when `widgets.model` computes it, when
`data/published` holds it with its source, or when it counts nothing that could be wrong: a small number, a year, the
number of a chapter, a section, a figure. Everything else is a number somebody typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import nbformat

from widgets.common.facts import DATA, published
from widgets.lesson.chapter_work import work_of
from widgets.lesson.exercises import find
from widgets.model import count
from widgets.model.shape import FAMILY, ViTShape
from widgets.pictures import PREPARATIONS, prepare

from .claims import CLAIMS

HARMLESS = 12  # whole numbers up to here: counts of things on the page, indices, exponents
MULTIPLES = {"k": 1e3, "M": 1e6, "million": 1e6, "G": 1e9, "billion": 1e9, "T": 1e12, "%": 0.01, "per cent": 0.01}
NUMERAL = re.compile(
    r"(?<![\w.,/])[-−]?(?P<digits>\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:e[-+]?\d+)?"
    r"(?P<unit>\s?(?:k|M|G|T|%|million|billion|per cent)\b|%)?"
)
NO_NUMBERS = [  # names and references, whose digits count nothing
    r"arXiv:\d{4}\.\d{4,5}",
    r"`[^`]*/[^`]*`",
    r"https?://\S+",
    r"[A-Za-z]+-?[A-Za-z]*[-/]\d+[A-Za-z]*(?:/\d+)?",
    (
        r"(?i)\b(?:chapters?|sections?|figures?|tables?|appendix|eq\.|equations?|version|notebook)\s+[A-Z]?\.?\d+(?:\.\d+)*(?:(?:,|"
        r" and| or| to)\s+[A-Z]?\.?\d+(?:\.\d+)*)*"
    ),
    r"Reading time: \d+ minutes",
    r"(?i)\b(?:type|enter|such as)\s+[-−]?\d+(?:\.\d+)?",
    r"\b(?:19|20)\d{2}\b(?!\s*px)",
    r"16x16 Words",
    r"^#+ \d\d ",
    r"(?m)^\s*\d+\. ",
    r"\^\{?-?\d+\}?",
    r"_\{?\d+\}?",
]


@dataclass(frozen=True)
class Numeral:
    """A number in the text: as written, its value, half of its last decimal, the multiple its unit means, and where it
    stands."""

    text: str
    value: float
    half: float
    multiple: float
    place: str

    def is_one_of(self, known: set[float]) -> bool:
        """Whether a known number, rounded as this is written, gives it. Whole numbers without a unit are exact."""
        if self.multiple == 1 and self.half == 0.5:
            return self.value in known
        return any(abs(number / self.multiple - self.value) <= self.half * 1.0000001 for number in known)


def numerals(text: str) -> Iterator[Numeral]:
    """Every numeral of a Markdown text that could be wrong, in order."""
    for pattern in NO_NUMBERS:
        text = re.sub(pattern, lambda found: " " * len(found[0]), text, flags=re.M)
    for found in NUMERAL.finditer(text):
        digits, unit = found["digits"].replace(",", ""), (found["unit"] or "").strip()
        decimals = len(digits.partition(".")[2])
        if not decimals and not unit and int(digits) <= HARMLESS:
            continue
        place = " ".join(text[max(0, found.start() - 40) : found.end() + 30].split())
        yield Numeral(found[0], float(digits), 0.5 * 10.0**-decimals, MULTIPLES.get(unit, 1.0), place)


def of_chapter(path: Path) -> list[Numeral]:
    """The numerals of all Markdown cells of a notebook, its list of sources left out."""
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"]
    return list(numerals("\n\n".join(cells).partition("## Sources")[0]))


def known_to(path: Path) -> set[float]:
    """Numbers a chapter may write: what it prints, what the course computes, what is published, and its own claims."""
    claims = {abs(float(claim())) for claim in CLAIMS.get(path.name[:2], {}).values()}
    return _printed(path) | _computed() | _published() | claims | {float(exercise_minutes(path))}


def exercise_minutes(path: Path) -> int:
    """Minutes that a chapter's exercises take together, by their own data."""
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    return sum(find(name).minutes for name in work_of(cells).exercises)


def _printed(path: Path) -> set[float]:
    said = [
        output.get("text", "")
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "stream"
    ]
    return {float(found["digits"].replace(",", "")) for found in NUMERAL.finditer("\n".join(said))}


@cache
def _computed() -> set[float]:
    """What widgets.model says of every shape of the family, and the settings of the course's pictures."""
    known = {float(signature(prepare).parameters["shorter_side"].default), 255.0}
    for preparation in PREPARATIONS.values():
        known |= set(_numbers([list(getattr(preparation, "mean", ())), list(getattr(preparation, "deviation", ()))]))
    for shape in FAMILY.values():
        known |= set(_numbers(vars(shape))) | set(_of_shape(shape))
    return known


def _of_shape(shape: ViTShape) -> Iterator[float]:
    yield from map(
        float,
        (
            shape.num_patches,
            shape.num_tokens,
            shape.num_tokens**2,
            shape.num_channels * shape.patch_size**2,
            shape.hidden_size // shape.num_attention_heads,
        ),
    )
    yield from _numbers([entry[1] if isinstance(entry, tuple) else entry for entry in count.parameters(shape).values()])
    yield from _numbers(count.macs(shape))


@cache
def _published() -> set[float]:
    return {number for path in (DATA / "published").glob("*.json") for number in _numbers(published(path.stem))}


def _numbers(of: Any) -> Iterator[float]:
    """Every number in nested data, without its sign; the numbers of a text that holds nothing else too."""
    if isinstance(of, dict):
        of = list(of.values())
    if isinstance(of, (list, tuple)):
        for one in of:
            yield from _numbers(one)
    elif isinstance(of, (int, float)) and not isinstance(of, bool):
        yield abs(float(of))
