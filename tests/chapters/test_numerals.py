"""No number of a chapter's text was only typed: it is printed there, computed by the model's functions, or
published."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from widgets.lesson import contents

from .claims import CLAIMS
from .numerals import exercise_minutes, known_to, numerals, of_chapter

NOTEBOOKS = sorted(contents.FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_numeral_comes_from_somewhere(path: Path) -> None:
    known = known_to(path)
    typed = [f"{numeral.text} … {numeral.place}" for numeral in of_chapter(path) if not numeral.is_one_of(known)]
    assert not typed, "numbers nobody computed; print them, add them to claims.py, or to data/published:\n" + "\n".join(
        typed
    )


TOLD_APART = {
    "05",
    "07",
    "08",
    "09",
    "11",
}  # chapters whose head must tell the time for reading from that for the exercises


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_minutes_for_the_exercises_are_the_sum_of_theirs(path: Path) -> None:
    said = re.search(r"Reading time: \d+ minutes\. Exercises: about (\d+) minutes\.", path.read_text(encoding="utf-8"))
    assert said or path.name[:2] not in TOLD_APART
    assert not said or int(said[1]) == exercise_minutes(path)


def test_claims_are_of_chapters_there_are() -> None:
    assert set(CLAIMS) <= {path.name[:2] for path in NOTEBOOKS}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("590,593 parameters", 590593),
        ("a share of 4.2%", 4.2),
        ("$N = 197$ tokens", 197),
        ("about −0.178", 0.178),
        ("142 million", 142),
    ],
)
def test_a_number_is_seen(text: str, value: float) -> None:
    assert [numeral.value for numeral in numerals(text)] == [value]


@pytest.mark.parametrize(
    "text",
    [
        "ViT-B/16 and ViT-S/14",
        "chapter 05, section 3.1, Table 8",
        "ICLR 2021, arXiv:2010.11929",
        "$P^2 C$ and $z_0$",
        "ImageNet-21k",
        "three or 12 of them",
        "# 02 Patchify",
        "`google/vit-base-patch16-224`",
        "Reading time: 25 minutes.",
        "figures 7 and 11",
        "float32",
    ],
)
def test_names_and_references_are_no_numbers(text: str) -> None:
    assert not list(numerals(text))


def test_rounding_is_allowed_and_another_last_digit_is_not() -> None:
    right, wrong = [next(numerals(text)) for text in ("86.6M parameters", "86.7M parameters")]
    assert right.is_one_of({86_567_656.0}) and not wrong.is_one_of({86_567_656.0})
    exact, near = [next(numerals(text)) for text in ("86,567,656", "86,567,657")]
    assert exact.is_one_of({86_567_656.0}) and not near.is_one_of({86_567_656.0})
