"""embedding.py: matrix and convolution are one projection, and components are those of the covariance matrix."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from widgets.model.embedding import (
    column_basis,
    coordinates,
    embed_by_convolution,
    embed_patches,
    patch_basis,
    principal_components,
    projection_matrix,
    projection_of_bytes,
    random_projection,
    reconstruct,
)
from widgets.model.patches import patchify


@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_matrix_and_convolution_agree(C: int, rows: int, columns: int, P: int, D: int) -> None:
    torch.manual_seed(0)
    pixels, filters, b = (
        torch.rand(2, C, rows * P, columns * P).double(),
        torch.randn(D, C, P, P).double(),
        torch.randn(D).double(),
    )
    patches = torch.stack([patchify(picture, P) for picture in pixels])
    by_matrix = embed_patches(patches, projection_matrix(filters), b)
    assert by_matrix.shape == (2, rows * columns, D)
    assert torch.allclose(by_matrix, embed_by_convolution(pixels, filters, b), atol=1e-12)


def test_a_column_of_E_is_a_filter_in_channel_row_column_order() -> None:
    filters = torch.arange(2 * 3 * 4 * 4).reshape(2, 3, 4, 4)
    E = projection_matrix(filters)
    assert E.shape == (48, 2)
    assert E[1 * 16 + 2 * 4 + 3, 1] == filters[1, 1, 2, 3]


def test_wrong_shapes() -> None:
    with pytest.raises(ValueError, match=r"\(D, C, P, P\)"):
        projection_matrix(torch.zeros(4, 4))
    with pytest.raises(ValueError, match="rows of 12 numbers, but E takes rows of 48"):
        embed_patches(torch.zeros(5, 12), torch.zeros(48, 8), torch.zeros(8))


def test_components_are_eigenvectors_of_the_covariance() -> None:
    rows = torch.from_numpy(np.random.default_rng(0).standard_normal((40, 6)) @ np.diag([5, 4, 3, 2, 1, 0.5]))
    found = principal_components(rows, 4)
    values, vectors = np.linalg.eigh(np.cov(rows.numpy().T))
    assert np.allclose(found.variances, values[::-1][:4])
    for direction, vector in zip(found.directions.numpy(), vectors.T[::-1], strict=False):
        assert np.isclose(abs(direction @ vector), 1)
        assert direction[np.abs(direction).argmax()] > 0
    assert np.allclose(found.explained(), values[::-1].cumsum()[:4] / values.sum())


def test_all_components_rebuild_the_patches_exactly() -> None:
    picture = torch.from_numpy(np.random.default_rng(0).integers(0, 256, (3, 56, 56), dtype=np.uint8))
    patches = patchify(picture, 14)  # 16 rows of 588: 15 components
    basis = patch_basis(patches, 15)
    found = coordinates(patches, basis)
    errors = [float((reconstruct(found[:, :k], basis) - patches).square().sum()) for k in range(16)]
    assert errors == sorted(errors, reverse=True) and errors[0] > 1e6 and errors[15] < 1e-12
    assert float(basis.explained()[-1]) == pytest.approx(1)
    # what is left of the variance is what the rest would have held
    assert errors[7] == pytest.approx(float(basis.variances[7:].sum()) * 15)


@pytest.mark.parametrize("k", [0, 16, True, 2.0])
def test_components_that_are_not_there(k: object) -> None:
    with pytest.raises(ValueError, match="16 centred rows of 20 numbers have 1 to 15 components"):
        principal_components(torch.rand(16, 20), k)


def test_components_of_what_has_none() -> None:
    with pytest.raises(ValueError, match="finite"):
        principal_components(torch.tensor([[1.0, float("nan")], [0.0, 1.0]]), 1)
    with pytest.raises(ValueError, match=r"\(N, F\)"):
        principal_components(torch.rand(1, 5), 1)
    assert principal_components(torch.ones(5, 3), 2).explained().tolist() == [1, 1]


def rebuilt_from_tokens(patches: torch.Tensor, E: torch.Tensor) -> torch.Tensor:
    """What x_p E and the mean patch tell of the patches, by NumPy's pseudo-inverse."""
    mean = patches.double().mean(0)
    return (patches.double() - mean) @ E @ torch.from_numpy(np.linalg.pinv(E.numpy())) + mean


@pytest.mark.parametrize("D", [1, 7, 19, 20, 25])
def test_a_projection_keeps_what_its_pseudo_inverse_brings_back(D: int) -> None:
    patches, E = torch.rand(40, 20).double(), random_projection(20, D, seed=3)
    basis = column_basis(patches, E)
    rebuilt = reconstruct(coordinates(patches, basis), basis)
    assert torch.allclose(rebuilt, rebuilt_from_tokens(patches, E), atol=1e-9)
    lost = float((rebuilt - patches).square().sum()) / 39
    assert float(basis.explained()[-1]) == pytest.approx(1 - lost / basis.total_variance)
    assert (lost < 1e-20) == (D >= 20), "nothing is lost exactly when E has as many independent columns as rows"


def test_a_column_that_others_make_up_adds_nothing() -> None:
    patches, E = torch.rand(9, 6), random_projection(6, 3)
    doubled = torch.cat([E, E @ torch.rand(3, 2).double()], 1)
    assert len(column_basis(patches, doubled).directions) == 3
    with pytest.raises(ValueError, match="E is 0"):
        column_basis(patches, torch.zeros(6, 3))
    with pytest.raises(ValueError, match="do not fit"):
        column_basis(patches, torch.zeros(5, 3))


def test_a_projection_of_bytes_differs_from_the_models_own_by_one_row_alone() -> None:
    bytes_, filters = (
        torch.randint(0, 256, (5, 3 * 4), generator=torch.Generator().manual_seed(0)).double(),
        torch.randn(7, 3, 2, 2),
    )
    mean, deviation = (torch.tensor(v).double().repeat_interleave(4) for v in ((0.4, 0.5, 0.6), (0.2, 0.3, 0.1)))
    prepared = ((bytes_ / 255 - mean) / deviation) @ projection_matrix(filters.double())
    ours = bytes_ @ projection_of_bytes(filters, (0.2, 0.3, 0.1))
    assert torch.allclose(ours - ours[:1], prepared - prepared[:1], atol=1e-9)
