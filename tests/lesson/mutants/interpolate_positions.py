"""Wrong ways to fit a position table to another grid."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F

from . import mutant


def resized(cells, old, new, **options):
    maps = torch.as_tensor(cells).reshape(*old, -1).permute(2, 0, 1)[None]
    maps = F.interpolate(maps, **({"size": tuple(new), "mode": "bicubic"} | options))
    return maps[0].permute(1, 2, 0).reshape(-1, cells.shape[1]).numpy()


def with_class(table, rows):
    return np.concatenate([table[:1], rows])


@mutant("class-in-line")
def whole_table_as_a_line(table, old_grid, new_grid):
    count = 1 + new_grid[0] * new_grid[1]
    return F.interpolate(torch.as_tensor(table).T[None], size=count, mode="linear")[0].T.numpy()


@mutant("class-in-grid")
def last_row_dropped(table, old_grid, new_grid):
    return with_class(table, resized(table[:-1], old_grid, new_grid))


@mutant("one-line")
def patches_as_a_line(table, old_grid, new_grid):
    line = F.interpolate(torch.as_tensor(table[1:]).T[None], size=new_grid[0] * new_grid[1], mode="linear")
    return with_class(table, line[0].T.numpy())


@mutant("new-transposed")
def width_first(table, old_grid, new_grid):
    h, w = new_grid
    return with_class(table, resized(table[1:], old_grid, (w, h)))


@mutant("old-transposed")
def old_width_first(table, old_grid, new_grid):
    return with_class(table, resized(table[1:], old_grid[::-1], new_grid))


@mutant("read-by-columns")
def laid_out_by_columns(table, old_grid, new_grid):
    h, w = old_grid
    maps = torch.as_tensor(table[1:]).reshape(w, h, -1).permute(2, 1, 0)[None]
    maps = F.interpolate(maps, size=new_grid, mode="bicubic")
    return with_class(table, maps[0].permute(1, 2, 0).reshape(-1, table.shape[1]).numpy())


@mutant("written-by-columns")
def comes_out_by_columns(table, old_grid, new_grid):
    maps = torch.as_tensor(table[1:]).reshape(*old_grid, -1).permute(2, 0, 1)[None]
    maps = F.interpolate(maps, size=new_grid, mode="bicubic")
    return with_class(table, maps[0].permute(2, 1, 0).reshape(-1, table.shape[1]).numpy())


@mutant("reshaped-in")
def channels_by_reshape(table, old_grid, new_grid):
    maps = F.interpolate(torch.as_tensor(table[1:]).reshape(1, -1, *old_grid), size=new_grid, mode="bicubic")
    return with_class(table, maps[0].permute(1, 2, 0).reshape(-1, table.shape[1]).numpy())


@mutant("reshaped-out")
def back_by_reshape(table, old_grid, new_grid):
    maps = torch.as_tensor(table[1:]).reshape(*old_grid, -1).permute(2, 0, 1)[None]
    maps = F.interpolate(maps, size=new_grid, mode="bicubic")
    return with_class(table, maps[0].reshape(-1, table.shape[1]).numpy())


@mutant("linear")
def bilinear(table, old_grid, new_grid):
    return with_class(table, resized(table[1:], old_grid, new_grid, mode="bilinear"))


@mutant("zoom")
def from_the_jax_code(table, old_grid, new_grid):
    cells = table[1:].reshape(*old_grid, -1)
    for axis, (old, new) in enumerate(zip(old_grid, new_grid, strict=True)):
        places = np.linspace(0, old - 1, new)
        cells = np.apply_along_axis(lambda line, at=places: np.interp(at, np.arange(len(line)), line), axis, cells)
    return with_class(table, cells.reshape(-1, table.shape[1]))


@mutant("align-corners")
def corner_on_corner(table, old_grid, new_grid):
    return with_class(table, resized(table[1:], old_grid, new_grid, align_corners=True))


@mutant("nearest")
def nearest(table, old_grid, new_grid):
    rows, columns = (np.arange(new) * old // new for old, new in zip(old_grid, new_grid, strict=True))
    return with_class(table, table[1:].reshape(*old_grid, -1)[rows[:, None], columns].reshape(-1, table.shape[1]))


@mutant("area")
def averaged(table, old_grid, new_grid):
    return with_class(table, resized(table[1:], old_grid, new_grid, mode="area"))


@mutant("antialias")
def smoothed(table, old_grid, new_grid):
    return with_class(table, resized(table[1:], old_grid, new_grid, antialias=True))


@mutant("offset")
def from_dinov2s_code(table, old_grid, new_grid):
    scale = tuple(float((new + 0.1) / old) for old, new in zip(old_grid, new_grid, strict=True))
    return with_class(table, resized(table[1:], old_grid, new_grid, size=None, scale_factor=scale))


@mutant("truncated")
def a_slice(table, old_grid, new_grid):
    return table[: 1 + new_grid[0] * new_grid[1]].copy()


@mutant("same-count")
def counts_compared(table, old_grid, new_grid):
    if old_grid[0] * old_grid[1] == new_grid[0] * new_grid[1]:
        return table.copy()
    return with_class(table, resized(table[1:], old_grid, new_grid))


@mutant("class-lost")
def patches_only(table, old_grid, new_grid):
    return resized(table[1:], old_grid, new_grid)


@mutant("class-last")
def class_row_behind(table, old_grid, new_grid):
    return np.concatenate([resized(table[:-1], old_grid, new_grid), table[-1:]])


@mutant("class-zeros")
def class_row_new(table, old_grid, new_grid):
    return np.concatenate([np.zeros((1, table.shape[1])), resized(table[1:], old_grid, new_grid)])


@mutant("rescaled")
def length_kept(table, old_grid, new_grid):
    rows = resized(table[1:], old_grid, new_grid)
    return with_class(table, rows / np.linalg.norm(rows, axis=1)[:, None] * np.linalg.norm(table[1:], axis=1).mean())


@mutant("linear", "new-transposed")
def two_at_once(table, old_grid, new_grid):
    return with_class(table, resized(table[1:], old_grid, new_grid[::-1], mode="bilinear"))


@mutant("root-of-count")
def square_taken_for_granted(table, old_grid, new_grid):
    side = int(len(table[1:]) ** 0.5)
    return with_class(table, resized(table[1:], (side, side), new_grid))


@mutant("no-batch")
def no_batch_axis(table, old_grid, new_grid):
    maps = torch.as_tensor(table[1:]).reshape(*old_grid, -1).permute(2, 0, 1)
    return with_class(
        table, F.interpolate(maps, size=new_grid, mode="bicubic").permute(1, 2, 0).reshape(-1, table.shape[1]).numpy()
    )


@mutant("numpy-given")
def an_array_for_a_tensor(table, old_grid, new_grid):
    maps = table[1:].reshape(*old_grid, -1).transpose(2, 0, 1)[None]
    return with_class(table, F.interpolate(maps, size=new_grid, mode="bicubic"))


@mutant("changed-input")
def in_place(table, old_grid, new_grid):
    rows = resized(table[1:], old_grid, new_grid)
    table[1:] = 0
    return np.concatenate([table[:1], rows])


def keys(t):
    t = abs(t)
    return 1.5 * t**3 - 2.5 * t**2 + 1 if t <= 1 else -0.5 * t**3 + 2.5 * t**2 - 4 * t + 2 if t < 2 else 0.0


@mutant("resize:a-0.5-edges-nearest")
def keys_curve(table, old_grid, new_grid):
    cells = table[1:].reshape(*old_grid, -1)
    for axis, (old, new) in enumerate(zip(old_grid, new_grid, strict=True)):
        R = np.zeros((new, old))
        for i in range(new):
            place = (i + 0.5) * old / new - 0.5
            for j in range(int(np.floor(place)) - 1, int(np.floor(place)) + 3):
                R[i, min(max(j, 0), old - 1)] += keys(j - place)
        cells = np.moveaxis(np.tensordot(R, cells, (1, axis)), 0, axis)
    return with_class(table, cells.reshape(-1, table.shape[1]))


@mutant("class:twice")
def two_class_rows(table, old_grid, new_grid):
    return np.concatenate([table[:1], table[:1], resized(table[1:], old_grid, new_grid)[1:]])
