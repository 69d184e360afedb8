"""patches.py against loops written by hand, and against torch's own unfold and convolution."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from widgets.model.patches import (
    check_image_size,
    patch_index,
    patch_position,
    patchify,
    same_spot,
    token_name,
    unpatchify,
)

SIDES = st.integers(1, 5)


def numbered(channels: int, height: int, width: int) -> np.ndarray:
    """Every number of the picture is different, so that only the right order is equal."""
    return np.arange(channels * height * width).reshape(channels, height, width)


def cut_by_loops(image: np.ndarray, P: int) -> list[list[int]]:
    channels, height, width = image.shape
    rows = []
    for top in range(0, height, P):
        for left in range(0, width, P):
            row = []
            for channel in range(channels):
                for v in range(P):
                    for u in range(P):
                        row.append(image[channel][top + v][left + u])
            rows.append(row)
    return rows


@given(SIDES, SIDES, SIDES, st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_unpatchify_undoes_patchify(channels: int, rows: int, columns: int, P: int) -> None:
    image = numbered(channels, rows * P, columns * P)
    patches = patchify(image, P)
    assert patches.tolist() == cut_by_loops(image, P)
    assert np.array_equal(unpatchify(patches, image.shape[1:], P), image)
    tensor = torch.from_numpy(image)
    assert torch.equal(patchify(tensor, P), torch.from_numpy(patches))
    assert torch.equal(unpatchify(patchify(tensor, P), tuple(tensor.shape[1:]), P), tensor)


@pytest.mark.parametrize("make", [np.zeros, torch.zeros])
def test_rows_without_a_number_make_no_picture(make) -> None:
    with pytest.raises(ValueError, match="C one or more channels"):
        unpatchify(make((4, 0)), (4, 4), 2)


def test_patch_17_of_224_px_is_the_square_the_syllabus_names() -> None:
    image = numbered(3, 224, 224)
    patches = patchify(image, 16)
    assert patches.shape == (196, 768)
    assert np.array_equal(patches[17].reshape(3, 16, 16), image[:, 16:32, 48:64])
    # number 0 is red at (0, 0), 256 green, 512 blue
    assert patches[0, [0, 256, 512]].tolist() == [image[0, 0, 0], image[1, 0, 0], image[2, 0, 0]]


def test_torch_unfold_agrees() -> None:
    image = torch.rand(3, 28, 42)
    unfolded = torch.nn.functional.unfold(image[None], kernel_size=14, stride=14)[0].T
    assert torch.equal(patchify(image, 14), unfolded)


def test_a_convolution_is_the_same_projection() -> None:
    torch.manual_seed(0)
    convolution = torch.nn.Conv2d(3, 5, kernel_size=8, stride=8).double()
    image = torch.rand(3, 24, 40, dtype=torch.float64)
    projected = patchify(image, 8) @ convolution.weight.flatten(1).T + convolution.bias
    expected = convolution(image[None])[0].flatten(1).T
    assert torch.allclose(projected, expected, atol=1e-12)


def test_a_reshape_is_not_a_cut() -> None:
    image = numbered(3, 32, 32)
    assert not np.array_equal(patchify(image, 16), image.reshape(4, 768))


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.float32, np.float64])
def test_number_types_are_kept(kind: type) -> None:
    image = numbered(1, 4, 4).astype(kind)
    assert patchify(image, 2).dtype == kind
    assert patchify(torch.from_numpy(image), 2).dtype == torch.from_numpy(image).dtype


def test_nan_and_uncontiguous_memory_pass_through() -> None:
    image = np.full((3, 4, 6), np.nan)
    image[:, 0, 0] = 7.0
    assert np.array_equal(unpatchify(patchify(image, 2), (4, 6), 2), image, equal_nan=True)
    turned = numbered(3, 6, 4).transpose(0, 2, 1)
    assert patchify(turned, 2).tolist() == cut_by_loops(turned, 2)
    assert patchify(torch.from_numpy(turned), 2).tolist() == cut_by_loops(turned, 2)


def test_gradients_reach_the_picture() -> None:
    image = torch.rand(1, 4, 4, requires_grad=True)
    patchify(image, 2)[3].sum().backward()
    assert image.grad.tolist() == [[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]]


@pytest.mark.parametrize(
    ("size", "P", "nearest"),
    [
        ((225, 224), 16, "224 x 224 px (height 224 or 240, width 224)"),
        ((224, 239), 16, "224 x 240 px (height 224, width 224 or 240)"),
        ((3, 500), 14, "14 x 504 px (height 14, width 490 or 504)"),
    ],
)
def test_a_size_that_does_not_cut_names_the_nearest_ones(size: tuple[int, int], P: int, nearest: str) -> None:
    with pytest.raises(ValueError) as caught:
        patchify(np.zeros((3, *size)), P)
    assert f"{size[0]} x {size[1]} px" in str(caught.value)
    assert nearest in str(caught.value)
    with pytest.raises(ValueError, match="nearest valid size"):
        unpatchify(np.zeros((4, 3)), size, P)


@pytest.mark.parametrize("P", [0, -16, True, 16.0, "16", None, np.True_])
def test_patch_sizes_that_are_none(P: object) -> None:
    with pytest.raises(ValueError, match="patch_size must be a whole number"):
        patchify(np.zeros((3, 32, 32)), P)


@pytest.mark.parametrize("shape", [(32, 32), (1, 3, 32, 32), (0, 32, 32)])
def test_wrong_dimensions(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"\(C, H, W\)"):
        patchify(np.zeros(shape), 16)


def test_wrong_kinds() -> None:
    with pytest.raises(TypeError, match="torch tensor or a NumPy array, not list"):
        patchify([[[1.0]]], 1)
    with pytest.raises(TypeError, match="not list"):
        unpatchify([[1.0]], (1, 1), 1)
    with pytest.raises(ValueError, match="height must be a whole number"):
        check_image_size(0, 32, 16)
    with pytest.raises(ValueError, match="height must be a whole number"):
        patchify(np.zeros((3, 0, 32)), 16)


@pytest.mark.parametrize("shape", [(3, 12), (4, 10), (4, 0), (4, 12, 1)])
def test_patches_that_belong_to_another_picture(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"4 rows \(2 x 2 patches\) of C x 4 numbers"):
        unpatchify(np.zeros(shape), (4, 4), 2)


@given(SIDES, SIDES, st.data())
@settings(deadline=None)
def test_position_and_index_undo_each_other(rows: int, columns: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(0, rows * columns - 1))
    row, column = patch_position(n, (rows, columns))
    assert (row, column) == divmod(n, columns)
    assert patch_index(row, column, (rows, columns)) == n


def test_positions_of_the_syllabus() -> None:
    assert patch_position(17, (14, 14)) == (1, 3)
    assert patch_position(17, (16, 16)) == (1, 1)
    assert patch_position(5, (2, 4)) == (1, 1)


@pytest.mark.parametrize("n", [-1, 196, 1.0, True])
def test_patches_that_are_not_there(n: object) -> None:
    with pytest.raises(ValueError, match="use 0 to 195"):
        patch_position(n, (14, 14))


@pytest.mark.parametrize("place", [(-1, 0), (0, 4), (2, 0)])
def test_places_that_are_not_there(place: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="outside a grid of 2 x 4"):
        patch_index(*place, (2, 4))


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 40), st.integers(1, 40), st.data())
def test_the_same_spot_is_the_patch_in_which_the_middle_lies(
    rows: int, columns: int, other_rows: int, other_columns: int, data
) -> None:
    n = data.draw(st.integers(0, rows * columns - 1))
    row, column = patch_position(
        same_spot(n, (rows, columns), (other_rows, other_columns)), (other_rows, other_columns)
    )
    for at, side, new, sides in ((n // columns, rows, row, other_rows), (n % columns, columns, column, other_columns)):
        assert (
            2 * side * new <= (2 * at + 1) * sides < 2 * side * (new + 1) or (2 * at + 1) * sides % (2 * side) == 0
        ), "in whole numbers"
    assert same_spot(n, (rows, columns), (rows, columns)) == n


def test_rows_of_z_have_the_names_readers_call_them_by() -> None:
    assert [token_name(token, 3) for token in range(5)] == [
        "the class token",
        "register 1",
        "register 2",
        "patch 0",
        "patch 1",
    ]
    assert token_name(0, 0) == "patch 0", "a model without a class token"
