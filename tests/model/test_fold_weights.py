"""LayerScale folded: the same numbers come out of an ordinary ViT, from the hub's file and from an exported graph."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from safetensors.torch import load_file, save_file
from transformers import Dinov2Model, ViTModel

from tests.model.conftest import saved_classifier, saved_dinov2
from widgets.checkpoints.fold_weights import open_copy, shape_of_dinov2, state_from_onnx, vit_from_dinov2


@pytest.fixture(scope="module")
def dinov2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_dinov2(tmp_path_factory.mktemp("dinov2"))


def folded(folder: Path) -> ViTModel:
    config = json.loads((folder / "config.json").read_text())
    return vit_from_dinov2(load_file(folder / "model.safetensors"), shape_of_dinov2(config))


def test_folded_model_computes_what_dinov2_computes(dinov2: Path) -> None:
    picture = torch.randn(2, 3, 42, 42)
    original = Dinov2Model.from_pretrained(dinov2).eval()
    with torch.no_grad():
        expected = original(picture).last_hidden_state
        got = folded(dinov2)(picture).last_hidden_state
    assert expected.std() > 0.5
    assert (got - expected).abs().max() < 2e-5 * expected.abs().max()


def test_lambda_reaches_the_output(dinov2: Path) -> None:
    """Forgetting to fold must not pass the test above: with lambda at 1 the outputs are far apart."""
    state = load_file(dinov2 / "model.safetensors")
    ones = {name: torch.ones_like(value) if "lambda" in name else value for name, value in state.items()}
    shape = shape_of_dinov2(json.loads((dinov2 / "config.json").read_text()))
    picture = torch.randn(1, 3, 42, 42)
    with torch.no_grad():
        got, unscaled = (vit_from_dinov2(s, shape)(picture).last_hidden_state for s in (state, ones))
    assert (got - unscaled).abs().max() > 0.1


def test_folded_model_is_frozen_and_has_no_mask_token(dinov2: Path) -> None:
    model = folded(dinov2)
    assert not model.training and not any(p.requires_grad for p in model.parameters())
    assert not any("mask_token" in name or "lambda" in name for name in model.state_dict())
    assert model.config._attn_implementation == "eager"


@pytest.mark.parametrize("lost", ["layernorm.weight", "encoder.layer.1.mlp.fc1.bias"])
def test_a_missing_tensor_is_an_error(dinov2: Path, lost: str) -> None:
    state = load_file(dinov2 / "model.safetensors")
    del state[lost]
    with pytest.raises(RuntimeError, match="Missing key"):
        vit_from_dinov2(state, shape_of_dinov2(json.loads((dinov2 / "config.json").read_text())))


def test_a_layer_without_lambda_is_an_error(dinov2: Path) -> None:
    state = load_file(dinov2 / "model.safetensors")
    del state["encoder.layer.0.layer_scale2.lambda1"]
    with pytest.raises(KeyError, match="layer_scale2"):
        vit_from_dinov2(state, shape_of_dinov2(json.loads((dinov2 / "config.json").read_text())))


def test_gated_mlp_is_refused() -> None:
    with pytest.raises(ValueError, match="gated MLP"):
        shape_of_dinov2({"use_swiglu_ffn": True})


def test_exported_graph_gives_the_same_state(dinov2: Path, tmp_path: Path) -> None:
    state = load_file(dinov2 / "model.safetensors")
    path = export(state, tmp_path / "graph.onnx")
    read = state_from_onnx(path, "class", "patches")
    del state["embeddings.mask_token"]
    assert read.keys() == state.keys()
    for name, value in state.items():
        assert torch.equal(read[name], value), name


def export(state: dict[str, torch.Tensor], path: Path) -> Path:
    """Write a state the way PyTorch's exporter does: matrices (in, out) under a name of no meaning, table in two."""
    values, nodes = {}, []
    for n, (name, tensor) in enumerate(state.items()):
        if name.endswith("position_embeddings"):
            values |= {"class": tensor[:, :1], "patches": tensor[:, 1:]}
        elif tensor.ndim == 2 and "mask_token" not in name:
            node = "/backbone/" + name.removesuffix(".weight").replace(".", "/").replace("layer/", "layer.")
            values[f"onnx::MatMul_{n}"] = tensor.T.contiguous()
            nodes.append(helper.make_node("MatMul", ["x", f"onnx::MatMul_{n}"], [f"y{n}"], name=f"{node}/MatMul"))
        elif "mask_token" not in name:
            values[f"backbone.{name}"] = tensor
    nodes.append(helper.make_node("MatMul", ["y0", "y1"], ["scores"], name="/backbone/encoder/layer.0/MatMul"))
    constants = [numpy_helper.from_array(value.numpy(), name) for name, value in values.items()]
    info = helper.make_tensor_value_info("x", TensorProto.FLOAT, None)
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", [info], [], constants)), str(path))
    return path


def test_open_copy_is_strict_about_tensors(tmp_path: Path) -> None:
    folder = saved_classifier(tmp_path)
    model = open_copy(folder)
    assert [model.config.id2label[n] for n in range(3)] == ["cup", "cat", "car"]
    state = load_file(folder / "model.safetensors")
    for broken in (
        {name: value for name, value in state.items() if name != "classifier.bias"},
        state | {"classifier.extra": torch.zeros(1)},
        state | {"classifier.bias": torch.zeros(4)},
    ):
        save_file(broken, folder / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(RuntimeError, match=r"classifier|mismatched"):
            open_copy(folder)


def test_open_copy_never_unpickles(tmp_path: Path) -> None:
    folder = saved_classifier(tmp_path)
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(RuntimeError, match="holds no ViT"):
        open_copy(folder)
