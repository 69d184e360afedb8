"""norm.py: the steps are NumPy's, and the spread of several norms is their largest difference."""

from __future__ import annotations

import numpy as np
import pytest

from widgets.model.norm import norm_steps, spread

X = np.array([0.501, 0.499] * 4)


def test_the_steps_lead_to_numpys_norm() -> None:
    gamma, beta = np.arange(8) / 4, np.arange(8) - 3.0
    s = norm_steps(X, gamma, beta, 1e-6)
    assert np.allclose(s.out, (X - X.mean()) / np.sqrt(X.var() + 1e-6) * gamma + beta, atol=1e-12)
    assert norm_steps(X, gamma, beta, 1e-6, sample=True).variance == pytest.approx(X.var(ddof=1))


def test_the_spread_is_the_largest_difference_of_any_two() -> None:
    rows = [norm_steps(X, np.ones(8), np.zeros(8), epsilon) for epsilon in (1e-12, 1e-6, 1e-5)]
    assert (
        spread(rows) == pytest.approx(max(np.abs(a.out - b.out).max() for a in rows for b in rows))
        and spread(rows[:1]) == 0
    )


@pytest.mark.parametrize(
    ("x", "epsilon", "sample", "said"),
    [
        ([1.0, np.nan], 0, False, "finite"),
        ([1.0, 2.0], -1, False, "0 or above"),
        ([1.0], 0, True, "two numbers"),
        ([], 0, False, "three rows"),
    ],
)
def test_what_cannot_be_normalised_is_refused(x: list[float], epsilon: float, sample: bool, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        norm_steps(np.array(x), np.ones(len(x)), np.zeros(len(x)), epsilon, sample)
