"""What happens to a checkpoint between source and cache: read, folded where needed, written as safetensors."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from widgets.checkpoints.sources import SourceFailed, hub_files, package_file
from widgets.common.refusal import Refused

Source = Callable[[Path], dict[str, Any]]
"""Writes model.safetensors and config.json into the folder it is given, and returns their provenance.

It may use files beside that folder as scratch. Raises SourceFailed.
"""


def sources_of(facts: dict[str, Any]) -> list[Source]:
    """Return the sources of a checkpoint in the order they are tried: the hub, then the Python package."""
    offered = {"hub": _from_hub, "package": _from_package}
    return [partial(source, facts) for key, source in offered.items() if key in facts]


def _from_hub(facts: dict[str, Any], folder: Path) -> dict[str, Any]:
    hub, title = facts["hub"], facts["title"]
    files, total = hub_files(hub)
    try:
        folded = _take_hub_files(files, folder)
    except (ValueError, KeyError, RuntimeError) as error:
        raise SourceFailed(f"what the model hub gave for {hub['repository']} does not fit ({error})") from error
    remark = ", with its LayerScale folded into the weights" if folded else ""
    return {
        "source": f"model hub, {hub['repository']}",
        "revision": hub["revision"],
        "licence": hub["licence"],
        "sha256": total,
        "sentence": f"{title}, from the model hub ({hub['repository']} at {hub['revision'][:7]}){remark}.",
    }


def _take_hub_files(files: dict[str, Path], folder: Path) -> bool:
    """Write the hub's files as a `ViTModel` or a classifier, and return whether LayerScale was folded."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from widgets.checkpoints.fold_weights import open_copy, shape_of_dinov2, vit_from_dinov2

    config = json.loads(files["config.json"].read_text(encoding="utf-8"))
    if config["model_type"] == "dinov2":
        try:
            state = load_file(files["model.safetensors"])
        except SafetensorError as error:
            raise Refused(f"not a safetensors file: {error}") from error
        _save(vit_from_dinov2(state, shape_of_dinov2(config)), folder)
        return True
    for name, path in files.items():  # the paper's ViT already
        shutil.copyfile(path, folder / name)
    open_copy(folder)
    return False


def _from_package(facts: dict[str, Any], folder: Path) -> dict[str, Any]:
    package, title = facts["package"], facts["title"]
    scratch = folder.parent / "package"
    scratch.mkdir()
    graph = package_file(package, scratch)

    from widgets.checkpoints.fold_weights import state_from_onnx, vit_from_dinov2

    try:
        state = state_from_onnx(graph, package["class_row"], package["patch_rows"])
        _save(vit_from_dinov2(state, facts["shape"]), folder)
    except (KeyError, RuntimeError) as error:
        raise SourceFailed(f"the graph in {package['name']} does not fit ({error})") from error
    carrier = f"{package['name']} {package['version']}"
    return {
        "source": f"Python package {carrier}",
        "revision": package["version"],
        "licence": package["licence"],
        "sha256": package["file_sha256"],
        "sentence": (
            f"{title}, as carried by the Python package {carrier}, which adds a decoder of its own and does not say"
            " whether the ViT's weights were tuned with it."
        ),
    }


def _save(model: Any, folder: Path) -> None:
    """Write a model under the hub's names, which stay when the library renames its modules."""
    from safetensors import SafetensorError

    from widgets.checkpoints.fold_weights import quiet

    try:
        with quiet():
            model.save_pretrained(folder)
    except SafetensorError as error:  # a full disk, seen from the Rust side
        raise OSError(str(error)) from error
