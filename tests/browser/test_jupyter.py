"""Every chapter in JupyterLab, and two of them in Notebook 7, run from top to bottom with no network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Page, expect

from widgets.lesson import contents

from .conftest import Watch
from .jupyter import TOKEN, jupyter, run_all

CHAPTERS = sorted(contents.FOLDER.glob("*.ipynb"))
IN_NOTEBOOK_7 = ("00", "08")
"""Notebook 7 is JupyterLab's own cells in another frame: one chapter of canvases and one of fields show that they
come."""
RUNS = [("lab", path) for path in CHAPTERS] + [
    ("notebook", path) for path in CHAPTERS if path.name[:2] in IN_NOTEBOOK_7
]
SAMPLE = Path(__file__).parents[1] / "chapters/fixtures/02_sample.ipynb"
PATHS = {"lab": "lab/tree", "notebook": "notebooks"}
SECONDS = 180
SHOWN = ".part:visible, figure:visible"  # what a cell with a still shows when it runs: a widget, or a drawing
OF_JUPYTER = ["page error: Cannot read properties of undefined (reading 'schema')"]  # Notebook 7 says so of itself


@pytest.fixture(scope="module", params=PATHS)
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a folder with copies of the notebooks, not yet run: in JupyterLab, then in Notebook 7."""
    folder = tmp_path_factory.mktemp("notebooks")
    for notebook in [SAMPLE, *CHAPTERS]:
        copy = nbformat.read(notebook, as_version=4)
        for cell in (c for c in copy.cells if c.cell_type == "code"):
            cell.outputs, cell.execution_count = [], None
        nbformat.write(copy, folder / notebook.name)
    with jupyter(request.param, folder, tmp_path_factory.mktemp("settings")) as server:
        yield f"{server}/{PATHS[request.param]}"


@pytest.fixture(autouse=True)
def noise_of_jupyter(watch: Watch) -> None:
    watch.expected += OF_JUPYTER


def open_and_run(page: Page, address: str, notebook: Path) -> None:
    page.set_viewport_size({"width": 1400, "height": 9000})  # Jupyter draws what is near the window only
    page.goto(f"{address}/{notebook.name}?reset&token={TOKEN}")  # reset: without the tabs of the test before
    run_all(page, len(nbformat.read(notebook, as_version=4).cells), SECONDS)


def widgets_of(notebook: Path) -> list[int]:
    """Places of the cells that show a widget or a drawing: as committed, each keeps a still."""
    cells = nbformat.read(notebook, as_version=4).cells
    places = [
        place
        for place, cell in enumerate(cells)
        if any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))
    ]
    assert places, f"{notebook.name} keeps no still"
    return places


def without_errors(page: Page) -> None:
    for kind in ("error", "stderr"):
        said = page.locator(f'[data-mime-type="application/vnd.jupyter.{kind}"]').all_inner_texts()
        assert not said, said
    said = [
        text for text in page.locator(".jp-OutputArea").all_inner_texts() if "Traceback (most recent call last)" in text
    ]
    assert not said, said  # Panel prints what goes wrong in a message of the browser


def test_parts_of_a_notebook(page: Page, address: str) -> None:
    open_and_run(page, address, SAMPLE)
    expect(page.get_by_text("patches: 196")).to_be_visible()
    slider = page.locator(".noUi-handle")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.get_by_text("P squared = 16")).to_be_visible()
    expect(page.locator(".jp-RenderedImage img")).to_be_visible()
    without_errors(page)


@pytest.mark.parametrize(
    ("address", "notebook"), RUNS, ids=[f"{where}-{path.stem}" for where, path in RUNS], indirect=["address"]
)
def test_chapter_from_top_to_bottom(page: Page, address: str, notebook: Path) -> None:
    open_and_run(page, address, notebook)
    for place in widgets_of(notebook):
        expect(page.locator(".jp-Notebook .jp-Cell").nth(place).locator(SHOWN).first).to_be_visible()
    page.wait_for_timeout(1000)
    without_errors(page)
