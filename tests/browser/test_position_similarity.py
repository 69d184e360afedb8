"""A reader hovers positions: what is drawn is the model's own cosines, in all four tables and in the tiles."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from widgets.checkpoints.loading import load
from widgets.kit.selection import Selection
from widgets.model.library import weights_of
from widgets.model.positions import cosine_similarity_map, interpolate_positions, sincos_1d
from widgets.parts.theme import colour_scale
from widgets.positions.position_similarity import PositionSimilarity

from .pointing import hover_cell
from .served import in_the_session
from .settled import assert_becomes, assert_fits, assert_soon, box_of, each_look, read_canvas

CELLS = """canvas => {   // the colour in the middle of every cell of a map of 16 px cells
  const g = canvas.getContext('2d'), out = []
  for (let y = 8; y < canvas.height; y += 16) for (let x = 8; x < canvas.width; x += 16)
    out.push([...g.getImageData(x, y, 1, 1).data.slice(0, 3)])
  return out
}"""
TILE = """(canvas, [across, i, columns, rows]) => {   // the colours of a tile's cells, from their middles
  const g = canvas.getContext('2d'), out = []
  const gap = Math.round(6 * Math.max(1, devicePixelRatio)),
    k = (canvas.width - 2 - gap * (across - 1)) / across / columns
  const x0 = 1 + i % across * (columns * k + gap), y0 = 1 + Math.floor(i / across) * (rows * k + gap)
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++)
    out.push([...g.getImageData(x0 + (c + .5) * k, y0 + (r + .5) * k, 1, 1).data.slice(0, 3)])
  return out
}"""


@pytest.fixture
def picture() -> str:
    return "cat"


@pytest.fixture
def widget(page: Page, serve, picture: str) -> PositionSimilarity:
    built = PositionSimilarity(selection=Selection(picture=picture))
    page.goto(serve(lambda: built.__panel__()))
    expect(page.locator(".part.position-map .layers")).to_have_count(4)
    expect(page.locator(".part.map-tiles .layers")).to_be_visible()
    return built


def drawn(page: Page, name: str) -> np.ndarray:
    """The colours of a map, (N, 3)."""
    place = ["learned", "sinusoidal 1-D", "sinusoidal 2-D", "random"].index(name)
    return np.array(read_canvas(page.locator(".part.position-map").nth(place).locator("canvas").first, CELLS))


def coloured(cosines: np.ndarray) -> np.ndarray:
    """The colours of cosines (N,) on the signed scale of the light theme: (N, 3)."""
    return np.array(colour_scale("signed"))[np.clip(np.round(255 * (cosines.ravel() + 1) / 2), 0, 255).astype(int)]


def is_drawn(found: np.ndarray, cosines: np.ndarray) -> bool:
    """Whether the colours are those of the cosines: one step of the scale either way is float16's."""
    return found.shape == (cosines.size, 3) and np.abs(found - coloured(cosines)).max() <= 3


def hover(page: Page, part: str, n: int, grid: tuple[int, int], nth: int = 0) -> None:
    hover_cell(page.locator(f".part.{part} .layers").nth(nth), n, grid)


def learned(grid: tuple[int, int]) -> np.ndarray:
    w = weights_of(load("dinov2-small").model)
    return cosine_similarity_map(interpolate_positions(w.positions, w.grid, grid), grid).detach().numpy()


def test_the_ring_is_whole_where_the_picture_is_drawn_small(page: Page, widget: PositionSimilarity) -> None:
    in_the_session(lambda: widget.selection.param.update(checkpoint="random-b16"))  # patches of 16 px
    expect(page.get_by_text("It only sets the grid, 14 × 14")).to_be_visible()
    for _, _ in each_look(page, *(("light", width) for width in (320, 360, 1180, 1280))):
        layers = page.locator(".part.picture-grid .layers")
        layers.scroll_into_view_if_needed()
        page.mouse.move(2, 2)
        seen = np.array(Image.open(BytesIO(layers.screenshot())).convert("L"), dtype=int)  # as the reader sees it
        rows, columns = widget.look_at()[1]
        side, (r, c) = seen.shape[1] / columns, divmod(widget.selection.token - 1, columns)
        top, left = round(r * side), round(c * side)
        cell = seen[top - 1 : round(top + side) + 1, left - 1 : round(left + side) + 1]
        thick = 4
        for turned in (cell, cell[::-1], cell.T, cell.T[::-1]):  # each side in its turn
            edge = turned[:thick, 2:-2]  # (pixels deep, along the side)
            whole = (edge.min(axis=0) < 90) & (edge.max(axis=0) > 150)
            assert whole.mean() > 0.6, "a line of the ring is missing: ink and paper must both be there"


@pytest.mark.parametrize(("picture", "grid"), [("cat", (16, 16)), ("coffee", (16, 24))])
def test_the_hovered_map_is_cosine_similarity_map(
    page: Page, widget: PositionSimilarity, grid: tuple[int, int]
) -> None:
    expected, formula = learned(grid), cosine_similarity_map(sincos_1d(grid[0] * grid[1], 384), grid, prefix=0).numpy()
    for part, nth, n in (
        ("position-map", 0, 17),
        ("position-map", 3, grid[0] * grid[1] - 1),
        ("picture-grid", 0, 5 * grid[1] + 2),
    ):
        hover(page, part, n, grid, nth)
        assert is_drawn(drawn(page, "learned"), expected[n])
        assert is_drawn(drawn(page, "sinusoidal 1-D"), formula[n])
        assert not is_drawn(drawn(page, "learned"), expected[n - 1]), "the check tells one map from the next"
    w = weights_of(load("dinov2-small").model)
    table = interpolate_positions(w.positions, w.grid, grid).detach()
    page.get_by_role("button", name="class token").hover()
    of_class = ((table[:1] @ table[1:].T) / table[:1].norm() / table[1:].norm(dim=1)).numpy()
    assert_soon(page, lambda: is_drawn(drawn(page, "learned"), of_class), "the class token's map is drawn")
    below = box_of(page.locator(".part.map-tiles"))["y"]
    page.mouse.move(2, 2)
    assert_soon(
        page,
        lambda: is_drawn(drawn(page, "learned"), expected[grid[0] // 3 * grid[1] + grid[1] // 3]),
        "back to what was selected",
    )
    assert box_of(page.locator(".part.map-tiles"))["y"] == below, "nothing moves under a pointer that leaves"


def test_a_click_is_kept_and_arrow_keys_move_it(page: Page, widget: PositionSimilarity) -> None:
    hover(page, "position-map", 17, (16, 16), 1)
    page.mouse.down(), page.mouse.up()
    expected, readout = learned((16, 16)), page.locator(".part.position-map").first.locator(".readout")
    for key, n in ((None, 17), ("ArrowDown", 33), ("ArrowRight", 34), ("Home", 32), ("End", 47), ("Control+Home", 0)):
        if key:
            page.keyboard.press(key)
        similar = expected[n].ravel().copy()
        similar[n] = -2
        best = int(similar.argmax())
        expect(readout).to_contain_text(f"row {best // 16}, column {best % 16} (cosine {similar[best]:.3f})")
    page.mouse.move(2, 2)
    assert_soon(page, lambda: is_drawn(drawn(page, "learned"), expected[0]), "the place that was kept is drawn")
    page.get_by_text("In words").click()
    expect(page.get_by_text("compared from the position of patch 0, row 0, column 0")).to_be_visible()
    page.get_by_role("button", name="class token").focus()
    page.keyboard.press("Enter")
    expect(readout).to_contain_text("The class token's row: cosines between")
    expect(page.get_by_text("compared from the class token's row")).to_be_visible()
    assert_becomes(page, lambda: widget.selection.token, 0)


def test_tiles_are_the_maps_of_their_own_places_and_lead_the_others(page: Page, widget: PositionSimilarity) -> None:
    expected, tiles = learned((16, 16)), page.locator(".part.map-tiles canvas").first
    for i in (0, 27, 63):
        n = i // 8 * 2 * 16 + i % 8 * 2
        assert is_drawn(np.array(read_canvas(tiles, TILE, [8, i, 16, 16])), expected[n])
    hover(page, "map-tiles", 27, (8, 8))
    expect(page.locator(".part.map-tiles .readout")).to_have_text("Tile of the position in row 6, column 6")
    assert_soon(page, lambda: is_drawn(drawn(page, "learned"), expected[6 * 16 + 6]), "the tile leads the map")
    page.get_by_role("radio", name="learned, as stored (37 × 37)").check(force=True)
    expect(page.get_by_text("The learned, as stored table of 37 × 37 positions")).to_be_visible()
    own = learned((37, 37))[10 * 37 + 15]
    assert_soon(
        page,
        lambda: is_drawn(np.array(read_canvas(tiles, TILE, [8, 2 * 8 + 3, 37, 37])), own),
        "the stored table is drawn",
    )
    hover(page, "map-tiles", 2 * 8 + 3, (8, 8))
    expect(page.locator(".part.map-tiles .readout")).to_have_text("Tile of the position in row 10, column 15")


def test_every_control_is_reached_by_tab(page: Page, widget: PositionSimilarity) -> None:
    reached = []
    for _ in range(24):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                """() => { let a = document.activeElement
            while (a?.shadowRoot?.activeElement) a = a.shadowRoot.activeElement
            const name = a.getAttribute('aria-label') || a.textContent || a.type || a.tagName || ''
            return name.slice(0, 34) + ' ' + a.tagName }"""
            )
        )
    text = " | ".join(reached)
    for wanted in (
        "SELECT",
        "A tabby cat",
        "learned: map",
        "class token BUTTON",
        "random (seed 0): map",
        "Maps of the learned",
        "SUMMARY",
    ):
        assert wanted in text, f"{wanted} cannot be reached by Tab: {text}"


@pytest.mark.parametrize(("colour_scheme", "width"), [("dark", 400)])
def test_on_a_phone_in_the_dark(page: Page, widget: PositionSimilarity, width: int) -> None:
    assert_fits(page, width)
    middle = np.array(colour_scale("signed", True))[128]
    assert np.abs(drawn(page, "random") - middle).max(1).min() < 12, (
        "a cosine of 0 is nearly the colour of the dark page"
    )
