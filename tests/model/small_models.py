"""Small Vision Transformers for the tests: the library's, ours from the NumPy parameters, and one of torch's parts."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import ViTConfig, ViTForImageClassification, ViTModel

from tests.model.numpy_vit import Params
from widgets.model.attention import AttentionWeights
from widgets.model.encoder import BlockWeights, MLPWeights
from widgets.model.shape import ViTShape
from widgets.model.vit import ViTWeights


def _stirred(model: nn.Module) -> nn.Module:
    """Move every parameter off its neutral start, so that a gain, bias or position left out shows."""
    generator = torch.Generator().manual_seed(3)
    for name, parameter in model.named_parameters():
        size = 0.3 if parameter.ndim == 1 or "cls" in name or "position" in name else 2 * parameter[0].numel() ** -0.5
        parameter.data = torch.randn(parameter.shape, generator=generator) * size + (
            "norm" in name and "weight" in name
        )
    return model.eval().requires_grad_(False)


@cache
def library_vit(head: bool = True, image_size: Any = 28, patch_size: int = 4, **options: Any) -> nn.Module:
    """A tiny library ViT with random parameters: D 32, 4 heads, 2 layers, 10 labels."""
    settings = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 48,
        "num_labels": 10,
        "image_size": image_size,
        "patch_size": patch_size,
        "attn_implementation": "eager",
    } | options
    config = ViTConfig(**settings)
    return _stirred(ViTForImageClassification(config) if head else ViTModel(config, add_pooling_layer=False))


def ours_from_numpy(params: Params, grid: tuple[int, int], pool: str) -> ViTWeights:
    """Carry NumPy parameters (in, out; channels last) over to our weights (out, in; channels first), in float64."""

    def t(array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array))

    P, (rows, d) = params["P"], params["W_E"].shape
    C = rows // P**2
    blocks = tuple(
        BlockWeights(
            t(b["ln1_g"]),
            t(b["ln1_b"]),
            AttentionWeights.packed(t(b["W_qkv"]), t(b["b_qkv"]), t(b["W_o"]), t(b["b_o"])),
            t(b["ln2_g"]),
            t(b["ln2_b"]),
            MLPWeights(t(b["W_1"].T), t(b["b_1"]), t(b["W_2"].T), t(b["b_2"])),
        )
        for b in params["blocks"]
    )
    return ViTWeights(
        filters=t(params["W_E"].reshape(P, P, C, d).transpose(3, 2, 0, 1)),
        filter_bias=t(params["b_E"]),
        class_token=t(params["cls"]) if "cls" in params else None,
        positions=t(params["pos"]),
        blocks=blocks,
        norm_weight=t(params["lnf_g"]),
        norm_bias=t(params["lnf_b"]),
        num_attention_heads=params["h"],
        layer_norm_eps=1e-6,
        grid=grid,
        head_weight=t(params["W_head"].T),
        head_bias=t(params["b_head"]),
        registers=t(params["reg"]) if len(params["reg"]) else None,
        pool=pool,
    )


class PlainViT(nn.Module):
    """Parameters of any ViTShape, as plain torch modules: what the library's ViT cannot build is counted on this."""

    def __init__(self, s: ViTShape) -> None:
        super().__init__()
        D, D_ff = s.hidden_size, s.intermediate_size
        self.projection = nn.Conv2d(s.num_channels, D, s.patch_size, s.patch_size)
        if s.class_token:
            self.cls = nn.Parameter(torch.empty(D))
        if s.registers:
            self.registers = nn.Parameter(torch.empty(s.registers, D))
        if s.position == "learned":
            self.positions = nn.Embedding(s.num_patches + s.class_token, D)
        self.blocks = nn.ModuleList(
            nn.ModuleList(
                [
                    nn.LayerNorm(D, bias=s.norm_bias),
                    nn.Linear(D, 3 * D, bias=s.qkv_bias),
                    nn.Linear(D, D),
                    nn.LayerNorm(D, bias=s.norm_bias),
                    nn.Linear(D, D_ff),
                    nn.Linear(D_ff, D),
                    *([nn.Linear(D, D_ff)] if s.gated_mlp else []),
                ]
            )
            for _ in range(s.num_hidden_layers)
        )
        self.norm = nn.LayerNorm(D, bias=s.norm_bias)
        if s.num_labels:
            self.head = nn.Linear(D, s.num_labels)


def counted(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())
