"""stream.py against NumPy in float64, on a small ViT of random weights."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from widgets.checkpoints.loading import load
from widgets.common.facts import published
from widgets.model.stream import differences, quartiles, stream
from widgets.model.trace import Trace, trace

SIZE = (32, 48)


@pytest.fixture(scope="module")
def t() -> Trace:
    return trace(load("random-b16", SIZE), torch.randn(2, 3, *SIZE, generator=torch.Generator().manual_seed(3)))


def long(x: torch.Tensor) -> np.ndarray:
    return x.double().numpy()


@pytest.mark.parametrize("batch", [0, 1])
def test_lengths_and_shares_are_numpys(t: Trace, batch: int) -> None:
    s = stream(t, batch)
    before = [long(z[batch]) for z in (t.z0, *(layer.z for layer in t.layers))]
    assert s.length.shape == s.largest.shape == s.kept.shape == (
        7,
        13,
    ) and s.attention.shape == s.mlp.shape == s.positive.shape == (7, 12)
    for n, z in enumerate(before):
        assert np.allclose(s.length[:, n], np.sqrt((z**2).sum(1)), rtol=1e-12)
        assert np.array_equal(s.largest[:, n], np.abs(z).max(1))
    for n, layer in enumerate(t.layers):
        msa, middle, mlp = (long(x[batch]) for x in (layer.msa, layer.z_prime, layer.mlp))
        assert np.allclose(
            s.attention[:, n], np.linalg.norm(msa, axis=1) / np.linalg.norm(before[n], axis=1), rtol=1e-12
        )
        assert np.allclose(s.mlp[:, n], np.linalg.norm(mlp, axis=1) / np.linalg.norm(middle, axis=1), rtol=1e-12)
        assert np.array_equal(s.positive[:, n], (long(layer.pre_activation[batch]) > 0).mean(1))


@pytest.mark.parametrize("batch", [0, 1])
def test_directions_are_numpys(t: Trace, batch: int) -> None:
    def cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)

    s, z = stream(t, batch), long(t.z0[batch])
    assert s.attention_cosine.shape == s.mlp_cosine.shape == (7, 12)
    for n, layer in enumerate(t.layers):
        msa, middle, mlp, after = (long(x[batch]) for x in (layer.msa, layer.z_prime, layer.mlp, layer.z))
        assert np.allclose(s.attention_cosine[:, n], cosine(msa, z), atol=1e-9)
        assert np.allclose(s.mlp_cosine[:, n], cosine(mlp, middle), atol=1e-9)
        assert np.allclose(s.kept[:, n + 1], cosine(after, long(t.z0[batch])), atol=1e-9)
        z = after
    assert np.allclose(s.kept[:, 0], 1)


def test_length_and_direction_of_what_is_added_make_the_next_length(t: Trace) -> None:
    """The law of cosines: what points against z shortens it, however long it is itself."""
    s = stream(t)
    between = np.sqrt(1 + s.attention**2 + 2 * s.attention * s.attention_cosine)  # z' over z, (T, L)
    after = between * np.sqrt(1 + s.mlp**2 + 2 * s.mlp * s.mlp_cosine)
    assert np.allclose(after, s.length[:, 1:] / s.length[:, :-1], rtol=1e-4)


def test_what_the_sublayers_add_makes_the_next_z(t: Trace) -> None:
    z = t.z0
    for layer in t.layers:
        assert torch.allclose(z + layer.msa + layer.mlp, layer.z, atol=1e-4)
        z = layer.z


def test_quartiles_are_over_the_tokens(t: Trace) -> None:
    rows = np.array([[1.0, 10], [2, 20], [3, 30], [4, 40], [5, 50]])
    assert np.array_equal(quartiles(rows), [[2, 20], [3, 30], [4, 40]])


def test_differences_are_one_a_layer_and_small(t: Trace) -> None:
    found = differences(t)
    assert len(found) == 12 and [d.largest for d in found] == pytest.approx(
        [float(layer.z.abs().max()) for layer in t.layers], rel=1e-4
    )
    assert max(d.relative for d in found) < 1e-5 and all(
        d.relative == pytest.approx(d.absolute / d.largest) for d in found
    )


def test_the_published_differences_of_vit_b16_belong_to_its_published_stream() -> None:
    largest = published("vit_b16_cats")["largest_value_by_layer"]
    of = published("encoder_block")
    for layer, difference in of["vit_b16_absolute_difference_by_layer"].items():
        assert 0.1 < difference / largest[layer] / of["vit_b16_relative_difference_about"] < 10
