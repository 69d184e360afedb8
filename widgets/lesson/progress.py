"""What a reader has done: passed checks, quiz scores, predictions. One JSON file, in the reader's own folder."""

from __future__ import annotations

import copy
import json
import os
import sys
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FOLDER = "VIT_COURSE_PROGRESS"
"""Environment variable: the folder to keep progress in, instead of the user's data folder."""
FILE = "progress.json"
VERSION = 1
SECTIONS = ("exercises", "quizzes", "predictions")


def empty() -> dict[str, Any]:
    """Progress of somebody who has not begun."""
    return {"version": VERSION, **{section: {} for section in SECTIONS}}


def validated(data: Any) -> dict[str, Any]:
    """Progress as it was read from somewhere. Raises ValueError when it is no progress of this course."""
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise ValueError(f"this is no progress file of the course: it needs \"version\": {VERSION}")
    for section in SECTIONS:
        entries = data.get(section, {})
        if not isinstance(entries, dict) or not all(isinstance(e, dict) for e in entries.values()):
            raise ValueError(f"this progress file is damaged: {section!r} must hold one object an id")
    return {"version": VERSION, **{section: data.get(section, {}) for section in SECTIONS}}


def now() -> str:
    """The time of an entry, to the second, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Progress:
    """Progress in memory: of a page of the hosted course, and what the one in a file is made of.

    An entry is found by its section and the id of its exercise, quiz or prediction, never by its place in a
    chapter, so that it survives a changed chapter.
    """

    def __init__(self) -> None:
        self._data = empty()
        self._watchers: list[Callable[[], None]] = []
        self.notice = ""
        """A sentence for the reader when something about the progress itself went wrong."""

    def read(self, section: str, id: str) -> dict[str, Any]:
        """A copy of one entry; {} where there is none."""
        return copy.deepcopy(self._load()[section].get(id, {}))

    def everything(self) -> dict[str, Any]:
        """A copy of all entries."""
        return copy.deepcopy(self._load())

    def change(self, section: str, id: str, alter: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Let `alter` change one entry in place, keep it, and return it."""
        def one(data: dict[str, Any]) -> None:
            alter(data[section].setdefault(id, {}))

        return copy.deepcopy(self._alter(one)[section][id])

    def forget(self, section: str, id: str) -> None:
        """Drop one entry."""
        self._alter(lambda data: data[section].pop(id, None))

    def record_check(self, id: str, passed: bool) -> None:
        """Count a check; once passed, an exercise stays passed."""
        def alter(entry: dict[str, Any]) -> None:
            entry["checks"] = entry.get("checks", 0) + 1
            if passed:
                entry.setdefault("passed", now())

        self.change("exercises", id, alter)

    def export(self) -> str:
        """All of it as JSON text, for a file."""
        return json.dumps(self._load(), indent=1, sort_keys=True) + "\n"

    def take(self, text: str) -> None:
        """Replace everything by an exported text. Raises ValueError, and changes nothing, when it is none."""
        try:
            data = validated(json.loads(text))
        except json.JSONDecodeError as error:
            raise ValueError("this is no progress file of the course: it is not JSON") from error
        self._alter(lambda kept: kept.update(data))

    def delete(self) -> None:
        """Forget everything."""
        self._alter(lambda data: data.update(empty()))

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` after every change, until the function that comes back is called."""
        self._watchers.append(callback)
        return lambda: self._watchers.remove(callback) if callback in self._watchers else None

    def _load(self) -> dict[str, Any]:
        return self._data

    def _alter(self, alter: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        alter(self._data)
        self._tell()
        return self._data

    def _tell(self) -> None:
        for callback in list(self._watchers):
            callback()


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


_files: dict[Path, ProgressFile] = {}
_pages: dict[Any, Progress] = {}


def current() -> Progress:
    """The progress of whoever is here: of the visitor on a served page, else of the user of this machine."""
    if (document := served_page()) is not None:
        if document not in _pages:
            _pages[document] = Progress()
            document.on_session_destroyed(lambda context: _pages.pop(document, None))
        return _pages[document]
    folder = _folder()
    if folder not in _files:
        _files[folder] = ProgressFile(folder)
    return _files[folder]


def served_page() -> Any:
    """The Bokeh document of the served page this runs for; None in a notebook, a terminal or a script.

    On a served page no visitor's code runs, and nothing of a visitor is kept on the server.
    """
    panel = sys.modules.get("panel")
    document = panel.state.curdoc if panel is not None else None
    return document if document is not None and document.session_context is not None else None


def _folder() -> Path:
    if chosen := os.environ.get(FOLDER):
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_data_dir("vit-course", appauthor=False))
