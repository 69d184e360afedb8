"""A child process that cannot outlive us, its progress on stderr, and the sum of a file: what fetching stands on."""

from __future__ import annotations

import hashlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from tqdm import tqdm


def sha256(path: Path) -> str:
    """Return the sha256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def say(sentence: str) -> None:
    """Tell the reader, on stderr and without breaking a progress bar."""
    tqdm.write(sentence, file=sys.stderr)


@contextmanager
def child_process(command: list[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Run a child process that does not outlive this block, whatever ends it."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)
    try:
        yield child
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
        if child.stdout:
            child.stdout.close()


def lines_of(stream: IO[bytes] | None) -> queue.Queue[bytes]:
    """Read a pipe in a thread, since a pipe has no timeout on every platform; an empty line marks the end."""
    assert stream is not None
    lines: queue.Queue[bytes] = queue.Queue()

    def read() -> None:
        try:
            for line in stream:
                lines.put(line)
        except ValueError:  # closed while reading: the parent gave up
            return
        lines.put(b"")

    threading.Thread(target=read, daemon=True).start()
    return lines


def progress_bar(title: str) -> tqdm:
    return tqdm(desc=title, unit="B", unit_scale=True, unit_divisor=1000, leave=False, delay=1, file=sys.stderr)


def advance(bar: tqdm, done: float, total: float | None) -> None:
    if total and total > 100_000:  # config.json would fill the bar before the weights begin
        bar.total = total
        bar.update(max(0, done - bar.n))


def folder_size(folder: Path) -> int:
    """Bytes of all files below a folder that another program may be emptying: what is gone by then counts nothing."""
    size = 0
    for inside, _, names in os.walk(folder):  # unlike rglob, it passes over a folder that was removed in between
        for name in names:
            with suppress(OSError):
                size += os.stat(os.path.join(inside, name)).st_size
    return size
