"""trace.py and vit.py: ours, the library's and an independent NumPy forward pass agree, stage by stage."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from tests.model.numpy_vit import make_vit_params, vit_forward
from tests.model.small_models import library_vit, ours_from_numpy
from widgets.checkpoints.loading import load
from widgets.model.count import macs
from widgets.model.encoder import BlockTrace
from widgets.model.library import library_stages, weights_of
from widgets.model.shape import ViTShape
from widgets.model.trace import trace
from widgets.model.vit import represent
from widgets.pictures import open_sample, prepare


def pixels(batch: int, height: int, width: int, seed: int = 0, channels: int = 3) -> torch.Tensor:
    return torch.randn(batch, channels, height, width, generator=torch.Generator().manual_seed(seed))


# --- ours against NumPy


@pytest.mark.parametrize("pool", ["cls", "gap"])
@pytest.mark.parametrize("registers", [0, 3])
def test_an_independent_forward_pass_in_float64(pool: str, registers: int) -> None:
    params = make_vit_params(np.random.default_rng(0), 12, 20, R=registers, pool=pool)
    img = np.random.default_rng(1).standard_normal((2, 12, 20, 3))
    theirs = vit_forward(params, img, pool)
    ours = trace(ours_from_numpy(params, (3, 5), pool), torch.from_numpy(img.transpose(0, 3, 1, 2)))
    assert ours.prefix == registers + (pool == "cls")
    for found, expected in ((ours.layers[-1].z, theirs["z_L"]), (ours.y, theirs["y"]), (ours.logits, theirs["logits"])):
        assert np.abs(found.numpy() - expected).max() < 1e-10
    for found, expected in zip(ours.attentions, theirs["weights"], strict=True):
        assert np.abs(found.numpy() - expected).max() < 1e-12


def test_numpy_against_the_library() -> None:
    """The third side of the triangle: the library's parameters, carried to NumPy."""
    model = library_vit()
    x = pixels(2, 28, 28)
    w = weights_of(model)

    def a(tensor: torch.Tensor) -> np.ndarray:
        return tensor.double().numpy()

    blocks = [
        {
            "ln1_g": a(b.ln1_weight),
            "ln1_b": a(b.ln1_bias),
            "ln2_g": a(b.ln2_weight),
            "ln2_b": a(b.ln2_bias),
            "W_qkv": np.concatenate(
                [a(b.attention.q_weight).T, a(b.attention.k_weight).T, a(b.attention.v_weight).T], 1
            ),
            "b_qkv": np.concatenate([a(b.attention.q_bias), a(b.attention.k_bias), a(b.attention.v_bias)]),
            "W_o": a(b.attention.o_weight).T,
            "b_o": a(b.attention.o_bias),
            "W_1": a(b.mlp.fc1_weight).T,
            "b_1": a(b.mlp.fc1_bias),
            "W_2": a(b.mlp.fc2_weight).T,
            "b_2": a(b.mlp.fc2_bias),
        }
        for b in w.blocks
    ]
    params = {
        "P": 4,
        "h": 4,
        "W_E": a(w.filters).transpose(2, 3, 1, 0).reshape(48, 32),
        "b_E": a(w.filter_bias),
        "reg": np.zeros((0, 32)),
        "cls": a(w.class_token),
        "pos": a(w.positions),
        "blocks": blocks,
        "lnf_g": a(w.norm_weight),
        "lnf_b": a(w.norm_bias),
        "W_head": a(w.head_weight).T,
        "b_head": a(w.head_bias),
    }
    theirs = vit_forward(params, x.numpy().astype(np.float64).transpose(0, 2, 3, 1), eps=w.layer_norm_eps)
    logits = model(x).logits.numpy()
    assert np.abs(theirs["logits"] - logits).max() < 1e-4 * np.abs(logits).max()
    assert np.abs(trace(model, x).logits.numpy() - theirs["logits"]).max() < 1e-4 * np.abs(logits).max()


# --- ours against the library


@pytest.mark.parametrize(
    ("model", "x"),
    [
        (lambda: library_vit(), lambda: pixels(1, 28, 28)),
        (lambda: library_vit(), lambda: pixels(3, 28, 28)),
        (lambda: library_vit(head=False), lambda: pixels(2, 28, 28)),
        (lambda: library_vit(), lambda: pixels(1, 40, 40)),
        (lambda: library_vit(), lambda: pixels(2, 20, 36)),
        (lambda: library_vit(image_size=(12, 28)), lambda: pixels(2, 12, 28)),
        (lambda: library_vit(qkv_bias=False, num_channels=1), lambda: pixels(1, 28, 28, channels=1)),
        (lambda: library_vit(hidden_act="gelu_new"), lambda: pixels(1, 28, 28)),
        (lambda: library_vit(num_labels=0), lambda: pixels(1, 28, 28)),
    ],
    ids=[
        "head",
        "batch",
        "no head",
        "larger",
        "not square",
        "not square table",
        "grey, no qkv bias",
        "tanh GELU",
        "no labels",
    ],
)
def test_every_stage_agrees_with_the_library(model, x) -> None:
    t = trace(model(), x())
    rows = t.compare()
    inner = [name for name in BlockTrace._fields if name != "scores"]
    names = ["patch_embeddings", "z0", *(f"layer {n} {name}" for n in (1, 2) for name in inner), "normalised", "y"]
    assert [row.stage for row in rows] == names + (["logits"] if t.logits is not None else [])
    for row in rows:
        assert row.relative < 2e-5, row
        assert row.shape == tuple(t.stages()[row.stage].shape)
        assert row.largest > 0 and row.difference == pytest.approx(row.relative * row.largest)


def test_a_model_saved_to_disk_and_read_again(tmp_path) -> None:
    from transformers import ViTForImageClassification

    library_vit().save_pretrained(tmp_path)
    model = ViTForImageClassification.from_pretrained(tmp_path, attn_implementation="eager").eval()
    checkpoint = SimpleNamespace(model=model, preparation=None)
    t = trace(checkpoint, pixels(2, 28, 28))
    assert t.logits.shape == (2, 10) and not t.logits.requires_grad
    assert max(row.relative for row in t.compare()) < 2e-5
    assert torch.equal(t.logits, trace(library_vit(), pixels(2, 28, 28)).logits)


@pytest.mark.parametrize(("name", "shorter", "picture"), [("dinov2-small", 224, "coffee"), ("random-b16", 224, "cat")])
def test_the_courses_checkpoints(name: str, shorter: int, picture: str) -> None:
    P = load(name).model.config.patch_size
    prepared = prepare(open_sample(picture), P, shorter)
    checkpoint = load(name, image_size=prepared.shape[1:])
    x = torch.from_numpy(checkpoint.preparation.apply(prepared))[None]
    t = trace(checkpoint, x)
    assert t.grid == (prepared.shape[1] // P, prepared.shape[2] // P)
    assert max(row.relative for row in t.compare()) < 1e-4
    # the checkpoint as it was trained, its table interpolated here and not when it was loaded
    assert torch.allclose(trace(load(name), x).y, t.y, atol=1e-4)


def test_compare_shows_where_a_fault_begins() -> None:
    rows = trace(library_vit(), pixels(1, 28, 28), faults=["tanh_gelu"]).compare()
    wrong = [row.stage for row in rows if row.relative > 1e-5]
    assert wrong[0] == "layer 1 post_activation" and wrong[-1] == "logits"


def test_hooks_are_gone_and_other_threads_are_not_recorded() -> None:
    model, x = library_vit(), pixels(1, 28, 28)
    stages = {}
    inside, go_on = threading.Event(), threading.Event()

    def pause(*_: object) -> None:
        if threading.current_thread() is first:
            inside.set()
            assert go_on.wait(20)

    handle = model.vit.layers[0].register_forward_hook(pause)
    first = threading.Thread(target=lambda: stages.update(library_stages(model, x)))
    first.start()
    assert inside.wait(20)
    other = model(pixels(1, 28, 28, seed=9)).logits  # while the first one's hooks are in place
    go_on.set()
    first.join()
    handle.remove()
    assert torch.equal(stages["logits"], model(x).logits) and not torch.equal(stages["logits"], other)
    assert max(row.relative for row in trace(model, x).compare()) < 2e-5
    # the library may leave hooks of its own, which record outputs: those are not ours to take away
    left = [hook for module in model.modules() for hook in module._forward_hooks.values()]
    assert not [hook for hook in left if hook.__module__.startswith("widgets.")]


# --- what a trace is


def test_shapes_and_names() -> None:
    t = trace(library_vit(), pixels(2, 28, 36))
    assert t.grid == (7, 9) and t.prefix == 1 and len(t.layers) == 2 and t.faults == ()
    expected = {
        "patches": (2, 63, 48),
        "patch_embeddings": (2, 63, 32),
        "z0": (2, 64, 32),
        "layer 1 q": (2, 4, 64, 8),
        "layer 2 scores": (2, 4, 64, 64),
        "layer 2 weights": (2, 4, 64, 64),
        "layer 1 heads": (2, 4, 64, 8),
        "layer 1 msa": (2, 64, 32),
        "layer 1 pre_activation": (2, 64, 48),
        "normalised": (2, 64, 32),
        "y": (2, 32),
        "logits": (2, 10),
    }
    shapes = {name: tuple(tensor.shape) for name, tensor in t.stages().items()}
    assert {name: shapes[name] for name in expected} == expected
    assert torch.equal(t.layers[1].z_prime, t.layers[1].msa + t.layers[0].z)
    assert torch.equal(t.y, t.normalised[:, 0])
    assert torch.equal(t.into(0), t.z0) and torch.equal(t.into(1), t.layers[0].z)


def test_the_attention_map_of_one_query() -> None:
    t = trace(library_vit(), pixels(2, 28, 36))
    row = t.layers[1].weights[1, 3, 5]
    found = t.attention_map(layer=1, head=3, query=5, batch=1)
    assert found.shape == (7, 9) and found[2, 4] == row[1 + 2 * 9 + 4]


def test_represent_ends_where_trace_ends() -> None:
    w, x = weights_of(library_vit()), pixels(2, 28, 28)
    assert torch.equal(represent(w, x).logits, trace(w, x).logits)


def test_double_pixels_are_read_in_the_models_precision() -> None:
    assert torch.equal(trace(library_vit(), pixels(1, 28, 28).double()).y, trace(library_vit(), pixels(1, 28, 28)).y)


def test_our_pass_costs_what_is_counted() -> None:
    model = library_vit(num_hidden_layers=3)
    counter = FlopCounterMode(display=False)
    with counter:
        trace(model, pixels(1, 28, 28))
    assert counter.get_total_flops() == 2 * macs(ViTShape.from_checkpoint(model))["total"]


# --- bad input


@pytest.mark.parametrize(
    ("x", "kind", "words"),
    [
        (pixels(1, 28, 28, channels=1), ValueError, r"pixels must have the shape \(B, 3, H, W\), not \(1, 1, 28, 28\)"),
        (pixels(1, 28, 28)[0], ValueError, r"shape \(B, 3, H, W\), not \(3, 28, 28\)"),
        (pixels(1, 28, 28)[:0], ValueError, r"shape \(B, 3, H, W\), not \(0, 3, 28, 28\)"),
        (
            torch.zeros(1, 3, 28, 28, dtype=torch.uint8),
            TypeError,
            "tensor of floats, prepared for the model, not torch.uint8",
        ),
        (np.zeros((1, 3, 28, 28), np.float32), TypeError, "tensor of floats, prepared for the model, not ndarray"),
        (pixels(1, 28, 30), ValueError, "nearest valid size is 28 x 28 px"),
        (torch.full((1, 3, 28, 28), torch.nan), ValueError, "a NaN or an infinity"),
        (torch.full((1, 3, 28, 28), torch.inf), ValueError, "a NaN or an infinity"),
    ],
)
def test_pixels_that_are_refused(x: object, kind: type, words: str) -> None:
    with pytest.raises(kind, match=words):
        trace(library_vit(), x)


def test_a_table_that_does_not_match_its_grid() -> None:
    from dataclasses import replace

    w = replace(weights_of(library_vit()), grid=(7, 6))
    with pytest.raises(ValueError, match="the table has 50 rows, but a grid of 7 x 6 with 1 before it takes 43"):
        trace(w, pixels(1, 28, 28))


def test_models_that_are_refused() -> None:
    with pytest.raises(TypeError, match="a library ViT or ViTWeights, not Linear"):
        trace(torch.nn.Linear(3, 3), pixels(1, 28, 28))
    with pytest.raises(ValueError, match=r"the activation must be one of gelu.*not 'relu'"):
        trace(library_vit(hidden_act="relu"), pixels(1, 28, 28))


def test_comparisons_that_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="no library model to compare with"):
        trace(weights_of(library_vit()), pixels(1, 28, 28)).compare()
    with pytest.raises(ValueError, match="attn_implementation='eager'"):
        trace(library_vit(attn_implementation="sdpa"), pixels(1, 28, 28)).compare()
    with pytest.raises(ValueError, match="this one was made for 12 x 28 px"):
        trace(library_vit(image_size=(12, 28)), pixels(1, 28, 28)).compare()


@pytest.mark.parametrize(
    ("difference", "bound"), [(5.7e-7, "1e-5"), (1.9e-6, "1e-5"), (2.1e-6, "1e-4"), (0.0, "1e-12")]
)
def test_a_bound_is_a_power_of_ten_with_room(difference: float, bound: str) -> None:
    from widgets.model.trace import power_of_ten_above

    assert power_of_ten_above(difference) == bound and float(bound) > difference
