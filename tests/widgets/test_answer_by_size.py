"""AnswerBySize without a browser: a run shows what the model functions give, and another picture takes it away."""

from __future__ import annotations

import asyncio
from threading import Thread

import numpy as np
import pytest

from widgets.checkpoints.loading import load
from widgets.experiments.other_sizes import RESIZES
from widgets.kit.selection import Selection
from widgets.model.library import weights_of
from widgets.positions.answer_by_size import AnswerBySize


def press(widget: AnswerBySize) -> None:
    """Press the button and wait for the run, in a thread: Playwright may have a loop in this one."""
    pressed = Thread(target=lambda: asyncio.run(widget._pressed()))
    pressed.start()
    pressed.join(60)
    assert not pressed.is_alive()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sizes only: the others take seconds and are the same code."""
    monkeypatch.setattr("widgets.experiments.other_sizes.SIDES", (8, 12))
    monkeypatch.setattr(
        "widgets.experiments.other_sizes.reference_side",
        lambda name, picture: 12 * weights_of(load(name).model).patch_size,
    )
    monkeypatch.setattr("widgets.experiments.other_sizes.shorter_sides", lambda P, own, picture: [8 * P, 12 * P])


@pytest.mark.parametrize(
    ("picture", "checkpoint"), [("cat", "dinov2-small"), ("coffee", "dinov2-small"), ("photographer", "random-b16")]
)
def test_a_run_shows_every_size_and_way(few, picture: str, checkpoint: str) -> None:
    widget = AnswerBySize(selection=Selection(picture=picture, checkpoint=checkpoint))
    assert widget._parts["plot"].status == "empty" and "Nothing has been run yet" in widget.describe().sentence
    press(widget)
    found = {(one.way, one.image_size): one.cosine for one in widget.answers()}
    assert widget.runs == 1 and len(found) == 6 and widget._run.label == "Run the sizes"
    shown = {(one.name, x): y for one in widget._parts["plot"].series for x, y in zip(one.x, one.y, strict=True)}
    assert shown == {
        ({"none": "left out"}.get(way, way), min(size)): cosine
        for (way, size), cosine in found.items()
        if cosine is not None
    }
    cells = np.frombuffer(widget._parts["sizes"].values, dtype=np.float32).reshape(2, 3)
    assert cells[1, 0] == pytest.approx(1, abs=1e-5) and widget._parts["sizes"].column_heads == [
        "interpolated",
        "cut off",
        "left out",
    ]
    ys = {(one.way, one.image_size): one.y.numpy() for one in widget.answers()}
    pairs = np.frombuffer(widget._parts["pairs"].values, dtype=np.float32).reshape(2, 4)
    for row, size in enumerate(sorted({size for _, size in ys})):
        bare, fitted = ys["none", size], ys["interpolated", size]
        assert pairs[row, 1] == pytest.approx(bare @ fitted / np.linalg.norm(bare) / np.linalg.norm(fitted), abs=1e-5)
    assert pairs[0, 3] < pairs[1, 3] == pytest.approx(1, abs=1e-5)
    assert [name for name, _ in widget._parts["by_resize"].fixed] == list(RESIZES)
    assert len(widget.describe().table) == 6 and load(checkpoint).title in widget.describe().sentence
    assert ("random and was never trained" in widget._parts["plot"].caption) == (checkpoint == "random-b16")


def test_another_picture_takes_the_old_answers_away(few) -> None:
    widget = AnswerBySize(selection=Selection())
    press(widget)
    widget.selection.picture = "coffee"
    assert widget._parts["plot"].status == "empty" and "offee" in widget._status.object
    assert widget._found == []


def test_a_model_that_is_not_here_cannot_be_run(few) -> None:
    widget = AnswerBySize(selection=Selection(checkpoint="resnet"))
    assert widget._run.disabled and "resnet" in widget._status.object and widget.describe().table == []
