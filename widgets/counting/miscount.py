"""Break it: count a model with a mistake. What the sum becomes, who would notice, and what the difference gives
away."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.kit.widget import Description, Widget
from widgets.lesson.exercises import vit_param_count
from widgets.model.shape import FAMILY, ViTShape
from widgets.parts import NumberTable, controls

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIGHT = "none"
MISTAKES = {  # name of the exercise's misconception -> what the drop-down says
    RIGHT: "nothing: as it should be",
    "final-norm": "the final norm forgotten",
    "patch-bias": "the bias of the patch embedding forgotten",
    "class-row": "the class token forgotten, its position counted",
    "qkv-biases": "the biases of Q, K and V forgotten",
    "one-norm": "one norm a block, not two",
    "gain-only": "norms with a gain only",
    "output-projection": "attention with three matrices, not four",
    "heads-multiply": "attention multiplied by the heads",
    "head-bias": "the head's bias forgotten",
    "pooler": "a tanh layer (pooler) counted that is not there",
}
MIXED = {  # mistakes whose difference the rule of the chapter does not read off at once -> how it comes about
    "gain-only": "Two places at once: 2 L D in the layers, and one D in the final norm.",
    "pooler": "A whole matrix and its bias, D² + D, is D + 1 times D.",
    "output-projection": "A whole matrix and its bias a layer, D² + D, is D + 1 times D.",
}
MODELS = ("Ti/16", "S/16", "B/16", "L/16", "H/14")


class Miscount(Widget):
    """One mistake in the sum, on or off: the wrong total, what rounding hides, and the difference in units of D."""

    title = "Count it wrongly"
    summary = "Switch on a mistake in the sum. Rounded, most of them disappear; exact, each leaves its own difference."

    mistake = param.Selector(default=RIGHT, objects=list(MISTAKES), doc="what is counted wrongly")
    model = param.Selector(default="B/16", objects=list(MODELS), doc="the model of the family that is counted")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._table = NumberTable(title="What becomes of the sum")
        self._words = controls.words("", sizing_mode="stretch_width")
        self._show()
        self.param.watch(self._show, ["mistake", "model"])

    @property
    def counts(self) -> tuple[int, int]:
        """The right number of parameters, and the one with the mistake."""
        cfg = _cfg(FAMILY[self.model])
        faults = frozenset() if self.mistake == RIGHT else frozenset({self.mistake})
        return vit_param_count.expected(cfg), vit_param_count.faulty(cfg, faults)

    def __panel__(self) -> pn.viewable.Viewable:
        bar = controls.row(
            controls.choice(self.param.model, "Model", {f"ViT-{name}": name for name in MODELS}, width=140),
            controls.choice(
                self.param.mistake, "The mistake", {text: name for name, text in MISTAKES.items()}, width=340
            ),
        )
        return pn.Column(
            bar,
            self._table,
            self._words,
            self.text_twin(),
            sizing_mode="stretch_width",
            max_width=680,
            margin=0,
            styles={"gap": "12px"},
        )

    def _rows(self) -> list[tuple[str, str]]:
        right, wrong = self.counts
        shape, difference = FAMILY[self.model], wrong - right
        return [
            ("errors raised", "none"),
            ("the right sum", f"{right:,}"),
            ("the sum with the mistake", f"{wrong:,}"),
            ("rounded to millions", f"{right / 1e6:.0f}M and {wrong / 1e6:.0f}M"),
            ("difference", _signed(difference)),
            ("in units of D", _in_units(difference, shape.hidden_size, "D")),
            (
                "in units of L D, once a layer",
                _in_units(difference, shape.num_hidden_layers * shape.hidden_size, "L D"),
            ),
        ]

    def _show(self, *_: Any) -> None:
        self._table.fixed = self._rows()
        self._words.object = controls.status(self._explanation())

    def _explanation(self) -> str:
        if self.mistake == RIGHT:
            return "The sum is right. Choose a mistake above."
        right, wrong = self.counts
        hidden = f"{right / 1e6:.0f}" == f"{wrong / 1e6:.0f}"
        seen = (
            "Rounded to millions, the two are the same: a table in a paper would not show it."
            if hidden
            else "Even rounded to millions, the two differ."
        )
        said = vit_param_count.EXERCISE.misconception(self.mistake).sentence.replace("^2", "²")
        said = re.sub(r"\bd(?=[\s.,:;²)]|_ff|$)", "D", said)  # the exercise writes d, as its cfg does
        return " ".join(filter(None, (said, seen, MIXED.get(self.mistake))))

    def describe(self) -> Description:
        """The mistake and its difference in words."""
        right, wrong = self.counts
        if self.mistake == RIGHT:
            return Description(f"ViT-{self.model} counted with no mistake: {right:,} parameters.", self._rows())
        return Description(
            f"ViT-{self.model} with {MISTAKES[self.mistake]}: {wrong:,} where {right:,} is right."
            f" {self._explanation()}",
            self._rows(),
        )

    def still(self) -> Figure:
        """The rows of the table."""
        from widgets.counting.ledger_still import table_still

        return table_still(f"ViT-{self.model}: {MISTAKES[self.mistake]}", self._rows())


def _cfg(shape: ViTShape) -> dict[str, Any]:
    """A shape under the short names of the counting exercises."""
    return {
        "img": shape.image_size,
        "P": shape.patch_size,
        "C": shape.num_channels,
        "d": shape.hidden_size,
        "L": shape.num_hidden_layers,
        "h": shape.num_attention_heads,
        "d_ff": shape.intermediate_size,
        "n_classes": shape.num_labels,
        "cls_token": shape.class_token,
        "n_registers": shape.registers,
        "pool": shape.pool,
    }


def _signed(number: int) -> str:
    return f"{number:+,}".replace("-", "−") if number else "0"


def _in_units(difference: int, unit: int, name: str) -> str:
    if difference == 0:
        return "0"
    times = difference / unit
    return (
        f"{_signed(difference // unit)} {name}"
        if difference % unit == 0
        else f"{times:+,.2f} {name}: not whole".replace("-", "−")
    )
