"""Sample pictures, preparation and uploads."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from widgets.common.facts import DATA
from widgets.pictures import (
    MOST_PATCHES,
    PREPARATIONS,
    Picture,
    PictureRefused,
    decode,
    open_sample,
    picture,
    prepare,
    prepared_size,
    sample_names,
    uploads,
)

FORMATS = ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"]


def encoded(image: Image.Image, format: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format, **options)
    return buffer.getvalue()


def quarters() -> Image.Image:
    """64 x 32 px: red, green above blue, white; flat over whole 16 px blocks, so that JPEG keeps the colours."""
    rgb = np.zeros((32, 64, 3), np.uint8)
    rgb[:16, :32], rgb[:16, 32:], rgb[16:, :32], rgb[16:, 32:] = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
    return Image.fromarray(rgb)


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds hardly a pixel: only its header may be looked at."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def refusal(data: bytes, filename: str = "") -> str:
    with pytest.raises(PictureRefused) as caught:
        decode(data, filename)
    sentence = str(caught.value)
    assert sentence.endswith(".") and sentence[0].isupper()
    return sentence


# --- samples


def test_there_are_at_least_eight_and_the_cat_is_first() -> None:
    assert len(sample_names()) >= 8 and sample_names()[0] == "cat"


@pytest.mark.parametrize("name", sample_names())
def test_every_sample_opens_and_says_where_it_is_from(name: str) -> None:
    picture = open_sample(name)
    height, width, channels = picture.rgb.shape
    assert channels == 3 and picture.rgb.dtype == np.uint8 and max(height, width) <= 640
    assert picture.title and picture.source and len(picture.alt) > 20
    assert picture.licence in {"CC0 1.0", "CC BY 2.0", "Public domain"}
    assert open_sample(name) is picture
    with pytest.raises(ValueError):
        picture.rgb[0, 0, 0] = 1  # shared by every page


def test_the_samples_are_the_kinds_the_course_needs() -> None:
    assert any(np.ptp(open_sample(name).rgb, axis=2).max() == 0 for name in sample_names())  # a grey one
    assert any(open_sample(name).rgb.shape[0] != open_sample(name).rgb.shape[1] for name in sample_names())


def test_readme_json_and_folder_say_the_same() -> None:
    folder = DATA / "pictures"
    entries = picture._samples().values()
    assert {entry["file"] for entry in entries} == {p.name for p in folder.iterdir()} - {"README.md", "pictures.json"}
    readme = (folder / "README.md").read_text(encoding="utf-8")
    for entry in entries:
        keys = ("file", "title", "author", "licence", "source", "change")
        assert f"| {' | '.join(entry[key] for key in keys)} |" in readme
    assert sum(p.stat().st_size for p in folder.iterdir()) < 1_500_000


def test_an_unknown_sample_names_the_others() -> None:
    with pytest.raises(ValueError, match="cat, astronaut"):
        open_sample("dog")


# --- the size a picture is prepared to


@given(st.integers(1, 5000), st.integers(1, 5000), st.sampled_from([4, 8, 14, 16, 28, 32, 56]))
@settings(max_examples=300, deadline=None)
def test_prepared_sizes_never_stretch_by_more_than_the_rounding(height: int, width: int, P: int) -> None:
    if max(height, width) > 16 * min(height, width):
        with pytest.raises(PictureRefused, match="crop it"):
            prepared_size(height, width, P)
        return
    H, W = prepared_size(height, width, P)
    assert H % P == 0 and W % P == 0 and H * W // P**2 <= MOST_PATCHES
    # one scale explains both sides to within half a patch (the shorter side may be one whole patch)
    lowest = max([(side - P / 2) / original for side, original in ((H, height), (W, width)) if side > P], default=0)
    highest = min((H + P / 2) / height, (W + P / 2) / width)
    assert lowest <= highest + 1e-9
    if H * W // P**2 < MOST_PATCHES / 2 and max(height, width) <= 3 * min(height, width):
        assert abs(min(H, W) - 224) <= P / 2


def test_prepared_sizes_worked_out_by_hand() -> None:
    assert prepared_size(300, 451, 16) == (224, 336)  # 336.7 px: 21 patches
    assert prepared_size(451, 300, 14) == (336, 224)
    assert prepared_size(427, 640, 56) == (224, 336)  # 335.7 px: 6.0 patches
    assert prepared_size(427, 640, 32) == (224, 320)  # 335.7 px: 10.49 patches
    assert prepared_size(480, 640, 16, shorter_side=384) == (384, 512)
    assert prepared_size(100, 100, 32, shorter_side=240) == (256, 256)  # 7.5 patches: a half goes up


def test_long_and_large_pictures_stay_bounded() -> None:
    assert prepared_size(100, 1600, 8) == (112, 1792)  # 14 x 224 = 3,136 patches
    assert prepared_size(518, 518, 8, shorter_side=10_000) == (448, 448)
    with pytest.raises(PictureRefused, match="4000 x 10 pixels, which is too long and thin"):
        prepared_size(10, 4000, 16)


@pytest.mark.parametrize("wrong", [(0, 5, 16), (5, -1, 16), (5, 5, 0), (5, 5, True), (5.0, 5, 16)])
def test_sizes_that_are_none(wrong: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="must be a whole number of pixels"):
        prepared_size(*wrong)


def test_prepare_scales_and_puts_channels_first() -> None:
    rgb = np.asarray(quarters().resize((448, 448), Image.Resampling.NEAREST))
    pixels = prepare(Picture("x", "x", rgb, "", "", ""), 16)
    assert pixels.shape == (3, 224, 224) and pixels.dtype == np.uint8 and pixels.flags.writeable
    assert pixels[:, 10, 10].tolist() == [255, 0, 0] and pixels[:, 10, 200].tolist() == [0, 255, 0]
    assert pixels[:, 200, 10].tolist() == [0, 0, 255] and pixels[:, 200, 200].tolist() == [255, 255, 255]


def test_prepare_leaves_a_picture_of_the_right_size_alone() -> None:
    rgb = np.random.default_rng(0).integers(0, 256, (224, 240, 3), dtype=np.uint8)
    assert np.array_equal(prepare(Picture("x", "x", rgb, "", "", ""), 16), rgb.transpose(2, 0, 1))


# --- from bytes to a model's numbers


@pytest.mark.parametrize("name", list(PREPARATIONS))
def test_levels_and_apply_are_the_formula(name: str) -> None:
    preparation = PREPARATIONS[name]
    pixels = np.random.default_rng(1).integers(0, 256, (3, 5, 7), dtype=np.uint8)
    for channel in range(3):
        expected = (pixels[channel] / 255.0 - preparation.mean[channel]) / preparation.deviation[channel]
        assert np.allclose(preparation.apply(pixels)[channel], expected, rtol=0, atol=1e-6 if name != "bytes" else 1e-4)
        assert np.array_equal(preparation.levels()[channel][pixels[channel]], preparation.apply(pixels)[channel])
    assert preparation.apply(pixels).dtype == preparation.levels().dtype == np.float32
    assert preparation.name == name


def test_preparations_have_the_published_ends() -> None:
    assert np.array_equal(PREPARATIONS["bytes"].levels(), np.tile(np.arange(256, dtype=np.float32), (3, 1)))
    assert PREPARATIONS["vit-b16"].levels()[:, [0, 255]].tolist() == [[-1, 1]] * 3
    ends = PREPARATIONS["dinov2-small"].levels()[:, [0, 255]]
    assert np.allclose(ends, [[-2.1179, 2.2489], [-2.0357, 2.4286], [-1.8044, 2.6400]], atol=1e-4)


def test_preparation_agrees_with_the_library() -> None:
    from transformers import ViTImageProcessor

    processor = ViTImageProcessor(do_resize=False, image_mean=[0.485, 0.456, 0.406], image_std=[0.229, 0.224, 0.225])
    pixels = prepare(open_sample("cat"), 14)
    theirs = processor(pixels.transpose(1, 2, 0), return_tensors="np", input_data_format="channels_last")[
        "pixel_values"
    ][0]
    assert np.abs(PREPARATIONS["dinov2-small"].apply(pixels) - theirs).max() < 1e-6


def test_apply_refuses_what_is_no_picture_of_bytes() -> None:
    with pytest.raises(TypeError, match="uint8"):
        PREPARATIONS["bytes"].apply(np.zeros((3, 4, 4)))
    with pytest.raises(ValueError, match=r"\(3, H, W\)"):
        PREPARATIONS["bytes"].apply(np.zeros((4, 4, 3), np.uint8))


# --- uploads


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_gives_the_picture(format: str) -> None:
    picture = decode(encoded(quarters(), format), "mine")
    assert picture.name == "yours" and picture.rgb.shape == (32, 64, 3) and picture.rgb.dtype == np.uint8
    corners = picture.rgb[[5, 5, 26, 26], [5, 58, 5, 58]].astype(int)
    expected = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
    assert np.abs(corners - expected).max() <= (0 if format in ("PNG", "BMP", "TIFF", "GIF") else 12)


def test_gif_gives_its_first_frame() -> None:
    first, second = (Image.new("RGB", (8, 8), colour) for colour in ("red", "blue"))
    data = encoded(first, "GIF", save_all=True, append_images=[second])
    assert decode(data).rgb[4, 4].tolist() == [255, 0, 0]


@pytest.mark.parametrize(("orientation", "top_left"), [(1, "red"), (3, "white"), (6, "blue"), (8, "lime")])
def test_exif_rotation(orientation: int, top_left: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = decode(encoded(quarters(), "PNG", exif=exif))
    assert picture.rgb.shape == ((32, 64, 3) if orientation in (1, 3) else (64, 32, 3))
    assert tuple(picture.rgb[0, 0]) == Image.new("RGB", (1, 1), top_left).getpixel((0, 0))


def test_alpha_is_laid_over_white() -> None:
    rgba = np.zeros((4, 4, 4), np.uint8)
    rgba[..., 3] = [0, 51, 204, 255]  # black, more and more of it
    assert decode(encoded(Image.fromarray(rgba), "PNG")).rgb[0, :, 0].tolist() == [255, 204, 51, 0]
    grey = Image.fromarray(np.zeros((4, 4), np.uint8))
    grey.putalpha(0)
    assert decode(encoded(grey, "PNG")).rgb.min() == 255
    palette = Image.new("P", (4, 4), 0)
    palette.putpalette([10, 20, 30, 200, 100, 50])
    palette.putpixel((1, 0), 1)
    data = encoded(palette, "PNG", transparency=0)
    assert decode(data).rgb[0, :2].tolist() == [[255, 255, 255], [200, 100, 50]]


def test_palette_and_black_and_white() -> None:
    assert np.array_equal(decode(encoded(quarters().convert("P"), "PNG")).rgb, np.asarray(quarters()))
    assert decode(encoded(Image.new("1", (8, 8), 1), "PNG")).rgb.min() == 255


@pytest.mark.parametrize("format", ["JPEG", "TIFF"])
def test_cmyk(format: str) -> None:
    rgb = decode(encoded(quarters().convert("CMYK"), format)).rgb.astype(int)
    assert np.abs(rgb[[5, 26], [5, 58]] - [[255, 0, 0], [255, 255, 255]]).max() <= 12


@pytest.mark.parametrize("format", ["PNG", "TIFF"])
def test_sixteen_bits_are_scaled_not_clipped(format: str) -> None:
    values = np.array([[0, 257, 32896, 65535]] * 4, np.uint16)
    assert decode(encoded(Image.fromarray(values), format)).rgb[0, :, 0].tolist() == [0, 1, 128, 255]


def test_sixteen_bit_colour() -> None:
    row = struct.pack(">6H", 65535, 32896, 0, 257, 65535, 32896)
    raw = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 1, 16, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(b"\0" + row))
    picture = decode(b"\x89PNG\r\n\x1a\n" + raw + chunk(b"IEND", b""))
    assert picture.rgb[0].tolist() == [[255, 128, 0], [1, 255, 128]]


def keyed_png(depth: int, colour: int, row: bytes, width: int, key: bytes) -> bytes:
    """A PNG of one row that calls one grey (`colour` 0) or colour (2) see-through."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, 1, depth, colour, 0, 0, 0))
    body = chunk(b"tRNS", key) + chunk(b"IDAT", zlib.compress(b"\0" + row))
    return b"\x89PNG\r\n\x1a\n" + header + body + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("depth", "row", "key", "expected"),
    [
        (1, bytes([0b01010000]), 0, [255, 255, 255, 255]),
        (1, bytes([0b01010000]), 1, [0, 255, 0, 255]),
        (2, bytes([0b00011011]), 1, [0, 255, 170, 255]),  # 0, 1, 2, 3 of 3
        (4, bytes([0x05, 0xAF]), 5, [0, 255, 170, 255]),  # 0, 5, 10, 15 of 15
        (4, bytes([0x05, 0xAF]), 0xF00A, [0, 85, 255, 255]),  # higher bits of the key do not count
        (8, bytes([0, 1, 2, 255]), 0, [255, 1, 2, 255]),
        (16, struct.pack(">4H", 0, 1, 32896, 65535), 0, [255, 0, 128, 255]),
        (16, struct.pack(">4H", 0, 32896, 32897, 65535), 32896, [0, 255, 128, 255]),
    ],
)
def test_a_grey_that_is_called_see_through_is_white(depth: int, row: bytes, key: int, expected: list[int]) -> None:
    assert decode(keyed_png(depth, 0, row, 4, struct.pack(">H", key))).rgb[0].tolist() == [[v] * 3 for v in expected]


def test_a_colour_that_is_called_see_through_is_white() -> None:
    white, black = [255] * 3, [0] * 3
    eight = keyed_png(8, 2, bytes([0, 0, 0, 0, 0, 1]), 2, struct.pack(">3H", 0, 0, 0))
    assert decode(eight).rgb[0].tolist() == [white, [0, 0, 1]]
    row = struct.pack(">9H", 0, 0, 0, 0, 0, 1, 257, 32896, 65535)
    assert decode(keyed_png(16, 2, row, 3, struct.pack(">3H", 0, 0, 0))).rgb[0].tolist() == [
        white,
        black,
        [1, 128, 255],
    ]
    key = struct.pack(">3H", 257, 32896, 65535)
    assert decode(keyed_png(16, 2, row, 3, key)).rgb[0].tolist() == [black, black, white]
    near = struct.pack(">3H", 256, 32896, 65535)  # the same upper bytes
    assert decode(keyed_png(16, 2, row, 3, near)).rgb[0].tolist() == [black, black, [1, 128, 255]]


def test_a_header_that_is_not_the_first_is_no_header() -> None:
    png = keyed_png(16, 0, bytes(8), 4, bytes(2))
    assert "PNG file is damaged" in refusal(png[:8] + chunk(b"tEXt", b"k" * 30) + png[8:])


@pytest.mark.parametrize("values", [np.full((4, 4), 7e30, np.float32), np.full((4, 4), -3, np.int32)])
def test_a_deep_picture_of_one_value_is_grey(values: np.ndarray) -> None:
    assert np.unique(decode(encoded(Image.fromarray(values), "TIFF")).rgb).tolist() == [128]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([[0, 128, 255]], np.int32), [0, 128, 255]),
        (np.array([[0, 32896, 65535]], np.int32), [0, 128, 255]),
        (np.array([[-1000, 0, 1000]], np.int32), [0, 128, 255]),
        (np.array([[0.0, 0.2, 1.0]], np.float32), [0, 51, 255]),
        (np.array([[0.0, 51.0, 255.0]], np.float32), [0, 51, 255]),
    ],
)
def test_deep_tiff(values: np.ndarray, expected: list[int]) -> None:
    assert decode(encoded(Image.fromarray(values), "TIFF")).rgb[0, :, 0].tolist() == expected


def test_values_that_are_not_numbers() -> None:
    assert "not numbers" in refusal(encoded(Image.fromarray(np.full((2, 2), np.nan, np.float32)), "TIFF"))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("kept", [0.002, 0.05, 0.5, 0.9])
def test_a_truncated_file_is_refused(format: str, kept: float) -> None:
    data = encoded(Image.fromarray(open_sample("cat").rgb), format)
    assert "damaged, cut short" in refusal(data[: max(12, int(len(data) * kept))], "cat." + format.lower())


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_noise_is_refused_in_a_sentence(data: bytes) -> None:
    refusal(data)


@pytest.mark.parametrize(
    ("data", "filename", "words"),
    [
        (b"", "a.png", "The file is empty"),
        (b"hello, I am text", "a.png", "not a picture that can be read here"),
        (b"%PDF-1.7 ...", "a.pdf", "choose a PNG, JPEG"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "", "An SVG is a drawing without pixels"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- x --><svg/>', "drawing", "An SVG is a drawing"),
        (b"\x1f\x8b..", "a.svgz", "An SVG is a drawing"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "photo.jpg", "HEIC pictures cannot be read here"),
        (b"anything", "IMG_1.HEIC", "export it as a JPEG"),
        (png_header(0, 0), "a.png", "without pixels"),
        (png_header(10_000, 6_000), "a.png", "60 megapixels, and the most is 50"),
        (png_header(20_000, 20_000), "a.png", "over 50 megapixels"),
        (png_header(100_000, 100_000), "a.png", "over 50 megapixels"),
        (b"\xff\xd8\xff" + b"\0" * 20_000_000, "a.jpg", "20.0 MB, and the most is 20 MB"),
        (encoded(Image.new("RGB", (4000, 10)), "PNG"), "a.png", "too long and thin"),
    ],
    ids=lambda value: None if isinstance(value, bytes) else value,
)
def test_refusals(data: bytes, filename: str, words: str) -> None:
    assert words in refusal(data, filename)


@pytest.mark.filterwarnings("error")
def test_a_picture_between_our_limit_and_pillows_is_refused_with_warnings_as_errors() -> None:
    assert "50 megapixels" in refusal(png_header(12_000, 10_000))


def test_nothing_of_a_large_picture_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", lambda self: pytest.fail("decoded"))
    assert "megapixels" in refusal(png_header(9_000, 9_000))


def test_a_large_picture_is_kept_small_enough_to_serve_many_visitors() -> None:
    picture = decode(encoded(Image.new("RGB", (4000, 2000), "teal"), "PNG"))
    height, width, _ = picture.rgb.shape
    assert width == 2828 and height == 1414 and width * height <= uploads.KEPT_PIXELS


@pytest.mark.parametrize("orientation", [1, 6])
def test_the_size_that_is_told_is_the_size_of_the_file(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = decode(encoded(Image.new("RGB", (4000, 3000), "teal"), "JPEG", exif=exif))
    upright = (3000, 4000) if orientation == 1 else (4000, 3000)
    assert picture.file_size == upright and str(upright[0]) in picture.alt and str(upright[1]) in picture.alt
    refused = refusal(encoded(Image.new("RGB", (20_000, 1000), "teal"), "PNG"))
    assert "20000 x 1000 pixels" in refused


def test_a_picture_just_short_enough_is_not_rounded_to_one_that_is_too_long() -> None:
    for height in (1252, 1267, 1500):
        picture = decode(encoded(Image.new("L", (16 * height, height)), "PNG"))
        H, W = prepared_size(*picture.rgb.shape[:2], 14)
        assert W == 16 * H


def test_broken_exif_does_not_cost_the_picture() -> None:
    data = encoded(quarters(), "JPEG", exif=b"Exif\0\0garbage, no TIFF header")
    assert decode(data).rgb.shape == (32, 64, 3)


def test_upload_takes_bytes_only() -> None:
    with pytest.raises(TypeError, match="data must be bytes, not str"):
        decode("cat.png")


def test_nothing_is_written_to_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins
    import tempfile

    data = {format: encoded(quarters(), format) for format in FORMATS}
    really_open = builtins.open

    def open_to_read(file: object, mode: str = "r", *rest: object, **options: object) -> object:
        assert not set(mode) & set("wax+"), f"wrote {file}"
        return really_open(file, mode, *rest, **options)

    monkeypatch.setattr(builtins, "open", open_to_read)
    monkeypatch.setattr(tempfile, "mkstemp", lambda *_, **__: pytest.fail("made a temporary file"))
    for upload in data.values():
        decode(upload)


def test_a_title_inside_a_sentence_keeps_its_names() -> None:
    assert open_sample("cat").named == "a cat" and [
        open_sample(name).named for name in sample_names() if "China" in open_sample(name).title
    ] == ["a palace tower in China"]
