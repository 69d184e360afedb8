"""Where a patch was: tables of positions (E_pos of Eq. 1), how alike their rows are, and other grids."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from widgets.common.refusal import Refused
from widgets.model.tensor_defaults import FLOAT64

Grid = tuple[int, int]

# How F.interpolate is called. "zoom" is what the paper's own code does (scipy's zoom of order 1): linear, with the
# corners of both grids on top of each other. The others let the outer edges of the outer cells agree. "offset" is what
# DINOv2's own code does: it asks for 0.1 cells more than it wants, so that rounding cannot lose one, and reads a little
# closer together than the edges ask for.
OFFSET = 0.1
METHODS: dict[str, dict[str, Any]] = {
    "bicubic": {"mode": "bicubic", "align_corners": False},
    "bilinear": {"mode": "bilinear", "align_corners": False},
    "nearest": {"mode": "nearest"},
    "zoom": {"mode": "bilinear", "align_corners": True},
    "offset": {"mode": "bicubic", "align_corners": False},
}
SMOOTHED = ("bicubic", "bilinear")  # the methods that can average when they shrink


def interpolate_positions(
    table: Tensor, old_grid: Grid, new_grid: Grid, method: str = "bicubic", antialias: bool = False, prefix: int = 1
) -> Tensor:
    """Resize a table of positions: (prefix + h*w, D) on (h, w) to (prefix + h'*w', D) on (h', w'). Section 3.2.

    Grids are (rows, columns) and need not be square. The first `prefix` rows (the class token's) have no place in the
    picture and are kept. The defaults are what the library and DINOv2 do; to the same grid nothing changes.

    Raises ValueError when the table does not have prefix + h*w rows, or for a grid or method that does not exist.
    """
    _check_table(table, old_grid, prefix)
    _check_grid(new_grid)
    if method not in METHODS:
        raise Refused(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    if antialias and method not in SMOOTHED:
        raise Refused(f"antialias goes with {' or '.join(SMOOTHED)}, not with {method}")
    if tuple(old_grid) == tuple(new_grid):
        return table.clone()
    D = table.shape[1]
    options = METHODS[method] | ({"antialias": True} if antialias else {})
    options |= _size(method, old_grid, new_grid)
    cells = table[prefix:].reshape(1, *old_grid, D).permute(0, 3, 1, 2)  # (1, D, h, w)
    cells = F.interpolate(cells, **options)  # (1, D, h', w')
    return torch.cat([table[:prefix], cells.permute(0, 2, 3, 1).reshape(-1, D)])


def cosine_similarity_map(table: Tensor, grid: Grid, prefix: int = 1) -> Tensor:
    """Compare the position of every patch with that of every other (Figure 7, centre): (h*w, h, w), from -1 to 1.

    Entry [n] is the map of patch n. The `prefix` rows are left out. Raises ValueError as interpolate_positions does.
    """
    _check_table(table, grid, prefix)
    rows = F.normalize(table[prefix:], dim=-1)  # (N, D)
    return (rows @ rows.T).clamp(-1, 1).reshape(-1, *grid)  # (N, h, w)


def sincos_1d(length: int, dimensions: int, base: float = 10_000.0) -> Tensor:
    """Return fixed positions (length, D) in float32: sine and cosine by turns, of ever longer waves.

    Row p holds sin(p / base^(2i/D)) at 2i and the cosine at 2i + 1 (Vaswani et al. 2017, section 3.5).
    Raises ValueError when D is not even.
    """
    _check_whole(length=length)
    if isinstance(dimensions, bool) or not isinstance(dimensions, int) or dimensions < 2 or dimensions % 2:
        raise Refused(f"dimensions must be an even number, 2 or more, not {dimensions!r}")
    position = torch.arange(length, **FLOAT64)[:, None]  # (length, 1)
    frequency = base ** -(torch.arange(0, dimensions, 2, **FLOAT64) / dimensions)  # (D/2,)
    angle = position * frequency  # (length, D/2)
    return torch.stack([angle.sin(), angle.cos()], dim=2).reshape(length, dimensions).float()


def sincos_2d(grid: Grid, dimensions: int, base: float = 10_000.0) -> Tensor:
    """Return fixed positions (h*w, D) in raster order: the first D/2 numbers tell the row, the others the column.

    Raises ValueError when D is not a multiple of 4.
    """
    _check_grid(grid)
    if isinstance(dimensions, bool) or not isinstance(dimensions, int) or dimensions < 4 or dimensions % 4:
        raise Refused(f"dimensions must be a multiple of 4, not {dimensions!r}")
    rows, columns = grid
    of_row = sincos_1d(rows, dimensions // 2, base).repeat_interleave(columns, dim=0)  # (h*w, D/2)
    of_column = sincos_1d(columns, dimensions // 2, base).repeat(rows, 1)  # (h*w, D/2)
    return torch.cat([of_row, of_column], dim=1)


def _size(method: str, old_grid: Grid, new_grid: Grid) -> dict[str, tuple]:
    """How F.interpolate is told the new grid: by its size, or as a factor, which moves the places that are read."""
    if method == "offset":
        return {"scale_factor": tuple((new + OFFSET) / old for old, new in zip(old_grid, new_grid, strict=True))}
    return {"size": tuple(new_grid)}


def _check_table(table: Tensor, grid: Grid, prefix: int) -> None:
    _check_grid(grid)
    if isinstance(prefix, bool) or not isinstance(prefix, int) or prefix < 0:
        raise Refused(f"prefix must be a whole number, 0 or more, not {prefix!r}")
    if table.ndim != 2 or not table.is_floating_point():
        raise Refused(f"the table must hold floats of shape (rows, D), not {table.dtype} {tuple(table.shape)}")
    rows, columns = grid
    if len(table) != prefix + rows * columns:
        raise Refused(
            f"the table has {len(table)} rows, but a grid of {rows} x {columns} with {prefix} before it takes"
            f" {prefix + rows * columns}"
        )


def _check_grid(grid: Grid) -> None:
    if not isinstance(grid, (tuple, list)) or len(grid) != 2:
        raise Refused(f"a grid is a pair (rows, columns), not {grid!r}")
    _check_whole(rows=grid[0], columns=grid[1])


def _check_whole(**values: int) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise Refused(f"{name} must be a whole number, 1 or more, not {value!r}")
