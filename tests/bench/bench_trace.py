"""What a trace costs beside the library's own forward pass: time, memory, and a map read out of a kept trace."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import torch

from tests.bench.promises import Figure, Promise
from widgets.checkpoints.loading import Checkpoint, load
from widgets.model.trace import trace
from widgets.pictures import open_sample, prepare

ROUNDS = 21
CASES = {"dinov2-small at 224 px": ("dinov2-small", 224), "random-b16 at 224 px": ("random-b16", 224)}
REPORTED = {"dinov2-small at 518 px": ("dinov2-small", 518)}
MOST_TIME, WANTED_TIME, MOST_MEMORY, MOST_MAP_MS = 1.5, 1.25, 2.0, 1.0


def run(rounds: int = ROUNDS) -> dict[str, Figure]:
    """Return named figures: milliseconds as quartiles, ratios of medians measured in one process, and the limits.

    Most of what a trace costs more is fresh memory, not arithmetic: at 224 px dinov2-small's tensors are 124 MB that
    the library's pass does not keep. On a busy machine that, and each step's wait for a second core, weigh more.
    """
    figures = {"threads": Figure(torch.get_num_threads())}
    for title, case in CASES.items():
        found = _times(*case, rounds=rounds)
        figures[f"trace, {title}"] = Figure(
            found, (Promise("ratio", found["ratio"], MOST_TIME, "times the library's"),)
        )
    for title, case in REPORTED.items():
        figures[f"trace, {title}"] = Figure(_times(*case, rounds=max(3, rounds // 4)))
    for title, case in CASES.items():
        found = _memory(*case)
        promise = Promise("ratio", found["ratio"], MOST_MEMORY, "times the library's")
        figures[f"trace memory, {title}"] = Figure(found, (promise,))
    quartiles = _map_time()
    promise = Promise("median", quartiles[1], MOST_MAP_MS, "ms")
    figures["attention map of one head and query from a kept trace"] = Figure({"ms": quartiles}, (promise,))
    return figures


def _inputs(name: str, side: int) -> tuple[Checkpoint, torch.Tensor]:
    checkpoint = load(name, image_size=side)
    prepared = prepare(open_sample("astronaut"), checkpoint.model.config.patch_size, side)  # a square picture
    return checkpoint, torch.from_numpy(checkpoint.preparation.apply(prepared))[None]


@torch.no_grad()
def _library(checkpoint: Checkpoint, pixels: torch.Tensor) -> Any:
    return checkpoint.model(pixels, output_attentions=True, output_hidden_states=True)


def _seconds(call: Callable[[], Any]) -> tuple[float, float]:
    """Return wall and processor seconds of one call."""
    wall, processor = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - processor


def _times(name: str, side: int, rounds: int) -> dict[str, Any]:
    """Run both by turns, so that whatever else the machine does meets both alike."""
    checkpoint, pixels = _inputs(name, side)
    _library(checkpoint, pixels), trace(checkpoint, pixels)
    theirs, ours = [], []
    for _ in range(rounds):
        theirs.append(_seconds(lambda: _library(checkpoint, pixels)))
        ours.append(_seconds(lambda: trace(checkpoint, pixels)))
    (their_wall, their_processor), (our_wall, our_processor) = zip(*theirs, strict=True), zip(*ours, strict=True)
    return {
        "library_ms": _quartiles(their_wall),
        "trace_ms": _quartiles(our_wall),
        "ratio": round(median(our_wall) / median(their_wall), 3),
        # What other processes do moves these two least.
        "processor_ratio": round(median(our_processor) / median(their_processor), 3),
        "ratio_of_fastest": round(min(our_wall) / min(their_wall), 3),
        "wanted": WANTED_TIME,
        "rounds": rounds,
    }


def _quartiles(seconds: Sequence[float]) -> list[float]:
    """Return first quartile, median and third quartile in milliseconds."""
    ordered = sorted(seconds)
    return [round(1e3 * ordered[round(share * (len(ordered) - 1))], 3) for share in (0.25, 0.5, 0.75)]


def _memory(name: str, side: int) -> dict[str, Any]:
    """Measure the peak of two fresh processes, one for the library's pass and one for ours."""
    peaks = {}
    for way in ("library", "trace"):
        command = [sys.executable, "-m", "tests.bench.bench_trace", way, name, str(side)]
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
        peaks[way] = json.loads(answer.stdout)["peak_mb"]
    return {
        "library_mb": peaks["library"],
        "trace_mb": peaks["trace"],
        "ratio": round(peaks["trace"] / peaks["library"], 3),
    }


def _map_time() -> list[float]:
    checkpoint, pixels = _inputs("dinov2-small", 224)
    kept = trace(checkpoint, pixels)

    def one_map(n: int) -> bytes:
        return kept.attention_map(n % 12, n % 6, n % 257).numpy().tobytes()

    seconds = [_seconds(lambda n=n: one_map(n))[0] for n in range(500)]
    return _quartiles(seconds)


def _one_pass(way: str, name: str, side: int) -> None:
    checkpoint, pixels = _inputs(name, side)
    kept = [(_library if way == "library" else trace)(checkpoint, pixels)]
    print(json.dumps({"peak_mb": round(_peak_bytes() / 1e6), "kept": len(kept)}))


def _peak_bytes() -> int:
    status = Path("/proc/self/status")
    if status.is_file():
        # not ru_maxrss: Linux hands a parent's peak on to its children
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS


if __name__ == "__main__":
    if len(sys.argv) == 4:
        _one_pass(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        print(json.dumps({what: figure.shown for what, figure in run().items()}, indent=1))
