"""Cutting a picture into patches, and putting it back (the paper, section 3.1: x becomes x_p)."""

from __future__ import annotations

from numbers import Integral
from typing import Any, TypeVar

import numpy as np
import torch

from widgets.common.refusal import Refused

Array = TypeVar("Array", torch.Tensor, np.ndarray)


def patchify(image: Array, patch_size: int) -> Array:
    """Cut a (C, H, W) picture into N = HW / P^2 rows of C*P*P numbers.

    Patches come in raster order: left to right, then top to bottom. Inside a row the order is channel, row,
    column, so for 16 px patches number 0 is red at (0, 0), 256 is green and 512 is blue there. A torch tensor
    gives a tensor, a NumPy array an array, of the same number type (integers too).

    Raises TypeError for anything else, ValueError for a picture that is not (C, H, W) or does not cut evenly.
    """
    channels, height, width = _three_sides(image)
    P = _patch_size(patch_size)
    check_image_size(height, width, P)
    rows, columns = height // P, width // P
    cut = image.reshape(channels, rows, P, columns, P)  # (C, h, P, w, P)
    cut = _reorder(cut, (1, 3, 0, 2, 4))  # (h, w, C, P, P)
    return cut.reshape(rows * columns, channels * P * P)  # (N, C*P*P)


def unpatchify(patches: Array, image_size: tuple[int, int], patch_size: int) -> Array:
    """Put N rows of C*P*P numbers back together as a (C, H, W) picture; image_size is (H, W).

    Undoes `patchify` exactly. Raises TypeError or ValueError as it does, and ValueError when the number of rows
    or their length does not belong to this size.
    """
    _check_array(patches, "patches")
    height, width = image_size
    P = _patch_size(patch_size)
    check_image_size(height, width, P)
    rows, columns = height // P, width // P
    fits = patches.ndim == 2 and patches.shape[0] == rows * columns
    if not fits or patches.shape[1] % (P * P) or patches.shape[1] == 0:
        raise Refused(
            f"patches of shape {tuple(patches.shape)} do not make a {height} x {width} px picture: that takes"
            f" {rows * columns} rows ({rows} x {columns} patches) of C x {P * P} numbers, C one or more channels"
        )
    cut = patches.reshape(rows, columns, -1, P, P)  # (h, w, C, P, P)
    cut = _reorder(cut, (2, 0, 3, 1, 4))  # (C, h, P, w, P)
    return cut.reshape(-1, height, width)  # (C, H, W)


def patch_position(n: int, grid: tuple[int, int]) -> tuple[int, int]:
    """Return (row, column) of patch n, both from 0, in a grid of (rows, columns).

    Raises ValueError when the grid has no such patch.
    """
    rows, columns = grid
    if not _is_count(n, least=0) or n >= rows * columns:
        raise Refused(f"there is no patch {n} in a grid of {rows} x {columns}: use 0 to {rows * columns - 1}")
    return int(n) // int(columns), int(n) % int(columns)


def patch_index(row: int, column: int, grid: tuple[int, int]) -> int:
    """Return the raster number n of the patch at (row, column); undoes `patch_position`.

    Raises ValueError when the place is outside the grid of (rows, columns).
    """
    rows, columns = grid
    if not (_is_count(row, 0) and _is_count(column, 0)) or row >= rows or column >= columns:
        raise Refused(
            f"row {row}, column {column} is outside a grid of {rows} x {columns}:"
            f" use rows 0 to {rows - 1} and columns 0 to {columns - 1}"
        )
    return int(row) * int(columns) + int(column)


def spot_of(n: int, grid: tuple[int, int]) -> tuple[float, float]:
    """Return the middle of patch n as shares of the picture, from its top and from its left.

    Raises ValueError when `grid` has no patch n.
    """
    row, column = patch_position(n, grid)
    return (row + 0.5) / grid[0], (column + 0.5) / grid[1]


def patch_at(spot: tuple[float, float], grid: tuple[int, int]) -> int:
    """Return the patch of a grid (rows, columns) in which a spot of the picture lies; undoes `spot_of`."""
    return patch_index(int(spot[0] * grid[0]), int(spot[1] * grid[1]), grid)


def same_spot(n: int, grid: tuple[int, int], other: tuple[int, int]) -> int:
    """Return the patch of another grid (rows, columns) over the same picture in which the middle of patch n lies.

    Raises ValueError when `grid` has no patch n.
    """
    return patch_at(spot_of(n, grid), other)


def token_name(token: int, prefix: int) -> str:
    """Return what a reader calls a row of z inside a sentence: class token, registers by their row, patches from 0
    on."""
    if token >= prefix:
        return f"patch {token - prefix}"
    return f"register {token}" if token else "the class token"


def check_image_size(height: int, width: int, patch_size: int) -> None:
    """Raise ValueError, naming the nearest valid sizes, unless both sides are multiples of the patch size."""
    P = _patch_size(patch_size)
    for name, side in (("height", height), ("width", width)):
        if not _is_count(side):
            raise Refused(f"{name} must be a whole number of pixels, 1 or more, not {side!r}")
    if height % P == 0 and width % P == 0:
        return
    (nearest_height, heights), (nearest_width, widths) = _nearest(height, P), _nearest(width, P)
    raise Refused(
        f"a {height} x {width} px picture (height x width) does not cut into patches of {P} px: the nearest valid"
        f" size is {nearest_height} x {nearest_width} px (height {heights}, width {widths})"
    )


def _nearest(side: int, P: int) -> tuple[int, str]:
    """Return the multiple of P nearest to `side`, and the text of all neighbours worth naming."""
    below, above = side // P * P, -(-side // P) * P
    if below in (0, above):
        return above, str(above)
    return (below if side - below <= above - side else above), f"{below} or {above}"


def _is_count(value: Any, least: int = 1) -> bool:
    # bool is an Integral in Python, but True is no number of pixels.
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_)) and int(value) >= least


def _patch_size(patch_size: int) -> int:
    if not _is_count(patch_size):
        raise Refused(f"patch_size must be a whole number of pixels, 1 or more, not {patch_size!r}")
    return int(patch_size)


def _check_array(array: Array, name: str) -> None:
    if not isinstance(array, (torch.Tensor, np.ndarray)):
        raise TypeError(f"{name} must be a torch tensor or a NumPy array, not {type(array).__name__}")


def _three_sides(image: Array) -> tuple[int, int, int]:
    _check_array(image, "image")
    if image.ndim != 3 or image.shape[0] == 0:
        raise Refused(f"image must have the shape (C, H, W) with one or more channels, not {tuple(image.shape)}")
    C, H, W = image.shape
    return C, H, W


def _reorder(array: Array, axes: tuple[int, ...]) -> Array:
    return array.permute(axes) if isinstance(array, torch.Tensor) else array.transpose(axes)


def number_places(patch_size: int, num_channels: int = 3, channels_last: bool = False) -> np.ndarray:
    """Return where each number of a row lies in its patch: (C*P*P, 3) of (channel, row u, column v).

    Channel-row-column order is PyTorch's; `channels_last` is row-column-channel, where number (uP + v)C + c is
    channel c of pixel (u, v). Raises ValueError for an impossible patch size.
    """
    P = _patch_size(patch_size)
    order = (1, 2, 0) if channels_last else (0, 1, 2)
    places = np.indices((num_channels, P, P))  # (3, C, P, P)
    return places.transpose(0, *(axis + 1 for axis in order)).reshape(3, -1).T


def to_channels_last(patches: Array, patch_size: int) -> Array:
    """Reorder rows (N, C*P*P) from channel-row-column to row-column-channel; the numbers stay the same.

    Raises ValueError when the row length is no multiple of P^2.
    """
    _check_array(patches, "patches")
    P = _patch_size(patch_size)
    if patches.ndim != 2 or patches.shape[1] % (P * P):
        raise Refused(f"rows to reorder are (N, C*{P * P}), not {tuple(patches.shape)}")
    cut = patches.reshape(patches.shape[0], -1, P * P)  # (N, C, P*P)
    return _reorder(cut, (0, 2, 1)).reshape(patches.shape)  # (N, P*P*C)
