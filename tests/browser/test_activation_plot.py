"""A reader points at the activations, draws their slopes, and walks through the layers."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from widgets.block.activation_plot import ActivationPlot
from widgets.kit.selection import Selection

from .settled import assert_becomes, assert_fits, assert_ink, box_of, each_look


@pytest.fixture
def widget(page: Page, serve) -> ActivationPlot:
    built = ActivationPlot(selection=Selection())
    page.goto(serve(lambda: built.__panel__()))
    expect(page.locator(".part.plot .bk-Figure, .part.plot .figure")).not_to_have_count(0)
    expect(page.get_by_text("394,752 numbers")).to_be_visible()
    return built


def plot(page: Page, n: int) -> Locator:
    return page.locator(".part.plot").nth(n)


def test_keys_read_value_and_slope(page: Page, widget: ActivationPlot) -> None:
    plot(page, 0).locator(".figure").focus()
    for key, said in (
        ("ArrowRight", "GELU of −5.00: 0.0000, slope 0.000"),
        ("End", "GELU of 3.00: 2.9960, slope 1.012"),
        ("ArrowDown", "GELU, tanh form of 3.00: 2.9964, slope 1.012"),
        ("ArrowDown", "ReLU of 3.00: 3.0000, slope 1.000"),
        ("ArrowLeft", "ReLU of 2.95: 2.9500, slope 1.000"),
    ):
        page.keyboard.press(key)
        expect(plot(page, 0).locator(".readout")).to_have_text(said)


def test_the_pointer_reads_the_curves(page: Page, widget: ActivationPlot) -> None:
    box = box_of(plot(page, 0).locator(".figure"))
    inside = widget._curves._figure.min_border_left
    page.mouse.move(box["x"] + inside + (box["width"] - inside) * 0.8, box["y"] + box["height"] * 0.4)
    expect(page.get_by_text("GELU of 1.").first).to_be_visible()
    assert page.get_by_text("ReLU of 1.").count() >= 1


def test_slopes_are_drawn_and_listed(page: Page, widget: ActivationPlot) -> None:
    cells = page.locator(".part.matrix-view td")
    expect(cells).to_have_count(27)
    expect(cells.nth(3)).to_have_text("−0.1543")
    page.get_by_role("radio", name="slopes").check(force=True)
    expect(cells.nth(4)).to_have_text("0.5000")
    expect(cells.nth(26)).to_have_text("1.0000")


def test_layers_tokens_and_models(page: Page, widget: ActivationPlot) -> None:
    page.get_by_label("Layer", exact=True).select_option(label="9")
    expect(
        page.get_by_text(
            f"Layer 9, all tokens: 394,752 numbers, {widget._measured.positive[:, 8].mean():.1%} of them positive"
        )
    ).to_be_visible()
    page.get_by_label("Count the numbers of").select_option(label="the class token")
    expect(
        page.get_by_text(
            f"Layer 9, the class token: 1,536 numbers, {widget._measured.positive[0, 8]:.1%} of them positive"
        )
    ).to_be_visible()
    page.get_by_label("Model", exact=True).select_option(label="Random ViT-B/16")
    expect(page.get_by_text("Layer 9, the class token: 3,072 numbers")).to_be_visible()
    expect(page.get_by_text("never trained")).to_be_visible()


def test_a_layer_is_chosen_in_the_plot_of_shares(page: Page, widget: ActivationPlot) -> None:
    shares = plot(page, 2).locator(".figure")
    shares.focus()
    for key in ("ArrowRight", "End"):
        page.keyboard.press(key)
    expect(plot(page, 2).locator(".readout")).to_have_text(
        f"layer 12, all tokens: {widget.positive()[11]:.1%} are positive"
    )
    page.keyboard.press("Enter")
    expect(page.get_by_text("Layer 12, all tokens")).to_be_visible()
    expect(page.get_by_label("Layer", exact=True)).to_have_value("12")
    assert_becomes(page, lambda: widget.selection.layer, 11)


def test_readable_in_both_themes_and_on_a_phone(page: Page, widget: ActivationPlot) -> None:
    for colour_scheme, width in each_look(page, ("light", 1280), ("dark", 400)):
        assert_fits(page, width)
        assert_ink(page.locator(".matrix-view .readout").first, colour_scheme)
