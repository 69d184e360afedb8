"""How transformers 5 names the pieces of a ViT: its parameters, and the tensors of its own forward pass.

The names have changed between versions. Beside this file only the room of checkpoints may know them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from widgets.common.refusal import Refused
from widgets.model.attention import AttentionWeights, split_heads
from widgets.model.encoder import BlockWeights, MLPWeights, gelu, gelu_tanh
from widgets.model.shape import ViTShape
from widgets.model.vit import ViTWeights

if TYPE_CHECKING:
    from transformers import ViTConfig, ViTForImageClassification, ViTModel

TERMS = {  # piece of count.parameters -> how the names of its tensors go on behind "vit." and "layers.<number>."
    "patch_embedding": ("embeddings.patch_embeddings.projection.",),
    "class_token": ("embeddings.cls_token",),
    "positions": ("embeddings.position_embeddings",),
    "attention": ("attention.",),
    "mlp": ("mlp.",),
    "layer_norms": ("layernorm_before.", "layernorm_after."),
    "final_norm": ("layernorm.",),
    "head": ("classifier.",),
}
OTHER = "other"
ACTIVATIONS = {"gelu": gelu, "gelu_new": gelu_tanh, "gelu_pytorch_tanh": gelu_tanh}


def weights_of(model: Any) -> ViTWeights:
    """Read the parameters of a library ViT, without copying them.

    Raises TypeError for anything that is no library ViT, ValueError for an activation that is not GELU.
    """
    config: Any = getattr(model, "config", None)
    if getattr(config, "model_type", None) != "vit":
        raise TypeError(f"this takes a checkpoint, a library ViT or ViTWeights, not {type(model).__name__}")
    if config.hidden_act not in ACTIVATIONS:
        raise Refused(f"the activation must be one of {', '.join(ACTIVATIONS)}, not {config.hidden_act!r}")
    vit, head = getattr(model, "vit", model), getattr(model, "classifier", None)
    linear = head if isinstance(head, nn.Linear) else None
    projection = vit.embeddings.patch_embeddings.projection
    size = config.image_size if isinstance(config.image_size, (list, tuple)) else (config.image_size,) * 2
    return ViTWeights(
        filters=projection.weight,
        filter_bias=projection.bias,
        class_token=vit.embeddings.cls_token[0, 0],
        positions=vit.embeddings.position_embeddings[0],
        blocks=tuple(_block_weights(layer) for layer in vit.layers),
        norm_weight=vit.layernorm.weight,
        norm_bias=vit.layernorm.bias,
        num_attention_heads=config.num_attention_heads,
        layer_norm_eps=config.layer_norm_eps,
        grid=(size[0] // projection.kernel_size[0], size[1] // projection.kernel_size[1]),
        head_weight=None if linear is None else linear.weight,
        head_bias=None if linear is None else linear.bias,
        activation=ACTIVATIONS[config.hidden_act],
    )


def empty(config: ViTConfig, classifier: bool = False) -> ViTModel | ViTForImageClassification:
    """Build a model of this shape that holds no numbers yet (its tensors are on the meta device)."""
    from transformers import ViTForImageClassification, ViTModel  # seconds to load, and only builders need it

    config._attn_implementation = "eager"  # fused attention returns no weights
    with torch.device("meta"):
        model = ViTForImageClassification(config) if classifier else ViTModel(config, add_pooling_layer=False)
    return model.float()  # the reader's default dtype may be another


def on_meta(shape: ViTShape, attention: str = "eager") -> nn.Module:
    """Build the library's own ViT of a shape with no numbers in its tensors: only names and shapes, nothing allocated.

    `attention`: "eager", as matrix products, or "sdpa", PyTorch's fused kernel.
    Raises ValueError for a shape that the library's ViT has no field for.
    """
    from transformers import ViTConfig  # seconds to load, and only builders need it

    if (
        not shape.class_token
        or shape.registers
        or shape.gated_mlp
        or shape.position != "learned"
        or not shape.norm_bias
    ):
        raise Refused("the library's ViT has a class token, a position table, two MLP matrices and norms with a shift")
    size = shape.image_size
    config = ViTConfig(  # type: ignore[call-arg]  # the library takes num_labels unnamed
        image_size=size,
        patch_size=shape.patch_size,
        num_channels=shape.num_channels,
        hidden_size=shape.hidden_size,
        num_hidden_layers=shape.num_hidden_layers,
        num_attention_heads=shape.num_attention_heads,
        intermediate_size=shape.intermediate_size,
        qkv_bias=shape.qkv_bias,
        num_labels=shape.num_labels,
    )
    model = empty(config, classifier=bool(shape.num_labels))
    if attention != "eager":
        model.set_attn_implementation(attention)
    return model


def tensors_by_term(model: Any) -> dict[str, dict[str, Tensor]]:
    """Sort the named parameters of a library ViT by the pieces of count.parameters: piece -> name -> tensor.

    Pieces stand in the order of the forward pass. What fits none (a pooler, a mask token) is under "other".
    """
    found: dict[str, dict[str, Tensor]] = {term: {} for term in (*TERMS, OTHER)}
    for name, tensor in model.named_parameters():
        short = name.removeprefix("vit.")
        if short.startswith("layers."):
            short = short.split(".", 2)[2]
        term = next((term for term, starts in TERMS.items() if short.startswith(starts)), OTHER)
        found[term][name] = tensor
    return {term: tensors for term, tensors in found.items() if tensors}


def _block_weights(layer: Any) -> BlockWeights:
    a, fc1, fc2 = layer.attention, layer.mlp.fc1, layer.mlp.fc2
    parts = (part for linear in (a.q_proj, a.k_proj, a.v_proj, a.o_proj) for part in (linear.weight, linear.bias))
    before, after = layer.layernorm_before, layer.layernorm_after
    return BlockWeights(
        before.weight,
        before.bias,
        AttentionWeights(*parts),
        after.weight,
        after.bias,
        MLPWeights(fc1.weight, fc1.bias, fc2.weight, fc2.bias),
    )


@torch.no_grad()
def library_stages(model: Any, pixels: Tensor) -> dict[str, Tensor]:
    """Run the library's own forward pass on pixels (B, C, H, W) and return its tensors under our stage names.

    Raises ValueError when there is no model, when it keeps no attention weights, or when it cannot be asked for this
    size (the library interpolates square tables only).
    """
    if model is None:
        raise Refused("there is no library model to compare with: these weights were made here")
    vit, kept, hooks, thread = getattr(model, "vit", model), {}, [], threading.get_ident()

    def keep(stage: str, module: nn.Module, read: Callable[[tuple, Any], Tensor] = _output) -> None:
        def hook(_: nn.Module, inputs: tuple, output: Any) -> None:
            # checkpoints are shared: another visitor's pass through the same module is not ours
            if threading.get_ident() == thread:
                kept[stage] = read(inputs, output)

        hooks.append(module.register_forward_hook(hook))

    keep("patch_embeddings", vit.embeddings.patch_embeddings)
    keep("z0", vit.embeddings)
    for number, layer in enumerate(vit.layers, start=1):
        _keep_layer(keep, f"layer {number} ", layer, model.config.num_attention_heads)
    keep("normalised", vit.layernorm)
    try:
        output = model(pixels, interpolate_pos_encoding=_interpolates(vit, pixels))
    finally:
        for hook in hooks:
            hook.remove()
    kept["y"] = kept["normalised"][:, 0]
    if isinstance(getattr(model, "classifier", None), nn.Linear):
        kept["logits"] = output.logits
    return kept


def _output(inputs: tuple, output: Any) -> Tensor:
    return output


def _interpolates(vit: Any, pixels: Tensor) -> bool:
    height, width = vit.embeddings.image_size
    if tuple(pixels.shape[-2:]) == (height, width):
        return False
    if height != width:
        raise Refused(
            "the library takes every position table for a square one, and this one was made for"
            f" {height} x {width} px: compare at that size"
        )
    return True


def _keep_layer(keep: Callable[..., None], name: str, layer: Any, k: int) -> None:
    a = layer.attention

    def split(inputs: tuple, output: Tensor) -> Tensor:
        return split_heads(output, k)

    def weights(inputs: tuple, output: tuple) -> Tensor:
        if output[1] is None:
            raise Refused("fused attention keeps no weights: load the model with attn_implementation='eager'")
        return output[1]

    keep(name + "ln1", layer.layernorm_before)
    for stage, projection in (("q", a.q_proj), ("k", a.k_proj), ("v", a.v_proj)):
        keep(name + stage, projection, split)
    keep(name + "weights", a, weights)
    keep(name + "heads", a.o_proj, lambda inputs, output: split_heads(inputs[0], k))
    keep(name + "msa", a.o_proj)
    keep(name + "z_prime", layer.layernorm_after, lambda inputs, output: inputs[0])
    keep(name + "ln2", layer.layernorm_after)
    keep(name + "pre_activation", layer.mlp.fc1)
    keep(name + "post_activation", layer.mlp.fc2, lambda inputs, output: inputs[0])
    keep(name + "mlp", layer.mlp.fc2)
    keep(name + "z", layer)
