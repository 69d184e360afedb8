"""Quiz questions: data in `data/quizzes/NN.yml`, read and validated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from widgets.common.facts import DATA

FOLDER = DATA / "quizzes"
AT_LEAST = 5


@dataclass(frozen=True)
class Option:
    """One answer, whether it is right, and why it is or is not."""

    text: str
    right: bool
    why: str


@dataclass(frozen=True)
class QuizQuestion:
    """A question with exactly one right option. The id stays when the wording changes."""

    id: str
    text: str
    options: tuple[Option, ...]

    @property
    def right(self) -> int:
        """Index of the right option."""
        return next(i for i, option in enumerate(self.options) if option.right)


def chapters() -> list[str]:
    """Numbers of the chapters that have a quiz."""
    return sorted(path.stem for path in FOLDER.glob("*.yml"))


@cache
def questions(chapter: str) -> tuple[QuizQuestion, ...]:
    """The questions of a chapter, "02" for example. Raises ValueError that names the file and what is wrong."""
    path = FOLDER / f"{chapter}.yml"
    if not path.is_file():
        raise ValueError(f"there is no quiz for chapter {chapter!r}: choose one of {', '.join(chapters())}")
    return read(path)


def read(path: Path) -> tuple[QuizQuestion, ...]:
    """The questions of one file. Raises ValueError that names the question and what is wrong."""
    import yaml

    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict) or not isinstance(data.get("questions"), list):
        raise ValueError(f"{path.name}: needs a list called questions")
    found = tuple(_question(path.name, entry) for entry in data["questions"])
    if len(found) < AT_LEAST:
        raise ValueError(f"{path.name}: has {len(found)} questions where {AT_LEAST} are the least")
    if len({q.id for q in found}) != len(found):
        raise ValueError(f"{path.name}: two questions have the same id")
    return found


def _question(file: str, entry: Any) -> QuizQuestion:
    name = entry.get("id") if isinstance(entry, dict) else None
    if not name or not _text(entry.get("question")):
        raise ValueError(f"{file}: every question needs an id and a question; {entry!r} lacks one")
    options = tuple(_option(f"{file}, {name}", option) for option in entry.get("options") or [])
    if len(options) < 3:
        raise ValueError(f"{file}, {name}: needs three options or more, not {len(options)}")
    if sum(option.right for option in options) != 1:
        raise ValueError(f"{file}, {name}: exactly one option must say right: true")
    if len({option.text for option in options}) != len(options):
        raise ValueError(f"{file}, {name}: two options read the same")
    return QuizQuestion(name, entry["question"].strip(), options)


def _option(where: str, entry: Any) -> Option:
    if not isinstance(entry, dict) or not _text(entry.get("text")) or not _text(entry.get("why")):
        raise ValueError(f"{where}: every option needs a text and a why, as text in quotes; {entry!r} lacks one")
    if unknown := set(entry) - {"text", "why", "right"}:
        raise ValueError(f"{where}: an option has a field nobody reads: {', '.join(unknown)}")
    return Option(entry["text"].strip(), entry.get("right") is True, entry["why"].strip())


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
