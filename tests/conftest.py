"""What every test shares: progress goes to a folder of the test, and no page warms a model in the background."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VIT_COURSE_PROGRESS", str(tmp_path / "progress"))
    monkeypatch.setenv("VIT_COURSE_NO_BROWSER", "1")
    monkeypatch.setenv("VIT_COURSE_NO_WARM", "1")
    monkeypatch.delenv("VIT_COURSE_STILLS", raising=False)
