"""The shape of every tensor of a forward pass, from the shape of the model alone: nothing is computed or allocated."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from widgets.common.refusal import Refused
from widgets.model.count import Size
from widgets.model.shape import ViTShape, checked_size, size_pair


class Stage(NamedTuple):
    """One tensor: what makes it, its symbol, its shape in symbols and in numbers, the same in each layer or not."""

    step: str
    symbol: str
    symbols: str
    dims: tuple[int, ...]
    in_each_layer: bool = False

    @property
    def numbers(self) -> int:
        """How many numbers it holds."""
        return prod(self.dims)


def shape_trace(shape: ViTShape, batch: int = 1, image_size: Size | None = None) -> list[Stage]:
    """Every tensor of a forward pass of `batch` pictures, in order; the stages of a layer once, for all L layers.

    Raises ValueError for an invalid size or a batch below 1.
    """
    if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
        raise Refused(f"batch must be a whole number, 1 or more, not {batch!r}")
    height, width = size_pair(shape.image_size if image_size is None else checked_size(image_size, shape.patch_size))
    P, C, D, h, D_h = (
        shape.patch_size,
        shape.num_channels,
        shape.hidden_size,
        shape.num_attention_heads,
        shape.head_size,
    )
    B, N = batch, (height // P) * (width // P)
    T, D_ff, K = N + shape.prefix, shape.intermediate_size, shape.num_labels
    tokens = "(B, T, D)", (B, T, D)
    read = {"cls": "the class token's row", "gap": "mean of the patches", "map": "one learned query over the patches"}[
        shape.pool
    ]
    stages = [
        Stage("the pictures", "x", "(B, C, H, W)", (B, C, height, width)),
        Stage("cut into patches", "x_p", "(B, N, P² C)", (B, N, P * P * C)),
        Stage("times E, plus bias", "x_p E", "(B, N, D)", (B, N, D)),
        Stage(_put_before(shape), "z_0", *tokens),
        Stage("LayerNorm", "LN(z)", *tokens, True),
        Stage("queries, keys, values, each", "q, k, v", "(B, h, T, D_h)", (B, h, T, D_h), True),
        Stage("every query with every key", "A", "(B, h, T, T)", (B, h, T, T), True),
        Stage("weighted values", "A v", "(B, h, T, D_h)", (B, h, T, D_h), True),
        Stage("heads joined, times U_msa, plus z", "z'", *tokens, True),
        Stage(
            "MLP, up" if not shape.gated_mlp else "MLP, gate and up, each", "hidden", "(B, T, D_ff)", (B, T, D_ff), True
        ),
        Stage("MLP, down, plus z'", "z_l", *tokens, True),
        Stage("final norm", "LN(z_L)", *tokens),
        Stage(read, "y", "(B, D)", (B, D)),
    ]
    return [*stages, Stage("head", "logits", "(B, K)", (B, K))] if K else stages


def _put_before(shape: ViTShape) -> str:
    before = [text for has, text in ((shape.class_token, "class token"), (shape.registers, "registers")) if has]
    positions = "positions added" if shape.position == "learned" else ""
    return "; ".join(filter(None, [f"{' and '.join(before)} in front" if before else "", positions])) or "as they are"
