"""A reader hovers, clicks, types and uploads: the right patch is marked everywhere, checked by what is drawn."""

from __future__ import annotations

from io import BytesIO
from itertools import product

import numpy as np
import panel as pn
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from widgets.kit.selection import Selection
from widgets.patches.patch_hover import PatchHover
from widgets.pictures import open_sample, prepare

from .pointing import hover_cell
from .settled import assert_becomes, assert_fits, assert_ink, assert_soon, box_of, each_look, read_canvas

RINGED = """canvas => {   // the box of everything drawn on the layer over the picture, in pixels of the picture
  const d = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
  let x0 = 1e9, y0 = 1e9, x1 = -1, y1 = -1
  for (let i = 3, p = 0; i < d.length; i += 4, p++) if (d[i] > 0) {
    const x = p % canvas.width, y = Math.floor(p / canvas.width)
    x0 = Math.min(x0, x); y0 = Math.min(y0, y); x1 = Math.max(x1, x); y1 = Math.max(y1, y)
  }
  return [x0, y0, x1, y1, canvas.width]
}"""
MIDDLE = """canvas => {   // mean colour of the middle of the marked thumbnail
  const ratio = canvas.width / canvas.getBoundingClientRect().width, x = (Number(canvas.dataset.x) + 12) * ratio
  const d = canvas.getContext('2d').getImageData(x, 16 * ratio, 20 * ratio, 20 * ratio).data
  const mean = [0, 0, 0]
  for (let i = 0; i < d.length; i += 4) for (let c = 0; c < 3; c++) mean[c] += d[i + c] * 4 / d.length
  return mean
}"""


@pytest.fixture
def widget(page: Page, serve) -> PatchHover:
    built = PatchHover(selection=Selection())
    page.goto(serve(lambda: built.__panel__()))
    expect(page.locator(".part.picture-grid .layers")).to_be_visible()
    expect(page.locator(".part.token-strip canvas")).to_be_visible()
    return built


def hover_patch(page: Page, n: int, columns: int, rows: int) -> None:
    hover_cell(page.locator(".part.picture-grid .layers").first, n, (rows, columns))


def ringed_patch(page: Page, pixels: np.ndarray, P: int) -> int:
    """The patch whose square is ringed in the picture, from the pixels of the ring."""
    x0, y0, x1, y1, drawn = read_canvas(page.locator(".part.picture-grid canvas").nth(1), RINGED)
    k = drawn / pixels.shape[2]
    assert max(x1 - x0, y1 - y0) <= (P + 2) * k, "one patch is ringed, no more"
    column, row = int((x0 + x1) / 2 / k // P), int((y0 + y1) / 2 / k // P)
    return row * (pixels.shape[2] // P) + column


def choose(page: Page, label: str, text: str) -> None:
    page.get_by_label(label).select_option(label=text)


@pytest.mark.parametrize("P", [16, 28])
def test_hover_marks_the_patch_in_picture_strip_row_and_table(page: Page, widget: PatchHover, P: int) -> None:
    page.get_by_role("radio", name=str(P), exact=True).check(force=True)
    expect(page.get_by_text(f"patches of {P} px")).to_be_visible()
    pixels = prepare(open_sample("cat"), P)
    columns, rows = pixels.shape[2] // P, pixels.shape[1] // P
    for n in (0, columns + 3, rows * columns - 1):
        hover_patch(page, n, columns, rows)
        assert ringed_patch(page, pixels, P) == n
        r, c = divmod(n, columns)
        patch = pixels[:, r * P : (r + 1) * P, c * P : (c + 1) * P].astype(float)
        low, high = int(P * 12 / 44), int(np.ceil(P * 32 / 44))
        seen = read_canvas(page.locator(".part.token-strip canvas"), MIDDLE)
        assert np.allclose(seen, patch[:, low:high, low:high].mean((1, 2)), atol=10), (
            f"strip shows another patch than {n}"
        )
        expect(page.locator(".part.number-table td").nth(0)).to_have_text(str(n))
        expect(page.locator(".part.number-table td").nth(1)).to_have_text(str(r))
        expect(page.locator(".part.number-table td").nth(2)).to_have_text(str(c))
        expect(page.get_by_text(f"Marked: the row of patch {n}.")).to_be_visible()
        expect(page.locator(".part.patch-pixels")).to_have_attribute("data-patch", str(n))


def test_hover_sends_no_message_and_leaving_returns_to_the_selected_patch(page: Page, serve) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    page.goto(serve(lambda: PatchHover(selection=Selection(token=31)).__panel__()))
    expect(page.locator(".part.picture-grid .layers")).to_be_visible()
    page.wait_for_timeout(500)
    before = len(sent)
    for n in range(40, 60):
        hover_patch(page, n, 14, 14)
    expect(page.locator(".part.number-table td").nth(0)).to_have_text("59")
    page.mouse.move(5, 5)
    expect(page.locator(".part.number-table td").nth(0)).to_have_text("30")
    assert len(sent) == before, "hover must stay in the browser"


def test_a_pixel_of_the_patch_shows_its_three_numbers(page: Page, widget: PatchHover) -> None:
    hover_patch(page, 17, 14, 14)
    page.mouse.down(), page.mouse.up()
    expect(page.locator(".part.picture-grid .readout")).to_have_text("Patch 17: row 1, column 3")
    box = box_of(page.locator(".part.patch-pixels .whole .layers"))
    page.mouse.move(box["x"] + 5.5 * box["width"] / 16, box["y"] + 2.5 * box["height"] / 16)
    pixels = prepare(open_sample("cat"), 16)
    said = page.locator(".part.patch-pixels .readout")
    expect(said).to_contain_text("Pixel u = 2, v = 5 of patch 17")
    for channel in range(3):
        expect(said.locator("div").nth(channel)).to_contain_text(
            f"{pixels[channel, 16 + 2, 48 + 5]}is number {channel * 256 + 2 * 16 + 5} of the 768"
        )


def test_click_and_arrow_keys_reach_python(page: Page, widget: PatchHover) -> None:
    hover_patch(page, 17, 14, 14)
    page.mouse.down(), page.mouse.up()
    page.get_by_text("In words").click()
    expect(page.get_by_text("Patch 17 lies in row 1, column 3")).to_be_visible()
    page.locator(".part.picture-grid .layers").focus()
    for key, n in (
        ("ArrowRight", 18),
        ("ArrowDown", 32),
        ("ArrowLeft", 31),
        ("ArrowUp", 17),
        ("Home", 14),
        ("End", 27),
        ("Control+Home", 0),
        ("ArrowLeft", 0),
    ):
        page.keyboard.press(key)
        expect(page.locator(".part.number-table td").nth(0)).to_have_text(str(n))
    expect(page.get_by_text("Patch 0 lies in row 0, column 0")).to_be_visible()
    assert_becomes(page, lambda: widget.selection.token, 1)


def test_no_key_is_lost_when_they_come_faster_than_python_answers(page: Page, widget: PatchHover) -> None:
    page.locator(".part.picture-grid .layers").focus()
    for _ in range(3):
        for key in ("ArrowRight",) * 9 + ("ArrowDown",) * 4:
            page.keyboard.press(key)
        page.wait_for_timeout(30)
    expect(page.locator(".part.number-table td").nth(0)).to_have_text(str(12 * 14 + 27))
    page.wait_for_timeout(500)
    expect(page.locator(".part.number-table td").nth(0)).to_have_text(str(12 * 14 + 27))
    assert_soon(page, lambda: widget.patch == 12 * 14 + 27, "Python has heard of the last patch")


def test_every_control_is_reached_by_tab(page: Page, widget: PatchHover) -> None:
    reached = []
    for _ in range(24):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("""() => { let a = document.activeElement
            while (a?.shadowRoot?.activeElement) a = a.shadowRoot.activeElement
            return (a.getAttribute('aria-label') || a.type || a.tagName || '').slice(0, 30) + ' ' + a.tagName }""")
        )
    text = " | ".join(reached)
    for wanted in (
        "SELECT",
        "file INPUT",
        "radio INPUT",
        "A tabby cat",
        "The sequence of 196",
        "x_p, 196 by 768",
        "SUMMARY",
    ):
        assert wanted in text, f"{wanted} cannot be reached by Tab: {text}"


def test_upload_and_refused_uploads(page: Page, widget: PatchHover) -> None:
    picture = BytesIO()
    Image.new("RGB", (320, 240), (200, 30, 60)).save(picture, "PNG")
    send = page.locator(".part.picture-upload input")
    send.set_input_files({"name": "red.png", "mimeType": "image/png", "buffer": picture.getvalue()})
    expect(
        page.get_by_text("Your picture is here, 240 px high and 320 px wide. It stays in memory only.")
    ).to_be_visible()
    expect(
        page.get_by_text("Your picture, scaled to 224 px high and 304 px wide, cut into 14 × 19 patches")
    ).to_be_visible()
    send.set_input_files({"name": "notes.txt", "mimeType": "text/plain", "buffer": b"these are words"})
    expect(page.locator(".part.picture-upload .notice")).to_contain_text("What was shown before stays.")
    expect(page.get_by_text("cut into 14 × 19 patches")).to_be_visible()
    send.set_input_files({"name": "large.png", "mimeType": "image/png", "buffer": bytes(21_000_000)})
    expect(page.locator(".part.picture-upload .notice")).to_contain_text(
        "That file has 21 MB; a picture may have 20 MB here."
    )


def test_a_large_picture_gets_through(page: Page, widget: PatchHover) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (2000, 2600, 3), dtype=np.uint8)
    sent = BytesIO()
    Image.fromarray(noise).save(sent, "PNG")
    assert 14e6 < sent.tell() < 20e6
    page.locator(".part.picture-upload input").set_input_files(
        {"name": "noise.png", "mimeType": "image/png", "buffer": sent.getvalue()}
    )
    expect(page.locator(".part.picture-upload .notice")).to_contain_text("It stays in memory only.", timeout=40_000)


def test_two_copies_share_a_selection_and_strangers_do_not(page: Page, serve) -> None:
    shared, alone = Selection(), Selection()
    page.goto(serve(lambda: pn.Column(*(PatchHover(selection=s).__panel__() for s in (shared, shared, alone)))))
    expect(page.locator(".part.picture-grid .layers")).to_have_count(3)
    hover_patch(page, 17, 14, 14)
    tables = page.locator(".part.number-table")
    for i, n in enumerate(("17", "17", "0")):
        expect(tables.nth(i).locator("td").nth(0)).to_have_text(n)


def test_channels_last_moves_the_numbers(page: Page, widget: PatchHover) -> None:
    choose(page, "Order inside a row", "row, column, channel")
    expect(page.get_by_text("every third, from 1")).to_be_visible()
    page.locator(".part.picture-grid .layers").scroll_into_view_if_needed()
    box = box_of(page.locator(".part.patch-pixels .row .layers"))
    page.mouse.move(box["x"] + 4.5 * box["width"] / 768, box["y"] + 10)
    expect(page.locator(".part.patch-pixels .readout")).to_contain_text("Pixel u = 0, v = 1 of patch 0")
    expect(page.locator(".part.patch-pixels .readout div")).to_contain_text("green")


def test_colours_of_the_trained_model(page: Page, widget: PatchHover) -> None:
    choose(page, "Colour the patches by", "what a trained ViT finds alike")
    expect(page.get_by_text("Yellow patches came out")).to_be_visible()
    expect(page.locator(".part.picture-grid .scalebar")).to_be_visible()
    seen = (
        page.locator(".part.picture-grid canvas")
        .nth(1)
        .evaluate("c => c.getContext('2d').getImageData(2, 2, 1, 1).data[3]")
    )
    assert seen > 0, "patches are coloured, not only ringed"
    choose(page, "Colour the patches by", "their own pixels")
    expect(page.locator(".part.picture-grid .scalebar")).to_be_hidden()


def test_a_finger_points_as_a_mouse_does(browser, watch, serve) -> None:
    context = browser.new_context(viewport={"width": 400, "height": 900}, has_touch=True)
    page = context.new_page()
    watch.on(page)
    page.goto(serve(lambda: PatchHover(selection=Selection()).__panel__()))
    for part, said in ((".patch-pixels .whole", "Pixel u ="), (".matrix-view", ", number 384: ")):
        target = page.locator(f".part{part} .layers").first
        target.scroll_into_view_if_needed()
        box = box_of(target)
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 4)
        expect(page.locator(f".part{part.split()[0]} .readout")).to_contain_text(said)
    context.close()
    assert not watch.unexpected(), watch.unexpected()


def test_the_bar_under_the_strip_goes_to_the_place_that_was_clicked(page: Page, widget: PatchHover) -> None:
    strip = page.locator(".part.token-strip canvas")
    box = box_of(strip)
    page.mouse.click(box["x"] + box["width"] * 165.5 / 196, box["y"] + 76)
    expect(page.locator(".part.token-strip .readout")).to_have_text("Position 165 of 0 to 195 in the sequence")
    at = float(strip.get_attribute("data-x"))
    assert 0 <= at <= box["width"] - 44, "the selected patch is in view"


def test_readable_in_both_themes_and_on_a_phone(page: Page, widget: PatchHover) -> None:
    for colour_scheme, width in each_look(page, *product(("light", "dark"), (1280, 400))):
        assert_fits(page, width)
        text: Locator = page.locator(".part.number-table td").first
        assert_ink(text, colour_scheme)
