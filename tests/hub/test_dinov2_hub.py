"""How far the backbone that the Python package carries is from the hub's own: measured, and never assumed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from transformers import Dinov2Model

from tests.hub.conftest import cached
from widgets.checkpoints.fold_weights import shape_of_dinov2, state_from_onnx, vit_from_dinov2
from widgets.checkpoints.sources import hub_files
from widgets.common.facts import published

NAME = "dinov2-small"
pytestmark = pytest.mark.hub(NAME)


def from_hub() -> torch.nn.Module:
    files, total = hub_files(published("checkpoints")[NAME]["hub"])
    assert files["model.safetensors"] == cached(NAME)
    config = json.loads(files["config.json"].read_text())
    return vit_from_dinov2(load_file(files["model.safetensors"]), shape_of_dinov2(config))


def test_hub_file_folds_into_the_shape_of_the_course() -> None:
    folder = cached(NAME).parent
    picture = torch.randn(1, 3, 518, 518)
    with torch.no_grad():
        expected = Dinov2Model.from_pretrained(folder).eval()(picture).last_hidden_state
        got = from_hub()(picture).last_hidden_state
    assert (got - expected).abs().max() < 1e-4
    assert sum(p.numel() for p in from_hub().parameters()) == published("dinov2_small")["parameters_folded"]


def test_difference_between_the_package_and_the_hub(
    original_graph: Path, record_property: Callable[[str, object], None]
) -> None:
    facts = published("checkpoints")[NAME]
    package = facts["package"]
    state = state_from_onnx(original_graph, package["class_row"], package["patch_rows"])
    theirs = vit_from_dinov2(state, facts["shape"])
    hub = from_hub().state_dict()
    differences = {name: (value - hub[name]).abs().max().item() for name, value in theirs.state_dict().items()}
    farthest = max(differences, key=differences.__getitem__)
    print(f"\nlargest difference of the package's weights from the hub's: {differences[farthest]:.3g} in {farthest}")
    record_property("largest_difference", differences[farthest])
    assert differences.keys() == hub.keys() and all(torch.isfinite(torch.tensor(list(differences.values()))))
