"""A reader compares heads: every map that is drawn is the library's row of A, checked by its colours."""

from __future__ import annotations

import random

import numpy as np
import panel as pn
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.widgets.test_head_explorer import library_attention
from widgets.attention.attention_distance import AttentionDistance
from widgets.attention.head_explorer import HeadExplorer
from widgets.kit.selection import Selection
from widgets.parts.theme import colour_scale

from .pointing import hover_cell
from .settled import assert_becomes, assert_fits, assert_ink, box_of, each_look, read_canvas

DRAWN = (
    "canvas => [canvas.width, canvas.height, ...canvas.getContext('2d').getImageData(0, 0, canvas.width,"
    " canvas.height).data]"
)
CIVIDIS = np.array(colour_scale("weight"))


@pytest.fixture
def widget(page: Page, serve) -> HeadExplorer:
    return opened(page, serve, HeadExplorer(selection=Selection()))


def opened(page: Page, serve, widget: HeadExplorer) -> HeadExplorer:
    page.goto(serve(lambda: widget.__panel__()))
    expect(page.locator(".head-maps .tile").first).to_be_visible()
    return widget


def hover_patch(page: Page, n: int, grid: tuple[int, int]) -> None:
    hover_cell(page.locator(".head-maps .whole .layers"), n, grid)


def hover_key(page: Page, head: int, n: int, grid: tuple[int, int]) -> None:
    hover_cell(page.locator(".head-maps .tile .layers").nth(head), n, grid)


def steps_of(canvas: Locator) -> np.ndarray:
    """Which steps of the colour scale are drawn: (rows, columns), as pairs of the lowest and the highest that look
    so."""
    width, height, *data = read_canvas(canvas, DRAWN)
    pixels = np.array(data).reshape(height, width, 4)[..., :3]
    same = (pixels[:, :, None] == CIVIDIS).all(-1)  # (rows, columns, 256)
    assert same.any(-1).all(), "a colour that is not of the scale"
    return np.stack([same.argmax(-1), 255 - same[..., ::-1].argmax(-1)], -1)


def assert_drawn(canvas: Locator, row: np.ndarray, high: float) -> None:
    """The map is this row of A (patches only), in colours from 0 to high."""
    drawn = steps_of(canvas)
    wanted = np.clip(255 * row.reshape(drawn.shape[:2]) / high, 0, 255)
    off = np.maximum(drawn[..., 0] - wanted, wanted - drawn[..., 1])
    assert off.max() <= 1, f"a cell is {off.max():.1f} of 255 steps off"


def test_twenty_random_maps_are_the_librarys_rows(page: Page, widget: HeadExplorer) -> None:
    draw = random.Random(6)
    choices = sorted((draw.randrange(12), draw.randrange(6), draw.randrange(256)) for _ in range(20))
    at = None
    for layer, head, patch in choices:
        if layer != at:
            page.get_by_label("Layer").select_option(label=str(layer + 1))
            expect(page.locator(".head-maps .title")).to_have_text(
                f"Layer {layer + 1} of DINOv2 ViT-S/14: hover a patch"
            )
            at, A = layer, library_attention("dinov2-small", "cat", layer)
        page.locator(".head-maps .tile .head").nth(head).click()
        hover_patch(page, patch, (16, 16))
        rows = A[:, 1 + patch, 1:]
        for h in {head, (head + 1) % 6}:
            assert_drawn(page.locator(".head-maps .tile canvas").nth(h), rows[h], np.quantile(rows, 0.99))
        assert_drawn(page.locator(".head-maps .whole canvas.map"), rows[head], np.quantile(rows, 0.99))
        said = page.locator(".head-maps .readout")
        expect(said).to_contain_text(
            f"Query: patch {patch} (row {patch // 16}, column {patch % 16}). Head {head + 1} gives"
        )
        facts = page.locator(".head-maps .tile").nth(head).locator(".facts b")
        for place, value in enumerate((A[head, 1 + patch, 0], rows[head].sum())):
            assert abs(float(facts.nth(place).inner_text().replace("< ", "")) - value) <= 1e-3


def test_the_class_token_is_the_query_at_first_and_again_by_its_button(page: Page, widget: HeadExplorer) -> None:
    A = library_attention("dinov2-small", "cat", 0)
    said, button = page.locator(".head-maps .readout"), page.get_by_role("button", name="class token as the query")
    expect(said).to_contain_text("Query: the class token.")
    assert_drawn(page.locator(".head-maps .tile canvas").nth(2), A[2, 0, 1:], np.quantile(A[:, 0, 1:], 0.99))
    expect(page.locator(".head-maps .whole .mark").first).to_be_hidden()
    hover_patch(page, 40, (16, 16))
    expect(said).to_contain_text("Query: patch 40")
    page.mouse.click(*centre(page.locator(".head-maps .whole .layers")))
    expect(said).to_contain_text("Query: patch 136")
    button.hover()
    expect(said).to_contain_text("Query: the class token.")
    page.mouse.move(5, 5)
    expect(said, "back to the one that was kept").to_contain_text("Query: patch 136")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.mouse.move(5, 5)
    expect(said).to_contain_text("Query: the class token.")
    expect(page.locator(".head-maps .tile").nth(2).locator(".facts b").first).to_have_text(f"{A[2, 0, 0]:.3f}")


def centre(target: Locator) -> tuple[float, float]:
    box = box_of(target)
    return box["x"] + 8.5 * box["width"] / 16, box["y"] + 8.5 * box["height"] / 16


def test_pointing_at_a_map_reads_one_weight_in_every_head_and_sends_nothing(page: Page, serve) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    opened(page, serve, HeadExplorer(selection=Selection(picture="coffee", token=1 + 100, layer=3)))
    page.wait_for_timeout(500)
    before, A = len(sent), library_attention("dinov2-small", "coffee", 3)
    for key in (0, 100, 383):
        hover_key(page, 4, key, (16, 24))
        for h in range(6):
            shown = page.locator(".head-maps .tile").nth(h).locator(".facts b").last.inner_text()
            assert abs(float(shown.replace("< ", "")) - A[h, 101, 1 + key]) <= 1e-3 * A[h, 101, 1 + key] + 1e-4, (
                h,
                key,
            )
        expect(page.locator(".head-maps .readout .k")).to_contain_text(
            f"Key: patch {key} (row {key // 24}, column {key % 24})."
        )
    page.mouse.move(5, 5)
    expect(page.locator(".head-maps .readout")).to_contain_text("Point at one of the small maps")
    for n in range(60, 80):
        hover_patch(page, n, (16, 24))
    expect(page.locator(".head-maps .readout")).to_contain_text("Query: patch 79 (row 3, column 7)")
    assert len(sent) == before, "hover must stay in the browser"


def test_everything_by_keyboard(page: Page, widget: HeadExplorer) -> None:
    picture, said = page.locator(".head-maps .whole .layers"), page.locator(".head-maps .readout")
    picture.focus()
    for key, n in (
        ("ArrowRight", 0),
        ("ArrowRight", 1),
        ("ArrowDown", 17),
        ("End", 31),
        ("Control+End", 255),
        ("ArrowUp", 239),
    ):
        page.keyboard.press(key)
        expect(said).to_contain_text(f"Query: patch {n} (")
    page.keyboard.press("Shift+ArrowLeft")
    expect(said).to_contain_text("Key: patch 238")
    expect(said, "the key moved alone").to_contain_text("Query: patch 239")
    page.locator(".head-maps .tile[tabindex='0']").focus()
    for key, head in (("ArrowRight", 1), ("ArrowDown", 4), ("Home", 3), ("End", 5)):
        page.keyboard.press(key)
        expect(page.locator(".head-maps .tile[aria-checked='true'] .head")).to_have_text(f"Head {head + 1}")
    page.get_by_text("In words").click()
    expect(page.get_by_text("Head 6 gives", exact=False).last).to_be_visible()
    assert_becomes(page, lambda: (widget.selection.token, widget.selection.head), (240, 5))


def test_each_head_its_own_scale_is_said_in_words(page: Page, widget: HeadExplorer) -> None:
    page.get_by_label("Colour scale").select_option(label="each its own")
    expect(page.get_by_text("Each head has its own scale: do not compare colours between heads.")).to_be_visible()
    A = library_attention("dinov2-small", "cat", 0)
    hover_patch(page, 200, (16, 16))
    for h in range(6):
        assert_drawn(page.locator(".head-maps .tile canvas").nth(h), A[h, 201, 1:], A[h, 201, 1:].max())
        expect(page.locator(".head-maps .tile").nth(h).locator(".facts")).to_contain_text("scale, 0 to")


def test_four_heads_set_by_hand_and_a_random_model(page: Page, widget: HeadExplorer) -> None:
    page.get_by_label("Heads", exact=True).select_option(label="set by hand")
    expect(page.locator(".head-maps .tile .head")).to_have_text(
        [f"Head {n}: {name}" for n, name in enumerate(("colour", "detail", "place", "both"), 1)]
    )
    expect(page.get_by_text("Set by hand, not trained", exact=False)).to_be_visible()
    expect(page.get_by_label("Layer")).to_be_hidden()
    hover_patch(page, 100, (14, 14))
    row = widget.layer().weights[:, 101, 1:]
    assert_drawn(page.locator(".head-maps .tile canvas").nth(2), row[2], np.quantile(row, 0.99))
    page.get_by_label("Heads", exact=True).select_option(label="of the model")
    page.get_by_label("Model").select_option(label="Random ViT-B/16")
    expect(page.locator(".head-maps .tile")).to_have_count(12)
    expect(page.get_by_text("never trained", exact=False).first).to_be_visible()


def test_a_dot_of_the_distances_opens_that_layer_and_head(page: Page, serve) -> None:
    shared = Selection(token=1)
    distance, explorer = AttentionDistance(selection=shared), HeadExplorer(selection=shared)
    page.goto(serve(lambda: pn.Column(distance.__panel__(), explorer.__panel__())))
    expect(page.locator(".head-maps .tile").first).to_be_visible()
    plot = page.locator(".part.plot .figure")
    plot.focus()
    for _ in range(3 * 6 + 4 + 1):
        page.keyboard.press("ArrowRight")
    found = distance.distances().pixels
    expect(page.locator(".part.plot .readout")).to_have_text(f"layer 4, head 5: {found[3, 4]:.1f} px")
    page.keyboard.press("Enter")
    expect(page.locator(".head-maps .title")).to_contain_text("Layer 4 of")
    expect(page.locator(".head-maps .tile[aria-checked='true'] .head")).to_have_text("Head 5")
    expect(page.locator(".part.number-table td").nth(2)).to_have_text(f"{found[3, 4]:.1f} px")
    page.locator(".head-maps .tile .head").nth(1).click()
    expect(page.locator(".part.number-table td").nth(2)).to_have_text(f"{found[3, 1]:.1f} px")


def test_readable_in_both_themes_and_on_a_phone(page: Page, widget: HeadExplorer) -> None:
    for colour_scheme, width in each_look(page, ("light", 1280), ("dark", 400)):
        assert_fits(page, width)
        assert_ink(page.locator(".head-maps .tile .facts b").first, colour_scheme)
        assert box_of(page.locator(".head-maps .tile canvas").first)["width"] > 80
