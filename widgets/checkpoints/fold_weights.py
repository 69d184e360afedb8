"""From a DINOv2 checkpoint to the paper's ViT: LayerScale folded into the weights it multiplies.

DINOv2 multiplies what each sublayer adds to the stream by a learned vector, lambda (LayerScale, Touvron et al.
2021, arXiv:2103.17239). lambda * (W x + b) = (lambda W) x + (lambda b), row by row: scale the rows of o_proj and
of fc2 once, and what is left is Eq. 1 to 4 of the paper and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from transformers import ViTConfig, ViTForImageClassification, ViTModel
from transformers.utils import logging

from widgets.common.refusal import Refused
from widgets.model.library import empty
from widgets.model.tensor_defaults import CPU

State = dict[str, torch.Tensor]

# From the names in the hub's DINOv2 files to those of `ViTModel`, in the order they are replaced.
NAMES = {
    "encoder.layer.": "layers.",
    "attention.attention.query": "attention.q_proj",
    "attention.attention.key": "attention.k_proj",
    "attention.attention.value": "attention.v_proj",
    "attention.output.dense": "attention.o_proj",
    "norm1": "layernorm_before",
    "norm2": "layernorm_after",
}
LAMBDA_OF = {"attention.output.dense": "layer_scale1.lambda1", "mlp.fc2": "layer_scale2.lambda1"}
_SCALED = re.compile(r"(encoder\.layer\.\d+\.)(attention\.output\.dense|mlp\.fc2)\.(weight|bias)")


def fold_layer_scale(dinov2: State) -> State:
    """Return the state of a `ViTModel` that computes what the DINOv2 state computes.

    Weights are (out, in): rows of the attention output (D, D) and of fc2 (D, D_ff), and their biases (D,), are
    multiplied by lambda (D,). The mask token, used in training only, is left out. Raises KeyError when a
    layer has no lambda.
    """
    folded: State = {}
    for name, tensor in dinov2.items():
        if "layer_scale" in name or name.endswith("mask_token"):
            continue
        if match := _SCALED.fullmatch(name):
            scale = dinov2[match[1] + LAMBDA_OF[match[2]]]  # (D,)
            tensor = tensor * scale.reshape(-1, *[1] * (tensor.ndim - 1))  # (D, D), (D, D_ff) or (D,)
        for old, new in NAMES.items():
            name = name.replace(old, new)
        folded[name] = tensor.contiguous()
    return folded


def state_from_onnx(path: Path, class_row: str, patch_rows: str) -> State:
    """Read a DINOv2 state, in the hub's names, out of an exported graph whose nodes lie under /backbone.

    Initialisers keep their names but for two kinds: a weight matrix is an unnamed input (in, out) of the MatMul
    node named after its layer, and the position table is split into `class_row` (1, 1, D) and `patch_rows`
    (1, N, D). Raises KeyError when one of these two is missing.
    """
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    values = {t.name: torch.from_numpy(np.array(numpy_helper.to_array(t))) for t in graph.initializer}
    state = {name.removeprefix("backbone."): v for name, v in values.items() if name.startswith("backbone.")}
    for node in graph.node:
        if node.op_type == "MatMul" and node.name.startswith("/backbone/"):
            layer = node.name.removeprefix("/backbone/").removesuffix("/MatMul").replace("/", ".")
            for weight in (values[name] for name in node.input if name in values):
                state[f"{layer}.weight"] = weight.T  # (out, in)
    state["embeddings.position_embeddings"] = torch.cat([values[class_row], values[patch_rows]], dim=1)
    return state  # table (1, 1 + N, D)


def shape_of_dinov2(config: dict[str, Any]) -> dict[str, Any]:
    """Return the ViT shape of a hub configuration of DINOv2.

    Raises ValueError for a DINOv2 that is more than LayerScale away from the paper's ViT (a gated MLP).
    """
    if config.get("use_swiglu_ffn"):
        raise Refused("a DINOv2 with a gated MLP (use_swiglu_ffn) is not the paper's ViT, so it cannot be folded")
    same = ("hidden_size", "num_hidden_layers", "num_attention_heads", "image_size", "patch_size", "layer_norm_eps")
    shape = {name: config[name] for name in same}
    return shape | {"intermediate_size": int(config["hidden_size"] * config["mlp_ratio"])}


def vit_from_dinov2(dinov2: State, shape: dict[str, Any]) -> ViTModel:
    """Build the `ViTModel` (no pooler) that computes what this DINOv2 state computes.

    Raises RuntimeError when a tensor is missing, left over or of another shape.
    """
    return fill(empty(ViTConfig(**shape)), fold_layer_scale(dinov2))


def fill(model: Any, state: State) -> Any:
    """Give an empty model its tensors, shared and not copied, and freeze it. Raises RuntimeError unless all fit."""
    model.load_state_dict(state, strict=True, assign=True)
    return freeze(model)


def freeze(model: Any) -> Any:
    """Put a model in eval mode (no dropout) and take its gradients away: it is read, never trained."""
    return model.eval().requires_grad_(False)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the library's own progress bars off the page while a model is read or written."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


class NoViT(RuntimeError):
    """The files of a folder are not those of a ViT; the message says what is wrong with them."""


def open_copy(folder: Path) -> ViTModel | ViTForImageClassification:
    """Read config.json and model.safetensors of a folder, strictly; nothing is ever unpickled.

    The checkpoint is a classifier if its configuration says so. Raises NoViT when a tensor is missing, left over or
    of another shape, or the files are no checkpoint of a ViT.
    """
    try:
        config = ViTConfig.from_pretrained(folder, local_files_only=True)
        kind: Any = ViTModel
        options: dict[str, Any] = {"add_pooling_layer": False}
        if "ViTForImageClassification" in (config.architectures or []):
            kind, options = ViTForImageClassification, {}
        with quiet(), CPU:
            model, report = kind.from_pretrained(
                folder, config=config, use_safetensors=True, attn_implementation="eager", dtype=torch.float32,
                local_files_only=True, output_loading_info=True,
                ignore_mismatched_sizes=True, **options,  # they stand in the report
            )  # fmt: skip
    except (OSError, ValueError, TypeError, SafetensorError) as error:
        raise NoViT(f"{folder} holds no ViT ({error})") from error
    if wrong := {kind: sorted(map(str, found)) for kind, found in report.items() if found}:
        raise NoViT(f"the tensors in {folder} are not those of a ViT: {wrong}")
    return freeze(model)
