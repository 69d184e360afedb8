"""A reader follows a token up the stream: hovering moves four curves at once, by what is drawn and what is written."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from widgets.block.residual_stream import ResidualStream
from widgets.kit.selection import Selection

from .pointing import hover_cell
from .settled import assert_becomes, assert_fits, assert_ink, box_of, each_look


@pytest.fixture
def widget(page: Page, serve) -> ResidualStream:
    built = ResidualStream(selection=Selection())
    page.goto(serve(lambda: built.__panel__()))
    expect(page.locator(".part.token-curves canvas[data-token]")).to_have_count(4)
    return built


def curves(page: Page) -> Locator:
    return page.locator(".part.token-curves")


def hover_patch(page: Page, n: int, columns: int = 16, rows: int = 16) -> None:
    hover_cell(page.locator(".part.picture-grid .layers"), n, (rows, columns))


def expect_token(page: Page, token: int) -> None:
    """All four curves are drawn for this row of z."""
    for n in range(4):
        expect(curves(page).nth(n).locator("canvas")).to_have_attribute("data-token", str(token))


def layer_at(page: Page, which: int, share: float) -> tuple[float, float]:
    """A place on a curve's canvas, `share` of the way from its first to its last point."""
    canvas = curves(page).nth(which).locator("canvas")
    canvas.scroll_into_view_if_needed()
    box = box_of(canvas)
    return box["x"] + 48 + share * (box["width"] - 62), box["y"] + 60


def test_hover_moves_every_curve_and_says_the_models_numbers(page: Page, widget: ResidualStream) -> None:
    expect_token(page, 0)
    for n in (0, 100, 255):
        hover_patch(page, n)
        expect_token(page, n + 1)
        s = widget.stream
        for which, value in enumerate(
            (s.length[n + 1, 1], s.largest[n + 1, 1], s.attention[n + 1, 0], s.mlp[n + 1, 0])
        ):
            said = curves(page).nth(which).locator(".said")
            expect(said).to_contain_text(f"patch {n}: {value:.3f}")
            expect(said).to_contain_text("class token: ")
        expect(page.locator(".part.number-table td").nth(0)).to_have_text(f"patch {n}")
        expect(page.locator(".part.number-table td").nth(2)).to_have_text(f"{s.length[n + 1, 12]:.3f}")
    page.mouse.move(2, 2)
    expect(page.locator(".part.number-table td").nth(0)).to_have_text("the class token")


def test_hover_sends_no_message(page: Page, serve) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    page.goto(serve(lambda: ResidualStream(selection=Selection(token=9)).__panel__()))
    expect(page.locator(".part.token-curves canvas[data-token='9']")).to_have_count(4)
    page.wait_for_timeout(400)
    before = len(sent)
    for n in range(60, 68):
        hover_patch(page, n)
    page.mouse.move(*layer_at(page, 0, 0.5))
    expect(curves(page).nth(3).locator("canvas")).to_have_attribute("data-layer", "6")
    assert len(sent) == before, "hover must stay in the browser"


def test_a_layer_is_read_in_all_four_and_kept_by_a_click(page: Page, widget: ResidualStream) -> None:
    page.mouse.move(*layer_at(page, 2, 1.0))
    for which in range(4):
        expect(curves(page).nth(which).locator("canvas")).to_have_attribute("data-layer", "12")
    expect(curves(page).nth(2).locator(".said")).to_contain_text(f"★ class token: {widget.stream.attention[0, 11]:.3f}")
    x, y = layer_at(page, 0, 0.25)  # z_3 of 0 to 12
    page.mouse.click(x, y)
    page.mouse.move(2, 2)
    page.get_by_text("In words").click()
    expect(page.get_by_text(f"In layer 3 attention adds {widget.stream.attention[0, 2]:.3f} times")).to_be_visible()
    assert_becomes(page, lambda: widget.selection.layer, 2)
    expect(curves(page).nth(3).locator("canvas")).to_have_attribute("data-layer", "3")


def test_directions_are_drawn_in_the_same_places(page: Page, widget: ResidualStream) -> None:
    page.get_by_label("Curves").select_option(label="directions")
    expect(page.get_by_text("What is left of z")).to_be_visible()
    expect(curves(page).locator("visible=true").locator("canvas")).to_have_count(3)
    hover_patch(page, 100)
    page.mouse.move(*layer_at(page, 3, 0.0))  # of what the MLP adds, layer 1
    s = widget.stream
    for which, value in ((0, s.kept[0, 1]), (2, s.attention_cosine[0, 0]), (3, s.mlp_cosine[0, 0])):
        expect(curves(page).nth(which).locator(".said")).to_contain_text(f"class token: {value:.3f}".replace("-", "−"))
    page.get_by_label("Curves").select_option(label="lengths")
    expect(curves(page).locator("visible=true").locator("canvas")).to_have_count(4)
    expect(page.get_by_text("Its largest number")).to_be_visible()


def test_picture_and_both_sublayers_share_a_small_screen(page: Page, widget: ResidualStream) -> None:
    page.set_viewport_size({"width": 853, "height": 480})
    picture = page.locator(".part.picture-grid .layers")
    boxes = [box_of(picture), *(box_of(curves(page).nth(which).locator("canvas")) for which in (2, 3))]
    top, bottom = min(box["y"] for box in boxes), max(box["y"] + box["height"] for box in boxes)
    assert bottom - top <= 440, f"{bottom - top} px high"


def test_keys_choose_a_patch_and_a_layer(page: Page, widget: ResidualStream) -> None:
    page.locator(".part.picture-grid .layers").focus()
    for key in ("ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    expect_token(page, 18)
    curves(page).nth(1).locator("canvas").focus()
    for key, layer in (("ArrowRight", "2"), ("ArrowRight", "3"), ("End", "12"), ("ArrowLeft", "11"), ("Home", "0")):
        page.keyboard.press(key)
        expect(curves(page).nth(1).locator("canvas")).to_have_attribute("data-layer", layer)
    page.get_by_text("In words").click()
    expect(page.get_by_text("patch 17 has length")).to_be_visible()
    assert_becomes(page, lambda: widget.selection.token, 18)


def test_another_model_and_a_picture_that_is_not_square(page: Page, widget: ResidualStream) -> None:
    page.get_by_label("Model", exact=True).select_option(label="Random ViT-B/16")
    expect(page.get_by_text("never trained").first).to_be_visible()
    page.get_by_label("Picture", exact=True).select_option(label="A cup of coffee")
    expect(page.get_by_text("A cup of coffee, read by Random ViT-B/16")).to_be_visible()
    n = 14 * 21 - 1
    hover_patch(page, n, columns=21, rows=14)
    expect(curves(page).nth(0).locator(".said")).to_contain_text(f"patch {n}: {widget.stream.length[n + 1, 1]:.3f}")


def test_readable_in_both_themes_and_on_a_phone(page: Page, widget: ResidualStream) -> None:
    for colour_scheme, width in each_look(page, ("light", 1280), ("dark", 400)):
        assert_fits(page, width)
        assert_ink(page.locator(".token-curves .said b").first, colour_scheme)
        box = box_of(curves(page).first.locator("canvas"))
        assert box["width"] >= 250 and box["height"] == 116
