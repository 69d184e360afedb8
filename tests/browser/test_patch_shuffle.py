"""A reader shuffles: the picture that is drawn holds the same patches elsewhere, and the numbers are the model's."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from widgets.common.number_formats import fixed
from widgets.experiments.shuffle import shuffle_test
from widgets.kit.selection import Selection
from widgets.pictures import open_sample
from widgets.positions.patch_shuffle import ShuffleTest, small

from .settled import assert_fits, read_canvas

MEANS = """(canvas, [rows, columns]) => {   // mean colour of the inside of every patch, without the grid's lines
  const g = canvas.getContext('2d'), w = canvas.width / columns, h = canvas.height / rows, out = []
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) {
    const d = g.getImageData(c * w + 4, r * h + 4, w - 8, h - 8).data, mean = [0, 0, 0]
    for (let i = 0; i < d.length; i += 4) for (let k = 0; k < 3; k++) mean[k] += d[i + k] * 4 / d.length
    out.push(mean)
  }
  return out
}"""

OPAQUE = """(canvas, [rows, columns]) => {   // how many points are drawn on inside every patch
  const g = canvas.getContext('2d'), w = canvas.width / columns, h = canvas.height / rows, out = []
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++)
    out.push(g.getImageData(c * w + 2, r * h + 2, w - 4, h - 4).data.filter((v, i) => i % 4 === 3 && v > 0).length)
  return out
}"""


@pytest.fixture
def widget(page: Page, serve) -> ShuffleTest:
    built = ShuffleTest(selection=Selection())
    page.goto(serve(lambda: built.__panel__()))
    expect(page.locator(".part.number-table td")).to_have_count(8)
    return built


def means(page: Page, which: int, grid: tuple[int, int]) -> np.ndarray:
    return np.array(
        read_canvas(page.locator(".part.picture-grid").nth(which).locator("canvas").first, MEANS, list(grid))
    )


def said(page: Page, picture: str, order: str, seed: int = 0) -> None:
    """All eight numbers are those of the model's two passes."""
    result = shuffle_test("dinov2-small", open_sample(picture), order, seed)
    cells = page.locator(".part.number-table td")
    for place, change in enumerate((result.with_positions, result.without)):
        before, after = change.y.astype(np.float64)
        cosine = before @ after / np.linalg.norm(before) / np.linalg.norm(after)
        for line, number in enumerate(
            (small(change.largest_change), fixed(change.largest), fixed(cosine), small(change.token_change))
        ):
            expect(cells.nth(4 * place + line)).to_have_text(number)


def test_shuffled_swapped_and_drawn_again(page: Page, widget: ShuffleTest) -> None:
    said(page, "cat", "shuffle")
    order = shuffle_test("dinov2-small", open_sample("cat"), "shuffle").order
    assert np.abs(means(page, 1, (16, 16)) - means(page, 0, (16, 16))[order]).max() < 3, (
        "every patch is where the order says"
    )
    page.get_by_role("button", name="Draw again").click()
    expect(page.get_by_text("draw 1.").first).to_be_visible()
    said(page, "cat", "shuffle", 1)
    page.get_by_role("radio", name="swap two").check(force=True)
    expect(page.get_by_text("2 of the patches stand elsewhere")).to_be_visible()
    said(page, "cat", "swap", 1)
    moved = np.flatnonzero(shuffle_test("dinov2-small", open_sample("cat"), "swap", 1).order != np.arange(256))
    for which in (0, 1):
        outlines = page.locator(".part.picture-grid").nth(which).locator("canvas").nth(1)
        expect(outlines).to_have_attribute("data-marked", " ".join(map(str, moved)))
        drawn = np.array(read_canvas(outlines, OPAQUE, [16, 16]))
        assert sorted(np.flatnonzero(drawn)) == sorted(moved), "these two patches are outlined, and no other"


def test_a_picture_that_is_not_square_and_one_in_grey(page: Page, widget: ShuffleTest) -> None:
    page.get_by_role("radio", name="rows upside down").check(force=True)
    expect(page.get_by_role("button", name="Draw again")).to_be_disabled()
    for title, name, grid in (
        ("A cup of coffee", "coffee", (16, 24)),
        ("A photographer, in grey", "photographer", (16, 16)),
    ):
        page.get_by_label("Picture", exact=True).select_option(label=title)
        expect(page.get_by_text(f"{title}, {grid[0] * grid[1]} patches of 14 px.")).to_be_visible()
        said(page, name, "rows")
        turned = means(page, 0, grid).reshape(*grid, 3)[::-1].reshape(-1, 3)
        assert np.abs(means(page, 1, grid) - turned).max() < 3


@pytest.mark.parametrize(("colour_scheme", "width"), [("dark", 400)])
def test_on_a_phone_in_the_dark_and_by_keyboard(page: Page, widget: ShuffleTest, width: int) -> None:
    assert_fits(page, width)
    button = page.get_by_role("button", name="Draw again")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("draw 1.").first).to_be_visible()
    page.get_by_text("In words").click()
    expect(page.get_by_text("The patches of A cat, shuffle all. Drawn at random, draw 1.")).to_be_visible()
