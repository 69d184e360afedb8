"""Exercise of chapter 02: cut a picture into patches and lay each one out as a row."""

from __future__ import annotations

import numpy as np

from widgets.lesson.exercises._bridge import numbers
from widgets.lesson.exercises._cuts import MOVED, READ, ROWS, STEPS, WINDOWS
from widgets.lesson.exercises._slips import but, listed, slipping, slips_at
from widgets.lesson.specification import Case, Exercise, Misconception, Outcome


def numbered(channels: int, height: int, width: int) -> np.ndarray:
    """A picture in which every number is different, so that no pixel can be mistaken for another."""
    return np.arange(channels * height * width).reshape(channels, height, width)


def photograph(height: int, width: int) -> np.ndarray:
    """A picture of bytes, as a photograph is: (3, height, width)."""
    return np.random.default_rng(2).integers(0, 256, (3, height, width), dtype=np.uint8)


def prepared(channels: int, height: int, width: int, spread: float = 1.0) -> np.ndarray:
    """A picture as a model reads it: numbers on both sides of 0."""
    return numbers(3, channels, height, width, spread=spread, centre=0.3 * spread)


def expected(image: np.ndarray, P: int) -> np.ndarray:
    """The course's own patchify: (C, H, W) to (N, C*P*P)."""
    from widgets.model.patches import patchify

    return patchify(image, P)


def faulty(image: np.ndarray, P: int, faults: frozenset[str] = frozenset()) -> np.ndarray:
    """Patches as they come out with the named mistakes."""
    at = slipping(faults)
    image = at("image", image)
    if "read-as-hwc" in faults or "read-as-hwc-flat" in faults:  # (C, H, W) taken for (H, W, C)
        faults = faults | {"channels-last"} if "read-as-hwc-flat" in faults else faults
        image = np.moveaxis(image, 2, 0)
        image = image[:, : image.shape[1] // P * P, : image.shape[2] // P * P]
    if "memory-as-hwc" in faults or "memory-as-hwc-flat" in faults:
        faults = faults | {"channels-last"} if "memory-as-hwc-flat" in faults else faults
        image = np.moveaxis(image.reshape(*image.shape[1:], len(image)), 2, 0)
    channels, height, width = image.shape
    rows, columns = height // P, width // P
    for name, (_, other) in WINDOWS.items():
        if name in faults:
            return other(image, P)
    order = next((fault.removeprefix("axes:") for fault in faults if fault.startswith("axes:")), None)
    if order is not None:
        five = image.reshape(channels, rows, P, columns, P)
        return five.transpose([int(i) for i in order]).reshape(rows * columns, -1)
    if "reshaped" in faults:
        return _arranged(image.reshape(rows, columns, channels, P, P), faults)
    if "strips" in faults:
        return image.reshape(channels, rows, P, width).swapaxes(0, 1).reshape(rows, -1)
    if "strip-numbers" in faults:
        return _arranged(
            image.reshape(channels, rows, P, width).swapaxes(0, 1).reshape(rows, columns, channels, P, P), faults
        )
    if "one-channel" in faults:
        image, channels = image[:1], 1
    if "channels-reversed" in faults:
        image = image[::-1]
    if "interleaved" in faults:
        cut = image.reshape(channels, P, rows, P, columns).transpose(2, 4, 0, 1, 3)
    else:
        cut = image.reshape(channels, rows, P, columns, P).transpose(1, 3, 0, 2, 4)
    return at("patches", _arranged(cut, faults))


def _arranged(cut: np.ndarray, faults: frozenset[str]) -> np.ndarray:
    """Put (h, w, C, P, P) into rows, with what can go wrong on the way."""
    cut = cut[:-1, :-1] if "short-loops" in faults else cut
    rows, columns, channels, P, _ = cut.shape
    if "averaged" in faults:
        return cut.mean((3, 4)).reshape(rows * columns, channels)
    if "corner-pixel" in faults:
        return cut[..., 0, 0].reshape(rows * columns, channels)
    if "columns-first" in faults:
        cut = cut.swapaxes(0, 1)
    if "patch-transposed" in faults:
        cut = cut.swapaxes(3, 4)
    if "channels-last" in faults:
        cut = np.moveaxis(cut, 2, 4)
    if "not-flattened" in faults:
        return cut.reshape(rows * columns, *cut.shape[2:])
    if "grid-kept" in faults:
        return cut.reshape(*cut.shape[:2], -1)
    if "channels-in-front" in faults:
        return np.moveaxis(cut, 2, 0).reshape(rows * columns, -1)
    if "channels-apart" in faults:
        return np.moveaxis(cut, 2, 0).reshape(channels * rows * columns, P * P)
    flat = cut.reshape(rows * columns, -1)
    if "bottom-up" in faults:
        flat = flat.reshape(rows, columns, -1)[::-1].reshape(rows * columns, -1)
    if "last-missing" in faults:
        flat = flat[:-1]
    if "scaled" in faults:
        flat = flat / 255
    if "turned" in faults:
        flat = flat.T
    for name, (_, other) in ROWS.items():
        if name in faults:
            return other(flat, cut)
    return flat[None] if "batch-axis" in faults else flat


SAME = (
    "axes:01234 axes:01324 axes:10234 axes:13024 axes:13042 axes:13240 axes:31024 image:over-255 "
    "image:over-largest-size"
)


def _only_square(failed: Outcome, outcomes: list[Outcome]) -> bool:
    """Square pictures come out right, the others not."""

    def square(outcome: Outcome) -> bool:
        image = outcome.case.arguments()[0]
        return image.shape[1] == image.shape[2]

    return all(o.right for o in outcomes if square(o)) and not any(o.right for o in outcomes if not square(o))


def _overlapping(failed: Outcome, outcomes: list[Outcome]) -> bool:
    """One row for every place a window of P pixels can stand, in every case."""

    def places(outcome: Outcome) -> int:
        image, P = outcome.case.arguments()
        return (image.shape[1] - P + 1) * (image.shape[2] - P + 1)

    return all(np.ndim(o.returned) == 2 and len(o.returned) == places(o) for o in outcomes if o.error is None)


SOLUTION = """
def patchify(image, P):
    C, H, W = image.shape
    h, w = H // P, W // P
    cut = image.reshape(C, h, P, w, P)    # split H and W
    cut = cut.transpose(1, 3, 0, 2, 4)    # (h, w, C, P, P)
    return cut.reshape(h * w, C * P * P)  # merge neighbours
"""

EXERCISE = Exercise(
    id="patchify",
    title="Cut a picture into patches",
    minutes=10,
    difficulty=2,
    importance=5,
    purpose="Everything a ViT knows of a picture comes through this function.",
    signature="def patchify(image, P):",
    text=(
        "Write `patchify(image, P)`. `image` is a NumPy array of shape `(C, H, W)`; `H` and `W` are multiples"
        " of `P` and may differ. Return an array of shape `(N, C*P*P)` with `N = (H // P) * (W // P)`: one row a"
        " patch.\n\n"
        "Patches come in raster order: left to right, then top to bottom. Inside a row, all numbers of channel 0"
        " come first, then channel 1, and so on; inside a channel, pixel rows from top to bottom, each from left"
        " to right. Leave `image` as it was. No loop is needed, but a loop is allowed."
    ),
    hints=(
        "Take a picture of 1 channel, 4 x 4 px, numbered 0 to 15, and `P = 2`. Write the four rows on paper."
        " Patch 0 is 0 1 4 5, not 0 1 2 3: a patch takes numbers from two pixel rows.",
        "A pixel's row number y is two numbers at once: the grid row `y // P` and the row inside the patch `y % P`."
        " So `reshape` can split the axis H into two axes (H // P, P), and W likewise. That gives five axes.",
        "From `(C, h, P, w, P)` you want `(h, w, C, P, P)`: move whole axes with `transpose(1, 3, 0, 2, 4)`. Only"
        " then merge h with w, and C with P with P, by a second `reshape`.",
    ),
    solution=SOLUTION,
    commentary=(
        "The five axes are channel, grid row, row inside the patch, grid column, column inside the patch. `reshape`"
        " never moves a number: it reads them in the order they lie in memory and cuts that line into new lengths."
        " Splitting an axis in two is safe, and so is merging two neighbours. What has to move between the two is"
        " moved by `transpose`. In PyTorch the same step is called `permute`."
    ),
    cases=(
        Case("a picture of 2 channels, 4 x 6 px, numbered from 0, P = 2", lambda: (numbered(2, 4, 6), 2), 0),
        Case("a picture of 3 channels, 6 x 3 px, numbered from 0, P = 3", lambda: (numbered(3, 6, 3), 3), 0),
        Case("a square picture of 3 channels, 4 x 4 px, numbered from 0, P = 2", lambda: (numbered(3, 4, 4), 2), 0),
        Case(
            "a prepared picture of 3 channels, 4 x 6 px, numbers from about −2 to 2, P = 2",
            lambda: (prepared(3, 4, 6), 2),
            1e-6,
        ),
        Case(
            "a picture of 2 channels, 6 x 6 px, numbers in the thousands on both sides of 0, P = 3",
            lambda: (prepared(2, 6, 6, 3000.0), 3),
            1e-6,
        ),
        Case("a photograph of 3 channels, 32 x 48 px, P = 8", lambda: (photograph(32, 48), 8), 0),
        Case("a grey picture of 1 channel, 8 x 8 px, P = 4", lambda: (numbered(1, 8, 8) / 64, 4), 0),
        Case("a grey picture of 1 channel, 2 x 8 px, numbered from 0, P = 2", lambda: (numbered(1, 2, 8), 2), 0),
        Case("a picture that is one patch: 3 channels, 4 x 4 px, P = 4", lambda: (numbered(3, 4, 4), 4), 0),
        Case("patches of a single pixel: 3 channels, 2 x 3 px, P = 1", lambda: (numbered(3, 2, 3), 1), 0),
    ),
    expected=expected,
    faulty=faulty,
    misconceptions=(
        *listed(READ),
        Misconception(
            "reshaped",
            "You reshaped the picture instead of cutting it: the shape is right and the"
            " content is scrambled, because reshape alone takes numbers as they lie in memory. Split"
            " the axes, move them, then merge.",
        ),
        Misconception(
            "channels-last",
            "Your rows put the channels of one pixel side by side (channels-last)."
            " Here all of channel 0 comes first, then channel 1: channel, row, column.",
        ),
        Misconception(
            "columns-first",
            "You number the patches down the columns. Raster order goes along the rows:"
            " left to right, then top to bottom.",
        ),
        Misconception(
            "patch-transposed",
            "Each patch lies on its side: inside a patch, rows and columns of pixels"
            " changed places. Rows come first, each from left to right.",
        ),
        Misconception(
            "strips",
            "You cut whole strips, as wide as the picture. A patch is P wide as well as P high: cut along both sides.",
        ),
        Misconception(
            "strip-numbers",
            "You cut the picture into strips as wide as the picture and then reshaped"
            " each strip. Cut along the width too, before anything is flattened.",
        ),
        Misconception(
            "interleaved",
            "Your patches take every (H / P)-th pixel instead of neighbours: the axis was"
            " split as (P, H // P). It must be (H // P, P): which patch first, then where inside it.",
        ),
        Misconception(
            "not-flattened", "Each patch is still a small picture. Flatten it: one row of C*P*P numbers a patch."
        ),
        Misconception(
            "grid-kept",
            "The grid still has two axes. A transformer reads one sequence: merge rows and columns of the grid into N.",
        ),
        Misconception(
            "channels-apart",
            "You made a row for every channel of every patch. The channels of a patch"
            " belong in one row, one after another.",
        ),
        Misconception(
            "channels-in-front",
            "The channels stayed in front when you merged the axes, so a row"
            " mixes patches: bring the axes to (h, w, C, P, P) first, the grid in front of the"
            " channels.",
        ),
        Misconception("one-channel", "Only channel 0 arrived. A row holds the patch in every channel: C*P*P numbers."),
        Misconception("bottom-up", "Your patches start at the bottom of the picture. Patch 0 is at the top left."),
        Misconception("last-missing", "The last patch is missing: check where your loop or slice stops."),
        Misconception(
            "short-loops",
            "The last row and the last column of patches are missing: `range(0, H -"
            " P, P)` stops too soon. It is `range(0, H, P)`.",
        ),
        Misconception(
            "channels-reversed", "Your channels are in reverse (blue first, as OpenCV has them). Channel 0 comes first."
        ),
        Misconception("averaged", "You averaged each patch to one number a channel. All its C*P*P numbers are kept."),
        Misconception("corner-pixel", "You took one pixel of each patch, every P-th. All its C*P*P numbers are kept."),
        Misconception(
            "scaled", "You divided the pixels by 255. Patchify only moves numbers; preparing them is another step."
        ),
        Misconception("turned", "Your patches are the columns. Tokens are rows: (N, C*P*P), not (C*P*P, N)."),
        Misconception(
            "batch-axis", "There is an extra axis for a batch in front. One picture comes in, so (N, C*P*P) goes out."
        ),
        Misconception(
            "overlapping",
            "Your patches overlap: the window moves by one pixel. It moves by P, so that"
            " every pixel is in exactly one patch.",
            _overlapping,
        ),
        Misconception(
            "only-square",
            "Your function takes height and width to be equal. Count grid rows from H and grid columns from W.",
            _only_square,
        ),
        *but(listed(WINDOWS | ROWS | MOVED) + slips_at(STEPS), SAME),
    ),
)
