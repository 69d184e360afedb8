"""Pieces of a picture file arrive, are acknowledged and handed on; whatever goes wrong is a sentence, and no log quotes
it."""

from __future__ import annotations

import base64
import logging
import time
from collections.abc import Callable
from typing import Any

import pytest

from widgets.common.failure import FAILED
from widgets.kit.picture_choice import PictureChoice
from widgets.kit.selection import Selection
from widgets.parts import PictureUpload, arriving
from widgets.parts.picture_upload import STOPPED

NAME, SECRET = "my-holiday.png", b"the reader's own pixels"


pytestmark = pytest.mark.usefixtures("failures")  # files that break a reader are logged, and here that is meant


def made(
    monkeypatch: pytest.MonkeyPatch, on_file: Callable[[bytes, str], None], **params: Any
) -> tuple[PictureUpload, list[dict[str, Any]]]:
    """The part, and what it answers to the browser."""
    part, said = PictureUpload(on_file, **params), []
    monkeypatch.setattr(part, "_send_msg", said.append)
    return part, said


def piece(number: int, data: bytes, last: bool = False, upload: str = "a") -> dict[str, Any]:
    return {"upload": upload, "piece": number, "last": last, "name": NAME, "data": base64.b64encode(data).decode()}


def test_each_piece_is_acknowledged_and_the_file_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    files = []
    part, said = made(monkeypatch, lambda data, name: files.append((data, name)))
    part._handle_msg(piece(0, b"ab"))
    part._handle_msg(piece(0, b"x", upload="b"))  # another copy of the widget, at the same time
    part._handle_msg(piece(1, b"cd"))
    assert said == [{"upload": "a", "received": 0}, {"upload": "b", "received": 0}, {"upload": "a", "received": 1}]
    part._handle_msg(piece(2, b"e", last=True))
    part._handle_msg(piece(1, b"y", last=True, upload="b"))
    assert files == [(b"abcde", NAME), (b"xy", NAME)] and not len(part._arriving)
    assert said[3:5] == [{"upload": "a", "received": 2}, {"upload": "a", "over": True}]


@pytest.mark.parametrize(
    "trouble", [ZeroDivisionError, KeyError, IndexError, OverflowError, MemoryError, RecursionError, OSError]
)
def test_whatever_raises_is_answered_and_no_log_quotes_the_file(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, trouble: type[Exception]
) -> None:
    def fail(data: bytes, name: str) -> None:
        try:
            raise ValueError(data, name)
        except ValueError as error:
            raise trouble(data, name) from error

    part, said = made(monkeypatch, fail)
    part._handle_msg(piece(0, SECRET, last=True))
    assert (part.status, part.message) == ("refused", FAILED) and said[-1] == {"upload": "a", "over": True}
    assert trouble.__name__ in caplog.text and " fail" in caplog.text
    for secret in (SECRET.decode(), NAME, base64.b64encode(SECRET).decode()):
        assert secret not in caplog.text


def test_a_failing_reader_leaves_the_picture_before(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("widgets.kit.picture_choice.decode", lambda data, name: 1 / 0)
    selection = Selection()
    PictureChoice(selection=selection)._upload._handle_msg(piece(0, SECRET, last=True))
    assert selection.picture == "cat" and selection.upload is None and "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize(
    "message",
    [
        None,
        "text",
        {},
        {"upload": []},
        piece(0, b"") | {"upload": []},
        piece(0, b"") | {"data": SECRET.decode() + "a"},
        {"upload": "a", "piece": 0, "data": "", "last": True},
    ],
)
def test_a_message_that_is_none_is_answered(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, message: Any
) -> None:
    part, said = made(monkeypatch, lambda data, name: pytest.fail("handed on"))
    part._handle_msg(message)
    assert part.status == "refused" and said[-1]["over"] and SECRET.decode() not in caplog.text


def test_a_file_over_the_limit_or_with_a_hole_is_dropped(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    part, said = made(monkeypatch, lambda data, name: pytest.fail("handed on"), max_bytes=2_000_000)
    part._handle_msg(piece(0, bytes(1_500_000)))
    part._handle_msg(piece(1, bytes(500_001), last=True))
    assert part.message == "That file is larger than the 2 MB a picture may have here." and said[-1]["over"]
    part._handle_msg(piece(2, b"c", last=True))  # was on its way already
    assert part.message == STOPPED
    part._handle_msg(piece(0, b"a"))
    part._handle_msg(piece(2, b"c", last=True))
    assert part.message == STOPPED and not len(part._arriving) and not caplog.text


def test_what_stops_coming_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arriving, "PATIENCE", 0.2)
    files = arriving.Arriving(100)
    files.add("stopped", 0, b"a")
    for number in range(12):  # one that goes on is kept
        files.add("going", number, b"b")
        time.sleep(0.05)
    assert list(files._files) == ["going"]
    deadline = time.monotonic() + 20
    while len(files) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not len(files)


def test_many_unfinished_files_take_the_memory_of_a_few() -> None:
    files = arriving.Arriving(100)
    for number in range(20):
        files.add(str(number), 0, b"a")
    assert list(files._files) == ["16", "17", "18", "19"]
