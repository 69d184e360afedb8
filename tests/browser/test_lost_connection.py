"""A page whose server has gone says so, and one click gives the same view when it is back."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import panel as pn
import pytest
from playwright.sync_api import Page, expect

from .conftest import Watch
from .jupyter import free_port

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 90
BAR = ".vit-lost"


@contextmanager
def served(port: int) -> Iterator[str]:
    """The course as a host serves it, in a process of its own; killed at the end."""
    command = [
        sys.executable,
        "-m",
        "panel",
        "serve",
        str(ROOT / "widgets/app.py"),
        "--port",
        str(port),
        "--address",
        "localhost",
    ]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://localhost:{port}/app"
    try:
        end = time.monotonic() + SECONDS
        while True:
            try:
                urllib.request.urlopen(address, timeout=SECONDS).close()
                break
            except OSError:
                assert server.poll() is None and time.monotonic() < end, "the server did not start"
                time.sleep(0.2)
        yield address
    finally:
        server.kill()
        server.wait()


def test_a_server_that_stops_and_begins_again(page: Page, watch: Watch) -> None:
    watch.expected += [
        "Failed to load resource: net::ERR_",
        "WebSocket",
        "websocket",
    ]  # what a server that is killed leaves half said
    port = free_port()
    with served(port) as address:
        page.goto(f"{address}?widget=AttentionCalculator&preset=pencil")
        mask = page.get_by_label("Causal mask")
        mask.press("Space")
        expect(page).to_have_url(re.compile("masked=1"))
        expect(page.locator(BAR)).to_be_hidden()
    expect(page.locator(BAR)).to_contain_text(
        "The connection to the server is lost: nothing here is answered any more."
    )
    again = page.get_by_role("button", name="Open this view again")
    expect(again).to_be_hidden()  # there is nothing to open yet
    with served(port):
        again.click(timeout=SECONDS * 1000)
        expect(page.locator(BAR)).to_be_hidden()
        expect(page.get_by_label("Causal mask")).to_be_checked()
        assert "preset=pencil" in page.url and "masked=1" in page.url
        page.get_by_label("Causal mask").press("Space")  # and it answers
        expect(page).not_to_have_url(re.compile("masked"))


def test_a_session_that_was_forgotten_while_the_machine_slept(page: Page, course: str) -> None:
    """No socket closes here: the page learns it when it looks, as it does after sleep."""
    page.clock.install()
    with page.expect_response(re.compile("/app/ws$")) as answer:
        page.goto(f"{course}?widget=AttentionCalculator")
        expect(page.get_by_label("Causal mask")).to_be_visible()
    assert answer.value.json() == {"here": True}
    context = next(iter(pn.state._servers.values()))[0]._tornado._applications["/app"]
    context._sessions.clear()
    page.clock.fast_forward(600_000)
    expect(page.locator(BAR)).to_contain_text("The server no longer knows this page")
    expect(page.get_by_role("button", name="Open this view again")).to_be_visible()


def test_asking_makes_no_session_and_other_requests_are_as_before(course: str) -> None:
    asked = urllib.request.Request(f"{course}/ws", headers={"Vit-Session": "nobody"})
    urllib.request.urlopen(course).close()  # the course is loaded with its first page
    server = next(iter(pn.state._servers.values()))[0]
    before = len(server.get_sessions())
    with urllib.request.urlopen(asked) as answer:
        assert answer.read() == b'{"here": false}'
    assert len(server.get_sessions()) == before
    with pytest.raises(urllib.error.HTTPError, match="400"):
        urllib.request.urlopen(f"{course}/ws")


def test_a_page_that_is_only_loaded_again_says_nothing(page: Page, course: str) -> None:
    page.goto(course)
    expect(page.locator(".vit-chapters")).to_be_visible()
    page.reload()
    expect(page.locator(BAR)).to_be_hidden()
