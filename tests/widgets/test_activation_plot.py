"""ActivationPlot without a browser: its curves, its histogram and its shares are the model's own."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from widgets.block.activation_plot import AXIS, BIN, PLACES, ActivationPlot
from widgets.kit.selection import Selection


@pytest.fixture
def widget() -> ActivationPlot:
    return ActivationPlot(selection=Selection())


def test_the_table_has_torchs_values_and_slopes(widget: ActivationPlot) -> None:
    x = torch.tensor(PLACES, dtype=torch.float64)
    wanted = np.stack([torch.nn.functional.gelu(x), torch.nn.functional.gelu(x, approximate="tanh"), torch.relu(x)])
    part = widget._values
    assert np.allclose(np.frombuffer(part.values, np.float32).reshape(3, 9), wanted, atol=1e-6)
    assert dict(widget.describe().table)["value at a = −0.5"] == "GELU −0.1543, tanh form −0.1543, ReLU 0.0"
    widget.show = "slope"
    slopes = np.frombuffer(part.values, np.float32).reshape(3, 9)
    assert slopes[0, 4] == 0.5 and list(slopes[2]) == [0, 0, 0, 0, 0, 1, 1, 1, 1]


def test_a_curve_says_value_and_slope_at_every_place(widget: ActivationPlot) -> None:
    gelu, tanh, relu = widget._curves.series
    at = list(np.round(gelu.x, 2)).index(-0.75)
    assert gelu.labels[at] == "GELU of −0.75: −0.1700, slope 0.001"
    assert (
        tanh.labels[at].startswith("GELU, tanh form of −0.75: −0.1700")
        and relu.labels[at] == "ReLU of −0.75: 0.0000, slope 0.000"
    )
    assert "a = −0.752, where it is −0.170" in widget._curves.caption


@pytest.mark.parametrize(
    ("checkpoint", "picture"), [("dinov2-small", "cat"), ("random-b16", "coffee"), ("dinov2-small", "photographer")]
)
def test_histogram_and_shares_are_the_traces(checkpoint: str, picture: str) -> None:
    widget = ActivationPlot(selection=Selection(checkpoint=checkpoint, picture=picture, layer=2, token=30))
    layers = widget.reading.trace.layers
    for tokens, rows in (("all", slice(None)), ("class", slice(0, 1)), ("followed", slice(30, 31))):
        widget.tokens = tokens
        numbers = layers[2].pre_activation[0, rows].numpy()
        middles, shares = widget.histogram()
        for n in (0, 20, 27):
            inside = (numbers >= middles[n] - BIN / 2 - 1e-12) & (numbers < middles[n] + BIN / 2 - 1e-12)
            assert shares[n] == pytest.approx(inside.mean(), abs=2e-5 if tokens == "all" else 1e-9)
        assert widget.positive()[2] == pytest.approx((numbers > 0).mean())
        drawn = widget._shares.series[0]
        assert list(drawn.y) == pytest.approx(
            [float((layer.pre_activation[0, rows] > 0).double().mean()) for layer in layers]
        )
    negative, positive = widget._histogram.series
    assert max(negative.x) < 0 < min(positive.x) and sum(map(len, (negative.x, positive.x))) == round(
        (AXIS[1] - AXIS[0]) / BIN
    )


def test_trained_numbers_are_mostly_negative_and_random_ones_are_not(widget: ActivationPlot) -> None:
    assert widget.positive().max() < 0.4
    widget.selection.checkpoint = "random-b16"
    assert np.abs(widget.positive() - 0.5).max() < 0.05 and "Random ViT-B/16" in widget._histogram.caption


@pytest.mark.parametrize("checkpoint", ["dinov2-small", "random-b16"])
def test_it_says_how_many_numbers_gelu_lets_be_heard(checkpoint: str) -> None:
    widget = ActivationPlot(selection=Selection(checkpoint=checkpoint, layer=7))
    heard = []
    for tokens, rows in (("all", slice(None)), ("class", slice(0, 1))):
        widget.tokens = tokens
        out = torch.nn.functional.gelu(widget.reading.trace.layers[7].pre_activation[0, rows].double()).numpy()
        heard.append(f"{((out > 0.1) | (out < -0.1)).mean():.1%}")
        assert f"For {heard[-1]}, GELU gives more than 0.1 or less than −0.1." in widget._histogram.caption
        assert (
            dict(widget.describe().table)["GELU gives more than 0.1 or less than −0.1"]
            == f"for {heard[-1]} of the layer's numbers"
        )
    assert heard[0] != heard[1]


def test_a_click_on_a_layer_goes_there_for_the_whole_page(widget: ActivationPlot) -> None:
    widget._shares.tap = [0, 8, 1]
    assert widget.selection.layer == 8 and widget._histogram.caption.startswith("Layer 9, all tokens")
    assert widget._shares._figure.center  # the line that marks it


def test_a_checkpoint_that_is_not_here_is_answered_and_the_last_one_stays(widget: ActivationPlot) -> None:
    before = widget._histogram.series
    widget.selection.checkpoint = "vit-b99"
    assert widget._histogram.status == "refused" and "no checkpoint called" in widget._histogram.message
    assert widget._histogram.series == before and widget.describe().sentence == widget.not_drawn
    widget.tokens = "class"
    widget.selection.checkpoint = "dinov2-small"
    assert widget._histogram.status == "ready" and "the class token" in widget._histogram.caption


def test_a_picture_that_cannot_be_read_from_the_start_is_answered() -> None:
    widget = ActivationPlot(selection=Selection(checkpoint="resnet"))
    assert widget._histogram.status == "refused" and widget.still().texts
