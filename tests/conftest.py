"""What every test shares: progress goes to a folder of the test, no page warms a model in the background, and a widget
that fails fails its test."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """A server that outlives one test must not write into the reader's own progress either."""
    os.environ["VIT_COURSE_PROGRESS"] = tempfile.mkdtemp(prefix="vit-course-progress-")


def pytest_unconfigure(config: pytest.Config) -> None:
    folder = Path(os.environ.get("VIT_COURSE_PROGRESS", ""))
    if folder.name.startswith("vit-course-progress-"):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def failures() -> list[str]:
    """What widgets logged as failures of the course in this test; a test that asks for it may cause some."""
    return []


@pytest.fixture(autouse=True)
def no_widget_fails(request: pytest.FixtureRequest) -> Iterator[None]:
    """A widget says on the page that it failed, and goes on: here that is found all the same."""
    asked = "failures" in request.fixturenames
    found: list[str] = request.getfixturevalue("failures") if asked else []
    handler = logging.Handler(logging.ERROR)
    handler.addFilter(lambda record: record.funcName == "log_failure")
    handler.emit = lambda record: found.append(record.getMessage())
    log = logging.getLogger("widgets.page")
    log.addHandler(handler)
    yield
    log.removeHandler(handler)
    assert asked or not found, found


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VIT_COURSE_PROGRESS", str(tmp_path / "progress"))
    monkeypatch.setenv("VIT_COURSE_NO_BROWSER", "1")
    monkeypatch.setenv("VIT_COURSE_NO_WARM", "1")
    monkeypatch.delenv("VIT_COURSE_STILLS", raising=False)
