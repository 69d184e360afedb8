"""The chapters of the course: which are planned, which are written, and what each one says of itself."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from widgets.lesson.chapter_work import work_of

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from widgets.lesson.chapter_work import Work

FOLDER = Path(__file__).resolve().parents[2] / "chapters"
TITLES: dict[str, str] = {
    "00": "First look: one picture through a whole ViT",
    "01": "Why a transformer for pictures",
    "02": "Patchify",
    "03": "Patch embedding",
    "04": "Class token and positions",
    "05": "Self-attention",
    "06": "Multi-head attention",
    "07": "The encoder block",
    "08": "Counting parameters",
    "09": "Compute and memory",
    "10": "Training and fine-tuning",
    "11": "Position interpolation",
    "12": "Inside a trained ViT",
    "13": "The released ViT-B/16, line by line",
    "14": "After ViT",
}


@dataclass(frozen=True)
class Chapter:
    """A chapter as the landing page lists it; `path` is None while it is not written."""

    number: str
    title: str
    question: str = ""
    minutes: int | None = None
    path: Path | None = None

    @property
    def address(self) -> str:
        return f"?chapter={self.number}"


def contents() -> list[Chapter]:
    """Every chapter in order: the planned ones, and whatever else stands in the folder with a number."""
    found = {path.name[:2]: path for path in sorted(FOLDER.glob("[0-9][0-9]_*.ipynb"))}
    return [_chapter(number, found.get(number)) for number in sorted({*TITLES, *found})]


def chapter(number: str) -> Chapter | None:
    """The written chapter of that number ("02" or "2"), else None."""
    wanted = number.strip().zfill(2)
    return next((c for c in contents() if c.number == wanted and c.path), None)


def neighbours(number: str) -> tuple[Chapter | None, Chapter | None]:
    """The written chapters before and after."""
    written = [c for c in contents() if c.path]
    before = [c for c in written if c.number < number]
    after = [c for c in written if c.number > number]
    return (before[-1] if before else None), (after[0] if after else None)


def work(chapter: Chapter) -> Work:
    """The predictions, exercises and quizzes of a written chapter, from the cells of its notebook."""
    return work_of(cell.source for cell in read(chapter.path).cells if cell.cell_type == "code")


def read(path: Path) -> NotebookNode:
    """The notebook, read once for every visitor until the file changes."""
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _read(path: Path, _changed: int) -> NotebookNode:
    import nbformat

    return nbformat.read(path, as_version=4)


def _chapter(number: str, path: Path | None) -> Chapter:
    if path is None:
        return Chapter(number, TITLES[number])
    notebook = read(path)
    said = dict(notebook.metadata.get("vit_course", {}))
    words = "\n\n".join([c.source for c in notebook.cells if c.cell_type == "markdown"][:2])
    return Chapter(
        number,
        said.get("title") or _title(words) or TITLES.get(number, path.stem),
        said.get("question") or _question(words),
        said.get("minutes") or _minutes(words),
        path,
    )


def _title(words: str) -> str:
    heading = re.search(r"^# +(.+)$", words, re.M)
    return re.sub(r"^(chapter )?\d+\W+", "", heading[1].strip(), flags=re.I) if heading else ""


def _question(words: str) -> str:
    """The first line that asks something, without its Markdown."""
    asked = re.search(r"^(?!#)(.*?\?)", words, re.M)
    return re.sub(r"^\s*(the )?question:\s*", "", re.sub(r"[*_`>]", "", asked[1]), flags=re.I).strip() if asked else ""


def _minutes(words: str) -> int | None:
    said = re.search(r"(\d+)\s*min", words)
    return int(said[1]) if said else None


@lru_cache(maxsize=128)
def words_of(widget: str, module: str) -> tuple[str, str]:
    """The `title` and `summary` of a widget's class, read from its source.

    Importing the module instead would load torch, seconds that a list of links must not take.
    """
    source = Path(find_spec(module).origin).read_text(encoding="utf-8")
    found = next(node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == widget)
    said: dict[str, str] = {}
    for line in found.body:
        targets = line.targets if isinstance(line, ast.Assign) else [getattr(line, "target", None)]
        names = [n.id for t in targets for n in getattr(t, "elts", [t]) if isinstance(n, ast.Name)]
        if {"title", "summary"} & set(names):
            value = ast.literal_eval(line.value)
            said |= zip(names, value if isinstance(value, tuple) else [value], strict=True)
    return said.get("title") or widget, said.get("summary", "")
