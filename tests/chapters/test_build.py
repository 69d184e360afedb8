"""`make chapters` and nbval: the same notebook again, the old one after a failure, and a comparison that can fail."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from widgets.lesson import contents
from widgets.page import build

FIXTURES = Path(__file__).parent / "fixtures"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return Path(shutil.copy(FIXTURES / "02_sample.ipynb", tmp_path))


def outputs(path: Path) -> list[list[nbformat.NotebookNode]]:
    return [cell.outputs for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def test_a_second_run_changes_nothing(sample: Path) -> None:
    assert build.build(sample) is True
    first, inode = sample.read_bytes(), sample.stat().st_mtime_ns
    assert build.build(sample) is False
    assert (sample.read_bytes(), sample.stat().st_mtime_ns) == (first, inode)
    assert [p.name for p in sample.parent.glob("*.part*")] == []


def test_keeps_text_and_stills_and_drops_what_is_live(sample: Path) -> None:
    build.build(sample)
    start, printed, panel, figure, *_ = outputs(sample)
    assert start == [] and panel == []
    assert printed[0].text == "patches: 196\nrows|of|768\n" and printed[1].data["text/plain"] == "[0, 1, 4, 9]"
    assert list(figure[0].data) == ["image/png", "text/plain"]
    counts = [c.execution_count for c in nbformat.read(sample, as_version=4).cells if c.cell_type == "code"]
    assert counts == [1, 2, 3, 4, 5, 6]


def test_a_failing_cell_is_named_and_the_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(shutil.copy(FIXTURES / "03_next.ipynb", tmp_path))
    before = path.read_bytes()
    monkeypatch.setattr(contents, "FOLDER", tmp_path)
    assert build.main(["3"]) == 1
    said = capsys.readouterr().err
    assert said == (
        "03_next.ipynb: cell 1 stopped with ValueError: 224 is no multiple of 9; 225 is. "
        "(the notebook was left as it was)\n"
    )
    assert path.read_bytes() == before


def test_an_unknown_number_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(contents, "FOLDER", tmp_path)
    assert build.main(["77"]) == 1
    assert "no notebook for chapter 77" in capsys.readouterr().err


def nbval(path: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.chapters.strict",
        "-p",
        "no:cacheprovider",
        "--nbval",
        "--nbval-current-env",
        "--nbval-sanitize-with",
        str(ROOT / "tests/chapters/sanitize.cfg"),
        str(path),
    ]
    inner = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    return subprocess.run(command, cwd=ROOT, env=inner, capture_output=True, text=True, timeout=120)


def test_nbval_passes_what_was_built_and_catches_a_changed_number(sample: Path) -> None:
    build.build(sample)
    passed = nbval(sample)
    assert passed.returncode == 0, passed.stdout
    text = sample.read_text(encoding="utf-8")
    sample.write_text(text.replace("patches: 196", "patches: 197").replace("[0, 1, 4, 9]", "[0, 1, 4, 8]"))
    failed = nbval(sample)
    assert failed.returncode == 1
    assert re.search(r"\b1 failed\b", failed.stdout), failed.stdout


def test_nbval_ignores_a_changed_picture(sample: Path) -> None:
    build.build(sample)
    text = re.sub(r'"image/png": "[^"]+"', '"image/png": "iVBORw0KGgo="', sample.read_text(encoding="utf-8"))
    sample.write_text(text, encoding="utf-8")
    assert nbval(sample).returncode == 0
