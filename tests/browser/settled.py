"""What is read of a page once only, size or colour, is read when its stylesheets have come and nothing moves any
more."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, cast

from playwright.sync_api import FloatRect, Locator, Page, expect

SECONDS = 20
INK = {"light": "rgb(27, 29, 34)", "dark": "rgb(236, 234, 228)"}

# Components bring their stylesheets as links in shadow roots: a browser shows the text before they have come.
AT_REST = """() => {
    const links = root => [...root.querySelectorAll('*')].reduce((late,
      e) => late + (e.shadowRoot ? links(e.shadowRoot) : 0)
        + (e.localName === 'link' && e.rel === 'stylesheet' && !e.sheet), 0)
    const page = document.documentElement, now = [links(document), page.scrollWidth, page.scrollHeight].join()
    const rest = window.vitAtRest ??= { seen: '', frames: 0 }
    rest.frames = now === rest.seen && now.startsWith('0,') ? rest.frames + 1 : 0
    rest.seen = now
    return rest.frames >= 5 }"""


def settled(page: Page) -> Page:
    """The page, once every stylesheet has come and its size has stayed the same for five frames."""
    page.evaluate("window.vitAtRest = undefined")
    page.wait_for_function(AT_REST)
    return page


def box_of(shown: Locator) -> FloatRect:
    """Where it lies on the settled page, in CSS px."""
    settled(shown.page)
    box = shown.bounding_box()
    assert box, f"{shown} is not to be seen"
    return box


def read_canvas(canvas: Locator, script: str, argument: Any = None) -> Any:
    """What `script` reads of its pixels, once everything that waits for a frame has been drawn."""
    canvas.page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    return canvas.evaluate(script, argument)


def assert_soon(page: Page, holds: Callable[[], bool], what: str) -> None:
    """Something that Python only learns of, and no text on the page tells, comes true within SECONDS."""
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, f"after {SECONDS} s it is still not so that {what}"
        page.wait_for_timeout(20)


def assert_becomes(page: Page, read: Callable[[], Any], wanted: Any) -> None:
    """What is read of the page, or of Python, is what is wanted within SECONDS: parts and Python hear one by one."""
    end = time.monotonic() + SECONDS
    while (found := read()) != wanted:
        assert time.monotonic() < end, f"after {SECONDS} s it is {found!r}, not {wanted!r}"
        page.wait_for_timeout(20)


def each_look(page: Page, *looks: tuple[str, int]) -> Iterator[tuple[str, int]]:
    """Every (colour scheme, width in px) in turn, of one load: the theme is taken and nothing moves any more."""
    for colour_scheme, width in looks:
        page.emulate_media(color_scheme=cast(Any, colour_scheme))
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("theme => document.documentElement.dataset.vitTheme === theme", arg=colour_scheme)
        settled(page)
        yield colour_scheme, width


def assert_fits(page: Page, width: int) -> None:
    """The settled page does not scroll sideways."""
    wide = settled(page).evaluate("document.documentElement.scrollWidth")
    assert wide <= width, f"{page.url} is {wide} px wide, {width} px are there"


def assert_ink(text: Locator, colour_scheme: str) -> None:
    """The text has the ink of the theme, light or dark."""
    expect(text).to_have_css("color", INK[colour_scheme])
