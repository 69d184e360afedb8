"""Many maps of one grid at once, each a tile at its own token's place (as in Figure 7, centre, of the paper)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import param

from widgets.parts.part import Part


class MapTiles(Part):
    """Draws maps as tiles in rows. Hovering a tile follows its token; the tile of the token that is followed is
    ringed."""

    maps = param.Bytes(b"", doc="float16, (tiles, rows * columns), in the order of `tokens`")
    tokens = param.List([], doc="the token of each tile; empty when the tiles follow nobody")
    names = param.List([], doc="a name for each tile, said when it is pointed at")
    across = param.Integer(1, bounds=(1, None), doc="tiles in a row")
    rows = param.Integer(0, bounds=(0, None), doc="of cells in a tile")
    columns = param.Integer(0, bounds=(0, None), doc="of cells in a tile")
    low = param.Number(-1.0, doc="value at the low end of the scale")
    high = param.Number(1.0, doc="value at the high end of the scale")
    kind = param.Selector(default="signed", objects=["signed", "weight"], doc="colour scale")
    name_of_scale = param.String("", doc="what the colours mean, written beside the scale")
    alt = param.String("", doc="what is to be seen, for those who cannot")

    _esm = Path(__file__).parent / "map_tiles.js"

    @staticmethod
    def of(maps: np.ndarray, grid: tuple[int, int], across: int) -> dict[str, Any]:
        """Parameters that show `maps` (tiles, N), each on a grid (rows, columns), `across` in a row."""
        if maps.ndim != 2 or maps.shape[1] != grid[0] * grid[1]:
            raise ValueError(f"maps of shape {maps.shape} do not fit a grid of {grid[0]} x {grid[1]} cells")
        return {"maps": maps.astype(np.float16).tobytes(), "rows": grid[0], "columns": grid[1], "across": across}
