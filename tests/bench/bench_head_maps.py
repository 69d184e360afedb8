"""What a hover costs in HeadExplorer, where every map of a layer is drawn anew, in Chromium."""

from __future__ import annotations

import panel as pn
from playwright.sync_api import sync_playwright

from tests.bench.bench_hover import HOVER
from tests.bench.promises import Figure, spread
from tests.browser import chromium
from tests.browser.served import address_of
from widgets import app

PLACES = [[(n % 16 + 0.5) / 16, (n // 16 + 0.5) / 16] for n in range(100)]


def run() -> dict[str, Figure]:
    """Hovers over the query picture with 6 maps of 256 patches, and 12 of 294; milliseconds."""
    pn.serve({"app": app.page}, port=0, threaded=True, show=False)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.ARGUMENTS)
            page, figures = browser.new_page(viewport={"width": 1280, "height": 900}), {}
            for name, query in (("6 maps", ""), ("12 maps", "&checkpoint=random-b16&picture=coffee")):
                page.goto(f"{address_of()}/app?widget=HeadExplorer{query}")
                page.locator(".head-maps .tile").first.wait_for()
                page.wait_for_timeout(1000)
                times = page.evaluate(HOVER, PLACES)
                figures[f"hover, {name}"] = spread(times)
            browser.close()
        return figures
    finally:
        pn.state.kill_all_servers()
