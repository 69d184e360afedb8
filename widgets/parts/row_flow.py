"""The row of the token that is followed, in one matrix after another: what comes in, what goes out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import param

from widgets.parts.part import Part


class RowFlow(Part):
    """Draws, for the token that is followed, its row of each of some matrices, the numbers in coloured cells.

    Each line names its matrix, the shape of the whole of it, and how many of its columns are shown.
    """

    lines = param.List([], doc="dicts as `line` makes them, in the order in which they are drawn")
    values = param.Bytes(b"", doc="float32, all matrices one behind another, each row by row")
    picks = param.Bytes(b"", doc="int32, the tokens that numbers belong to, for the lines that have them")
    tokens = param.List([], doc="what every token is called")
    class_button = param.Boolean(True, doc="offer a button that follows the token in front of the patches")

    _esm = Path(__file__).parent / "row_flow.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "row_flow.css"]

    @staticmethod
    def flow(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Parameters that show these lines. Each dict has `values` (R, shown) and may have `picks` of the same shape.

        Lines with the same `scale` share one range of colours, up to `top` where a line names it; then
        `over` says that there are numbers above it. Raises ValueError for a matrix of another dimension.
        """
        numbers, picked, said, start, pick = [], [], [], 0, 0
        for line in lines:
            values = np.ascontiguousarray(line["values"], dtype=np.float32)
            if values.ndim != 2:
                raise ValueError(f"a line shows rows of a matrix, and this has shape {values.shape}")
            about = {name: value for name, value in line.items() if name not in ("values", "picks")}
            about |= {"rows": values.shape[0], "shown": values.shape[1], "start": start, "pick": -1}
            start += values.size
            numbers.append(values.tobytes())
            if line.get("picks") is not None:
                about["pick"] = pick
                pick += values.size
                picked.append(np.ascontiguousarray(line["picks"], dtype=np.int32).tobytes())
            said.append(about)
        ranges = _ranges(lines)
        for about, line in zip(said, lines, strict=True):
            about["low"], about["high"] = ranges[line["scale"]]
            about["over"] = bool(np.abs(line["values"]).max(initial=0.0) > about["high"])
        return {"lines": said, "values": b"".join(numbers), "picks": b"".join(picked)}


def _ranges(lines: Sequence[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """For each scale the range that holds every value: from 0 for weights, symmetric for signed numbers."""
    high: dict[str, float] = {}
    for line in lines:
        top = line.get("top") or float(np.abs(line["values"]).max(initial=0.0))
        high[line["scale"]] = max(high.get(line["scale"], 0.0), top)
    weights = {line["scale"] for line in lines if line.get("kind") == "weight"}
    return {name: (0.0 if name in weights else -top, top) for name, top in high.items()}
