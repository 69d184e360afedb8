"""Parts of one channel and a Python that answers late: no answer undoes what was chosen after it."""

from __future__ import annotations

import time

import numpy as np
import panel as pn
from playwright.sync_api import Page, expect

from widgets.parts.pattern_wall import PatternWall
from widgets.parts.picture_grid import PictureGrid

from .served import in_the_session
from .settled import assert_becomes

LATE = 2.5  # seconds; no clock in the browser may take the place of counting
WATCHED = """readout => { const seen = []
    new MutationObserver(() => seen.push(readout.textContent)).observe(readout, { childList: true })
    return seen }"""
GREY = np.full((3, 64, 64), 128, np.uint8)


def two_grids() -> list[PictureGrid]:
    return [PictureGrid(channel="late", **PictureGrid.picture(GREY)) for _ in range(2)]


def test_a_late_answer_does_not_undo_a_later_choice(page: Page, serve) -> None:
    first, second = two_grids()
    asked: list[int] = []

    def repeat(event) -> None:
        asked.append(event.new)
        time.sleep(LATE if len(asked) == 1 else 0)
        second.selected = event.new

    first.param.watch(repeat, "selected")
    page.goto(serve(lambda: pn.Column(first, second)))
    page.locator(".part.picture-grid .layers").first.focus()
    seen = page.locator(".part.picture-grid .readout").last.evaluate_handle(WATCHED)
    page.keyboard.press("ArrowRight")
    assert_becomes(page, lambda: asked, [1])
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert_becomes(page, lambda: second.selected, 5)
    in_the_session(lambda: first.param.update(title="Python has answered everything"))
    expect(page.get_by_text("Python has answered everything")).to_be_visible()
    assert seen.json_value() == [f"Patch {n}" for n in (1, 2, 3, 4, 5)]


def test_what_python_chooses_itself_is_taken_after_a_readers_choice(page: Page, serve) -> None:
    first, second = two_grids()
    page.goto(serve(lambda: pn.Column(first, second)))
    page.locator(".part.picture-grid .layers").first.focus()
    page.keyboard.press("End")
    assert_becomes(page, lambda: first.selected, 3)
    in_the_session(lambda: second.param.update(selected=7))  # Python never told the second part of patch 3
    expect(page.locator(".part.picture-grid .readout")).to_have_text(["Patch 7", "Patch 7"])
    page.keyboard.press("ArrowRight")
    assert_becomes(page, lambda: first.selected, 8)


def test_a_choice_that_comes_with_other_patterns_is_drawn_when_they_have_come(page: Page, serve) -> None:
    """What a part throws in the middle of a message keeps the rest of it from coming."""
    wall = PatternWall(side=4, patterns=bytes(3 * 4 * 4 * 3), names=["a", "b", "c"])
    page.goto(serve(lambda: wall))
    readout = page.locator(".part.pattern-wall .readout")
    expect(readout).to_have_text("a")
    other = {"side": 16, "patterns": bytes(3 * 16 * 16 * 3), "names": ["A", "B", "C"], "caption": "the end"}
    in_the_session(lambda: wall.param.update(selected=1, **other))
    expect(readout).to_have_text("B")
    expect(page.get_by_text("the end")).to_be_visible()
    expect(page.locator(".part.pattern-wall canvas.lens")).to_have_attribute("width", "16")
