"""The reader's own picture: chosen, dropped or pasted, checked in the browser first, sent in pieces."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import param

from widgets.parts.part import Part


class PictureUpload(Part):
    """Takes a picture file and hands its bytes to `on_file(data, name)`.

    A file goes in pieces of 256 KB: one large message would be over the limit of some servers, which then close
    the connection without a word. `max_bytes` is checked in the browser, before anything is sent, and here again.
    """

    max_bytes = param.Integer(20 * 2**20, bounds=(1, None))
    button = param.String("Use your own picture")

    _esm = Path(__file__).parent / "picture_upload.js"

    def __init__(self, on_file: Callable[[bytes, str], None], **params: Any) -> None:
        super().__init__(**params)
        self._on_file = on_file
        self._pieces: list[bytes] = []

    def _handle_msg(self, message: dict[str, Any]) -> None:
        """Collect one piece (base64); at the last one hand the whole file on. A file too large is dropped."""
        if message["piece"] == 0:
            self._pieces = []
        self._pieces.append(base64.b64decode(message["data"]))
        if sum(map(len, self._pieces)) > self.max_bytes:
            self._pieces = []
            self.refuse(f"That file is larger than the {self.max_bytes // 2**20} MB a picture may have here.")
        elif message["last"]:
            data, self._pieces = b"".join(self._pieces), []
            self._on_file(data, message["name"])

    def refuse(self, sentence: str) -> None:
        """Say beside the button why a file was not taken."""
        self.param.update(status="refused", message=sentence)

    def accept(self, sentence: str = "") -> None:
        """Say that a file was taken."""
        self.param.update(status="ready", message=sentence)
