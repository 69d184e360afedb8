"""A matrix with its symbol, its shape, its heads and a scale. Rows are tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import param

from widgets.parts.part import Part


class MatrixView(Part):
    """Draws a matrix: numbers in the cells of a small one, colours above. Hovering a row follows its token."""

    values = param.Bytes(b"", doc="float16 or float32, row by row; NaN in a small matrix is shown as a dash")
    number_kind = param.Selector(default="float32", objects=["float16", "float32"])
    rows = param.Integer(0, bounds=(0, None))
    columns = param.Integer(0, bounds=(0, None))
    symbol = param.String("", doc="as the paper writes it")
    row_name = param.String("token", doc="what a row is")
    column_name = param.String("number", doc="what a column is")
    row_heads = param.List([], doc="short names of the rows; their numbers from 0 when empty")
    column_heads = param.List([], doc="short names of the columns; their numbers from 0 when empty")
    kind = param.Selector(default="signed", objects=["signed", "weight", "grey"], doc="colour scale")
    low = param.Number(0.0, doc="value at the low end of the scale")
    high = param.Number(1.0, doc="value at the high end of the scale")
    over = param.Boolean(False, doc="there are numbers above high, and the scale says so")
    digits = param.Integer(3, bounds=(0, 6), doc="decimals")
    follow = param.Boolean(
        True, doc="rows are tokens (row = token - row_offset), so mark the row of the token followed"
    )
    row_offset = param.Integer(0, bounds=(0, None), doc="token of the first row")
    written_out = param.Integer(12, constant=True, doc="up to this many rows and columns numbers stand in the cells")
    heat_height = param.Integer(180, bounds=(20, None), doc="pixels of a matrix drawn as colours")

    _esm = Path(__file__).parent / "matrix_view.js"

    @staticmethod
    def matrix(values: np.ndarray, number_kind: str = "float32") -> dict[str, Any]:
        """Parameters that show `values` (rows, columns): the bytes, and a scale that holds every value.

        The scale of signed numbers has zero in its middle. Raises ValueError for anything but two dimensions.
        """
        if values.ndim != 2:
            raise ValueError(f"a matrix has two dimensions; this has shape {values.shape}")
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        if low < 0:
            low, high = -max(-low, high), max(-low, high)
        else:
            low = 0.0
        return {
            "values": np.ascontiguousarray(values, dtype=number_kind).tobytes(),
            "number_kind": number_kind,
            "rows": values.shape[0],
            "columns": values.shape[1],
            "low": low,
            "high": high,
            "kind": "signed" if low < 0 else "weight",
        }
