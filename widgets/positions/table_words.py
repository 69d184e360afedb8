"""What a position table on another grid looks like, in names, numbers and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from widgets.common.number_formats import fixed
from widgets.positions.grid_field import written as grid_written

if TYPE_CHECKING:
    from torch import Tensor

    from widgets.checkpoints.loading import Checkpoint
    from widgets.experiments.other_sizes import Resized
    from widgets.model.positions import Grid

METHODS = {  # shown name -> name in model.other_sizes.RESIZES
    "bicubic (the library)": "bicubic",
    "bicubic, antialiased": "bicubic, antialiased",
    "bilinear": "bilinear",
    "bilinear, antialiased": "bilinear, antialiased",
    "linear, corner on corner (paper's code)": "linear, corner on corner",
    "bicubic, offset by 0.1 (DINOv2's code)": "bicubic, offset by 0.1",
    "nearest": "nearest",
}
LIBRARY, PAPER = "bicubic", "linear, corner on corner"


def shown(way: str) -> str:
    """A way to interpolate as it stands on screen."""
    return next(title for title, name in METHODS.items() if name == way)


def origin(checkpoint: Checkpoint, own: Grid, old: Grid) -> str:
    """Whose table it is, and how it came to the grid `old` if that is not its own."""
    whose = (
        f"The table of {checkpoint.title}, which is random and was never trained"
        if checkpoint.is_random
        else f"{checkpoint.title}'s own table"
    )
    return (
        f"{whose}."
        if old == own
        else f"{whose} of {grid_written(own)}, first brought to this grid as the library does."
    )


def facts(before: Tensor, after: Tensor, old: Grid, new: Grid, patch_size: int) -> list[tuple[str, str]]:
    """Names and written numbers of two tables (1 + h*w, D): rows, sizes in pixels, and that the class row was kept."""
    import torch

    P, D = patch_size, before.shape[1]
    (h, v), (h2, v2) = old, new
    return [
        ("patch positions, before", f"{h} × {v} = {h * v:,}"),
        ("patch positions, after", f"{h2} × {v2} = {h2 * v2:,}"),
        ("rows of the table, with the class token's", f"{len(before):,} → {len(after):,}"),
        (f"a picture of that grid, in patches of {P} px", f"{h * P} × {v * P} → {h2 * P} × {v2 * P} px"),
        (
            f"the class token's row of {D} numbers",
            "kept, bit for bit" if torch.equal(before[0], after[0]) else "changed",
        ),
        ("length of a position, mean over all", f"{_mean_length(before):.3f} → {_mean_length(after):.3f}"),
    ]


def verdict(old: Grid, new: Grid, way: str, differs: Resized, random: bool) -> str:
    """How far a way to interpolate is from the library's, in a sentence."""
    if old == new:
        return "The two grids are the same: nothing is interpolated, whatever the method, and the table stays as it is."
    trained = (
        " A random table has no shape that interpolation could keep: neighbours have nothing to do with one another."
        if random
        else ""
    )
    return (
        f"From {grid_written(old)} to {grid_written(new)}: “{shown(way)}” gives positions with a mean cosine of"
        f" {fixed(differs.mean_cosine)} to the library's, and {fixed(differs.lowest_cosine)} at the least.{trained}"
    )


def _mean_length(table: Tensor) -> float:
    return float(table[1:].norm(dim=1).mean())
