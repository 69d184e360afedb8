"""inspection.py against loops, against NumPy, and on models whose answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.small_models import library_vit
from widgets.checkpoints.loading import load
from widgets.model.embedding import embed_by_convolution
from widgets.model.inspection import (
    attention_rollout,
    even_attention_distance,
    filter_components,
    mean_attention_distance,
    occlusion,
    rank_correlation,
    row_shares,
    silence_filters,
    smoothness,
    token_components,
)
from widgets.model.library import weights_of
from widgets.model.trace import trace
from widgets.pictures import open_sample, prepare, sample_names


def attentions(L: int, B: int, k: int, T: int, seed: int = 0) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(B, k, T, T, generator=generator, dtype=torch.float64).mul(2).softmax(-1) for _ in range(L)]


# --- rollout


@given(st.integers(1, 4), st.integers(1, 2), st.integers(1, 3), st.integers(1, 6), st.booleans())
@settings(max_examples=50, deadline=None)
def test_rollout_rows_sum_to_one_after_every_layer(L: int, B: int, k: int, T: int, residual: bool) -> None:
    given_layers = attentions(L, B, k, T)
    for depth in range(1, L + 1):
        rollout = attention_rollout(given_layers[:depth], residual)
        assert rollout.shape == (B, T, T)
        assert torch.allclose(rollout.sum(-1), torch.ones(B, T, dtype=torch.float64), atol=1e-12)


def test_rollout_puts_the_later_layer_on_the_left() -> None:
    first, second = attentions(2, 1, 3, 4)
    A = [(layer.mean(1)[0].numpy() + np.eye(4)) / 2 for layer in (first, second)]
    assert np.allclose(attention_rollout([first, second])[0], A[1] @ A[0])
    assert not np.allclose(attention_rollout([first, second])[0], A[0] @ A[1])
    plain = [layer.mean(1)[0].numpy() for layer in (first, second)]
    assert np.allclose(attention_rollout([first, second], residual=False)[0], plain[1] @ plain[0])


def test_rollout_of_tokens_that_look_at_themselves_is_the_identity() -> None:
    still = torch.eye(5).repeat(2, 3, 1, 1)
    assert torch.equal(attention_rollout([still, still]), torch.eye(5).repeat(2, 1, 1))


@pytest.mark.parametrize(
    ("given_layers", "words"),
    [
        ([], "there are no attentions"),
        ([torch.ones(3, 4, 4)], r"shape \(B, k, T, T\), not \(3, 4, 4\)"),
        ([torch.ones(1, 2, 4, 5)], r"not \(1, 2, 4, 5\)"),
        ([torch.ones(1, 2, 4, 4), torch.ones(1, 2, 5, 5)], "the same number of tokens"),
    ],
)
def test_what_is_no_stack_of_attentions(given_layers: list, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        attention_rollout(given_layers)
    with pytest.raises(ValueError, match=words):
        mean_attention_distance(given_layers, (2, 2), 4, prefix=0)


# --- attention distance


def test_distance_against_a_loop() -> None:
    grid, P, prefix, k = (2, 3), 16, 2, 2
    given_layers = attentions(2, 2, k, 8)
    found = mean_attention_distance(given_layers, grid, P, prefix)
    assert found.shape == (2, 2)
    for layer in range(2):
        for head in range(k):
            total = 0.0
            for b in range(2):
                for i in range(6):
                    row = [float(w) for w in given_layers[layer][b, head, prefix + i, prefix:]]
                    for j in range(6):
                        away = math.dist(divmod(i, 3), divmod(j, 3)) * P
                        total += row[j] / sum(row) * away
            assert float(found[layer, head]) == pytest.approx(total / 12)


def test_distances_that_are_known() -> None:
    T = 1 + 16
    itself = torch.eye(T).expand(1, 1, T, T)
    assert mean_attention_distance([itself], (4, 4), 14).tolist() == [[0.0]]
    neighbour = torch.zeros(1, 1, 16, 16)
    for n in range(16):
        neighbour[..., n, n + 1 if n % 4 < 3 else n - 1] = 1  # one step to the side
    assert mean_attention_distance([neighbour], (4, 4), 14, prefix=0).tolist() == [[14.0]]
    with pytest.raises(ValueError, match="a grid of 4 x 5 and 1 before it make 21 tokens, not 17"):
        mean_attention_distance([itself], (4, 5), 14)


def test_even_attention_reaches_the_mean_distance_of_all_pairs() -> None:
    places = [(r * 14, c * 14) for r in range(3) for c in range(5)]
    pairs = [math.dist(a, b) for a in places for b in places]
    assert even_attention_distance((3, 5), 14) == pytest.approx(sum(pairs) / len(pairs), rel=1e-5)


def test_where_a_row_goes() -> None:
    weights = torch.tensor([[0.5, 0.1, 0.15, 0.25]])  # class token, register, two patches
    shares = row_shares(weights, prefix=2)
    assert [float(field) for field in shares] == pytest.approx([0.6, 0.4, 1.0, 0.25, 1])
    with pytest.raises(ValueError, match="4 tokens before the patches leave none of the 4"):
        row_shares(weights, prefix=4)


@pytest.fixture(scope="module")
def distances() -> dict[str, np.ndarray]:
    """Mean attention distance of the trained model's heads, (L, k), on every sample picture."""
    found = {}
    for name in sample_names():
        pixels = prepare(open_sample(name), 14)
        checkpoint = load("dinov2-small", pixels.shape[1:])
        t = trace(checkpoint, torch.from_numpy(checkpoint.preparation.apply(pixels))[None])
        found[name] = mean_attention_distance(t.attentions, t.grid, 14, t.prefix).numpy()
    return found


def test_what_chapter_06_says_of_this_models_heads(distances: dict[str, np.ndarray]) -> None:
    """It contradicts the paper's picture of its own models: no local head in layer 1, and local ones right after."""
    square = np.mean([distances[name] for name in ("cat", "astronaut", "photographer", "bricks")], axis=0)  # (L, k)
    assert square[0].min() > 70, "layer 1: every head is global, on the mean of four pictures"
    assert (square[1:5].min(1) < 30).all(), "layers 2 to 5 have a head of about two patches"
    assert square[6:].min() > 50 and square[6:].max() < 115, "from layer 7 on none is local"
    for name, found in distances.items():
        assert (found[1:5].min(1) < 42).all() and found[6:].min() > 41, name
        if name != "gravel":  # a texture: its first layer has a head that looks next door
            assert found[0].min() > 55, name
    assert distances["gravel"][0].min() < 14


@pytest.mark.parametrize("name", ["cat", "astronaut", "coffee", "photographer", "bricks"])
def test_three_heads_of_layer_4_look_at_one_neighbour_as_chapter_06_says(name: str) -> None:
    pixels = prepare(open_sample(name), 14)
    checkpoint = load("dinov2-small", pixels.shape[1:])
    t = trace(checkpoint, torch.from_numpy(checkpoint.preparation.apply(pixels))[None])
    strongest = row_shares(t.layers[3].weights[0, :, 1:], t.prefix).at  # (k, N)
    query = torch.arange(strongest.shape[1])
    for step, head in ((-t.grid[1], 5), (t.grid[1], 2), (-1, 6)):
        share = (strongest == query + step).float().mean(1)
        assert (share > 0.5).nonzero().flatten().tolist() == [head - 1], (name, step)


# --- components


def test_filter_components() -> None:
    weight = torch.randn(40, 3, 4, 4, generator=torch.Generator().manual_seed(0))
    found = filter_components(weight, 5)
    assert found.shape == (5, 3, 4, 4) and found.dtype == torch.float32
    rows = weight.flatten(1).double().numpy()
    _, vectors = np.linalg.eigh(np.cov(rows.T))
    for component, vector in zip(found.flatten(1).double().numpy(), vectors.T[::-1], strict=False):
        assert abs(component @ vector) == pytest.approx(1, abs=1e-5)
        assert component[np.abs(component).argmax()] > 0
    with pytest.raises(ValueError, match=r"\(D, C, P, P\)"):
        filter_components(weight[0], 1)
    with pytest.raises(ValueError, match="1 to 39 components, not 40"):
        filter_components(weight, 40)


def test_smoothness_of_patterns_that_are_known() -> None:
    flat, noise = torch.ones(1, 3, 16, 16), torch.randn(1, 3, 16, 16, generator=torch.Generator().manual_seed(0))
    board = (-1.0) ** (torch.arange(16)[:, None] + torch.arange(16))
    found = smoothness(torch.cat([flat, noise, board.expand(1, 3, 16, 16)]))
    assert found[0] == pytest.approx(1) and abs(found[1]) < 0.1 and found[2] == pytest.approx(-1)
    with pytest.raises(ValueError, match="P of 2 or more"):
        smoothness(torch.ones(1, 3, 1, 1))


def test_token_components() -> None:
    tokens = torch.randn(30, 8, generator=torch.Generator().manual_seed(1)) * torch.arange(8, 0, -1) + 100
    found = token_components(tokens)
    assert found.shape == (30, 3)
    centred = (tokens - tokens.mean(0)).double().numpy()
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    for n in range(3):
        column = found[:, n].double().numpy()
        assert np.allclose(np.abs(column), np.abs(u[:, n] * s[n]), atol=1e-3)
        assert column[np.abs(column).argmax()] > 0
    assert torch.allclose(token_components(-tokens + 7).abs(), found.abs(), atol=1e-3)


# --- occlusion and ranks


def test_occlusion_is_the_change_of_y_with_one_patch_gone() -> None:
    model, x = library_vit(), torch.randn(2, 3, 12, 20, generator=torch.Generator().manual_seed(2))
    told = []
    found = occlusion(model, x, batch_size=4, progress=lambda done, of: told.append((done, of)))
    assert found.shape == (2, 15) and told[-1] == (30, 30) and told[0] == (4, 30)
    hidden = x.clone()
    hidden[:, :, 8:12, 4:8] = 0  # row 2, column 1: patch 11
    y, without = (trace(model, pixels).y for pixels in (x, hidden))
    expected = 1 - torch.nn.functional.cosine_similarity(y, without)
    assert torch.allclose(found[:, 11], expected, atol=1e-5)
    assert float(found.min()) >= 0 and float(found.max()) <= 2


def test_a_patch_that_is_0_already_changes_nothing() -> None:
    x = torch.randn(1, 3, 12, 12, generator=torch.Generator().manual_seed(2))
    x[:, :, 4:8, 4:8] = 0
    found = occlusion(library_vit(), x)
    assert float(found[0, 4]) < 1e-6 < float(found[0, 0])


def test_occlusion_refuses_what_trace_refuses() -> None:
    with pytest.raises(ValueError, match="nearest valid size"):
        occlusion(library_vit(), torch.zeros(1, 3, 28, 30))


def test_rank_correlation() -> None:
    a = torch.tensor([3.0, 1.0, 4.0, 1.0, 5.0])
    assert rank_correlation(a, a.exp()) == pytest.approx(1) and rank_correlation(a, -a) == pytest.approx(-1)
    # ranks 3 1.5 4 1.5 5 against 5 1 4 2 3: Pearson of the ranks
    b = torch.tensor([9.0, 2.0, 6.0, 5.0, 5.5])
    assert rank_correlation(a, b) == pytest.approx(np.corrcoef([3, 1.5, 4, 1.5, 5], [5, 1, 4, 2, 3])[0, 1])
    with pytest.raises(ValueError, match="two maps of one size"):
        rank_correlation(a, b[:4])
    with pytest.raises(ValueError, match="no order to compare"):
        rank_correlation(a, torch.ones(5))


# --- filters put out of action


def test_a_silenced_filter_gives_every_patch_its_bias_or_the_level_and_others_what_they_gave() -> None:
    torch.manual_seed(0)
    w = weights_of(library_vit())
    P = w.filters.shape[-1]
    pixels, which, others = torch.randn(1, 3, 2 * P, 3 * P), torch.tensor([0, 3]), [1, 2, 4]
    level = torch.randn(len(w.filter_bias))
    before = embed_by_convolution(pixels, w.filters, w.filter_bias)
    for given_level, expected in ((None, w.filter_bias), (level, level)):
        silent = silence_filters(w, which, given_level)
        after = embed_by_convolution(pixels, silent.filters, silent.filter_bias)
        assert torch.equal(after[0, :, which], expected[which].expand(6, 2))
        assert torch.allclose(after[..., others], before[..., others])
    assert w.filters[which].abs().min() > 0, "the model itself stays as it was"
