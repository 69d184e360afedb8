"""What every committed notebook must be, so that nbval compares it, GitHub shows it and every reader may run it."""

from __future__ import annotations

import ast
import copy
import re
from pathlib import Path

import nbformat
import pytest

from widgets.lesson import contents
from widgets.lesson.chapter_work import work_of
from widgets.page import build

NOTEBOOKS = sorted(contents.FOLDER.glob("*.ipynb"))
LARGEST = 200_000  # bytes
LINES = 10
ROOT = contents.FOLDER.parent
PATHS = re.compile(r"/(home|Users|root|tmp|var|work|usr|opt)/\w|[A-Z]:\\\\?\w|site-packages|" + re.escape(str(ROOT)))

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_of(path: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def test_there_are_chapters() -> None:
    assert NOTEBOOKS, "chapters/ holds no notebook"


@each
def test_is_executed_from_top_to_bottom(path: Path) -> None:
    """nbval does not compare a cell whose count is null."""
    counts = [cell.execution_count for cell in code_of(path)]
    assert counts == list(range(1, len(counts) + 1))


@each
def test_is_in_normal_form(path: Path) -> None:
    """As `make chapters` writes it, so that a second run changes nothing."""
    notebook = nbformat.read(path, as_version=4)
    assert nbformat.writes(build.slim(copy.deepcopy(notebook))) + "\n" == path.read_text(encoding="utf-8")


@each
def test_is_small(path: Path) -> None:
    assert path.stat().st_size < LARGEST


@each
def test_has_no_magics_and_skips_nothing(path: Path) -> None:
    for cell in code_of(path):
        ast.parse(cell.source)  # a magic, a shell escape or a "?" is no Python
        assert "NBVAL_" not in cell.source and not {t for t in cell.metadata.get("tags", []) if "nbval" in t}
        assert "raises-exception" not in cell.metadata.get("tags", [])


@each
def test_prints_no_path_and_no_error(path: Path) -> None:
    for cell in code_of(path):
        for output in cell.outputs:
            assert output.output_type != "error", cell.source
            said = output.get("text", "") + output.get("data", {}).get("text/plain", "")
            assert not PATHS.search(said), said


@each
def test_cells_are_short(path: Path) -> None:
    long = [cell.source for cell in code_of(path) if len(cell.source.splitlines()) > LINES]
    assert not long, f"code cells of more than {LINES} lines: plumbing belongs in widgets"


@each
def test_text_fetches_nothing(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            assert not re.search(r"!\[[^]]*\]\(http|<(img|script|iframe|link)\b", cell.source), cell.source


@each
def test_landing_page_knows_it(path: Path) -> None:
    """Title, question and minutes are found in the notebook."""
    chapter = contents.chapter(path.name[:2])
    assert chapter and chapter.title and chapter.question.endswith("?") and chapter.minutes


CHAPTER = re.compile(
    r"\b[Cc]hapters? (\d\d(?:(?:, | and | to | or )\d\d)*)|\| (\d\d) [^|]+\|$", re.M
)  # or a table's column
NOT_WRITTEN = re.compile(r"[^.\n]*\bnot written yet\b")


@each
def test_sends_no_reader_to_a_chapter_that_is_not_written_without_saying_so(path: Path) -> None:
    text = "\n\n".join(c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "markdown")
    written = {chapter.number for chapter in contents.contents() if chapter.path}
    named = {number for found in CHAPTER.findall(text) for number in re.findall(r"\d\d", " ".join(found))}
    said = {number for sentence in NOT_WRITTEN.findall(text) for number in re.findall(r"\b\d\d\b", sentence)}
    late, unsaid = sorted(said & written), sorted(named - written - said)
    assert not late, f"its text says that chapters {late} are not written yet, and they are: mend the sentence there"
    assert not unsaid, f"it sends the reader to chapters {unsaid}: say that they are not written yet"


@each
def test_no_section_begins_inside_a_cell_that_waits_for_a_guess(path: Path) -> None:
    """A page folds whole cells up to the next that starts with a heading: a section inside one would be folded away
    too."""
    waiting = False
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            waiting = waiting or bool(work_of([cell.source]).predictions)
        elif cell.cell_type == "markdown" and waiting:
            waiting = not cell.source.lstrip().startswith("#")
            assert not (waiting and re.search(r"^## ", cell.source, re.M)), cell.source
