"""LayerNorm of one token with numbers a reader can change: every step written out (chapter 07)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from widgets.block import norm_sheet
from widgets.block.norm_sheet import EPSILON, epsilon_typed
from widgets.common.refusal import Refused
from widgets.experiments.kept_pass import Reading, read
from widgets.kit import stills
from widgets.kit.answering import draws
from widgets.kit.picture_widget import PictureWidget
from widgets.kit.undo import Changes
from widgets.kit.widget import Description
from widgets.model.library import weights_of
from widgets.model.norm import norm_steps
from widgets.model.patches import token_name
from widgets.parts import EditableMatrices, Line, Matrix, Part, PictureGrid, controls, norm_sums
from widgets.parts.editable_matrices import number_typed
from widgets.parts.written_sum import significant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.model.norm import NormSteps

D = 8  # numbers of the token on the sheet
HAND, PICTURE = "hand", "picture"
STARTS: dict[str, tuple[str, tuple[float, ...]]] = {  # name: (title, numbers); gamma 1 and beta 0
    HAND: ("set by hand: an ordinary spread", (2, 4, 4, 4, 5, 5, 7, 9)),
    "flat": ("set by hand: a tiny spread", (0.501, 0.499) * 4),
    "equal": ("set by hand: all the same", (3.0,) * 8),
}
COMPARED = (1e-12, 1e-6, 1e-5)  # the epsilons that codes really use


class LayerNormLab(PictureWidget):
    """One token of eight numbers through LayerNorm. Change a number, gamma, beta or epsilon; every cell shows its
    sum."""

    title = "Change a token"
    summary = "Normalise one token by hand: edit its numbers, gamma, beta and epsilon, and read every step."
    offers = ("layer",)

    start = param.Selector(default=HAND, objects=[*STARTS, PICTURE], doc="the token to start from")
    sample = param.Boolean(False, doc="divide the squares by D - 1, as torch.var does: not what LayerNorm does")
    x = param.Array(doc="the token, (8,)")
    gamma = param.Array(doc="gain of each number, (8,)")
    beta = param.Array(doc="shift of each number, (8,)")
    epsilon = param.Number(1e-6, bounds=(EPSILON.least, EPSILON.most), doc="added to the variance under the root")
    chosen = param.String("n 0 0", doc="the cell whose sum is kept in view: 'matrix row column'")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.reading: Reading | None = None
        self._changes = Changes(self)
        self._sheet = EditableMatrices(self.edit, undo=self.undo, chosen=self.chosen, sum_after=2)
        self._grid = PictureGrid(
            title="Click the patch whose token you want", channel=self.selection.channel, stand_in=False
        )
        self._of_picture = self.bar()
        if self.x is None:
            self._load()
        self._redraw()
        self.param.watch(self._load, ["start"])
        self.param.watch(self._redraw, ["x", "gamma", "beta", "epsilon", "sample"])
        self.selection.param.watch(self._followed, [*self.selection.READ, "layer", "token"])
        self.share_token(self._grid)
        self._sheet.param.watch(lambda event: setattr(self, "chosen", event.new), ["chosen"])

    # the numbers ------------------------------------------------------------------------------------------

    def steps(self, epsilon: float | None = None) -> NormSteps:
        """Every step from x to its norm, at the sheet's epsilon or another."""
        return norm_steps(self.x, self.gamma, self.beta, self.epsilon if epsilon is None else epsilon, self.sample)

    def edit(self, key: str, row: int, column: int, text: str) -> None:
        """Put what was typed into a cell, or say beside the cell why not and keep the number there."""
        try:
            if key == "epsilon":
                self._change(epsilon=epsilon_typed(text))
            else:
                changed = getattr(self, key).copy()
                changed[column] = number_typed(text)
                self._change(**{key: changed})
        except Refused as refusal:
            kept = self.epsilon if key == "epsilon" else float(getattr(self, key)[column])
            self._sheet.refuse(key, row, column, f"{refusal} The cell keeps {significant(kept)}.")

    def undo(self, *_: Any) -> None:
        """Take the last change of a number back; with none left, nothing happens."""
        self._changes.undo()

    def _change(self, **changed: Any) -> None:
        if all(np.array_equal(getattr(self, name), new) for name, new in changed.items()):
            self._sheet.refusal = ""  # "4.0" over 4: nothing moves, so there is nothing to undo
            return
        self._changes.make(**changed)

    # where they come from ---------------------------------------------------------------------------------

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._sheet]

    def notice(self, status: str, sentence: str) -> None:
        """Say it on the sheet, which shows the example by hand where it shows nothing yet."""
        if self.x is None:
            self._by_hand(HAND)
        super().notice(status, sentence)

    @draws
    def _load(self, *_: Any) -> None:
        """Take the numbers of the start that is chosen; what cannot be read leaves them as they are, and says why."""
        self._changes.forget()
        if self.start != PICTURE:
            self._sheet.param.update(status="ready", message="")
            self._by_hand(self.start)
            return
        self.reading = read(self.selection.checkpoint, self.choice.picture)
        self._sheet.param.update(status="ready", message="")
        self._show_picture()
        weights = self._weights()
        parts = {"x": self.token_row(), "gamma": weights[0], "beta": weights[1]}
        self.param.update(
            **{name: np.round(row[:D].astype(float), 4) + 0.0 for name, row in parts.items()},
            epsilon=self.model_epsilon,
        )
        self._redraw()

    def _by_hand(self, start: str) -> None:
        self.param.update(x=np.array(STARTS[start][1], float), gamma=np.ones(D), beta=np.zeros(D), epsilon=1e-6)
        self._redraw()

    @property
    def layer(self) -> int:
        """The layer whose first norm is read, from 0."""
        return min(self.selection.layer, len(self.reading.trace.layers) - 1)

    @property
    def token(self) -> int:
        """The row of z that is read."""
        return min(self.selection.token, self.reading.trace.z0.shape[1] - 1)

    def token_row(self) -> np.ndarray:
        """The followed token as the layer's first norm reads it: float32 (D,), all of the model's D numbers."""
        return self.reading.trace.into(self.layer)[0, self.token].numpy()

    @property
    def model_epsilon(self) -> float:
        """Epsilon of the checkpoint that is read."""
        return weights_of(self.reading.checkpoint.model).layer_norm_eps

    def _weights(self) -> tuple[np.ndarray, np.ndarray]:
        block = weights_of(self.reading.checkpoint.model).blocks[self.layer]
        return block.ln1_weight.detach().numpy(), block.ln1_bias.detach().numpy()

    def _followed(self, *_: Any) -> None:
        if self.start == PICTURE:
            self._load()

    def _show_picture(self) -> None:
        reading = self.reading
        self._grid.param.update(
            prefix=reading.trace.prefix,
            selected=self.token,
            alt=reading.picture.alt,
            patch_size=reading.patch_size,
            caption=reading.caption,
            **PictureGrid.picture(reading.pixels),
        )

    # the matrices with their sums -------------------------------------------------------------------------

    def matrices(self) -> dict[str, Matrix]:
        """Every matrix on the sheet, by its key, each computed cell with its sum."""
        found = norm_sheet.matrices(self.steps(), self.compared())
        if self.start == PICTURE and self.reading is not None:
            theirs = self.reading.trace.layers[self.layer].ln1[0, self.token, :D].numpy()
            found["model"] = norm_sheet.row(
                "model", theirs, "LN(z)", None, (), f"the first 8 of {len(self.token_row())}"
            )
        return found

    def compared(self) -> list[NormSteps]:
        """The steps under each epsilon that codes use."""
        return [self.steps(epsilon) for epsilon in COMPARED]

    def lines(self) -> list[Line]:
        """The matrices in the order of the computation; of a token of the picture, what the model itself gives too."""
        found = self.matrices()
        whose = "One token" if "model" not in found else f"The first {D} numbers of {self._named()}"
        lines = norm_sheet.lines(found, self.sample, whose)
        if "model" in found:
            row = self.token_row()
            lines.append(
                Line(
                    f"What the model itself gives, over all {len(row)} numbers: mean"
                    f" {norm_sums.one(float(row.mean()))}, variance {norm_sums.one(float(row.var()))}",
                    [found["model"]],
                )
            )
        return lines

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        titles = {title: name for name, (title, _) in STARTS.items()} | {"a token of the picture": PICTURE}
        bar = controls.row(
            controls.choice(self.param.start, "Start from", titles, width=270),
            controls.radio(self.param.sample, "Divide the squares by", {"D": False, "D − 1": True}),
            controls.button("Undo", self.undo),
        )
        grid = self._beside = pn.Column(
            self._grid, margin=0, styles={"flex": "1 1 220px", "max-width": "280px", "min-width": "0"}
        )
        sheet = pn.Column(self._sheet, margin=0, styles={"flex": "4 1 560px", "min-width": "0"})
        self._show_controls()
        return self.stacked(
            bar, self._of_picture, pn.FlexBox(grid, sheet, gap="24px", align_items="flex-start"), gap=12
        )

    def _show_controls(self) -> None:
        of_picture = self._of_picture.visible = self.start == PICTURE
        if hasattr(self, "_beside"):
            self._beside.visible = of_picture

    def _redraw(self, *_: Any) -> None:
        with pn.io.hold():
            self._show_controls()
            self._sheet.caption = self._caption()
            self._sheet.show(self.lines())

    def _caption(self) -> str:
        corner = "A corner marks the cells that the last change moved."
        if not self.steps().root:
            return (
                "Variance and ε are both 0, and 0 / 0 is no number. An epsilon above 0 is there to prevent this."
                f" {corner}"
            )
        if self.start != PICTURE or self.reading is None:
            return f"Numbers set by hand, no model. {corner}"
        return (
            f"The first 8 numbers of {self._named()}, as the first norm of layer {self.layer + 1} reads them, rounded"
            " to four decimals, with the model's own γ, β and ε. On this sheet the 8 stand for a whole token; the"
            f" model takes mean and variance over all {len(self.token_row())}. {corner}"
        )

    def _named(self) -> str:
        return token_name(self.token, self.reading.trace.prefix)

    # the same in words and as a still ---------------------------------------------------------------------

    def written(self, key: str, row: int, column: int) -> str:
        """A cell of the sheet with its sum, as text."""
        return self.matrices()[key].written(row, column)

    def describe(self) -> Description:
        """Mean, variance, epsilon and the norm of the token, and the cell kept in view with its sum."""
        s, found = self.steps(), self.matrices()
        whose = (
            "set by hand"
            if self.start != PICTURE or self.reading is None
            else f"the first of {self._named()} of {self.reading.picture.named}"
        )
        sentence = (
            f"A token of 8 numbers, {whose}: mean {norm_sums.one(s.mean)}, {'sample' if self.sample else 'population'}"
            f" variance {norm_sums.one(s.variance)}, epsilon {significant(self.epsilon)}, so it is divided by"
            f" {norm_sums.one(s.root)}."
        )
        table = [
            (symbol, "  ".join(found[key].content()["cells"][0]))
            for symbol, key in (("x", "x"), ("normalised, n", "n"), ("γ n + β", "y"))
        ]
        table += [
            (f"y at ε = {significant(epsilon)}", "  ".join(row))
            for epsilon, row in zip(COMPARED, found["compared"].texts, strict=True)
        ]
        key, row, column = self.chosen.split(" ")
        if key in found and found[key].sums and int(column) < len(found[key].sums[0]):
            table.insert(0, (f"{found[key].symbol}, number {column}", self.written(key, int(row), int(column))))
        return Description(sentence, table)

    def still(self) -> Figure:
        """The token, its normalised numbers and its norm, as rows of cells."""
        s = self.steps()
        rows = [("x", s.x), ("n = (x − mean) / root", np.nan_to_num(s.normal)), ("y = γ n + β", np.nan_to_num(s.out))]
        return stills.number_rows(
            rows, f"mean {norm_sums.one(s.mean)}, variance {norm_sums.one(s.variance)}, ε {significant(self.epsilon)}"
        )
