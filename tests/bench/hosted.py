"""The hosted course in Chromium, for what is measured there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import panel as pn
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import chromium
from tests.browser.served import address_of
from widgets import app

VIEW = {"width": 1280, "height": 900}


@contextmanager
def hosted() -> Iterator[tuple[Browser, str]]:
    """A browser, and the address of the course that is served to it."""
    pn.serve({"app": app.page}, port=0, threaded=True, show=False)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.ARGUMENTS)
            yield browser, f"{address_of()}/app"
            browser.close()
    finally:
        pn.state.kill_all_servers()


def new_page(browser: Browser) -> Page:
    """A page of the usual size."""
    return browser.new_page(viewport=VIEW)
