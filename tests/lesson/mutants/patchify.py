"""Wrong ways to cut a picture."""

from __future__ import annotations

import math

import numpy as np
import torch

from . import mutant


@mutant("reshaped")
def reshape_alone(image, P):
    C, H, W = image.shape
    N = (H // P) * (W // P)
    return image.reshape(N, C * P * P)


@mutant("reshaped")
def view_in_torch(image, P):
    return torch.as_tensor(image).contiguous().view(-1, image.shape[0] * P * P)


@mutant("channels-last")
def pixels_then_channels(image, P):
    picture = image.transpose(1, 2, 0)  # (H, W, C)
    H, W, C = picture.shape
    rows = []
    for y in range(0, H, P):
        for x in range(0, W, P):
            rows.append(picture[y : y + P, x : x + P].reshape(-1))
    return np.stack(rows)


@mutant("columns-first")
def down_then_right(image, P):
    C, H, W = image.shape
    return np.stack([image[:, y : y + P, x : x + P].ravel() for x in range(0, W, P) for y in range(0, H, P)])


@mutant("strips")
def whole_rows(image, P):
    C, H, W = image.shape
    return np.stack([image[:, y : y + P].ravel() for y in range(0, H, P)])


@mutant("not-flattened")
def small_pictures(image, P):
    C, H, W = image.shape
    return np.stack([image[:, y : y + P, x : x + P] for y in range(0, H, P) for x in range(0, W, P)])


@mutant("channels-last", "not-flattened")
def small_pictures_for_matplotlib(image, P):
    C, H, W = image.shape
    cut = image.reshape(C, H // P, P, W // P, P)
    return cut.transpose(1, 3, 2, 4, 0).reshape(-1, P, P, C)


@mutant("only-square")
def one_side_for_both(image, P):
    C, H, W = image.shape
    side = int(math.sqrt((H // P) * (W // P)))
    cut = image.reshape(C, side, P, side, P)
    return cut.transpose(1, 3, 0, 2, 4).reshape(side * side, -1)


@mutant("interleaved")
def split_the_other_way(image, P):
    C, H, W = image.shape
    cut = image.reshape(C, P, H // P, P, W // P)
    return cut.transpose(2, 4, 0, 1, 3).reshape(-1, C * P * P)


@mutant("turned")
def unfold_keeps_columns(image, P):
    return torch.nn.functional.unfold(torch.as_tensor(image)[None].double(), P, stride=P)[0]


@mutant("window:stride-one")
def sliding_window(image, P):
    windows = np.lib.stride_tricks.sliding_window_view(image, (P, P), axis=(1, 2))
    return windows.transpose(1, 2, 0, 3, 4).reshape(-1, image.shape[0] * P * P)


@mutant("last-missing")
def off_by_one(image, P):
    C, H, W = image.shape
    w = W // P
    N = (H // P) * w
    return np.stack(
        [image[:, n // w * P : (n // w + 1) * P, n % w * P : (n % w + 1) * P].ravel() for n in range(N - 1)]
    )


@mutant("changed-input")
def scales_in_place_and_back(image, P):
    image *= 1
    C, H, W = image.shape
    rows = np.stack([image[:, y : y + P, x : x + P].ravel() for y in range(0, H, P) for x in range(0, W, P)])
    image -= image.min() - 1
    return rows


@mutant("read-as-hwc-flat")
def height_first(image, P):
    H, W, C = image.shape
    return np.stack(
        [image[i * P : (i + 1) * P, j * P : (j + 1) * P].reshape(-1) for i in range(H // P) for j in range(W // P)]
    )


@mutant("image:from-0")
def starts_at_0(image, P):
    image = image - image.min()
    return np.stack(
        [
            image[:, y : y + P, x : x + P].ravel()
            for y in range(0, image.shape[1], P)
            for x in range(0, image.shape[2], P)
        ]
    )


@mutant("image:absolute")
def signs_lost(image, P):
    image = abs(image)
    return np.stack(
        [
            image[:, y : y + P, x : x + P].ravel()
            for y in range(0, image.shape[1], P)
            for x in range(0, image.shape[2], P)
        ]
    )
