"""Wrong days."""

from __future__ import annotations

from . import mutant


@mutant("mfu-multiplied")
def faster_when_worse(exaflops, peak_tflops, mfu):
    return exaflops * 1e18 / (peak_tflops * 1e12) * mfu / 86400


@mutant("mfu-forgotten")
def at_the_peak(exaflops, peak_tflops, mfu):
    return exaflops * 1e18 / (peak_tflops * 1e12) / 86400


@mutant("seconds")
def in_seconds(exaflops, peak_tflops, mfu):
    return exaflops * 1e18 / (peak_tflops * 1e12 * mfu)


@mutant("hours")
def in_hours(exaflops, peak_tflops, mfu):
    return exaflops * 1e18 / (peak_tflops * 1e12 * mfu) / 3600


@mutant("per-cent")
def as_per_cent(exaflops, peak_tflops, mfu):
    return exaflops * 1e18 / (peak_tflops * 1e12 * mfu / 100) / 86400


@mutant("thousand")
def thousand_times_less(exaflops, peak_tflops, mfu):
    return exaflops * 1e15 / (peak_tflops * 1e12 * mfu) / 86400


@mutant("doubled")
def operations_twice(exaflops, peak_tflops, mfu):
    return 2 * exaflops * 1e18 / (peak_tflops * 1e12 * mfu) / 86400
