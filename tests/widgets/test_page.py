"""The pages without a browser: running cells, Markdown, the widget base, the contents, and what a failure says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from importlib import import_module
from io import BytesIO
from pathlib import Path

import numpy as np
import panel as pn
import param
import pytest
from matplotlib.figure import Figure
from PIL import Image

from widgets import WIDGETS, app
from widgets.kit import prose
from widgets.kit.selection import Selection, selection_here
from widgets.kit.widget import Description, Widget, png_of
from widgets.lesson import contents
from widgets.page import address, results
from widgets.page.output import say
from widgets.page.workbook import Shown, Workbook

# cells --------------------------------------------------------------------------------------------------------


def test_a_cell_keeps_the_order_of_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    shown, error = Workbook("t").run(1, "print('a', 1, sep='-', end='!')\nprint()\ndisplay(2, 'b')\nprint('c')\n3")
    assert error is None
    assert shown == [Shown("a-1!\n", True), Shown(2), Shown("b"), Shown("c\n", True), Shown(3)]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("source", ["3;", "x = 3", "None", "def f():\n    return 1"])
def test_a_cell_that_ends_on_nothing_shows_nothing(source: str) -> None:
    assert Workbook("t").run(1, source) == ([], None)


def test_names_stay_with_their_visitor() -> None:
    mine, yours = Workbook("t"), Workbook("t")
    mine.run(1, "secret = 1\ndef twice():\n    return 2 * secret")
    assert mine.run(2, "twice()")[0] == [Shown(2)]
    assert isinstance(yours.run(1, "secret")[1], NameError)


def test_two_threads_do_not_mix_what_they_say() -> None:
    together = threading.Barrier(2)
    heard: dict[str, list[Shown]] = {}

    def visit(name: str) -> None:
        book = Workbook(name)
        book.run(1, "from widgets.page.output import say")
        together.wait()
        heard[name] = book.run(2, f"for _ in range(200):\n    say('{name}')\n    print('{name}')")[0]

    threads = [threading.Thread(target=visit, args=[name]) for name in "ab"]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert heard == {name: [Shown(f"{name}\n" * 400, True)] for name in "ab"}


def test_say_prints_where_no_page_listens(capsys: pytest.CaptureFixture[str]) -> None:
    say("one", 2, sep="-")
    assert capsys.readouterr().out == "one-2\n"


def test_a_failing_cell_keeps_what_it_showed_before() -> None:
    shown, error = Workbook("t").run(1, "print('before')\n1 / 0")
    assert shown == [Shown("before\n", True)] and isinstance(error, ZeroDivisionError)


def test_a_syntax_error_is_that_cell_s_trouble() -> None:
    error = Workbook("t").run(1, "x = (1,\ny")[1]
    assert isinstance(error, SyntaxError) and "t, cell 1" in str(error)


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("%matplotlib inline", "line 1, `%matplotlib inline`"),
        ("%%time\nx = 1", "line 1, `%%time`"),
        ("x = 1\n!ls data", "line 2, `!ls data`"),
        ("files = !ls", "line 1, `files = !ls`"),
        ("took = %timeit -o f()", "line 1"),
        ("print?", "line 1, `print?`"),
        ("?print", "line 1"),
        ("if True:\n    %time f()", "line 2, `%time f()`"),
        ("get_ipython().run_line_magic('time', '1')", "`get_ipython()`"),
    ],
)
def test_what_only_jupyter_does_is_said_so_with_the_way_out(source: str, named: str) -> None:
    shown, error = Workbook("t").run(1, source)
    said = results.sentence_of(error)
    assert shown == [] and named in said and "hosted page runs Python alone" in said and "tag `notebook`" in said
    assert "SyntaxError" not in said and "NameError" not in said


@pytest.mark.parametrize("source", ["x = 7 % 3 !", "y = 1 if", "print('%d' % )"])
def test_python_that_is_wrong_is_not_taken_for_a_command_of_jupyter(source: str) -> None:
    assert isinstance(Workbook("t").run(1, source)[1], SyntaxError)


def test_a_cell_may_await_as_in_a_notebook() -> None:
    book = Workbook("t")
    assert (
        book.run(
            1, "import asyncio\nasync def later(x):\n    await asyncio.sleep(0)\n    print('slept')\n    return x"
        )[1]
        is None
    )
    assert book.run(2, "a = await later(1)\nawait later(a + 1)") == ([Shown("slept\nslept\n", True), Shown(2)], None)
    assert isinstance(book.run(3, "await later(1 / 0)")[1], ZeroDivisionError)
    assert book.run(4, "a + 2") == ([Shown(3)], None)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("no file /srv/course/data/cat.png here", "no file cat.png here"),
        (r"no file C:\Users\ada\data\cat.png", "no file cat.png"),
        ("P must divide 224/16", "P must divide 224/16"),
        ("first.\nsecond", "first"),
        ("", "no reason given"),
    ],
)
def test_a_sentence_about_an_error_names_no_folder(message: str, said: str) -> None:
    expected = f"This cell stopped: {said} (ValueError). The rest of the page goes on below."
    assert results.sentence_of(ValueError(message)) == expected


def test_start_on_a_page_leaves_the_server_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the visitor has left before the cell ran, and no session stands around it any more."""
    monkeypatch.delenv("PANEL_INLINE", raising=False)
    assert Workbook("t").run(1, "from widgets import start\n\nstart()") == ([], None)
    assert "PANEL_INLINE" not in os.environ
    assert selection_here() is not selection_here()


# Markdown -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (r"$\alpha < \xi$", r"<p><span>\(\alpha < \xi\)</span></p>"),
        ("$x_p^1 E; *x*_p$", r"<p><span>\(x_p^1 E; *x*_p\)</span></p>"),
        ("$$\n\\frac{a}{b} & c\n$$", r"<p>\[\frac{a}{b} & c\]</p>"),
        ("costs $5 and $6", "<p>costs $5 and $6</p>"),
        ("`$x$`", "<p><code>$x$</code></p>"),
        (r"`\(x\) $$y$$`", r"<p><code>\&#40;x\) &#36;&#36;y&#36;&#36;</code></p>"),
        ("[on](04_class_token.ipynb)", '<p><a href="?chapter=04">on</a></p>'),
        ("[on](https://example.org/04_x.ipynb)", '<p><a href="https://example.org/04_x.ipynb">on</a></p>'),
    ],
)
def test_markdown_keeps_mathematics_and_code(text: str, html: str) -> None:
    spoken = re.compile(' role="math" aria-label="[^"]*"')  # the source, for a screen reader
    assert spoken.sub("", prose.html_of(text)).strip() == html


def test_printed_text_is_never_html() -> None:
    assert "<b>" not in prose.printed("<b>").object and "&lt;b&gt;" in prose.printed("<b>").object


# the base of widgets ------------------------------------------------------------------------------------------


class Pairs(Widget):
    title, summary = "Pairs", "Two numbers."
    n = param.Integer(1)

    def describe(self) -> Description:
        return Description(f"{self.n} and {self.selection.token}", [("n", str(self.n))])

    def still(self) -> Figure:
        figure = Figure(figsize=(10, 5), dpi=100)
        figure.subplots().imshow(np.random.default_rng(0).random((60, 90, 3)))
        return figure

    def __panel__(self) -> pn.Column:
        return pn.Column(self.text_twin())


def test_stills_are_small_and_come_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIT_COURSE_STILLS", "1")
    bundle = Pairs()._repr_mimebundle_()
    assert sorted(bundle) == ["image/png", "text/plain"] and bundle["text/plain"] == "1 and 0"
    picture = Image.open(BytesIO(bundle["image/png"]))
    assert (picture.mode, picture.width) == ("P", 640) and len(bundle["image/png"]) <= 60_000
    assert png_of(Pairs().still()) == bundle["image/png"]


def test_the_twin_follows_widget_and_selection() -> None:
    widget = Pairs(selection=Selection(token=7))
    twin = widget.text_twin()
    assert twin.sentence == "1 and 7"
    widget.n, widget.selection.token = 3, 8
    assert (twin.sentence, twin.rows) == ("3 and 8", [["n", "3"]])


def test_without_a_page_each_widget_has_its_own_selection() -> None:
    assert Pairs().selection is not Pairs().selection is not selection_here()


# addresses and contents ---------------------------------------------------------------------------------------


def test_the_address_sets_what_is_valid_and_leaves_the_rest() -> None:
    selection = Selection()
    address.read_selection(
        selection,
        {
            "token": [b"12"],
            "layer": [b"-3"],
            "head": ["٣".encode()],
            "picture": [b"\xff"],
            "step": [b"99999999999"],
            "upload": [b"x"],
        },
    )
    assert selection.state() == Selection().state() | {"token": 12}


def test_the_address_names_what_differs_and_never_an_upload() -> None:
    selection = Selection()
    kept = address.mirror(selection)
    selection.param.update(token=5, picture="yours")
    assert {k: v for k, v in kept.query.items() if v} == {"token": "5"}


def test_layers_heads_and_steps_count_from_one_in_the_address_as_on_the_screen() -> None:
    selection = Selection()
    (sentence,) = address.read_selection(selection, {"layer": [b"4"], "step": [b"1"], "head": [b"0"], "token": [b"0"]})
    assert (selection.layer, selection.step, selection.head, selection.token) == (3, 0, 0, 0) and "head “0”" in sentence
    selection.head = 1
    assert {k: v for k, v in address.mirror(selection).query.items() if v} == {"layer": "4", "head": "2"}


@pytest.mark.parametrize("name", WIDGETS)
def test_what_a_widget_is_set_to_stands_in_its_address_and_comes_back(name: str) -> None:
    kind = getattr(import_module(WIDGETS[name]), name)
    for own in address.linkable_parameters(kind):
        one = kind.param[own]
        choices = (
            (False, True)
            if isinstance(one, param.Boolean)
            else one.bounds
            if isinstance(one, param.Integer)
            else one.objects
        )
        for value in choices:
            arguments = {own: [address._written(own, value).encode()]}
            assert (
                address.parse_widget_arguments(kind, arguments) == ({own: value}, [])
                and address.unknown_names(arguments, kind) == []
            )


def test_a_widgets_address_follows_it_and_refuses_what_there_is_not() -> None:
    from widgets import AttentionCalculator

    kept, widget = address.Address(), AttentionCalculator(selection=Selection(), preset="pencil", head=1)
    kept.follow(widget)
    assert {k: v for k, v in kept.query.items() if v} == {"preset": "pencil", "head": "2"}
    widget.param.update(preset="small", masked=True)
    assert {k: v for k, v in kept.query.items() if v}["masked"] == "1" and kept.query["preset"] == ""
    found, refused = address.parse_widget_arguments(
        AttentionCalculator, {"preset": [b"ink"], "masked": [b"1"], "scaled": [b"0"], "head": [b"3"]}
    )
    assert address.parse_widget_arguments(AttentionCalculator, {"head": [b"1,5"]})[1], (
        "a comma groups nothing in an address"
    )
    assert found == {"masked": True, "scaled": False} and refused == [
        f"The address asks for {what}, which there is not; you see the usual one."
        for what in ("preset “ink”", "head “3”")
    ]


def test_a_name_that_means_nothing_in_an_address_is_said() -> None:
    assert (
        address.unknown_names({"chapter": [b"02"], "theme": [b"dark"], "layer": [b"2"], "bokeh-session-id": [b"x"]})
        == []
    )
    (sentence,) = address.unknown_names({"chapter": [b"02"], "preset": [b"pencil"]})
    assert sentence.startswith(
        "The address says “preset”, which means nothing on this page. It can say: picture, model,"
    )


def test_a_setting_of_the_address_is_taken_or_answered_with_the_reason() -> None:
    selection = Selection()
    assert (
        address.read_selection(selection, {"setting": [b"B/16,image_size=384~L/32"]}) == []
        and selection.setting == "B/16,image_size=384~L/32"
    )
    assert address.mirror(selection).query["setting"] == "B/16,image_size=384~L/32"
    fresh = Selection()
    (sentence,) = address.read_selection(fresh, {"setting": [b"B/16,hidden_size=770"]})
    assert fresh.setting == "" and "multiple of the 12 heads, and 770 is not. You see the usual one." in sentence
    assert len(address.read_selection(fresh, {"setting": [b"\xff" * 9000]})) == 1 and fresh.setting == ""


def test_contents_are_read_from_the_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "FOLDER", Path(__file__).parents[1] / "chapters/fixtures")
    found = contents.chapter("2")
    assert found and (found.title, found.minutes, found.address) == ("Patchify", 12, "?chapter=02")
    assert found.question == "How does a picture become a row of numbers?"
    assert contents.chapter("04") is None and contents.contents()[4].title == "Class token and positions"
    assert [c and c.number for c in contents.neighbours("02")] == [None, "03"]


def test_what_a_card_says_is_what_the_class_says() -> None:
    for name, module in WIDGETS.items():
        widget = getattr(import_module(module), name)
        assert widget.title and widget.summary
        assert contents.words_of(name, module) == (widget.title, widget.summary)


def test_a_taken_port_is_said_and_another_taken(capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        other = app.free_port(port)
    assert other != port
    assert capsys.readouterr().out == (
        f"Port {port} is taken by another program, so the course opens on port {other}.\n"
    )
    assert app.free_port(other) == other


def test_importing_the_course_loads_nothing_heavy() -> None:
    code = (
        "import sys, widgets; print([m for m in ('torch', 'transformers', 'matplotlib', 'holoviews', 'nbformat', "
        "'yaml') if m in sys.modules and m not in before])"
    )
    before = "import sys, panel; before = set(sys.modules); "
    done = subprocess.run([sys.executable, "-c", before + code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_token_keeps_its_spot_on_another_grid_of_patches() -> None:
    selection = Selection()
    selection.choose(1 + 7 * 14 + 10, (14, 14))
    assert selection.token_on((16, 16)) == 1 + 8 * 16 + 12 and selection.token_on((14, 14)) == selection.token
    selection.choose(1 + 8 * 16 + 12, (16, 16))  # the echo of a widget on the other grid
    assert (selection.token, selection.grid) == (1 + 7 * 14 + 10, (14, 14))
    selection.token = 5  # by a widget that knows of one grid
    assert selection.grid == (0, 0) and selection.token_on((16, 16)) == 5


def test_a_patch_is_carried_from_grid_to_grid_and_comes_back_to_itself() -> None:
    for n in range(16 * 24):
        selection = Selection(token=1 + n)
        for before, after in (((16, 24), (14, 14)), ((14, 14), (7, 7)), ((7, 7), (16, 24))):
            selection.carry(before, after)
            row, column = divmod(selection.token - 1, after[1])
            assert row == int((n // 24 + 0.5) / 16 * after[0]) and column == int((n % 24 + 0.5) / 24 * after[1])
        assert selection.token == 1 + n, "the spot that was chosen, not the middle of the patch it fell in"
    selection = Selection(token=1 + 24)
    selection.carry((16, 24), (7, 7))
    selection.token = 1 + 8  # another choice, on the grid that is drawn now: row 1, column 1 of 7
    selection.carry((7, 7), (14, 14))
    assert selection.token == 1 + 3 * 14 + 3


def test_tokens_before_the_patches_stay_or_become_the_class_token() -> None:
    for token, prefixes, wanted in ((0, (1, 1), 0), (3, (5, 5), 3), (3, (5, 1), 0), (0, (5, 1), 0)):
        selection = Selection(token=token)
        selection.carry((14, 14), (16, 16), prefixes)
        assert selection.token == wanted
    selection = Selection(token=5 + 17)  # patch 17 behind a class token and four registers
    selection.carry((14, 14), (14, 14), (5, 1))
    assert (selection.token, selection.grid) == (1 + 17, (14, 14))
    selection = Selection(token=10**6)
    selection.carry((14, 14), (16, 16))
    assert selection.token == 256, "an address that asks for more gets the last there is"


def test_two_widgets_with_patches_of_two_sizes_mark_one_spot() -> None:
    from widgets import EmbeddingBasis, FilterBank

    selection = Selection()
    basis, bank = EmbeddingBasis(selection=selection), FilterBank(selection=selection)
    basis._parts["grid"].selected = 1 + 7 * 14 + 10
    assert bank._parts["map"].selected == 1 + 8 * 16 + 12
    bank._parts["map"].selected = 1
    assert basis._parts["grid"].selected == 1 and basis._parts["table"].selected == 1


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (" k  D_h  parameters\n 1  768   2,362,368\nall lines hold: True", ["row", "row", "line"]),
        ("one  row of columns alone", ["line"]),
        (f"a{'  b' * 30}\nc{'  d' * 30}", ["line", "line"]),
    ],
)
def test_only_a_printed_table_that_fits_a_telephone_keeps_its_lines(text: str, kinds: list[str]) -> None:
    html = prose.printed(text).object
    assert re.findall(r'<span class="(\w+)">', html) == kinds
    assert re.sub(r"<[^>]*>", "", html) == f"{text}\n"
