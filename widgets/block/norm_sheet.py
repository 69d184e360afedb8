"""LayerNorm of one token on a sheet: its matrices with their sums, in lines, and the epsilon a reader types."""

from __future__ import annotations

import numpy as np

from widgets.common import typed_number
from widgets.common.typed_number import Kind
from widgets.model.norm import NormSteps, spread
from widgets.parts import Line, Matrix, norm_sums
from widgets.parts.written_sum import Written, significant

EPSILON = Kind("Epsilon", 0, 1, example="1e-6 or 0.00001")


def matrices(s: NormSteps, compared: list[NormSteps]) -> dict[str, Matrix]:
    """Every matrix of the computation by its key, each computed cell with its sum; and the same token under other
    epsilons."""
    columns = range(len(s.x))
    rows = {"x": ("x", s.x, "ink"), "gamma": ("γ", s.gamma, "key"), "beta": ("β", s.beta, "position")}
    found = {
        key: Matrix(key, row[None], symbol=symbol, editable=True, hue=hue, row_heads=("",))
        for key, (symbol, row, hue) in rows.items()
    }
    found["epsilon"] = _one("epsilon", s.epsilon, "ε", "query", editable=True)
    found["mean"] = _one(
        "mean", s.mean, "mean", "value", norm_sums.mean(s), (("x", "", ""),), f"of the {len(s.x)} numbers"
    )
    found["variance"] = _one(
        "variance",
        s.variance,
        "variance",
        "class",
        norm_sums.variance(s),
        (("x", "", ""), ("mean", "", "")),
        f"divided by {s.divisor}",
    )
    found["root"] = _one(
        "root",
        s.root,
        "root",
        "accent",
        norm_sums.root(s),
        (("variance", "", ""), ("epsilon", "", "")),
        "of variance + ε",
    )
    found["n"] = row(
        "n",
        s.normal,
        "n",
        [norm_sums.normal(s, j) for j in columns],
        (("x", "i", "j"), ("mean", "", ""), ("root", "", "")),
    )
    found["y"] = row(
        "y",
        s.out,
        "y",
        [norm_sums.out(s, j) for j in columns],
        (("n", "i", "j"), ("gamma", "i", "j"), ("beta", "i", "j")),
    )
    found["compared"] = _compared(compared)
    found["apart"] = _one(
        "apart", spread(compared), "largest difference", "ink", None, (("compared", "", ""),), "between two rows"
    )
    return found


def lines(found: dict[str, Matrix], sample: bool, whose: str) -> list[Line]:
    """The matrices in the order of the computation, for the token that is `whose`."""
    kind = (
        "sample variance: divided by D − 1, which is not LayerNorm" if sample else "population variance: divided by D"
    )
    return [
        Line(
            f"{whose}, and the norm's γ, β and ε. Click a number and type",
            [found[key] for key in ("x", "gamma", "beta", "epsilon")],
        ),
        Line(
            f"Over the whole token: mean, {kind}; root = √(variance + ε)",
            [found[key] for key in ("mean", "variance", "root")],
        ),
        Line("n = (x − mean) / root, then y = γ n + β", [found["n"], found["y"]]),
        Line("The same token under the epsilons that codes use", [found["compared"], found["apart"]]),
    ]


def row(
    key: str, values: np.ndarray, symbol: str, sums: list[Written] | None, made_of: tuple, note: str = ""
) -> Matrix:
    """A row of numbers in signed colours; NaN is written 0 / 0."""
    return Matrix(
        key,
        np.nan_to_num(values)[None],
        symbol=symbol,
        note=note,
        kind="signed",
        row_heads=("",),
        texts=[[norm_sums.in_row(v) for v in values]],
        sums=None if sums is None else [sums],
        made_of=made_of,
    )


def epsilon_typed(text: str) -> float:
    """An epsilon a reader typed: from 0 to 1, however small. Raises ValueError with a sentence that says what to do."""
    return typed_number.number_typed(text, EPSILON)


def _compared(rows: list[NormSteps]) -> Matrix:
    values = np.stack([s.out for s in rows])  # (epsilons, D)
    return Matrix(
        "compared",
        np.nan_to_num(values),
        symbol="y",
        note="an epsilon a row",
        kind="signed",
        row_heads=tuple(f"ε = {significant(s.epsilon)}" for s in rows),
        texts=[[norm_sums.in_row(v) for v in row] for row in values],
        sums=[[norm_sums.out(s, j) for j in range(len(s.x))] for s in rows],
        made_of=(("x", "", "j"), ("gamma", "", "j"), ("beta", "", "j")),
    )


def _one(
    key: str,
    value: float,
    symbol: str,
    hue: str,
    sums: Written | None = None,
    made_of: tuple = (),
    note: str = "",
    editable: bool = False,
) -> Matrix:
    text = significant(value) if editable else norm_sums.one(value)
    return Matrix(
        key,
        np.array([[value]]),
        symbol=symbol,
        note=note,
        hue=hue,
        editable=editable,
        row_heads=("",),
        column_heads=("",),
        texts=[["no number" if np.isnan(value) else text]],
        sums=None if sums is None else [[sums]],
        made_of=made_of,
    )
