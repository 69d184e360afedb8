"""`make test`: the values, the notebooks and the browser, each with its summary; fails if any part fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.browser import chromium

ROOT = Path(__file__).resolve().parents[1]
PARTS: dict[str, list[str]] = {
    "values": ["tests/model", "tests/widgets", "tests/lesson", "tests/hub", "-n", "2"],
    "notebooks": [
        "chapters",
        "tests/chapters",
        "--nbval",
        "--nbval-current-env",
        "--nbval-sanitize-with",
        "tests/chapters/sanitize.cfg",
        "-n",
        "2",
        "--dist",
        "loadfile",
    ],
    "browser": ["tests/browser", "-n", "2", "--dist", "loadfile"],
}
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
"""Two processes share the cores already; with torch's own threads on top they wait for one another, three times as
long."""
EMPTY = 5  # pytest: no test was collected


def main(wanted: list[str]) -> int:
    """Run the named parts, or all of them. Returns the exit status."""
    if unknown := [name for name in wanted if name not in PARTS]:
        print(f"There is no part {unknown[0]!r} of the tests; there are {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    parts = wanted or list(PARTS)
    said = {name: _run(name) for name in parts}
    print("\n" + "\n".join(f"{name:10} {outcome}" for name, outcome in said.items()))
    return 0 if all(outcome == "passed" for outcome in said.values()) else 1


def _run(name: str) -> str:
    print(f"\n=== {name} ===", flush=True)
    if name == "browser":
        try:
            os.environ["VIT_COURSE_BROWSER"] = chromium.find()
        except chromium.NoBrowser as missing:
            print(missing, flush=True)
            return "failed: no browser"
    paths = [argument for argument in PARTS[name] if argument != "tests/hub" or any(ROOT.glob("tests/hub/test_*.py"))]
    status = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *paths], cwd=ROOT, env=os.environ | ONE_THREAD
    ).returncode
    return {0: "passed", EMPTY: "failed: no test was found"}.get(status, "failed")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
