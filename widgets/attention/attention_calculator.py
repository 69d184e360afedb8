"""Attention with numbers a reader can change: every cell of S, A and O with the sum that makes it (chapter 05)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from widgets.common.refusal import Refused
from widgets.kit.undo import Changes
from widgets.kit.widget import Description, Widget
from widgets.parts import CodeCopy, EditableMatrices, Line, Matrix, controls
from widgets.parts.editable_matrices import number_typed
from widgets.parts.theme import colour_scale
from widgets.parts.written_sum import Written, cells, decimals_needed, factor, number, products, rounded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.model.worked_examples import Inputs, Pencil

EXP_LIMIT = 700.0  # exp of more overflows a float64
PRESET_NAMES = ["small", "pencil"]
FIRST_SHOWN = "S 3 0"


class AttentionCalculator(Widget):
    """One attention computation, cell by cell: any number of X, W_q, W_k, W_v and U_msa can be changed."""

    title = "Change a number"
    summary = (
        "Edit any number of a small attention head and see the written-out sum behind every score, weight and output."
    )

    preset = param.Selector(default="small", objects=PRESET_NAMES, doc="the example to start from")
    head = param.Integer(0, bounds=(0, 1), doc="which head is shown, from 0")
    scaled = param.Boolean(True, doc="divide the scores by the root of D_h")
    masked = param.Boolean(False, doc="a causal mask, which a ViT does not have")
    inputs = param.Parameter(doc="the numbers, a model.pencil.Inputs; never changed in place")
    chosen = param.String(FIRST_SHOWN, doc="the cell whose sum is kept in view: 'matrix row column'")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.inputs = self.inputs or self._start()
        self._changes = Changes(self)
        self._made: tuple[Any, dict[str, Matrix], Inputs] | None = None
        self._sheet = EditableMatrices(self.edit, undo=self.undo, sum_after=1, chosen=self.chosen)
        self._code = CodeCopy()
        self._heads = pn.Column(controls.radio(self.param.head, "Head", {"1": 0, "2": 1}), margin=(0, 16, 8, 0))
        self._redraw()
        self.param.watch(self._start_again, ["preset"])
        self.param.watch(self._redraw, ["inputs", "head", "scaled", "masked"])
        self._sheet.param.watch(lambda event: setattr(self, "chosen", event.new), ["chosen"])

    # the numbers ------------------------------------------------------------------------------------------

    def _start(self) -> Inputs:
        from widgets.model.worked_examples import PRESETS

        return PRESETS[self.preset].inputs

    @property
    def shown(self) -> int:
        """The head that is shown, from 0; an example with one head has no other."""
        return min(self.head, self.inputs.heads - 1)

    def result(self) -> Pencil:
        """Every matrix that comes of the inputs, float64, with the first axis the head."""
        from widgets.model.worked_examples import compute

        return compute(self.inputs, self.scaled, self.masked)

    def code(self) -> str:
        """The computation as a NumPy script."""
        from widgets.model.worked_examples import as_numpy

        return as_numpy(self.inputs, self.scaled, self.masked)

    def edit(self, key: str, row: int, column: int, text: str) -> None:
        """Put what was typed into a cell of an input, or say beside the cell why not and keep the number there."""
        try:
            value = number_typed(text)
            changed = self.inputs.changed(key, self.shown, row, column, value)
        except Refused as refusal:
            kept = number(float(self.inputs.matrix(key, self.shown)[row, column]))
            self._sheet.refuse(key, row, column, f"{refusal} The cell keeps {kept}.")
            return
        if value == float(self.inputs.matrix(key, self.shown)[row, column]):
            self._sheet.refusal = ""  # "1.0" over 1: nothing moves, so there is nothing to undo
            return
        self._changes.make(inputs=changed)

    def undo(self, *_: Any) -> None:
        """Take the last change of a number back; with none left, nothing happens."""
        self._changes.undo()

    def reset(self, *_: Any) -> None:
        """Go back to the example as it was; this can be undone."""
        if self.inputs is not self._start():
            self._changes.make(inputs=self._start())

    def _start_again(self, *_: Any) -> None:
        self._changes.forget()
        with param.parameterized.batch_call_watchers(self):
            self.param.update(head=0, inputs=self._start())
        self._sheet.chosen = FIRST_SHOWN

    # the matrices with their sums -------------------------------------------------------------------------

    def matrices(self) -> dict[str, Matrix]:
        """Every matrix on the sheet, by its key, each cell with its sum. Made once for each state."""
        state = (id(self.inputs), self.shown, self.scaled, self.masked)
        if self._made is None or self._made[0] != state:
            self._made = (state, self._make(), self.inputs)  # the inputs are held, so that their id stays theirs
        return self._made[1]

    def _make(self) -> dict[str, Matrix]:
        h, inputs, result = self.shown, self.inputs, self.result()
        tokens = tuple(f"t{i}" for i in range(len(inputs.X)))
        found = {
            "X": Matrix("X", inputs.X.numpy(), note="a token a row, the paper's z", editable=True, row_heads=tokens)
        }
        for name, hue, does in (("q", "query", "asks"), ("k", "key", "offers"), ("v", "value", "carries")):
            W = f"W_{name}"
            found[W] = Matrix(W, inputs.matrix(W, h).numpy(), editable=True, hue=hue)
            found[name] = self._product(name, "X", W, getattr(result, name)[h].numpy(), found, hue, tokens, note=does)
        found |= self._scores(result.S[h].numpy(), found, tokens)
        found["A"] = self._weights(result.A[h].numpy(), found["S"], tokens)
        found["O"] = self._product(
            "O", "A", "v", result.O[h].numpy(), found, "ink", tokens, kind="signed", note="A v, the paper's SA(z)"
        )
        if inputs.U_msa is not None:
            found |= self._joined(result, tokens)
        return found

    def _product(
        self,
        key: str,
        left: str,
        right: str,
        values: np.ndarray,
        found: dict[str, Matrix],
        hue: str,
        tokens: tuple[str, ...],
        **look: Any,
    ) -> Matrix:
        """`key` = `left` @ `right`, each cell a sum of products."""
        a, b = found[left], found[right]
        d = decimals_needed(values, lambda d: rounded(a.values, d) @ rounded(b.values, d))
        sums = [[products(row, column, (_named(a), _named(b)), d) for column in b.values.T] for row in a.values]
        return Matrix(
            key, values, hue=hue, row_heads=tokens, sums=sums, made_of=((left, "i", ""), (right, "", "j")), **look
        )

    def _scores(self, S: np.ndarray, found: dict[str, Matrix], tokens: tuple[str, ...]) -> dict[str, Matrix]:
        q, k = found["q"].values, found["k"].values
        D_h = q.shape[1]
        root = np.sqrt(D_h) if self.scaled else 1.0
        d = decimals_needed(S, lambda d: rounded(q, d) @ rounded(k, d).T / root)
        sums = [[_scaled(products(row, key, ("query", "key"), d), D_h if self.scaled else 0) for key in k] for row in q]
        hidden = ~np.tri(len(S), dtype=bool) if self.masked else None
        return {
            "S": Matrix(
                "S",
                S,
                note="a query a row, a key a column",
                kind="signed",
                row_heads=tokens,
                column_heads=tokens,
                sums=sums,
                made_of=(("q", "i", ""), ("k", "j", "")),
                crossed=hidden,
            )
        }

    def _weights(self, A: np.ndarray, S: Matrix, tokens: tuple[str, ...]) -> Matrix:
        seen = np.ones_like(A, dtype=bool) if S.crossed is None else ~S.crossed
        less = [_taken_away(row[mask]) for row, mask in zip(S.values, seen, strict=True)]
        d = decimals_needed(A, lambda d: _softmax_again(S.values, seen, less, d))
        sums = [[_share(S.values[i], seen[i], j, less[i], d) for j in range(len(A))] for i in range(len(A))]
        return Matrix(
            "A",
            A,
            note="each row sums to 1",
            kind="weight",
            row_heads=tokens,
            column_heads=tokens,
            sums=sums,
            made_of=(("S", "i", ""),),
        )

    def _joined(self, result: Pencil, tokens: tuple[str, ...]) -> dict[str, Matrix]:
        """The heads side by side, U_msa, and their product: Eq. 8."""
        joined, D_h = result.joined.numpy(), result.O.shape[-1]
        heads = [(h, c) for h in range(len(result.O)) for c in range(D_h)]
        copied = [[[(f"row {token}, column {c} of O of head {h + 1}", "")] for h, c in heads] for token in tokens]
        found = {
            "SA": Matrix(
                "SA",
                joined,
                symbol="[SA_1; SA_2]",
                note="O of both heads",
                kind="signed",
                row_heads=tokens,
                sums=copied,
            ),
            "U_msa": Matrix("U_msa", self.inputs.U_msa.numpy(), editable=True),
        }
        return found | {
            "MSA": self._product("MSA", "SA", "U_msa", result.msa.numpy(), found, "ink", tokens, kind="signed")
        }

    def lines(self) -> list[Line]:
        """The matrices in the order of the computation."""
        found = self.matrices()
        divided = " / √D_h" if self.scaled else ", not scaled"
        lines = [
            Line("Your numbers. Click one and type", [found[key] for key in ("X", "W_q", "W_k", "W_v")]),
            Line("q = X W_q, k = X W_k, v = X W_v", [found[key] for key in "qkv"], beside=True),
            Line(
                f"S = q kᵀ{divided}; A = softmax of each row of S{', masked' if self.masked else ''}; O = A v",
                [found[key] for key in "SAO"],
            ),
        ]
        if "MSA" in found:
            lines.append(
                Line("Both heads side by side, times U_msa: MSA(z)", [found[key] for key in ("SA", "U_msa", "MSA")])
            )
        return lines

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        from widgets.model.worked_examples import PRESETS

        bar = controls.row(
            controls.choice(self.param.preset, "Start from", {p.title: name for name, p in PRESETS.items()}, width=230),
            self._heads,
            controls.switch(self.param.scaled, "Divide by √D_h"),
            controls.switch(self.param.masked, "Causal mask (ViT has none)"),
            controls.button("Undo", self.undo),
            controls.button("Reset", self.reset),
        )
        return self.stacked(bar, self._sheet, self._code, gap=12, wide=True)

    def _redraw(self, *_: Any) -> None:
        with pn.io.hold():
            self._sheet.caption = self._caption()
            self._sheet.show(self.lines())
            self._code.code = self.code()
            self._heads.visible = self.inputs.heads > 1

    def _caption(self) -> str:
        own = {
            "small": (
                "Numbers set by hand, no trained model. D is 4 and D_h 2: a layer has two such heads, and this is one"
                " of them."
            ),
            "pencil": (
                "Numbers set by hand, no trained model: head 1 is a published example, head 2 and U_msa are ours."
            ),
        }[self.preset]
        mask = " Struck-through scores are masked: they count as −∞, and their weights are 0." if self.masked else ""
        return f"{own} A corner marks the cells that the last change moved.{mask}"

    # the same in words and as a still ---------------------------------------------------------------------

    def written(self, key: str, row: int, column: int) -> str:
        """A cell of the sheet with its sum, as text."""
        return self.matrices()[key].written(row, column)

    def describe(self) -> Description:
        """The example, the cell kept in view, and every row of S, A and O."""
        found = self.matrices()
        T, D = self.inputs.X.shape
        D_h = found["q"].values.shape[1]
        divided = f"scores divided by √{D_h}" if self.scaled else "scores not scaled"
        sentence = (
            f"{T} tokens of {D} numbers, head {self.shown + 1} of {self.inputs.heads}, D_h {D_h}, {divided},"
            f" {'a causal mask' if self.masked else 'no mask'}; numbers set by hand."
        )
        table = [
            (f"{key}, row t{i}", "  ".join(row)) for key in "SAO" for i, row in enumerate(cells(found[key].values))
        ]
        key, row, column = self.chosen.split(" ")
        if (
            key in found
            and found[key].sums
            and int(row) < len(found[key].sums)
            and int(column) < len(found[key].sums[0])
        ):
            table.insert(0, (f"{key}, row {row}, column {column}", self.written(key, int(row), int(column))))
        return Description(sentence, table)

    def still(self) -> Figure:
        """S, A and O of the head that is shown, their numbers in the cells."""
        from matplotlib.figure import Figure

        found = self.matrices()
        figure = Figure(figsize=(6.4, 2.2), dpi=100, layout="constrained")
        for axes, key in zip(figure.subplots(1, 3), "SAO", strict=True):
            _draw(axes, found[key])
        return figure


def _named(matrix: Matrix) -> str:
    return "" if matrix.hue == "ink" else matrix.hue


def _scaled(written: Written, D_h: int) -> Written:
    return [("(", ""), *written, (f") / √{D_h}", "")] if D_h else written


def _taken_away(scores: np.ndarray) -> float:
    """What is taken off every score of a row so that its powers can be written: 0 unless exp would leave its range."""
    most = float(scores.max())
    return most if abs(most) > EXP_LIMIT else 0.0


def _softmax_again(S: np.ndarray, seen: np.ndarray, less: list[float], decimals: int) -> np.ndarray:
    """The weights from scores as they are written."""
    import torch

    from widgets.model.attention import softmax

    taken = np.array([value if not value else float(rounded(np.array([value]), decimals)[0]) for value in less])[
        :, None
    ]
    return softmax(torch.from_numpy(np.where(seen, rounded(S, decimals) - taken, -np.inf))).numpy()


def _power(score: float, less: float, decimals: int | None) -> str:
    return f"exp({number(score, decimals)}{f' − {factor(less, decimals)}' if less else ''})"


def _share(scores: np.ndarray, seen: np.ndarray, j: int, less: float, decimals: int | None) -> Written:
    """A weight: its power over the sum of the powers of its row."""
    total = " + ".join(_power(s, less, decimals) for s, counts in zip(scores.tolist(), seen, strict=True) if counts)
    return [(f"{_power(scores[j], less, decimals) if seen[j] else '0'} / ({total})", "")]


def _draw(axes: Any, matrix: Matrix) -> None:
    content = matrix.content()
    shades = np.array(colour_scale(matrix.kind)) / 255
    place = (matrix.values - content["low"]) / ((content["high"] - content["low"]) or 1)
    colours = shades[(place * (len(shades) - 1)).round().astype(int).clip(0, len(shades) - 1)]
    axes.imshow(colours)
    for (i, j), rgb in zip(np.ndindex(matrix.values.shape), colours.reshape(-1, 3), strict=True):
        ink = "#111317" if rgb @ [0.2126, 0.7152, 0.0722] > 0.55 else "#FFFFFF"
        axes.text(j, i, content["cells"][i][j], ha="center", va="center", fontsize=7, color=ink)
    axes.set_title(f"{matrix.key}  {matrix.values.shape[0]} × {matrix.values.shape[1]}", fontsize=9)
    axes.set_yticks(range(len(content["rows"])), content["rows"], fontsize=7)
    axes.set_xticks(range(len(content["columns"])), content["columns"], fontsize=7)
