"""The lesson in JupyterLab, by keyboard: its keys are the reader's and not the notebook's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from .jupyter import lab_with, run_all

CELLS = [
    "from widgets import Predict, Quiz, check, exercise, hint, solution, start\nstart()",
    "Predict('How many patches?', 'number', lambda: 190 + 6, id='n')",
    "exercise('patchify')",
    "def patchify(image, P):\n    return image.reshape(-1, image.shape[0] * P * P)\n\ncheck('patchify', patchify)",
    "def endless(image, P):\n    while True:\n        pass\n\ncheck('patchify', endless, seconds=1)",
    "hint('patchify')",
    "solution('patchify')",
    "solution('patchify')",
    "Quiz('02')",
    "from widgets.lesson.progress import current\nprint(sorted(current().everything()['predictions']), 'kept')",
]


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with lab_with(CELLS, tmp_path_factory.mktemp("lesson")) as address:
        yield address


def test_a_lesson_in_jupyterlab(page: Page, notebook: str) -> None:
    page.set_viewport_size({"width": 1400, "height": 9000})
    page.goto(notebook)
    run_all(page, len(CELLS), seconds=120)
    expect(page.get_by_text("You reshaped the picture instead of cutting it")).to_be_visible()
    expect(page.get_by_text("had not ended after 1 s and was stopped")).to_be_visible()
    expect(page.get_by_text("Hint 1 of 3. Take a picture")).to_be_visible()
    expect(page.get_by_text("this shows the whole solution")).to_be_visible()
    expect(page.locator(".jp-RenderedMarkdown", has_text="A solution of patchify")).to_be_visible()

    field = page.get_by_label("Your guess")
    field.click()
    page.keyboard.type("1dd50x")  # d d would delete the cell, x cut it
    expect(field).to_have_value("1dd50x")
    page.keyboard.press("Enter")
    expect(page.get_by_text("is no number")).to_be_visible()
    field.fill("150")
    page.keyboard.press("Enter")
    expect(page.get_by_text("46 too low, which is 23% of the answer")).to_be_visible()

    page.get_by_role("button", name="Hint 1 of 3").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Hint 2 of 3")).to_be_focused()
    form = page.locator("form").filter(has_text="336 x 224")
    form.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    for _ in range(form.locator(".choice .words").all_inner_texts().index("384")):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(form.get_by_role("status")).to_contain_text("Right.")
    expect(page.get_by_text("1 of 8 right at the first try; 7 to go.")).to_be_visible()
    expect(page.locator(".jp-CodeCell")).to_have_count(len(CELLS))  # no cell was deleted or made

    page.locator(".jp-CodeCell").last.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("['n'] kept")).to_be_visible()
