"""Wrong ways to cut a picture into rows, as tables: windows, pictures, orders, shapes and axes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np


def _cut(image: np.ndarray, P: int) -> np.ndarray:
    from widgets.model.patches import patchify

    return patchify(image, P)


def _windows(image: np.ndarray, P: int, tops: range, lefts: range, size: int = 0) -> np.ndarray:
    return np.stack([image[:, y : y + (size or P), x : x + (size or P)].ravel() for y in tops for x in lefts])


def _grid(image: np.ndarray, P: int) -> tuple[int, int, int, int]:
    return image.shape[1], image.shape[2], image.shape[1] // P, image.shape[2] // P


def _placed(image: np.ndarray, P: int, place: Callable[[int, int, int, int], int]) -> np.ndarray:
    """Patches written into rows of zeros; `place` finds the row from (i, j, h, w). Raises IndexError past the end."""
    _, _, h, w = _grid(image, P)
    out = np.zeros((h * w, len(image) * P * P), dtype=image.dtype)
    for i in range(h):
        for j in range(w):
            out[place(i, j, h, w)] = image[:, i * P : (i + 1) * P, j * P : (j + 1) * P].ravel()
    return out


_LINE = "A line of the grid holds w = W // P patches: patch (i, j) goes to row i * w + j."
_IMAGE = "Leave the picture as it comes."
WINDOWS = {
    "window:index-for-pixel": (
        (
            "Your windows move by one pixel: the patch's index was taken for its first pixel. Patch (i, j) starts at"
            " pixel (i*P, j*P)."
        ),
        lambda m, P: _windows(m, P, range(_grid(m, P)[2]), range(_grid(m, P)[3])),
    ),
    "window:short": (
        "Your windows are P − 1 pixels wide and high: a slice stops before its end, so it is `y:y + P`.",
        lambda m, P: _windows(m, P, range(0, m.shape[1], P), range(0, m.shape[2], P), P - 1),
    ),
    "window:rows-index": (
        (
            "You found a patch's place from its number with the grid's height. Patch n is in row n // w and column n %"
            " w, with w = W // P."
        ),
        lambda m, P: np.stack(
            [
                m[
                    :,
                    n // (m.shape[1] // P) * P : (n // (m.shape[1] // P) + 1) * P,
                    n % (m.shape[1] // P) * P : (n % (m.shape[1] // P) + 1) * P,
                ].ravel()
                for n in range(_grid(m, P)[2] * _grid(m, P)[3])
            ]
        ),
    ),
    "window:line-of-height": (
        f"You counted rows with h patches a line, so that some overwrote others. {_LINE}",
        lambda m, P: _placed(m, P, lambda i, j, h, w: i * h + j),
    ),
    "window:line-of-P": (
        f"You counted rows with P patches a line. {_LINE}",
        lambda m, P: _placed(m, P, lambda i, j, h, w: i * P + j),
    ),
    "window:line-turned": (
        f"You counted rows as j * w + i. {_LINE}",
        lambda m, P: _placed(m, P, lambda i, j, h, w: j * w + i),
    ),
    "window:line-summed": (f"You counted rows as i + j. {_LINE}", lambda m, P: _placed(m, P, lambda i, j, h, w: i + j)),
    **{
        f"window:stride-{name}": (
            f"Your windows move by {words}. They move by P, so that every pixel is in exactly one patch.",
            lambda m, P, step=step: _windows(
                m, P, range(0, m.shape[1] - P + 1, step(P)), range(0, m.shape[2] - P + 1, step(P))
            ),
        )
        for name, words, step in (
            ("one", "one pixel", lambda P: 1),
            ("one-less", "P \u2212 1 pixels", lambda P: max(1, P - 1)),
            ("half", "P / 2 pixels, half a patch", lambda P: max(1, P // 2)),
            ("one-more", "P + 1 pixels", lambda P: P + 1),
            ("double", "2 P pixels", lambda P: 2 * P),
        )
    },
    "image:framed": (
        f"The picture got a frame of zeros, and all patches moved. {_IMAGE}",
        lambda m, P: _cut(np.pad(m, ((0, 0), (1, 1), (1, 1)))[:, : m.shape[1], : m.shape[2]], P),
    ),
    "window:pieces-for-size": (
        "You cut each side into P pieces. Each piece is P long, so there are H // P and W // P of them.",
        lambda m, P: np.stack(
            [patch.ravel() for band in np.split(m, P, axis=1) for patch in np.split(band, P, axis=2)]
        ),
    ),
    "window:half-patch-on": (
        f"The picture is shifted by half a patch. {_IMAGE}",
        lambda m, P: _cut(np.roll(m, -(P // 2), (1, 2)), P),
    ),
    "window:half-patch-back": (
        f"The picture is shifted by half a patch. {_IMAGE}",
        lambda m, P: _cut(np.roll(m, P // 2, (1, 2)), P),
    ),
    "window:one-pixel-on": (
        f"The picture is shifted by one pixel. {_IMAGE}",
        lambda m, P: _cut(np.roll(m, -1, (1, 2)), P),
    ),
    "window:one-pixel-back": (
        f"The picture is shifted by one pixel. {_IMAGE}",
        lambda m, P: _cut(np.roll(m, 1, (1, 2)), P),
    ),
    "window:first-skipped": (
        "Your loops start at P, so the first row and column of patches are missing. They start at 0.",
        lambda m, P: _windows(m, P, range(P, m.shape[1], P), range(P, m.shape[2], P)),
    ),
    "window:first-row-alone": (
        "Only the first row of patches came back. Patches come from the whole picture.",
        lambda m, P: _windows(m, P, range(0, 1), range(0, m.shape[2], P)),
    ),
    "window:first-column-alone": (
        "Only the first column of patches came back. Patches come from the whole picture.",
        lambda m, P: _windows(m, P, range(0, m.shape[1], P), range(0, 1)),
    ),
    "window:first-alone": (
        "Only patch 0 came back. There are (H // P) * (W // P).",
        lambda m, P: _windows(m, P, range(1), range(1)),
    ),
    "window:diagonal": (
        "You walked down and right at once. For each row of patches, all columns are visited: two loops.",
        lambda m, P: np.stack([m[:, i : i + P, i : i + P].ravel() for i in range(0, min(m.shape[1:]), P)]),
    ),
    "image:upside-down": (f"The picture was turned upside down. {_IMAGE}", lambda m, P: _cut(m[:, ::-1], P)),
    "image:mirrored": (f"The picture was mirrored, left for right. {_IMAGE}", lambda m, P: _cut(m[:, :, ::-1], P)),
    "image:turned-half": (f"The picture was turned by half. {_IMAGE}", lambda m, P: _cut(m[:, ::-1, ::-1], P)),
    "image:turned-quarter": (
        f"The picture was turned by a quarter. {_IMAGE}",
        lambda m, P: _cut(np.rot90(m, 1, (1, 2)), P),
    ),
    "image:turned-quarter-back": (
        f"The picture was turned by a quarter. {_IMAGE}",
        lambda m, P: _cut(np.rot90(m, -1, (1, 2)), P),
    ),
    "image:grey": (
        "The channels were averaged. A row holds the patch in every channel: C*P*P numbers.",
        lambda m, P: _cut(m.mean(0, keepdims=True), P),
    ),
    "image:grey-repeated": (
        "The channels were averaged, and the mean repeated. Every channel keeps its own numbers.",
        lambda m, P: _cut(np.broadcast_to(m.mean(0, keepdims=True), m.shape), P),
    ),
    "image:channel-0-repeated": (
        "Channel 0 stands in for all channels. Every channel keeps its own numbers.",
        lambda m, P: _cut(np.broadcast_to(m[:1], m.shape), P),
    ),
    "image:last-channel": (
        "Only the last channel arrived. A row holds the patch in every channel: C*P*P numbers.",
        lambda m, P: _cut(m[-1:], P),
    ),
    "image:channels-summed": (
        "The channels were summed. A row holds the patch in every channel: C*P*P numbers.",
        lambda m, P: _cut(m.sum(0, keepdims=True), P),
    ),
    "image:channels-rolled": (
        "The channels moved on by one. Channel 0 comes first.",
        lambda m, P: _cut(np.roll(m, -1, 0), P),
    ),
    "image:channels-rolled-back": (
        "The channels moved on by one. Channel 0 comes first.",
        lambda m, P: _cut(np.roll(m, 1, 0), P),
    ),
    "image:over-channel-largest": (
        f"Each channel was divided by its largest number. {_IMAGE}",
        lambda m, P: _cut(m / m.max((1, 2), keepdims=True), P),
    ),
    "image:channels-standardised": (
        f"Each channel was brought to mean 0 and deviation 1. {_IMAGE}",
        lambda m, P: _cut((m - m.mean((1, 2), keepdims=True)) / (m.std((1, 2), keepdims=True) + 1e-12), P),
    ),
    "image:channels-centred": (
        f"Each channel lost its mean. {_IMAGE}",
        lambda m, P: _cut(m - m.mean((1, 2), keepdims=True), P),
    ),
    "image:bytes": (
        f"The numbers became bytes, 0 to 255, and lost what does not fit. {_IMAGE}",
        lambda m, P: _cut(m.astype(np.int64).astype(np.uint8), P),
    ),
    "image:inverted": (
        f"The picture was inverted, 255 minus each number. {_IMAGE}",
        lambda m, P: _cut(255 - m.astype(np.float64), P),
    ),
    "image:inverted-1": (
        f"The picture was inverted, 1 minus each number. {_IMAGE}",
        lambda m, P: _cut(1 - m.astype(np.float64), P),
    ),
}
ROWS = {
    "order:snake": (
        "Every other row of patches runs from right to left. All run from left to right.",
        lambda flat, cut: np.concatenate(
            [row[::-1] if i % 2 else row for i, row in enumerate(flat.reshape(*cut.shape[:2], -1))]
        ),
    ),
    "order:right-to-left": (
        "Your patches run from right to left. They run from left to right.",
        lambda flat, cut: flat.reshape(*cut.shape[:2], -1)[:, ::-1].reshape(flat.shape),
    ),
    "order:backwards": ("Your patches are in reverse order. Patch 0 is at the top left.", lambda flat, cut: flat[::-1]),
    "order:first-for-all": (
        "Patch 0 stands in every row. Row n is patch n.",
        lambda flat, cut: np.broadcast_to(flat[:1], flat.shape),
    ),
    "order:last-for-all": (
        "The last patch stands in every row. Row n is patch n.",
        lambda flat, cut: np.broadcast_to(flat[-1:], flat.shape),
    ),
    "order:first-missing": ("Patch 0 is missing: check where your loop or slice starts.", lambda flat, cut: flat[1:]),
    "order:rolled": (
        "The patches moved up by one, and the first became the last. Row n is patch n.",
        lambda flat, cut: np.roll(flat, -1, 0),
    ),
    "order:rolled-back": (
        "The patches moved down by one, and the last became the first. Row n is patch n.",
        lambda flat, cut: np.roll(flat, 1, 0),
    ),
    "pixels:upside-down": (
        "Inside each patch, pixel rows run from bottom to top. They run from top to bottom.",
        lambda flat, cut: cut[:, :, :, ::-1].reshape(flat.shape),
    ),
    "pixels:mirrored": (
        "Inside each patch, pixels run from right to left. They run from left to right.",
        lambda flat, cut: cut[..., ::-1].reshape(flat.shape),
    ),
    "pixels:turned": (
        "Each patch is turned by half. Its first number is its top left pixel.",
        lambda flat, cut: cut[:, :, :, ::-1, ::-1].reshape(flat.shape),
    ),
    "pixels:backwards": ("The numbers of each row are in reverse order.", lambda flat, cut: flat[:, ::-1]),
    "pixels:first-row": (
        "Only the first pixel row of each patch arrived. All its C*P*P numbers are kept.",
        lambda flat, cut: cut[:, :, :, 0].reshape(len(flat), -1),
    ),
    "pixels:largest": (
        "You took each patch's largest number a channel. All its C*P*P numbers are kept.",
        lambda flat, cut: cut.max((3, 4)).reshape(len(flat), -1),
    ),
    "pixels:summed": (
        "You summed each patch to one number a channel. All its C*P*P numbers are kept.",
        lambda flat, cut: cut.sum((3, 4)).reshape(len(flat), -1),
    ),
    "pixels:mean-of-all": (
        "You averaged each patch to one number. All its C*P*P numbers are kept.",
        lambda flat, cut: flat.mean(1, keepdims=True),
    ),
    "shape:flat": ("All patches are in one long row. One row a patch: (N, C*P*P).", lambda flat, cut: flat.ravel()),
    "shape:grid-of-pictures": (
        "The grid and the patches kept their axes, (h, w, C, P, P). Merge them to (N, C*P*P).",
        lambda flat, cut: cut,
    ),
    "shape:pixels-flat": (
        "The channels kept an axis of their own, (N, C, P*P). Merge them with the pixels: (N, C*P*P).",
        lambda flat, cut: flat.reshape(len(flat), cut.shape[2], -1),
    ),
    "shape:channel-rows": (
        (
            "You made a row for every channel of every patch. The channels of a patch belong in one row, one after"
            " another."
        ),
        lambda flat, cut: flat.reshape(-1, flat.shape[1] // cut.shape[2]),
    ),
    "shape:channels-front": (
        "The channels stand in front, (C, N, P*P). They belong in each patch's row: (N, C*P*P).",
        lambda flat, cut: np.moveaxis(flat.reshape(len(flat), cut.shape[2], -1), 1, 0),
    ),
    "shape:pixel-rows": (
        "You made a row for every pixel row. A row is a whole patch: C*P*P numbers.",
        lambda flat, cut: flat.reshape(-1, cut.shape[4]),
    ),
}
STEPS = {
    "image": (
        "the picture",
        (
            "absolute from-0 min-max over-255 to-minus-1-1 bytes-to-minus-1-1 over-largest over-largest-size"
            " centred-all normalised-all float16 whole rounded clipped-0-1 clipped-1 clipped-1000 relu sigmoid tanh"
        ),
    ),
    "patches": (
        "the rows, once they are cut",
        (
            "centred normalised unit over-sum over-row-largest row-minimum row-min-max sorted"
            " centred-columns normalised-columns softmax"
        ),
    ),
}
AXES = "01234"
TWO_AT_ONCE = ("31042", "31240", "13420")  # two of: columns first, patch transposed, channels last
MOVED = {
    f"axes:{''.join(order)}": (
        (
            "You brought the axes (C, h, P, w, P) into the order"
            f" ({', '.join(('C', 'h', 'P of rows', 'w', 'P of columns')[int(i)] for i in order)}) before you merged"
            " them. The grid comes first, then channel, row and column: `transpose(1, 3, 0, 2, 4)`."
        ),
    )
    for order in permutations(AXES)
    if "".join(order) not in TWO_AT_ONCE
}
HWC = "You read the picture as (H, W, C). It is (C, H, W): channels first."
READ = {
    "read-as-hwc-flat": (HWC,),
    "read-as-hwc": (HWC,),
    "memory-as-hwc-flat": (
        (
            "You reshaped (C, H, W) to (H, W, C), which fits and scrambles the picture. Move the axis with transpose,"
            " or leave it in front."
        ),
    ),
    "memory-as-hwc": (
        (
            "You reshaped (C, H, W) to (H, W, C), which fits and scrambles the picture. Move the axis with transpose,"
            " or leave it in front."
        ),
    ),
}
