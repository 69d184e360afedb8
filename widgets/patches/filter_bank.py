"""Filter bank: the columns of a real model's E as pictures, where each answers on your picture, and their
components."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param
import torch

from widgets.common.number_formats import fixed
from widgets.experiments.kept_pass import Reading, read
from widgets.kit import stills
from widgets.kit.answering import draws
from widgets.kit.picture_widget import PictureWidget
from widgets.kit.widget import Description
from widgets.model import inspection
from widgets.model.embedding import principal_components
from widgets.model.library import weights_of
from widgets.model.patches import patch_position, patchify
from widgets.model.tensor_defaults import FLOAT32, seeded
from widgets.parts import NumberTable, Part, PatternRow, PatternWall, PictureGrid, controls
from widgets.parts.theme import colour_scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COMPONENTS = 28  # as many as the paper's Figure 7 (left) shows
ORDERS = {"number": "by number", "smooth": "smoothest first", "length": "longest first"}


@dataclass(frozen=True)
class Bank:
    """The filters of one checkpoint and their leading principal components."""

    title: str
    trained: bool
    filters: np.ndarray  # (D, C, P, P)
    bias: np.ndarray  # (D,)
    lengths: np.ndarray  # (D,)
    smooth: np.ndarray  # (D,): 1 flat, near 0 noise
    components: np.ndarray  # (28, C, P, P)
    kept: np.ndarray  # (28,): share of the filters' variance the first 1, 2, ... hold together
    component_smooth: np.ndarray  # (28,)
    kept_of_noise: float  # what as many components hold of random filters, as many and as large
    most: int  # components there are

    def order(self, by: str) -> np.ndarray:
        """The numbers of the filters in the order they are drawn."""
        if by == "number":
            return np.arange(len(self.filters))
        return np.argsort(-(self.smooth if by == "smooth" else self.lengths), kind="stable")


@lru_cache(maxsize=4)
def bank_of(checkpoint: str) -> Bank:
    """The filter bank of a checkpoint. Raises CheckpointMissing or ValueError with a sentence."""
    from widgets.checkpoints.fetching import facts_of
    from widgets.checkpoints.loading import at_hand

    loaded = at_hand(checkpoint)
    w = weights_of(loaded.model)
    filters, most = w.filters.detach(), min(len(w.filters) - 1, w.filters[0].numel())
    count = min(COMPONENTS, most)
    components = inspection.filter_components(filters, count)  # (28, C, P, P)
    kept = principal_components(filters.flatten(1), count).explained()
    noise = torch.randn(filters.flatten(1).shape, generator=seeded(0), **FLOAT32)
    kept_of_noise = float(principal_components(noise, count).explained()[-1])
    return Bank(
        loaded.title,
        "seed" not in facts_of(checkpoint),
        filters.numpy(),
        w.filter_bias.detach().numpy(),
        filters.flatten(1).norm(dim=1).numpy(),
        inspection.smoothness(filters).numpy(),
        components.numpy(),
        kept.numpy(),
        inspection.smoothness(components).numpy(),
        kept_of_noise,
        most,
    )


class FilterBank(PictureWidget):
    """Every filter of a model's patch embedding. Choose one: its channels, and where on the picture it answers."""

    title = "Look at what E learned"
    summary = "The filters of a real model's patch embedding, where each answers on your picture, and their components."

    filter = param.Integer(0, bounds=(0, None), doc="the filter that is chosen: a column of E, a number of every token")
    order = param.Selector(default="number", objects=list(ORDERS), doc="how the filters are laid out")
    shared_scale = param.Boolean(False, doc="draw all filters on one scale, so that weak ones look weak")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._last: tuple[Bank, Reading] | None = None
        self._parts = self._make_parts()
        self.draw_with(self._redraw, "filter", "order", "shared_scale")
        self._parts["wall"].param.watch(self._picked, ["selected"])
        self.share_token(self._parts["map"], self._parts["answers"], on=self._drawn_on)

    # what is shown, as arrays -----------------------------------------------------------------------------

    def found(self) -> tuple[Bank, Reading]:
        """The filters, and the picture as the model reads it. Raises CheckpointMissing or ValueError with a
        sentence."""
        return bank_of(self.selection.checkpoint), read(self.selection.checkpoint, self.choice.picture)

    def answers(self, reading: Reading, d: int) -> np.ndarray:
        """Number d of every patch's token, x_p E + b: (N,)."""
        return reading.trace.patch_embeddings[0, :, d].numpy()

    def number(self, bank: Bank) -> int:
        """The chosen filter, the last one if the model has fewer."""
        return min(self.filter, len(bank.filters) - 1)

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        parts = self._parts
        bar = self.bar(
            controls.choice(
                self.param.order, "Order of the filters", {text: name for name, text in ORDERS.items()}, width=160
            ),
            controls.switch(self.param.shared_scale, "one scale for all"),
        )
        one = pn.Column(
            parts["one"], parts["facts"], styles={"flex": "1 1 360px", "min-width": "0", "gap": "12px"}, margin=0
        )
        wall = pn.Column(parts["wall"], styles={"flex": "1 1 420px", "max-width": "560px", "min-width": "0"}, margin=0)
        where = pn.Column(parts["map"], styles={"flex": "1 1 280px", "max-width": "400px", "min-width": "0"}, margin=0)
        ends = pn.Column(
            parts["ends"], parts["answers"], styles={"flex": "1 1 300px", "min-width": "0", "gap": "12px"}, margin=0
        )
        return self.stacked(
            bar,
            pn.FlexBox(wall, one, gap="24px", align_items="flex-start"),
            pn.FlexBox(where, ends, gap="24px", align_items="flex-start"),
            parts["components"],
            gap=24,
            wide=True,
        )

    def _make_parts(self) -> dict[str, Part]:
        shared = {"channel": self.selection.channel, "selected": self.selection.token}
        return {
            "wall": PatternWall(title="Click a filter"),
            "one": PatternRow(title="The filter", size=84),
            "facts": NumberTable(),
            "map": PictureGrid(title="Where it answers on your picture", **shared),
            "ends": PatternRow(title="The patches it answers most and least", size=84),
            "answers": NumberTable(**shared),
            "components": PatternRow(title="The components that all filters are mixed from", size=60),
        }

    def _states(self, bank: Bank, reading: Reading) -> dict[str, dict[str, Any]]:
        """What each part shows now."""
        d, prefix = self.number(bank), reading.trace.prefix
        answers = self.answers(reading, d)
        return {
            "wall": self._wall(bank, d),
            "one": self._one(bank, d),
            "facts": {"fixed": self._facts(bank, d)},
            "map": self._map(reading, d, answers) | {"prefix": prefix},
            "ends": self._ends(reading, answers),
            "components": self._components(bank),
            "answers": {
                "prefix": prefix,
                "names": ["patch n", f"number {d} of its token"],
                "by_token": [[str(n), fixed(v)] for n, v in enumerate(answers)],
            },
        }

    def _wall(self, bank: Bank, d: int) -> dict[str, Any]:
        order = bank.order(self.order)
        high = float(np.abs(bank.filters).max()) if self.shared_scale else None
        scale = "All on one scale" if self.shared_scale else "Each on a scale of its own"
        D, C, P, _ = bank.filters.shape
        return PatternWall.drawn(bank.filters[order], high) | {
            "names": [
                f"filter {m}: length {bank.lengths[m]:.3f}, smoothness {fixed(bank.smooth[m], 2)}" for m in order
            ],
            "selected": int(np.flatnonzero(order == d)[0]),
            "alt": f"The filters of {bank.title}",
            "caption": (
                f"{bank.title}{'' if bank.trained else ', whose weights are random'}: D = {D:,} filters of {P} × {P} ×"
                f" {C}, {ORDERS[self.order]}. {scale}, symmetric round grey: grey is 0. Smoothness is 1 where all"
                " neighbours agree, near 0 in noise."
            ),
        }

    def _one(self, bank: Bank, d: int) -> dict[str, Any]:
        chosen = bank.filters[d]  # (C, P, P)
        high = float(np.abs(bank.filters if self.shared_scale else chosen).max())
        whole, apart = (PatternRow.drawn(p, high)["patterns"] for p in (chosen[None], chosen[:, None]))
        return {
            "patterns": whole + apart,
            "side": chosen.shape[-1],
            "heads": ["in colour", "red", "green", "blue"],
            "caption": (
                f"Filter {d} is column {d} of E; beside it its weights for each colour. Grey is 0, white and black are"
                f" +{high:.3f} and −{high:.3f}."
            ),
        }

    def _facts(self, bank: Bank, d: int) -> list[tuple[str, str]]:
        return [
            ("filter d, of " + f"{len(bank.filters):,} from 0", f"{d}"),
            ("its weights, P²C", f"{bank.filters[d].size:,}"),
            ("its length", f"{bank.lengths[d]:.3f}"),
            ("its smoothness", fixed(bank.smooth[d], 2)),
            ("its bias, number d of b", fixed(bank.bias[d])),
        ]

    def _map(self, reading: Reading, d: int, answers: np.ndarray) -> dict[str, Any]:
        high = float(np.abs(answers).max()) or 1.0
        places = np.array([patch_position(n, reading.trace.grid) for n in range(len(answers))], dtype=np.int32)
        return PictureGrid.picture(reading.pixels) | {
            "patch_size": reading.patch_size,
            "positions": places.tobytes(),
            "maps": answers.astype(np.float16).tobytes(),
            "maps_kind": "signed",
            "maps_low": -high,
            "maps_high": high,
            "maps_name": f"number {d} of each token",
            "alt": reading.picture.alt,
            "caption": f"Number {d} of x_p E + b for every patch: blue below 0, orange above. {reading.caption}",
        }

    def _ends(self, reading: Reading, answers: np.ndarray) -> dict[str, Any]:
        P, order = reading.patch_size, np.argsort(-answers, kind="stable")
        shown = [*order[:2], *order[-2:][::-1]]  # largest two, then smallest two
        patches = patchify(reading.pixels, P)[shown].reshape(-1, 3, P, P).transpose(0, 2, 3, 1)
        heads = ["largest", "next", "smallest", "next"]
        return {
            "patterns": np.ascontiguousarray(patches).tobytes(),
            "side": P,
            "heads": heads,
            "notes": [f"patch {n}: {fixed(answers[n])}" for n in shown],
        }

    def _components(self, bank: Bank) -> dict[str, Any]:
        count = len(bank.components)
        each = np.diff(bank.kept, prepend=0)
        return PatternRow.drawn(bank.components) | {
            "heads": [str(m + 1) for m in range(count)],
            "notes": [f"{100 * part:.1f}%" for part in each],
            "caption": self._verdict(bank),
        }

    def _verdict(self, bank: Bank) -> str:
        """What this model's components look like, computed, beside what the paper says of its own."""
        count, low, high = len(bank.components), bank.component_smooth.min(), bank.component_smooth.max()
        looks = (
            f"The first {count} of {bank.most:,} components of {bank.title}'s filters hold {100 * bank.kept[-1]:.1f}%"
            f" of their variance; of as many filters of random numbers they would hold {100 * bank.kept_of_noise:.1f}%."
            f" Their smoothness is {fixed(low, 2)} to {fixed(high, 2)}, where noise is near 0."
        )
        paper = (
            " The paper (Figure 7, left) calls those of its ViT-L/32, trained with labels, a plausible basis for the"
            " fine structure of a patch."
        )
        if not bank.trained:
            return f"{looks} These weights are random, so this is noise, and its components are noise too."
        return (
            f"{looks}{paper} This is another model, trained another way: compare by eye, and by these numbers."
            " Under each component stands its share of the variance."
        )

    # what changes -----------------------------------------------------------------------------------------

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._parts["wall"]]

    @draws
    def _redraw(self, *_: Any) -> None:
        bank, reading = self.found()
        self._last = (bank, reading)
        with pn.io.hold():
            for name, state in self._states(bank, reading).items():
                self._parts[name].param.update(status="ready", message="", **state)

    def _picked(self, event: param.parameterized.Event) -> None:
        if self._last is not None:
            self.filter = int(self._last[0].order(self.order)[min(event.new, len(self._last[0].filters) - 1)])

    def _drawn_on(self) -> tuple[tuple[int, int], int] | None:
        """The grid of the reading that is shown, and the tokens in front of its patches."""
        return None if self._last is None else (self._last[1].trace.grid, self._last[1].trace.prefix)

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """The chosen filter and its answers in words."""
        bank, reading = self.found()
        d = self.number(bank)
        answers = self.answers(reading, d)
        most, least = int(answers.argmax()), int(answers.argmin())
        sentence = (
            f"Filter {d} of {len(bank.filters):,} of {bank.title}, on “{reading.picture.title}”: patch {most} gives the"
            f" largest number, {fixed(answers[most])}, patch {least} the smallest, {fixed(answers[least])}."
            f" {self._verdict(bank)}"
        )
        return Description(sentence, self._facts(bank, d))

    def still(self) -> Figure:
        """Where the chosen filter answers, the smoothest filters, and the leading components."""
        bank, reading = self.found()
        P = bank.filters.shape[-1]
        smoothest = bank.filters[bank.order("smooth")[:8]]
        both = np.concatenate([smoothest, bank.components[:8]])
        shown = np.frombuffer(PatternRow.drawn(both)["patterns"], np.uint8).reshape(-1, P, P, 3)
        d = self.number(bank)
        answers = self.answers(reading, d)  # (N,)
        colours = np.array(colour_scale("signed"), dtype=np.uint8)  # (256, 3)
        steps = (127.5 + 127.5 * answers / (np.abs(answers).max() or 1.0)).round().astype(int)
        where = colours[steps].reshape(*reading.trace.grid, 3).transpose(2, 0, 1)
        return stills.pictures_and_patterns(
            [
                (reading.pixels, f"{reading.picture.title}, read by\n{bank.title}"),
                (where, f"number {d} of every token\nblue below 0, orange above"),
            ],
            shown,
            "its eight smoothest filters, and under them its first components",
        )
