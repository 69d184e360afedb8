"""An independent Vision Transformer in NumPy, float64, written from the equations; weights are stored (in, out)."""

from __future__ import annotations

from math import erf
from typing import Any

import numpy as np

Params = dict[str, Any]
_phi = np.vectorize(lambda x: 0.5 * (1 + erf(x / 2**0.5)))


def norm(x: np.ndarray, gain: np.ndarray, shift: np.ndarray, eps: float) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * gain + shift


def softmax(s: np.ndarray) -> np.ndarray:
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def encoder_block(z: np.ndarray, p: Params, heads: int, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """z (B, T, D) to (z after the block, weights (B, h, T, T))."""
    B, T, D = z.shape
    qkv = norm(z, p["ln1_g"], p["ln1_b"], eps) @ p["W_qkv"] + p["b_qkv"]  # (B, T, 3D)
    q, k, v = qkv.reshape(B, T, 3, heads, D // heads).transpose(2, 0, 3, 1, 4)  # (B, h, T, D_h) each
    weights = softmax(np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(D // heads))
    mixed = np.einsum("bhij,bhjd->bihd", weights, v).reshape(B, T, D)
    z = z + mixed @ p["W_o"] + p["b_o"]
    hidden = norm(z, p["ln2_g"], p["ln2_b"], eps) @ p["W_1"] + p["b_1"]
    return z + (hidden * _phi(hidden)) @ p["W_2"] + p["b_2"], weights


def vit_forward(params: Params, img: np.ndarray, pool: str = "cls", eps: float = 1e-6) -> Params:
    """img (B, H, W, C); returns y, logits, the weights of every layer and z_L. Pixel (u, v), channel c at (uP + v)C +
    c."""
    P, d = params["P"], params["W_E"].shape[1]
    B, H, W, C = img.shape
    patches = img.reshape(B, H // P, P, W // P, P, C).transpose(0, 1, 3, 2, 4, 5).reshape(B, -1, P * P * C)
    z = patches @ params["W_E"] + params["b_E"]
    if pool == "cls":
        z = np.concatenate([np.broadcast_to(params["cls"], (B, 1, d)), z], 1)
    z = z + params["pos"]
    at, R = int(pool == "cls"), len(params["reg"])
    z = np.concatenate([z[:, :at], np.broadcast_to(params["reg"], (B, R, d)), z[:, at:]], 1)
    all_weights = []
    for block in params["blocks"]:
        z, weights = encoder_block(z, block, params["h"], eps)
        all_weights.append(weights)
    read = z[:, 0] if pool == "cls" else z[:, R:].mean(1)
    y = norm(read, params["lnf_g"], params["lnf_b"], eps)
    return {"z_L": z, "y": y, "logits": y @ params["W_head"] + params["b_head"], "weights": all_weights}


def make_vit_params(
    rng: np.random.Generator,
    H: int,
    W: int,
    R: int = 2,
    pool: str = "cls",
    P: int = 4,
    d: int = 24,
    h: int = 4,
    d_ff: int = 40,
    L: int = 3,
    K: int = 5,
    C: int = 3,
) -> Params:
    """Every parameter random and none neutral: gains far from 1, biases far from 0, so that leaving one out shows."""

    def a(*shape: int, size: float = 0.4) -> np.ndarray:
        return rng.standard_normal(shape) * size

    N, n_cls = (H // P) * (W // P), int(pool == "cls")
    blocks = [
        {
            "ln1_g": 1 + a(d),
            "ln1_b": a(d),
            "W_qkv": a(d, 3 * d),
            "b_qkv": a(3 * d),
            "W_o": a(d, d, size=0.2),
            "b_o": a(d),
            "ln2_g": 1 + a(d),
            "ln2_b": a(d),
            "W_1": a(d, d_ff),
            "b_1": a(d_ff),
            "W_2": a(d_ff, d, size=0.2),
            "b_2": a(d),
        }
        for _ in range(L)
    ]
    params = {
        "P": P,
        "h": h,
        "W_E": a(P * P * C, d, size=0.1),
        "b_E": a(d),
        "reg": a(R, d),
        "pos": a(n_cls + N, d),
        "blocks": blocks,
        "lnf_g": 1 + a(d),
        "lnf_b": a(d),
        "W_head": a(d, K),
        "b_head": a(K),
    }
    return params | ({"cls": a(d)} if n_cls else {})
