"""Progress in a file of the reader's own machine."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from widgets.lesson.progress_record import Progress, empty, validated

FILE = "progress.json"


class ProgressFile(Progress):
    """Progress in a file: written whole or not at all; two kernels may write, one after the other."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.path = folder / FILE

    def _load(self) -> dict[str, Any]:
        try:
            self._data = validated(json.loads(self.path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            self._data = self._data if self.notice else empty()
        except (ValueError, UnicodeDecodeError):
            self._set_aside()
        except OSError as error:
            self._report(f"Your progress could not be read ({error.strerror}); it is kept until you close this.")
        return self._data

    def _alter(self, alter: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        from filelock import FileLock, Timeout

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.with_suffix(".lock"), timeout=5):
                data = self._load()
                alter(data)
                self._write(data)
        except (OSError, Timeout) as error:
            why = getattr(error, "strerror", None) or "another program holds it"
            self._report(f"Your progress could not be written ({why}); it is kept until you close this.")
            alter(self._data)
        self._tell()
        return self._data

    def _write(self, data: dict[str, Any]) -> None:
        unfinished = self.path.with_suffix(f".{os.getpid()}.tmp")
        unfinished.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        os.replace(unfinished, self.path)

    def _set_aside(self) -> None:
        aside = self.path.with_name(f"progress.damaged-{datetime.now():%Y%m%d-%H%M%S-%f}.json")
        os.replace(self.path, aside)
        self._data = empty()
        self._report(f"Your progress file was damaged. It was set aside as {aside}, and a new one begun.")

    def _report(self, sentence: str) -> None:
        if sentence != self.notice:
            self.notice = sentence
            warnings.warn(sentence, stacklevel=2)
