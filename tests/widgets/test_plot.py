"""The plot without a browser: what is handed to Bokeh, and what is refused."""

from __future__ import annotations

import pytest

from widgets.parts import Plot, Series


def sources(plot: Plot) -> list[dict[str, list]]:
    return [dict(mark.data_source.data) for mark in plot._figure.renderers[:-1]]


def test_every_point_and_label_reaches_bokeh() -> None:
    plot = Plot()
    plot.update([Series("a", [1, 2], [3, -4], labels=["one", "two"]), Series("b", [5], [6], kind="dots", hue="key")])
    first, second = sources(plot)
    assert first == {"x": [1.0, 2.0], "y": [3.0, -4.0], "label": ["one", "two"]}
    assert second["label"] == ["b: 6 at 5"] and [one["name"] for one in plot.legend] == ["a", "b"]
    assert (plot.legend[1]["sign"], plot._figure.renderers[1].glyph.marker) == (
        "■",
        "square",
    )  # the legend shows the mark itself


def test_other_numbers_keep_the_marks_and_another_series_makes_new_ones() -> None:
    plot = Plot()
    plot.update([Series("a", [1, 2], [3, 4])])
    mark = plot._figure.renderers[0]
    plot.update([Series("a", [1, 2, 3], [3, 4, 5])])
    assert plot._figure.renderers[0] is mark and sources(plot)[0]["y"] == [3.0, 4.0, 5.0]
    plot.update([Series("a", [1], [3], kind="dots")])
    assert plot._figure.renderers[0] is not mark and len(sources(plot)) == 1


def test_a_marked_place_replaces_the_one_before() -> None:
    plot = Plot()
    for place in (2.0, 7.0):
        plot.update([Series("a", [1, 9], [3, 4])], vertical=[(place, "here")])
    assert [one.location for one in plot._figure.center if hasattr(one, "location") and hasattr(one, "dimension")] == [
        7.0
    ]
    plot.update([Series("a", [1, 9], [3, 4])])
    assert not any(
        one.visible for one in plot._figure.center if hasattr(one, "location") and hasattr(one, "dimension")
    ), "hidden, not taken away"


def test_a_choice_in_the_browser_names_the_series() -> None:
    plot = Plot(tappable=True)
    plot.update([Series("a", [1, 2], [3, 4]), Series("b", [1], [3])])
    plot.tap = [1, 0, 1]
    assert plot.tapped == ("b", 0)
    plot.tap = [0, 5, 2]  # a point of numbers that are gone
    assert plot.tapped == ("b", 0)


@pytest.mark.parametrize("wrong", [{"kind": "pie"}, {"hue": "red"}, {"y": [1]}, {"labels": ["only one"]}])
def test_what_does_not_belong_together_is_refused(wrong: dict) -> None:
    with pytest.raises(ValueError, match=r"series|belong"):
        Series(**{"name": "a", "x": [1, 2], "y": [3, 4], **wrong})


def test_other_series_reach_the_browser_in_one_change() -> None:
    """Between two changes a reader's key would meet a plot with no series, or with the last ones."""
    plot, changes = Plot(title="Two"), []
    plot.update([Series("a", [0, 1], [1, 2])])
    plot._figure.on_change("renderers", lambda name, old, new: changes.append(len(new)))
    plot.update([Series("b", [0, 1], [1, 2]), Series("c", [0, 1], [1, 2], kind="bars")])
    assert changes == [3]
