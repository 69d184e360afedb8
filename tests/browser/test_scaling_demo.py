"""A reader widens the head, draws again and chooses a real head: the numbers on the page are those of the model."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from widgets.attention.scaling_demo import MEASURED, UNSCALED, ScalingDemo, _pair
from widgets.kit.selection import Selection

from .settled import assert_becomes, assert_fits, assert_soon, box_of, each_look


@pytest.fixture
def widget(page: Page, serve) -> ScalingDemo:
    built = ScalingDemo(selection=Selection())
    page.goto(serve(lambda: built.__panel__()))
    expect(page.locator(".part.number-table td").first).to_be_visible()
    return built


def table(page: Page, nth: int) -> list[str]:
    return page.locator(".part.number-table").nth(nth).locator("td").all_text_contents()


def test_the_slider_reaches_every_plot_and_the_tables(page: Page, widget: ScalingDemo) -> None:
    slider = page.get_by_role("slider").first
    slider.focus()
    for _ in range(3):
        slider.press("ArrowRight")
    expect(page.locator(".part.plot .title").first).to_have_text("Random numbers, D_h 512: scores")
    found = widget.random().statistics()
    expect(page.locator(".part.number-table td").nth(1)).to_have_text(_pair("largest_weight", found))
    assert_becomes(page, lambda: table(page, 0)[: len(MEASURED)], [_pair(key, found) for key in MEASURED])
    expect(page.locator(".part.plot .caption").last).to_contain_text(
        f"At D_h 512: {widget.spread()[UNSCALED][-1]:.3f} without the division, and √512 = 22.627"
    )


def test_draw_again_changes_the_random_side_alone(page: Page, widget: ScalingDemo) -> None:
    before, real = table(page, 0), table(page, 1)
    page.get_by_role("button", name="Draw again").click()
    expect(page.locator(".part.number-table .caption").first).to_contain_text("(draw 2)")
    drawn = len(MEASURED)
    assert_soon(page, lambda: table(page, 0)[:drawn] != before[:drawn], "another draw has other numbers")
    assert table(page, 0)[drawn:] == before[drawn:], "the means over all draws stay"
    assert_becomes(page, lambda: table(page, 1), real)


def test_the_real_head_is_the_chosen_one_and_says_so(page: Page, widget: ScalingDemo) -> None:
    page.get_by_label("Layer", exact=True).select_option(label="5")
    page.get_by_label("Head", exact=True).select_option(label="3")
    caption = page.locator(".part.number-table .caption").nth(1)
    expect(caption).to_contain_text("Layer 5, head 3, query: the class token, 257 keys. A cat, read by DINOv2 ViT-S/14")
    found = widget.real().statistics()
    assert_becomes(
        page,
        lambda: table(page, 1),
        [_pair(key, found) for found in (found, widget.over_queries()[1]) for key in MEASURED],
    )
    page.get_by_role("checkbox", name="Another picture or model").check()
    title = next(title for title, name in widget.models.controls[0].options.items() if name == "random-b16")
    page.get_by_label("Model", exact=True).select_option(label=title)
    expect(caption).to_contain_text("Layer 5, head 3, query: the class token, 197 keys")
    assert_becomes(
        page,
        lambda: table(page, 1),
        [_pair(key, found) for found in (widget.real().statistics(), widget.over_queries()[1]) for key in MEASURED],
    )
    expect(page.locator(".part.plot .title").nth(2)).to_contain_text("Random ViT-B/16")


def test_the_axes_of_the_two_histograms_can_be_parted(page: Page, widget: ScalingDemo) -> None:
    ends = """() => [...new Set(Bokeh.documents.flatMap(d => [...d._all_models.values()])
        .filter(m => m.type === 'Figure'
        && m.below?.[0]?.axis_label?.startsWith('score')).map(m => m.x_range.end.toFixed(3)))].length"""
    page.wait_for_function(f"({ends})() === 1")
    page.get_by_label("Axis of the scores").select_option(label="each its own")
    page.wait_for_function(f"({ends})() === 2")
    expect(page.locator(".part.plot .caption").first).to_contain_text("This axis fits these scores alone")
    page.get_by_label("Axis of the scores").select_option(label="one for both")
    page.wait_for_function(f"({ends})() === 1")
    expect(page.locator(".part.plot .caption").first).to_contain_text("Both sides have this axis")


def test_nothing_is_cut_in_either_theme_or_on_a_phone(page: Page, widget: ScalingDemo) -> None:
    for _, width in each_look(page, ("dark", 1280), ("light", 400)):
        assert_fits(page, width)
        for plot in page.locator(".part.plot").all():
            box = box_of(plot)
            assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["height"] > 200
