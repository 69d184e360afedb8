"""What a ViT costs: parameters, multiply-adds, memory of attention, compute of training. Whole numbers are exact."""

from __future__ import annotations

from math import isfinite, isqrt
from numbers import Integral, Real
from typing import Any

from widgets.common.refusal import Refused
from widgets.model.shape import LARGEST_SIDE, ViTShape, checked_size, size_pair

Size = int | tuple[int, int]
Ledger = dict[str, Any]  # piece -> (formula, number), and "total" -> number


def sequence_facts(image_size: Size, patch_size: int) -> dict[str, int]:
    """Count what a picture in colour becomes: patches N, row_length P²C, tokens T (with a class token), and
    attention_entries T² of one head's table. Raises ValueError for a size that does not cut.
    """
    shape = ViTShape(image_size=image_size, patch_size=patch_size)
    return {
        "patches": shape.num_patches,
        "row_length": shape.num_channels * patch_size**2,
        "tokens": shape.num_tokens,
        "attention_entries": shape.num_tokens**2,
    }


def parameters(shape: ViTShape) -> Ledger:
    """Count the parameters piece by piece: piece -> (formula, number), in the order of the forward pass, and "total".

    Pieces a shape does not have are left out. Attention pooling is listed with 0: its own parameters are not counted.
    """
    P, C, D, L = shape.patch_size, shape.num_channels, shape.hidden_size, shape.num_hidden_layers
    K, R, n_cls = shape.num_labels, shape.registers, int(shape.class_token)
    pieces: Ledger = {"patch_embedding": ("(P²C + 1) D", (P * P * C + 1) * D)}
    if shape.class_token:
        pieces["class_token"] = ("D", D)
    if R:
        pieces["registers"] = ("R D", R * D)
    if shape.position == "learned":
        pieces["positions"] = ("(N + 1) D" if n_cls else "N D", (shape.num_patches + n_cls) * D)
    biases, bias_text = (4, "4D") if shape.qkv_bias else (1, "D")
    pieces["attention"] = (f"L (4D² + {bias_text})", L * (4 * D * D + biases * D))
    pieces["mlp"] = _mlp_parameters(shape)
    norm, norm_text = (2 * D, "2D") if shape.norm_bias else (D, "D")
    pieces["layer_norms"] = (f"L · 2 · {norm_text}", L * 2 * norm)
    pieces["final_norm"] = (norm_text, norm)
    if shape.pool == "map":
        pieces["pooling"] = ("attention pooling, not counted here", 0)
    if K:
        pieces["head"] = ("(D + 1) K", (D + 1) * K)
    pieces["total"] = sum(number for _, number in pieces.values())
    return pieces


def attention_pooling(shape: ViTShape) -> int:
    """Count the head of attention pooling: a query of D, attention (4D² + 4D), one norm (2D) and an MLP.

    Source: google-research/big_vision, the head `MAPHead` of its ViT.
    """
    D, D_ff = shape.hidden_size, shape.intermediate_size
    return D + 4 * D * D + 4 * D + 2 * D + 2 * D * D_ff + D_ff + D


def block_matrices(shape: ViTShape) -> int:
    """Count the matrices of all blocks alone, as large models are counted: L (4D² + 2 or 3 D D_ff)."""
    D, matrices = shape.hidden_size, 3 if shape.gated_mlp else 2
    return shape.num_hidden_layers * (4 * D * D + matrices * D * shape.intermediate_size)


def weight_memory(shape: ViTShape, bytes_per: int = 4, copies: int = 1) -> int:
    """Bytes of the parameters; `copies` 4 for training with Adam: weights, gradients and its two moments."""
    _positive_whole(bytes_per=bytes_per, copies=copies)
    return parameters(shape)["total"] * int(bytes_per) * int(copies)


def macs(shape: ViTShape, image_size: Size | None = None) -> dict[str, int]:
    """Count the multiply-adds of one picture's forward pass: patch, linear, attention, head, total.

    FLOPs are twice that. linear: Q, K, V, output and MLP of all layers; attention: Q K^T and A V.
    Raises ValueError for an invalid size.
    """
    N, T = _tokens(shape, image_size)
    D, L = shape.hidden_size, shape.num_hidden_layers
    counted = {
        "patch": N * shape.patch_size**2 * shape.num_channels * D,
        "linear": T * block_matrices(shape),  # every token meets every matrix once
        "attention": L * 2 * T * T * D,  # T² products of length D_h, k heads: T² D, twice
        "head": D * shape.num_labels,
    }
    return counted | {"total": sum(counted.values())}


def attention_crossover(shape: ViTShape) -> int:
    """Return the smallest side of a square picture, in pixels, at which attention costs at least the linear layers.

    2 T² D >= T (4D² + 2 D D_ff), so T >= 2D + D_ff (1.5 D_ff where the MLP is gated).
    """
    matrices = 3 if shape.gated_mlp else 2
    least_tokens = -(-(4 * shape.hidden_size + matrices * shape.intermediate_size) // 2)
    least_patches = max(1, least_tokens - shape.prefix)
    return (isqrt(least_patches - 1) + 1) * shape.patch_size


def attention_memory(
    shape: ViTShape, image_size: Size | None = None, batch: int = 1, bytes_per: int = 2, flash: bool = False
) -> int:
    """Bytes that the attention weights of all layers and a whole batch take, when they are kept.

    With `flash`, FlashAttention's one float32 for each query row of each head instead; inputs and outputs of
    attention are left out of both. Raises ValueError for an invalid size or a batch below 1.
    """
    _positive_whole(batch=batch, bytes_per=bytes_per)
    _, T = _tokens(shape, image_size)
    rows = shape.num_hidden_layers * int(batch) * shape.num_attention_heads * T
    return rows * 4 if flash else rows * T * int(bytes_per)


def max_image_size(shape: ViTShape, budget_bytes: int, batch: int = 1, bytes_per: int = 2) -> int:
    """Return the largest side of a square picture whose kept attention weights fit into a budget.

    Raises ValueError when not even one patch does.
    """
    _positive(budget_bytes=budget_bytes)
    P = shape.patch_size
    of_one_token_pair = shape.num_hidden_layers * int(batch) * shape.num_attention_heads * int(bytes_per)
    needed = attention_memory(shape, P, batch, bytes_per)
    if needed > budget_bytes:
        raise Refused(f"{int(budget_bytes):,} bytes are too few: one patch of {P} px already takes {needed:,}")
    most_tokens = isqrt(int(budget_bytes) // of_one_token_pair)
    return min(isqrt(most_tokens - shape.prefix) * P, LARGEST_SIDE // P * P)


def windowed_attention_macs(shape: ViTShape, image_size: Size, window: int, global_layers: int) -> dict[str, int]:
    """Multiply-adds of Q K^T and A V of all layers: "global", and "windowed" with only `global_layers` left global.

    The grid is padded up to whole windows of `window` x `window` patches, as in ViTDet and SAM; no prefix tokens.
    Raises ValueError for a window below 1 or more global layers than there are.
    """
    _positive_whole(window=window)
    L, D = shape.num_hidden_layers, shape.hidden_size
    if isinstance(global_layers, bool) or not isinstance(global_layers, Integral) or not 0 <= global_layers <= L:
        raise Refused(f"global_layers must be a whole number from 0 to {L}, not {global_layers!r}")
    height, width = size_pair(checked_size(image_size, shape.patch_size))
    rows, columns = height // shape.patch_size, width // shape.patch_size
    one_global = 2 * (rows * columns) ** 2 * D
    window, global_layers = int(window), int(global_layers)
    windows = -(-rows // window) * -(-columns // window)
    one_windowed = windows * 2 * (window * window) ** 2 * D
    return {"global": L * one_global, "windowed": global_layers * one_global + (L - global_layers) * one_windowed}


def pretraining_exaflops(shape: ViTShape, image_size: Size | None, epochs: float, images: float) -> float:
    """Compute of training in exaFLOPs: 6 x MACs a picture (2 FLOPs a MAC; backward is twice forward)."""
    _positive(epochs=epochs, images=images)
    return 6 * macs(shape, image_size)["total"] * epochs * images / 1e18


def gpu_days(exaflops: float, peak_tflops: float, mfu: float) -> float:
    """Days on one device of a dense peak in TFLOP/s, of which a share `mfu` (over 0, at most 1) is reached."""
    _positive(exaflops=exaflops, peak_tflops=peak_tflops, mfu=mfu)
    if mfu > 1:
        raise Refused(f"mfu is a share of the peak, over 0 and at most 1, not {mfu!r}")
    return exaflops * 1e18 / (peak_tflops * 1e12 * mfu * 86_400)


def implied_mfu(exaflops: float, device_days: float, peak_tflops: float) -> float:
    """Share of the peak that a training run reached; over 1 means that one of the three numbers is wrong."""
    _positive(exaflops=exaflops, device_days=device_days, peak_tflops=peak_tflops)
    return exaflops * 1e18 / (device_days * 86_400 * peak_tflops * 1e12)


def _mlp_parameters(shape: ViTShape) -> tuple[str, int]:
    D, D_ff, L = shape.hidden_size, shape.intermediate_size, shape.num_hidden_layers
    if shape.gated_mlp:  # gate, up and down, each with its bias
        return "L (3 D D_ff + 2 D_ff + D)", L * (3 * D * D_ff + 2 * D_ff + D)
    return "L (2 D D_ff + D_ff + D)", L * (2 * D * D_ff + D_ff + D)


def _tokens(shape: ViTShape, image_size: Size | None) -> tuple[int, int]:
    """Return N and T at a size, by default the shape's own."""
    size = shape.image_size if image_size is None else checked_size(image_size, shape.patch_size)
    height, width = size_pair(size)
    N = (height // shape.patch_size) * (width // shape.patch_size)
    return N, N + shape.prefix


def _positive(**values: float) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value) or value <= 0:
            raise Refused(f"{name} must be a number over 0, not {value!r}")


def _positive_whole(**values: int) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            raise Refused(f"{name} must be a whole number, 1 or more, not {value!r}")
