"""Progress of the hosted course lives in the visitor's browser, comes back, and can be saved, loaded and deleted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from widgets.lesson.chapter_work import Work
from widgets.lesson.quiz_data import questions
from widgets.lesson.quiz_widget import order_of

from .settled import assert_becomes

WORK = Work(("n",), ("patchify",), ("02",))


def lesson():
    import panel as pn

    from widgets.lesson import Predict, Quiz
    from widgets.lesson.progress_sheet import chapter_progress, course_progress
    from widgets.page.frame import frame

    return frame(
        "Lesson",
        content=pn.Column(
            chapter_progress(WORK),
            Predict("How many?", "number", 196, id="n"),
            Quiz("02"),
            course_progress([("02 Patchify", "?chapter=02", WORK)]),
            sizing_mode="stretch_width",
        ),
    )


@pytest.fixture
def address(serve) -> str:
    return serve({"app": lesson}) + "/app"


def guess(page: Page) -> None:
    page.get_by_label("Your guess").fill("12")
    page.get_by_label("Your guess").press("Enter")
    expect(page.get_by_text("1 of 1 prediction made")).to_have_count(2)  # the line and the sheet


def stored(page: Page) -> dict:
    return json.loads(page.evaluate("localStorage.getItem('vit-course-progress')") or "{}")


def guess_kept(page: Page) -> float | None:
    return stored(page).get("predictions", {}).get("n", {}).get("guess")


def best_kept(page: Page) -> int | None:
    return stored(page).get("quizzes", {}).get("02", {}).get("best")


def test_it_is_kept_in_the_browser_alone_and_comes_back(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(address)
    guess(page)
    quiz = page.locator("form").filter(has_text="336 x 224")
    quiz.get_by_text("384", exact=True).click()
    quiz.get_by_role("button", name="Check").click()
    expect(page.get_by_text("quiz 1 of 8 right at the first try")).to_have_count(2)
    assert_becomes(page, lambda: guess_kept(page), 12)
    assert not (tmp_path / "progress").exists()
    page.goto(address)
    expect(page.get_by_text("The answer", exact=True)).to_be_visible()
    expect(page.get_by_text("1 of 8 right at the first try; 7 to go.")).to_be_visible()
    expect(page.get_by_text("1 of 1 prediction made")).to_have_count(2)


def options(page: Page) -> list[str]:
    return page.locator("form .choice .words").all_inner_texts()


def test_the_options_of_a_quiz_stand_in_the_readers_own_order_at_every_visit(page: Page, address: str, browser) -> None:
    page.goto(address)
    page.wait_for_function("JSON.parse(localStorage.getItem('vit-course-progress') ?? '{}').seed !== undefined")
    mine, seed = options(page), stored(page)["seed"]
    page.goto(address)
    expect(page.locator("form .choice .words")).to_have_text(mine)
    assert_becomes(page, lambda: stored(page).get("seed"), seed)
    tab = page.context.new_page()
    tab.goto(address)
    expect(tab.locator("form .choice .words")).to_have_text(mine)
    tab.evaluate(
        "localStorage.setItem('vit-course-progress', JSON.stringify({version: 1, seed: 3}))"
    )  # another reader's
    tab.goto(address)
    right, asked = tab.locator("form").filter(has_text="336 x 224"), questions("02")[0]
    expect(tab.locator("form .choice .words")).not_to_have_text(mine)
    theirs = [asked.options[place].text for place in order_of(asked, 3)]
    expect(right.locator(".choice .words"), "its options are in their order, and stay").to_have_text(theirs)
    right.get_by_text("384", exact=True).click()
    right.get_by_role("button", name="Check").click()
    expect(right.locator(".choice", has_text="384").locator(".mark")).to_have_text("✓ right")


def test_another_visitor_begins_from_nothing(page: Page, address: str, browser) -> None:
    page.goto(address)
    guess(page)
    other = browser.new_context().new_page()
    other.goto(address)
    expect(other.get_by_text("0 of 1 prediction made")).to_have_count(2)
    other.context.close()


def test_two_tabs_do_not_undo_each_other(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_text("0 of 1 prediction made")).to_have_count(2)
    tab = page.context.new_page()
    tab.goto(address)
    quiz = tab.locator("form").filter(has_text="336 x 224")
    quiz.get_by_text("384", exact=True).click()
    quiz.get_by_role("button", name="Check").click()
    expect(page.get_by_text("quiz 1 of 8")).to_have_count(2)  # told by the browser
    guess(page)
    expect(tab.get_by_text("1 of 1 prediction made")).to_have_count(2)
    assert_becomes(page, lambda: (best_kept(page), guess_kept(page)), (1, 12))


def test_save_delete_and_load_again(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(address)
    guess(page)
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save to a file").click()
    saving.value.save_as(tmp_path / "mine.json")
    assert json.loads((tmp_path / "mine.json").read_text())["predictions"]["n"]["guess"] == 12
    page.get_by_role("button", name="Delete my progress").click()
    expect(page.get_by_text("1 of 1 prediction made")).to_have_count(2)  # one press is no deletion
    page.get_by_role("button", name="Really delete all of it").click()
    expect(page.get_by_text("0 of 1 prediction made")).to_have_count(2)
    assert_becomes(page, lambda: stored(page).get("predictions"), {})
    page.get_by_label("Load a file").set_input_files(tmp_path / "mine.json")
    expect(page.get_by_text("1 of 1 prediction made")).to_have_count(2)
    assert_becomes(page, lambda: guess_kept(page), 12)


def test_a_file_of_another_kind_is_refused_in_a_sentence(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(address)
    guess(page)
    (tmp_path / "other.json").write_text('{"some": "thing"}')
    page.get_by_label("Load a file").set_input_files(tmp_path / "other.json")
    expect(page.get_by_role("alert").filter(has_text="no progress file of the course")).to_be_visible()
    expect(page.get_by_text("1 of 1 prediction made")).to_have_count(2)


def test_damaged_progress_is_set_aside_and_said(page: Page, address: str) -> None:
    page.goto(address)
    page.evaluate("localStorage.setItem('vit-course-progress', '{\"version\": 1, \"exerc')")
    page.goto(address)
    expect(page.get_by_text("was damaged. It was set aside").first).to_be_visible()
    guess(page)
    assert_becomes(page, lambda: guess_kept(page), 12)
    assert page.evaluate("localStorage.getItem('vit-course-progress.damaged')").startswith('{"version": 1, "exerc')


def test_a_browser_that_keeps_nothing_still_shows_the_lesson(page: Page, address: str) -> None:
    page.add_init_script(
        "Storage.prototype.getItem = () => { throw new Error('refused') };"
        "Storage.prototype.setItem = () => { throw new Error('refused') }"
    )
    page.goto(address)
    expect(page.get_by_text("lasts until you close it").first).to_be_visible()
    guess(page)


def test_chapter_and_landing_page_show_it(page: Page, course: str) -> None:
    words = "0 of 1 prediction made, quiz 0 of 8 right at the first try"
    page.goto(f"{course}?chapter=02")
    expect(page.get_by_text(words)).to_be_visible()
    expect(page.get_by_text("8 questions, none answered yet.")).to_be_visible(timeout=60_000)  # all cells have run
    page.goto(course)
    expect(page.locator(".line", has_text="02 Patchify").locator(".words")).to_have_text(words)


def test_a_chapter_hides_the_code_of_its_prediction_until_the_guess(page: Page, course: str) -> None:
    page.goto(f"{course}?chapter=02")
    field = page.get_by_label("Your guess")
    expect(field).to_be_visible(timeout=60_000)
    expect(page.get_by_text("8 questions, none answered yet.")).to_be_visible(timeout=60_000)
    before = page.get_by_text("Show code").filter(visible=True).count()
    field.fill("4")
    field.press("Enter")
    expect(page.get_by_text("Show code").filter(visible=True)).to_have_count(before + 1)
