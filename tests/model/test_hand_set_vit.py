"""hand_set_vit.py: the hand-set ViT is a real one, on any picture, with the weights chapter 00 says it has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.model.small_models import library_vit
from widgets.model.hand_set_vit import ORIGINS, hand_set_vit
from widgets.model.trace import trace
from widgets.pictures import PREPARATIONS, open_sample, prepare, sample_names


def prepared(name: str) -> torch.Tensor:
    return torch.from_numpy(PREPARATIONS["vit-b16"].apply(prepare(open_sample(name), 32)))


def test_the_numbers_of_chapter_00() -> None:
    x = prepared("cat")
    w = hand_set_vit(x).weights
    t = trace(w, x[None])
    assert t.patches.shape == (1, 49, 3072) and t.z0.shape == (1, 50, 8)
    assert len(t.layers) == 2 and t.layers[0].q.shape == (1, 2, 50, 4) and t.logits.shape == (1, 3)


@pytest.mark.parametrize("name", sample_names())
def test_every_sample_picture_runs_and_stays_readable(name: str) -> None:
    x = prepared(name)
    t = trace(hand_set_vit(x).weights, x[None])
    for stage, tensor in t.stages().items():
        assert torch.isfinite(tensor).all(), stage
        if stage != "patches":
            assert 1e-3 < float(tensor.abs().max()) < 100 or stage.endswith(("scores", "weights")), stage
    # the weights are neither even nor all on one token: there is something to see
    largest = t.layers[0].weights[0, :, 1:].amax(-1).mean()
    assert 2 / t.z0.shape[1] < float(largest) < 0.9


def test_the_embedding_is_the_pictures_own_principal_components() -> None:
    x = prepared("coffee")
    vit = hand_set_vit(x)
    t = trace(vit.weights, x[None])
    features = t.patch_embeddings[0].double().numpy()  # (N, 8)
    assert np.abs(features.mean(0)).max() < 1e-3  # mean 0, variance 1, uncorrelated
    assert np.abs(np.cov(features.T) - np.eye(8)).max() < 1e-3
    patches = t.patches[0].double().numpy()
    singular = np.linalg.svd(patches - patches.mean(0), compute_uv=False)
    assert np.allclose(vit.basis.variances, singular[:8] ** 2 / (len(patches) - 1), rtol=1e-4)


def test_head_1_reads_features_1_to_4_and_head_2_features_5_to_8() -> None:
    x = prepared("cat")
    t = trace(hand_set_vit(x).weights, x[None])
    for layer in t.layers:
        assert torch.equal(layer.k[0, 0], layer.ln1[0, :, :4]) and torch.equal(layer.k[0, 1], layer.ln1[0, :, 4:])
        assert torch.equal(layer.q, 2 * layer.k) and torch.equal(layer.v, layer.k)


def test_the_class_token_averages_the_picture_in_layer_1() -> None:
    x = prepared("cat")
    t = trace(hand_set_vit(x).weights, x[None])
    assert torch.allclose(t.layers[0].weights[0, :, 0], torch.tensor(1 / 50))
    assert float(t.layers[1].weights[0, :, 0].std()) > 0.001


def test_the_library_runs_it_to_the_same_answer() -> None:
    x = prepared("rocket")  # not square
    w = hand_set_vit(x).weights
    model = library_vit(
        image_size=tuple(x.shape[1:]),
        patch_size=32,
        hidden_size=8,
        num_attention_heads=2,
        intermediate_size=32,
        num_labels=3,
        layer_norm_eps=1e-6,
    )
    state = {
        "vit.embeddings.cls_token": w.class_token[None, None],
        "vit.embeddings.position_embeddings": w.positions[None],
        "vit.embeddings.patch_embeddings.projection.weight": w.filters,
        "vit.embeddings.patch_embeddings.projection.bias": w.filter_bias,
        "vit.layernorm.weight": w.norm_weight,
        "vit.layernorm.bias": w.norm_bias,
        "classifier.weight": w.head_weight,
        "classifier.bias": w.head_bias,
    }
    for n, b in enumerate(w.blocks):
        names = {
            "layernorm_before.weight": b.ln1_weight,
            "layernorm_before.bias": b.ln1_bias,
            "layernorm_after.weight": b.ln2_weight,
            "layernorm_after.bias": b.ln2_bias,
            "mlp.fc1.weight": b.mlp.fc1_weight,
            "mlp.fc1.bias": b.mlp.fc1_bias,
            "mlp.fc2.weight": b.mlp.fc2_weight,
            "mlp.fc2.bias": b.mlp.fc2_bias,
        } | {f"attention.{field[0]}_proj.{field[2:]}": value for field, value in b.attention._asdict().items()}
        state |= {f"vit.layers.{n}.{name}": value for name, value in names.items()}
    model.load_state_dict(state, strict=True)
    rows = replace(trace(w, x[None]), model=model).compare()
    assert max(row.relative for row in rows) < 1e-4


def test_it_is_the_same_every_time_and_says_what_is_random() -> None:
    x = prepared("cat")
    one, two = (trace(hand_set_vit(x).weights, x[None]).logits for _ in range(2))
    assert torch.equal(one, two)
    assert not torch.equal(one, trace(hand_set_vit(x, seed=1).weights, x[None]).logits)
    assert {piece for piece, origin in ORIGINS.items() if origin.startswith("random")} == {"mlp", "head"}


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (torch.rand(3, 224, 230), "nearest valid size"),
        (torch.rand(3, 64, 64), "4 patches have no 8 principal components: use 9 patches or more"),
        (torch.ones(3, 224, 224), "too alike"),
        (torch.rand(3, 32, 32).repeat(1, 7, 7), "too alike"),
        (torch.rand(1, 3, 224, 224), r"floats of shape \(C, H, W\)"),
        (torch.zeros(3, 224, 224, dtype=torch.uint8), "floats"),
        (torch.full((3, 224, 224), torch.nan), "finite"),
    ],
)
def test_pictures_it_cannot_be_set_for(x: torch.Tensor, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        hand_set_vit(x)
