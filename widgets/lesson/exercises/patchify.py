"""Exercise of chapter 02: cut a picture into patches and lay each one out as a row."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from ..specification import Case, Exercise, Misconception, Outcome
from ._bridge import numbers
from ._slips import but, listed, slipping, slips_at


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
        image = image[:, :image.shape[1] // P * P, :image.shape[2] // P * P]
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
        return _arranged(image.reshape(channels, rows, P, width).swapaxes(0, 1)
                         .reshape(rows, columns, channels, P, P), faults)
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


def _windows(image: np.ndarray, P: int, tops: range, lefts: range, size: int = 0) -> np.ndarray:
    return np.stack([image[:, y:y + (size or P), x:x + (size or P)].ravel() for y in tops for x in lefts])


def _grid(image: np.ndarray, P: int) -> tuple[int, int, int, int]:
    return image.shape[1], image.shape[2], image.shape[1] // P, image.shape[2] // P


_IMAGE = "Leave the picture as it comes."
WINDOWS = {
    "window:index-for-pixel": ("Your windows move by one pixel: the patch's index was taken for its first pixel. Patch (i, j) starts at pixel"
                               " (i*P, j*P).", lambda m, P: _windows(m, P, range(_grid(m, P)[2]), range(_grid(m, P)[3]))),
    "window:short": ("Your windows are P − 1 pixels wide and high: a slice stops before its end, so it is `y:y + P`.",
                     lambda m, P: _windows(m, P, range(0, m.shape[1], P), range(0, m.shape[2], P), P - 1)),
    "window:rows-index": ("You found a patch's place from its number with the grid's height. Patch n is in row n // w and column n % w, with w ="
                          " W // P.", lambda m, P: np.stack([m[:, n // (m.shape[1] // P) * P:(n // (m.shape[1] // P) + 1) * P, n % (
                              m.shape[1] // P) * P:(n % (m.shape[1] // P) + 1) * P].ravel() for n in range(_grid(m, P)[2] * _grid(m, P)[3])])),
    "window:half-patch-on": (f"The picture is shifted by half a patch. {_IMAGE}", lambda m, P: expected(
        np.roll(m, -(P // 2), (1, 2)), P)),
    "window:half-patch-back": (f"The picture is shifted by half a patch. {_IMAGE}", lambda m, P: expected(np.roll(m, P // 2, (1, 2)), P)),
    "window:one-pixel-on": (f"The picture is shifted by one pixel. {_IMAGE}", lambda m, P: expected(np.roll(m, -1, (1, 2)), P)),
    "window:one-pixel-back": (f"The picture is shifted by one pixel. {_IMAGE}", lambda m, P: expected(np.roll(m, 1, (1, 2)), P)),
    "window:first-skipped": ("Your loops start at P, so the first row and column of patches are missing. They start at 0.",
                             lambda m, P: _windows(m, P, range(P, m.shape[1], P), range(P, m.shape[2], P))),
    "window:first-row-alone": ("Only the first row of patches came back. Patches come from the whole picture.",
                               lambda m, P: _windows(m, P, range(0, 1), range(0, m.shape[2], P))),
    "window:first-column-alone": ("Only the first column of patches came back. Patches come from the whole picture.",
                                  lambda m, P: _windows(m, P, range(0, m.shape[1], P), range(0, 1))),
    "window:first-alone": ("Only patch 0 came back. There are (H // P) * (W // P).", lambda m, P: _windows(m, P, range(1), range(1))),
    "window:diagonal": ("You walked down and right at once. For each row of patches, all columns are visited: two loops.", lambda m, P: np.stack(
        [m[:, i:i + P, i:i + P].ravel() for i in range(0, min(m.shape[1:]), P)])),
    "image:upside-down": (f"The picture was turned upside down. {_IMAGE}", lambda m, P: expected(m[:, ::-1], P)),
    "image:mirrored": (f"The picture was mirrored, left for right. {_IMAGE}", lambda m, P: expected(m[:, :, ::-1], P)),
    "image:turned-half": (f"The picture was turned by half. {_IMAGE}", lambda m, P: expected(m[:, ::-1, ::-1], P)),
    "image:turned-quarter": (f"The picture was turned by a quarter. {_IMAGE}", lambda m, P: expected(np.rot90(m, 1, (1, 2)), P)),
    "image:turned-quarter-back": (f"The picture was turned by a quarter. {_IMAGE}", lambda m, P: expected(np.rot90(m, -1, (1, 2)), P)),
    "image:grey": ("The channels were averaged. A row holds the patch in every channel: C*P*P numbers.", lambda m, P: expected(
        m.mean(0, keepdims=True), P)),
    "image:grey-repeated": ("The channels were averaged, and the mean repeated. Every channel keeps its own numbers.", lambda m, P: expected(
        np.broadcast_to(m.mean(0, keepdims=True), m.shape), P)),
    "image:channel-0-repeated": ("Channel 0 stands in for all channels. Every channel keeps its own numbers.", lambda m, P: expected(
        np.broadcast_to(m[:1], m.shape), P)),
    "image:last-channel": ("Only the last channel arrived. A row holds the patch in every channel: C*P*P numbers.",
                           lambda m, P: expected(m[-1:], P)),
    "image:channels-summed": ("The channels were summed. A row holds the patch in every channel: C*P*P numbers.", lambda m, P: expected(
        m.sum(0, keepdims=True), P)),
    "image:channels-rolled": ("The channels moved on by one. Channel 0 comes first.", lambda m, P: expected(np.roll(m, -1, 0), P)),
    "image:channels-rolled-back": ("The channels moved on by one. Channel 0 comes first.", lambda m, P: expected(np.roll(m, 1, 0), P)),
    "image:over-channel-largest": (f"Each channel was divided by its largest number. {_IMAGE}", lambda m, P: expected(
        m / m.max((1, 2), keepdims=True), P)),
    "image:channels-standardised": (f"Each channel was brought to mean 0 and deviation 1. {_IMAGE}", lambda m, P: expected(
        (m - m.mean((1, 2), keepdims=True)) / (m.std((1, 2), keepdims=True) + 1e-12), P)),
    "image:channels-centred": (f"Each channel lost its mean. {_IMAGE}", lambda m, P: expected(m - m.mean((1, 2), keepdims=True), P)),
    "image:bytes": (f"The numbers became bytes, 0 to 255, and lost what does not fit. {_IMAGE}", lambda m, P: expected(
        m.astype(np.int64).astype(np.uint8), P)),
    "image:inverted": (f"The picture was inverted, 255 minus each number. {_IMAGE}", lambda m, P: expected(255 - m.astype(np.float64), P)),
    "image:inverted-1": (f"The picture was inverted, 1 minus each number. {_IMAGE}", lambda m, P: expected(1 - m.astype(np.float64), P)),
}
ROWS = {
    "order:snake": ("Every other row of patches runs from right to left. All run from left to right.", lambda flat, cut: np.concatenate(
        [row[::-1] if i % 2 else row for i, row in enumerate(flat.reshape(*cut.shape[:2], -1))])),
    "order:right-to-left": ("Your patches run from right to left. They run from left to right.", lambda flat, cut: flat.reshape(
        *cut.shape[:2], -1)[:, ::-1].reshape(flat.shape)),
    "order:backwards": ("Your patches are in reverse order. Patch 0 is at the top left.", lambda flat, cut: flat[::-1]),
    "order:first-for-all": ("Patch 0 stands in every row. Row n is patch n.", lambda flat, cut: np.broadcast_to(flat[:1], flat.shape)),
    "order:last-for-all": ("The last patch stands in every row. Row n is patch n.", lambda flat, cut: np.broadcast_to(flat[-1:], flat.shape)),
    "order:first-missing": ("Patch 0 is missing: check where your loop or slice starts.", lambda flat, cut: flat[1:]),
    "order:rolled": ("The patches moved up by one, and the first became the last. Row n is patch n.", lambda flat, cut: np.roll(flat, -1, 0)),
    "order:rolled-back": ("The patches moved down by one, and the last became the first. Row n is patch n.", lambda flat, cut: np.roll(flat, 1, 0)),
    "pixels:upside-down": ("Inside each patch, pixel rows run from bottom to top. They run from top to bottom.",
                           lambda flat, cut: cut[:, :, :, ::-1].reshape(flat.shape)),
    "pixels:mirrored": ("Inside each patch, pixels run from right to left. They run from left to right.",
                        lambda flat, cut: cut[..., ::-1].reshape(flat.shape)),
    "pixels:turned": ("Each patch is turned by half. Its first number is its top left pixel.",
                      lambda flat, cut: cut[:, :, :, ::-1, ::-1].reshape(flat.shape)),
    "pixels:backwards": ("The numbers of each row are in reverse order.", lambda flat, cut: flat[:, ::-1]),
    "pixels:first-row": ("Only the first pixel row of each patch arrived. All its C*P*P numbers are kept.",
                         lambda flat, cut: cut[:, :, :, 0].reshape(len(flat), -1)),
    "pixels:largest": ("You took each patch's largest number a channel. All its C*P*P numbers are kept.",
                       lambda flat, cut: cut.max((3, 4)).reshape(len(flat), -1)),
    "pixels:summed": ("You summed each patch to one number a channel. All its C*P*P numbers are kept.",
                      lambda flat, cut: cut.sum((3, 4)).reshape(len(flat), -1)),
    "pixels:mean-of-all": ("You averaged each patch to one number. All its C*P*P numbers are kept.",
                           lambda flat, cut: flat.mean(1, keepdims=True)),
    "shape:flat": ("All patches are in one long row. One row a patch: (N, C*P*P).", lambda flat, cut: flat.ravel()),
    "shape:grid-of-pictures": ("The grid and the patches kept their axes, (h, w, C, P, P). Merge them to (N, C*P*P).", lambda flat, cut: cut),
    "shape:pixels-flat": ("The channels kept an axis of their own, (N, C, P*P). Merge them with the pixels: (N, C*P*P).",
                          lambda flat, cut: flat.reshape(len(flat), cut.shape[2], -1)),
    "shape:channel-rows": ("You made a row for every channel of every patch. The channels of a patch belong in one row, one after another.",
                           lambda flat, cut: flat.reshape(-1, flat.shape[1] // cut.shape[2])),
    "shape:channels-front": ("The channels stand in front, (C, N, P*P). They belong in each patch's row: (N, C*P*P).",
                             lambda flat, cut: np.moveaxis(flat.reshape(len(flat), cut.shape[2], -1), 1, 0)),
    "shape:pixel-rows": ("You made a row for every pixel row. A row is a whole patch: C*P*P numbers.",
                         lambda flat, cut: flat.reshape(-1, cut.shape[4])),
}
STEPS = {
    "image": ("the picture", "absolute from-0 min-max over-255 to-minus-1-1 bytes-to-minus-1-1 over-largest over-largest-size centred-all"
                             " normalised-all float16 whole rounded clipped-0-1 clipped-1 clipped-1000 relu sigmoid tanh"),
    "patches": ("the rows, once they are cut", "centred normalised unit over-sum over-row-largest row-minimum row-min-max sorted"
                                               " centred-columns normalised-columns softmax"),
}
AXES = "01234"
MOVED = {f"axes:{''.join(order)}": (
    f"You brought the axes (C, h, P, w, P) into the order ({', '.join(('C', 'h', 'P of rows', 'w', 'P of columns')[int(i)] for i in order)})"
    " before you merged them. The grid comes first, then channel, row and column: `transpose(1, 3, 0, 2, 4)`.",)
    for order in permutations(AXES)}
HWC = "You read the picture as (H, W, C). It is (C, H, W): channels first."
READ = {"read-as-hwc-flat": (HWC,), "read-as-hwc": (HWC,),
        "memory-as-hwc-flat": ("You reshaped (C, H, W) to (H, W, C), which fits and scrambles the picture. Move the axis with transpose, or leave it"
                               " in front.",),
        "memory-as-hwc": ("You reshaped (C, H, W) to (H, W, C), which fits and scrambles the picture. Move the axis with transpose, or leave it in"
                          " front.",)}
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
    """One row for every place a window of P pixels can stand."""
    image, P = failed.case.arguments()
    places = (image.shape[1] - P + 1) * (image.shape[2] - P + 1)
    return P > 1 and np.ndim(failed.returned) == 2 and len(failed.returned) == places


SOLUTION = '''
def patchify(image, P):
    C, H, W = image.shape
    h, w = H // P, W // P
    cut = image.reshape(C, h, P, w, P)    # split H and W
    cut = cut.transpose(1, 3, 0, 2, 4)    # (h, w, C, P, P)
    return cut.reshape(h * w, C * P * P)  # merge neighbours
'''

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
        Case("a prepared picture of 3 channels, 4 x 6 px, numbers from about −2 to 2, P = 2",
             lambda: (prepared(3, 4, 6), 2), 1e-6),
        Case("a picture of 2 channels, 6 x 6 px, numbers in the thousands on both sides of 0, P = 3",
             lambda: (prepared(2, 6, 6, 3000.0), 3), 1e-6),
        Case("a photograph of 3 channels, 32 x 48 px, P = 8", lambda: (photograph(32, 48), 8), 0),
        Case("a grey picture of 1 channel, 8 x 8 px, P = 4", lambda: (numbered(1, 8, 8) / 64, 4), 0),
        Case("a grey picture of 1 channel, 2 x 8 px, numbered from 0, P = 2", lambda: (numbered(1, 2, 8), 2), 0),
        Case("a picture that is one patch: 3 channels, 4 x 4 px, P = 4", lambda: (numbered(3, 4, 4), 4), 0),
        Case("patches of a single pixel: 3 channels, 2 x 3 px, P = 1", lambda: (numbered(3, 2, 3), 1), 0),
    ),
    expected=expected,
    faulty=faulty,
    misconceptions=listed(READ) + (
        Misconception("reshaped", "You reshaped the picture instead of cutting it: the shape is right and the"
                      " content is scrambled, because reshape alone takes numbers as they lie in memory. Split"
                      " the axes, move them, then merge."),
        Misconception("channels-last", "Your rows put the channels of one pixel side by side (channels-last)."
                      " Here all of channel 0 comes first, then channel 1: channel, row, column."),
        Misconception("columns-first", "You number the patches down the columns. Raster order goes along the rows:"
                      " left to right, then top to bottom."),
        Misconception("patch-transposed", "Each patch lies on its side: inside a patch, rows and columns of pixels"
                      " changed places. Rows come first, each from left to right."),
        Misconception("strips", "You cut whole strips, as wide as the picture. A patch is P wide as well as P high:"
                      " cut along both sides."),
        Misconception("strip-numbers", "You cut the picture into strips as wide as the picture and then reshaped"
                      " each strip. Cut along the width too, before anything is flattened."),
        Misconception("interleaved", "Your patches take every (H / P)-th pixel instead of neighbours: the axis was"
                      " split as (P, H // P). It must be (H // P, P): which patch first, then where inside it."),
        Misconception("not-flattened", "Each patch is still a small picture. Flatten it: one row of C*P*P numbers"
                      " a patch."),
        Misconception("grid-kept", "The grid still has two axes. A transformer reads one sequence: merge rows and"
                      " columns of the grid into N."),
        Misconception("channels-apart", "You made a row for every channel of every patch. The channels of a patch"
                      " belong in one row, one after another."),
        Misconception("channels-in-front", "The channels stayed in front when you merged the axes, so a row"
                      " mixes patches: bring the axes to (h, w, C, P, P) first, the grid in front of the"
                      " channels."),
        Misconception("one-channel", "Only channel 0 arrived. A row holds the patch in every channel: C*P*P"
                      " numbers."),
        Misconception("bottom-up", "Your patches start at the bottom of the picture. Patch 0 is at the top left."),
        Misconception("last-missing", "The last patch is missing: check where your loop or slice stops."),
        Misconception("short-loops", "The last row and the last column of patches are missing: `range(0, H -"
                      " P, P)` stops too soon. It is `range(0, H, P)`."),
        Misconception("channels-reversed", "Your channels are in reverse (blue first, as OpenCV has them)."
                      " Channel 0 comes first."),
        Misconception("averaged", "You averaged each patch to one number a channel. All its C*P*P numbers are"
                      " kept."),
        Misconception("corner-pixel", "You took one pixel of each patch, every P-th. All its C*P*P numbers"
                      " are kept."),
        Misconception("scaled", "You divided the pixels by 255. Patchify only moves numbers; preparing them is"
                      " another step."),
        Misconception("turned", "Your patches are the columns. Tokens are rows: (N, C*P*P), not (C*P*P, N)."),
        Misconception("batch-axis", "There is an extra axis for a batch in front. One picture comes in, so"
                      " (N, C*P*P) goes out."),
        Misconception("overlapping", "Your patches overlap: the window moves by one pixel. It moves by P, so that"
                      " every pixel is in exactly one patch.", _overlapping),
        Misconception("only-square", "Your function takes height and width to be equal. Count grid rows from H and"
                      " grid columns from W.", _only_square),
    ) + but(listed(WINDOWS | ROWS | MOVED) + slips_at(STEPS), SAME),
)
