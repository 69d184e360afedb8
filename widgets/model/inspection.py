"""Looking inside a trained ViT: rollout, attention distance, components of filters and tokens, occlusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from widgets.common.refusal import Refused
from widgets.model.embedding import positive_largest, principal_components
from widgets.model.library import weights_of
from widgets.model.patches import patch_position
from widgets.model.tensor_defaults import CPU, FLOAT32
from widgets.model.vit import ViTWeights, check_pixels, represent


def attention_rollout(attentions: Sequence[Tensor], residual: bool = True) -> Tensor:
    """Follow attention through all layers (Abnar and Zuidema 2020): one (B, k, T, T) a layer in, (B, T, T) out.

    Heads are averaged; with `residual` each layer becomes (A + I) / 2, for the stream that goes past it. The later
    layer stands on the left: R = A_L ... A_2 A_1. Row 0 from column 1 on is the class token's map. Rows sum to 1
    because each factor's do. Raises ValueError for shapes that are no stack of attentions.
    """
    _check_attentions(attentions, dimensions=4)
    rollout: Tensor | None = None
    for weights in attentions:
        A = weights.mean(1)  # (B, T, T)
        if residual:
            A = (A + torch.eye(A.shape[-1], dtype=A.dtype, device=A.device)) / 2
        rollout = A if rollout is None else A @ rollout
    assert rollout is not None  # `_check_attentions` saw at least one layer
    return rollout


def mean_attention_distance(
    attentions: Sequence[Tensor], grid: tuple[int, int], patch_size: int, prefix: int = 1
) -> Tensor:
    """Return how far each head looks, in pixels (Figure 7, right; Figure 11): (L, k), from one (B, k, T, T) a layer.

    The distance between the centres of query and key patch, weighted by attention, averaged over queries and batch.
    Prefix tokens have no place: they are left out on both sides and the rows made to sum to 1 again.

    Raises ValueError when the grid and prefix do not make T tokens.
    """
    _check_attentions(attentions, dimensions=4)
    N, T = grid[0] * grid[1], attentions[0].shape[-1]
    if N + prefix != T:
        raise Refused(f"a grid of {grid[0]} x {grid[1]} and {prefix} before it make {N + prefix} tokens, not {T}")
    cells = [patch_position(n, grid) for n in range(N)]
    places = torch.tensor(cells, dtype=attentions[0].dtype, device=CPU) * patch_size  # (N, 2)
    distances = torch.cdist(places, places, compute_mode="donot_use_mm_for_euclid_dist")  # (N, N), in pixels
    layers = []
    for weights in attentions:
        between = weights[..., prefix:, prefix:]  # (B, k, N, N)
        shares = between / between.sum(-1, keepdim=True)
        layers.append((shares * distances).sum(-1).mean((0, 2)))  # (k,)
    return torch.stack(layers)


def even_attention_distance(grid: tuple[int, int], patch_size: int) -> float:
    """Return how far a head looks, in pixels, when every query weighs all patches alike: what no preference gives."""
    N = grid[0] * grid[1]
    return float(mean_attention_distance([torch.full((1, 1, N, N), 1 / N, **FLOAT32)], grid, patch_size, prefix=0))


class RowShares(NamedTuple):
    """What each row of attention adds up to; every field has the shape of the weights without their last axis."""

    to_prefix: Tensor  # weight on the tokens before the patches: the class token, and registers
    to_patches: Tensor  # weight on all patches together
    total: Tensor  # the whole row: 1, but for rounding
    largest: Tensor  # largest weight on one patch
    at: Tensor  # that patch, from 0


def row_shares(weights: Tensor, prefix: int = 1) -> RowShares:
    """Add up where each query's weight goes, for weights (..., T, T). Raises ValueError when no patch is left."""
    if not 0 <= prefix < weights.shape[-1]:
        raise Refused(f"{prefix} tokens before the patches leave none of the {weights.shape[-1]} to them")
    patches = weights[..., prefix:]  # (..., T, N)
    largest, at = patches.max(-1)
    return RowShares(weights[..., :prefix].sum(-1), patches.sum(-1), weights.sum(-1), largest, at)


def filter_components(weight: Tensor, k: int) -> Tensor:
    """Return the first k principal components of a filter bank (Figure 7, left): (D, C, P, P) to (k, C, P, P).

    Filters are centred; components have length 1, and their entry of largest magnitude is positive.
    Raises ValueError when there are no k components.
    """
    if weight.ndim != 4:
        raise Refused(f"weight must have the shape (D, C, P, P), not {tuple(weight.shape)}")
    found = principal_components(weight.flatten(1), k)
    return found.directions.to(weight.dtype).reshape(k, *weight.shape[1:])


def smoothness(patterns: Tensor) -> Tensor:
    """How alike neighbouring pixels of each pattern (k, C, P, P) are: (k,), 1 for a flat pattern, near 0 for noise.

    The mean product of neighbours, right and below in each channel, over the mean square of the same pixels.
    Raises ValueError for another shape, or P below 2.
    """
    if patterns.ndim != 4 or patterns.shape[-1] < 2:
        raise Refused(f"patterns must have the shape (k, C, P, P) with P of 2 or more, not {tuple(patterns.shape)}")
    p = patterns.double()
    pairs = [(p[..., 1:, :], p[..., :-1, :]), (p[..., 1:], p[..., :-1])]
    products = torch.stack([(a * b).sum((1, 2, 3)) for a, b in pairs]).sum(0)
    squares = torch.stack([(a.square() + b.square()).sum((1, 2, 3)) / 2 for a, b in pairs]).sum(0)
    return products / squares.clamp_min(1e-30)


def silence_filters(w: ViTWeights, which: Tensor, level: Tensor | None = None) -> ViTWeights:
    """Put zeros in place of the filters `which` (n,): number d of every token is then the same, its bias or `level[d]`.

    `level` (D,), the mean over a picture's patches for example, takes away what differs from patch to patch alone.
    """
    filters, bias = w.filters.detach().clone(), w.filter_bias.detach().clone()
    filters[which] = 0
    if level is not None:
        bias[which] = level[which].detach()
    return replace(w, filters=filters, filter_bias=bias)


def token_components(tokens: Tensor, k: int = 3) -> Tensor:
    """Return the coordinates of tokens (N, D) along their first k principal components: (N, k).

    Tokens are centred; in each column the entry of largest magnitude is positive, so that colours do not flip from
    one machine to another. Give patches alone, without class token. Raises ValueError when there are no k components.
    """
    found = principal_components(tokens, k)
    along = (tokens.double() - found.mean) @ found.directions.T  # (N, k)
    return positive_largest(along.T).T.to(tokens.dtype)


@torch.no_grad()
def occlusion(
    checkpoint: Any, pixels: Tensor, batch_size: int = 16, progress: Callable[[int, int], None] | None = None
) -> Tensor:
    """Hide one patch at a time and measure how much y changes: pixels (B, C, H, W) to (B, N), 1 - cosine, 0 to 2.

    A hidden patch is 0 in prepared pixels, the mean colour. N forward passes a picture, `batch_size` at a time;
    `progress` is called with how many are done and how many there are. Raises as `trace` does.
    """
    w = checkpoint if isinstance(checkpoint, ViTWeights) else weights_of(getattr(checkpoint, "model", checkpoint))
    check_pixels(w, pixels)
    pixels, P = pixels.to(w.filters.dtype), w.patch_size
    grid = (pixels.shape[-2] // P, pixels.shape[-1] // P)
    N = grid[0] * grid[1]
    changes = torch.empty(len(pixels), N, dtype=pixels.dtype, device=CPU)
    for b, picture in enumerate(pixels):
        whole = represent(w, picture[None]).y  # (1, D)
        for start in range(0, N, batch_size):
            numbers = range(start, min(start + batch_size, N))
            y = represent(w, torch.stack([_hidden(picture, n, grid, P) for n in numbers])).y
            changes[b, numbers.start : numbers.stop] = 1 - F.cosine_similarity(y, whole)
            if progress is not None:
                progress(b * N + numbers.stop, len(pixels) * N)
    return changes.clamp(0, 2)  # rounding gives -1e-7 where nothing changed


def rank_correlation(a: Tensor, b: Tensor) -> float:
    """Spearman's rank correlation of two maps of one size, from -1 to 1; equal values share their mean rank.

    Raises ValueError for maps of different sizes, or one whose values are all equal.
    """
    a, b = a.flatten().double(), b.flatten().double()
    if len(a) != len(b) or len(a) < 2:
        raise Refused(f"two maps of one size are needed, not {len(a)} and {len(b)} values")
    ranks = torch.stack([_ranks(a), _ranks(b)])
    if (ranks.std(1) == 0).any():
        raise Refused("a map whose values are all equal has no order to compare")
    return float(torch.corrcoef(ranks)[0, 1])


def _hidden(picture: Tensor, n: int, grid: tuple[int, int], P: int) -> Tensor:
    row, column = patch_position(n, grid)
    picture = picture.clone()
    picture[:, row * P : (row + 1) * P, column * P : (column + 1) * P] = 0
    return picture


def _ranks(values: Tensor) -> Tensor:
    _, place, count = values.unique(return_inverse=True, return_counts=True)
    return (count.cumsum(0) - (count - 1) / 2)[place]


def _check_attentions(attentions: Sequence[Tensor], dimensions: int) -> None:
    if len(attentions) == 0:
        raise Refused("there are no attentions: one (B, k, T, T) a layer is needed")
    for weights in attentions:
        if weights.ndim != dimensions or weights.shape[-1] != weights.shape[-2]:
            raise Refused(f"attentions have the shape (B, k, T, T), not {tuple(weights.shape)}")
        if weights.shape[-1] != attentions[0].shape[-1]:
            raise Refused("attentions of all layers must have the same number of tokens")
