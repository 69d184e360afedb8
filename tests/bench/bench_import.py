"""What `import widgets` costs over `import panel`: fresh interpreters, interleaved."""

from __future__ import annotations

import subprocess
import sys
from statistics import median

from tests.bench.promises import Figure, Promise

ROUNDS = 7


def run() -> dict[str, Figure]:
    """Medians in seconds, and the spread of the difference."""
    _seconds("import panel"), _seconds("import widgets")  # the first ones read from disk
    pairs = [(_seconds("import panel"), _seconds("import widgets")) for _ in range(ROUNDS)]
    over = sorted(ours - panel for panel, ours in pairs)
    return {
        "import panel, median of 7": Figure(f"{median(p for p, _ in pairs):.2f} s"),
        "import widgets, median of 7": Figure(f"{median(w for _, w in pairs):.2f} s"),
        "over import panel": Figure(
            f"{median(over):.2f} s, from {over[0]:.2f} to {over[-1]:.2f}", (Promise("median", median(over), 0.4, "s"),)
        ),
    }


def _seconds(statement: str) -> float:
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
