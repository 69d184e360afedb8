"""`make look`: screenshots of every page and widget, light and dark, 1280 and 400 px wide, into look/.

`python -m tests.browser.look chapter-05 widget-BreakIt` takes those alone. Open them and look: is a label cut, a scale
missing, a colour unreadable, a number unexplained?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import panel as pn
from playwright.sync_api import Browser, Error, sync_playwright

from tests.browser import chromium
from tests.browser.served import address_of
from tests.browser.settled import settled
from widgets import WIDGETS, app
from widgets.lesson import contents

FOLDER = Path(__file__).resolve().parents[2] / "look"
THEMES, WIDTHS = ("light", "dark"), (1280, 400)
PATIENCE = 180_000  # milliseconds: the gallery, with every part on one page, took 50 s to photograph on a busy machine
READY = """() => {   // every cell has run: no part of the page is still waiting
  const texts = (root) => [...root.querySelectorAll('*')].some((e) => (e.shadowRoot && texts(e.shadowRoot)) ||
    (e.children.length === 0 && /Running this step/.test(e.textContent)))
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


def main(wanted: list[str]) -> int:
    """Take every picture, or those of the named pages; returns the exit status (1 when anything went wrong)."""
    asked = {name: query for name, query in pages() if not wanted or name in wanted}
    if unknown := sorted(set(wanted) - set(asked)):
        print(f"There is no page {unknown[0]!r}; there are {', '.join(name for name, _ in pages())}.", file=sys.stderr)
        return 1
    FOLDER.mkdir(exist_ok=True)
    pn.serve({"app": app.page}, port=0, threaded=True, show=False, verbose=False)
    troubles: list[str] = []
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.ARGUMENTS)
            for name, query in asked.items():
                for theme in THEMES:
                    troubles += photograph(browser, f"{address_of()}/app{query}", f"{name}-{theme}", theme)
            browser.close()
    finally:
        pn.state.kill_all_servers()
    print("\n".join(troubles) or f"{len(list(FOLDER.glob('*.png')))} pictures in {FOLDER.name}/, no errors.")
    return 1 if troubles else 0


def photograph(browser: Browser, address: str, name: str, theme: str) -> list[str]:
    """Write look/<name>-<width>.png for each width, from one load; returns what went wrong, and goes on after it."""
    context = browser.new_context(viewport={"width": WIDTHS[0], "height": 900}, color_scheme=theme)
    context.set_default_timeout(PATIENCE)
    page, troubles = context.new_page(), []
    page.on("pageerror", lambda error: troubles.append(f"{name}: {error}"))
    page.on("console", lambda message: troubles.append(f"{name}: {message.text}") if message.type == "error" else None)
    try:
        page.goto(address)
        page.wait_for_selector("[data-root-id] > *", state="attached")  # until Panel draws, nothing says that it waits
        page.wait_for_function(READY)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wide = settled(page).evaluate("document.documentElement.scrollWidth")
            if wide > width:
                troubles.append(f"{name}-{width}: scrolls sideways, {wide} px wide")
            page.screenshot(path=FOLDER / f"{name}-{width}.png", full_page=True)
    except Error as error:  # one page that fails is said; the others are still worth a look
        troubles.append(f"{name}: {str(error).splitlines()[0]}")
    context.close()
    return troubles


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
