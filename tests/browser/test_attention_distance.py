"""A reader looks for near-sighted heads: a click on a dot chooses that head, on every picture and model."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from widgets.attention.attention_distance import HEADS, AttentionDistance
from widgets.kit.selection import Selection

from .settled import assert_becomes, assert_fits

PLACE = """([x, y]) => {   // where a point of the data lies on the page
  const figure = [...Bokeh.documents[0]._all_models.values()].find((m) => m.renderers && m.below)
  const view = Bokeh.index.find_one(figure), box = view.el.getBoundingClientRect()
  return [box.x + view.frame.x_scale.compute(x), box.y + view.frame.y_scale.compute(y)]
}"""


@pytest.fixture
def widget(page: Page, serve) -> AttentionDistance:
    built = AttentionDistance(selection=Selection())
    page.goto(serve(lambda: built.__panel__()))
    expect(page.locator(".part.plot .legend .entry")).to_have_count(4)
    expect(page.locator(".part.plot canvas").first).to_be_visible()
    return built


def told(page: Page, name: str) -> str:
    return page.locator(".part.number-table tr", has_text=name).locator("td").first.inner_text()


def test_a_click_on_a_dot_chooses_its_head(page: Page, widget: AttentionDistance) -> None:
    found = widget.distances().pixels
    layer, head = divmod(int(found.argmax()), found.shape[1])  # the most far-sighted, alone at the top
    page.mouse.click(*page.evaluate(PLACE, [layer + 1, float(found[layer, head])]))
    expect(page.get_by_label("Layer", exact=True)).to_have_value(str(layer + 1))
    expect(page.get_by_label("Head", exact=True)).to_have_value(str(head + 1))
    assert_becomes(page, lambda: told(page, "mean attention distance"), f"{found.max():.1f} px")
    assert_becomes(page, lambda: (widget.selection.layer, widget.selection.head), (layer, head))


def test_another_picture_and_a_random_model_have_other_dots(page: Page, widget: AttentionDistance) -> None:
    page.get_by_label("Picture", exact=True).select_option(label="A photographer, in grey")
    expect(page.get_by_text("A photographer, in grey, read by DINOv2", exact=False).first).to_be_visible()
    grey = widget.distances().pixels
    assert_becomes(page, lambda: told(page, "mean attention distance"), f"{grey[0, 0]:.1f} px")
    page.get_by_label("Picture", exact=True).select_option(label="A cup of coffee")
    page.get_by_label("Model", exact=True).select_option(label="Random ViT-B/16")
    expect(page.get_by_text("never trained", exact=False).first).to_be_visible()
    expect(page.locator(".part.number-table tr", has_text="height × width").locator("td")).to_have_text("224 × 336 px")
    page.locator(".part.plot .figure").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    last = widget.distances().pixels[11, 11]
    expect(page.locator(".part.plot .readout")).to_have_text(f"layer 12, head 12: {last:.1f} px")
    assert_becomes(page, lambda: len(next(one for one in widget._plot.series if one.name == HEADS).x), 144)


@pytest.mark.parametrize("colour_scheme, width", [("dark", 400)])
def test_readable_on_a_phone(page: Page, widget: AttentionDistance, colour_scheme: str, width: int) -> None:
    assert_fits(page, width)
    page.get_by_text("In words").click()
    expect(page.get_by_text("a head that weighs every patch alike would reach", exact=False)).to_be_visible()
