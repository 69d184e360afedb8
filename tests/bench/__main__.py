"""`make bench`: every figure that is promised, measured here and now; writes bench.json beside the Makefile.

`python -m tests.bench hover` runs one of them. Figures are for reading: no test fails on a slow machine.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
from pathlib import Path

HERE = Path(__file__).parent
REPORT = HERE.parents[1] / "bench.json"


def main(wanted: list[str]) -> int:
    """Run the benchmarks named (all when none is) and print their figures. Returns the exit status."""
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    if unknown := sorted(set(wanted) - set(known)):
        print(f"There is no benchmark called {', '.join(unknown)}; there are {', '.join(known)}.", file=sys.stderr)
        return 2
    figures: dict[str, dict[str, object]] = {}
    for name in wanted or known:
        print(f"== {name}", flush=True)
        figures[name] = importlib.import_module(f"tests.bench.bench_{name}").run()
        for what, figure in figures[name].items():
            print(f"{what:64} {figure}", flush=True)
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    REPORT.write_text(json.dumps({"machine": machine, **figures}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
