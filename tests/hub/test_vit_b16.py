"""The released ViT-B/16 against its published values, when both the checkpoint and the picture are here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from widgets.checkpoints.loading import load
from widgets.model.library import weights_of
from widgets.model.reference import compare_with_published, is_reference_picture, released_pixels
from widgets.model.trace import trace
from widgets.pictures import decode, open_sample, prepare

PICTURE = os.environ.get("VIT_COURSE_REFERENCE_PICTURE", "")


@pytest.mark.hub("vit-b16")
def test_every_stage_agrees_with_the_library() -> None:
    checkpoint = load("vit-b16")
    pixels = torch.from_numpy(checkpoint.preparation.apply(prepare(open_sample("astronaut"), 16)))[None]
    assert max(row.relative for row in trace(checkpoint, pixels).compare()) < 1e-4


@pytest.mark.hub("vit-b16")
def test_parameters_are_the_published_ones() -> None:
    w = weights_of(load("vit-b16").model)
    assert torch.allclose(w.class_token[:3], torch.tensor([0.010, 0.015, -0.267]), atol=6e-4)
    assert w.head_weight.shape == (1000, 768) and w.layer_norm_eps == 1e-12


if Path(PICTURE).is_file():
    # The picture of two cats (COCO val2017 000000039769) is not ours to ship; its path is given in the environment.

    @pytest.mark.hub("vit-b16")
    def test_every_published_value() -> None:
        pixels = released_pixels(decode(Path(PICTURE).read_bytes(), PICTURE))
        assert is_reference_picture(pixels), "this is another picture, or it is prepared in another way"
        checkpoint = load("vit-b16")
        values = compare_with_published(trace(checkpoint, pixels), weights_of(checkpoint.model))
        assert [value for value in values if not value.agrees] == []
