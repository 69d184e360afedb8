"""The missing 24,576: the exercise's own description, built with PyTorch, has the count it says."""

from __future__ import annotations

import torch
from torch import nn

from tests.model.small_models import counted
from widgets.lesson.exercises.missing_parameters import expected
from widgets.model.count import parameters
from widgets.model.shape import FAMILY


def test_the_description_has_the_count_it_says() -> None:
    with torch.device("meta"):
        block = [nn.LayerNorm(768), nn.Linear(768, 2304, bias=False), nn.Linear(768, 768), nn.LayerNorm(768), nn.Linear(768, 3072), nn.Linear(3072, 768)]
        ends = [nn.LayerNorm(768), nn.Linear(768, 768), nn.LayerNorm(768), nn.Embedding(197, 768), nn.LayerNorm(768), nn.Linear(768, 1000)]
        total = 768 + sum(map(counted, ends)) + 12 * sum(map(counted, block))
    assert total == 86_543_080
    assert sum(expected().values()) == total - parameters(FAMILY["B/16"])["total"] == -24_576
    assert expected()["attention"] == -27_648 and expected()["patch_embedding"] == 3_072
