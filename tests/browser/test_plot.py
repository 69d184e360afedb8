"""The plot in Chromium: keys read the points, a click chooses one, and the theme colours it."""

from __future__ import annotations

import panel as pn
import pytest
from playwright.sync_api import Page, expect

from tests.browser.settled import assert_soon
from widgets.parts import Plot, Series

COLOURS = """() => Object.fromEntries([...Bokeh.documents[0]._all_models.values()].filter((m) => m.renderers && m.below)
  .flatMap((f) => [['line', f.renderers[0].glyph.line_color.value ?? f.renderers[0].glyph.line_color], ['label',
    f.below[0].axis_label_text_color]]))"""


def made() -> Plot:
    plot = Plot(title="Two", x_label="x", y_label="y", tappable=True)
    plot.update(
        [
            Series("a", [0, 1, 2], [5, 6, 7], kind="dots", hue="query", labels=["a zero", "a one", "a two"]),
            Series("b", [0, 1, 2], [1, 2, 3], hue="key", dash=True, labels=["b zero", "b one", "b two"]),
        ]
    )
    return plot


def last_point(page: Page) -> str | None:
    """What the plot reads at its last point, as far as its data have come."""
    page.keyboard.press("End")
    return page.locator(".plot .readout").text_content()


def told() -> pn.Column:
    """The plot, and what Python knows was chosen."""
    plot = made()
    return pn.Column(plot, pn.pane.HTML(plot.param.tapped.rx.pipe(lambda chosen: f"<p class='chosen'>{chosen}</p>")))


def test_arrow_keys_read_points_and_enter_chooses_one(page: Page, serve) -> None:
    page.goto(serve(told))
    place, said = page.locator(".figure"), page.locator(".plot .readout")
    place.focus()
    for key, words in (
        ("ArrowRight", "a zero"),
        ("ArrowRight", "a one"),
        ("ArrowDown", "b one"),
        ("End", "b two"),
        ("ArrowUp", "a two"),
    ):
        page.keyboard.press(key)
        expect(said).to_have_text(words)
    page.keyboard.press("Enter")
    expect(page.locator(".chosen")).to_have_text("('a', 2)")


@pytest.mark.parametrize(("colour_scheme", "line"), [("light", "#0072B2"), ("dark", "#56B4E9")])
def test_the_theme_colours_marks_and_axes(page: Page, serve, line: str) -> None:
    page.goto(serve(made))
    expect(page.locator(".plot .legend .entry")).to_have_count(2)
    page.wait_for_function(f"() => ({COLOURS})().line === '{line}'")
    assert page.evaluate(COLOURS)["label"] in ("#565C66", "#A8AEB9")


def test_it_changes_where_a_click_is_handled_without_the_documents_lock(page: Page, serve) -> None:
    """So Panel handles one while another change is on its way; Bokeh refused it then, and the click was lost."""
    plot, press = made(), pn.widgets.Button(label="Next state")

    async def unlocked() -> None:
        plot.update([Series("a", [0, 1], [1, 2])], [(0.5, "here")])

    press.on_click(lambda _: pn.state.execute(unlocked, schedule=True))
    page.goto(serve(lambda: pn.Column(press, plot)))
    expect(page.locator(".plot .legend .entry")).to_have_count(2)
    page.get_by_text("Next state").click()
    expect(page.locator(".plot .legend .entry")).to_have_count(1)


def test_other_series_and_places_while_it_is_shown(page: Page, serve) -> None:
    """More series, fewer, another kind, a place marked and no longer: the page complains of none (the fixture asks)."""
    plot = made()
    states = [
        ([Series("a", [0, 1], [1, 2])], [(0.5, "here")]),
        ([Series("a", [0, 1], [1, 2], kind="bars"), Series("c", [0, 1], [2, 3])], []),
        ([Series(name, [0, 1], [1, 2]) for name in "abcd"], [(0.2, "one"), (0.7, "two")]),
        ([Series("a", [0, 1], [4, 5])], [(0.9, "last")]),
    ]
    press = pn.widgets.Button(label="Next state")
    press.on_click(lambda event: plot.update(*states[event.new - 1]))
    page.goto(serve(lambda: pn.Column(press, plot)))
    for series, _ in states:
        page.get_by_text("Next state").click()
        expect(page.locator(".plot .legend .entry")).to_have_count(len(series))
        page.locator(".figure").focus()
        assert_soon(
            page,
            lambda words=f"{series[0].name}: {series[0].y[-1]:.3g} at 1": last_point(page) == words,
            "End reads the last point of the new series, whose places come after its legend",
        )
