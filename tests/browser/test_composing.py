"""What a reader composed with HoloViews, on a page: painted by its theme, and a box in one plot marks the other."""

from __future__ import annotations

import holoviews as hv
import pytest
from playwright.sync_api import Page, expect

from tests.browser.settled import assert_fits, assert_soon, box_of
from widgets import attention_maps, picture_patches, token_points
from widgets.composing.composed import composed
from widgets.experiments.kept_pass import Reading, read
from widgets.pictures import open_sample

MODELS = "[...Bokeh.documents[0]._all_models.values()]"
COLOURS = f"""() => {MODELS}.filter((m) => m.tags?.includes('vit-composed') && m.below)
  .map((f) => [f.below[0].axis_label_text_color, f.title?.text_color])"""
FRAMES = f"""() => {MODELS}.filter((m) => m.glyph?.type === 'Quad').map((m) => m.glyph.attributes.line_color.value)"""
MUTED = {"light": "#565C66", "dark": "#A8AEB9"}


@pytest.fixture(scope="module")
def run() -> Reading:
    return read("dinov2-small", open_sample("cat"))


def test_a_box_around_points_marks_their_patches_in_the_picture(page: Page, serve, run: Reading) -> None:
    linked = hv.link_selections.instance()
    page.goto(serve(lambda: composed(linked(picture_patches(run) + token_points(run)))))
    plots = page.locator(".part.composed .bk-Canvas")
    expect(plots).to_have_count(2)
    box = box_of(plots.nth(1))
    x, y = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(x, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(x + 40, y, steps=5)
    page.mouse.move(box["x"] + box["width"] - 12, box["y"] + box["height"] - 50, steps=5)
    page.mouse.up()
    assert_soon(page, lambda: linked.selection_expr is not None, "the box is a selection")
    rows = picture_patches(run).dframe()
    chosen = linked.filter(rows)
    assert 0 < len(chosen) < len(rows), "some patches, not all"
    assert chosen["component 1"].min() > rows["component 1"].min(), "the box lay to the right"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"() => ({FRAMES})().length && ({FRAMES})().every((hue) => hue === '#ECEAE4')")
    assert page.evaluate(f"() => {MODELS}.filter(m => m.type === 'PanTool').length") == 0, "a drag selects, no more"


def test_the_page_paints_it_by_its_theme_and_sliders_show_another_head(page: Page, serve, run: Reading) -> None:
    page.goto(serve(lambda: composed(attention_maps(run))))
    expect(page.locator(".part.composed .bk-Canvas")).to_be_visible()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(f"() => ({COLOURS})().some(([axis]) => axis === '{MUTED[scheme]}')")
    title = f"() => {MODELS}.map((m) => m.title?.text).filter(Boolean)"
    page.wait_for_function(f"() => ({title})().includes('layer 1, head 1, from the class token')")
    page.get_by_role("slider").nth(1).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"() => ({title})().includes('layer 1, head 2, from the class token')")


def test_sliders_stand_above_the_plots_where_a_phone_shows_them(page: Page, serve, run: Reading) -> None:
    page.set_viewport_size({"width": 400, "height": 900})
    page.goto(serve(lambda: composed(attention_maps(run) + picture_patches(run))))
    expect(page.locator(".part.composed .bk-Canvas")).to_have_count(2)
    expect(page.get_by_role("slider")).to_have_count(2)
    for slider in page.get_by_role("slider").all():
        box = slider.bounding_box()
        assert box and box["x"] + box["width"] < 400


@pytest.mark.parametrize("width", [400])
def test_two_plots_scroll_in_their_own_frame_on_a_phone(page: Page, serve, run: Reading, width: int) -> None:
    page.goto(serve(lambda: composed(picture_patches(run) + token_points(run))))
    expect(page.locator(".part.composed .bk-Canvas")).to_have_count(2)
    assert_fits(page, width)
