"""Predictions, quiz and exercise card, by mouse and by keyboard alone, in both themes, wide and narrow."""

from __future__ import annotations

from itertools import product

import panel as pn
import pytest
from playwright.sync_api import Page, expect

from widgets.lesson import Predict, Quiz, check, exercise
from widgets.lesson.quiz_data import questions

from .settled import assert_becomes, assert_fits, assert_soon, box_of, each_look


def lesson() -> pn.viewable.Viewable:
    from widgets.page.frame import frame
    from widgets.page.results import view

    number = Predict(
        "How many patches of 16 px in 224 x 224 px?",
        "number",
        lambda: 196,
        unit="patches",
        why="14 rows of 14.",
        id="n",
        reveals=lambda: pn.pane.HTML("<p id='rest'>What follows</p>"),
    )
    choice = Predict(
        "Halve P. The attention table grows by ...",
        "choice",
        "about 16 times",
        choices=("about 2 times", "about 4 times", "about 16 times"),
        id="c",
    )
    result = check("patchify", lambda image, P: image.reshape(-1, image.shape[0] * P * P))
    shown = (number, choice, exercise("patchify"), result, Quiz("02"))
    return frame("Lesson", content=pn.Column(*map(view, shown), sizing_mode="stretch_width"))


@pytest.fixture
def opened(page: Page, serve) -> Page:
    page.goto(serve({"app": lesson}) + "/app")
    expect(page.get_by_label("Your guess")).to_be_visible()
    return page


def form(page: Page, words: str):
    return page.locator("form").filter(has_text=words)


def focused(page: Page) -> str:
    return page.evaluate("""() => { let e = document.activeElement; while (e.shadowRoot?.activeElement)
        e = e.shadowRoot.activeElement; return `${e.tagName} ${e.value ?? ''} ${e.textContent}` }""")


def assert_focus(page: Page, words: str) -> None:
    assert_soon(page, lambda: words in focused(page), f"the keyboard is at {words!r}")


def test_answer_and_what_follows_come_after_the_guess(opened: Page) -> None:
    expect(opened.get_by_text("196 patches")).to_have_count(0)
    expect(opened.get_by_text("What follows")).not_to_be_visible()
    opened.get_by_label("Your guess").fill("150")
    opened.get_by_role("button", name="Commit to my guess").first.click()
    expect(opened.get_by_text("46 too low, which is 23% of the answer")).to_be_visible()
    expect(opened.get_by_text("What follows")).to_be_visible()
    opened.get_by_role("button", name="Guess again").click()
    expect(opened.get_by_text("46 too low")).to_have_count(0)
    expect(opened.get_by_text("What follows")).not_to_be_visible()


def test_text_in_a_number_field_is_answered_beside_it_and_kept(opened: Page) -> None:
    field = opened.get_by_label("Your guess")
    field.fill("plenty")
    field.press("Enter")
    expect(opened.get_by_role("alert").filter(has_text="is no number")).to_be_visible()
    expect(field).to_have_value("plenty")
    assert_focus(opened, "INPUT plenty")
    field.fill("195,5")
    field.press("Enter")
    expect(
        opened.get_by_role("alert").filter(has_text="must be a whole number, and 195,5 looks like 195.5")
    ).to_be_visible()
    opened.get_by_role("button", name="196", exact=True).click()
    expect(opened.get_by_text("That is it exactly.")).to_be_visible()
    expect(opened.get_by_role("button", name="195", exact=True)).to_have_count(0)
    assert_focus(opened, "That is it exactly.")


def test_show_me(opened: Page) -> None:
    form(opened, "Halve P").get_by_role("button", name="Show me").click()
    expect(form(opened, "Halve P").get_by_text("\u2713 right")).to_be_visible()


def test_a_prediction_by_keyboard_alone(opened: Page) -> None:
    opened.get_by_label("Your guess").focus()
    opened.keyboard.type("196")
    opened.keyboard.press("Tab")
    assert_focus(opened, "Commit to my guess")
    opened.keyboard.press("Tab")
    assert_focus(opened, "Show me")
    opened.keyboard.press("Tab")
    assert_focus(opened, "INPUT 0")
    opened.keyboard.press("Space")
    opened.keyboard.press("ArrowDown")
    opened.keyboard.press("ArrowDown")
    expect(form(opened, "Halve P").get_by_text("right")).to_have_count(0)  # arrows choose, they do not commit
    opened.keyboard.press("Enter")
    expect(form(opened, "Halve P").get_by_text("That is it.")).to_be_visible()
    assert_focus(opened, "That is it.")
    opened.keyboard.press("Tab")
    assert_focus(opened, "Guess again")


def test_quiz_by_mouse_wrong_then_right(opened: Page) -> None:
    asked = questions("02")[0]
    one = form(opened, "336 x 224")
    one.get_by_text("576", exact=True).click()
    one.get_by_role("button", name="Check").click()
    expect(one.get_by_role("status")).to_contain_text("Not that one.")
    expect(one.get_by_role("status")).to_contain_text(asked.options[2].why[:40])
    one.get_by_text("384", exact=True).click()
    one.get_by_role("button", name="Check again").click()
    expect(one.get_by_role("status")).to_contain_text("Right.")
    expect(opened.get_by_text("0 of 8 right at the first try, 1 more after another try; 7 to go.")).to_be_visible()
    opened.get_by_role("button", name="Start the quiz over").click()
    expect(opened.get_by_text("8 questions, none answered yet.")).to_be_visible()
    expect(one.get_by_role("radio").first).to_be_enabled()


def options_at_the_keyboard(page: Page) -> list[str]:
    """What can be chosen where the keyboard is, in the order of this reader's page."""
    return page.evaluate(
        """() => { let e = document.activeElement; while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement
        return [...e.form.querySelectorAll('.choice .words')].map((words) => words.textContent) }"""
    )


def test_the_whole_quiz_by_keyboard_alone(opened: Page) -> None:
    form(opened, "336 x 224").get_by_role("radio").first.focus()
    for number, question in enumerate(questions("02"), 1):
        assert_focus(opened, "INPUT 0")
        opened.keyboard.press("Space")
        for _ in range(options_at_the_keyboard(opened).index(question.options[question.right].text.replace("`", ""))):
            opened.keyboard.press("ArrowDown")
        opened.keyboard.press("Enter")
        expect(opened.get_by_text(f"{number} of 8 right at the first try")).to_be_visible()
        opened.keyboard.press("Tab")


def test_exercise_shows_hints_then_the_solution_at_the_second_press(opened: Page) -> None:
    expect(opened.get_by_text("On this page no code of yours is run")).to_be_visible()
    expect(opened.get_by_text("image.reshape(C")).to_have_count(0)
    opened.get_by_role("button", name="Hint 1 of 3").focus()
    for number in (1, 2):
        opened.keyboard.press("Enter")
        expect(opened.get_by_text(f"Hint {number} of 3.")).to_be_visible()
        assert_focus(opened, f"Hint {number + 1} of 3")
    opened.get_by_role("button", name="Show the solution").click()
    expect(opened.get_by_text("image.reshape(C")).to_have_count(0)
    opened.get_by_role("button", name="Really show the solution").click()
    expect(opened.get_by_text("image.reshape(C")).to_be_visible()


def test_a_result_is_a_box_that_names_the_misconception(opened: Page) -> None:
    expect(opened.get_by_text("You reshaped the picture instead of cutting it")).to_be_visible()


CONTRAST = """() => {
  const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map((v) => v / 255)
    .map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b }
  const behind = (e) => { for (; e; e = e.assignedSlot ?? e.parentElement ?? e.getRootNode().host) {
    const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$|transparent/.test(c)) return c }
    return 'rgb(255, 255, 255)' }
  const weak = [], walk = (root) => { for (const e of root.querySelectorAll('*')) {
    if (e.shadowRoot) walk(e.shadowRoot)
    if (!e.checkVisibility?.() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue
    if (['STYLE', 'SCRIPT'].includes(e.tagName)) continue
    const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x)
    if ((a + .05) / (b + .05) < 4.5) weak.push(
      [e.tagName, e.textContent.slice(0, 40), ((a + .05) / (b + .05)).toFixed(1)]) } }
  walk(document.body); return weak }"""


def test_everything_is_readable_and_nothing_is_wider_than_the_page(opened: Page) -> None:
    form(opened, "336 x 224").get_by_text("576", exact=True).click()
    form(opened, "336 x 224").get_by_role("button", name="Check").click()
    form(opened, "Halve P").get_by_role("button", name="Show me").click()
    opened.get_by_role("button", name="Show the solution").click()
    opened.get_by_role("button", name="Really show the solution").click()
    expect(opened.get_by_text("image.reshape(C")).to_be_visible()
    expect(opened.get_by_text("Not that one.")).to_be_visible()
    for _, width in each_look(opened, *product(("light", "dark"), (1280, 400))):
        assert_fits(opened, width)
        assert_becomes(opened, lambda: opened.evaluate(CONTRAST), [])


def drawing() -> pn.viewable.Viewable:
    from widgets.page.frame import frame
    from widgets.page.results import view

    predict = Predict(
        "Draw the attention entries for P 32, 16 and 8, in thousands.",
        "curve",
        lambda: [2.5, 38.8, 616.2],
        x=(32, 16, 8),
        y=(0, 700),
        x_label="patch side in px",
        y_label="entries in thousands",
        id="d",
        why="They grow sixteenfold.",
    )
    return frame("Lesson", content=pn.Column(view(predict), sizing_mode="stretch_width"))


def test_a_curve_is_drawn_by_mouse_and_by_keyboard(page: Page, serve) -> None:
    page.goto(serve({"app": drawing}) + "/app")
    points = page.get_by_role("slider")
    expect(points).to_have_count(3)
    expect(page.locator(".answer-marks rect")).to_have_count(0)
    box = box_of(points.nth(2))
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] - 60, steps=4)
    page.mouse.up()
    assert float(points.nth(2).get_attribute("aria-valuenow")) > 400
    points.first.focus()
    page.keyboard.press("Home")
    expect(points.first).to_have_attribute("aria-valuenow", "0")
    page.keyboard.press("ArrowUp")
    expect(points.first).to_have_attribute("aria-valuenow", "7")
    for _ in range(3):
        page.keyboard.press("Tab")
    assert_focus(page, "Commit to my guess")
    page.keyboard.press("Enter")
    expect(page.get_by_text("On average you were")).to_be_visible()
    expect(page.locator(".answer-marks rect")).to_have_count(3)


def test_a_curve_is_readable(page: Page, serve) -> None:
    page.goto(serve({"app": drawing}) + "/app")
    page.get_by_role("button", name="Show me").click()
    expect(page.locator(".answer-marks rect")).to_have_count(3)
    for _, width in each_look(page, *product(("light", "dark"), (1280, 400))):
        assert_fits(page, width)
        assert_becomes(page, lambda: page.evaluate(CONTRAST), [])
