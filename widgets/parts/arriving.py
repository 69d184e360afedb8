"""Files on their way from a browser, piece by piece."""

from __future__ import annotations

import threading
import time

from widgets.common.refusal import Refused

PATIENCE = 120.0
"""Seconds after its last piece that an unfinished file is kept; the browser gives up long before."""
MOST_AT_ONCE = 4
"""Unfinished files kept at once; the oldest makes room for another."""


class TooLarge(Refused):
    """A file has more bytes than it may have."""


class Interrupted(Refused):
    """A piece is missing, or the file it belongs to was dropped."""


class Arriving:
    """Puts pieces of at most `max_bytes` together. A file that stops coming is dropped by itself."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._files: dict[str, tuple[bytearray, int, float]] = {}  # bytes, next piece, time of the last one
        self._lock = threading.Lock()

    def add(self, upload: str, piece: int, data: bytes) -> bytearray:
        """Add the next piece of a file; returns all of it up to there.

        Raises TooLarge and Interrupted; both drop the file.
        """
        with self._lock:
            whole, wanted, _ = (bytearray(), 0, 0.0) if piece == 0 else self._files.get(upload, (bytearray(), -1, 0.0))
            self._files.pop(upload, None)
            if piece != wanted:
                raise Interrupted(f"piece {piece} came where {wanted} was the next")
            if len(whole) + len(data) > self._max_bytes:
                raise TooLarge(f"over {self._max_bytes} bytes")
            whole += data
            while len(self._files) >= MOST_AT_ONCE:
                del self._files[min(self._files, key=lambda name: self._files[name][2])]
            self._files[upload] = whole, piece + 1, time.monotonic()
        if piece == 0:
            self._look_again(PATIENCE)
        return whole

    def end(self, upload: str) -> None:
        """Forget a file."""
        with self._lock:
            self._files.pop(upload, None)

    def __len__(self) -> int:
        return len(self._files)

    def _look_again(self, seconds: float) -> None:
        timer = threading.Timer(seconds, self._drop_stopped)
        timer.daemon = True
        timer.start()

    def _drop_stopped(self) -> None:
        """Drop what has not grown for PATIENCE seconds, and come back for the rest."""
        now = time.monotonic()
        with self._lock:
            self._files = {name: file for name, file in self._files.items() if now - file[2] < PATIENCE}
            ages = [now - last for _, _, last in self._files.values()]
        if ages:
            self._look_again(PATIENCE - max(ages))
