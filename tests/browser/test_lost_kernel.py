"""A widget in JupyterLab whose kernel does not answer, and then begins again, says so."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from .jupyter import kernel_of, lab_with, run_all

CELLS = [
    "import os\nfrom widgets import AttentionCalculator, start\nstart()\nprint('kernel', os.getpid())",
    "AttentionCalculator()",
]


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with lab_with(CELLS, tmp_path_factory.mktemp("kernel")) as address:
        yield address


def test_a_kernel_that_is_silent_and_one_that_begins_again(page: Page, notebook: str) -> None:
    page.set_viewport_size({"width": 1400, "height": 1600})
    page.goto(notebook)
    run_all(page, len(CELLS), seconds=120)
    mask, bar = page.get_by_label("Causal mask"), page.locator(".vit-kernel")
    expect(mask).to_be_visible()
    expect(bar).to_have_count(0)
    kernel = kernel_of(page)
    os.kill(kernel, signal.SIGSTOP)
    try:
        mask.press("Space")
        expect(bar).to_contain_text("Nothing has answered for 15 s", timeout=60_000)
    finally:
        os.kill(kernel, signal.SIGCONT)
    expect(bar).to_have_count(0)  # it answers again

    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem", name=re.compile(r"^\s*Restart Kernel…")).first.click()
    page.locator(".jp-Dialog .jp-mod-accept").click()
    expect(bar).to_contain_text("has stopped or begun again, so nothing here is answered")
    run_all(page, len(CELLS), seconds=120)
    expect(bar).to_have_count(0)
    expect(mask).to_be_visible()
