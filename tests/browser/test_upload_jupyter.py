"""A reader's own large picture in JupyterLab, whose kernel's socket closes on a message of 10 MB, and a kernel that
does not answer."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from .jupyter import kernel_of, lab_with, run_all

CELLS = [
    "import os\nfrom widgets import PatchHover, start\nstart()\nprint('kernel', os.getpid())",
    "widget = PatchHover()\nwidget.choice._upload.patience = 5\nwidget",
    "print('picture:', widget.selection.picture, widget.selection.upload and widget.selection.upload.file_size)",
]
NOTICE = ".part.picture-upload .notice"


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with lab_with(CELLS, tmp_path_factory.mktemp("upload")) as address:
        yield address


def noise(height: int, width: int) -> bytes:
    """A PNG that no packing makes smaller: about three bytes a pixel."""
    sent = BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)).save(
        sent, "PNG", compress_level=1
    )
    return sent.getvalue()


def send(page: Page, data: bytes) -> None:
    page.locator(".part.picture-upload input").set_input_files(
        {"name": "noise.png", "mimeType": "image/png", "buffer": data}
    )


def opened(page: Page, notebook: str) -> None:
    page.set_viewport_size({"width": 1400, "height": 3000})
    page.goto(notebook)
    run_all(page, len(CELLS), seconds=120)
    expect(page.locator(".part.picture-upload label")).to_be_visible()


def test_a_large_picture_reaches_the_kernel(page: Page, notebook: str) -> None:
    opened(page, notebook)
    data = noise(2250, 1800)
    assert 12 < len(data) / 1e6 < 13
    send(page, data)
    expect(page.locator(NOTICE)).to_contain_text("Your picture is here, 2250 px high and 1800 px wide.", timeout=90_000)
    page.locator(".jp-CodeCell").last.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("picture: yours (2250, 1800)")).to_be_visible()
    send(page, bytes(20_100_000))
    expect(page.locator(NOTICE)).to_have_text("That file has 20.1 MB; a picture may have 20 MB here.")


def test_a_kernel_that_does_not_answer_is_said_beside_the_button(page: Page, notebook: str) -> None:
    opened(page, notebook)
    kernel = kernel_of(page)
    os.kill(kernel, signal.SIGSTOP)
    try:
        send(page, noise(600, 400))
        expect(page.locator(NOTICE)).to_contain_text("Nothing has answered for 5 s, so the picture was not taken")
    finally:
        os.kill(kernel, signal.SIGCONT)
    send(page, noise(300, 400))
    expect(page.locator(NOTICE)).to_contain_text("Your picture is here, 300 px high and 400 px wide.")
