"""ScalingDemo without a browser: what is measured, which head is real, and what is said when there is none."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from widgets.attention.scaling_demo import HEAD_SIZES, KEYS, MEASURED, SCALED, UNSCALED, ScalingDemo, measured
from widgets.experiments.kept_pass import read
from widgets.kit.selection import Selection
from widgets.pictures import open_sample


@pytest.fixture
def widget() -> ScalingDemo:
    return ScalingDemo(selection=Selection())


@pytest.mark.parametrize("head_size", HEAD_SIZES)
def test_the_measured_spread_is_within_five_per_cent_of_the_root(head_size: int) -> None:
    found = measured(head_size)
    assert found["unscaled"]["std"] == pytest.approx(math.sqrt(head_size), rel=0.05)
    assert found["scaled"]["std"] == pytest.approx(1, rel=0.05)


def test_what_the_chapter_says_of_the_gradient_is_so() -> None:
    """With the division, weights follow their own scores equally far at every D_h; without it, less at each wider
    one."""
    scaled, unscaled = ([measured(d)[way]["own_derivatives"] for d in HEAD_SIZES] for way in ("scaled", "unscaled"))
    assert scaled == pytest.approx([0.96] * len(HEAD_SIZES), abs=0.005)
    assert all(wider < narrower - 0.04 for narrower, wider in itertools.pairwise(unscaled))
    assert unscaled[0] == pytest.approx(0.92, abs=0.005) and unscaled[-1] == pytest.approx(0.10, abs=0.015)
    assert measured(2)["unscaled"]["largest_weight"] < 0.2 and measured(512)["unscaled"]["largest_weight"] > 0.9


def test_a_draw_is_a_query_against_64_keys_and_can_be_repeated(widget: ScalingDemo) -> None:
    first = widget.random().unscaled
    assert first.shape == (KEYS,)
    weights = widget.random().weights()
    assert weights[SCALED].sum() == pytest.approx(1) and (np.diff(weights[UNSCALED]) <= 0).all()
    widget.draw_again()
    assert not np.array_equal(widget.random().unscaled, first)
    widget.seed = 0
    assert np.array_equal(widget.random().unscaled, first)


def test_bars_hold_every_key_once_and_both_ways_share_their_bins(widget: ScalingDemo) -> None:
    for half in (widget._random, widget._real):
        scaled, unscaled = half.histogram.series
        assert sum(scaled.y) == pytest.approx(1) and sum(unscaled.y) == pytest.approx(1) and scaled.x == unscaled.x
        assert [series.name for series in (scaled, unscaled)] == [SCALED, UNSCALED]


def axes(widget: ScalingDemo) -> list[tuple[float, ...]]:
    return [
        tuple(
            end
            for axis in (half.histogram._figure.x_range, half.histogram._figure.y_range)
            for end in (axis.start, axis.end)
        )
        for half in (widget._random, widget._real)
    ]


@pytest.mark.parametrize("checkpoint", ["dinov2-small", "random-b16"])
def test_both_histograms_stand_on_one_axis_that_holds_them_until_each_gets_its_own(
    widget: ScalingDemo, checkpoint: str
) -> None:
    """Side by side on two axes, a spread of 9 looked like one of 16."""
    widget.selection.checkpoint = checkpoint
    for head_size in (2, 512):
        widget.head_size = head_size
        drawn, real = axes(widget)
        bars = [series for half in (widget._random, widget._real) for series in half.histogram.series]
        assert drawn == real and len({tuple(series.x) for series in bars}) == 1, (
            "the same bins, so that their heights compare"
        )
        farthest = max(np.abs(s.unscaled - s.unscaled.mean()).max() for s in (widget.random(), widget.real()))
        assert farthest < drawn[1] < 1.1 * farthest and max(max(series.y) for series in bars) < drawn[3]
        assert all("Both sides have this axis" in half.histogram.caption for half in (widget._random, widget._real))
    widget.one_axis = False
    for ends, scores in zip(axes(widget), (widget.random(), widget.real()), strict=True):
        assert ends[1] == pytest.approx(1.05 * np.abs(scores.unscaled - scores.unscaled.mean()).max())
    assert "fits these scores alone" in widget._real.histogram.caption


def test_a_refused_model_stays_refused_while_the_other_side_is_redrawn(widget: ScalingDemo) -> None:
    widget.selection.checkpoint = "resnet"
    widget.draw_again()
    widget.one_axis = False
    assert widget._real.histogram.status == "refused"
    widget.selection.checkpoint = "dinov2-small"
    assert widget._real.histogram.status == "ready"


def test_the_tables_measure_what_softmax_made_of_the_scores(widget: ScalingDemo) -> None:
    """Largest weight, entropy and the size of the Jacobian (its trace), from the weights alone."""
    for scores, half in ((widget.random(), widget._random), (widget.real(), widget._real)):
        shown = dict(half.table.fixed)
        for key, of in (
            ("largest_weight", np.max),
            ("own_derivatives", lambda a: np.trace(np.diag(a) - np.outer(a, a))),
            ("entropy", lambda a: -sum(x * math.log(x) for x in a if x)),
        ):
            wanted = [of(a) for a in scores.weights().values()]
            assert [float(x) for x in shown[MEASURED[key]].split(" → ")] == pytest.approx(wanted, abs=6e-4)


@pytest.mark.parametrize(
    ("checkpoint", "picture"), [("dinov2-small", "coffee"), ("dinov2-small", "photographer"), ("random-b16", "cat")]
)
def test_the_real_head_is_the_selected_one(widget: ScalingDemo, checkpoint: str, picture: str) -> None:
    widget.selection.param.update(checkpoint=checkpoint, picture=picture, layer=3, head=2, token=7)
    block = read(checkpoint, open_sample(picture)).trace.layers[3]
    scores = (block.q[0, 2, 7].double() @ block.k[0, 2].double().T).numpy()
    assert np.allclose(widget.real().unscaled, scores, atol=1e-3)
    weights = np.sort(block.weights[0, 2, 7].numpy())[::-1]
    assert np.allclose(widget.real().weights()[SCALED], weights, atol=1e-5)
    assert np.allclose(widget._real.sorted.series[0].y, weights[:64], atol=1e-5)
    assert "Layer 4, head 3, query: patch 6" in widget._real.table.caption
    title = read(checkpoint, open_sample(picture)).checkpoint.title
    assert title in widget._real.histogram.title and "random" not in widget._real.histogram.title.lower().replace(
        title.lower(), ""
    )


def test_the_mean_over_all_queries_stands_under_the_one_query(widget: ScalingDemo) -> None:
    """One query does not speak for its head: a lecturer found the class token's spread near 1 where the others' was far
    from it."""
    widget.selection.param.update(layer=4, head=1)
    block = read("dinov2-small", open_sample("cat")).trace.layers[4]
    scores = (block.q[0, 1].double() @ block.k[0, 1].double().T).numpy()  # (T, T)
    shown, said = dict(widget._real.table.fixed), dict(widget.describe().table)
    for way, scale in ((0, 1 / 8), (1, 1)):
        a = np.exp(scores * scale - (scores * scale).max(1, keepdims=True))
        a /= a.sum(1, keepdims=True)
        wanted = {
            "spread": (scores * scale).std(1, ddof=1).mean(),
            "largest_weight": a.max(1).mean(),
            "own_derivatives": (1 - (a**2).sum(1)).mean(),
            "entropy": -(a * np.log(np.maximum(a, 1e-300))).sum(1).mean(),
        }
        for key, value in wanted.items():
            assert float(shown[f"over all 257 queries: {MEASURED[key]}"].split(" → ")[way]) == pytest.approx(
                value, abs=2e-3
            )
    assert {
        f"real, {name}": value for name, value in shown.items() if name.startswith("over all")
    }.items() <= said.items()


def test_a_layer_or_head_that_is_not_there_becomes_the_last_and_a_missing_model_is_a_sentence(
    widget: ScalingDemo,
) -> None:
    widget.selection.param.update(layer=99, head=99, token=99_999)
    assert "Layer 12, head 6, query: patch 255" in widget.real().caption
    before = widget._real.sorted.series
    widget.selection.checkpoint = "resnet"
    assert widget._real.histogram.status == "refused" and "stays" in widget._real.histogram.message
    assert widget._real.sorted.series == before and "no checkpoint" in widget.describe().table[-1][1]


def test_words_say_what_the_plots_show(widget: ScalingDemo) -> None:
    widget.head_size = 512
    words = widget.describe()
    at = HEAD_SIZES.index(512)
    assert (
        f"their spread is {widget.spread()[UNSCALED][at]:.3f} without the division, and √512 is 22.627"
        in words.sentence
    )
    assert "A head of DINOv2 ViT-S/14, D_h 64" in words.sentence
    assert (
        dict(words.table)["random: largest weight"]
        == f"{widget.random().weights()[SCALED][0]:.3f} → {widget.random().weights()[UNSCALED][0]:.3f}"
    )
    assert len(widget.still().axes) == 3
