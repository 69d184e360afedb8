"""What all sample pictures at a smaller size look like: dots of a plot, cells of two matrices, and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from widgets.common.number_formats import fixed
from widgets.parts import MatrixView, Series
from widgets.pictures import open_sample
from widgets.positions.size_answers import HUES, shown

if TYPE_CHECKING:
    from widgets.experiments.sample_sizes import SmallPicture

ALONE = ("table: cut off", "table: left out", "table, full size", "size alone", "detail alone")


def series(found: list[SmallPicture]) -> list[Series]:
    """A dot for each picture and way: how little the picture needs its positions, and how much of y is kept."""
    dots = []
    for way, hue in HUES.items():
        known = [one for one in found if one.kept[way] is not None]
        labels = [
            f"{one.title}, {shown(way)}: cosine {fixed(one.kept[way])} with its y at the full size, where leaving the"
            f" table out gives {fixed(one.table_full)}"
            for one in known
        ]
        dots.append(
            Series(
                shown(way),
                [one.table_full for one in known],
                [one.kept[way] for one in known],
                kind="dots",
                hue=hue,
                labels=labels,
            )
        )
    return [
        *dots,
        Series(
            "left out at both",
            [0.0, 1.0],
            [0.0, 1.0],
            hue="muted",
            dash=True,
            labels=["as much as is kept at the full size without the table"] * 2,
        ),
    ]


def kept_cells(found: list[SmallPicture]) -> dict[str, Any]:
    """Parameters of a MatrixView: a row a picture, a column a way, cosines with y at the full size."""
    return {
        **_cells(found, [[one.kept[way] for way in HUES] for one in found]),
        "column_heads": [shown(way) for way in HUES],
    }


def alone_cells(found: list[SmallPicture]) -> dict[str, Any]:
    """Parameters of a MatrixView: a row a picture, and a column for each thing that was changed alone."""
    return {**_cells(found, [alone(one) for one in found]), "column_heads": list(ALONE)}


def alone(one: SmallPicture) -> list[float | None]:
    """The cosines of one picture in the order of ALONE."""
    return [one.table_here["cut off"], one.table_here["none"], one.table_full, one.size, one.detail]


def verdict(found: list[SmallPicture]) -> str:
    """For which pictures the interpolated table keeps y closest, and how many y are still recognised."""
    from widgets.experiments.other_sizes import INTERPOLATED
    from widgets.experiments.sample_sizes import recognised

    won = sum(one.closest == INTERPOLATED for one in found)
    lost = [
        f"{open_sample(one.name).named} ({shown(one.closest)})"
        for one in found
        if one.closest not in (INTERPOLATED, None)
    ]
    told = ", ".join(f"{shown(way)} {count}" for way, count in recognised(found).items())
    return (
        f"At {found[0].side} px the interpolated table keeps y closest to that of the full size for {won} of"
        f" {len(found)} pictures. {'Another is closer for ' + ', '.join(lost) + '. ' if lost else ''}More like its own"
        f" picture at the full size than like any other of the {len(found)}: {told}."
    )


def rows(found: list[SmallPicture]) -> list[tuple[str, str]]:
    """Every number as a name and how it is written."""
    kept = [(f"{one.title}, positions {shown(way)}", _written(one.kept[way])) for one in found for way in HUES]
    apart = [
        (f"{one.title}, {name}", _written(value))
        for one in found
        for name, value in zip(ALONE, alone(one), strict=True)
        if value is not None or name != ALONE[-1]
    ]  # the detail is not always asked for
    return kept + apart


def _cells(found: list[SmallPicture], values: list[list[float | None]]) -> dict[str, Any]:
    numbers = np.array(
        [[float("nan") if value is None else value for value in row] for row in values], dtype=np.float32
    )
    return {
        **MatrixView.matrix(np.nan_to_num(numbers)),
        "values": numbers.tobytes(),
        "low": -1.0,
        "high": 1.0,
        "kind": "signed",
        "row_heads": [one.title for one in found],
    }


def _written(value: float | None) -> str:
    return "too few rows" if value is None else fixed(value)
