"""Serve in a thread, drive with Chromium, and fail on any console error, page error or request that leaves."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import panel as pn
import pytest
from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

from . import chromium
from .served import address_of

HERE = ("localhost", "127.0.0.1")
WAIT = 30_000  # milliseconds; a first page imports torch and loads a model

expect.set_options(timeout=20_000)  # the default of 5 s is short on two busy cores


@dataclass
class Watch:
    """What a page must not do. A test that provokes an error on purpose adds its text to `expected`."""

    troubles: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    is_over: bool = False

    def on(self, page: Page) -> None:
        page.on("pageerror", lambda error: self._add(f"page error: {error}"))
        page.on("console", self._console)
        page.on("request", lambda request: self._request(request.url))
        page.on("websocket", lambda socket: self._request(socket.url))

    def end(self, page: Page) -> None:
        """Hear what the page has said up to now, and no more: a page that is closed while it loads complains of
        that."""
        with contextlib.suppress(Error):  # a page that is gone says no more
            page.wait_for_function("true")  # answered after everything that was said before
        self.is_over = True

    def unexpected(self) -> list[str]:
        return [t for t in self.troubles if not any(e in t for e in self.expected)]

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self._add(f"console: {message.text} ({message.location.get('url', '')})")

    def _request(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in HERE:
            self._add(f"left localhost: {url}")

    def _add(self, trouble: str) -> None:
        if not self.is_over:
            self.troubles.append(trouble)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def width() -> int:
    """Pixels; a test may override it with `parametrize`."""
    return 1280


@pytest.fixture
def colour_scheme() -> str:
    """What the system asks for: "light" or "dark"; a test may override it with `parametrize`."""
    return "light"


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def page(browser: Browser, serve: Callable[[Any], str], watch: Watch, width: int, colour_scheme: str) -> Iterator[Page]:
    """A page that is closed before the servers are, so that it never sees one go."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=colour_scheme)
    context.set_default_timeout(WAIT)
    opened = context.new_page()
    watch.on(opened)
    yield opened
    watch.end(opened)
    context.close()
    assert not watch.unexpected(), watch.unexpected()


@pytest.fixture
def serve() -> Iterator[Callable[[Any], str]]:
    """`serve(app)` gives the address of the server's root; `app` is what `pn.serve` takes."""

    def start(app: Any, **options: Any) -> str:
        pn.serve(app, port=0, threaded=True, show=False, **options)
        return address_of()

    yield start
    pn.state.kill_all_servers()
    pn.state.cache.clear()


@pytest.fixture
def course(serve: Callable[[Any], str]) -> str:
    """Address of the hosted course."""
    from widgets import app

    return serve({"app": app.page}) + "/app"


@pytest.fixture(autouse=True)
def no_server_left() -> Iterator[None]:
    yield
    pn.state.kill_all_servers()
