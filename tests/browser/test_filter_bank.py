"""A reader points at filters and patches: the filter, its channels, its map and its numbers are the model's own."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect

from widgets.checkpoints.loading import load
from widgets.kit.selection import Selection
from widgets.model.library import weights_of
from widgets.patches.filter_bank import FilterBank
from widgets.pictures import open_sample, prepare

from .pointing import hover_cell
from .settled import assert_becomes, assert_fits, assert_ink, assert_soon, read_canvas
from .test_embedding_basis import PIXELS, hover

COLUMNS = 24  # of the wall of 384: the root of one and a half times as many


@pytest.fixture
def widget(page: Page, serve) -> FilterBank:
    built = FilterBank(selection=Selection(picture="coffee"))
    page.goto(serve(lambda: built.__panel__()))
    expect(page.locator(".part.pattern-wall .layers")).to_be_visible()
    expect(page.locator(".part.picture-grid .layers")).to_be_visible()
    return built


def at_filter(page: Page, m: int) -> None:
    hover_cell(page.locator(".part.pattern-wall .layers"), m, (16, COLUMNS))


def drawn(page: Page, locator: str, P: int = 14) -> np.ndarray:
    return np.array(read_canvas(page.locator(locator).first, PIXELS)).reshape(P, P, 3).transpose(2, 0, 1)


def answers(d: int) -> np.ndarray:
    """What filter d gives for every patch of the coffee, by the convolution."""
    pixels = prepare(open_sample("coffee"), 14)
    loaded = load("dinov2-small", pixels.shape[1:])
    w = weights_of(loaded.model)
    with torch.no_grad():
        x = torch.from_numpy(loaded.preparation.apply(pixels))[None]
        return torch.nn.functional.conv2d(x, w.filters[d : d + 1], w.filter_bias[d : d + 1], stride=14)[0, 0].numpy()


def test_hover_click_and_keys_on_the_wall(page: Page, widget: FilterBank) -> None:
    filters = weights_of(load("dinov2-small").model).filters.detach().numpy()
    expected = [127.5 + 127.5 * f / np.abs(f).max() for f in filters]
    said = page.locator(".part.pattern-wall .readout")
    for m in (0, 100, 383):
        at_filter(page, m)
        expect(said).to_contain_text(f"filter {m}: length {np.linalg.norm(filters[m]):.3f}")
        assert np.abs(drawn(page, ".part.pattern-wall canvas.lens") - expected[m]).max() <= 0.51
    page.mouse.move(2, 2)
    expect(said).to_contain_text("filter 0:")
    at_filter(page, 100)
    page.mouse.down(), page.mouse.up()
    expect(page.get_by_text("Filter 100 is column 100 of E;")).to_be_visible()
    page.keyboard.press("ArrowDown"), page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Filter 125 is column 125 of E;")).to_be_visible()
    assert_becomes(page, lambda: widget.filter, 125)
    assert_soon(
        page,
        lambda: np.abs(drawn(page, ".part.pattern-row canvas") - expected[125]).max() <= 0.51,
        "the filter is drawn large",
    )


def test_the_map_shows_each_patchs_own_number(page: Page, widget: FilterBank) -> None:
    found = answers(0)
    rows, columns = found.shape
    number = page.locator(".part.number-table").nth(1).locator("td")
    for n in (0, columns + 3, rows * columns - 1):
        hover(page, n, rows, columns)
        expect(number.nth(0)).to_have_text(str(n))
        assert abs(float(number.nth(1).inner_text().replace("−", "-")) - found.flat[n]) < 6e-4
    expect(page.get_by_text(f"patch {found.argmax()}: ").first).to_be_visible()
    expect(page.get_by_text(f"patch {found.argmin()}: ").first).to_be_visible()


def test_another_order_another_model_and_every_control_by_tab(page: Page, widget: FilterBank) -> None:
    lengths = np.linalg.norm(weights_of(load("dinov2-small").model).filters.detach().flatten(1).numpy(), axis=1)
    page.get_by_label("Order of the filters", exact=True).select_option(label="longest first")
    expect(page.get_by_text("× 3, longest first")).to_be_visible()
    at_filter(page, 0)
    expect(page.locator(".part.pattern-wall .readout")).to_contain_text(f"filter {lengths.argmax()}:")
    page.get_by_label("Model", exact=True).select_option(label="Random ViT-B/16")
    expect(page.get_by_text("These weights are random, so this is noise").first).to_be_visible()
    expect(page.get_by_text("D = 768 filters of 16 × 16 × 3")).to_be_visible()
    reached = []
    page.mouse.click(2, 2)
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("""() => { let a = document.activeElement
            while (a?.shadowRoot?.activeElement) a = a.shadowRoot.activeElement
            return (a.getAttribute('aria-label') || a.type || a.tagName || '').slice(0, 40) + ' ' + a.tagName }""")
        )
    for wanted in (
        "SELECT",
        "checkbox INPUT",
        "The filters of Random ViT-B/16: 768",
        "A red cup of espresso",
        "SUMMARY",
    ):
        assert any(wanted in one for one in reached), f"{wanted} cannot be reached by Tab: {reached}"


@pytest.mark.parametrize("width", [400])
@pytest.mark.parametrize("colour_scheme", ["dark"])
def test_narrow_and_dark(page: Page, widget: FilterBank, width: int) -> None:
    assert_fits(page, width)
    assert_ink(page.locator(".part.pattern-wall .readout"), "dark")
