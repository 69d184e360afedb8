"""What chapter 00 says its reader should have seen is so, on the cat and the hand-set ViT."""

from __future__ import annotations

import pytest
import torch

from widgets.lesson.predictions.chapter_00 import PATCH
from widgets.model.step_rows import Pass, hand_set_pass
from widgets.pictures import open_sample

NAMED = (2, 39, 47)  # patches, as the chapter names them


@pytest.fixture(scope="module")
def run() -> Pass:
    return hand_set_pass(open_sample("cat"))


def test_the_patches_it_looks_at_do_not_touch_it_and_are_like_it_after_the_norm(run: Pass) -> None:
    layer, columns, first = run.trace.layers[0], run.trace.grid[1], run.trace.prefix
    (row, column), shares = divmod(PATCH, columns), layer.weights[0, 0, first + PATCH]
    assert set((shares.argsort(descending=True)[1:4] - first).tolist()) == set(NAMED)
    assert 0.45 < float(shares[first + PATCH]) < 0.55, "it keeps about half"
    rest = 1 - float(shares[first + PATCH])
    assert float(shares[[first + n for n in NAMED]].sum()) > rest / 2, "most of the rest goes to the three"
    of_head = layer.ln1[0, :, :4]
    for n in NAMED:
        assert max(abs(n // columns - row), abs(n % columns - column)) > 1, f"patch {n} touches patch {PATCH}"
        assert torch.cosine_similarity(of_head[first + PATCH], of_head[first + n], dim=0) > 0.9


def test_head_2_spreads_its_shares(run: Pass) -> None:
    assert float(run.trace.layers[0].weights[0, 1, run.trace.prefix + PATCH].max()) < 0.1


def test_the_class_token_begins_with_equal_shares_and_has_others_in_layer_2(run: Pass) -> None:
    first, second = run.trace.layers
    assert not run.trace.z0[0, 0].any() and torch.allclose(first.weights[0, :, 0], torch.tensor(1 / run.tokens))
    values = first.ln1[0].mean(0)  # the value matrix is the identity: a value is the normed token
    assert torch.allclose(first.msa[0, 0], values, atol=1e-5), "what it gathers is the average"
    assert first.z_prime[0, 0].abs().max() > 1e-3 and float(second.weights[0, :, 0].max()) > 2 / run.tokens


def test_the_quizs_answer_2_has_the_largest_share(run: Pass) -> None:
    assert int(run.trace.logits[0].argmax()) == 2
