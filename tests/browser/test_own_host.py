"""Nothing of a page comes from another host, however its session came to be."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import panel as pn
import pytest
from bokeh.client import pull_session
from bokeh.models import ImportedStyleSheet
from playwright.sync_api import Page, WebSocketRoute, expect

from .settled import assert_soon

PAGES = ({}, {"chapter": "02"}, {"widget": "AttentionCalculator"}, {"gallery": "1"})
FETCHED = re.compile(
    r"<(?:link|script|img|iframe|source)\b[^>]*(?:href|src)=[\"']?((?:https?:)?//[^\"'\s>]+)|@import[^;]*//|url\([\"']?https?:"
)


def stylesheets(address: str, arguments: dict[str, str]) -> set[str]:
    """Those of a session that is made when its websocket opens: no page was asked for before.

    Pulled in a thread of its own, since Playwright's loop runs in the one of the tests.
    """

    def pull() -> set[str]:
        session = pull_session(url=address, arguments=arguments)
        found = {sheet.url for root in session.document.roots for sheet in root.select({"type": ImportedStyleSheet})}
        session.close()
        return found

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(pull).result()


@pytest.mark.parametrize("asked", PAGES, ids=str)
def test_a_session_made_by_its_websocket_has_its_own_stylesheets(course: str, asked: dict[str, str]) -> None:
    sheets = stylesheets(course, asked)
    assert sheets and not [sheet for sheet in sheets if "//" in sheet]


def test_a_widget_on_a_page_of_its_readers_own_too(serve: Callable[..., str]) -> None:
    from widgets import AttentionCalculator

    sheets = stylesheets(serve({"deep/down": lambda: pn.Column(AttentionCalculator())}) + "/deep/down", {})
    assert sheets and not [sheet for sheet in sheets if "//" in sheet]
    assert any(sheet.startswith("../static/extensions/panel/") for sheet in sheets)


def test_a_page_that_comes_back_after_its_session_was_forgotten(page: Page, serve: Callable[..., str]) -> None:
    """What a loaded machine does: the websocket opens when the server has given the session up."""
    from widgets import app

    address = serve({"app": app.page}, unused_session_lifetime_milliseconds=1, check_unused_sessions_milliseconds=50)
    server = next(iter(pn.state._servers.values()))[0]

    def late(socket: WebSocketRoute) -> None:
        assert_soon(page, lambda: not server.get_sessions(), "the server has forgotten the session")
        socket.connect_to_server()

    page.route_web_socket(re.compile("/app/ws"), late)
    page.goto(f"{address}/app?widget=AttentionCalculator")
    expect(page.locator(".part").first).to_be_visible()
    sheets = page.evaluate(
        "performance.getEntriesByType('resource').map(entry => entry.name).filter(name => name.includes('.css'))"
    )
    assert any("listpanel.css" in sheet for sheet in sheets)  # `page` fails on what left its host


@pytest.mark.parametrize(
    "where",
    [
        "",
        "?chapter=02",
        "?chapter=77",
        "?widget=AttentionCalculator",
        "?widget=Nothing",
        "/autoload.js?bokeh-autoload-element=x",
        "/nothing",
        "/ws",
        "/autoload.js",
    ],
)
def test_what_a_page_or_an_error_names_is_here(course: str, where: str) -> None:
    try:
        with urllib.request.urlopen(course + where) as answer:
            text = answer.read().decode()
    except urllib.error.HTTPError as error:
        text = error.read().decode()
    assert text and not FETCHED.findall(text)


def test_what_names_another_host_is_found() -> None:
    assert FETCHED.findall('<link rel="stylesheet" href="https://cdn.holoviz.org/a.css">') == [
        "https://cdn.holoviz.org/a.css"
    ]
    assert FETCHED.search("@import url(//fonts.googleapis.com/css)") and not FETCHED.search(
        '<a href="https://arxiv.org/abs/2010.11929">'
    )
