"""`make bench`: every figure that is promised, measured here and now; writes bench.json beside the Makefile.

`python -m tests.bench hover` runs one of them. It says which promises are missed, and fails where one is missed twice
over. No test does: a machine may be slow.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
from pathlib import Path

from tests.bench.promises import Figure, verdict

HERE = Path(__file__).parent
REPORT = HERE.parents[1] / "bench.json"


def main(wanted: list[str]) -> int:
    """Run the benchmarks named (all when none is) and print their figures. Returns the exit status."""
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    if unknown := sorted(set(wanted) - set(known)):
        print(f"There is no benchmark called {', '.join(unknown)}; there are {', '.join(known)}.", file=sys.stderr)
        return 2
    figures: dict[str, dict[str, Figure]] = {}
    for name in wanted or known:
        print(f"== {name}", flush=True)
        figures[name] = importlib.import_module(f"tests.bench.bench_{name}").run()
        for what, figure in figures[name].items():
            print(f"{what:64} {figure}", flush=True)
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    shown = {name: {what: figure.shown for what, figure in found.items()} for name, found in figures.items()}
    said, status = verdict(figures)
    REPORT.write_text(json.dumps({"machine": machine, **shown, "verdict": said}, indent=1) + "\n", encoding="utf-8")
    print(said)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
