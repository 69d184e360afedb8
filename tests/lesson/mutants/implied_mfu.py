"""Wrong utilisation."""

from __future__ import annotations

from . import mutant


@mutant("per-cent")
def in_per_cent(exaflops, device_days, peak_tflops):
    return 100 * exaflops * 1e18 / (device_days * 86400 * peak_tflops * 1e12)


@mutant("upside-down")
def turned_over(exaflops, device_days, peak_tflops):
    return device_days * 86400 * peak_tflops * 1e12 / (exaflops * 1e18)


@mutant("capped")
def at_most_one(exaflops, device_days, peak_tflops):
    return min(1.0, exaflops * 1e18 / (device_days * 86400 * peak_tflops * 1e12))


@mutant("days-as-seconds")
def a_day_is_a_second(exaflops, device_days, peak_tflops):
    return exaflops * 1e18 / (device_days * peak_tflops * 1e12)


@mutant("peak-forgotten")
def speed(exaflops, device_days, peak_tflops):
    return exaflops * 1e18 / (device_days * 86400) / 1e12


@mutant("lost-not-used")
def idle(exaflops, device_days, peak_tflops):
    return 1 - exaflops * 1e18 / (device_days * 86400 * peak_tflops * 1e12)


@mutant("rounded")
def two_decimals(exaflops, device_days, peak_tflops):
    return round(exaflops * 1e18 / (device_days * 86400 * peak_tflops * 1e12), 2)
