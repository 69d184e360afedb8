"""activation.py against the published values, NumPy and the slope written by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from widgets.model.activation import ACTIVATIONS, curve, lowest_of_gelu, widest_gap

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text())["gelu"]
X = np.linspace(-6, 6, 241)


def phi(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def test_gelu_at_the_published_places() -> None:
    assert np.abs(curve("GELU", REFERENCE["x"]).value - REFERENCE["gelu"]).max() < 6e-6


def test_slopes_are_the_derivatives_written_by_hand() -> None:
    by_hand = [(1 + math.erf(x / math.sqrt(2))) / 2 + x * phi(x) for x in X]
    assert np.allclose(curve("GELU", X).slope, by_hand, atol=1e-12)
    assert np.array_equal(curve("ReLU", X).slope, (X > 0).astype(float))
    narrow = 1e-6
    rise = (curve("GELU, tanh form", X + narrow).value - curve("GELU, tanh form", X - narrow).value) / (2 * narrow)
    assert np.allclose(curve("GELU, tanh form", X).slope, rise, atol=1e-8)


def test_gelu_is_lowest_where_its_slope_is_nothing() -> None:
    lowest = lowest_of_gelu()
    assert lowest.x == pytest.approx(-0.7518, abs=1e-4) and lowest.value == pytest.approx(-0.17, abs=1e-3)
    assert abs(curve("GELU", [lowest.x]).slope[0]) < 1e-10 and lowest.value <= curve("GELU", X).value.min()


def test_the_two_forms_are_under_a_thousandth_apart_and_the_gap_is_the_largest() -> None:
    gap, both = widest_gap(), np.linspace(-9, 9, 200_001)
    seen = np.abs(curve("GELU", both).value - curve("GELU, tanh form", both).value)
    assert 4e-4 < gap.value < 1e-3 and seen.max() == pytest.approx(gap.value, rel=1e-4)


def test_every_curve_has_as_many_numbers_as_places_and_leaves_them_alone() -> None:
    before = X.copy()
    for name in ACTIVATIONS:
        found = curve(name, X)
        assert found.value.shape == found.slope.shape == X.shape and np.array_equal(found.x, before)
    assert np.array_equal(X, before)
