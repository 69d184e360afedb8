"""What every test shares: progress goes to a folder of the test, and no page warms a model in the background."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """A server that outlives one test must not write into the reader's own progress either."""
    os.environ["VIT_COURSE_PROGRESS"] = tempfile.mkdtemp(prefix="vit-course-progress-")


def pytest_unconfigure(config: pytest.Config) -> None:
    folder = Path(os.environ.get("VIT_COURSE_PROGRESS", ""))
    if folder.name.startswith("vit-course-progress-"):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VIT_COURSE_PROGRESS", str(tmp_path / "progress"))
    monkeypatch.setenv("VIT_COURSE_NO_BROWSER", "1")
    monkeypatch.setenv("VIT_COURSE_NO_WARM", "1")
    monkeypatch.delenv("VIT_COURSE_STILLS", raising=False)
