"""One forward pass for all widgets: kept, shared between threads, and refused where it would fill the memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import torch

from widgets.model.checkpoints import CheckpointMissing, load
from widgets.model.pictures import open_sample
from widgets.page import reading


def test_a_pass_is_made_once_and_is_the_librarys(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    whole = reading._pass
    monkeypatch.setattr(reading, "_kept", type(reading._kept)())
    monkeypatch.setattr(reading, "_pass", lambda *what: made.append(what) or whole(*what))
    cat = open_sample("cat")
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: reading.read("dinov2-small", cat), range(4)))
    assert len(made) == 1 and all(one is found[0] for one in found)
    with torch.no_grad():
        theirs = load("dinov2-small", found[0].pixels.shape[1:]).model(pixel_values=found[0].x).last_hidden_state
    assert torch.allclose(found[0].trace.normalised, theirs, atol=1e-3)


def test_only_the_last_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_kept", type(reading._kept)())
    monkeypatch.setattr(reading, "_pass", lambda name, picture: (name, picture.name))
    for name in ("cat", "coffee", "rocket", "coffee"):
        reading.read("dinov2-small", open_sample(name))
    assert [name for _, name in reading._kept.values()] == ["rocket", "coffee"]


def test_a_picture_that_would_fill_the_memory_is_refused_in_words() -> None:
    long = replace(open_sample("cat"), name="yours", rgb=np.zeros((100, 1500, 3), np.uint8))
    with pytest.raises(ValueError, match="so long and narrow that DINOv2 ViT-S/14 cuts it into .* patches"):
        reading.read("dinov2-small", long)


def test_what_is_not_here_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_kept", type(reading._kept)())
    monkeypatch.setattr("widgets.model.checkpoints.available", list)
    with pytest.raises(CheckpointMissing, match="python -m widgets fetch dinov2-small"):
        reading.read("dinov2-small", open_sample("cat"))
    with pytest.raises(ValueError, match="no checkpoint called"):
        reading.read("resnet", open_sample("cat"))
