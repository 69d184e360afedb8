"""A reader hovers, slides and chooses: patch, coordinates, error and the rebuilt picture are those the mathematics
gives."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from widgets.kit.selection import Selection
from widgets.model.patches import patchify
from widgets.patches.embedding_basis import PREFIX, EmbeddingBasis
from widgets.pictures import open_sample, prepare

from .pointing import hover_cell
from .settled import assert_fits, assert_ink, assert_soon, read_canvas

PIXELS = (
    "canvas => [...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data].filter((_, i) => i % 4"
    " < 3)"
)


@pytest.fixture
def widget(page: Page, serve) -> EmbeddingBasis:
    built = EmbeddingBasis(selection=Selection())
    page.goto(serve(lambda: built.__panel__()))
    expect(page.locator(".part.pattern-row figure").first).to_be_visible()
    expect(page.locator(".part.picture-grid .layers").first).to_be_visible()
    return built


def decomposed(picture: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, their coordinates (up to the sign of a column) and directions, by NumPy alone."""
    rows = patchify(prepare(open_sample(picture), 16), 16).astype(float)
    _, _, directions = np.linalg.svd(rows - rows.mean(0), full_matrices=False)
    return rows, (rows - rows.mean(0)) @ directions.T, directions


def hover(page: Page, n: int, rows: int, columns: int, grid: int = 0) -> None:
    hover_cell(page.locator(".part.picture-grid .layers").nth(grid), n, (rows, columns))


def check_patch(page: Page, picture: str, n: int, k: int) -> None:
    """Everything that follows the pointer shows patch n, rebuilt from k components."""
    rows, along, directions = decomposed(picture)
    rebuilt = along[n, :k] @ directions[:k] + rows.mean(0)
    table = page.locator(".part.number-table td")
    expect(table.nth(0)).to_have_text(str(n))
    expect(table.nth(1)).to_have_text(f"{np.sqrt(((rebuilt - rows[n]) ** 2).mean()):.2f}")
    crops = page.locator(".part.patch-crops canvas")
    for place, expected in ((0, rows[n]), (1, rebuilt.clip(0, 255))):
        drawn = np.array(read_canvas(crops.nth(place), PIXELS)).reshape(16, 16, 3).transpose(2, 0, 1).ravel()
        assert np.abs(drawn - expected).max() <= 0.51, f"crop {place} is not patch {n}"
    numbers = page.locator(".part.pattern-row:not(.patch-crops) .number")
    for m in (0, 1, 15):
        said = float(numbers.nth(m).inner_text().replace("−", "-"))
        assert abs(abs(said) - abs(along[n, m])) < 0.06, f"coordinate {m} of patch {n}"


def test_hover_shows_the_patch_its_coordinates_and_its_error_and_sends_nothing(page: Page, serve) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    page.goto(serve(lambda: EmbeddingBasis(selection=Selection(picture="coffee", token=PREFIX + 40)).__panel__()))
    expect(page.locator(".part.number-table td").nth(0)).to_have_text("40")
    hover(page, 0, 14, 21)
    expect(page.locator(".part.number-table td").nth(0)).to_have_text("0")
    before = len(sent)
    for n, grid in ((22, 0), (293, 1), (150, 0)):
        hover(page, n, 14, 21, grid)
        check_patch(page, "coffee", n, 16)
    page.mouse.move(2, 2)
    check_patch(page, "coffee", 40, 16)
    assert len(sent) == before, "hover must stay in the browser"


def test_slider_by_keys_then_all_then_random(page: Page, widget: EmbeddingBasis) -> None:
    page.locator(".part.picture-grid .layers").first.focus()
    page.keyboard.press("ArrowDown"), page.keyboard.press("ArrowRight")
    expect(page.locator(".part.number-table td").nth(0)).to_have_text("15")
    handle = page.get_by_role("slider", name=re.compile("^Numbers kept, k"))
    handle.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("The patch, and again from 13 numbers")).to_be_visible()
    check_patch(page, "cat", 15, 13)
    assert_soon(page, lambda: widget.k == 13 and widget.patch(widget.found()) == 15, "the keys have reached Python")
    page.get_by_label("Keep", exact=True).select_option(label="all")
    expect(page.get_by_text("The patch, and again from 195 numbers")).to_be_visible()
    expect(page.locator(".part.number-table td").nth(1)).to_have_text("0 (exact)")
    page.get_by_label("Patterns to mix", exact=True).select_option(label="random directions")
    expect(page.get_by_text("The patch, and again from 768 numbers")).to_be_visible()
    expect(page.get_by_text("One direction fewer, and something is lost.").first).to_be_visible()
    page.get_by_label("Keep", exact=True).select_option(label="all but one")
    expect(page.locator(".part.number-table td").nth(1)).not_to_have_text("0 (exact)")


def test_a_models_own_matrix_and_a_grey_picture(page: Page, widget: EmbeddingBasis) -> None:
    page.get_by_label("Picture", exact=True).select_option(label="A photographer, in grey")
    page.get_by_label("Patterns to mix", exact=True).select_option(label="a model's E")
    expect(page.get_by_text("along directions made from the filters of DINOv2 ViT-S/14").first).to_be_visible()
    page.get_by_label("Model", exact=True).select_option(label="Random ViT-B/16")
    page.get_by_label("Keep", exact=True).select_option(label="all")
    expect(page.get_by_text("The patch, and again from 768 numbers")).to_be_visible()
    crops = page.locator(".part.patch-crops canvas")
    assert_soon(
        page,
        lambda: read_canvas(crops.nth(0), PIXELS) == read_canvas(crops.nth(1), PIXELS),
        "the patch comes back as it was",
    )


@pytest.mark.parametrize("width", [400])
@pytest.mark.parametrize("colour_scheme", ["dark"])
def test_narrow_and_dark(page: Page, widget: EmbeddingBasis, width: int) -> None:
    assert_fits(page, width)
    assert_ink(page.locator(".part.pattern-row .number").first, "dark")
