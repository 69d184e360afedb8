"""faults.py: every mistake does what the syllabus says of it, and none changes a shape."""

from __future__ import annotations

from dataclasses import fields
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.numpy_vit import make_vit_params
from tests.model.small_models import library_vit, ours_from_numpy
from widgets.model.faults import FAULTS, RESIZES, SAME_STEP, steps_with
from widgets.model.library import weights_of
from widgets.model.positions import interpolate_positions
from widgets.model.trace import trace
from widgets.model.vit import RIGHT as RIGHT_STEPS
from widgets.model.vit import Steps
from widgets.pictures import PREPARATIONS

CHECKPOINT = SimpleNamespace(model=library_vit(layer_norm_eps=1e-6), preparation=PREPARATIONS["vit-b16"])
X = torch.randn(2, 3, 28, 28, generator=torch.Generator().manual_seed(0))
RIGHT = trace(CHECKPOINT, X)


def shapes(t) -> dict[str, tuple[int, ...]]:
    return {name: tuple(tensor.shape) for name, tensor in t.stages().items()}


def first_change(t) -> str:
    return next(name for name, tensor in t.stages().items() if not torch.equal(tensor, RIGHT.stages()[name]))


MUSEUM = {
    "causal_mask": "mask",
    "no_positions": "positions",
    "class_without_position": "positions",
    "scale_by_width": "scale",
    "missing_transpose": "merge",
    "wrong_epsilon": "eps",
    "tanh_gelu": "activation",
    "wrong_normalisation": "pixels",
    "view_instead_of_cut": "cut",
    "post_norm": "block",
    "channels_last_rows": "cut",
    "tokens_reshaped": "tokens",
    "class_row_resized": "resize",
    "transposed_grid": "resize",
    "positions_cut_off": "resize",
}
"""The faults that the syllabus names, and the step that each is a mistake of; there may be more."""


def test_the_museum_of_the_syllabus_is_complete_and_every_fault_is_told_in_two_sentences() -> None:
    assert set(FAULTS) >= set(MUSEUM)
    assert {name: replaced(alone(name)) for name in MUSEUM} == {name: [step] for name, step in MUSEUM.items()}
    for name, fault in FAULTS.items():
        assert fault.name == name and fault.title
        for sentence in (fault.seen, fault.unseen):
            assert sentence.endswith(".") and sentence.count(". ") == 0, f"{name}: one sentence"


SHOWN_AT = {
    "pixels": "patches",
    "cut": "patches",
    "tokens": "patch_embeddings",
    "positions": "z0",
    "scale": "layer 1 scores",
    "mask": "layer 1 weights",
    "merge": "layer 1 msa",
    "eps": "layer 1 ln1",
    "activation": "layer 1 post_activation",
    "block": "layer 1 ln1",
}
"""Where a step that a fault replaces is seen first; `resize` at another size only."""


def replaced(steps: Steps) -> list[str]:
    """The steps that are not the right ones."""
    return [field.name for field in fields(Steps) if getattr(steps, field.name) is not getattr(RIGHT_STEPS, field.name)]


def alone(name: str) -> Steps:
    """The steps of the small model with this fault."""
    return steps_with([name], weights_of(CHECKPOINT.model), CHECKPOINT.preparation)


def test_the_faults_of_the_resize_are_those_that_replace_it() -> None:
    assert {name for name in FAULTS if replaced(alone(name)) == ["resize"]} == set(RESIZES)


def test_faults_of_which_one_undoes_the_other_are_kept_apart() -> None:
    """One that hands on the step it was given (`channels_last_rows` cuts as before) may be on with another."""
    weights = weights_of(CHECKPOINT.model)
    undone = [
        (first, second)
        for first, second in combinations(FAULTS, 2)
        for step in set(replaced(alone(first))) & set(replaced(alone(second)))
        if getattr(FAULTS[second].change(alone(first), weights, CHECKPOINT.preparation), step)
        is getattr(alone(second), step)
    ]
    apart = {pair for same in SAME_STEP for pair in combinations(same, 2)}
    assert set(undone) == apart, "of these only one can be on: a row of SAME_STEP says so"


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in RESIZES])
def test_each_fault_changes_its_own_step_first_the_answer_in_the_end_and_no_shape(name: str) -> None:
    t, (step,) = trace(CHECKPOINT, X, faults=[name]), replaced(alone(name))
    assert first_change(t) == SHOWN_AT[step]
    assert not torch.equal(t.y, RIGHT.y) and torch.isfinite(t.logits).all()
    assert shapes(t) == shapes(RIGHT) and t.faults == (name,)


@given(st.sets(st.sampled_from(sorted(FAULTS)), max_size=4))
@settings(max_examples=25, deadline=None)
def test_any_of_them_together_change_no_shape(names: set[str]) -> None:
    if any(len(set(same) & names) > 1 for same in SAME_STEP):
        with pytest.raises(ValueError, match="replace the same step"):
            trace(CHECKPOINT, X, faults=names)
    else:
        assert shapes(trace(CHECKPOINT, X, faults=names)) == shapes(RIGHT)


def test_under_a_causal_mask_the_answer_does_not_depend_on_the_picture() -> None:
    a, b = (trace(CHECKPOINT, X[n : n + 1], faults=["causal_mask"]) for n in (0, 1))
    assert float((a.y - b.y).abs().max()) == 0 and float((a.logits - b.logits).abs().max()) == 0
    assert not torch.equal(a.normalised[:, 1:], b.normalised[:, 1:])
    assert float(a.layers[0].weights[..., 0, 0].min()) == 1


def shuffled(x: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    from widgets.model.patches import patchify, unpatchify

    return torch.stack([unpatchify(patchify(picture, 4)[order], (28, 28), 4) for picture in x])


def test_without_positions_a_shuffle_of_the_patches_changes_nothing() -> None:
    order = torch.randperm(49, generator=torch.Generator().manual_seed(1))
    moved = shuffled(X, order)
    without = trace(CHECKPOINT, X, faults="no_positions").y - trace(CHECKPOINT, moved, faults="no_positions").y
    assert float(without.abs().max()) < 1e-5
    assert float((RIGHT.y - trace(CHECKPOINT, moved).y).abs().max()) > 0.01


def test_the_class_token_loses_its_row_and_nothing_else() -> None:
    t = trace(CHECKPOINT, X, faults=["class_without_position"])
    assert torch.equal(t.z0[:, 1:], RIGHT.z0[:, 1:])
    assert torch.equal(t.z0[0, 0], weights_of(CHECKPOINT.model).class_token)


def test_scores_by_the_models_width_are_smaller_by_the_root_of_the_number_of_heads() -> None:
    t = trace(CHECKPOINT, X, faults=["scale_by_width"])
    assert torch.allclose(t.layers[0].scores * 2, RIGHT.layers[0].scores, atol=1e-6)  # 4 heads


def test_merging_without_the_transpose_mixes_tokens_and_heads() -> None:
    wrong = (
        FAULTS["missing_transpose"].change(steps_with((), None), None, None).merge(torch.arange(24).reshape(1, 2, 3, 4))
    )
    assert wrong.shape == (1, 3, 8)
    assert wrong[0, 0].tolist() == list(range(8))  # head 0 of tokens 0 and 1: not one token


def test_epsilon_differs_from_whatever_the_model_has() -> None:
    for eps in (1e-12, 1e-6, 1e-5):
        steps = steps_with(["wrong_epsilon"], None)
        assert steps.eps(eps) != eps


@pytest.mark.parametrize(("right", "wrong"), [("vit-b16", "dinov2-small"), ("dinov2-small", "vit-b16")])
def test_pixels_are_scaled_as_another_model_wants_them(right: str, wrong: str) -> None:
    picture = np.random.default_rng(0).integers(0, 256, (3, 28, 28), dtype=np.uint8)
    steps = steps_with(["wrong_normalisation"], None, PREPARATIONS[right])
    mistaken = steps.pixels(torch.from_numpy(PREPARATIONS[right].apply(picture))[None])[0]
    assert np.abs(mistaken.numpy() - PREPARATIONS[wrong].apply(picture)).max() < 1e-5


def test_a_view_has_the_right_shape_and_the_wrong_content() -> None:
    t = trace(CHECKPOINT, X, faults=["view_instead_of_cut"])
    assert torch.equal(t.patches[0], X[0].reshape(49, 48)) and not torch.equal(t.patches[0], RIGHT.patches[0])
    assert sorted(t.patches[0].flatten().tolist()) == sorted(RIGHT.patches[0].flatten().tolist())


def test_channels_last_rows_hold_the_channels_of_a_pixel_together() -> None:
    t = trace(CHECKPOINT, X, faults=["channels_last_rows"])
    assert torch.equal(t.patches[0, 8, :6], torch.cat([X[0, :, 4, 4], X[0, :, 4, 5]]))  # patch 8 is row 1, column 1


def test_reshaped_tokens_are_pieces_of_the_maps_of_a_convolution() -> None:
    t, w = trace(CHECKPOINT, X, faults=["tokens_reshaped"]), weights_of(CHECKPOINT.model)
    maps = torch.nn.functional.conv2d(X, w.filters, w.filter_bias, stride=4)  # (B, D, h, w)
    assert torch.allclose(t.patch_embeddings, maps.reshape(t.patch_embeddings.shape), atol=1e-5)
    assert torch.equal(t.patches, RIGHT.patches)


def resized(name: str, grid: tuple[int, int]) -> torch.Tensor:
    """The table of the small model as a faulty resize fits it to a grid: (1 + N', D)."""
    w = weights_of(CHECKPOINT.model)
    return steps_with([name], w).resize(w.positions, w.grid, grid, prefix=1)


@pytest.mark.parametrize("name", RESIZES)
def test_a_faulty_resize_changes_z0_at_another_size_and_nothing_at_the_tables_own(name: str) -> None:
    assert torch.equal(trace(CHECKPOINT, X, faults=[name]).y, RIGHT.y)
    smaller = X[:, :, :16, :24]
    right, wrong = trace(CHECKPOINT, smaller), trace(CHECKPOINT, smaller, faults=[name])
    assert torch.equal(wrong.patch_embeddings, right.patch_embeddings) and not torch.equal(wrong.z0, right.z0)
    assert shapes(wrong) == shapes(right) and not torch.equal(wrong.y, right.y)


def test_the_class_row_comes_out_mixed_when_it_is_resized_with_the_rest() -> None:
    table, line = weights_of(CHECKPOINT.model).positions, resized("class_row_resized", (4, 6))
    places = (np.arange(25) + 0.5) * 50 / 25 - 0.5  # 50 rows to 25: halfway between two
    expected = np.stack([np.interp(places, range(50), column) for column in table.numpy().T], 1)
    assert np.abs(line.numpy() - expected).max() < 1e-6
    assert not torch.allclose(line[0], table[0], atol=1e-3)


def test_a_transposed_grid_is_right_on_a_square_and_the_turned_table_elsewhere() -> None:
    w = weights_of(CHECKPOINT.model)
    assert torch.equal(resized("transposed_grid", (5, 5)), interpolate_positions(w.positions, w.grid, (5, 5)))
    assert torch.equal(resized("transposed_grid", (4, 6)), interpolate_positions(w.positions, w.grid, (6, 4)))


def test_cut_off_takes_the_first_rows_and_says_when_there_are_too_few() -> None:
    table = weights_of(CHECKPOINT.model).positions
    assert torch.equal(resized("positions_cut_off", (4, 6)), table[:25])
    with pytest.raises(ValueError, match="has 50 rows and the picture needs 65: there is nothing to cut off"):
        resized("positions_cut_off", (8, 8))


def test_post_norm_normalises_the_stream_itself() -> None:
    t = trace(CHECKPOINT, X, faults=["post_norm"])
    w = weights_of(CHECKPOINT.model).blocks[0]
    undone = (t.layers[0].z - w.ln2_bias) / w.ln2_weight
    assert torch.allclose(undone.mean(-1), torch.zeros(()), atol=1e-4)
    assert torch.allclose(undone.var(-1, correction=0), torch.ones(()), atol=1e-3)


def test_faults_on_a_model_without_class_token() -> None:
    params = make_vit_params(np.random.default_rng(0), 12, 20, R=2, pool="gap")
    w, x = ours_from_numpy(params, (3, 5), "gap"), torch.randn(1, 3, 12, 20, dtype=torch.float64)
    right = trace(w, x)
    assert torch.equal(trace(w, x, faults=["class_without_position"]).y, right.y)  # it has no such row to lose
    for name in set(FAULTS) - {"class_without_position", *RESIZES}:
        wrong = trace(w, x, faults=[name])
        assert shapes(wrong) == shapes(right) and not torch.equal(wrong.y, right.y)


def test_an_unknown_fault_names_the_others() -> None:
    with pytest.raises(ValueError, match=f"there is no fault 'causal': use any of {', '.join(FAULTS)}"):
        trace(CHECKPOINT, X, faults=["causal"])
