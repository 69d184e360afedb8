"""The hosted course as a visitor meets it: landing page, chapters, a widget alone, addresses, themes, trouble."""

from __future__ import annotations

import base64
import gc
import io
import re
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import panel as pn
import param
import pytest
from playwright.sync_api import Browser, Page, expect

from widgets.kit import transport
from widgets.kit.selection import selection_here
from widgets.kit.widget import Description, Widget
from widgets.lesson import contents
from widgets.page import run
from widgets.page.chapter import ONLY_IN_NOTEBOOKS

from .conftest import Watch
from .settled import assert_becomes, assert_fits

FIXTURES = Path(__file__).parents[1] / "chapters/fixtures"


@pytest.fixture
def fixtures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "FOLDER", FIXTURES)


def variable(page: Page, name: str) -> str:
    return page.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('{name}').trim()")


# the landing page ---------------------------------------------------------------------------------------------


def test_landing_lists_chapters_and_widgets(page: Page, fixtures: None, course: str) -> None:
    page.goto(course)
    expect(page).to_have_title("Understand the Vision Transformer")
    written = page.locator(".vit-chapters a")
    expect(written).to_have_text(["Patchify", "Trouble"])
    expect(page.locator(".vit-chapters li").nth(2)).to_contain_text("12 min")
    expect(page.locator(".vit-chapters li").nth(2)).to_contain_text("How does a picture become a row of numbers?")
    expect(page.locator(".vit-chapters .unwritten")).to_have_count(len(contents.TITLES) - 2)
    page.get_by_role("link", name="Hover a patch").click()
    expect(page.locator("h1")).to_have_text("Hover a patch")


def test_root_leads_to_the_course(page: Page, course: str) -> None:
    page.goto(course.removesuffix("/app"))
    expect(page.locator(".vit-chapters")).to_be_visible()


# a chapter ----------------------------------------------------------------------------------------------------


def test_chapter_shows_text_mathematics_printed_results_and_a_widget(page: Page, fixtures: None, course: str) -> None:
    page.goto(f"{course}?chapter=2")
    expect(page).to_have_title(re.compile("^Patchify"))
    expect(page.locator("pre.printed")).to_have_text(["patches: 196\nrows|of|768", "[0, 1, 4, 9]", "'one'", "2", "17"])
    expect(page.locator("mjx-container")).to_have_count(6)
    assert not page.get_by_text(re.compile(r"\\alpha|\\frac|amp;")).count()
    expect(page.locator("code", has_text="$x$").first).to_be_visible()
    expect(page.locator("pre.source", has_text=r"\(not maths\)")).to_be_visible()
    expect(page.locator(".vit-picture img")).to_be_visible()
    page.locator(".noUi-handle").press("ArrowRight")
    expect(page.get_by_text("P squared = 16")).to_be_visible()


def test_code_is_folded_and_opens_by_keyboard(page: Page, fixtures: None, course: str) -> None:
    page.goto(f"{course}?chapter=02")
    source = page.locator("pre.source", has_text="print('patches:'")
    expect(page.locator("summary").first).to_be_visible()
    expect(source).to_be_hidden()
    page.locator("summary").nth(1).focus()
    page.keyboard.press("Enter")
    expect(source).to_be_visible()
    expect(page.locator("summary").nth(1)).to_have_text(re.compile("Hide code"))


def test_links_lead_from_chapter_to_chapter(page: Page, fixtures: None, course: str) -> None:
    page.goto(f"{course}?chapter=02")
    page.get_by_role("link", name="the next chapter").click()
    expect(page.locator("h1")).to_have_text("Trouble")
    page.get_by_role("link", name=re.compile("02 Patchify")).first.click()
    expect(page.locator("h1")).to_have_text("Patchify")
    page.locator(".vit-home").click()
    expect(page.locator(".vit-chapters")).to_be_visible()


def test_a_failing_cell_is_a_sentence_and_the_rest_goes_on(page: Page, fixtures: None, course: str) -> None:
    page.goto(f"{course}?chapter=03")
    expect(page.locator(".failed")).to_have_text(
        [
            "This cell stopped: 224 is no multiple of 9; 225 is (ValueError). The rest of the page goes on below.",
            "This cell stopped: cannot draw (RuntimeError). The rest of the page goes on below.",
            "This cell stopped: the cell left with 3 (RuntimeError). The rest of the page goes on below.",
        ]
    )
    expect(page.locator("pre.printed")).to_have_text(["before", "after", "slow", "'a string'"])
    assert not page.get_by_text("Traceback").count()


def test_results_come_as_cells_finish_and_the_server_stays_free(
    page: Page, browser: Browser, fixtures: None, course: str
) -> None:
    page.goto(f"{course}?chapter=03")
    expect(page.locator("pre.printed", has_text="after")).to_be_visible()
    expect(page.get_by_role("status").first).to_have_text("Running this step …")  # the slow cell
    other = browser.new_page()
    begun = time.monotonic()
    other.goto(course)
    expect(other.locator(".vit-chapters")).to_be_visible()
    took = time.monotonic() - begun
    other.close()
    expect(page.locator("pre.printed", has_text="slow")).to_be_visible()
    assert took < 5  # the slow cell does not hold the server's loop


def test_process_output_is_left_alone(
    page: Page, fixtures: None, course: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page.goto(f"{course}?chapter=02")
    expect(page.locator("pre.printed").first).to_be_visible()
    assert "patches: 196" not in capsys.readouterr().out


def test_every_written_chapter_runs_here_without_a_failing_cell(page: Page, course: str) -> None:
    for chapter in [c for c in contents.contents() if c.path]:
        page.goto(f"{course}{chapter.address}")
        code = [
            c
            for c in contents.read(chapter.path).cells
            if c.cell_type == "code"
            and ONLY_IN_NOTEBOOKS not in c.metadata.get("tags", [])
            and "Predict(" not in c.source
        ]  # folded until the guess: the answer can be read in it
        expect(page.locator("details.code")).to_have_count(len(code))
        expect(page.locator(".working")).to_have_count(0, timeout=120_000)
        assert page.locator(".failed").all_inner_texts() == []
        expect(page.locator(".part").first).to_be_visible()


def test_visitors_share_nothing_and_leave_nothing(
    browser: Browser, fixtures: None, serve: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from widgets import app

    soon = {"unused_session_lifetime_milliseconds": 5000, "check_unused_sessions_milliseconds": 500}  # not 15 and 17 s
    course = serve({"app": app.page}, **soon) + "/app"
    books: list[weakref.ref[Any]] = []
    make = run.Workbook.__init__

    def remember(self: run.Workbook, name: str) -> None:
        make(self, name)
        books.append(weakref.ref(self))

    monkeypatch.setattr(run.Workbook, "__init__", remember)
    for _ in range(2):
        visitor = browser.new_page()
        visitor.goto(f"{course}?chapter=02")
        expect(visitor.locator("pre.printed", has_text="17")).to_be_visible()
        visitor.close()
    first, second = books[0](), books[1]()
    assert first is None or second is None or first._names is not second._names
    del first, second
    server = next(iter(pn.state._servers.values()))[0]
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (server.get_sessions() or any(b() for b in books)):
        time.sleep(0.5)
        gc.collect()
    assert not server.get_sessions()
    assert len(books) >= 2 and not any(b() for b in books)


# widgets alone, addresses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("chapter=77", "There is no chapter '77' to open; the written ones are: 02, 03."),
        ("chapter=../../etc/passwd", "There is no chapter '../../etc/passwd' to"),
        ("widget=Nothing", "There is no widget 'Nothing'; the course has: ForwardStepper, PatchHover"),
        ("widget=<script>alert(1)</script>", "There is no widget '<script>alert(1)</script>'"),
    ],
)
def test_an_address_that_leads_nowhere_is_a_sentence(
    page: Page, fixtures: None, course: str, query: str, sentence: str
) -> None:
    page.goto(f"{course}?{query}")
    expect(page.get_by_text(sentence)).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="All chapters and widgets").click()
    expect(page.locator(".vit-chapters")).to_be_visible()


def test_a_page_that_cannot_be_built_is_a_sentence(page: Page, course: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("widgets.app.landing_page", lambda: 1 / 0)
    page.goto(course)
    expect(page.get_by_text("Something went wrong on the server")).to_be_visible()


class Counter(Widget):
    """A small widget of the tests."""

    title = "Count"
    summary = "Counts up."
    n = param.Integer(0)

    def describe(self) -> Description:
        return Description(f"The count is {self.n}, token {self.selection.token}.", [("count", str(self.n))])

    def __panel__(self) -> pn.Column:
        return pn.Column(pn.widgets.Button(name="more", on_click=self._more), self.text_twin())

    def _more(self, _: Any) -> None:
        self.n += 1
        self.selection.token += 1


@pytest.fixture
def counter(monkeypatch: pytest.MonkeyPatch) -> None:
    import widgets

    monkeypatch.setitem(widgets.WIDGETS, "Counter", __name__)
    monkeypatch.setitem(widgets._NAMES, "Counter", __name__)


def test_a_widget_alone_with_its_twin_and_its_address(page: Page, counter: None, course: str) -> None:
    page.goto(f"{course}?widget=Counter&token=4&layer=nonsense&picture=nobody&theme=dark")
    expect(page.locator("h1")).to_have_text("Count")
    fold = page.locator("details.twin")
    fold.locator("summary").press("Enter")
    expect(fold).to_contain_text("The count is 0, token 4.")
    page.get_by_role("button", name="more").click()
    expect(fold).to_contain_text("The count is 1, token 5.")
    expect(fold).to_have_attribute("open", "")
    expect(page).to_have_url(re.compile("token=5"))
    assert "widget=Counter" in page.url and "theme=dark" in page.url and "layer=" not in page.url
    page.reload()
    page.locator("details.twin summary").press("Enter")
    expect(page.locator("details.twin")).to_contain_text("The count is 0, token 5.")


def test_what_a_widget_is_set_to_can_be_sent_as_a_link(page: Page, course: str) -> None:
    page.goto(f"{course}?widget=AttentionCalculator&preset=pencil&head=2&scaled=maybe&colour=red")
    expect(page.locator(".vit-notice")).to_have_text(
        [
            "The address asks for scaled “maybe”, which there is not; you see the usual one.",
            re.compile("The address says “colour”, which means nothing on this page. It can say: picture.*, preset"),
        ]
    )
    expect(page.locator("pre.source")).to_contain_text("AttentionCalculator(preset='pencil', head=1)")
    mask = page.get_by_label("Causal mask")
    mask.press("Space")
    expect(page).to_have_url(re.compile("preset=pencil&head=2.*masked=1"))
    page.reload()
    expect(mask).to_be_checked()
    mask.press("Space")
    expect(page).not_to_have_url(re.compile("masked"))


def test_an_error_while_a_widget_is_built_is_a_sentence(
    page: Page, counter: None, course: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counter, "__panel__", lambda self: 1 / 0)
    page.goto(f"{course}?widget=Counter")
    expect(page.locator(".failed")).to_contain_text("division by zero (ZeroDivisionError)")


def test_widgets_of_a_page_share_a_selection_and_pages_do_not(serve: Callable[[Any], str], browser: Browser) -> None:
    seen: list[tuple[Any, Any]] = []

    def app() -> pn.Column:
        seen.append((Counter().selection, selection_here()))
        return pn.Column("ready")

    address = serve(app)
    for _ in range(2):
        visitor = browser.new_page()
        visitor.goto(address)
        expect(visitor.get_by_text("ready")).to_be_visible()
        visitor.close()
    assert seen[0][0] is seen[0][1] and seen[1][0] is seen[1][1] and seen[0][0] is not seen[1][0]


# theme and width ----------------------------------------------------------------------------------------------


def test_theme_is_toggled_and_remembered_and_the_address_wins(page: Page, fixtures: None, course: str) -> None:
    page.goto(course)
    assert_becomes(page, lambda: variable(page, "--vit-paper"), "#FFFFFF")
    page.get_by_role("button", name="Dark theme").click()
    expect(page.get_by_role("button", name="Light theme")).to_be_visible()
    assert_becomes(page, lambda: variable(page, "--vit-paper"), "#15171C")
    page.goto(f"{course}?chapter=02")
    assert_becomes(page, lambda: variable(page, "--vit-paper"), "#15171C")
    expect(page.locator("pre.printed").first).to_have_css("color", "rgb(236, 234, 228)")
    page.goto(f"{course}?theme=light")
    assert_becomes(page, lambda: variable(page, "--vit-paper"), "#FFFFFF")


@pytest.mark.parametrize("colour_scheme", ["dark"])
def test_theme_follows_the_system(page: Page, course: str) -> None:
    page.goto(course)
    assert_becomes(page, lambda: variable(page, "--vit-paper"), "#15171C")


@pytest.mark.parametrize("width", [400])
def test_nothing_scrolls_sideways_on_a_phone(page: Page, fixtures: None, course: str) -> None:
    for query in ("", "?chapter=02", "?chapter=03"):
        page.goto(course + query)
        expect(page.locator("h1")).to_be_visible()
        page.wait_for_timeout(1500)
        assert_fits(page, 400)


def test_a_page_brings_the_modules_of_its_parts_once(page: Page, course: str) -> None:
    page.goto(f"{course}?widget=PatchHover")
    expect(page.locator(".part.picture-grid .layers")).to_be_visible()
    maps = """() => [...Bokeh.documents[0]._all_models.values()].map((m) => m.attributes.importmap?.imports)
        .filter((found) => found !== undefined).length"""
    assert page.evaluate(maps) == 0, "no part sends them again"
    assert "vit/part" in page.locator("script[type=importmap-shim]").inner_text()


# the websocket ------------------------------------------------------------------------------------------------


def upload_app() -> pn.Column:
    transport.tune()
    chooser = pn.widgets.FileInput()
    said = pn.bind(lambda data: f"{len(data or b'')} bytes", chooser)
    return pn.Column(chooser, pn.pane.Str(said))


def test_an_upload_of_20_megabytes_arrives_whole(page: Page, serve: Callable[[Any], str]) -> None:
    page.goto(serve(upload_app))
    size = 20 * 2**20
    page.locator("input[type=file]").set_input_files(
        {"name": "large.png", "mimeType": "image/png", "buffer": io.BytesIO(bytes(size)).getvalue()}
    )
    expect(page.get_by_text(f"{size} bytes")).to_be_visible()
    assert len(base64.b64encode(bytes(size))) < transport.LARGEST_MESSAGE


def test_small_messages_are_not_held_back(
    page: Page, serve: Callable[[Any], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tornado.websocket import WebSocketHandler

    asked: list[bool] = []
    monkeypatch.setattr(WebSocketHandler, "set_nodelay", lambda self, value: asked.append(value))
    page.goto(serve(upload_app))
    expect(page.get_by_text("0 bytes")).to_be_visible()
    assert_becomes(page, lambda: asked, [True])


def test_nothing_is_asked_of_the_watch(watch: Watch) -> None:
    """The watch itself can fail: a request that leaves localhost is trouble."""
    watch._request("https://example.org/a.js")
    watch._request("http://localhost:1/b.js")
    assert watch.unexpected() == ["left localhost: https://example.org/a.js"]
