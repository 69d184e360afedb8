"""The reader's own picture: chosen, dropped or pasted, checked in the browser first, sent in pieces."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import panel as pn
import param

from widgets.common.failure import FAILED, log_failure
from widgets.parts.arriving import Arriving, Interrupted, TooLarge
from widgets.parts.part import Part
from widgets.pictures.uploads import MOST_BYTES

STOPPED = "The file stopped coming part of the way. Choose it again."


class PictureUpload(Part):
    """Takes a picture file and hands its bytes to `on_file(data, name)`.

    A file goes in pieces of 256 KB, each of them acknowledged, and few of them ahead of that: what waits to be sent
    to a notebook is joined into one message, and a large message is over the limit of some servers, which then close
    the connection without a word. `max_bytes` is checked in the browser, before anything is sent, and here again.
    """

    max_bytes = param.Integer(MOST_BYTES, bounds=(1, None))
    button = param.String("Use your own picture")
    patience = param.Number(
        30.0, bounds=(0, None), doc="seconds without an acknowledgement after which nobody is thought to listen"
    )

    _esm = Path(__file__).parent / "picture_upload.js"

    def __init__(self, on_file: Callable[[bytes, str], None], **params: Any) -> None:
        super().__init__(**params)
        self._on_file = on_file
        self._arriving = Arriving(self.max_bytes)

    def _handle_msg(self, message: dict[str, Any]) -> None:
        """Collect and acknowledge one piece (base64); after the last one hand the whole file on."""
        with self._answered(message.get("upload") if isinstance(message, dict) else None) as upload:
            whole = self._arriving.add(upload, message["piece"], base64.b64decode(message["data"], validate=True))
            self._send_msg({"upload": upload, "received": message["piece"]})
            if message["last"]:
                self._arriving.end(upload)
                # in the next round of a server's loop: the acknowledgement leaves before a long look at the file
                pn.state.execute(partial(self._hand_on, upload, bytes(whole), str(message["name"])), schedule=True)

    def _hand_on(self, upload: str, data: bytes, name: str) -> None:
        with self._answered(upload):
            self._on_file(data, name)
            self._send_msg({"upload": upload, "over": True})

    @contextmanager
    def _answered(self, upload: Any) -> Iterator[Any]:
        """Whatever goes wrong becomes a sentence here: what left would stand in the log with the reader's picture."""
        try:
            yield upload
            return
        except TooLarge:
            self.refuse(f"That file is larger than the {self.max_bytes / 1e6:.0f} MB a picture may have here.")
        except Interrupted:
            self.refuse(STOPPED)
        except Exception as trouble:
            log_failure(trouble, type(self).__name__)
            self.refuse(FAILED)  # not as "failed", which would hide the button: another file may do
        self._send_msg({"upload": upload, "over": True})

    def refuse(self, sentence: str) -> None:
        """Say beside the button why a file was not taken."""
        self.param.update(status="refused", message=sentence)

    def accept(self, sentence: str = "") -> None:
        """Say that a file was taken."""
        self.param.update(status="ready", message=sentence)
