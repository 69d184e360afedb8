"""What chapter 05 says of variances, of trained and of untrained heads is so, and what chapter 06 says of a head's
matrices."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import ViTConfig

from widgets.attention.scaling_demo import ScalingDemo
from widgets.experiments.kept_pass import Reading, read
from widgets.model.attention import score_statistics
from widgets.model.library import weights_of
from widgets.model.trace import trace
from widgets.model.worked_examples import PENCIL, PRESETS, compute
from widgets.pictures import open_sample


@cache
def spreads(picture: str) -> Tensor:
    """Of every head of DINOv2 the spread of its divided scores: (heads of all layers, 2), the class token's and the
    mean over queries."""
    layers = read("dinov2-small", open_sample(picture)).trace.layers
    return torch.tensor(
        [
            [score_statistics(S[:1])["spread"], score_statistics(S)["spread"]]
            for layer in layers
            for S in layer.scores[0].double()
        ]
    )


def untrained() -> Reading:
    return read("random-b16", open_sample("cat"))


def test_the_class_tokens_spread_is_near_1_in_most_heads_and_the_mean_over_queries_is_larger() -> None:
    of_class, of_all = spreads("cat").T
    edges = torch.tensor([0.5, 1.5])
    assert len(of_class) == 72 and ((of_class > 0.5) & (of_class < 1.5)).sum() == 61
    assert (of_class[:, None] - edges).abs().min() > 1e-3, "no head stands so near an edge that a processor decides"
    assert ((of_class > 0.67) & (of_class < 1.5)).float().mean() > 0.65
    assert (of_all > 2).float().mean() > 1 / 3 and ((of_all > 0.67) & (of_all < 1.5)).float().mean() < 0.5
    assert (of_all > of_class).float().mean() > 0.9 and 2 <= (of_all > 5).sum() <= 6


@pytest.mark.parametrize("picture", ["astronaut", "photographer", "bricks"])
def test_on_other_pictures_too_the_class_token_does_not_speak_for_its_head(picture: str) -> None:
    of_class, of_all = spreads(picture).T
    assert ((of_class > 0.67) & (of_class < 1.5)).float().mean() > 0.6 and of_all.median() > 1.5 * of_class.median()


@pytest.mark.parametrize("D", [192, 384, 768])
@pytest.mark.parametrize("s", [0.02, None])
def test_weights_of_deviation_s_make_a_query_of_variance_D_s_squared(D: int, s: float | None) -> None:
    """And with s = 1/√D, Xavier's rule for a D x D matrix, of variance 1."""
    generator = torch.Generator().manual_seed(D)
    z = torch.nn.functional.layer_norm(torch.rand(200, D, generator=generator), (D,))
    xavier = torch.nn.init.xavier_normal_(torch.empty(D, D), generator=generator)
    W_q = xavier if s is None else s * torch.randn(D, D, generator=generator)
    assert float((z @ W_q).var()) == pytest.approx(1 if s is None else D * s**2, rel=0.05)


def test_the_random_models_first_head_needs_no_division_until_its_weights_are_widened() -> None:
    reading = untrained()
    layer, w = reading.trace.layers[0], weights_of(reading.checkpoint.model).blocks[0].attention
    D, D_h = layer.ln1.shape[-1], layer.q.shape[-1]
    s = ViTConfig().initializer_range
    assert s == reading.checkpoint.model.config.initializer_range == 0.02, "the library's, whatever D is"
    assert (
        (float(w.q_weight.std()), float(w.k_weight.std())) == pytest.approx((s, s), rel=0.01)
        and not w.q_bias.any()
        and not w.k_bias.any()
    )
    assert float(layer.ln1.var()) == pytest.approx(1, abs=1e-3) and float(layer.q.var()) == pytest.approx(
        D * s**2, rel=0.1
    )
    c = D**-0.5 / s
    q, k = (
        c * (layer.ln1[0, : 1 if name == "q" else None] @ getattr(w, f"{name}_weight")[:D_h].T) for name in "qk"
    )  # wider weights, head 1
    wide = (q @ k.T).double()  # (1, T), not divided
    assert torch.allclose(wide, c**2 * D_h**0.5 * layer.scores[0, 0, :1].double(), atol=1e-3)
    drawn = score_statistics(wide / c**2)
    assert drawn["largest_weight"] < 0.1 and drawn["own_derivatives"] > 0.97
    found, divided = score_statistics(wide), score_statistics(wide / D_h**0.5)
    assert found["largest_weight"] > 0.6 and found["own_derivatives"] < 0.55 and divided["largest_weight"] < 0.03
    assert 4 < found["spread"] < D_h**0.5


def test_the_small_example_shows_one_of_two_heads() -> None:
    inputs = PRESETS["small"].inputs
    D, D_h = inputs.W_q.shape[1:]
    assert (D, D_h, inputs.heads, D // D_h) == (4, 2, 1, 2) and PRESETS[
        "small"
    ].title == "4 tokens, D 4, one of two heads"


def test_a_new_number_of_t3_moves_every_row_of_O_and_all_rows_of_A_but_that_of_t0() -> None:
    """Task 2: t0 takes as much of t3 as before, of another value."""
    small = PRESETS["small"].inputs
    before, after = compute(small), compute(small.changed("X", 0, 3, 0, 1.0))
    moved = {name: (getattr(before, name)[0] - getattr(after, name)[0]).abs() > 1e-9 for name in ("A", "O")}
    assert moved["A"].any(1).tolist() == [False, True, True, True] and moved["O"].any(1).all()
    assert moved["O"][0].tolist() == [True, False]
    assert before.q[0, 0] @ (after.k[0, 3] - before.k[0, 3]) == 0, "its query does not tell the two keys apart"


def test_the_division_shows_an_exception_first() -> None:
    """ScalingDemo opens on layer 1, head 1, whose spread is not near 1."""
    of_class, _ = spreads("cat").T
    assert ScalingDemo().selection.layer == ScalingDemo().selection.head == 0 and of_class[0] > 1.5


def test_one_number_of_the_pencil_example_is_what_its_five_steps_make() -> None:
    """As the text writes them, with plain numbers."""
    query, keys, column = (2, -1, 2), ((1, 0, 0), (1, 0, -1), (-1, 2, 1), (0, 2, 0)), (0, -2, -2, -5)
    found = compute(PENCIL)
    assert found.q[0, 0].tolist() == list(query) and found.k[0].tolist() == [list(key) for key in keys]
    assert found.v[0, :, 0].tolist() == list(column)
    products = [sum(a * b for a, b in zip(query, key, strict=True)) for key in keys]
    powers = [math.exp(product / math.sqrt(3)) for product in products]
    shares = [power / sum(powers) for power in powers]
    assert products == [2, 0, -2, -2]
    assert [round(power, 3) for power in (*powers, sum(powers))] == [3.173, 1, 0.315, 0.315, 4.803]
    assert [round(share, 3) for share in shares] == [0.661, 0.208, 0.066, 0.066]
    number = sum(share * value for share, value in zip(shares, column, strict=True))
    assert round(number, 3) == -0.876 and float(found.O[0, 0, 0]) == pytest.approx(number)


@pytest.mark.parametrize("order", [(2, 0, 3, 1), (1, 0, 2, 3), (3, 2, 1, 0)])
def test_a_permutation_commutes_with_both_heads_and_no_longer_once_there_are_positions(order: tuple[int, ...]) -> None:
    z, places, order = PENCIL.X, torch.eye(4, 6, dtype=torch.float64), list(order)
    for table, commutes in ((0 * places, True), (places, False)):
        before, after = (compute(replace(PENCIL, X=rows + table)) for rows in (z, z[order]))
        for old, new in ((before.msa, after.msa), *zip(before.O, after.O, strict=True)):
            assert torch.allclose(new, old[order]) is commutes
            rows = [torch.allclose(a, b) for a, b in zip(new, old[order], strict=True)]
            assert all(rows) if commutes else not any(rows)
    assert sum(place != token for place, token in enumerate(order)) == (2 if order == [1, 0, 2, 3] else 4)


@cache
def answers(faults: tuple[str, ...]) -> Tensor:
    """y of four pictures, (4, D)."""
    found = [read("dinov2-small", open_sample(name)) for name in ("cat", "astronaut", "coffee", "bricks")]
    return torch.cat([trace(reading.checkpoint, reading.x, faults=faults).y for reading in found])


@pytest.mark.parametrize("seed", range(3))
def test_behind_a_causal_mask_no_head_gets_below_ln_K(seed: int) -> None:
    """And one that starts anywhere ends there; without the mask the loss goes on falling."""
    lost = {}
    for faults in ((), ("causal_mask",)):
        y = answers(faults)
        W = torch.randn(y.shape[1], 4, generator=torch.Generator().manual_seed(seed))
        course = []
        for _ in range(300):
            W.requires_grad_()
            loss = cross_entropy(y @ W / y.shape[1] ** 0.5, torch.arange(4))
            course.append(loss.item())
            W = (W - 0.1 * torch.autograd.grad(loss, W)[0]).detach()
        lost[faults] = course
    assert torch.equal(answers(("causal_mask",))[:1].expand(4, -1), answers(("causal_mask",)))
    masked = lost["causal_mask",]
    assert min(masked) > math.log(4) - 1e-4 and masked[-1] == pytest.approx(math.log(4), abs=1e-3)
    assert lost[()][-1] < 0.2


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (5, 3), (11, 5)])
def test_a_heads_two_products_are_all_that_counts_and_have_rank_D_h(layer: int, head: int) -> None:
    """Chapter 06, of every head and not only of the one it shows; the biases belong to the matrices as a further
    row."""
    reading = read("dinov2-small", open_sample("cat"))
    block, w = reading.trace.layers[layer], weights_of(reading.checkpoint.model).blocks[layer].attention
    D_h = block.q.shape[-1]
    own = slice(head * D_h, (head + 1) * D_h)
    q, k, v = (
        torch.cat([getattr(w, f"{n}_weight")[own].T, getattr(w, f"{n}_bias")[None, own]]).double() for n in "qkv"
    )  # (D + 1, D_h)
    U = w.o_weight[:, own].T.double()  # (D_h, D)
    z = torch.nn.functional.pad(block.ln1[0].double(), (0, 1), value=1.0)  # (T, D + 1)
    scores = z @ (q @ k.T) @ z.T / D_h**0.5
    assert torch.allclose(scores, block.scores[0, head].double(), atol=1e-3)
    assert torch.allclose(block.weights[0, head].double() @ z @ (v @ U), block.heads[0, head].double() @ U, atol=1e-3)
    for product in (q[:-1] @ k[:-1].T, v[:-1] @ U):
        assert int(torch.linalg.matrix_rank(product)) == D_h
