"""attention.py against the pencil example, a loop, torch's fused attention, and what scaling must do."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from widgets.model.attention import (
    AttentionWeights,
    attention,
    merge_heads,
    multi_head_attention,
    scaling_statistics,
    softmax,
    split_heads,
)

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text())
PENCIL = REFERENCE["pencil_attention_head1"]


def qkv(*shape: int, seed: int = 0) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(*shape, generator=generator, dtype=torch.float64) for _ in range(3))


def test_the_pencil_example() -> None:
    z, U = torch.tensor(PENCIL["z"]).double(), torch.tensor(PENCIL["U_qkv"]).double()
    q, k, v = (z @ U).chunk(3, dim=1)
    assert q.tolist() == [[2, -1, 2], [4, 0, 1], [1, 1, 1], [5, 2, 2]]
    assert k.tolist() == [[1, 0, 0], [1, 0, -1], [-1, 2, 1], [0, 2, 0]]
    assert v.tolist() == [[0, -1, 0], [-2, -2, -2], [-2, 2, 1], [-5, 1, -1]]
    output, weights, scores = attention(q, k, v)
    for ours, published in ((scores, "scores"), (weights, "weights"), (output, "output")):
        assert np.abs(ours.numpy() - PENCIL[published]).max() < 1e-6


def test_a_loop_gives_the_same() -> None:
    q, k, v = qkv(5, 3)
    output, weights, _ = attention(q, k, v)
    for i in range(5):
        s = [sum(float(q[i, d] * k[j, d]) for d in range(3)) / math.sqrt(3) for j in range(5)]
        e = [math.exp(number) for number in s]
        for j in range(5):
            assert float(weights[i, j]) == pytest.approx(e[j] / sum(e))
        for d in range(3):
            assert float(output[i, d]) == pytest.approx(sum(e[j] / sum(e) * float(v[j, d]) for j in range(5)))


@pytest.mark.parametrize("scale", [None, 1.0, 0.1])
@pytest.mark.parametrize("masked", [False, True])
def test_torchs_fused_attention_gives_the_same(scale: float | None, masked: bool) -> None:
    q, k, v = qkv(2, 4, 6, 8)
    mask = torch.ones(6, 6, dtype=torch.bool).tril() if masked else None
    fused = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)
    output, weights, scores = attention(q, k, v, scale, mask)
    assert torch.allclose(output, fused, atol=1e-12)
    if masked:
        assert float(weights[..., 0, 0].min()) == 1 and float(weights.triu(1).abs().max()) == 0
        assert torch.isfinite(scores).all(), "scores are from before the mask"


@given(st.integers(1, 3), st.integers(1, 9), st.integers(1, 6), st.floats(0.01, 100))
@settings(max_examples=60, deadline=None)
def test_rows_sum_to_one(batch: int, T: int, D_h: int, size: float) -> None:
    q, k, v = qkv(batch, T, D_h)
    output, weights, _ = attention(q * size, k * size, v)
    assert torch.allclose(weights.sum(-1), torch.ones(batch, T, dtype=torch.float64), atol=1e-12)
    assert float(weights.min()) >= 0
    assert (output.amax(1) <= v.amax(1) + 1e-12).all() and (output.amin(1) >= v.amin(1) - 1e-12).all()


@given(st.permutations(range(6)))
@settings(max_examples=40, deadline=None)
def test_permuting_tokens_permutes_outputs(order: list[int]) -> None:
    z = qkv(1, 6, 8)[0]
    matrices = [torch.randn(8, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(n)) for n in range(4)]
    w = AttentionWeights(matrices[0], None, matrices[1], None, matrices[2], None, matrices[3], None)
    straight, shuffled = multi_head_attention(z, w, 2), multi_head_attention(z[:, order], w, 2)
    assert torch.allclose(shuffled.msa, straight.msa[:, order], atol=1e-9)
    assert torch.allclose(shuffled.weights, straight.weights[..., order, :][..., order], atol=1e-9)


def test_softmax_does_not_overflow() -> None:
    assert softmax(torch.tensor([1e4, 0.0, -1e4])).tolist() == [1, 0, 0]


@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_merging_undoes_splitting(B: int, T: int, k: int, D_h: int) -> None:
    x = torch.arange(B * T * k * D_h).reshape(B, T, k * D_h)
    heads = split_heads(x, k)
    assert heads.shape == (B, k, T, D_h)
    for j in range(k):
        assert torch.equal(heads[:, j], x[:, :, j * D_h : (j + 1) * D_h])
    assert torch.equal(merge_heads(heads), x)


def test_many_heads_against_torchs_module() -> None:
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(12, 3, batch_first=True, dtype=torch.float64).eval()
    torch.nn.init.normal_(module.in_proj_bias)
    torch.nn.init.normal_(module.out_proj.bias)
    w = AttentionWeights.packed(
        module.in_proj_weight.T, module.in_proj_bias, module.out_proj.weight.T, module.out_proj.bias
    )
    z = qkv(2, 5, 12)[0]
    expected, weights = module(z, z, z, average_attn_weights=False)
    ours = multi_head_attention(z, w, 3)
    assert torch.allclose(ours.msa, expected, atol=1e-12) and torch.allclose(ours.weights, weights, atol=1e-12)
    assert ours.q.shape == ours.heads.shape == (2, 3, 5, 4) and ours.scores.shape == (2, 3, 5, 5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: attention(torch.ones(3, 2), torch.ones(3, 4), torch.ones(3, 2)), "q and k need one width"),
        (lambda: attention(torch.ones(3, 2), torch.ones(3, 2), torch.ones(4, 2)), "do not belong together"),
        (lambda: attention(torch.ones(2), torch.ones(2), torch.ones(2)), "do not belong together"),
        (lambda: attention(*[torch.ones(3, 2).long()] * 3), "must be floats"),
        (lambda: attention(*qkv(3, 2), mask=torch.ones(3, 3)), "mask must be boolean"),
        (lambda: attention(*qkv(3, 2), mask=torch.zeros(3, 3, dtype=torch.bool)), "leaves a query nothing"),
        (lambda: split_heads(torch.ones(1, 2, 6), 4), "4 heads do not divide the 6 columns"),
        (lambda: split_heads(torch.ones(1, 2, 6), 0), "0 heads do not divide"),
        (lambda: merge_heads(torch.ones(2, 2)), r"\(B, k, T, D_h\)"),
        (lambda: scaling_statistics(0), "head_size must be"),
        (lambda: scaling_statistics(4, keys=1), "keys must be a whole number, 2 or more"),
        (lambda: scaling_statistics(4, draws=True), "draws must be"),
    ],
)
def test_refusals(call, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("head_size", [2, 16, 64, 256])
def test_unscaled_scores_spread_as_the_root_of_the_width(head_size: int) -> None:
    found = scaling_statistics(head_size, draws=1000)
    assert found["unscaled"]["std"] == pytest.approx(math.sqrt(head_size), rel=0.06)
    assert found["scaled"]["std"] == pytest.approx(1, rel=0.06)


def test_without_scaling_softmax_saturates() -> None:
    small, large = scaling_statistics(2), scaling_statistics(512, draws=500)
    assert large["unscaled"]["largest_weight"] > 0.85 and large["scaled"]["largest_weight"] < 0.2
    assert large["unscaled"]["entropy"] < 0.4 and large["scaled"]["entropy"] > 3
    assert large["unscaled"]["jacobian_norm"] < small["unscaled"]["jacobian_norm"]
    assert all(0 <= row["entropy"] <= math.log(64) for found in (small, large) for row in found.values())


def test_scaling_statistics_can_be_repeated_and_match_a_jacobian_by_autograd() -> None:
    assert scaling_statistics(8, draws=150, seed=3) == scaling_statistics(8, draws=150, seed=3)
    assert scaling_statistics(8, draws=150, seed=3) != scaling_statistics(8, draws=150, seed=4)
    generator = torch.Generator().manual_seed(5)
    q, k = torch.randn(1, 1, 8, generator=generator), torch.randn(1, 6, 8, generator=generator)
    scores = (q @ k.transpose(1, 2)).flatten().double()
    found = scaling_statistics(8, keys=6, draws=1, seed=5)["unscaled"]
    jacobian = torch.autograd.functional.jacobian(lambda s: s.softmax(0), scores)
    a = scores.softmax(0)
    assert found["jacobian_norm"] == pytest.approx(float(jacobian.norm()))
    assert found["own_derivatives"] == pytest.approx(float(jacobian.trace()))
    off = jacobian - jacobian.diagonal().diag()
    assert float(off.max()) <= 0 and -float(off.sum()) == pytest.approx(found["own_derivatives"]), (
        "the rest is no larger"
    )
    assert found["entropy"] == pytest.approx(float(-(a * a.log()).sum()))
    assert found["largest_weight"] == pytest.approx(float(a.max())) and found["std"] == found[
        "spread"
    ] == pytest.approx(float(scores.std()))
