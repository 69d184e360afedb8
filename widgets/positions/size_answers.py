"""What y at several sizes looks like: lines of a plot, cells of a matrix, and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from widgets.common.number_formats import fixed
from widgets.parts import MatrixView, Series

if TYPE_CHECKING:
    from torch import Tensor

    from widgets.experiments.other_sizes import SizeAnswer

HUES = {"interpolated": "accent", "cut off": "wrong", "none": "muted"}  # of model.other_sizes.WAYS
PAIRS = (("interpolated", "cut off"), ("interpolated", "none"), ("cut off", "none"))  # two tables, the same pixels
USUAL = 224  # px: the size whose cosines are told in a sentence


def series(found: list[SizeAnswer]) -> list[Series]:
    """A line for each way, cosine by the shorter side, where there is a cosine. Always the same lines, so a plot keeps
    them."""
    lines = []
    for way, hue in HUES.items():
        known = [one for one in ordered(found, way) if one.cosine is not None]
        labels = [f"{shown(way)} at {size(one)}: cosine {fixed(one.cosine)}" for one in known]
        lines.append(
            Series(
                shown(way),
                [min(one.image_size) for one in known],
                [one.cosine for one in known],
                hue=hue,
                dash=way == "none",
                labels=labels,
            )
        )
    return lines


def cells(found: list[SizeAnswer]) -> dict[str, Any]:
    """Parameters of a MatrixView: a row for each size that was run, a column for each way."""
    by_size: dict[tuple[int, int], dict[str, float | None]] = {}
    for one in sorted(found, key=lambda answer: answer.image_size):
        by_size.setdefault(one.image_size, {})[one.way] = one.cosine
    values = np.array([[_or_nan(row.get(way)) for way in HUES] for row in by_size.values()], dtype=np.float32)
    return {
        **MatrixView.matrix(np.nan_to_num(values)),
        "values": values.tobytes(),
        "low": -1.0,
        "high": 1.0,
        "kind": "signed",
        "row_heads": [f"{H} × {W} px" for H, W in by_size],
        "column_heads": [shown(way) for way in HUES],
        "caption": "Cosine of y with the reference. A dash: not run yet, or the table has too few rows to cut off.",
    }


def pair_cells(found: list[SizeAnswer]) -> dict[str, Any]:
    """Parameters of a MatrixView: a row for each size that was run, a column for each pair of y of which one thing
    differs."""
    by_size: dict[tuple[int, int], dict[str, Any]] = {}
    for one in sorted(found, key=lambda answer: answer.image_size):
        by_size.setdefault(one.image_size, {})[one.way] = one.y
    bare = by_size[found[0].image_size].get("none")  # at the size of the reference
    values = [
        [_cosine(ys.get(a), ys.get(b)) for a, b in PAIRS] + [_cosine(ys.get("none"), bare)] for ys in by_size.values()
    ]
    numbers = np.array(values, dtype=np.float32)
    return {
        **MatrixView.matrix(np.nan_to_num(numbers)),
        "values": numbers.tobytes(),
        "low": -1.0,
        "high": 1.0,
        "kind": "signed",
        "row_heads": [f"{H} × {W}" for H, W in by_size],
        "column_heads": [*(f"{shown(a)} · {shown(b)}" for a, b in PAIRS), "size alone"],
        "caption": "The same pixels under two tables. Size alone: left out here and at the size of the reference.",
    }


def verdict(found: list[SizeAnswer]) -> str:
    """The cosines at the size nearest to 224 px that is not the reference's, in a sentence. The reference comes
    first."""
    reference = min(found[0].image_size)
    sides = {min(one.image_size) for one in found} - {reference} or {reference}
    side = min(sides, key=lambda px: abs(px - USUAL))
    told = ", ".join(
        f"{shown(one.way)} {fixed(one.cosine)}" if one.cosine is not None else f"{shown(one.way)}: too few rows"
        for one in found
        if min(one.image_size) == side
    )
    return f"At {side} px, cosine of y with the y at {reference} px: {told}."


def rows(found: list[SizeAnswer]) -> list[tuple[str, str]]:
    """Every answer as a name and a written number."""
    return [
        (f"{size(one)}, positions {shown(one.way)}", "too few rows" if one.cosine is None else fixed(one.cosine))
        for way in HUES
        for one in ordered(found, way)
    ]


def ordered(found: list[SizeAnswer], way: str) -> list[SizeAnswer]:
    """The answers of one way, from small to large."""
    return sorted((one for one in found if one.way == way), key=lambda answer: answer.image_size)


def shown(way: str) -> str:
    """A way as it stands on screen."""
    return "left out" if way == "none" else way


def size(answer: SizeAnswer) -> str:
    """Height and width, px."""
    return f"{answer.image_size[0]} × {answer.image_size[1]} px"


def _cosine(a: Tensor | None, b: Tensor | None) -> float:
    from torch.nn.functional import cosine_similarity

    return float("nan") if a is None or b is None else float(cosine_similarity(a, b, dim=0))


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value
