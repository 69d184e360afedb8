"""What the chapters say they measured on the copy used here, measured again on the hub's own file.

The claims' tests and the notebooks themselves are the measurements: they run once more, in processes of their own whose
cache holds nothing but the hub's file. Where one fails, the sentence is true of the copy alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from widgets.checkpoints.conversion import sources_of
from widgets.checkpoints.fetching import facts_of, fetch

NAME = "dinov2-small"
ROOT = Path(__file__).resolve().parents[2]
STRICT = [
    "-p",
    "tests.chapters.strict",
    "--nbval",
    "--nbval-current-env",
    "--nbval-sanitize-with",
    "tests/chapters/sanitize.cfg",
]
pytestmark = pytest.mark.hub(NAME)

NOTEBOOKS = sorted(path.name for path in (ROOT / "chapters").glob("[0-9][0-9]_*.ipynb"))
OF_CHAPTERS = sorted(path.name for path in (ROOT / "tests/chapters").glob("test_*_claims.py"))
OF_MODEL = ["test_inspection.py", "test_sample_sizes.py"]  # the heads of chapter 06, the pictures of chapter 11
CLAIMS = [
    *(f"tests/chapters/{tests}" for tests in OF_CHAPTERS),
    *(f"tests/model/{tests}" for tests in OF_MODEL),
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the hub's file and no other."""
    folder = tmp_path_factory.mktemp("hub-alone")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VIT_COURSE_CACHE", str(folder))
        fetch(NAME, sources_of({"title": facts_of(NAME)["title"], "hub": facts_of(NAME)["hub"]}))
    return folder


def measure(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run these tests with the checkpoints of `cache`."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    environment = os.environ | {"VIT_COURSE_CACHE": str(cache)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_the_notebook_prints_the_same(notebook: str, cache: Path) -> None:
    done = measure(cache, f"chapters/{notebook}", *STRICT)
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.parametrize("claims", CLAIMS)
def test_what_the_text_says_is_so(claims: str, cache: Path) -> None:
    done = measure(cache, claims)
    assert done.returncode == 0, done.stdout[-4000:]
