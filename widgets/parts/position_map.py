"""How alike one position is to all others, over the grid of the patches: hover a cell and it becomes the one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import param

from widgets.parts.part import Part


class PositionMap(Part):
    """Draws, for the token that its channel follows, its row of `maps` as a grid of coloured cells."""

    maps = param.Bytes(b"", doc="float16, (tokens, rows * columns): one map a token, from the class token on")
    rows = param.Integer(0, bounds=(0, None), doc="of patches")
    columns = param.Integer(0, bounds=(0, None), doc="of patches")
    low = param.Number(-1.0, doc="value at the low end of the scale")
    high = param.Number(1.0, doc="value at the high end of the scale")
    kind = param.Selector(default="signed", objects=["signed", "weight"], doc="colour scale")
    said = param.List([], doc="a sentence for each token, written in Python")
    lattice = param.Integer(
        0,
        bounds=(0, None),
        doc="when set, `maps` is one map of numbers, and what is followed is a place:"
        " row * lattice + column of a lattice this fine, laid over grids of any size",
    )
    digits = param.Integer(3, bounds=(0, 6), doc="decimals of a number that is read off, on a lattice")
    offer_class = param.Boolean(False, doc="a button for the class token, which has no cell")

    _esm = Path(__file__).parent / "position_map.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "position_map.css"]

    @staticmethod
    def code(cell: tuple[int, int], grid: tuple[int, int], lattice: int) -> int:
        """The middle of a cell (row, column) of a grid, as a place on the lattice."""
        row, column = (int((2 * at + 1) * lattice // (2 * side)) for at, side in zip(cell, grid, strict=True))
        return row * lattice + column

    @staticmethod
    def cell(code: int, grid: tuple[int, int], lattice: int) -> tuple[int, int]:
        """The cell (row, column) of a grid in which a place of the lattice lies."""
        return code // lattice * grid[0] // lattice, code % lattice * grid[1] // lattice

    @staticmethod
    def of(maps: np.ndarray, grid: tuple[int, int]) -> dict[str, Any]:
        """Parameters that show `maps` (tokens, N) on a grid (rows, columns). Raises ValueError when they do not fit."""
        if maps.ndim != 2 or maps.shape[1] != grid[0] * grid[1]:
            raise ValueError(f"maps of shape {maps.shape} do not fit a grid of {grid[0]} x {grid[1]} patches")
        return {"maps": maps.astype(np.float16).tobytes(), "rows": grid[0], "columns": grid[1]}
