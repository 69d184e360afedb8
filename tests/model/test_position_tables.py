"""position_tables.py against sums written out in NumPy, and against what each table must tell of a grid."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from widgets.checkpoints.loading import load
from widgets.model.library import weights_of
from widgets.model.position_tables import KINDS, likeness, most_alike, position_table, similarity_rows

GRIDS = [(16, 16), (6, 9)]


@pytest.fixture(scope="module")
def weights():
    return weights_of(load("dinov2-small").model)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_table_has_a_row_a_token_and_cosines_are_numpys(weights, kind: str, grid: tuple[int, int]) -> None:
    with torch.no_grad():
        table = position_table(kind, weights, grid)
        similar = similarity_rows(table, grid).numpy()
    rows = table.double().numpy()
    assert rows.shape == (1 + grid[0] * grid[1], 384)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = rows / np.where(length, length, 1)
    assert np.abs(similar - unit @ unit[1:].T).max() < 1e-5


def test_the_learned_table_on_its_own_grid_is_the_models(weights) -> None:
    assert torch.equal(position_table("learned", weights, (37, 37)), weights.positions)


def test_random_is_seeded_and_another_seed_is_another_table(weights) -> None:
    first, again, other = (position_table("random", weights, (4, 5), seed) for seed in (0, 0, 1))
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_an_unknown_table_is_answered(weights) -> None:
    with pytest.raises(ValueError, match="no table 'rotary': use one of learned"):
        position_table("rotary", weights, (4, 4))


def test_a_formula_in_two_dimensions_is_a_sum_of_a_row_and_a_column(weights) -> None:
    """Far away in the row and far away in the column are equally far, in a square grid."""
    similar = similarity_rows(position_table("sincos_2d", weights, (7, 7)), (7, 7))[1:].reshape(7, 7, 7, 7)
    assert torch.allclose(similar[3, 3], similar[3, 3].T, atol=1e-6)
    assert similar[3, 3, 3, 0] > similar[3, 3, 0, 0]


def test_a_formula_in_one_dimension_knows_only_the_distance_in_the_sequence(weights) -> None:
    similar = similarity_rows(position_table("sincos_1d", weights, (5, 8)), (5, 8))[1:]
    assert torch.allclose(similar[3, 10], similar[20, 27], atol=1e-5)  # seven apart, wherever
    assert similar[7, 8] > similar[7, 15]  # the next row's first before the patch below


def test_measures_by_hand() -> None:
    """A table that says nothing but the row: every share and mean can be counted."""
    rows = torch.eye(5).repeat_interleave(6, 0)  # 5 rows of 6 patches
    found = likeness(torch.cat([torch.zeros(1, 5), rows]), (5, 6))
    assert (found.same_row, found.same_column, found.elsewhere) == pytest.approx((1, 0, 0), abs=1e-6)
    assert (found.share_in_row, found.share_in_column) == (1, 0)


def test_nobody_is_most_alike_to_himself_and_ties_go_to_the_lower() -> None:
    similar = torch.tensor([[1.0, 0.2, 0.9, 0.9], [0.2, 1, 0, 0], [0.9, 0, 1, 0.5], [0.9, 0, 0.5, 1]])
    assert most_alike(similar, 2).tolist() == [[2, 3], [0, 2], [0, 3], [0, 2]]
    with pytest.raises(ValueError, match="has 3 others, not 4"):
        most_alike(similar)


def test_the_real_table_holds_rows_and_columns_alike_and_a_random_one_does_not(weights) -> None:
    with torch.no_grad():
        learned, chance = (
            likeness(position_table(kind, weights, (16, 16)), (16, 16)) for kind in ("learned", "random")
        )
    assert learned.share_in_row + learned.share_in_column > 0.9 > 0.2 > chance.share_in_row + chance.share_in_column
    assert min(learned.same_row, learned.same_column) > 5 * learned.elsewhere
