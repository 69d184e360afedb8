"""A library that is too old is told by name and with the way out, before the course fails in it."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from widgets import requirements

ROOT = Path(__file__).resolve().parents[2]


def test_an_older_transformers_in_this_python_is_named(tmp_path: Path) -> None:
    """The real import, in a Python whose first transformers is a 4.57: only its name card is needed for that."""
    card = tmp_path / "transformers-4.57.1.dist-info"
    card.mkdir()
    (card / "METADATA").write_text("Metadata-Version: 2.1\nName: transformers\nVersion: 4.57.1\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    said = subprocess.run(
        [sys.executable, "-c", "import widgets"], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    last = said.stderr.strip().splitlines()[-1]
    assert said.returncode and last.startswith("ImportError: The course needs transformers 5.24 or newer")
    assert "this Python has 4.57.1" in last and "pip install -c constraints.txt" in last and "restart" in last


@pytest.mark.parametrize(
    ("here", "old"),
    [
        ("2.13.0+cpu", False),
        ("2.13", False),
        ("2.13.0.dev20260901", False),
        ("10.0", False),
        ("2.9.1", True),
        ("2.12.99", True),
    ],
)
def test_versions_are_compared_as_numbers(
    here: str, old: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text('[project]\ndependencies = ["torch>=2.13", "tqdm"]\n')
    monkeypatch.setattr(requirements, "version", lambda name: here)
    assert bool(requirements.too_old(project)) == old


def test_a_library_that_is_not_there_is_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(requirements, "version", none)
    with pytest.raises(ImportError, match=r"transformers 5.24 or newer, and this Python has none"):
        requirements.require()
