"""Why scores are divided by the root of D_h: random numbers, and a head of a real model beside them (chapter 05)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from widgets.common.refusal import Refused
from widgets.experiments.kept_pass import read
from widgets.kit.answering import draws
from widgets.kit.picture_widget import PictureWidget
from widgets.kit.widget import Description
from widgets.parts import NumberTable, Part, Plot, Series, controls
from widgets.parts.theme import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.experiments.kept_pass import Reading

HEAD_SIZES = [2, 4, 8, 16, 32, 64, 128, 256, 512]
KEYS = 64
DRAWS = 2000
BINS = 61
RANKS = 64  # weights that are drawn, the largest first
SCALED, UNSCALED = "divided by √D_h", "not divided"
HUES = {SCALED: "accent", UNSCALED: "wrong"}
MEASURED = {
    "spread": "spread of the scores (standard deviation)",
    "largest_weight": "largest weight",
    "entropy": "entropy of the weights: −Σ a ln a",
    "own_derivatives": "how far weights move with their own scores, all keys added: 1 − Σ a²",
}
AXES = {"one for both": True, "each its own": False}


@dataclass(frozen=True, eq=False)
class Scores:
    """One query's scores against its keys, not scaled, and what they belong to."""

    title: str
    caption: str
    unscaled: np.ndarray  # float64 (keys,)
    head_size: int

    def ways(self) -> dict[str, np.ndarray]:
        """The scores with and without the division."""
        return {SCALED: self.unscaled / np.sqrt(self.head_size), UNSCALED: self.unscaled}

    @property
    def farthest(self) -> float:
        """How far the score that is farthest from their mean lies from it, before the division."""
        return float(np.abs(self.unscaled - self.unscaled.mean()).max()) or 1.0

    def weights(self) -> dict[str, np.ndarray]:
        """The softmax of both, largest first."""
        return {name: np.sort(_softmax(scores))[::-1] for name, scores in self.ways().items()}

    def statistics(self) -> dict[str, dict[str, float]]:
        """`score_statistics` of both."""
        import torch

        from widgets.model.attention import score_statistics

        return {name: score_statistics(torch.from_numpy(scores)[None]) for name, scores in self.ways().items()}


class ScalingDemo(PictureWidget):
    """Scores and weights of one random query at any D_h, with and without the root, and of a real head."""

    title = "Widen the head"
    summary = "Let D_h grow and watch the softmax put all its weight on one key, unless the scores are divided by √D_h."
    offers = ("layer", "head")

    head_size = param.Selector(default=64, objects=HEAD_SIZES, doc="D_h of the random query and keys")
    seed = param.Integer(0, bounds=(0, None), doc="of the draw; another one draws again")
    one_axis = param.Boolean(True, doc="both histograms on one axis, so that their widths compare")
    more = param.Boolean(False, doc="show the drop-downs for picture and model")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._random = _Half("Random numbers")
        self._real = _Half("A real head")
        self._spread = Plot(
            title="Spread of the scores as D_h grows",
            x_label="D_h",
            y_label="standard deviation",
            x_log=True,
            y_log=True,
            x_range=(1.6, 640),
            y_range=(0.6, 34),
            x_ticks=HEAD_SIZES,
            y_ticks=[1, 2, 5, 10, 20],
            height=230,
        )
        self._drawn: Scores = self.random()
        self._kept: Scores | None = None
        self._redraw_real()
        self._redraw_random()
        self.param.watch(self._redraw_random, ["head_size", "seed"])
        self.param.watch(self._show_histograms, ["one_axis"])
        self.selection.param.watch(self._redraw_real, [*self.selection.READ, "layer", "head", "token"])

    # what is shown, as arrays -----------------------------------------------------------------------------

    def random(self) -> Scores:
        """This draw: one query and 64 keys of standard normal numbers."""
        from widgets.model.attention import random_scores

        scores = random_scores(self.head_size, KEYS, 1, self.seed)[0].numpy()
        return Scores(
            f"Random numbers, D_h {self.head_size}",
            f"A query and {KEYS} keys of random numbers with variance 1, no model (draw {self.seed + 1}).",
            scores,
            self.head_size,
        )

    def real(self) -> Scores:
        """The selected head's scores for the selected token on the picture.

        Raises CheckpointMissing or ValueError with a sentence when they cannot be computed.
        """
        reading, layer, head = self._shown()
        block, prefix = reading.trace.layers[layer], reading.trace.prefix
        token, D_h = min(self.selection.token, block.q.shape[2] - 1), block.q.shape[-1]
        scores = (
            block.scores[0, head, token].double() * D_h**0.5
        ).numpy()  # the model's own are scaled; here they are not
        query = (
            "the class token"
            if token == 0 and prefix
            else f"register {token}"
            if token < prefix
            else f"patch {token - prefix}"
        )
        return Scores(
            f"A head of {reading.checkpoint.title}, D_h {D_h}",
            f"Layer {layer + 1}, head {head + 1}, query: {query}, {len(scores)} keys. {reading.caption}",
            scores,
            D_h,
        )

    def over_queries(self) -> tuple[int, dict[str, dict[str, float]]]:
        """How many queries the selected head has, and the mean over all of them of what `Scores.statistics` finds for
        one.

        Raises as `real` does.
        """
        from widgets.model.attention import score_statistics

        reading, layer, head = self._shown()
        block = reading.trace.layers[layer]
        scores = block.scores[0, head].double()  # (T, T), scaled
        return len(scores), {
            SCALED: score_statistics(scores),
            UNSCALED: score_statistics(scores * block.q.shape[-1] ** 0.5),
        }

    def _shown(self) -> tuple[Reading, int, int]:
        """The model's reading of the picture, and the layer and head of it that are shown."""
        reading = read(self.selection.checkpoint, self.choice.picture)
        layer = min(self.selection.layer, len(reading.trace.layers) - 1)
        return reading, layer, min(self.selection.head, reading.trace.layers[layer].q.shape[1] - 1)

    def spread(self) -> dict[str, list[float]]:
        """Standard deviation over 2,000 draws for every D_h, with and without the division."""
        return {
            SCALED: [measured(d)["scaled"]["std"] for d in HEAD_SIZES],
            UNSCALED: [measured(d)["unscaled"]["std"] for d in HEAD_SIZES],
        }

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        bar = controls.row(
            controls.slider(self.param.head_size, "Random numbers: D_h", HEAD_SIZES),
            controls.button("Draw again", self.draw_again),
            *self.models.controls[1:],
            controls.choice(self.param.one_axis, "Axis of the scores", AXES, width=150),
            controls.switch(self.param.more, "Another picture or model"),
        )
        behind = pn.FlexBox(
            *self.choice.controls, self.models.controls[0], align_items="flex-end", margin=0, visible=self.param.more
        )
        halves = pn.FlexBox(self._random.view(), self._real.view(), gap="24px", align_items="flex-start")
        return self.stacked(bar, behind, halves, self._spread, gap=16, wide=True)

    def draw_again(self, *_: Any) -> None:
        """Another random query, other random keys."""
        self.seed += 1

    def _redraw_random(self, *_: Any) -> None:
        self._drawn = self.random()
        with pn.io.hold():
            self._random.show(
                self._drawn,
                [
                    (f"over {DRAWS:,} draws: {name}", _pair(key, measured(self.head_size)))
                    for key, name in MEASURED.items()
                    if key != "spread"
                ],
            )
            self._show_histograms()
            self._show_spread()

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._real.histogram]

    @draws
    def _redraw_real(self, *_: Any) -> None:
        scores, (queries, found) = self.real(), self.over_queries()
        self._kept = scores
        with pn.io.hold():
            self._real.show(
                scores, [(f"over all {queries:,} queries: {name}", _pair(key, found)) for key, name in MEASURED.items()]
            )
            self._show_histograms()

    def _show_histograms(self, *_: Any) -> None:
        """Draw both on one axis, or each on the axis that fits it. Until there is a real head, the other stands
        alone."""
        halves = [
            (half, scores)
            for half, scores in ((self._random, self._drawn), (self._real, self._kept))
            if scores is not None
        ]
        together = [scores for _, scores in halves]
        with pn.io.hold():
            for half, scores in halves:
                half.draw(scores, together if self.one_axis else [scores])

    def _show_spread(self) -> None:
        spread = self.spread()
        roots = [d**0.5 for d in HEAD_SIZES]
        labels = {
            name: [f"{name}, D_h {d}: {y:.3f}" for d, y in zip(HEAD_SIZES, ys, strict=True)]
            for name, ys in spread.items()
        }
        d, at = self.head_size, HEAD_SIZES.index(self.head_size)
        self._spread.update(
            [
                Series(
                    "√D_h",
                    HEAD_SIZES,
                    roots,
                    hue="ink",
                    dash=True,
                    labels=[f"√{d} = {y:.3f}" for d, y in zip(HEAD_SIZES, roots, strict=True)],
                ),
                *(
                    Series(name, HEAD_SIZES, ys, kind="dots", hue=HUES[name], labels=labels[name])
                    for name, ys in spread.items()
                ),
            ],
            vertical=[(d, f"D_h {d}")],
            caption=(
                f"Random numbers, {DRAWS:,} draws of a query and {KEYS} keys for each D_h. At D_h {d}:"
                f" {spread[UNSCALED][at]:.3f} without the division, and √{d} = {roots[at]:.3f};"
                f" {spread[SCALED][at]:.3f} with it."
            ),
        )

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """What the division does to the random draw and to the real head."""
        drawn, at = self.random(), HEAD_SIZES.index(self.head_size)
        found = drawn.statistics()
        spread = self.spread()
        sentence = (
            f"Random numbers at D_h {self.head_size}: the largest weight is {found[SCALED]['largest_weight']:.3f} with"
            f" the scores divided by √D_h and {found[UNSCALED]['largest_weight']:.3f} without; over {DRAWS:,} draws"
            f" their spread is {spread[UNSCALED][at]:.3f} without the division, and √{self.head_size} is"
            f" {self.head_size**0.5:.3f}."
        )
        table = [(f"random: {name}", _pair(key, found)) for key, name in MEASURED.items()]
        try:
            real, (queries, over) = self.real(), self.over_queries()
        except Refused as refusal:
            return Description(sentence, [*table, ("the real head", str(refusal))])
        return Description(
            f"{sentence} Beside it, {real.title}.",
            [
                *table,
                ("the real head", real.caption),
                *((f"real: {name}", _pair(key, real.statistics())) for key, name in MEASURED.items()),
                *((f"real, over all {queries:,} queries: {name}", _pair(key, over)) for key, name in MEASURED.items()),
            ],
        )

    def still(self) -> Figure:
        """Sorted weights of the random draw and of the real head, and the spread against the root."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 2.4), dpi=100, layout="constrained")
        *halves, last = figure.subplots(1, 3)
        for axes, scores in zip(halves, (self.random(), self._kept), strict=True):
            if scores is None:
                axes.set_axis_off()
                continue
            for name, weights in scores.weights().items():
                axes.plot(
                    range(1, 1 + len(weights[:RANKS])),
                    weights[:RANKS],
                    color=COLOURS[HUES[name]][0],
                    label=name,
                    linestyle="-" if name == SCALED else "--",
                )
            axes.set_title(scores.title, fontsize=7)
            axes.set_xlabel("rank of the key", fontsize=7)
        halves[0].set_ylabel("weight", fontsize=7)
        halves[0].legend(fontsize=6)
        last.loglog(HEAD_SIZES, [d**0.5 for d in HEAD_SIZES], color=COLOURS["ink"][0], linestyle=":", label="√D_h")
        for name, ys in self.spread().items():
            last.loglog(HEAD_SIZES, ys, "o", markersize=4, color=COLOURS[HUES[name]][0], label=name)
        last.set_title("spread of the scores against D_h", fontsize=7)
        last.legend(fontsize=6)
        for axes in (*halves, last):
            axes.tick_params(labelsize=6)
        return figure


class _Half:
    """The scores and the sorted weights of one kind of numbers, one above the other, and their table."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.histogram = Plot(
            x_label="score, less the mean of all",
            y_label="share of the keys",
            x_range=(-1, 1),
            y_range=(0, 1),
            height=200,
            left=60,
        )
        self.sorted = Plot(
            title="Softmax weights, largest first",
            x_label="rank of the key",
            y_label="weight",
            y_range=(0, 1.02),
            height=200,
            left=60,
        )
        self.table = NumberTable(title=f"{name}: with the division → without it")

    def view(self) -> pn.Column:
        """All three in a column that stands beside the other half, or under it where the page is narrow."""
        return pn.Column(
            self.histogram,
            self.sorted,
            self.table,
            margin=0,
            styles={"flex": "1 1 340px", "min-width": "0", "gap": "16px"},
        )

    def show(self, scores: Scores, further: list[tuple[str, str]]) -> None:
        """Show the weights of these scores and their table; `further` are rows under those of the draw itself."""
        self.histogram.param.update(status="ready", message="")
        self.sorted.update(
            [_ranked(name, weights) for name, weights in scores.weights().items()],
            status="ready",
            message="",
            caption=f"The {min(RANKS, len(scores.unscaled))} largest of {len(scores.unscaled)}.",
        )
        found = scores.statistics()
        rows = [(name, _pair(key, found)) for key, name in MEASURED.items()]
        self.table.param.update(fixed=[*rows, *further], caption=scores.caption)

    def draw(self, scores: Scores, together: list[Scores]) -> None:
        """The histogram of the scores, on an axis that holds these and all that are drawn `together` with them."""
        most = max(one.farthest for one in together)
        highest = max(max(series.y) for one in together for series in _histograms(one, most))
        axis = (
            "Both sides have this axis."
            if len(together) > 1
            else "This axis fits these scores alone: its width compares with no other."
        )
        self.histogram.update(
            _histograms(scores, most),
            title=f"{scores.title}: scores",
            ends=((-1.05 * most, 1.05 * most), (0, 1.05 * highest)),
            caption=f"{axis} Softmax does not see a number added to all scores.",
        )


@cache
def measured(head_size: int) -> dict[str, dict[str, float]]:
    """`scaling_statistics` of 2,000 draws with the first seed: measured once a process, all nine take about a
    second."""
    from widgets.model.attention import scaling_statistics

    return scaling_statistics(head_size, KEYS, DRAWS)


def _softmax(scores: np.ndarray) -> np.ndarray:
    import torch

    from widgets.model.attention import softmax

    return softmax(torch.from_numpy(scores)).numpy()


def _histograms(scores: Scores, most: float) -> list[Series]:
    """The scores with the division and without, in the same bins from -`most` to `most`."""
    return [_histogram(name, values, most) for name, values in scores.ways().items()]


def _histogram(name: str, values: np.ndarray, most: float) -> Series:
    """The shares of the keys in bins from -`most` to `most`, and a little more: none is left out."""
    counts, edges = np.histogram(values - values.mean(), BINS, (-1.02 * most, 1.02 * most))
    middles, shares = (edges[1:] + edges[:-1]) / 2, counts / len(values)
    labels = [
        f"{name}: {n} of {len(values)} scores lie {a:.2f} to {b:.2f} from their mean".replace("-", "−")
        for n, a, b in zip(counts, edges[:-1], edges[1:], strict=True)
    ]
    return Series(
        name, middles.tolist(), shares.tolist(), kind="bars", hue=HUES[name], dash=name == UNSCALED, labels=labels
    )


def _ranked(name: str, weights: np.ndarray) -> Series:
    shown = weights[:RANKS].tolist()
    return Series(
        name,
        list(range(1, len(shown) + 1)),
        shown,
        hue=HUES[name],
        dash=name == UNSCALED,
        labels=[f"{name}: key of rank {n} gets {w:.3f}" for n, w in enumerate(shown, start=1)],
    )


def _pair(key: str, found: dict[str, dict[str, float]]) -> str:
    """A number with the division and without it."""
    with_it, without = found.values()
    return f"{_written(with_it[key])} → {_written(without[key])}"


def _written(x: float) -> str:
    if x >= 5e-4 or x == 0:
        return f"{x:.3f}"
    digit, power = f"{x:.0e}".split("e-")
    return f"{digit} × 10⁻{''.join('⁰¹²³⁴⁵⁶⁷⁸⁹'[int(c)] for c in str(int(power)))}"
