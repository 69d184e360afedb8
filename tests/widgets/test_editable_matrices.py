"""EditableMatrices and written sums without a browser: what is refused, and that a written sum gives its cell."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.parts import EditableMatrices, Line, Matrix
from widgets.parts.editable_matrices import number_typed
from widgets.parts.written_sum import cell, cells, decimals_needed, number, plain, products, rounded, value_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2),
        (" -0.5 ", -0.5),
        ("−3", -3),
        ("+.25", 0.25),
        ("1e2", 100),
        ("1e-3", 0.001),
        ("-0", 0),
        ("0.123456", 0.123456),
        ("１２", 12),  # noqa: RUF001  fullwidth digits, as a keyboard of another script types them
        ("1 000", 1000),
        ("5 x 10^-3", 0.005),
    ],
)
def test_numbers_are_read(text: str, value: float) -> None:
    assert number_typed(text) == value and math.copysign(1, number_typed(text)) == math.copysign(1, value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty; type a number from −1,000 to 1,000, such as 2 or −0.5"),
        ("  ", "is empty"),
        ("abc", "is no number"),
        ("inf", "is no number"),
        ("-Infinity", "is no number"),
        ("nan", "is no number"),
        ("1e400", "must be at most 1,000, not 1e400"),
        ("1001", "at most 1,000"),
        ("1,5", r"did you mean 1\.5\?"),
        ("1_0", "is no number"),
        ("0x10", "is no number"),
        ("1 2", "is no number"),
        ("0.1234567", "more than 6 decimals"),
        ("1e-9", "more than 6 decimals"),
        ("1e-400", "too small"),
        ("--2", "is no number"),
    ],
)
def test_everything_else_is_answered_by_a_sentence(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as refusal:
        number_typed(text)
    assert str(refusal.value).endswith(".")


@given(st.floats(-1000, 1000).map(lambda x: round(x, 6)))
def test_what_a_cell_shows_can_be_typed_again(x: float) -> None:
    assert number_typed(number(x)) == x


def test_numbers_are_written_with_a_true_minus_and_no_minus_zero() -> None:
    assert cell(-0.0001) == "0.000" and cell(-1.5) == "−1.500" and number(-2.0) == "−2" and number(-0.0) == "0"
    assert cell(2.5e9) == "2.500e+09" and value_of(cell(-2.5e9)) == -2.5e9
    assert cells(np.array([[1.0, -2.0]])) == [["1", "−2"]] and cells(np.array([[1.0, 0.25]])) == [["1.000", "0.250"]]


@given(st.integers(0, 10_000))
def test_a_written_product_gives_its_cell(seed: int) -> None:
    made = np.random.default_rng(seed)
    a, b = made.normal(size=(2, 5)) * 10.0 ** made.integers(-3, 3), made.normal(size=(5, 3))
    shown = a @ b
    d = decimals_needed(shown, lambda d: rounded(a, d) @ rounded(b, d))
    for i, j in np.ndindex(2, 3):
        text = plain(products(a[i], b[:, j], ("", ""), d))
        assert cell(eval(text.replace("−", "-").replace("×", "*"))) == cell(shown[i, j]), text


def test_a_message_from_the_page_reaches_the_callback_and_a_refusal_goes_back() -> None:
    told: list[object] = []
    sheet = EditableMatrices(lambda *edit: told.append(edit), undo=lambda: told.append("undo"))
    sheet._handle_msg({"key": "x", "row": 1, "column": 2, "text": "3"})
    sheet._handle_msg({"undo": True})
    assert told == [("x", 1, 2, "3"), "undo"]
    sheet.refuse("x", 1, 2, "No.")
    first = sheet.refusal
    sheet.refuse("x", 1, 2, "No.")
    assert json.loads(first)["sentence"] == "No." and sheet.refusal != first, "the same refusal twice is shown twice"
    sheet.show([Line("", [Matrix("x", np.zeros((2, 3)), editable=True)])])
    assert sheet.refusal == "" and json.loads(sheet.content)[0]["matrices"][0]["cells"] == [["0"] * 3] * 2


def test_signed_scales_have_zero_in_the_middle() -> None:
    drawn = Matrix("y", np.array([[-1.0, 4.0]]), kind="signed").content()
    assert (drawn["low"], drawn["high"]) == (-4, 4) and drawn["ends"] == ["−4", "4"]
    assert Matrix("y", np.zeros((1, 2)), kind="signed").content()["high"] == 1
