"""How PyTorch's own encoder layer names the weights of a block, so that both can be run on the same numbers."""

from __future__ import annotations

import torch
from torch import Tensor

from widgets.common.refusal import Refused
from widgets.model.encoder import BlockWeights


def torch_layer_state(w: BlockWeights) -> dict[str, Tensor]:
    """The state of `nn.TransformerEncoderLayer` that computes what this block computes.

    The layer must have been built with norm_first=True, activation="gelu" and the model's own epsilon; the weights of
    q, k and v (D, D) are stacked there, (3D, D). Raises ValueError for a block that lacks one of its biases.
    """
    a = w.attention
    state = {
        "self_attn.in_proj_weight": (a.q_weight, a.k_weight, a.v_weight),
        "self_attn.in_proj_bias": (a.q_bias, a.k_bias, a.v_bias),
        "self_attn.out_proj.weight": (a.o_weight,),
        "self_attn.out_proj.bias": (a.o_bias,),
        "linear1.weight": (w.mlp.fc1_weight,),
        "linear1.bias": (w.mlp.fc1_bias,),
        "linear2.weight": (w.mlp.fc2_weight,),
        "linear2.bias": (w.mlp.fc2_bias,),
        "norm1.weight": (w.ln1_weight,),
        "norm1.bias": (w.ln1_bias,),
        "norm2.weight": (w.ln2_weight,),
        "norm2.bias": (w.ln2_bias,),
    }
    there = {name: [tensor for tensor in tensors if tensor is not None] for name, tensors in state.items()}
    if absent := [name for name, tensors in state.items() if len(there[name]) < len(tensors)]:
        raise Refused(f"PyTorch's layer has every bias or none, and this block lacks {', '.join(absent)}")
    return {name: torch.cat(tensors) for name, tensors in there.items()}
