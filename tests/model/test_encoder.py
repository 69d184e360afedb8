"""encoder.py against torch's own norm, GELU and encoder layer, and against the published values of GELU."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from widgets.model.attention import AttentionWeights
from widgets.model.encoder import BlockWeights, MLPWeights, block, gelu, gelu_tanh, layer_norm, mlp, post_norm_block
from widgets.model.torch_layer import torch_layer_state

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text())


@pytest.mark.parametrize("eps", [1e-12, 1e-6, 1e-5, 0.1])
def test_layer_norm_is_torchs(eps: float) -> None:
    generator = torch.Generator().manual_seed(0)
    x, weight, bias = (torch.randn(*shape, generator=generator).double() for shape in ((2, 5, 7), (7,), (7,)))
    assert torch.allclose(
        layer_norm(x, weight, bias, eps), torch.nn.functional.layer_norm(x, (7,), weight, bias, eps), atol=1e-12
    )
    plain = layer_norm(x, None, None, eps)
    assert torch.allclose(plain, torch.nn.functional.layer_norm(x, (7,), eps=eps), atol=1e-12)


def test_layer_norm_by_hand() -> None:
    # mean 2.5, population variance 1.25 (the sample variance would be 1.667), epsilon inside the root
    found = layer_norm(torch.tensor([1.0, 2.0, 3.0, 4.0]).double(), None, None, 0.75)
    assert np.allclose(found, np.array([-1.5, -0.5, 0.5, 1.5]) / 2**0.5)


@given(st.floats(-100, 100), st.floats(0.1, 10))
@settings(max_examples=40, deadline=None)
def test_layer_norm_forgets_shift_and_size(shift: float, size: float) -> None:
    x = torch.tensor([0.3, -1.2, 2.0, 0.7, 5.0]).double()
    assert torch.allclose(layer_norm(x * size + shift, None, None, 0.0), layer_norm(x, None, None, 0.0), atol=1e-8)


def test_gelu_has_the_published_values() -> None:
    x = torch.tensor(REFERENCE["gelu"]["x"]).double()
    assert np.abs(gelu(x).numpy() - REFERENCE["gelu"]["gelu"]).max() < 6e-6
    assert torch.allclose(gelu(x), torch.nn.functional.gelu(x), atol=1e-14)
    assert torch.allclose(gelu_tanh(x), torch.nn.functional.gelu(x, approximate="tanh"), atol=1e-14)


def test_gelu_minimum_and_the_distance_of_its_tanh_form() -> None:
    x = torch.linspace(-6, 6, 100_001).double()
    lowest = gelu(x).argmin()
    assert float(gelu(x)[lowest]) == pytest.approx(-0.17, abs=0.001) and float(x[lowest]) == pytest.approx(
        -0.75, abs=0.01
    )
    assert 1e-4 < float((gelu(x) - gelu_tanh(x)).abs().max()) < 1e-3


def random_layer(D: int = 12, k: int = 3, D_ff: int = 20, norm_first: bool = True) -> torch.nn.TransformerEncoderLayer:
    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(
        D,
        k,
        D_ff,
        dropout=0.0,
        activation="gelu",
        layer_norm_eps=1e-6,
        batch_first=True,
        norm_first=norm_first,
        dtype=torch.float64,
    )
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return layer


def weights_of_torch(layer: torch.nn.TransformerEncoderLayer) -> BlockWeights:
    a = layer.self_attn
    return BlockWeights(
        layer.norm1.weight,
        layer.norm1.bias,
        AttentionWeights.packed(a.in_proj_weight.T, a.in_proj_bias, a.out_proj.weight.T, a.out_proj.bias),
        layer.norm2.weight,
        layer.norm2.bias,
        MLPWeights(layer.linear1.weight, layer.linear1.bias, layer.linear2.weight, layer.linear2.bias),
    )


@pytest.mark.parametrize(("norm_first", "ours"), [(True, block), (False, post_norm_block)])
def test_a_block_is_torchs_encoder_layer(norm_first: bool, ours) -> None:
    layer = random_layer(norm_first=norm_first)
    z = torch.randn(2, 5, 12, dtype=torch.float64)
    found = ours(z, weights_of_torch(layer), 3, 1e-6)
    assert torch.allclose(found.z, layer(z), atol=1e-12)


def test_the_weights_of_a_block_are_the_state_of_torchs_layer() -> None:
    layer = random_layer()
    w = weights_of_torch(layer)
    state, own = torch_layer_state(w), layer.state_dict()
    assert state.keys() == own.keys() and all(torch.equal(state[name], own[name]) for name in own)
    other = torch.nn.TransformerEncoderLayer(
        12, 3, 20, 0.0, "gelu", 1e-6, batch_first=True, norm_first=True, dtype=torch.float64
    ).eval()
    other.load_state_dict(state)
    z = torch.randn(2, 5, 12, dtype=torch.float64)
    assert torch.allclose(other(z), block(z, w, 3, 1e-6).z, atol=1e-12)
    with pytest.raises(ValueError, match="in_proj_bias"):
        torch_layer_state(w._replace(attention=w.attention._replace(q_bias=None)))


def test_the_trace_of_a_block_keeps_what_the_equations_name() -> None:
    w, z = weights_of_torch(random_layer()), torch.randn(2, 5, 12, dtype=torch.float64)
    t = block(z, w, 3, 1e-6)
    assert torch.equal(t.z_prime, t.msa + z) and torch.equal(t.z, t.mlp + t.z_prime)
    assert torch.equal(t.post_activation, gelu(t.pre_activation)) and t.pre_activation.shape == (2, 5, 20)
    assert torch.equal(mlp(t.ln2, w.mlp).mlp, t.mlp)
    assert torch.allclose(t.weights @ t.v, t.heads) and t.scores.shape == (2, 3, 5, 5)


@given(st.permutations(range(5)))
@settings(max_examples=30, deadline=None)
def test_a_block_does_not_know_the_order_of_its_tokens(order: list[int]) -> None:
    w, z = weights_of_torch(random_layer()), torch.randn(1, 5, 12, dtype=torch.float64)
    assert torch.allclose(block(z[:, order], w, 3, 1e-6).z, block(z, w, 3, 1e-6).z[:, order], atol=1e-9)


def test_gradients_pass_through_a_block() -> None:
    w, z = weights_of_torch(random_layer()), torch.randn(1, 3, 12, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda z: block(z, w, 3, 1e-6).z, (z,))
