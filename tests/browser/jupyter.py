"""A Jupyter server of our own on localhost, for the tests, and what a reader asks of it; it ends with its test."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import nbformat
from playwright.sync_api import Page, expect

TOKEN = "course"
SECONDS = 60
TRIES, STARTED = 3, 10


@contextlib.contextmanager
def jupyter(application: str, folder: Path, settings: Path) -> Iterator[str]:
    """Serve `folder` with "lab" or "notebook"; gives the address. `settings` is an empty folder for its state."""
    port = free_port()
    own = {
        name: str(settings / name)
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    }
    command = [
        sys.executable,
        "-m",
        f"jupyter{application}" if application == "lab" else application,
        "--no-browser",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--allow-root",
        f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.root_dir={folder}",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
    ]
    with (settings / "server.log").open("w", encoding="utf-8") as log:
        server = subprocess.Popen(command, env=os.environ | own, stdout=log, stderr=log, cwd=folder)
    try:
        _wait(server, f"http://localhost:{port}/api/status?token={TOKEN}", settings / "server.log")
        yield f"http://localhost:{port}"
    finally:
        server.terminate()  # the server ends its kernels
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@contextlib.contextmanager
def lab_with(cells: list[str], folder: Path) -> Iterator[str]:
    """A notebook of code cells, not yet run, in JupyterLab; gives its address. `folder` is an empty one."""
    notebooks, settings = folder / "notebooks", folder / "settings"
    notebooks.mkdir()
    settings.mkdir()
    written = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    written.metadata.kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    nbformat.write(written, notebooks / "cells.ipynb")
    with jupyter("lab", notebooks, settings) as server:
        yield f"{server}/lab/tree/cells.ipynb?reset&token={TOKEN}"  # reset: without the tabs of the test before


def kernel_of(page: Page) -> int:
    """The process that a cell has printed as `kernel 123`."""
    said = page.locator(".jp-OutputArea-output pre", has_text=re.compile(r"^kernel \d+\s*$"))
    return int(said.inner_text().split()[1])


def free_port() -> int:
    """A port of this machine on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_all(page: Page, cells: int, seconds: float) -> None:
    """Run an open notebook of so many cells as a reader does; waits until its last cell has run."""
    expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(cells, timeout=SECONDS * 1000)  # one after another
    expect(page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]')).to_be_attached(timeout=SECONDS * 1000)
    _ask_to_run_all(page)
    last = page.locator(".jp-CodeCell .jp-InputArea-prompt").last
    expect(last).to_have_text(re.compile(r"\[\d+\]:"), timeout=seconds * 1000)


def _ask_to_run_all(page: Page) -> None:
    """Choose "Run All Cells"; Jupyter may build its menus anew under the click, so ask again while nothing runs."""
    first = page.locator(".jp-CodeCell .jp-InputArea-prompt").first
    for _ in range(TRIES):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name=re.compile(r"^\s*Run All Cells")).first.click()
        with contextlib.suppress(AssertionError):
            return expect(first).not_to_have_text("[ ]:", timeout=STARTED * 1000)
    raise AssertionError(f"{TRIES} times asked to run all cells, and no cell began")


def _wait(server: subprocess.Popen[bytes], status: str, log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(status, timeout=2).close()
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"Jupyter did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")
