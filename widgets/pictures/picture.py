"""Sample pictures, and how any picture becomes the pixels that a model reads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from math import isqrt

import numpy as np
from PIL import Image

from widgets.common.facts import DATA
from widgets.common.refusal import Refused
from widgets.pictures.uploads import LONGEST_TO_SHORTEST, PictureRefused, read_rgb

MOST_PATCHES = 3136  # 56 x 56: what attention can still hold on a reader's machine (T^2 about ten million)


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture as it was opened: `rgb` is uint8 (H, W, 3), read-only, upright, on white where it was see-through."""

    name: str
    title: str
    rgb: np.ndarray
    source: str
    licence: str
    alt: str
    file_size: tuple[int, int] | None = None
    """(height, width) in px of an uploaded file, which `rgb` may be a smaller copy of."""

    @property
    def named(self) -> str:
        """The title inside a sentence: "a cat"."""
        return self.title[:1].lower() + self.title[1:]


@cache
def _samples() -> dict[str, dict[str, str]]:
    entries = json.loads((DATA / "pictures" / "pictures.json").read_text(encoding="utf-8"))
    return {entry["name"]: entry for entry in entries}


def sample_names() -> list[str]:
    """Return the names of the sample pictures, the default one ("cat") first."""
    return list(_samples())


@cache
def open_sample(name: str) -> Picture:
    """Return a sample picture; its pixels are shared, so they are read-only.

    Raises ValueError with the names there are.
    """
    if name not in _samples():
        raise Refused(f"there is no sample picture {name!r}: use one of {', '.join(sample_names())}")
    entry = _samples()[name]
    with Image.open(DATA / "pictures" / entry["file"]) as image:
        rgb = np.array(image.convert("RGB"))  # (H, W, 3)
    rgb.setflags(write=False)
    source = f"{entry['author']}; {entry['source']}"
    return Picture(name, entry["title"], rgb, source, entry["licence"], entry["alt"])


def decode(data: bytes, filename: str = "") -> Picture:
    """Open an uploaded picture; nothing is written to disk.

    PNG, JPEG, WebP, GIF (first frame), BMP and TIFF; turned upright as its EXIF data says, palettes and CMYK
    turned to red, green and blue, 16-bit values scaled, see-through pixels laid over white.

    Raises PictureRefused with a sentence for the reader.
    """
    rgb, (height, width) = read_rgb(data, filename)  # (H, W, 3)
    _check_proportions(height, width)
    rgb.setflags(write=False)
    alt = f"The picture you uploaded, {width} pixels wide and {height} high."
    return Picture(
        "yours", "Your picture", rgb, "uploaded by you", "yours; it stays on this page", alt, (height, width)
    )


def prepared_size(height: int, width: int, patch_size: int, shorter_side: int = 224) -> tuple[int, int]:
    """Return (H, W) in pixels: the shorter side near `shorter_side`, each side the nearest multiple of P.

    A picture keeps its proportions but for that rounding. When it would give more than MOST_PATCHES patches, the
    shorter side is made as much smaller as that limit needs.

    Raises PictureRefused when one side is over 16 times the other, ValueError when an argument is no positive
    whole number.
    """
    given = {"height": height, "width": width, "patch_size": patch_size, "shorter_side": shorter_side}
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise Refused(f"{name} must be a whole number of pixels, 1 or more, not {value!r}")
    _check_proportions(height, width)
    side = min(shorter_side, (isqrt(MOST_PATCHES) + 1) * patch_size)
    H, W = _rounded(height, width, patch_size, side)
    while H * W > MOST_PATCHES * patch_size**2:
        side -= 1
        H, W = _rounded(height, width, patch_size, side)
    return H, W


def prepare(picture: Picture, patch_size: int, shorter_side: int = 224) -> np.ndarray:
    """Scale a picture to `prepared_size`; returns uint8 (3, H, W) of its own memory.

    Bicubic, with Pillow's averaging when it shrinks. Raises as `prepared_size` does.
    """
    height, width, _ = picture.rgb.shape
    H, W = prepared_size(height, width, patch_size, shorter_side)
    image = Image.fromarray(picture.rgb).resize((W, H), Image.Resampling.BICUBIC)
    return np.asarray(image).transpose(2, 0, 1).copy()  # (3, H, W)


def enlarged(pixels: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Scale prepared pixels (3, h, w) to a larger `size` (H, W), bicubic: uint8 (3, H, W). No detail comes back."""
    image = Image.fromarray(pixels.transpose(1, 2, 0)).resize(size[::-1], Image.Resampling.BICUBIC)
    return np.asarray(image).transpose(2, 0, 1).copy()  # (3, H, W)


def _rounded(height: int, width: int, P: int, shorter_side: int) -> tuple[int, int]:
    # In whole numbers, so that a half rounds the same way (up) on every machine.
    shorter = int(min(height, width))

    def nearest(side: int) -> int:
        return max(1, (2 * int(side) * shorter_side + shorter * P) // (2 * shorter * P)) * P

    return nearest(height), nearest(width)


def _check_proportions(height: int, width: int) -> None:
    if max(height, width) > LONGEST_TO_SHORTEST * min(height, width):
        raise PictureRefused(
            f"The picture is {width} x {height} pixels, which is too long and thin to cut into patches:"
            f" crop it so that one side is at most {LONGEST_TO_SHORTEST} times the other."
        )
