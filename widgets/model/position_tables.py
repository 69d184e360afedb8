"""Four tables of positions side by side, and what tells them apart: learned, two by formula, one random (chapter
04)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from widgets.common.refusal import Refused
from widgets.model.positions import Grid, cosine_similarity_map, interpolate_positions, sincos_1d, sincos_2d
from widgets.model.tensor_defaults import BOOL, FLOAT32, INT64, seeded
from widgets.model.vit import ViTWeights

KINDS = ("learned", "sincos_1d", "sincos_2d", "random")
NEIGHBOURS = 4  # as many as a patch has beside, above and below it
SEED = 0


@dataclass(frozen=True)
class Likeness:
    """What a table tells of the grid, over all its patches. Means are of cosines, shares are of the 4 most alike."""

    same_row: float  # mean cosine of two positions in one row
    same_column: float  # in one column
    elsewhere: float  # in neither
    share_in_row: float  # of a position's 4 most alike others, how many lie in its row: 0 to 1
    share_in_column: float


def position_table(kind: str, w: ViTWeights, grid: Grid, seed: int = SEED) -> Tensor:
    """A table of one row a token, (prefix + h*w, D), as wide as the model: the class token's row first, if it has one.

    "learned" is the model's own, interpolated when the grid is another than its own. "sincos_1d" counts the tokens of
    the sequence, the class token first. "sincos_2d" gives the class token zeros, as MAE's code does (He et al. 2022).
    "random" is normal noise. Raises ValueError for another kind, and as `sincos_2d` and `interpolate_positions` do.
    """
    prefix, D = int(w.class_token is not None), w.positions.shape[1]
    N = grid[0] * grid[1]
    if kind == "learned":
        return interpolate_positions(w.positions, w.grid, grid, prefix=prefix)
    if kind == "sincos_1d":
        return sincos_1d(prefix + N, D)
    if kind == "sincos_2d":
        return torch.cat([torch.zeros(prefix, D, **FLOAT32), sincos_2d(grid, D)])
    if kind == "random":
        return torch.randn(prefix + N, D, generator=seeded(seed), **FLOAT32)
    raise Refused(f"there is no table {kind!r}: use one of {', '.join(KINDS)}")


def similarity_rows(table: Tensor, grid: Grid, prefix: int = 1) -> Tensor:
    """Compare the row of every token with those of the patches: (prefix + N, N) of cosines, the class token's first.

    From row `prefix` on it is `cosine_similarity_map`. A row of zeros has no direction and gets 0.
    """
    patches = cosine_similarity_map(table, grid, prefix).flatten(1)  # (N, N)
    rows = F.normalize(table, dim=-1)  # (prefix + N, D)
    return torch.cat([(rows[:prefix] @ rows[prefix:].T).clamp(-1, 1), patches])  # (prefix + N, N)


def most_alike(similarity: Tensor, count: int = NEIGHBOURS) -> Tensor:
    """The patches whose positions are most alike to each one's, without itself, best first: (N, count).

    `similarity` is (N, N). Ties go to the lower patch. Raises ValueError when there are not so many others.
    """
    N = len(similarity)
    if count > N - 1:
        raise Refused(f"of {N} positions each has {N - 1} others, not {count}")
    others = similarity.clone().fill_diagonal_(-torch.inf)  # (N, N)
    return others.sort(dim=1, descending=True, stable=True).indices[:, :count]  # (N, count)


def likeness(table: Tensor, grid: Grid, prefix: int = 1) -> Likeness:
    """How much the positions of one row, of one column, and of neither are alike. At least 2 x 3 or 3 x 2 patches."""
    similarity = cosine_similarity_map(table, grid, prefix).flatten(1)  # (N, N)
    place = torch.arange(len(similarity), **INT64)
    row, column = place // grid[1], place % grid[1]
    in_row, in_column = row[:, None] == row, column[:, None] == column  # (N, N)
    others = ~torch.eye(len(similarity), **BOOL)
    nearest = most_alike(similarity)  # (N, 4)
    return Likeness(
        float(similarity[in_row & others].mean()),
        float(similarity[in_column & others].mean()),
        float(similarity[~in_row & ~in_column].mean()),
        float(in_row.gather(1, nearest).float().mean()),
        float(in_column.gather(1, nearest).float().mean()),
    )
