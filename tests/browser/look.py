"""`make look`: screenshots of every page and widget, light and dark, 1280 and 400 px wide, into look/.

Open them and look: is a label cut, a scale missing, a colour unreadable, a number unexplained?
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import panel as pn
from playwright.sync_api import Browser, sync_playwright

from tests.browser import chromium
from tests.browser.served import address_of
from widgets import WIDGETS, app
from widgets.page import contents

FOLDER = Path(__file__).resolve().parents[2] / "look"
THEMES, WIDTHS = ("light", "dark"), (1280, 400)
READY = """() => {   // every cell has run: no part of the page is still waiting
  const texts = (root) => [...root.querySelectorAll('*')].some((e) => (e.shadowRoot && texts(e.shadowRoot)) || (e.children.length === 0 && /Running this step/.test(e.textContent)))
  return !texts(document)
}"""


def pages() -> Iterator[tuple[str, str]]:
    """Name and query of every page, the gallery first."""
    yield "gallery", "?gallery=1"
    yield "landing", ""
    for chapter in contents.contents():
        if chapter.path:
            yield f"chapter-{chapter.number}", chapter.address
    for name in WIDGETS:
        yield f"widget-{name}", f"?widget={name}"


def main() -> int:
    """Take every picture; returns the exit status (1 when a page reported an error)."""
    FOLDER.mkdir(exist_ok=True)
    pn.serve({"app": app.page}, port=0, threaded=True, show=False, verbose=False)
    troubles: list[str] = []
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.ARGUMENTS)
            for name, query in pages():
                for theme in THEMES:
                    for width in WIDTHS:
                        troubles += photograph(browser, f"{address_of()}/app{query}", f"{name}-{theme}-{width}", theme, width)
            browser.close()
    finally:
        pn.state.kill_all_servers()
    print("\n".join(troubles) or f"{len(list(FOLDER.glob('*.png')))} pictures in {FOLDER.name}/, no errors.")
    return 1 if troubles else 0


def photograph(browser: Browser, address: str, name: str, theme: str, width: int) -> list[str]:
    """Write look/<name>.png; returns what the page complained of."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    page, troubles = context.new_page(), []
    page.on("pageerror", lambda error: troubles.append(f"{name}: {error}"))
    page.on("console", lambda message: troubles.append(f"{name}: {message.text}") if message.type == "error" else None)
    page.goto(address)
    page.wait_for_timeout(1500)
    page.wait_for_function(READY, timeout=120_000)
    page.wait_for_timeout(700)
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        troubles.append(f"{name}: scrolls sideways, {wide} px wide")
    page.screenshot(path=FOLDER / f"{name}.png", full_page=True)
    context.close()
    return troubles


if __name__ == "__main__":
    sys.exit(main())
