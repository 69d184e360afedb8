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

MEASURED = {  # chapter: the tests of what its text says, beside the notebook, which prints the rest
    "00": "test_first_look_claims.py",
    "02": None,
    "03": "test_patch_embedding_claims.py",
    "04": "test_position_claims.py",
    "05": "test_self_attention_claims.py",
    "06": "test_multi_head_claims.py",
    "07": "test_encoder_block_claims.py",
    "08": None,
    "09": None,
    "11": "test_interpolation_claims.py",
}
OF_MODEL = ["test_inside.py", "test_sample_sizes.py"]  # the heads of chapter 06, the pictures of chapter 11
CLAIMS = [
    *(f"tests/chapters/{tests}" for tests in MEASURED.values() if tests),
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


@pytest.mark.parametrize("chapter", MEASURED)
def test_the_notebook_prints_the_same(chapter: str, cache: Path) -> None:
    notebook = next((ROOT / "chapters").glob(f"{chapter}_*.ipynb"))
    done = measure(cache, str(notebook), *STRICT)
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.parametrize("claims", CLAIMS)
def test_what_the_text_says_is_so(claims: str, cache: Path) -> None:
    done = measure(cache, claims)
    assert done.returncode == 0, done.stdout[-4000:]
