"""Keeps the progress of a served page in the visitor's browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from widgets.lesson.progress import Progress

NOT_KEPT = "Your browser keeps nothing for this page, so your progress lasts until you close it."
DAMAGED = "Your progress in this browser was damaged. It was set aside, and a new one begun."


class ProgressKeeper(JSComponent):
    """Invisible. Hands the browser's progress to the page's `Progress` once, and every change back to the browser."""

    kept = param.String("", doc="everything, as JSON; empty until the browser's progress has arrived")
    damaged = param.Boolean(False, doc="the browser's progress could not be read: it is to be set aside")

    _esm = Path(__file__).parent / "progress_keeper.js"

    def __init__(self, store: Progress, **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, sizing_mode="fixed", **params)
        self._store = store
        self._arrived = False
        store.watch(self._send)

    def _handle_msg(self, message: dict[str, Any]) -> None:
        self._arrived = True
        if message.get("unavailable"):
            self._store.report(NOT_KEPT)
        elif message.get("text"):
            try:
                self._store.arrive(message["text"])
                return  # the store told everybody, this keeper too
            except ValueError:
                self.damaged = True
                self._store.report(DAMAGED)
        self._send()

    def _send(self) -> None:
        if self._arrived:
            self.kept = self._store.export()
