"""Progress is kept whole or not at all, survives damage, and never lands on a served page's machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from widgets.lesson import progress
from widgets.lesson.progress import Progress, ProgressFile

ROOT = Path(__file__).resolve().parents[2]


def test_lies_in_the_folder_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIT_COURSE_PROGRESS", str(tmp_path / "here"))
    progress.current().record_check("patchify", True)
    kept = json.loads((tmp_path / "here" / "progress.json").read_text())
    assert kept["exercises"]["patchify"]["checks"] == 1 and kept["version"] == 1


def test_without_it_lies_in_the_users_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIT_COURSE_PROGRESS")
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *a, **k: str(tmp_path / "user"))
    assert progress.current().path == tmp_path / "user" / "progress.json"


def test_passed_stays_passed() -> None:
    store = progress.current()
    store.record_check("patchify", True)
    store.record_check("patchify", False)
    assert store.read("exercises", "patchify")["passed"] and store.read("exercises", "patchify")["checks"] == 2


def test_a_damaged_file_is_set_aside_and_reported(tmp_path: Path) -> None:
    (tmp_path / "progress.json").write_text('{"version": 1, "exerc')
    store = ProgressFile(tmp_path)
    with pytest.warns(UserWarning, match="was damaged. It was set aside as"):
        assert store.read("exercises", "patchify") == {}
    assert "damaged" in store.notice
    aside = list(tmp_path.glob("progress.damaged-*.json"))
    assert len(aside) == 1 and aside[0].read_text() == '{"version": 1, "exerc'
    store.record_check("patchify", True)
    assert ProgressFile(tmp_path).read("exercises", "patchify")["passed"]


@pytest.mark.parametrize("text", ["[]", '{"version": 2}', '{"version": 1, "exercises": {"patchify": 3}}', "\x00", "null"])
def test_a_file_of_another_kind_is_damaged_too(tmp_path: Path, text: str) -> None:
    (tmp_path / "progress.json").write_text(text)
    with pytest.warns(UserWarning):
        assert ProgressFile(tmp_path).everything() == progress.empty()


def test_a_folder_that_cannot_be_written_keeps_progress_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = ProgressFile(tmp_path / "file" / "folder")
    with pytest.warns(UserWarning, match="kept until you close this"):
        store.record_check("patchify", True)
    assert store.read("exercises", "patchify")["passed"] and store.notice


def test_a_crash_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ProgressFile(tmp_path)
    store.record_check("patchify", True)
    before = (tmp_path / "progress.json").read_text()

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", crash)
    with pytest.raises(KeyboardInterrupt):
        store.record_check("attention", True)
    assert (tmp_path / "progress.json").read_text() == before


def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    code = ("import sys; from pathlib import Path; from widgets.lesson.progress import ProgressFile;"
            "[ProgressFile(Path(sys.argv[1])).record_check(f'e{sys.argv[2]}-{i}', True) for i in range(20)]")
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(n)], cwd=ROOT) for n in range(2)]
    assert [process.wait(60) for process in running] == [0, 0]
    assert len(ProgressFile(tmp_path).everything()["exercises"]) == 40


def test_export_delete_and_import_again(tmp_path: Path) -> None:
    store = ProgressFile(tmp_path)
    store.record_check("patchify", True)
    text = store.export()
    store.delete()
    assert store.everything() == progress.empty()
    store.take(text)
    assert store.read("exercises", "patchify")["passed"]


@pytest.mark.parametrize("text", ["", "no", "[]", '{"version": 9}'])
def test_importing_something_else_changes_nothing(tmp_path: Path, text: str) -> None:
    store = ProgressFile(tmp_path)
    store.record_check("patchify", True)
    with pytest.raises(ValueError, match="progress file"):
        store.take(text)
    assert store.read("exercises", "patchify")["passed"]


def test_watchers_hear_of_changes_until_they_leave() -> None:
    store, heard = Progress(), []
    leave = store.watch(lambda: heard.append(1))
    store.record_check("patchify", True)
    leave()
    store.record_check("patchify", True)
    assert heard == [1]


def test_a_served_page_has_progress_of_its_own_and_writes_no_file(tmp_path: Path, monkeypatch) -> None:
    from bokeh.document import Document
    from panel.io.state import set_curdoc

    from widgets.lesson import check

    pages = []
    for _ in range(2):
        page = Document()
        page._session_context = lambda: object()
        pages.append(page)
    with set_curdoc(pages[0]):
        check("patchify", lambda image, P: None)
    with set_curdoc(pages[0]):
        assert progress.current().read("exercises", "patchify") == {"checks": 1}
    with set_curdoc(pages[1]):
        assert progress.current().read("exercises", "patchify") == {}
    assert not (tmp_path / "progress").exists()
