"""The steps as data: they make every tensor of a pass, in order, and the walk calls its hooks."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from widgets.model.attention import softmax
from widgets.model.encoder import block
from widgets.model.hand_set_vit import ORIGINS
from widgets.model.step_rows import hand_set_pass, view_of
from widgets.model.steps import STEPS, Walk, places
from widgets.pictures import open_sample

RUN = hand_set_pass(open_sample("cat"))


def test_the_steps_make_every_tensor_of_a_trace_in_its_order() -> None:
    made = [name for place in places(len(RUN.trace.layers)) for name in place.stages]
    assert made == list(RUN.trace.stages())


def test_the_steps_of_the_syllabus_in_their_order() -> None:
    layer = ["norm1", "qkv", "scores", "softmax", "mix", "add1", "norm2", "mlp", "add2"]
    keys = [place.step.key for place in places(2)]
    assert keys == ["cut", "flatten", "embed", "positions", *layer, *layer, "final_norm", "head"]
    assert {place.layer for place in places(2)} == {None, 0, 1}
    assert len({step.key for step in STEPS}) == len(STEPS)


def test_every_step_says_what_it_does_and_names_weights_that_have_an_origin() -> None:
    named = {name for step in STEPS for name in step.weights}
    assert named == set(ORIGINS)
    for step in STEPS:
        assert step.does.endswith(".") and step.equation and set(step.symbols) <= set(RUN.sizes)


def rows_that_move(before: torch.Tensor, after: torch.Tensor) -> set[int]:
    """Tokens whose row differs, of tensors (1, ..., T, columns)."""
    other = tuple(d for d in range(before.ndim) if d != before.ndim - 2)
    return set((before - after).abs().amax(other).gt(1e-6).nonzero().ravel().tolist())


def test_a_step_mixes_exactly_when_one_changed_token_changes_the_rows_of_others() -> None:
    """Change one token's row going into a block: before the scores only its row moves, after the mix all do."""
    w, z = RUN.weights, RUN.trace.z0
    changed = z.clone()
    changed[0, 7, 0] += 1.0
    one, two = (block(x, w.blocks[0], w.num_attention_heads, w.layer_norm_eps) for x in (z, changed))
    mixing = [step.key for step in STEPS if step.mixes]
    assert mixing == ["scores", "mix"]
    for name in ("ln1", "q", "k", "v"):
        assert rows_that_move(getattr(one, name), getattr(two, name)) == {7}, name
    assert len(rows_that_move(one.scores, two.scores)) > 40 and len(rows_that_move(one.msa, two.msa)) > 40
    scores = one.scores.clone()
    scores[0, :, 7, 0] += 1.0
    assert rows_that_move(softmax(scores), softmax(one.scores)) == {7}
    # the steps after attention, from the same rows but for one
    prime = one.z_prime.clone()
    prime[0, 7, 0] += 1.0
    alone = block(prime, replace_attention_by_nothing(w.blocks[0]), w.num_attention_heads, w.layer_norm_eps)
    same = block(one.z_prime, replace_attention_by_nothing(w.blocks[0]), w.num_attention_heads, w.layer_norm_eps)
    for name in ("ln2", "pre_activation", "post_activation", "mlp", "z"):
        assert rows_that_move(getattr(alone, name), getattr(same, name)) == {7}, name


def replace_attention_by_nothing(weights):
    nothing = weights.attention._replace(o_weight=torch.zeros_like(weights.attention.o_weight))
    return weights._replace(attention=nothing)


def test_a_step_is_done_once_the_next_was_gone_on_to() -> None:
    walk = Walk(2)
    walk.next()
    assert [place.step.key for place in walk.done] == ["cut"]
    walk.go(10_000)
    assert walk.place.step.key == "head" and len(walk.done) == 1, "a jump completes nothing"
    walk.next()
    assert walk.place.step.key == "head" and {place.step.key for place in walk.done} == {"cut", "head"}
    walk.go(-5)
    assert walk.index == 0


def test_a_walk_through_another_model_stands_at_the_same_step() -> None:
    walk = Walk(12, at=4 + 9 * 7 + 3)
    assert (walk.place.step.key, walk.place.layer) == ("softmax", 7)
    small = walk.resized(2)
    assert (small.place.step.key, small.place.layer) == ("softmax", 1)
    assert Walk(12, at=113).resized(2).place.step.key == "head"
    with pytest.raises(ValueError, match="at least one layer"):
        Walk(0)


@pytest.mark.parametrize("key", [step.key for step in STEPS if step.makes])
def test_what_a_step_shows_is_what_the_trace_holds(key: str) -> None:
    """The last row shown of each step is the tensor the step makes, for every token."""
    place = next(p for p in places(2) if p.step.key == key)
    made = RUN.trace.stages()
    for head in (0, 1):
        shown = [rows for rows in view_of(RUN, place, head).rows]
        wanted = [made[name][0] if made[name].ndim < 4 else made[name][0, head] for name in place.stages]
        for tensor in wanted:
            tensor = tensor[None] if tensor.ndim == 1 else tensor
            assert any(matches(rows, tensor.numpy()) for rows in shown), f"{key} does not show one of {place.stages}"


def matches(rows, tensor: np.ndarray) -> bool:
    if rows.shape != tensor.shape:
        return False
    if rows.heads:
        return np.allclose(np.sort(tensor[0])[::-1][: rows.values.shape[1]], rows.values[0], atol=1e-6)
    if rows.picks is None:
        return np.allclose(rows.values, tensor[:, : rows.values.shape[1]], atol=1e-6)
    named = rows.picks >= 0
    found = np.take_along_axis(tensor, np.maximum(rows.picks, 0), 1)
    return np.allclose(rows.values[named], found[named], atol=1e-6)


def test_the_strongest_are_the_highest_and_shares_make_one() -> None:
    place = next(p for p in places(2) if p.step.key == "softmax")
    scores, shares = view_of(RUN, place, 1).rows
    A = RUN.trace.layers[0].weights[0, 1].numpy()
    assert np.allclose(shares.values.sum(1), 1, atol=1e-5) and (shares.picks[:, -1] == -1).all()
    assert np.array_equal(scores.picks, shares.picks[:, :-1])
    assert scores.picks[0].tolist() == [0, 1, 2, 3, 4, 5], (
        "the class token's scores are all 0 here: among equals the first comes first"
    )
    assert np.allclose(shares.values[:, :6], np.sort(A, 1)[:, ::-1][:, :6], atol=1e-6)


def test_sums_add_up_in_the_numbers_shown() -> None:
    for place in places(2):
        if place.step.key in ("positions", "add1", "add2"):
            first, second, total = view_of(RUN, place, 0).rows
            assert np.allclose(first.values + second.values, total.values, atol=1e-5), place
            assert first.scale == second.scale == total.scale, "colours can be compared"
