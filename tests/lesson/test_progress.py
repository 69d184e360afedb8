"""Progress is kept whole or not at all, survives damage, and never lands on a served page's machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from widgets.lesson import progress
from widgets.lesson.progress import Progress
from widgets.lesson.progress_file import ProgressFile

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


@pytest.mark.parametrize(
    "text", ["[]", '{"version": 2}', '{"version": 1, "exercises": {"patchify": 3}}', "\x00", "null"]
)
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
    code = (
        "import sys; from pathlib import Path; from widgets.lesson.progress_file import ProgressFile;"
        "[ProgressFile(Path(sys.argv[1])).record_check(f'e{sys.argv[2]}-{i}', True) for i in range(20)]"
    )
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


def test_a_readers_number_is_drawn_once_travels_with_the_progress_and_is_deleted_with_it(tmp_path: Path) -> None:
    store, elsewhere = ProgressFile(tmp_path), Progress()
    seed = store.seed()
    assert store.seed() == ProgressFile(tmp_path).seed() == seed
    elsewhere.seed()
    elsewhere.arrive(store.export())
    assert elsewhere.seed() == seed, "the browser's goes before the page's"
    elsewhere.arrive(json.dumps(progress.empty()))
    assert elsewhere.seed() == seed, "progress from before there were such numbers"
    store.delete()
    assert store.everything() == progress.empty()


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
        check("patchify", lambda image, P: image)
    with set_curdoc(pages[0]):
        assert progress.current().read("exercises", "patchify") == {"checks": 1}
    with set_curdoc(pages[1]):
        assert progress.current().read("exercises", "patchify") == {}
    assert not (tmp_path / "progress").exists()


def test_what_arrives_from_the_browser_goes_beneath_what_was_done_meanwhile() -> None:
    browser, page = Progress(), Progress()
    browser.record_check("patchify", True)
    browser.record_check("attention", True)
    browser.change("quizzes", "02", lambda entry: entry.update(best=5))
    page.record_check("patchify", False)  # before it arrived
    page.change("quizzes", "03", lambda entry: entry.update(best=1))
    page.arrive(browser.export())
    kept = page.everything()
    assert kept["exercises"]["patchify"]["passed"] and kept["exercises"]["attention"]["passed"]
    assert kept["quizzes"] == {"02": {"best": 5}, "03": {"best": 1}}


def test_what_another_tab_wrote_later_is_not_undone() -> None:
    page, tab = Progress(), Progress()
    page.change("quizzes", "02", lambda entry: entry.update(best=1))
    page.arrive(page.export())
    tab.change("quizzes", "02", lambda entry: entry.update(best=7))
    page.arrive(tab.export())
    assert page.read("quizzes", "02") == {"best": 7}


def test_watching_does_not_keep_a_widget_alive() -> None:
    class Shown:
        heard = 0

        def follow(self) -> None:
            Shown.heard += 1

    store, shown = Progress(), Shown()
    store.watch(shown.follow)
    store.record_check("patchify", True)
    del shown
    store.record_check("patchify", True)
    assert Shown.heard == 1


def test_on_a_served_page_hints_and_solution_are_on_the_card_and_nothing_is_counted() -> None:
    from bokeh.document import Document
    from panel.io.state import set_curdoc

    from widgets.lesson import hint, solution

    page = Document()
    page._session_context = lambda: object()
    with set_curdoc(page):
        assert all("card" in repr(ask("patchify")) for ask in (hint, hint, solution, solution))
        assert progress.current().everything() == progress.empty()
