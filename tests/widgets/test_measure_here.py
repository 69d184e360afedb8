"""MeasureHere without a browser: the sizes are counted, a press measures them, a second press stops, ratios are of the
fastest."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from widgets import MeasureHere, Selection
from widgets.counting import measure_here
from widgets.counting.measure_here import MEASURE, STOP
from widgets.experiments import timing
from widgets.experiments.timing import Size, Timing, sizes
from widgets.model import count
from widgets.model.shape import FAMILY


@pytest.fixture
def widget() -> MeasureHere:
    return MeasureHere(selection=Selection(checkpoint="random-b16"))


def pretended(name: str, todo: list[Size]) -> Iterator[Timing]:
    """Two rounds in which a pass takes as long as the root of its multiply-adds."""
    for number in (1, 2):
        for size in todo:
            yield Timing(size, size.ratio**0.5, 1.1 * size.ratio**0.5, number)


def test_sizes_come_near_the_wanted_ratios() -> None:
    found = sizes(FAMILY["B/16"])
    assert [size.side for size in found] == [80, 112, 160, 224, 304]
    for size in found:
        assert (
            size.macs == count.macs(FAMILY["B/16"], size.side)["total"]
            and size.ratio == size.macs / count.macs(FAMILY["B/16"])["total"]
        )
    assert [size.side for size in found if size.ratio == 1] == [224]


def test_a_press_measures_every_size_and_shows_ratios(widget: MeasureHere, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_here, "measure", pretended)
    assert "Not all of them are measured yet." in widget.describe().sentence and widget.ratios() == {}
    asyncio.run(widget._pressed())
    assert widget._press.label == MEASURE and widget.done == 10
    for line, size in zip(widget._table.lines, widget.sizes(), strict=True):
        assert line["cells"][1:] == [f"{size.ratio:.3f}", f"{size.ratio**0.5:.3f}", f"{size.ratio**-0.5:.2f}"]
    assert "took 0.709 times as long" in widget.describe().sentence
    widget.selection.checkpoint = "dinov2-small"
    assert widget.ratios() == {} and widget.done == 0, "another model's times are gone"


def test_a_second_press_stops(widget: MeasureHere, monkeypatch: pytest.MonkeyPatch) -> None:
    def then_press(name: str, todo: list[Size]) -> Iterator[Timing]:
        for one in pretended(name, todo):
            if widget.done == 2:
                asyncio.run(widget._pressed())
            yield one

    monkeypatch.setattr(measure_here, "measure", then_press)
    asyncio.run(widget._pressed())
    assert (
        widget.done == 2 and widget._press.label == MEASURE != STOP and "Stopped after 2 passes" in widget._said.object
    )


def test_real_passes_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "ROUNDS", 2)
    small = sizes(FAMILY["B/16"])[:1]
    found = list(timing.measure("random-b16", small))
    assert [one.passes for one in found] == [1, 2] and all(0 < one.fastest <= one.slowest for one in found)


def test_a_model_that_is_not_there_is_a_sentence() -> None:
    widget = MeasureHere(selection=Selection(checkpoint="nowhere"))
    assert (
        widget._press.disabled
        and "nowhere" in widget._said.object
        and "nowhere" in widget.describe().sentence
        and widget.still()
    )
