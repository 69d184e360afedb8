"""`python -m widgets progress`: the progress that notebooks keep on this machine, for whoever would rather type."""

from __future__ import annotations

import sys
from pathlib import Path

from widgets.lesson import progress
from widgets.lesson.chapter_work import standing
from widgets.lesson.contents import contents, work


def main(action: str, file: str | None, really: bool) -> int:
    """Show, save to a file, load from a file, or delete. Returns the exit status."""
    if action in ("save", "load") and not file:
        return _refused(f"{action} needs a file: python -m widgets progress {action} FILE")
    try:
        return {
            "show": _show,
            "save": lambda: _save(file),
            "load": lambda: _load(file),
            "delete": lambda: _delete(really),
        }[action]()
    except OSError as error:
        return _refused(f"{file}: {error.strerror}")


def _show() -> int:
    store = progress.current()
    print(f"Progress in {store.path}")
    for chapter in contents():
        if chapter.path and (todo := work(chapter)):
            print(f"{chapter.number} {chapter.title}: {standing(todo, store).in_words()}")
    return 0


def _save(file: str) -> int:
    Path(file).write_text(progress.current().export(), encoding="utf-8")
    print(f"Saved to {file}.")
    return 0


def _load(file: str) -> int:
    try:
        progress.current().take(Path(file).read_text(encoding="utf-8"))
    except ValueError as problem:  # a picture, say, is no UTF-8 either
        return _refused(f"{file}: {problem}" if "progress" in str(problem) else f"{file}: this is no progress file")
    print(f"Loaded {file}; what was here before is replaced.")
    return 0


def _delete(really: bool) -> int:
    if not really:
        return _refused(
            "This deletes all progress on this machine. Save it first if you may want it back, then add --really."
        )
    progress.current().delete()
    print("Deleted.")
    return 0


def _refused(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1
