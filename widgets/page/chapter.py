"""A notebook of the course as a page: text at once, results as the cells of this visitor finish."""

from __future__ import annotations

import panel as pn

from widgets.kit import prose
from widgets.kit.selection import selection_here
from widgets.lesson import contents
from widgets.lesson.contents import Chapter
from widgets.lesson.fold_answers import fold
from widgets.lesson.progress_sheet import chapter_progress
from widgets.page import address
from widgets.page.frame import frame
from widgets.page.run import Cell, place, run_when_loaded

ONLY_IN_NOTEBOOKS = "notebook"
"""Tag of a cell that a hosted page leaves out: there a visitor cannot write code."""
OPENED = "open"
"""Tag of a cell whose code is the lesson, so a page shows it at once."""


def chapter_page(chapter: Chapter) -> pn.Template:
    """The page of a written chapter, for the visitor whose session is being built."""
    blocks, cells = _blocks(chapter)
    if todo := contents.work(chapter):
        blocks.insert(1, chapter_progress(todo))
    run_when_loaded(f"chapter {chapter.number}", cells)
    previous, following = contents.neighbours(chapter.number)
    return frame(
        chapter.title,
        content=column(blocks),
        eyebrow=f"Chapter {chapter.number}",
        previous=previous,
        following=following,
    )


def column(blocks: list[pn.viewable.Viewable], kept: address.Address | None = None) -> pn.Column:
    """The page's one column, with the address kept beside it: at the selection, unless `kept` is given."""
    return pn.Column(*blocks, kept or address.mirror(selection_here()), sizing_mode="stretch_width", margin=0)


def _blocks(chapter: Chapter) -> tuple[list[pn.viewable.Viewable], list[Cell]]:
    shown: list[tuple[str, str, list[pn.viewable.Viewable]]] = []
    cells: list[Cell] = []
    for part in contents.read(chapter.path).cells:
        tags = part.metadata.get("tags", [])
        if ONLY_IN_NOTEBOOKS in tags:
            continue
        if part.cell_type == "markdown":
            shown.append(("markdown", part.source, [prose.prose(part.source)]))
        elif part.cell_type == "code" and part.source.strip():
            cells.append(Cell(len(cells) + 1, part.source, place(first=not cells)))
            shown.append(("code", part.source, [prose.code_fold(part.source, opened=OPENED in tags), cells[-1].place]))
    return fold(shown), cells
