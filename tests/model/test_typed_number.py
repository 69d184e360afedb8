"""The one reader of typed numbers: what people write is read, what could be two numbers is asked, the rest is refused
in words."""

from __future__ import annotations

import math
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from widgets.common.typed_number import Kind, NotRead, as_typed, number_typed, sides_typed

PEAK = Kind("Peak", 0.001, 1e6, units=("TFLOP/s",), example="61.5")
SHARE = Kind("Utilisation", 0.01, 100, units=("%",), example="32")
WIDTH = Kind("Width D", 1, 2**20, whole=True, example="768")
SIDE = Kind("Picture side", 1, 2**20, whole=True, units=("px",), example="224", step=16)
GRID = Kind("A side of a grid", 1, 64, whole=True)
SHAPE = Kind("A side", 1, 1e12, whole=True)
ANY = Kind()


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("61.5", PEAK, 61.5),
        ("61.5 TFLOP/s", PEAK, 61.5),
        ("61.5tflops", PEAK, 61.5),
        ("50 %", SHARE, 50),
        ("50%", SHARE, 50),
        ("50 per cent", SHARE, 50),
        ("1,234", WIDTH, 1234),
        ("1,234.5", PEAK, 1234.5),
        ("1,048,576", WIDTH, 2**20),
        ("1 234", PEAK, 1234),
        ("1\u2009234", PEAK, 1234),
        ("1\u202f234.5", PEAK, 1234.5),
        ("1\u00a0234", PEAK, 1234),
        ("1_234", PEAK, 1234),
        ("1'234", PEAK, 1234),
        ("1\u2019234", PEAK, 1234),
        ("\u22125", ANY, -5),
        ("\u20135", ANY, -5),
        ("+5", ANY, 5),
        ("1e-6", ANY, 1e-6),
        ("1.5e9", ANY, 1.5e9),
        ("10^9", ANY, 1e9),
        ("10**9", ANY, 1e9),
        ("10\u2079", ANY, 1e9),
        ("10\u207b\u00b3", ANY, 1e-3),
        ("3 x 10^8", ANY, 3e8),
        ("3\u00d710^8", ANY, 3e8),
        ("3 * 10**8", ANY, 3e8),
        ("\uff13\uff12", ANY, 32),
        ("\uff11\uff0e\uff15", ANY, 1.5),
        ("\u0661\u0662", ANY, 12),
        ("224 px", SIDE, 224),
        ("224 pixels", SIDE, 224),
        (".5", ANY, 0.5),
        ("2.", ANY, 2),
        ("0", ANY, 0),
        ("0e999", ANY, 0),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, kind: Kind, value: float) -> None:
    assert number_typed(text, kind) == value


@pytest.mark.parametrize(
    ("text", "kind", "near"),
    [
        ("61,5", PEAK, (61.5,)),
        ("0,5", PEAK, (0.5,)),
        (",5", PEAK, (0.5,)),
        ("1,234", PEAK, (1234, 1.234)),
        ("-1,234", ANY, (-1234, -1.234)),
        ("1,234e3", PEAK, (1234,)),
        ("1,234", SHARE, (1.234,)),
        ("0,234", PEAK, (0.234,)),
        ("1.234,5", PEAK, (1234.5,)),
        ("1 234,5", PEAK, (1234.5,)),
        ("1,5e3", PEAK, (1500,)),
        ("1.234.567", ANY, (1234567,)),
        ("1.234", WIDTH, (1234,)),
        ("1.000", WIDTH, (1, 1000)),
        ("76,0", WIDTH, (76,)),
        ("\uff11\uff0c\uff15", PEAK, (1.5,)),
    ],
)
def test_what_may_be_another_number_is_asked_about(text: str, kind: Kind, near: tuple[float, ...]) -> None:
    with pytest.raises(
        NotRead, match=r"did you mean .*\? A point stands before decimals here, a comma between thousands\."
    ) as question:
        number_typed(text, kind)
    assert question.value.near == near
    for meant in near:
        assert number_typed(as_typed(meant, kind.whole), kind) == meant, "what it offers is read"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("", PEAK, "Peak: the field is empty; type a number from 0.001 to 1,000,000, such as 61.5."),
        ("  ", ANY, "The field is empty; type a number, such as"),
        ("wide", WIDTH, "Width D: “wide” is no number; type a whole number from 1 to 1,048,576, such as 768."),
        ("inf", ANY, "is no number"),
        ("nan", ANY, "is no number"),
        ("-Infinity", ANY, "is no number"),
        ("\u221e", ANY, "is no number"),
        ("1e", ANY, "is no number"),
        ("--1", ANY, "is no number"),
        ("1.2.3", ANY, "is no number"),
        ("1_0", ANY, "is no number"),
        ("1 2", ANY, "is no number"),
        ("12,34,567", ANY, "is no number"),
        ("1,2,3", ANY, "is no number"),
        ("5,", ANY, "is no number"),
        ("0x10", ANY, "is no number"),
        ("10\u00b2\u00b3x", ANY, "is no number|more than a number"),
        ("1/3", ANY, "is no number"),
        ("9" * 400, ANY, "longer than any number"),
        ("16 GB", PEAK, "“16 GB” is not in TFLOP/s"),
        ("16 GB", ANY, "has more than a number in it"),
        ("50 %", PEAK, "is not in TFLOP/s"),
        ("10^400", ANY, "more than a computer counts to"),
        ("-10^400", ANY, "more than a computer counts to"),
        ("10^400", PEAK, "Peak must be at most 1,000,000, not 10\\^400"),
        ("1e999999999999", PEAK, "at most"),
        ("1e-400", ANY, "too small to count with"),
        ("10^-400", ANY, "too small to count with"),
        ("-0", PEAK, "Peak must be at least 0.001, not -0"),
        ("101 %", SHARE, "at most 100, not 101 %"),
        ("3.7", WIDTH, "Width D must be a whole number, not 3.7"),
        ("76,8", WIDTH, "Width D must be a whole number, and 76,8 looks like 76.8\\."),
        ("61,500.5,1", PEAK, "is no number"),
    ],
)
def test_everything_else_is_refused_in_words(text: str, kind: Kind, words: str) -> None:
    with pytest.raises(NotRead, match=words) as refusal:
        number_typed(text, kind)
    assert str(refusal.value).endswith(".") and len(str(refusal.value)) < 140


def test_a_pasted_book_is_refused_at_once() -> None:
    for text in ("9" * 1_000_000, "9 x " * 250_000, "1,234" * 200_000, "word " * 200_000):
        start = time.process_time()
        for read in (number_typed, sides_typed):
            with pytest.raises(NotRead, match="longer than any number"):
                read(text, WIDTH)
        assert time.process_time() - start < 0.2, "a page's server answers others too"


def test_a_negative_zero_is_zero() -> None:
    assert math.copysign(1, number_typed("-0")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "224x320",
        "224 x 320",
        "224X320",
        "224 \u00d7 320",
        "224 * 320",
        "224, 320",
        "(224, 320)",
        "(224,320)",
        "[224, 320]",
        "224 by 320",
        "224;320",
        "224 320",
        "224 px x 320 px",
        "224 \u00d7 320 px",
        "\uff12\uff12\uff14\uff58\uff13\uff12\uff10",
        "224,320",
    ],
)
def test_a_pair_of_sides_is_read_in_every_usual_way(text: str) -> None:
    if text in ("224 320", "224,320"):  # 224,320 = 16 x 14,020: a side of a picture too
        with pytest.raises(NotRead, match="did you mean 224 x 320 or 224320") as question:
            sides_typed(text, SIDE)
        assert question.value.near == ((224, 320), 224320)
    else:
        assert sides_typed(text, SIDE) == (224, 320)


@pytest.mark.parametrize(
    ("text", "kind", "sides"),
    [
        ("224", SIDE, (224,)),
        ("(224)", SIDE, (224,)),
        ("(224,)", SIDE, (224,)),
        ("1,024", SIDE, (1024,)),
        ("1 024", SIDE, (1024,)),
        ("1,024 x 2,048", SIDE, (1024, 2048)),
        ("3 x 10^2", SIDE, (300,)),
        ("24 16", GRID, (24, 16)),
        ("225 17", SIDE, (225, 17)),
    ],
)
def test_one_side_or_two(text: str, kind: Kind, sides: tuple[int, ...]) -> None:
    assert sides_typed(text, kind) == sides


@pytest.mark.parametrize(
    ("text", "kind", "words", "near"),
    [
        ("24,16", GRID, "“24,16”: did you mean 24 x 16?", ((24, 16),)),
        ("61,5", SIDE, "Picture side must be a whole number, and 61,5 looks like 61.5.", (61, 62)),
        ("0,5", SIDE, "Picture side must be a whole number, and 0,5 looks like 0.5.", (1,)),
        ("225,17", SIDE, "and 225,17 looks like 225.17.", (225, 226)),
    ],
)
def test_a_bare_comma_is_never_taken_for_a_pair_in_silence(
    text: str, kind: Kind, words: str, near: tuple[object, ...]
) -> None:
    with pytest.raises(NotRead) as question:
        sides_typed(text, kind)
    assert words in str(question.value) and question.value.near == near


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("224 x", "a side is missing"),
        ("x 224", "a side is missing"),
        ("2 x 3 x 4", "more than two numbers"),
        ("", "is empty"),
        ("2,5 x 3", "whole number, and 2,5 looks like 2.5"),
        ("(1,024)", "“1,024”: did you mean 1024"),
        ("wide", "is no number"),
        ("224 x wide", "“wide” is no number"),
        ("0", "at least 1"),
    ],
)
def test_what_are_no_sides_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(NotRead, match=words):
        sides_typed(text, SIDE)


@pytest.mark.parametrize("text", ["2, 197,768", "2 197 768", "2x197x768", "(2, 197, 768)", "[2,197,768]"])
def test_in_a_list_commas_and_spaces_stand_between_sides(text: str) -> None:
    assert sides_typed(text, SHAPE, most=4, listed=True) == (2, 197, 768)
    with pytest.raises(NotRead, match="“3,072”: did you mean 3072"):
        sides_typed("1, 3,072", SHAPE, most=4, listed=True)


# --- for every number and every text


@settings(deadline=None)
@given(st.floats(-1e12, 1e12).map(lambda x: float(f"{x:.12g}") + 0.0))
def test_what_a_field_shows_is_read_back(value: float) -> None:
    assert number_typed(as_typed(value, whole=False)) == value
    assert number_typed(as_typed(float(round(value))), Kind(whole=True)) == round(value)


@settings(deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 999999), st.integers(1, 6))
def test_a_decimal_comma_is_never_another_number(whole: int, part: int, digits: int) -> None:
    after = f"{part:06d}"[-digits:]
    for kind in (ANY, PEAK, SHARE, WIDTH):
        try:
            read = number_typed(f"{whole},{after}", kind)
        except NotRead:
            continue
        assert kind.whole and digits == 3 and 1 <= whole <= 999, (
            "only a group of three digits of a whole number is read"
        )
        assert read == 1000 * whole + int(after)


@settings(deadline=None)
@given(st.text(max_size=30) | st.text("0123456789.,'_ xX*^eE+-%()", max_size=12))
def test_any_text_is_a_number_of_the_field_or_a_sentence(text: str) -> None:
    for kind in (ANY, PEAK, WIDTH):
        try:
            assert kind.holds(number_typed(text, kind))
        except NotRead as refusal:
            assert str(refusal).endswith(".")
            assert all(kind.holds(near) for near in refusal.near if isinstance(near, float))
        try:
            assert all(kind.holds(side) for side in sides_typed(text, kind))
        except NotRead as refusal:
            assert str(refusal).endswith(".")


def test_nothing_else_reads_what_a_reader_types() -> None:
    """No second rule in Python, and none in JavaScript: a typed text goes to Python as it is."""
    widgets = Path(__file__).parents[2] / "widgets"
    parses = re.compile(r"parseFloat|valueAsNumber|Number\((?:field|inputs?\[?\w*\]?)\.value\)|type: 'number'")
    for script in widgets.rglob("*.js"):
        ranged = "type: 'range'" in script.read_text()  # a slider's value is a number already
        found = parses.findall(script.read_text())
        assert not found or (ranged and all("Number(" in one for one in found)), script
    own = re.compile(
        r"replace\(\",\","
        r" \"\"\)\.(?:isdecimal|isdigit)|float\((?:text|typed|digits|piece|bare)\b"
        r"|int\((?:text|typed|digits|piece|bare)\b"
    )
    for module in widgets.rglob("*.py"):
        if module.name not in (
            "typed_number.py",
            "written_sum.py",
            "address.py",
        ):  # a sum's own text; addresses are written by the course, digits only
            assert not own.search(module.read_text()), module
