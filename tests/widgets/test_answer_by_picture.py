"""AnswerByPicture without a browser: a run shows what the model functions give; another size or model takes it away."""

from __future__ import annotations

import asyncio
from threading import Thread

import numpy as np
import pytest

from widgets.checkpoints.loading import load
from widgets.kit.selection import Selection
from widgets.model.library import weights_of
from widgets.positions.answer_by_picture import AnswerByPicture
from widgets.positions.sample_answers import alone, verdict

NAMES = ["cat", "coffee", "galaxies"]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three pictures, and 12 patches as the full size: larger ones take seconds each and are the same code."""
    for module in ("positions.answer_by_picture", "experiments.sample_sizes"):
        monkeypatch.setattr(f"widgets.{module}.sample_names", lambda: NAMES)
    monkeypatch.setattr("widgets.positions.answer_by_picture.OF_STILL", NAMES[:2])
    for module in ("other_sizes", "sample_sizes"):
        monkeypatch.setattr(
            f"widgets.experiments.{module}.reference_side",
            lambda name, picture: 12 * weights_of(load(name).model).patch_size,
        )


def press(widget: AnswerByPicture) -> None:
    """Press the button and wait for the run, in a thread: Playwright may have a loop in this one."""
    pressed = Thread(target=lambda: asyncio.run(widget._pressed()))
    pressed.start()
    pressed.join(60)
    assert not pressed.is_alive()


@pytest.mark.parametrize("checkpoint", ["dinov2-small", "random-b16"])
def test_a_run_shows_every_picture(few, checkpoint: str) -> None:
    widget = AnswerByPicture(selection=Selection(checkpoint=checkpoint))
    assert widget._parts["plot"].status == "empty" and "Nothing has been run yet" in widget.describe().sentence
    press(widget)
    found = widget.pictures()
    assert widget.runs == 1 and [one.name for one in found] == NAMES and widget._run.label == "Run all sample pictures"
    kept = np.frombuffer(widget._parts["kept"].values, dtype=np.float32).reshape(3, 3)
    assert np.allclose(kept, [list(one.kept.values()) for one in found])
    apart = np.frombuffer(widget._parts["alone"].values, dtype=np.float32).reshape(3, 5)
    assert np.allclose(apart, [alone(one) for one in found])
    dots = {one.name: (one.x, one.y) for one in widget._parts["plot"].series[:3]}
    assert dots["left out"] == ([one.table_full for one in found], [one.kept["none"] for one in found])
    assert widget._verdict() in widget.describe().sentence and len(widget.describe().table) == 3 * 8
    assert ("random and was never trained" in widget._parts["plot"].caption) == (checkpoint == "random-b16")


def test_the_verdict_counts_and_names(few) -> None:
    found = AnswerByPicture(selection=Selection()).pictures()
    others = [one for one in found if one.closest != "interpolated"]
    said = verdict(found)
    assert f"closest to that of the full size for {3 - len(others)} of 3 pictures" in said
    assert all(f"{one.title[:1].lower()}{one.title[1:]} (" in said for one in others)


def test_another_size_takes_the_old_answers_away(few) -> None:
    widget = AnswerByPicture(selection=Selection())
    press(widget)
    widget.patches = 12
    assert widget._parts["plot"].status == "empty" and "168 px" in widget._status.object and widget._found == []


def test_a_second_press_stops(few) -> None:
    widget = AnswerByPicture(selection=Selection())
    widget._run.label = "Stop"
    press(widget)
    assert widget._run.label == "Run all sample pictures" and "Stopped" in widget._status.object and widget.runs == 0


def test_a_model_that_is_not_here_cannot_be_run(few) -> None:
    widget = AnswerByPicture(selection=Selection(checkpoint="resnet"))
    assert widget._run.disabled and "resnet" in widget._status.object and widget.describe().table == []


def test_the_still_draws_the_dots(few) -> None:
    figure = AnswerByPicture(selection=Selection()).still()
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == [
        "interpolated",
        "cut off",
        "left out",
        "left out at both",
    ]
    said = [text.get_text() for text in (*figure.texts, *(axes.title for axes in figure.axes))]
    assert any("2 of the 3 sample pictures at 112 px" in text for text in said), said
