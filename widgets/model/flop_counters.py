"""What PyTorch's own counter sees of a ViT's forward pass, by how attention is run: three answers for one model."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from widgets.common.refusal import Refused
from widgets.model.library import on_meta
from widgets.model.shape import ViTShape, size_pair

WAYS = {
    "eager": "attention as matrix products",
    "fused": "fused attention",
    "fast path": "nn.TransformerEncoder in eval mode",
}


def count_flops(model: nn.Module, pixels: torch.Tensor) -> int:
    """FLOPs that PyTorch's counter sees in one forward pass of a model in eval mode.

    In a thread of its own: a default device that a reader has set is a mode of his thread, and any mode keeps the
    encoder off its fast path.
    """
    counter = FlopCounterMode(display=False)

    def run() -> None:
        with torch.no_grad(), counter:
            model.eval()(pixels)

    with ThreadPoolExecutor(1, thread_name_prefix="count") as alone:
        alone.submit(run).result()
    return counter.get_total_flops()


@cache
def torch_flops(shape: ViTShape, way: str = "eager") -> int:
    """Count a shape run in one of the WAYS. What is not "eager" runs on the processor with weights that mean nothing.

    Raises ValueError for another way.
    """
    if way not in WAYS:
        raise Refused(f"way must be one of {', '.join(WAYS)}, not {way!r}")
    device = "meta" if way == "eager" else "cpu"
    model = _Stock(shape) if way == "fast path" else on_meta(shape, "sdpa" if way == "fused" else "eager")
    pixels = torch.zeros(1, shape.num_channels, *size_pair(shape.image_size), dtype=torch.float32, device=device)
    return count_flops(model if way == "eager" else _filled(model), pixels)


def _filled(model: nn.Module) -> nn.Module:
    """A model of the meta device with ones for numbers: no draw of millions, and nothing that overflows."""
    model = model.float().to_empty(device="cpu").requires_grad_(False)
    for tensor in model.parameters():
        tensor.fill_(1e-3)
    return model


class _Stock(nn.Module):
    """A ViT as it is often put together from PyTorch's own encoder; its first patch stands for the class token."""

    def __init__(self, shape: ViTShape) -> None:
        super().__init__()
        D, P = shape.hidden_size, shape.patch_size
        with torch.device("meta"):
            layer = nn.TransformerEncoderLayer(
                D,
                shape.num_attention_heads,
                shape.intermediate_size,
                0.0,
                "gelu",
                1e-6,
                batch_first=True,
                norm_first=True,
            )
            self.cut, self.head = nn.Conv2d(shape.num_channels, D, P, P), nn.Linear(D, shape.num_labels)
            self.encoder = nn.TransformerEncoder(layer, shape.num_hidden_layers, enable_nested_tensor=False)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        z = self.cut(pixels).flatten(2).transpose(1, 2)  # (B, N, D)
        return self.head(self.encoder(torch.cat([z[:, :1], z], 1))[:, 0])
