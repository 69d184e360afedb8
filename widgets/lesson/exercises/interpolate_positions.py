"""Exercise of chapter 11: a position table on another grid."""

from __future__ import annotations

import numpy as np

from widgets.lesson.exercises._bridge import numbers, tensor
from widgets.lesson.exercises._resizing import RESIZES, resized
from widgets.lesson.exercises._slips import but, listed, slipping, slips_at
from widgets.lesson.specification import Case, Exercise, Misconception, Outcome

TOLERANCE = 1e-5  # a reader may work in float32, as the models do
Grid = tuple[int, int]


def expected(table: np.ndarray, old_grid: Grid, new_grid: Grid) -> np.ndarray:
    """The class row kept, the grid resized as the library does it."""
    from widgets.model.positions import interpolate_positions

    return interpolate_positions(tensor(table), old_grid, new_grid).numpy()


def faulty(table: np.ndarray, old_grid: Grid, new_grid: Grid, faults: frozenset[str] = frozenset()) -> np.ndarray:
    """The table as it comes out with the named mistakes."""
    count = 1 + new_grid[0] * new_grid[1]
    if "truncated" in faults:
        return table[:count]
    if "same-count" in faults and count == len(table):
        return table.copy()
    if "class-in-line" in faults:
        return _line(table, count)
    at = slipping(faults)
    for name, (_, other) in OTHERS.items():
        if name in faults:
            return other(table, count, lambda cells: _grid_resized(cells, old_grid, new_grid, frozenset()))
    first, cells = (table[:1], table[:-1]) if "class-in-grid" in faults else (table[:1], table[1:])
    if "class-last" in faults:
        first, cells = table[-1:], table[:-1]
    if "one-line" in faults:
        rows = _line(cells, count - 1)
    else:
        rows = at("rows", _grid_resized(at("cells", cells), old_grid, new_grid, faults))
    if "rescaled" in faults:
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True) * np.linalg.norm(cells, axis=1).mean()
    if "class-lost" in faults:
        return rows
    first = 0 * first if "class-zeros" in faults else cells.mean(0, keepdims=True) if "class-mean" in faults else first
    first = at("class", first)
    return at("table", np.vstack([rows, first] if "class-last" in faults else [first, rows]))


def _grid_resized(cells: np.ndarray, old_grid: Grid, new_grid: Grid, faults: frozenset[str]) -> np.ndarray:
    D = cells.shape[1]
    if "old-transposed" in faults:
        old_grid = old_grid[::-1]
    if "new-transposed" in faults:
        new_grid = new_grid[::-1]
    if "reshaped-in" in faults:
        maps = cells.reshape(D, *old_grid)
    else:
        maps = cells.reshape(*old_grid, D).transpose(2, 0, 1)  # (D, h, w)
    if "read-by-columns" in faults:
        maps = cells.reshape(old_grid[1], old_grid[0], D).transpose(2, 1, 0)
    for name, (_, turn) in TURNS.items():
        maps = turn(maps) if name in faults else maps
    maps = _resized(maps, new_grid, faults)  # (D, h', w')
    if "reshaped-out" in faults:
        return maps.reshape(-1, D)
    order = (2, 1, 0) if "written-by-columns" in faults else (1, 2, 0)
    return maps.transpose(order).reshape(-1, D)


_METHODS = {
    "linear": {"mode": "bilinear"},
    "zoom": {"mode": "bilinear", "align_corners": True},
    "align-corners": {"mode": "bicubic", "align_corners": True},
    "nearest": {"mode": "nearest"},
    "nearest-exact": {"mode": "nearest-exact"},
    "area": {"mode": "area"},
    "antialias": {"mode": "bicubic", "antialias": True},
    "linear-antialias": {"mode": "bilinear", "antialias": True},
}


def _resized(maps: np.ndarray, new_grid: Grid, faults: frozenset[str]) -> np.ndarray:
    if (other := next((fault for fault in faults if fault in RESIZES), None)) is not None:
        return resized(maps, new_grid, other)
    import torch.nn.functional as F

    options = next((_METHODS[name] for name in _METHODS if name in faults), {"mode": "bicubic"})
    size = {"size": new_grid}
    if "offset" in faults:
        size = {"scale_factor": tuple((new + 0.1) / old for old, new in zip(maps.shape[1:], new_grid, strict=True))}
    return F.interpolate(tensor(maps)[None], **size, **options)[0].numpy()


TURNS = {
    "grid:upside-down": (
        "The grid was laid out upside down: its first row of cells is the top one.",
        lambda m: m[:, ::-1],
    ),
    "grid:mirrored": (
        "The grid was laid out mirrored: a row of cells goes from left to right.",
        lambda m: m[:, :, ::-1],
    ),
    "grid:turned": ("The grid was laid out turned by half: cell 0 is at the top left.", lambda m: m[:, ::-1, ::-1]),
}
OTHERS = {
    "class:added": (
        "The class row was added to the patches' rows. It is kept apart, and put back on top.",
        lambda t, n, resize: np.vstack([t[:1], resize(t[1:]) + t[:1]]),
    ),
    "class:taken-off": (
        "The class row was subtracted from the patches' rows. They are resized as they are.",
        lambda t, n, resize: np.vstack([t[:1], resize(t[1:]) - t[:1]]),
    ),
    "class:behind": (
        "The class row stands last. It is row 0 of the table, before and after.",
        lambda t, n, resize: np.vstack([resize(t[1:]), t[:1]]),
    ),
    "class:twice": (
        "The class row stands there twice. There is one, row 0.",
        lambda t, n, resize: np.vstack([t[:1], t[:1], resize(t[1:])[1:]]),
    ),
    "class:from-patch-0": (
        "Row 0 is patch 0's position. It is the class row, as it was.",
        lambda t, n, resize: (lambda r: np.vstack([r[:1], r]))(resize(t[1:])),
    ),
    "class:last-patch": (
        "Row 0 is the last row of the table. It is the class row, row 0.",
        lambda t, n, resize: np.vstack([t[-1:], resize(t[1:])]),
    ),
    "class:mean-of-new": (
        "The class row became the mean of the new patches'. It is kept as it was.",
        lambda t, n, resize: (lambda r: np.vstack([r.mean(0, keepdims=True), r]))(resize(t[1:])),
    ),
    "class:ones": (
        "The class row became ones. It is kept as it was.",
        lambda t, n, resize: np.vstack([0 * t[:1] + 1, resize(t[1:])]),
    ),
    "class:over-patch-0": (
        "The class row took the place of patch 0's, and a row is missing. It stands before all patches' rows.",
        lambda t, n, resize: np.vstack([t[:1], resize(t[1:])[1:]]),
    ),
    "table:repeated": (
        "The table was repeated until it was long enough. Resize the grid.",
        lambda t, n, resize: np.vstack([t[:1], t[1:][np.arange(n - 1) % (len(t) - 1)]]),
    ),
    "table:filled-with-zeros": (
        "The table was cut off or filled up with zeros. Resize the grid.",
        lambda t, n, resize: np.vstack([t[:n], np.zeros((max(n - len(t), 0), t.shape[1]))]),
    ),
    "table:filled-with-last": (
        "The table was cut off or filled up with its last row. Resize the grid.",
        lambda t, n, resize: t[np.arange(n).clip(0, len(t) - 1)],
    ),
    "table:last-rows": (
        "You took the last rows of the table. A patch then has the position of another place. Resize the grid.",
        lambda t, n, resize: np.vstack([t[:1], t[1:][-(n - 1) :]]),
    ),
    "table:spread": (
        "You took evenly spaced rows of the table. They are a grid: resize it as one.",
        lambda t, n, resize: np.vstack([t[:1], t[1:][np.linspace(0, len(t) - 2, n - 1).astype(int)]]),
    ),
    "table:spread-rounded": (
        "You took evenly spaced rows of the table. They are a grid: resize it as one.",
        lambda t, n, resize: np.vstack([t[:1], t[1:][np.linspace(0, len(t) - 2, n - 1).round().astype(int)]]),
    ),
    "table:line-corners": (
        "The patches' rows were resized as one line, corner on corner. They are a grid: reshape to (h, w, D) first.",
        lambda t, n, resize: np.vstack(
            [
                t[:1],
                np.stack([np.interp(np.linspace(0, len(t) - 2, n - 1), np.arange(len(t) - 1), c) for c in t[1:].T], 1),
            ]
        ),
    ),
    "table:all-in-line-corners": (
        (
            "The class row went through the resize with the rest, all rows as one line, corner on corner. Put it aside,"
            " resize the patches' rows as a grid, and put it back on top."
        ),
        lambda t, n, resize: np.stack([np.interp(np.linspace(0, len(t) - 1, n), np.arange(len(t)), c) for c in t.T], 1),
    ),
    "rows:each-length": (
        "You brought each new position to length 1. Interpolated rows are used as they are.",
        lambda t, n, resize: np.vstack(
            [t[:1], (lambda r: r / np.linalg.norm(r, axis=1, keepdims=True))(resize(t[1:]))]
        ),
    ),
    "rows:by-count": (
        "You multiplied the new positions by old count / new count. Interpolated rows are used as they are.",
        lambda t, n, resize: np.vstack([t[:1], resize(t[1:]) * (len(t) - 1) / (n - 1)]),
    ),
    "rows:by-root-count": (
        (
            "You multiplied the new positions by the root of old count / new count. Interpolated rows are used as they"
            " are."
        ),
        lambda t, n, resize: np.vstack([t[:1], resize(t[1:]) * ((len(t) - 1) / (n - 1)) ** 0.5]),
    ),
    "rows:spread-kept": (
        (
            "You brought the new positions to the mean and deviation of the old ones. Interpolated rows are used as"
            " they are."
        ),
        lambda t, n, resize: np.vstack(
            [t[:1], (lambda r: (r - r.mean()) / r.std() * t[1:].std() + t[1:].mean())(resize(t[1:]))]
        ),
    ),
}
SOME = (
    "absolute relu tanh sigmoid softmax centred centred-columns normalised unit float16 whole rounded rounded-1"
    " rounded-2 rounded-3 clipped-0-1 clipped-1 clipped-2 clipped-3 sorted rows-backwards columns-backwards rows-rolled"
    " rows-rolled-back columns-rolled columns-rolled-back first-row mean-row first-row-0 last-row-0 min-max"
    " normalised-columns"
)
STEPS = {
    "table": ("the new table", SOME),
    "rows": ("the new patches' rows", f"{SOME} doubled halved negated"),
    "cells": ("the old patches' rows, before the resize", SOME),
    "class": ("the class row", "doubled halved negated unit normalised float16 columns-backwards rounded"),
}
SAME = (
    "resize:bicubic-edges-left-out-widened resize:bicubic-corners-nearest resize:bicubic-corners-mirrored "
    "resize:bicubic-one-short-nearest resize:a-0.5-edges-zero-widened resize:a-0.5-edges-left-out-widened "
    "resize:a-0-edges-mirrored resize:a-0-edges-left-out resize:linear-edges-nearest resize:linear-edges-mirrored "
    "resize:linear-edges-left-out resize:linear-corners-nearest  "
    "table:rows-rolled table:first-row-0 rows:unit rows:rows-backwards rows:last-row-0 cells:centred "
    "cells:rows-backwards cells:columns-backwards cells:columns-rolled cells:columns-rolled-back"
)


def _line(rows: np.ndarray, count: int) -> np.ndarray:
    """Rows resized as one line, linearly."""
    import torch.nn.functional as F

    return F.interpolate(tensor(rows).T[None], size=count, mode="linear")[0].numpy().T


def _needs_batch(failed: Outcome, outcomes: list[Outcome]) -> bool:
    words = str(failed.error)
    return isinstance(failed.error, (ValueError, NotImplementedError)) and (
        "Input and output must have the same number of spatial dimensions" in words
        or "got 3D" in words
        or "got 2D" in words
    )


def _not_square(failed: Outcome, outcomes: list[Outcome]) -> bool:
    """A side taken from the root of the number of rows fails on a grid that is not square, and there only."""
    if failed.error is None:
        return False
    squares = [o for o in outcomes if all(grid[0] == grid[1] for grid in o.case.arguments()[1:])]
    return bool(squares) and all(o.right for o in squares)


def _numpy_given(failed: Outcome, outcomes: list[Outcome]) -> bool:
    words = str(failed.error)
    return isinstance(failed.error, (TypeError, AttributeError)) and "numpy" in words


def _case(seed: int, old: Grid, new: Grid, D: int, spread: float = 1.0) -> tuple[np.ndarray, Grid, Grid]:
    return numbers(seed, 1 + old[0] * old[1], D, spread=spread), old, new


SOLUTION = """
import numpy as np
import torch
import torch.nn.functional as F

def interpolate_positions(table, old_grid, new_grid):
    first, cells = table[:1], table[1:]                                  # the class row has no place on the grid
    maps = torch.as_tensor(cells).reshape(*old_grid, -1)                 # (h, w, D)
    maps = maps.permute(2, 0, 1)[None]                                   # (1, D, h, w)
    maps = F.interpolate(maps, size=tuple(new_grid), mode="bicubic", align_corners=False)
    rows = maps[0].permute(1, 2, 0).reshape(-1, table.shape[1])          # (h' w', D)
    return np.concatenate([first, rows.numpy()])
"""

EXERCISE = Exercise(
    id="interpolate_positions",
    title="Positions for another grid",
    minutes=15,
    difficulty=3,
    importance=4,
    purpose="A table learned at one size fits no other. This is the step that lets a ViT read larger pictures.",
    signature="def interpolate_positions(table, old_grid, new_grid):",
    text=(
        "Write `interpolate_positions(table, old_grid, new_grid)`. `table` is a NumPy array `(1 + h*w, D)`: row 0 is"
        " the class token's, the others are the patches' in raster order. `old_grid` is `(h, w)` and `new_grid`"
        " `(h', w')`: rows, then columns, and neither need be square. Return `(1 + h'*w', D)`: the class row as it is,"
        " and the patches' rows resized on the grid, bicubic, with `align_corners=False`. You may use"
        " `torch.nn.functional.interpolate`. Leave the input as it was."
    ),
    hints=(
        "Only the patches have a place on the grid. What do you do with row 0 before, and after?",
        (
            "`F.interpolate` wants `(batch, channels, height, width)`. A position's D numbers are the channels. From"
            " `(h*w, D)`: reshape to `(h, w, D)` first, then move D to the front with `permute`. A reshape alone would"
            " mix numbers."
        ),
        (
            "Afterwards go back the same way: `permute` D to the end, then reshape to `(h'*w', D)`, and put row 0 on"
            ' top. The call is `F.interpolate(maps, size=tuple(new_grid), mode="bicubic", align_corners=False)`.'
        ),
    ),
    solution=SOLUTION,
    commentary=(
        "Each of the D numbers is a picture of h by w, resized on its own. The class row is put aside, because it has"
        " no place among the patches. To the same grid nothing changes, which is why a wrong version passes a test at"
        " the size of training."
    ),
    cases=(
        Case("6 x 6 to 9 x 9, D = 5", lambda: _case(110, (6, 6), (9, 9), 5), TOLERANCE),
        Case("8 x 8 to 5 x 5, D = 4", lambda: _case(120, (8, 8), (5, 5), 4), TOLERANCE),
        Case("6 x 6 to 4 x 9 (not square, as many patches), D = 3", lambda: _case(130, (6, 6), (4, 9), 3), TOLERANCE),
        Case("4 x 7 to 7 x 5, D = 6", lambda: _case(140, (4, 7), (7, 5), 6), TOLERANCE),
        Case("7 x 4 to 10 x 3, D = 2", lambda: _case(150, (7, 4), (10, 3), 2), TOLERANCE),
        Case("2 x 3 to 3 x 2, D = 7, numbers in the thousands", lambda: _case(160, (2, 3), (3, 2), 7, 3e3), TOLERANCE),
    ),
    expected=expected,
    faulty=faulty,
    misconceptions=(
        Misconception(
            "class-in-line",
            "The class row went through the resize with the rest, all rows as one line. It has no place on the"
            " grid: put it aside, resize the patches' rows as a grid, and put it back on top.",
        ),
        Misconception(
            "class-in-grid",
            "You resized the first h*w rows, so the class row counts as patch 0 and every patch is shifted by"
            " one. The patches' rows are `table[1:]`.",
        ),
        Misconception(
            "one-line",
            "The patches' rows were resized as one line. They are a grid: a position's neighbour below is a whole"
            " row of the table away. Reshape to (h, w, D) first.",
        ),
        Misconception(
            "old-transposed",
            "The old grid was read as (columns, rows). A grid is (rows, columns): reshape to (h, w, D).",
        ),
        Misconception(
            "new-transposed",
            "The new grid has rows and columns exchanged. `size` is (height, width), which is (h', w') as it"
            " comes. On square pictures this goes unnoticed.",
        ),
        Misconception(
            "read-by-columns",
            "The rows of the table were laid out column by column. Raster order goes along a row first.",
        ),
        Misconception(
            "written-by-columns",
            "The new positions come out column by column. Raster order goes along a row first:"
            " permute to (h', w', D), then reshape.",
        ),
        Misconception(
            "reshaped-in",
            "You reshaped (h*w, D) to (D, h, w) in one go, which fits and mixes positions with their numbers."
            " Reshape to (h, w, D), then permute.",
        ),
        Misconception(
            "reshaped-out",
            "You reshaped (D, h', w') to (h'*w', D) in one go, which fits and mixes positions with their"
            " numbers. Permute to (h', w', D) first.",
        ),
        Misconception("linear", "You interpolated linearly. Here it is bicubic, as the library does it."),
        Misconception(
            "zoom",
            "You interpolated linearly, corner on corner: what the paper's own code does with scipy's zoom."
            " Here it is bicubic with `align_corners=False`, as the library does it.",
        ),
        Misconception(
            "align-corners",
            "The corners of both grids were laid on top of each other (`align_corners=True`). Here the outer"
            " edges agree: `align_corners=False`.",
        ),
        Misconception("nearest", "You took the nearest old position. Here it is bicubic."),
        Misconception("nearest-exact", "You took the nearest old position. Here it is bicubic."),
        Misconception("area", "You averaged the old positions under each new one. Here it is bicubic."),
        Misconception(
            "antialias",
            "You switched `antialias` on. It averages where the grid shrinks, and it uses another cubic curve, so it"
            " differs where the grid grows too. Here it is off.",
        ),
        Misconception("linear-antialias", "You interpolated linearly, with `antialias`. Here it is bicubic, without."),
        Misconception(
            "offset",
            "You gave a scale factor of (new + 0.1) / old, as DINOv2's own code does: every place that is read moves a"
            " little. Give the size instead.",
        ),
        Misconception(
            "truncated",
            "You took the first rows of the table. A patch then has the position of another place. Resize the grid.",
        ),
        Misconception(
            "same-count",
            "You return the table unchanged when the number of patches is the same. 6 x 6 and 4 x 9 are 36"
            " both, and are not the same grid: compare the grids.",
        ),
        Misconception("class-lost", "The class row is missing: put it back on top, as it was."),
        Misconception("class-last", "The class row stands last. It is row 0 of the table, before and after."),
        Misconception("class-zeros", "The class row became zeros. It is kept as it was."),
        Misconception("class-mean", "The class row became the mean of the patches'. It is kept as it was."),
        Misconception(
            "rescaled", "You brought the new positions back to the old length. Interpolated rows are used as they are."
        ),
        Misconception(
            "root-of-count",
            "It works on square grids and fails on the others: a side was taken from the root of the number of"
            " rows. Use `old_grid` and `new_grid`, rows first.",
            _not_square,
        ),
        Misconception(
            "no-batch",
            "`F.interpolate` wants (batch, channels, height, width). Put D first, and one axis in front of it:"
            " `maps.permute(2, 0, 1)[None]`.",
            _needs_batch,
        ),
        Misconception(
            "numpy-given",
            "`F.interpolate` takes a tensor: turn the array into one with `torch.as_tensor`.",
            _numpy_given,
        ),
        *but(listed(OTHERS | RESIZES | TURNS) + slips_at(STEPS), SAME),
    ),
)
