"""All sample pictures at one smaller size: how far y moves by the position table, by the size, and by lost detail
(chapter 11)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from widgets.checkpoints.loading import at_hand
from widgets.experiments.other_sizes import INTERPOLATED, WAYS, answer, enlarged_answer, reference_side
from widgets.model.library import weights_of
from widgets.pictures import open_sample, sample_names

LEFT_OUT = "none"  # of WAYS
SAME = 1e-6  # cosines nearer than this are a tie


@dataclass(frozen=True)
class SmallPicture:
    """One picture read at a smaller size. Each number is a cosine of two y; None where the table has too few rows to
    cut off.

    In `kept` the size changes, and with it the table. Each of the others changes one thing only.
    """

    name: str
    title: str
    side: int  # px along the shorter side
    ys: dict[str, Tensor | None]  # way -> y (D,) at this size
    full: Tensor  # y (D,) at the full size, with the table as it was learned
    kept: dict[str, float | None]  # way -> with `full`
    table_here: dict[str, float | None]  # way but interpolated -> with the interpolated y of the same pixels
    table_full: float  # at the full size: the table left out, with the table as it was learned
    size: float  # the table left out at both sizes: only the picture's grid of patches differs
    detail: (
        float | None
    )  # at the full size: the picture enlarged from `side`, with the picture itself; None when not asked for

    @property
    def closest(self) -> str | None:
        """The way whose y is most like the one at the full size; None when two are alike."""
        ranked = sorted(((cosine, way) for way, cosine in self.kept.items() if cosine is not None), reverse=True)
        return None if ranked[0][0] - ranked[1][0] < SAME else ranked[0][1]


def side_of(name: str, patches: int) -> int:
    """px along the shorter side that give so many patches. Raises CheckpointMissing or ValueError as `at_hand` does."""
    return patches * weights_of(at_hand(name).model).patch_size


def small_picture(name: str, sample: str, side: int, detail: bool = True) -> SmallPicture:
    """One sample picture at one size: six forward passes, of which three are at the full size. Kept, like all passes.

    Without `detail` it is a pass fewer. Raises CheckpointMissing or ValueError as `at_hand` does.
    """
    picture = open_sample(sample)
    full_side = reference_side(name, picture)
    found = {way: answer(name, picture, way, side) for way in WAYS}
    ys = {way: one.y for way, one in found.items()}
    full, bare = answer(name, picture, INTERPOLATED, full_side).y, answer(name, picture, LEFT_OUT, full_side).y
    small = ys[LEFT_OUT]
    assert full is not None and bare is not None and small is not None  # only a table that is cut off has no y
    return SmallPicture(
        sample,
        picture.title,
        side,
        ys,
        full,
        {way: one.cosine for way, one in found.items()},
        {way: _cosine_if_any(y, ys[INTERPOLATED]) for way, y in ys.items() if way != INTERPOLATED},
        _cosine(bare, full),
        _cosine(small, bare),
        _cosine(enlarged_answer(name, picture, side), full) if detail else None,
    )


def small_pictures(name: str, side: int, detail: bool = True) -> Iterator[SmallPicture]:
    """Every sample picture at one size, one after the other."""
    for sample in sample_names():
        yield small_picture(name, sample, side, detail)


def recognised(found: list[SmallPicture]) -> dict[str, int]:
    """For how many pictures y is more like its own picture's y at the full size than like any other picture's, by way.

    A way that some picture cannot be read in is left out.
    """
    full = torch.stack([one.full for one in found])  # (S, D)
    counted = {}
    for way in WAYS:
        ys = [y for one in found if (y := one.ys[way]) is not None]
        if len(ys) == len(found):
            counted[way] = sum(_nearest(y, full) == place for place, y in enumerate(ys))
    return counted


def _nearest(y: Tensor, full: Tensor) -> int:
    return int(cosine_similarity(y[None], full).argmax())


def _cosine(a: Tensor, b: Tensor) -> float:
    return float(cosine_similarity(a, b, dim=0))


def _cosine_if_any(a: Tensor | None, b: Tensor | None) -> float | None:
    return None if a is None or b is None else _cosine(a, b)
