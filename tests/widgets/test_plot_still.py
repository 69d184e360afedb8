"""The still of a plot has the plot's own series, axes and marks."""

from __future__ import annotations

import numpy as np
import pytest

from widgets import AttentionDistance, CostExplorer
from widgets.kit.plot_still import plot_still
from widgets.parts import Plot, Series


def test_series_axes_and_marks_are_the_plots() -> None:
    plot = Plot(title="Two", x_label="side, px", y_label="cosine", x_range=(0, 10), y_range=(0, None), y_log=False)
    series = [Series("line", [0, 1, 2], [1, 3, 2], dash=True), Series("dots", [1, 2], [4, 5], "dots", "key")]
    plot.update([*series, Series("bars", [0, 1], [1, 1], "bars", "muted")], [(1.5, "here")])
    (axes,) = plot_still(plot).axes
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("side, px", "cosine", "Two")
    assert axes.get_xlim() == (0, 10) and axes.get_ylim()[0] == 0
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert lines["line"].get_ydata().tolist() == [1, 3, 2] and lines["line"].get_linestyle() == "--"
    assert lines["dots"].get_xdata().tolist() == [1, 2] and lines["dots"].get_linestyle() == "None"
    assert [text.get_text() for text in axes.texts] == [" here"] and len(axes.patches) == 2
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["line", "dots", "bars"]


def test_other_series_stand_on_the_same_axes() -> None:
    plot = Plot(title="Two", x_label="x", y_label="y", y_log=True)
    plot.update([Series("a", [0, 1], [1, 2])])
    (axes,) = plot_still(plot, "Another", [Series("b", [3, 4], [5, 6])]).axes
    assert axes.get_title() == "Another" and axes.get_yscale() == "log" and axes.get_legend() is None
    assert axes.get_lines()[0].get_xdata().tolist() == [3, 4]


@pytest.mark.parametrize("kind", [AttentionDistance, CostExplorer])
def test_a_widgets_still_shows_what_its_plot_shows(kind: type) -> None:
    widget = kind()
    (axes,) = widget.still().axes
    drawn = {line.get_label(): np.asarray(line.get_ydata(), float) for line in axes.get_lines()}
    for one in widget._plot.series:
        assert np.array_equal(drawn[one.name], np.asarray(one.y, float)), one.name
