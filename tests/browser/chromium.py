"""Finds a Chromium or Chrome to test with, on Linux, a Mac and Windows."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "%ProgramFiles%/Google/Chrome/Application/chrome.exe",
    "%ProgramFiles(x86)%/Google/Chrome/Application/chrome.exe",
    "%LocalAppData%/Google/Chrome/Application/chrome.exe",
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost",
]
HOW_TO_GET = (
    "The browser tests need Chromium or Chrome: install it (apt install chromium, brew install --cask chromium, "
    "or Chrome's own installer), or set VIT_COURSE_BROWSER to the program."
)


class NoBrowser(RuntimeError):
    """No browser was found; the message says how to get one."""


def find() -> str:
    """Path of the browser. Raises NoBrowser with the way to get one."""
    asked = os.environ.get("VIT_COURSE_BROWSER")
    if asked:
        if shutil.which(asked):
            return asked
        raise NoBrowser(f"VIT_COURSE_BROWSER names {asked!r}, which is not a program. {HOW_TO_GET}")
    found = [path for name in NAMES if (path := shutil.which(name))]
    placed = (Path(os.path.expandvars(place)).expanduser() for place in PLACES)
    found += [str(place) for place in placed if place.is_file()]
    if not found:
        raise NoBrowser(HOW_TO_GET)
    return found[0]
