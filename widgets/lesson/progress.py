"""Whose progress it is: passed checks, quiz scores and predictions of whoever is here.

On the reader's own machine it is one JSON file (`progress_file`). On a served page it lives in the visitor's browser
(`progress_keeper`), and in this process only as long as the page is open.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from widgets.lesson.progress_file import ProgressFile
from widgets.lesson.progress_record import Progress, empty, now

__all__ = ["FOLDER", "Progress", "current", "empty", "now", "served_page"]

FOLDER = "VIT_COURSE_PROGRESS"
"""Environment variable: the folder to keep progress in, instead of the user's data folder."""

_files: dict[Path, ProgressFile] = {}
_pages: dict[Any, Progress] = {}


def current() -> Progress:
    """The progress of whoever is here: of the visitor on a served page, else of the user of this machine."""
    if (document := served_page()) is not None:
        if document not in _pages:
            _pages[document] = Progress()
            document.on_session_destroyed(lambda context: _pages.pop(document, None))
        return _pages[document]
    folder = _folder()
    if folder not in _files:
        _files[folder] = ProgressFile(folder)
    return _files[folder]


def served_page() -> Any:
    """The Bokeh document of the served page this runs for; None in a notebook, a terminal or a script.

    On a served page no visitor's code runs, and nothing of a visitor is kept on the server.
    """
    panel = sys.modules.get("panel")
    document = panel.state.curdoc if panel is not None else None
    return document if document is not None and document.session_context is not None else None


def _folder() -> Path:
    if chosen := os.environ.get(FOLDER):
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_data_dir("vit-course", appauthor=False))
