"""One forward pass for all widgets: kept, shared between threads, and refused where it would fill the memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import torch

from widgets.checkpoints.loading import CheckpointMissing, load
from widgets.experiments import kept_pass
from widgets.pictures import open_sample


def test_a_pass_is_made_once_and_is_the_librarys(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    whole = kept_pass._pass
    monkeypatch.setattr(kept_pass, "_kept", type(kept_pass._kept)())
    monkeypatch.setattr(kept_pass, "_pass", lambda *what: made.append(what) or whole(*what))
    cat = open_sample("cat")
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: kept_pass.read("dinov2-small", cat), range(4)))
    assert len(made) == 1 and all(one is found[0] for one in found)
    with torch.no_grad():
        theirs = load("dinov2-small", found[0].pixels.shape[1:]).model(pixel_values=found[0].x).last_hidden_state
    assert torch.allclose(found[0].trace.normalised, theirs, atol=1e-3)


def test_only_the_last_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_pass, "_kept", type(kept_pass._kept)())
    monkeypatch.setattr(kept_pass, "_pass", lambda name, picture: (name, picture.name))
    for name in ("cat", "coffee", "rocket", "coffee"):
        kept_pass.read("dinov2-small", open_sample(name))
    assert [name for _, name in kept_pass._kept.values()] == ["rocket", "coffee"]


def test_a_picture_that_would_fill_the_memory_is_refused_in_words() -> None:
    long = replace(open_sample("cat"), name="yours", rgb=np.zeros((100, 1500, 3), np.uint8))
    with pytest.raises(ValueError, match=r"so long and narrow that DINOv2 ViT-S/14 cuts it into .* patches"):
        kept_pass.read("dinov2-small", long)


def test_what_is_not_here_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_pass, "_kept", type(kept_pass._kept)())
    monkeypatch.setattr("widgets.checkpoints.loading.available", list)
    with pytest.raises(CheckpointMissing, match="python -m widgets fetch dinov2-small"):
        kept_pass.read("dinov2-small", open_sample("cat"))
    with pytest.raises(ValueError, match="no checkpoint called"):
        kept_pass.read("resnet", open_sample("cat"))
