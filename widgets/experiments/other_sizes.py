"""One picture at several sizes: what becomes of y when the position table is fitted well, badly, or not at all (chapter
11)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from widgets.checkpoints.loading import at_hand
from widgets.common.refusal import Refused
from widgets.model.faults import steps_with
from widgets.model.library import weights_of
from widgets.model.positions import Grid, interpolate_positions
from widgets.model.vit import Steps, ViTWeights, represent
from widgets.pictures import Picture, enlarged, prepare, prepared_size

INTERPOLATED = "interpolated"
WAYS = {INTERPOLATED: (), "cut off": ("positions_cut_off",), "none": ("no_positions",)}
"""What may be done with a table of another grid: name -> faults of the forward pass."""

RESIZES: dict[str, tuple[str, bool]] = {
    "bicubic": ("bicubic", False),
    "bicubic, antialiased": ("bicubic", True),
    "bilinear": ("bilinear", False),
    "bilinear, antialiased": ("bilinear", True),
    "linear, corner on corner": ("zoom", False),
    "bicubic, offset by 0.1": ("offset", False),
    "nearest": ("nearest", False),
}
"""Ways to interpolate: name -> (method, antialias) of `interpolate_positions`. The first is the library's."""

SIDES = (8, 12, 16, 24, 32)  # patches along the shorter side, beside those of the table itself
_PASS = threading.Lock()  # two readers who ask at once would only slow one another down


@dataclass(frozen=True)
class SizeAnswer:
    """y of one picture at one size, in one of WAYS; `y` is None where the table has too few rows to cut off."""

    way: str
    image_size: tuple[int, int]  # (H, W), px
    grid: Grid  # (rows, columns) of patches
    y: Tensor | None  # (D,)
    cosine: float | None  # with y of the reference


@dataclass(frozen=True)
class Resized:
    """How one way to interpolate differs from the library's, over the patches' rows of a table."""

    mean_cosine: float
    lowest_cosine: float
    largest_difference: float


def shorter_sides(patch_size: int, own: Grid, picture: Picture) -> list[int]:
    """Sizes to try, px along the shorter side, ascending: up to that of the table (24 patches if it is smaller).

    Sizes at which a long picture would come out the same, because it is kept small, are left out.
    """
    largest = max(24, min(own))
    found: dict[tuple[int, int], int] = {}
    for patches in sorted({*SIDES, min(own)}):
        if patches <= largest:
            side = patches * patch_size
            height, width = picture.rgb.shape[:2]
            found.setdefault(prepared_size(height, width, patch_size, side), side)
    return list(found.values())


def reference_side(name: str, picture: Picture) -> int:
    """The size whose y is the measure, px: that of the table itself, as far as the picture can be brought to it.

    Raises CheckpointMissing or ValueError as `at_hand` does.
    """
    w = weights_of(at_hand(name).model)
    own = min(w.grid) * w.patch_size
    return max(side for side in shorter_sides(w.patch_size, w.grid, picture) if side <= own)


def passes(name: str, picture: Picture) -> list[tuple[str, int]]:
    """Every (way, shorter side) to run, the reference first and then from small to large."""
    w = weights_of(at_hand(name).model)
    reference = reference_side(name, picture)
    sides = shorter_sides(w.patch_size, w.grid, picture)
    every = [(way, side) for side in sides for way in WAYS if (way, side) != (INTERPOLATED, reference)]
    return [(INTERPOLATED, reference), *every]


def answers(name: str, picture: Picture) -> Iterator[SizeAnswer]:
    """Run the passes one after the other; each takes 0.05 s to several seconds. Kept, so a second time costs
    nothing."""
    for way, side in passes(name, picture):
        yield answer(name, picture, way, side)


def answer(name: str, picture: Picture, way: str, side: int) -> SizeAnswer:
    """One pass. Raises ValueError for an unknown way, CheckpointMissing when the checkpoint is not on this machine."""
    if way not in WAYS:
        raise Refused(f"there is no way {way!r}: use one of {', '.join(WAYS)}")
    w = weights_of(at_hand(name).model)
    height, width = picture.rgb.shape[:2]
    H, W = prepared_size(height, width, w.patch_size, side)
    grid = (H // w.patch_size, W // w.patch_size)
    if way == "cut off" and 1 + grid[0] * grid[1] > len(w.positions):
        return SizeAnswer(way, (H, W), grid, None, None)
    y = _represent(name, picture, side, WAYS[way])
    right = _represent(name, picture, reference_side(name, picture), ())
    return SizeAnswer(way, (H, W), grid, y, float(cosine_similarity(y, right, dim=0)))


def enlarged_answer(name: str, picture: Picture, side: int) -> Tensor:
    """y, (D,), at the size of the reference, of a picture that was made `side` px small first: only its detail is
    gone."""
    return _represent(name, picture, reference_side(name, picture), (), seen_at=side)


def by_resize(name: str, picture: Picture, side: int = 224) -> dict[str, float]:
    """Cosine of y at one size with y of the library's way, for every way to interpolate in RESIZES."""
    right = _represent(name, picture, side, (), "bicubic")
    return {way: float(cosine_similarity(_represent(name, picture, side, (), way), right, dim=0)) for way in RESIZES}


def resized_table(table: Tensor, old: Grid, new: Grid, way: str, prefix: int = 1) -> Tensor:
    """A table (prefix + h*w, D) on another grid, in one of RESIZES. Raises ValueError for another way."""
    if way not in RESIZES:
        raise Refused(f"there is no way {way!r}: use one of {', '.join(RESIZES)}")
    method, antialias = RESIZES[way]
    return interpolate_positions(table, old, new, method, antialias, prefix)


def resize_differences(table: Tensor, old: Grid, new: Grid, prefix: int = 1) -> dict[str, Resized]:
    """How each way to interpolate differs from the library's, patch by patch."""
    right = resized_table(table, old, new, "bicubic", prefix)[prefix:]  # (N, D)
    found = {}
    for way in RESIZES:
        rows = resized_table(table, old, new, way, prefix)[prefix:]  # (N, D)
        alike = cosine_similarity(rows, right, dim=1)  # (N,)
        found[way] = Resized(float(alike.mean()), float(alike.min()), float((rows - right).abs().max()))
    return found


@lru_cache(maxsize=16)
@torch.inference_mode()
def differences_on(name: str, old: Grid, new: Grid) -> dict[str, Resized]:
    """`resize_differences` of a checkpoint's table, which is first brought to the grid `old` as the library does. Kept.

    Raises CheckpointMissing or ValueError as `at_hand` does.
    """
    w = weights_of(at_hand(name).model)
    return resize_differences(resized_table(w.positions, w.grid, old, "bicubic"), old, new)


def similarity_of(table: Tensor, grid: Grid, place: tuple[int, int], prefix: int = 1) -> Tensor:
    """Cosine of the position at a place (row, column) with all positions: (h, w). `cosine_similarity_map` for one."""
    rows = table[prefix:]  # (N, D)
    one = rows[place[0] * grid[1] + place[1]]  # (D,)
    return cosine_similarity(rows, one[None], dim=1).clamp(-1, 1).reshape(grid)


@lru_cache(maxsize=512)
@torch.inference_mode()
def _represent(
    name: str, picture: Picture, side: int, faults: tuple[str, ...], way: str = "bicubic", seen_at: int = 0
) -> Tensor:
    """y, (D,), of a picture whose shorter side is made `side` px; with `seen_at`, enlarged from that many px."""
    checkpoint = at_hand(name)
    w = weights_of(checkpoint.model)
    pixels = prepare(picture, w.patch_size, side)  # (3, H, W)
    if seen_at:
        pixels = enlarged(prepare(picture, w.patch_size, seen_at), pixels.shape[1:])
    x = torch.from_numpy(checkpoint.preparation.apply(pixels))[None]  # (1, 3, H, W)
    with _PASS:
        return represent(w, x, _steps(w, faults, way)).y[0]


def _steps(w: ViTWeights, faults: tuple[str, ...], way: str) -> Steps:
    steps = steps_with(faults, w)
    if faults or way == "bicubic":
        return steps
    method, antialias = RESIZES[way]
    return replace(steps, resize=partial(interpolate_positions, method=method, antialias=antialias))
