"""shuffle.py: the pixels that move, and the library's own answers to them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from widgets.checkpoints.loading import load
from widgets.experiments.shuffle import ORDERS, patch_order, reorder, shuffle_test
from widgets.pictures import open_sample, prepare


@pytest.mark.parametrize("kind", ORDERS)
def test_every_order_holds_every_patch_once_and_is_the_seeds(kind: str) -> None:
    order = patch_order(kind, (5, 7), 3)
    assert sorted(order) == list(range(35)) and np.array_equal(order, patch_order(kind, (5, 7), 3))
    moved = int((order != np.arange(35)).sum())
    assert moved == {"swap": 2, "rows": 28}.get(kind, moved) and moved > 1


def test_rows_upside_down_by_hand() -> None:
    assert patch_order("rows", (2, 3)).tolist() == [3, 4, 5, 0, 1, 2]
    assert patch_order("swap", (1, 1)).tolist() == [0]


def test_an_unknown_order_is_answered() -> None:
    with pytest.raises(ValueError, match="no order 'sort': use one of shuffle"):
        patch_order("sort", (2, 2))


def test_the_patches_move_whole() -> None:
    pixels = prepare(open_sample("coffee"), 14)
    grid = (pixels.shape[1] // 14, pixels.shape[2] // 14)
    order = patch_order("shuffle", grid)
    moved = reorder(pixels, 14, order)
    for place in (0, 17, len(order) - 1):
        (r, c), (r0, c0) = divmod(place, grid[1]), divmod(int(order[place]), grid[1])
        assert np.array_equal(
            moved[:, r * 14 : r * 14 + 14, c * 14 : c * 14 + 14],
            pixels[:, r0 * 14 : r0 * 14 + 14, c0 * 14 : c0 * 14 + 14],
        )


@pytest.mark.parametrize("picture", ["cat", "coffee", "photographer"])
def test_the_answers_are_the_librarys_and_only_positions_tell_the_order(picture: str) -> None:
    result = shuffle_test("dinov2-small", open_sample(picture), "shuffle")
    checkpoint = load("dinov2-small", result.picture.shape[1:])
    x = torch.from_numpy(np.stack([checkpoint.preparation.apply(p) for p in (result.picture, result.reordered)]))
    square = x.shape[2] == x.shape[3]
    with torch.no_grad():
        if square:  # the library refuses the others
            theirs = checkpoint.model(pixel_values=x, interpolate_pos_encoding=False).last_hidden_state[:, 0].numpy()
            assert np.abs(theirs - result.with_positions.y).max() < 1e-3
            a, b = theirs.astype(np.float64)
            assert result.with_positions.cosine == pytest.approx(
                a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-4
            )
            assert result.with_positions.largest_change == pytest.approx(np.abs(b - a).max(), abs=1e-3)
    assert result.with_positions.largest_change > 0.5 and result.with_positions.cosine < 0.99
    assert 0 <= result.without.largest_change < 1e-3 and result.without.token_change < 1e-3
    assert result.without.cosine == pytest.approx(1, abs=1e-6)


def test_without_positions_is_the_library_with_its_table_set_to_zero() -> None:
    import copy

    result = shuffle_test("dinov2-small", open_sample("cat"), "rows")
    checkpoint = load("dinov2-small", 224)
    model = copy.deepcopy(checkpoint.model)
    with torch.no_grad():
        model.embeddings.position_embeddings.zero_()
        theirs = model(
            pixel_values=torch.from_numpy(checkpoint.preparation.apply(result.picture))[None]
        ).last_hidden_state[0, 0]
    assert np.abs(theirs.numpy() - result.without.y[0]).max() < 1e-3
