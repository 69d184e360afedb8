"""activation.py against the published values, NumPy and the slope written by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.model.small_models import library_vit
from widgets.model.activation import (
    ACTIVATIONS,
    by_sign,
    curve,
    cut_off,
    loud,
    lowest_of_gelu,
    relu_twin,
    varying,
    widest_gap,
)
from widgets.model.library import weights_of
from widgets.model.trace import trace

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
    left, right = (np.abs(both[side][seen[side].argmax()]) for side in (both < 0, both > 0))
    assert left == pytest.approx(gap.x, abs=1e-3) and right == pytest.approx(gap.x, abs=1e-3), (
        "the same gap at both signs"
    )


def test_every_curve_has_as_many_numbers_as_places_and_leaves_them_alone() -> None:
    before = X.copy()
    for name in ACTIVATIONS:
        found = curve(name, X)
        assert found.value.shape == found.slope.shape == X.shape and np.array_equal(found.x, before)
    assert np.array_equal(X, before)


def test_a_relu_twin_adds_one_row_to_every_token() -> None:
    """One layer: its second bias is b_2 + W_2 times the mean of GELU(a) over the tokens, of the a below 0."""
    w = weights_of(library_vit(head=False))
    t = trace(w, torch.randn(1, 3, 28, 28, generator=torch.Generator().manual_seed(5)))
    means, plain = cut_off(t), trace(relu_twin(w), t.pixels)
    twin = relu_twin(w, means)
    a = t.layers[0].pre_activation[0].double().numpy()
    mean = np.where(a < 0, gelu_by_hand(a), 0).mean(0)
    assert np.allclose(means[0], mean, atol=1e-6) and (mean < 0).any()
    of_class = cut_off(t, tokens=slice(0, 1))[0]
    assert np.allclose(of_class, np.where(a[0] < 0, gelu_by_hand(a[0]), 0), atol=1e-6)
    assert not np.allclose(of_class, mean, atol=1e-3)
    before, W_2 = w.blocks[0].mlp, w.blocks[0].mlp.fc2_weight.double().numpy()
    assert np.allclose(twin.blocks[0].mlp.fc2_bias, before.fc2_bias.numpy() + W_2 @ mean, atol=1e-5)
    first = plain.layers[0]
    assert torch.equal(first.post_activation, first.pre_activation.clamp(min=0))
    moved = trace(twin, t.pixels).layers[0].mlp[0] - first.mlp[0]  # (T, D): one row for all
    assert np.allclose(moved, W_2 @ mean, atol=1e-5) and w.activation is not torch.relu


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).normal(-1, 1.5, shape)


def gelu_by_hand(a: np.ndarray) -> np.ndarray:
    return a * (1 + np.vectorize(math.erf)(a / math.sqrt(2))) / 2


def test_the_two_parts_of_an_mlp_are_numpys() -> None:
    a, W_2 = numbers(5, 12), np.random.default_rng(8).normal(size=(3, 12))
    out = gelu_by_hand(a)  # (T, D_ff)
    parts = [np.where(kept, out, 0) @ W_2.T for kept in (a < 0, a > 0)]
    found = by_sign(torch.from_numpy(a), torch.from_numpy(W_2))
    for got, part in zip(found, parts, strict=True):
        assert np.allclose(got, np.linalg.norm(part, axis=1) / np.linalg.norm(out @ W_2.T, axis=1), rtol=1e-12)
    assert np.linalg.norm(parts[0]) > 0 and not np.allclose(found.negative, found.positive)


def test_the_parts_without_their_mean_over_tokens_are_numpys() -> None:
    a, W_2 = numbers(5, 12), np.random.default_rng(8).normal(size=(3, 12))
    parts = [np.where(kept, gelu_by_hand(a), 0) @ W_2.T for kept in (a < 0, a > 0)]
    rest = [part - part.mean(0) for part in parts]
    lengths = by_sign(torch.from_numpy(a), torch.from_numpy(W_2), centred=True)
    shares = varying(torch.from_numpy(a), torch.from_numpy(W_2))
    for got, share, part, left in zip(lengths, shares, parts, rest, strict=True):
        assert np.allclose(got, np.linalg.norm(left, axis=1) / np.linalg.norm(sum(rest), axis=1), rtol=1e-12)
        assert share == pytest.approx((left**2).sum() / (part**2).sum(), rel=1e-12) and 0 < share < 1


def test_a_part_that_is_the_same_for_every_token_does_not_vary() -> None:
    a = np.hstack([np.full((4, 2), -0.7), np.abs(numbers(4, 3))])
    shares = varying(torch.from_numpy(a), torch.eye(5))
    assert shares.negative == pytest.approx(0, abs=1e-12) and shares.positive > 0.05


def test_of_positive_numbers_alone_the_negative_part_is_nothing() -> None:
    found = by_sign(torch.from_numpy(np.abs(numbers(4, 6))), torch.eye(6))
    assert (found.negative == 0).all() and np.allclose(found.positive, 1)


def test_loud_counts_both_signs() -> None:
    assert loud(torch.tensor([-5.0, -1.0, -0.1, 0.1, 1.0])) == pytest.approx(2 / 5)
    a = numbers(50, 7)
    assert loud(torch.from_numpy(a), 0.15) == pytest.approx((np.abs(gelu_by_hand(a)) > 0.15).mean())
