"""One reader's progress: its entries, its export, who is told of a change, and what makes a text valid progress."""

from __future__ import annotations

import copy
import inspect
import json
import random
import weakref
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

VERSION = 1
SEEDS = 2**31
SECTIONS = ("exercises", "quizzes", "predictions")


def empty() -> dict[str, Any]:
    """Progress of somebody who has not begun."""
    return {"version": VERSION, **{section: {} for section in SECTIONS}}


def validated(data: Any) -> dict[str, Any]:
    """Progress as it was read from somewhere. Raises ValueError when it is no progress of this course."""
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise ValueError(f'this is no progress file of the course: it needs "version": {VERSION}')
    for section in SECTIONS:
        entries = data.get(section, {})
        if not isinstance(entries, dict) or not all(isinstance(e, dict) for e in entries.values()):
            raise ValueError(f"this progress file is damaged: {section!r} must hold one object an id")
    seed = {"seed": data["seed"]} if isinstance(data.get("seed"), int) else {}
    return {"version": VERSION, **{section: data.get(section, {}) for section in SECTIONS}, **seed}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError("this is no progress file of the course: it is not JSON") from error


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
        self._watchers: list[Callable[[], Callable[[], None] | None]] = []
        self._touched: set[tuple[str, str]] = set()
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
        self._touched.add((section, id))

        def one(data: dict[str, Any]) -> None:
            alter(data[section].setdefault(id, {}))

        return copy.deepcopy(self._alter(one)[section][id])

    def forget(self, section: str, id: str) -> None:
        """Drop one entry."""
        self._touched.add((section, id))
        self._alter(lambda data: data[section].pop(id, None))

    def seed(self) -> int:
        """A number of this reader's own, drawn when it is first asked for: it orders the options of the quizzes."""
        if (kept := self._load().get("seed")) is not None:
            return kept
        drawn = random.SystemRandom().randrange(SEEDS)
        return self._alter(lambda data: data.setdefault("seed", drawn))["seed"]

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
        data = validated(_parsed(text))
        self._alter(lambda kept: kept.update(data))

    def arrive(self, text: str) -> None:
        """Put what was kept elsewhere beneath what was done here before it came. Raises ValueError as `take` does."""
        merged, mine = validated(_parsed(text)), self.everything()
        for section, id in self._touched:
            if id in mine[section]:
                merged[section][id] = {**merged[section].get(id, {}), **mine[section][id]}
            else:
                merged[section].pop(id, None)
        self._touched.clear()
        self._alter(lambda kept: kept.update(merged))

    def delete(self) -> None:
        """Forget everything."""
        self._alter(lambda data: (data.clear(), data.update(empty())))

    def report(self, sentence: str) -> None:
        """Say that something is wrong with the progress itself."""
        self.notice = sentence
        self._tell()

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` after every change, until the function that comes back is called.

        A method is held weakly: it is forgotten with its object.
        """
        held = weakref.WeakMethod(callback) if inspect.ismethod(callback) else lambda: callback
        self._watchers.append(held)
        return lambda: self._watchers.remove(held) if held in self._watchers else None

    def _load(self) -> dict[str, Any]:
        return self._data

    def _alter(self, alter: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        alter(self._data)
        self._tell()
        return self._data

    def _tell(self) -> None:
        for held in list(self._watchers):
            if (callback := held()) is not None:
                callback()
            else:
                self._watchers.remove(held)
