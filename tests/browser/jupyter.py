"""A Jupyter server of our own on localhost, for the tests; it ends with the test that started it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TOKEN = "course"
SECONDS = 60


@contextmanager
def jupyter(application: str, folder: Path, settings: Path) -> Iterator[str]:
    """Serve `folder` with "lab" or "notebook"; gives the address. `settings` is an empty folder for its state."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {name: str(settings / name) for name in
           ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    command = [
        sys.executable, "-m", f"jupyter{application}" if application == "lab" else application, "--no-browser",
        "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--allow-root",
        f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}",
        "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
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


def _wait(server: subprocess.Popen[bytes], status: str, log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(status, timeout=2).close()
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"Jupyter did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")
