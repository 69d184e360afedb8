"""Between the exercises, which are NumPy, and `widgets.model`, which is torch: float64 both ways."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np


def tensor(array: np.ndarray) -> Any:
    """A NumPy array as a float64 tensor of its own."""
    import torch

    return torch.from_numpy(np.array(array, dtype=np.float64))


def shape_of(cfg: dict[str, Any]) -> Any:
    """The ViTShape of a counting exercise's cfg."""
    from widgets.model.shape import ViTShape

    return ViTShape(
        image_size=cfg["img"],
        patch_size=cfg["P"],
        num_channels=cfg["C"],
        hidden_size=cfg["d"],
        num_hidden_layers=cfg["L"],
        num_attention_heads=cfg["h"],
        intermediate_size=cfg["d_ff"],
        num_labels=cfg["n_classes"],
        class_token=cfg["cls_token"],
        registers=cfg["n_registers"],
        pool=cfg["pool"],
    )


def numbers(seed: int, *shape: int, spread: float = 1.0, centre: float = 0.0) -> np.ndarray:
    """Normal numbers, the same ones for the same seed, in an array of their own."""
    return _drawn(seed, shape, spread, centre).copy()  # a diagnosis asks for the same ones hundreds of times


@cache
def _drawn(seed: int, shape: tuple[int, ...], spread: float, centre: float) -> np.ndarray:
    return np.random.default_rng(seed).normal(centre, spread, shape)
