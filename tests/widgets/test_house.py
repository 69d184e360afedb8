"""What the repository promises about itself: light imports, pinned versions, complete lists.

That rooms lie in layers is a contract in pyproject.toml, which `make lint` reads.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import widgets
from widgets.lesson import contents
from widgets.requirements import as_numbers

from . import lazy_imports
from .lazy_imports import needless

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "torch",
    "transformers",
    "matplotlib",
    "holoviews",
    "nbformat",
    "yaml",
    "PIL",
    "widgets.model",
    "widgets.parts",
    "widgets.kit",
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_import_widgets_loads_nothing_beyond_panel() -> None:
    code = (
        "import panel, sys; before = set(sys.modules); import widgets;"
        "print(*sorted(m for m in set(sys.modules) - before))"
    )
    brought = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    assert brought and not [m for m in brought if m.startswith(HEAVY)], brought


@pytest.mark.parametrize("name", widgets.__all__)
def test_every_name_the_package_offers_is_there(name: str) -> None:
    assert callable(getattr(widgets, name))


def test_an_unknown_name_says_what_there_is() -> None:
    with pytest.raises(AttributeError, match=r"it offers .*PatchHover"):
        _ = widgets.PatchHoover


def test_every_widget_has_a_title_a_summary_and_a_test() -> None:
    for name, module in widgets.WIDGETS.items():
        widget = getattr(widgets, name)
        assert widget.title and widget.summary.endswith("."), name
        assert list((ROOT / "tests").rglob(f"test_{module.rpartition('.')[2]}.py")), f"{name} has no test file"


def test_every_widget_builds_its_view_words_and_still() -> None:
    for name in widgets.WIDGETS:
        widget = getattr(widgets, name)(selection=widgets.Selection())
        assert widget.__panel__() is not None
        assert widget.describe().sentence.endswith(".") and widget.still().get_size_inches().min() > 0


def test_every_dependency_is_pinned_at_what_was_tested() -> None:
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.M))
    pinned = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pinned.items()}
    wanted = [one.partition(">=") for one in (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"])]
    tested = {name: pinned.get(re.sub(r"[-_.]+", "-", name).lower()) for name, _, _ in wanted}
    assert not [name for name, version in tested.items() if version is None]
    assert not [name for name, _, bound in wanted if bound and as_numbers(tested[name]) < as_numbers(bound)]
    environment = (ROOT / "environment.yml").read_text(encoding="utf-8")
    assert f"pytorch-cpu={pinned['torch']}" in environment and "-c constraints.txt" in environment


def test_the_readme_lists_every_written_chapter() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = [
        f"| {chapter.number} | [{chapter.title}](chapters/{chapter.path.name}) | {chapter.question} |"
        for chapter in contents.contents()
        if chapter.path
    ]
    table = [line for line in readme.splitlines() if re.match(r"\| \d\d \|", line)]
    assert table == rows, "the table of README.md has these rows, in this order"
    assert (ROOT / re.search(r"!\[.*?\]\((.*?)\)", readme)[1]).is_file()


def test_no_assertion_drops_its_words_into_a_tuple() -> None:
    """`expect(x).to_be_visible(), "why"` says nothing of why: the words belong into `expect(x, "why")`."""
    dropped = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Tuple)
        and any(isinstance(part, ast.Constant | ast.JoinedStr) for part in node.value.elts)
    ]
    assert dropped == []


def test_an_import_inside_a_function_saves_loading_something_large() -> None:
    assert needless() == []


def test_a_needless_import_inside_a_function_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import numpy\ndef f():\n    import json\n    import torch\n    from widgets.common import refusal\n"
    monkeypatch.setitem(lazy_imports.TREES, "widgets.invented", ast.parse(source))
    assert needless() == ["widgets.invented:3 import json", "widgets.invented:5 from widgets.common import refusal"]
