"""Shapes without a forward pass, against the tensors of a real one."""

from __future__ import annotations

import pytest
import torch

from tests.model.small_models import library_vit
from widgets.model.shape import FAMILY, ViTShape
from widgets.model.shape_trace import shape_trace
from widgets.model.trace import trace


def test_every_shape_is_that_of_the_real_pass() -> None:
    model = library_vit()
    t = trace(model, torch.zeros(3, 3, 28, 28))
    layer = t.layers[0]
    real = {
        "x": t.pixels,
        "x_p": t.patches,
        "x_p E": t.patch_embeddings,
        "z_0": t.z0,
        "LN(z)": layer.ln1,
        "q, k, v": layer.q,
        "A": layer.weights,
        "A v": layer.heads,
        "z'": layer.z_prime,
        "hidden": layer.pre_activation,
        "z_l": layer.z,
        "LN(z_L)": t.normalised,
        "y": t.y,
        "logits": t.logits,
    }
    stages = {stage.symbol: stage for stage in shape_trace(ViTShape.from_checkpoint(model), 3)}
    assert {symbol: stage.dims for symbol, stage in stages.items()} == {
        symbol: tuple(value.shape) for symbol, value in real.items()
    }
    assert all(stage.symbols.count(",") == len(stage.dims) - 1 for stage in stages.values())


def test_scores_of_l14_at_336() -> None:
    from dataclasses import replace

    shape = replace(FAMILY["L/16"], patch_size=14, image_size=336)
    scores = next(stage for stage in shape_trace(shape, 32) if stage.symbol == "A")
    assert scores.dims == (32, 16, 577, 577) and round(scores.numbers / 1e6) == 170


def test_no_class_token_no_head_registers() -> None:
    by = {name: {s.symbol: s for s in shape_trace(FAMILY[name])} for name in ("g/14", "DINOv3-7B")}
    assert by["g/14"]["z_0"].dims == (1, 256, 1408) and "logits" not in by["g/14"]
    assert by["DINOv3-7B"]["z_0"].dims == (1, 201, 4096) and "registers" in by["DINOv3-7B"]["z_0"].step
    assert by["DINOv3-7B"]["hidden"].step.startswith("MLP, gate")


@pytest.mark.parametrize("batch", [0, -1, 1.5, True])
def test_a_batch_is_one_or_more(batch: object) -> None:
    with pytest.raises(ValueError, match="batch must be"):
        shape_trace(ViTShape(), batch)
