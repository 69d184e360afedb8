"""What keeping k numbers of every patch looks like: lines of a plot, rows of a table, and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from widgets.parts import Series

if TYPE_CHECKING:
    from widgets.experiments.patch_basis import Basis


def curve(name: str, kept: np.ndarray, hue: str, dash: bool = False) -> Series:
    """The share of variance over the numbers kept, at some sixty places of the logarithmic axis."""
    places = np.unique(np.geomspace(1, len(kept), 60).round().astype(int))
    return Series(
        name,
        places,
        kept[places - 1],
        hue=hue,
        dash=dash,
        labels=[f"{name}: {counted(k)} keep {share(kept[k - 1])}" for k in places],
    )


def facts(basis: Basis, k: int, errors: np.ndarray) -> list[tuple[str, str]]:
    """Names and written numbers of the whole picture, from the errors (N,) of its patches."""
    return [
        ("error of the whole picture", error_written(float(np.sqrt((errors**2).mean())))),
        ("numbers kept, of " + f"{basis.rows.shape[1]:,} a patch", f"{k:,}"),
        ("directions there are", f"{basis.most:,}"),
        ("share of the variance kept", share(basis.curve[k - 1])),
    ]


def cut(title: str, basis: Basis) -> str:
    """Into what the picture is cut, and in what its errors are measured."""
    rows, columns = basis.grid
    return (
        f"{title}, cut into {rows} × {columns} = {rows * columns:,} patches of {basis.patch_size} px:"
        f" rows of {basis.rows.shape[1]:,} bytes. Errors are the root of the mean square, in steps of a byte."
    )


def all_components(title: str, basis: Basis) -> str:
    """What all of a picture's own components keep, and of which picture."""
    return (
        f"{title}: {len(basis.rows):,} patches less their mean differ in at most {basis.most:,} directions, so"
        f" {basis.most:,} numbers a patch rebuild this picture exactly. They were chosen for it: they do not rebuild"
        " another picture exactly."
    )


def all_columns(named: str, basis: Basis, random: Basis) -> str:
    """What all directions that an E spans keep, beside as many random ones; `named` is the picture inside a
    sentence."""
    F = basis.rows.shape[1]
    if basis.most == F:
        return (
            f"{basis.most:,} independent directions are all that a patch of {F:,} numbers has. E has full rank: no"
            " patch of any picture loses anything. One direction fewer, and something is lost."
        )
    return (
        f"Tokens of {basis.most:,} numbers for patches of {F:,}: the rank of E is below {F:,}, so some is lost. All of"
        f" them together keep {share(basis.curve[-1])} of the variance of {named}; as many random directions keep"
        f" {share(random.curve[basis.most - 1])}."
    )


def counted(k: int) -> str:
    """How many numbers: 1 number, 195 numbers."""
    return f"{k:,} number" + ("" if k == 1 else "s")


def share(part: float) -> str:
    """A share as a percentage that says 100 only when nothing is missing."""
    if part > 1 - 1e-9:
        return "100% (all)"
    return f"{min(100 * part, 99.99):.2f}%" if part > 0.999 else f"{100 * part:.1f}%"


def error_written(error: float) -> str:
    """An error in steps of a byte; rounding of the computation itself is called none."""
    if error < 1e-6:
        return "0 (exact)"
    return f"{error:.2f}" if error >= 0.01 else "under 0.01"
