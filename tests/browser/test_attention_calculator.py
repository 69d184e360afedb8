"""A reader edits, points, uses the keys and copies: every cell on the page against NumPy, every sum against its
cell."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.widgets.test_attention_calculator import by_numpy, evaluated
from widgets.attention.attention_calculator import AttentionCalculator
from widgets.kit.selection import Selection
from widgets.parts.written_sum import cell, value_of

from .settled import assert_fits, assert_ink, box_of, each_look

SHEET = ".part.editable-matrices"
READ = """root => Object.fromEntries([...root.querySelectorAll('.matrix')].map(m => [m.dataset.key,
  [...m.querySelectorAll('tr')].slice(1).map(tr => [...tr.querySelectorAll('td')].map(td => td.textContent))]))"""


@pytest.fixture
def preset() -> str:
    return "small"


@pytest.fixture
def widget(page: Page, serve, preset: str) -> AttentionCalculator:
    built = AttentionCalculator(selection=Selection(), preset=preset)
    page.goto(serve(lambda: built.__panel__()))
    expect(page.locator(f"{SHEET} [data-key=O] td").first).to_be_visible()
    return built


def td(page: Page, key: str, row: int, column: int) -> Locator:
    return page.locator(f"{SHEET} [data-key={key}] tr").nth(row + 1).locator("td").nth(column)


def type_into(page: Page, key: str, row: int, column: int, text: str) -> None:
    td(page, key, row, column).click()
    page.keyboard.type(text)  # what was there is selected, so typing replaces it
    page.keyboard.press("Enter")


def on_page(page: Page) -> dict[str, list[list[str]]]:
    return page.locator(SHEET).evaluate(READ)


def shows_numpy(page: Page, widget: AttentionCalculator) -> None:
    """Every computed cell on the page, to the digits shown."""
    shown = on_page(page)
    for key, values in by_numpy(widget).items():
        for (i, j), x in np.ndenumerate(values):
            assert abs(value_of(shown[key][i][j]) - x) <= 0.5001e-3 * max(1, abs(x) / 1e7), (
                f"{key}[{i}, {j}] shows {shown[key][i][j]}, not {x}"
            )


@pytest.mark.parametrize("preset", ["small", "pencil"])
def test_an_edit_changes_every_cell_that_depends_on_it(page: Page, widget: AttentionCalculator, preset: str) -> None:
    made = np.random.default_rng(5)
    for _ in range(4):
        before = on_page(page)
        row, column = int(made.integers(4)), int(made.integers(4))
        text = f"{made.normal() * 3:.{made.integers(0, 3)}f}".replace("-0", "-1")
        type_into(page, "X", row, column, text)
        expect(td(page, "X", row, column)).to_have_text(text.replace("-", "−").removesuffix(".0").removesuffix(".00"))
        shows_numpy(page, widget)
        after = on_page(page)
        marked = {key: page.locator(f"{SHEET} [data-key={key}] td.changed").count() for key in after}
        differ = {
            key: sum(a != b for x, y in zip(before[key], after[key], strict=True) for a, b in zip(x, y, strict=True))
            for key in after
        }
        assert marked == differ, "the cells that moved are marked, and no other"
    type_into(page, "W_v", 0, 0, "2.5")
    expect(td(page, "W_v", 0, 0)).to_have_text("2.5")
    shows_numpy(page, widget)


@pytest.mark.parametrize("preset", ["pencil"])
def test_every_hovered_cell_shows_a_sum_that_gives_it_and_marks_what_made_it(
    page: Page, widget: AttentionCalculator
) -> None:
    type_into(page, "X", 1, 2, "0.37")
    expect(td(page, "X", 1, 2)).to_have_text("0.37")
    made = page.locator(f"{SHEET} .made")
    marked = (
        "root => [...root.querySelectorAll('td.from')].map(td => [td.closest('.matrix').dataset.key, td.dataset.row,"
        " td.dataset.column].join(' '))"
    )
    for key, columns in (("S", 4), ("A", 4), ("O", 3)):
        for i in range(4):
            for j in range(columns):
                td(page, key, i, j).hover()
                text = td(page, key, i, j).text_content()
                expect(made).to_have_text(re.compile(f" = {re.escape(text)}$"))
                written = made.text_content().rpartition(" = ")[0]
                assert cell(evaluated(written)) == cell(value_of(text)), f"{key}[{i}, {j}]: {written} = {text}"
                expected = {
                    "S": {f"q {i} {n}" for n in range(3)} | {f"k {j} {n}" for n in range(3)},
                    "A": {f"S {i} {n}" for n in range(4)},
                    "O": {f"A {i} {n}" for n in range(4)} | {f"v {n} {j}" for n in range(4)},
                }[key]
                assert set(page.locator(SHEET).evaluate(marked)) == expected
    page.mouse.move(2, 2)
    expect(made).to_have_text("0.37")  # the cell that was clicked last comes back


@pytest.mark.parametrize("preset", ["pencil"])
def test_the_pencil_example_and_its_second_head(page: Page, widget: AttentionCalculator) -> None:
    assert on_page(page)["O"][3] == ["−1.840", "−0.440", "−0.553"]
    page.get_by_role("radio", name="2", exact=True).check(force=True)
    expect(td(page, "q", 0, 0)).to_have_text("1")
    shows_numpy(page, widget)
    shown = on_page(page)
    assert [row[3:] for row in shown["SA"]] == shown["O"]
    page.get_by_role("checkbox", name="Divide by √D_h").uncheck()
    page.get_by_role("checkbox", name="Causal mask").check()
    expect(td(page, "A", 0, 1)).to_have_text("0.000")
    shows_numpy(page, widget)
    assert page.locator(f"{SHEET} [data-key=S] td.crossed").count() == 6


def test_wrong_input_is_answered_beside_the_cell_and_the_last_number_stays(
    page: Page, widget: AttentionCalculator
) -> None:
    bubble, before = page.locator(f"{SHEET} .bubble"), on_page(page)
    for text, words in (
        ("abc", "“abc” is no number"),
        ("inf", "is no number"),
        ("nan", "is no number"),
        ("1e400", "must be at most"),
        ("1,5", "did you mean 1.5?"),
    ):
        type_into(page, "W_k", 2, 0, text)
        expect(bubble).to_contain_text(words)
        expect(bubble).to_contain_text("The cell keeps 1.")
        box, place = box_of(bubble), box_of(td(page, "W_k", 2, 0))
        assert 0 <= box["y"] - place["y"] - place["height"] < 12 and box["x"] <= place["x"] + place["width"], (
            "beside the cell"
        )
        assert on_page(page) == before
    td(page, "W_k", 2, 0).click()
    page.keyboard.press("Backspace"), page.keyboard.press("Enter")
    expect(bubble).to_contain_text("is empty")
    type_into(page, "W_k", 2, 0, "-2")
    expect(td(page, "W_k", 2, 0)).to_have_text("−2")
    expect(bubble).to_be_hidden()
    shows_numpy(page, widget)


def test_keys_alone_do_everything(page: Page, widget: AttentionCalculator) -> None:
    td(page, "X", 0, 0).focus()
    before = on_page(page)
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "End", "Home", "ArrowRight"):
        page.keyboard.press(key)
    expect(td(page, "X", 0, 1)).to_be_focused()
    page.keyboard.press("Enter"), page.keyboard.type("9"), page.keyboard.press("Escape")
    expect(td(page, "X", 0, 1)).to_be_focused()
    assert on_page(page) == before, "Escape cancels"
    page.keyboard.press("Enter"), page.keyboard.type("4"), page.keyboard.press("Enter")
    expect(td(page, "X", 0, 1)).to_have_text("4")
    expect(td(page, "X", 0, 1)).to_be_focused()
    (
        page.keyboard.press("ArrowDown"),
        page.keyboard.type("-1.5"),
        page.keyboard.press("Enter"),
    )  # typing starts an edit, as in a spreadsheet
    expect(td(page, "X", 1, 1)).to_have_text("−1.5")
    page.keyboard.press("Control+z")
    expect(td(page, "X", 1, 1)).to_have_text("2")
    page.keyboard.press("Control+z")
    expect(td(page, "X", 0, 1)).to_have_text("0")
    assert on_page(page) == before
    reached = set()
    for _ in range(24):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                """() => { let a = document.activeElement
                while (a?.shadowRoot?.activeElement) a = a.shadowRoot.activeElement
            return a.closest('.matrix')?.dataset.key ?? a.textContent.trim().slice(0, 20) }"""
            )
        )
    assert {
        "W_q",
        "W_k",
        "W_v",
        "q",
        "k",
        "v",
        "S",
        "A",
        "O",
        "Copy as NumPy code",
        "Look at the code",
        "In words",
    } <= reached, reached


def test_undo_reset_words_and_code(page: Page, widget: AttentionCalculator) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    start = on_page(page)
    type_into(page, "X", 0, 0, "3")
    expect(td(page, "X", 0, 0)).to_have_text("3")
    type_into(page, "X", 3, 3, "0.5")
    expect(td(page, "X", 3, 3)).to_have_text("0.5")
    page.get_by_role("button", name="Copy as NumPy code").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    space: dict = {}
    exec(page.evaluate("navigator.clipboard.readText()"), space)
    shown = on_page(page)
    assert [[f"{x:.3f}".replace("-", "−") for x in row] for row in space["O"][0] + 0.0] == shown["O"]
    page.get_by_role("button", name="Undo").click()
    expect(td(page, "X", 3, 3)).to_have_text("1")
    page.get_by_role("button", name="Reset").click()
    expect(td(page, "X", 0, 0)).to_have_text("1")
    assert on_page(page) == start
    td(page, "A", 1, 2).click()
    page.get_by_text("In words").click()
    expect(page.get_by_text("A, row 1, column 2")).to_be_visible()
    row = page.locator("details.twin tr").first
    sum_, _, result = row.locator("td").text_content().rpartition(" = ")
    assert math.isclose(evaluated(sum_), value_of(result), abs_tol=6e-4) and result == start["A"][1][2]


def test_a_second_copy_works_on_its_own(page: Page, serve) -> None:
    import panel as pn

    pair = [AttentionCalculator(selection=Selection()) for _ in range(2)]
    page.goto(serve(lambda: pn.Column(*(one.__panel__() for one in pair))))
    second = page.locator(SHEET).nth(1)
    second.locator("[data-key=X] td").first.click()
    page.keyboard.type("5"), page.keyboard.press("Enter")
    expect(second.locator("[data-key=X] td").first).to_have_text("5")
    expect(page.locator(SHEET).first.locator("[data-key=X] td").first).to_have_text("1")


@pytest.mark.parametrize("preset", ["pencil"])
def test_pointing_at_a_cell_moves_nothing(page: Page, widget: AttentionCalculator) -> None:
    """Bold heads made a table wider; where its row was full it wrapped, and the cell jumped from under the pointer and
    back."""
    boxes = (
        "root => [...root.querySelectorAll('table')].map(t => { const b = t.getBoundingClientRect(); return [b.x, b.y,"
        " b.width, b.height] })"
    )
    page.mouse.move(2, 2)
    page.locator(SHEET).evaluate("root => root.querySelectorAll('.on').forEach(e => e.classList.remove('on'))")
    before = page.locator(SHEET).evaluate(boxes)
    for key in ("q", "S", "A", "O", "MSA"):
        td(page, key, 3, 2).hover()
        expect(td(page, key, 3, 2)).to_have_class(re.compile(r"\bon\b"))
        assert page.locator(SHEET).evaluate(boxes) == before


@pytest.mark.parametrize("preset", ["small", "pencil"])
def test_numbers_and_what_comes_of_them_are_in_view_at_once(
    page: Page, widget: AttentionCalculator, preset: str
) -> None:
    """On a zoomed projector a sheet of 750 px hid S, A and O while X was edited."""
    X, q, O = (box_of(page.locator(f"{SHEET} [data-key={key}] table")) for key in "XqO")
    assert q["y"] == pytest.approx(X["y"], abs=1) and q["x"] > X["x"] + X["width"], "beside the numbers they come of"
    assert O["y"] + O["height"] - box_of(page.locator(SHEET))["y"] < 520
    page.set_viewport_size({"width": 700, "height": 720})
    expect(page.locator(f"{SHEET} .sum")).to_have_css("height", "80px")
    X, q = (box_of(page.locator(f"{SHEET} [data-key={key}] table")) for key in "Xq")
    assert q["y"] > X["y"] + X["height"], "and under them where there is no room"


@pytest.mark.parametrize("preset", ["pencil"])
def test_readable_in_both_themes_and_on_a_phone(page: Page, widget: AttentionCalculator) -> None:
    for colour_scheme, width in each_look(page, ("light", 1280), ("dark", 400)):
        assert_fits(page, width)
        assert_ink(td(page, "q", 0, 0), colour_scheme)
        type_into(page, "W_v", 0, 2, "x")
        expect(page.locator(f"{SHEET} .bubble")).to_be_visible()
        box = box_of(page.locator(f"{SHEET} .bubble"))
        assert box["x"] >= 0 and box["x"] + box["width"] <= width, "the sentence stays on the page"
        page.keyboard.press("Escape")
