"""A reader changes the grid, points at a place, types nonsense, and runs the picture at several sizes."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from widgets.checkpoints.loading import load
from widgets.kit.selection import Selection
from widgets.model.library import weights_of
from widgets.model.positions import cosine_similarity_map, interpolate_positions
from widgets.parts.theme import colour_scale
from widgets.positions.position_interpolation import ANSWER, PICTURES, PositionInterpolation
from widgets.positions.sample_answers import alone

from .settled import assert_becomes, assert_fits, assert_ink, assert_soon, box_of, each_look, read_canvas

SIGNED = np.array(colour_scale("signed"))
DRAWN = (
    "canvas => [canvas.width, canvas.height, ...canvas.getContext('2d').getImageData(0, 0, canvas.width,"
    " canvas.height).data]"
)
CELL = 16
PAIRS = ("Before: 37 × 37", "After: 16 × 16", "One position, before", "The same place, after", "The choice of method")


@pytest.fixture
def widget(page: Page, serve) -> PositionInterpolation:
    return opened(page, serve, PositionInterpolation(selection=Selection()))


def opened(page: Page, serve, widget: PositionInterpolation) -> PositionInterpolation:
    page.goto(serve(lambda: widget.__panel__()))
    expect(page.get_by_text("Look at", exact=True)).to_be_visible()
    return widget


def part(page: Page, title: str):
    return page.locator(".part.position-map").filter(has_text=title)


def drawn(page: Page, title: str, high: float) -> np.ndarray:
    """Numbers of a map as its colours say them, (rows, columns); good to a step of the scale."""
    width, height, *data = read_canvas(part(page, title).locator("canvas").first, DRAWN)
    pixels = np.array(data).reshape(height, width, 4)[CELL // 2 :: CELL, CELL // 2 :: CELL, :3]
    off = np.abs(pixels[:, :, None] - SIGNED).sum(-1)
    assert off.min(-1).max() == 0, "a colour that is not of the scale"
    return (off.argmin(-1) / 255 * 2 - 1) * high


def is_drawn(seen: np.ndarray, numbers: np.ndarray, high: float) -> bool:
    """Whether the colours seen are those of the numbers, on a scale that ends at `high`."""
    return seen.shape == numbers.shape and np.abs(seen - numbers).max() < high / 60


def type_grid(page: Page, label: str, text: str) -> None:
    field = page.get_by_label(label)
    field.fill(text)
    field.press("Enter")


def test_typing_a_grid_draws_the_real_table_on_it(page: Page, widget: PositionInterpolation) -> None:
    type_grid(page, "To grid", "20 x 11")
    expect(part(page, "After: 20 × 11")).to_be_visible()
    expect(page.get_by_role("cell", name="20 × 11 = 220")).to_be_visible()
    w = weights_of(load("dinov2-small").model)
    after = interpolate_positions(w.positions, w.grid, (20, 11))
    high = widget.table._parts["after"].high
    numbers = after[1:, 379].reshape(20, 11).numpy()
    assert_soon(page, lambda: is_drawn(drawn(page, "After: 20 × 11", high), numbers, high), "the new table is drawn")
    row, column = widget.table.cell((20, 11))
    alike = cosine_similarity_map(after, (20, 11))[row * 11 + column].numpy()
    assert_soon(page, lambda: is_drawn(drawn(page, "The same place, after", 1), alike, 1), "the new map is drawn")


def test_pointing_marks_the_same_place_on_both_grids_and_a_click_chooses_it(
    page: Page, widget: PositionInterpolation
) -> None:
    layers = part(page, "Before: 37 × 37").locator(".layers")
    box = box_of(layers)
    page.mouse.move(box["x"] + 30.5 / 37 * box["width"], box["y"] + 3.5 / 37 * box["height"])
    w = weights_of(load("dinov2-small").model)
    value = float(w.positions[1 + 3 * 37 + 30, 379])
    expect(part(page, "Before: 37 × 37").locator(".readout")).to_have_text(
        f"Row 3, column 30: {value:.4f}".replace("-", "−")
    )
    expect(part(page, "After: 16 × 16").locator(".readout")).to_contain_text("Row 1, column 13: ")
    page.mouse.down(), page.mouse.up()
    expect(page.get_by_text("Cosine of row 3, column 30 with every position.")).to_be_visible()
    assert_becomes(page, lambda: widget.table.cell((37, 37)), (3, 30))


def test_keys_move_the_place_and_every_control_is_reached_by_tab(page: Page, widget: PositionInterpolation) -> None:
    layers = part(page, "After: 16 × 16").locator(".layers")
    layers.focus()
    for key, cell in (
        ("ArrowRight", (5, 6)),
        ("ArrowDown", (6, 6)),
        ("Home", (6, 0)),
        ("Control+End", (15, 15)),
        ("ArrowRight", (15, 15)),
    ):
        page.keyboard.press(key)
        expect(layers).to_have_attribute("data-cell", str(cell[0] * 16 + cell[1]))
    expect(page.get_by_text("Cosine of row 15, column 15, which lies at the same place.")).to_be_visible()
    page.evaluate("document.activeElement.blur()")
    reached = []
    for _ in range(20):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("""() => { let a = document.activeElement
            while (a?.shadowRoot?.activeElement) a = a.shadowRoot.activeElement
            return `${a.getAttribute('aria-label') || a.type || a.className || ''} ${a.tagName}` }""")
        )
    text = " | ".join(reached)
    for wanted in (
        "radio INPUT",
        "select-one SELECT",
        "text INPUT",
        "range INPUT",
        "Before: 37",
        "The same place, after",
        "SUMMARY",
    ):
        assert wanted in text, f"{wanted} cannot be reached by Tab: {text}"


def test_what_is_no_grid_is_answered_in_place(page: Page, widget: PositionInterpolation) -> None:
    for text, words in (
        ("1e9", "at most 64, not 1e9"),
        ("3.7", "whole number, not 3.7"),
        ("2,5 x 3", "2,5 looks like 2.5"),
        ("", "is empty"),
        ("big", "“big” is no number"),
        ("0", "not 0"),
    ):
        type_grid(page, "To grid", text)
        expect(page.get_by_role("alert").filter(has_text=words)).to_contain_text("16 × 16 stays.")
        expect(page.get_by_label("To grid")).to_have_value("16 × 16")
    expect(part(page, "After: 16 × 16")).to_be_visible()
    type_grid(page, "To grid", "9")
    expect(part(page, "After: 9 × 9")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_the_random_model_is_called_random(page: Page, widget: PositionInterpolation) -> None:
    page.get_by_label("Model").select_option("Random ViT-B/16")
    expect(part(page, "Before: 14 × 14")).to_contain_text("random and was never trained")
    expect(page.get_by_role("cell", name="24 × 24 = 576")).to_be_visible()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two small sizes: the large ones take seconds each and are the same code."""
    monkeypatch.setattr("widgets.experiments.other_sizes.reference_side", lambda name, picture: 168)
    monkeypatch.setattr("widgets.experiments.other_sizes.shorter_sides", lambda P, own, picture: [112, 168])


def test_the_sizes_run_when_asked_for_and_say_how_far_they_are(few, page: Page, serve) -> None:
    widget = opened(page, serve, PositionInterpolation(selection=Selection(picture="coffee"), show=ANSWER))
    expect(page.get_by_text("6 forward passes")).to_be_visible()
    expect(page.get_by_text("Nothing has been run yet.").first).to_be_visible()
    page.get_by_role("button", name="Run the sizes").click()
    found = {(one.way, min(one.image_size)): one.cosine for one in widget.answer.answers()}
    expect(page.get_by_role("status").filter(has_text="At 112 px, cosine of y with the y at 168 px")).to_contain_text(
        f"interpolated {found['interpolated', 112]:.3f}, cut off {found['cut off', 112]:.3f}, left out"
        f" {found['none', 112]:.3f}"
    )
    cells = page.locator(".matrix-view").filter(has_text="The same numbers").locator("td")
    expect(cells).to_have_text(
        [f"{found[way, side]:.3f}" for side in (112, 168) for way in ("interpolated", "cut off", "none")]
    )
    expect(page.locator(".plot .legend .entry")).to_have_text(["interpolated", "cut off", "left out"])
    expect(page.locator(".number-table tr")).to_have_count(7)
    page.get_by_text("In words").click()
    expect(page.get_by_text("112 × 168 px, positions left out")).to_be_visible()


def test_all_sample_pictures_run_when_asked_for_and_say_for_which_the_table_helps(
    few, monkeypatch, page: Page, serve
) -> None:
    for module in ("positions.answer_by_picture", "experiments.sample_sizes"):
        monkeypatch.setattr(f"widgets.{module}.sample_names", lambda: ["cat", "galaxies"])
    monkeypatch.setattr("widgets.experiments.sample_sizes.reference_side", lambda name, picture: 168)
    widget = opened(page, serve, PositionInterpolation(selection=Selection(), show=PICTURES))
    expect(page.get_by_text("2 pictures at 112 px along the shorter side")).to_be_visible()
    page.get_by_role("button", name="Run all sample pictures").click()
    expect(page.get_by_role("status").filter(has_text="closest to that of the full size for")).to_be_visible()
    cells = page.locator(".matrix-view").filter(has_text="One change at a time").locator("td")
    expect(cells).to_have_text([f"{value:.3f}" for one in widget.pictures.pictures() for value in alone(one)])
    expect(page.locator(".plot .legend .entry")).to_have_text(
        ["●interpolated", "■cut off", "▲left out", "left out at both"]
    )
    page.get_by_text("12", exact=True).click()
    expect(page.get_by_text("2 pictures at 168 px")).to_be_visible()
    expect(page.get_by_text("Nothing has been run yet.").first).to_be_visible()


def test_all_maps_have_one_size_and_a_pair_stands_side_by_side(page: Page, widget: PositionInterpolation) -> None:
    for _, _ in each_look(page, ("light", 1280), ("light", 853), ("light", 400)):
        boxes = [box_of(part(page, title).locator(".layers")) for title in PAIRS]
        assert max(box["width"] for box in boxes) - min(box["width"] for box in boxes) <= 1
        for before, after in (boxes[:2], boxes[2:4]):
            assert before["y"] == pytest.approx(after["y"], abs=1) and after["x"] > before["x"] + before["width"]
        assert min(box["width"] for box in boxes) > 140


def test_readable_in_both_themes_on_a_phone(page: Page, widget: PositionInterpolation) -> None:
    for colour_scheme, width in each_look(page, ("light", 400), ("dark", 400)):
        expect(part(page, "The same place, after")).to_be_visible()
        assert_fits(page, width)
        assert_ink(page.locator(".number-table td").first, colour_scheme)
