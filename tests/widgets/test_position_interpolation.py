"""PositionInterpolation without a browser: one of two views, and its words and still are those of the one that is
shown."""

from __future__ import annotations

import pytest

from widgets.checkpoints.loading import load
from widgets.kit.selection import Selection
from widgets.kit.text_twin import TextTwin
from widgets.model.library import weights_of
from widgets.positions.position_interpolation import ANSWER, PICTURES, TABLE, PositionInterpolation


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sizes only: the others take seconds and are the same code."""
    monkeypatch.setattr("widgets.experiments.other_sizes.SIDES", (8, 12))
    monkeypatch.setattr(
        "widgets.experiments.other_sizes.reference_side",
        lambda name, picture: 12 * weights_of(load(name).model).patch_size,
    )
    monkeypatch.setattr("widgets.experiments.other_sizes.shorter_sides", lambda P, own, picture: [8 * P, 12 * P])


def test_both_stills(few) -> None:
    for show in (TABLE, ANSWER):
        figure = PositionInterpolation(selection=Selection(), show=show).still()
        assert figure.axes and figure.get_size_inches()[0] == pytest.approx(6.4)


def test_the_words_follow_the_view_that_is_shown_and_what_happens_in_it() -> None:
    widget = PositionInterpolation(selection=Selection())
    twin = next(one for one in widget.__panel__().select() if isinstance(one, TextTwin))
    widget.table.new = (9, 9)
    assert "37 × 37 to 9 × 9" in twin.sentence and twin.sentence == widget.describe().sentence
    widget.show = ANSWER
    assert "at several sizes" in twin.sentence
    widget.selection.picture = "coffee"
    assert "coffee" in twin.sentence
    widget.show = PICTURES
    assert "All sample pictures at 112 px" in twin.sentence
    widget.pictures.patches = 12
    assert "All sample pictures at 168 px" in twin.sentence
    widget.show = TABLE
    assert "37 × 37 to 9 × 9" in twin.sentence


def test_what_was_run_is_still_there_after_a_look_at_the_table(few) -> None:
    widget = PositionInterpolation(selection=Selection(), show=ANSWER)
    widget.answer._found = widget.answer.answers()
    before = widget.describe()
    widget.show = TABLE
    widget.show = ANSWER
    assert widget.describe() == before and len(before.table) == 6
