"""mypy over the whole course, in one run: clean rooms stay clean, and the others' complaints may only become fewer.

How many a room still has stands in pyproject.toml, [tool.vit-course.type-complaints]; a room that is not there has
none.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def room_of(line: str) -> str:
    """The room a complaint is about: the folder below widgets/, or the file that lies beside the rooms."""
    return line.split("widgets/", 1)[1].split(":", 1)[0].split("/")[0]


def verdict(lines: list[str], allowed: dict[str, int]) -> list[str]:
    """What is wrong, in sentences and mypy's own lines: more complaints in a room than allowed, or fewer."""
    found = Counter(map(room_of, lines))
    said = []
    for room in sorted({*found, *allowed}):
        have, may = found[room], allowed.get(room, 0)
        if have > may:
            said += [line for line in lines if room_of(line) == room]
            said.append(f"widgets/{room}: {have} complaints, {may} allowed. Mend what is new.")
        elif have < may:
            said.append(
                f"widgets/{room}: {have} complaints, {may} allowed. Write {have} into pyproject.toml: it only falls."
            )
    return said


def main() -> int:
    """Run mypy as pyproject.toml says. Returns the exit status."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    ran = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        print(ran.stdout + ran.stderr, file=sys.stderr)
        return ran.returncode
    lines = [line for line in ran.stdout.splitlines() if ": error: " in line]
    said = verdict(lines, project["tool"]["vit-course"]["type-complaints"])
    print("\n".join(said) if said else f"Types: {len(lines)} known complaints, none new.")
    return int(bool(said))


if __name__ == "__main__":
    sys.exit(main())
