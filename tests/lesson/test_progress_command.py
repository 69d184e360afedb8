"""`python -m widgets progress` shows, saves, loads and deletes what notebooks keep."""

from __future__ import annotations

from pathlib import Path

import pytest

from widgets.__main__ import main
from widgets.lesson import progress


def test_show_names_the_file_and_every_written_chapter(capsys: pytest.CaptureFixture) -> None:
    progress.current().change("predictions", "02-halve-the-patch", lambda entry: entry.update(guess=4))
    assert main(["progress"]) == 0
    said = capsys.readouterr().out
    assert "progress.json" in said and "1 of 1 prediction made" in said


def test_save_delete_and_load(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    progress.current().record_check("patchify", True)
    file = str(tmp_path / "mine.json")
    assert main(["progress", "save", file]) == 0
    assert main(["progress", "delete"]) == 1 and progress.current().read("exercises", "patchify")
    assert "--really" in capsys.readouterr().err
    assert main(["progress", "delete", "--really"]) == 0 and not progress.current().read("exercises", "patchify")
    assert main(["progress", "load", file]) == 0 and progress.current().read("exercises", "patchify")["passed"]


def test_what_cannot_be_loaded_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\xff\xfe")
    (tmp_path / "other.json").write_text("[]")
    for file in ("picture.png", "other.json", "absent.json"):
        assert main(["progress", "load", str(tmp_path / file)]) == 1
        said = capsys.readouterr().err
        assert file in said and len(said.splitlines()) == 1
    assert main(["progress", "save"]) == 1 and "needs a file" in capsys.readouterr().err
