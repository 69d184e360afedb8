"""A work has one year in the whole course, in the lists of sources and where the text names it."""

from __future__ import annotations

import re
from collections import defaultdict

import nbformat

from widgets.lesson import contents

LISTED = re.compile(
    r"(?P<who>[A-Z]\w+)(?: et al\.| and \w+|, \w+ and \w+)?, \*[^*]+\*[^.;]*?(?P<year>(?:19|20)\d\d)(?:,"
    r" arXiv:(?P<id>\d{4}\.\d{4,5}))?"
)
NAMED = re.compile(r"(?P<who>[A-Z]\w+) et al\.,? \(?(?P<year>(?:19|20)\d\d)\b")


def texts() -> dict[str, str]:
    return {
        path.name[:2]: "\n".join(
            cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"
        )
        for path in sorted(contents.FOLDER.glob("*.ipynb"))
    }


def test_a_work_has_one_year() -> None:
    years: dict[str, set[str]] = defaultdict(set)
    for text in texts().values():
        for found in LISTED.finditer(text):
            if found["id"]:
                years[f"{found['who']} {found['id']}"].add(found["year"])
    assert len(years) > 15 and not {work: found for work, found in years.items() if len(found) > 1}


def test_the_text_names_a_year_that_is_listed() -> None:
    listed: dict[str, set[str]] = defaultdict(set)
    for text in texts().values():
        for found in LISTED.finditer(text):
            listed[found["who"]].add(found["year"])
    named = [
        (chapter, found["who"], found["year"])
        for chapter, text in texts().items()
        for found in NAMED.finditer(text.partition("## Sources")[0])
    ]
    assert len(named) > 5 and not [one for one in named if one[1] in listed and one[2] not in listed[one[1]]]
