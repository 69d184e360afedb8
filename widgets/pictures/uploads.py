"""What a reader uploads, turned into red, green and blue bytes, or refused in one sentence."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from PIL import ExifTags, Image, ImageOps

from widgets.common.refusal import Refused

LONGEST_TO_SHORTEST = 16  # beyond this a picture is a line, and its patches show nothing
MOST_BYTES = 20_000_000
MOST_PIXELS = 50_000_000
KEPT_PIXELS = 4_000_000  # a served page holds every visitor's picture in memory: 12 MB each is enough

_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
_ACCEPTED = "a PNG, JPEG, WebP, GIF, BMP or TIFF file"
_MAGIC = {
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"GIF8": "GIF",
    b"BM": "BMP",
    b"II*\x00": "TIFF",
    b"MM\x00*": "TIFF",
    b"RIFF": "WebP",
}
_ON_ITS_SIDE = (5, 6, 7, 8)  # EXIF orientations that swap height and width
_HEIC_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"hevm", b"mif1", b"msf1", b"heif")


class PictureRefused(Refused):
    """A picture the course cannot use; its message is one sentence for the reader."""


def read_rgb(data: bytes, filename: str = "") -> tuple[np.ndarray, tuple[int, int]]:
    """Return uint8 (H, W, 3), writable, at most KEPT_PIXELS large, and the (height, width) in px that the file has.

    Both are upright. Raises PictureRefused with a sentence; TypeError when `data` is not bytes.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"data must be bytes, not {type(data).__name__}")
    data = bytes(data)
    _check_file(data, filename)
    image = _open(data)
    try:
        image.load()
    except MemoryError:
        raise
    except Exception as error:  # Pillow answers damaged files with a dozen kinds of exception
        raise PictureRefused(_damaged(image.format)) from error
    turn = _orientation(image)
    size = image.size if turn in _ON_ITS_SIDE else image.size[::-1]
    return np.array(_upright(_shrunk(_rgb(image, data)), turn)), size


def _check_file(data: bytes, filename: str) -> None:
    """Refuse what can be told from the first bytes, the name and the length."""
    suffix = filename.rsplit(".", 1)[-1].lower() if "." in filename else ""
    if not data:
        raise PictureRefused(f"The file is empty: choose {_ACCEPTED}.")
    if len(data) > MOST_BYTES:
        raise PictureRefused(
            f"The file has {len(data) / 1e6:.1f} MB, and the most is 20 MB: save it smaller, or as a JPEG."
        )
    start = data[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if suffix in ("svg", "svgz") or start.startswith(b"<svg") or (start.startswith(b"<?xml") and b"<svg" in start):
        raise PictureRefused("An SVG is a drawing without pixels: export it as a PNG and upload that.")
    if suffix in ("heic", "heif") or (data[4:8] == b"ftyp" and data[8:12] in _HEIC_BRANDS):
        raise PictureRefused("HEIC pictures cannot be read here: export it as a JPEG and upload that.")


def _open(data: bytes) -> Image.Image:
    """Read the header alone, and refuse a picture that is too large before a pixel of it is decoded."""
    try:
        image = Image.open(BytesIO(data), formats=_FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise PictureRefused("The picture has over 50 megapixels, the most there may be: scale it down.") from error
    except MemoryError:
        raise
    except Exception as error:  # see read_rgb
        kind = next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), None)
        if kind is None:
            raise PictureRefused(f"The file is not a picture that can be read here: choose {_ACCEPTED}.") from error
        raise PictureRefused(_damaged(kind)) from error
    width, height = image.size
    if width < 1 or height < 1:
        raise PictureRefused(f"The picture is {width} x {height} pixels, so there is nothing in it: choose another.")
    if width * height > MOST_PIXELS:
        raise PictureRefused(
            f"The picture has {width * height / 1e6:.0f} megapixels, and the most is 50: scale it down."
        )
    return image


def _damaged(kind: str | None) -> str:
    return f"The {kind} file is damaged, cut short or without pixels: save the picture again and upload that."


def _orientation(image: Image.Image) -> int:
    """How the file's EXIF data say it is to be turned; 1 is not at all."""
    try:
        return image.getexif().get(ExifTags.Base.Orientation, 1)
    except Exception:  # unreadable EXIF data says nothing about the pixels, which are whole
        return 1


def _upright(rgb: Image.Image, orientation: int) -> Image.Image:
    rgb.info.clear()  # EXIF data that came along
    rgb.getexif()[ExifTags.Base.Orientation] = orientation
    return ImageOps.exif_transpose(rgb)


def _rgb(image: Image.Image, data: bytes) -> Image.Image:
    """Turn any mode Pillow opens into RGB: deep values scaled, what is see-through laid over white."""
    key = _at_key(image, data)
    if image.mode.startswith("I") or image.mode == "F":
        grey = Image.fromarray(_scaled(np.array(image)))
        return _white_at(key, grey.convert("RGB"))
    try:
        if key is None and image.has_transparency_data:
            image = image.convert("RGBA")
            image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
        return _white_at(key, image.convert("RGB"))
    except ValueError as error:
        sentence = f"Colours stored as {image.mode} cannot be read here: save the picture as RGB."
        raise PictureRefused(sentence) from error


def _at_key(image: Image.Image, data: bytes) -> np.ndarray | None:
    """Where a PNG has the one grey or colour that it calls see-through: bool (H, W), or None when it names none.

    Here and not by Pillow, which looks for a key of 2, 4 or 16 bits among values it has scaled to 8.
    """
    key = image.info.get("transparency")
    if image.format != "PNG" or image.mode == "P" or key is None:
        return None
    depth = data[24]  # bits a sample, as the header says
    if data[12:16] != b"IHDR" or depth not in (1, 2, 4, 8, 16):  # Pillow takes a header that is not the first
        raise PictureRefused(_damaged("PNG"))
    if image.mode != "RGB":
        sought = key if depth >= 8 or image.mode == "1" else key % 2**depth * (255 // (2**depth - 1))
        return np.asarray(image.convert("L") if image.mode == "1" else image) == sought
    at = (np.asarray(image) == [part >> depth - 8 & 255 for part in key]).all(axis=2)
    if depth == 16:
        at &= (np.asarray(_low_bytes(data)) == [part & 255 for part in key]).all(axis=2)
    return at


def _low_bytes(data: bytes) -> Image.Image:
    """The lower bytes of a PNG of three times 16 bits; Pillow keeps the upper ones."""
    again = Image.open(BytesIO(data), formats=("PNG",))
    again.tile = [tile._replace(args="RGB;16L") for tile in again.tile]
    again.load()
    return again


def _white_at(key: np.ndarray | None, rgb: Image.Image) -> Image.Image:
    if key is not None:
        rgb.paste("white", mask=Image.fromarray(key))
    return rgb


def _scaled(values: np.ndarray) -> np.ndarray:
    """Return uint8 (H, W) from deep grey values.

    White is 65,535 in 16 bits. In 32 bits the file does not say: it is the first of 255 and 65,535 (whole numbers)
    or of 1 and 255 (floats) that no value passes; any other range is laid over 0 to 255 from end to end. A picture of
    one such value has no ends: it is a middle grey.
    """
    if not np.isfinite(values).all():
        raise PictureRefused("The picture holds values that are not numbers: save it as a PNG with 8 or 16 bits.")
    low, high = float(values.min()), float(values.max())
    if values.dtype.itemsize == 2:
        whites: tuple[int, ...] = (65535,)
    else:
        whites = (255, 65535) if np.issubdtype(values.dtype, np.integer) else (1, 255)
    white = next((white for white in whites if high <= white), None)
    if low >= 0 and white is not None:
        low, high = 0.0, float(white)
    if low == high:
        return np.full(values.shape, 128, np.uint8)
    return np.rint((values.astype(np.float64) - low) * (255 / (high - low))).astype(np.uint8)


def _shrunk(image: Image.Image) -> Image.Image:
    """Scale to KEPT_PIXELS at most; rounding must not make a picture too long and thin that was not."""
    pixels = image.width * image.height
    if pixels <= KEPT_PIXELS:
        return image
    scale = (KEPT_PIXELS / pixels) ** 0.5
    shorter = max(1, int(min(image.size) * scale))
    width, height = (max(1, int(side * scale)) for side in image.size)
    if max(image.size) <= LONGEST_TO_SHORTEST * min(image.size):
        width, height = (min(side, LONGEST_TO_SHORTEST * shorter) for side in (width, height))
    return image.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0)
