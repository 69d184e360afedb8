"""The cases of the exercise wrong_row are what its text says: a glance does not settle them, the weights do."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from widgets.lesson import check, exercises

EXERCISE = exercises.find("wrong_row")


def weights_behind(z: np.ndarray, U_qkv: np.ndarray, published: np.ndarray) -> np.ndarray:
    """(N, N): column i holds the weights, of sum 1, that make published row i of the rows of v."""
    N, D_h = published.shape
    v = (z @ U_qkv)[:, -D_h:]
    return np.linalg.solve(np.vstack([v.T, np.ones(N)]), np.vstack([published.T, np.ones(N)]))


@pytest.mark.parametrize("case", EXERCISE.cases, ids=lambda case: case.name)
def test_the_wrong_row_is_in_range_and_needs_a_negative_weight(case) -> None:
    z, U_qkv, published = case.arguments()
    wrong, v = EXERCISE.expected(z, U_qkv, published), (z @ U_qkv)[:, -published.shape[1] :]
    assert (published[wrong] > v.min(0)).all() and (published[wrong] < v.max(0)).all()
    lowest = weights_behind(z, U_qkv, published).min(axis=0)
    assert lowest[wrong] < -0.1 and np.delete(lowest, wrong).min() > 0, "and only that row does"


def test_the_published_example_is_the_one_of_the_text() -> None:
    z, U_qkv, published = EXERCISE.cases[0].arguments()
    assert EXERCISE.expected(z, U_qkv, published) == 3
    assert published[3].tolist() == [-3.014, 0.002, -0.995]
    assert weights_behind(z, U_qkv, published)[:, 3].round(3).tolist() == [-0.178, 0.578, 0.38, 0.22]


def test_solving_for_the_weights_passes_too() -> None:
    assert check("wrong_row", lambda *given: int(weights_behind(*given).min(axis=0).argmin())).passed


@pytest.mark.parametrize("dress", [np.int64, np.intp, np.uint8, np.array, torch.tensor, int])
def test_an_index_may_be_numpys_or_torchs(dress) -> None:
    assert check("wrong_row", lambda *given: dress(EXERCISE.expected(*given))).passed


def test_argmax_as_it_comes_passes() -> None:
    assert check("wrong_row", lambda *given: weights_behind(*given).min(axis=0).argmin()).passed


@pytest.mark.parametrize("dress", [np.float64, float, bool, lambda i: np.array([i]), lambda i: [i], str])
def test_an_index_is_a_whole_number_all_the_same(dress) -> None:
    result = check("wrong_row", lambda *given: dress(EXERCISE.expected(*given)))
    assert not result.passed and "overflow" not in result.message
