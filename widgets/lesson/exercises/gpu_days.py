"""Exercise of chapter 09: how long a training run takes on one device."""

from __future__ import annotations

from functools import partial

from widgets.lesson.exercises._naming import explain
from widgets.lesson.exercises._quantities import RATE_ADVICE, RATE_MEANING, RATE_UNITS, RATE_UNITS_OF, RATES
from widgets.lesson.exercises._terms import Formula, terms
from widgets.lesson.specification import Case, Exercise, Misconception

DAY = 86_400


def expected(exaflops: float, peak_tflops: float, mfu: float) -> float:
    """Days on one device."""
    from widgets.model.count import gpu_days

    return gpu_days(exaflops, peak_tflops, mfu)


def faulty(exaflops: float, peak_tflops: float, mfu: float, faults: frozenset[str] = frozenset()) -> float:
    """The days of somebody with the named mistakes."""
    peak = peak_tflops * (1e9 if "giga" in faults else 1e12)
    share = mfu / 100 if "per-cent" in faults else 1.0 if "mfu-forgotten" in faults else mfu
    work = (
        exaflops
        * (1e15 if "thousand" in faults else 1e18)
        * (2 if "doubled" in faults else 1)
        * (3 if "training-again" in faults else 1)
    )
    seconds = work / peak * share if "mfu-multiplied" in faults else work / (peak * share)
    if "peak-multiplied" in faults:
        seconds = work * peak * share
    if "lost-not-used" in faults:
        seconds = work / (peak * (1 - share))
    unit = 1 if "seconds" in faults else 3600 if "hours" in faults else 60 if "minutes" in faults else DAY
    return DAY / seconds if "upside-down" in faults else seconds / unit


FORMULA = Formula(
    read=lambda exaflops, peak_tflops, mfu: dict(exaflops=exaflops, peak_tflops=peak_tflops, mfu=mfu, **RATE_UNITS_OF),
    terms=terms({"the days": "exaflops 10^18 / peak_tflops 10^12 mfu 86400"}),
    tolerance=1e-9,
    variants=RATES
    | {
        "mfu": {
            "1 - mfu": lambda v: 1 - v["mfu"],
            "mfu / 100": lambda v: v["mfu"] / 100,
            "100 mfu": lambda v: 100 * v["mfu"],
            "1 + mfu": lambda v: 1 + v["mfu"],
            "1": lambda v: 1,
            "0.5": lambda v: 0.5,
        }
    },
    meaning=RATE_MEANING | {"mfu": "the share of the peak that is reached"},
    units=RATE_UNITS,
    advice=RATE_ADVICE,
)

SOLUTION = """
def gpu_days(exaflops, peak_tflops, mfu):
    operations_a_second = peak_tflops * 1e12 * mfu          # what the device reaches, not what it could
    seconds = exaflops * 1e18 / operations_a_second
    return seconds / (24 * 60 * 60)
"""


def _case(title: str, *arguments: float) -> Case:
    return Case(
        f"{title} (exaflops={arguments[0]}, peak_tflops={arguments[1]}, mfu={arguments[2]})", lambda: arguments, 1e-9
    )


EXERCISE = Exercise(
    id="gpu_days",
    title="Days on one device",
    minutes=10,
    difficulty=1,
    importance=3,
    purpose="ExaFLOPs say little to whoever pays for the machine. Days do.",
    signature="def gpu_days(exaflops, peak_tflops, mfu):",
    text=(
        "Write `gpu_days(exaflops, peak_tflops, mfu)`: the days that one device needs for `exaflops` (10^18 operations"
        " each). Its dense peak is `peak_tflops` (10^12 operations a second), and the share `mfu` of it is reached, a"
        " number over 0 and at most 1. Return a float. **mfu** is short for model FLOPs utilisation: the operations"
        " that the model needs, divided by what the device could have done in that time."
    ),
    hints=(
        "Work divided by speed is time. What is the speed in operations a second?",
        "Speed: peak_tflops times 1e12, times mfu. Work: exaflops times 1e18.",
        "That gives seconds. A day has 86,400 of them.",
    ),
    solution=SOLUTION,
    commentary=(
        "A lower utilisation makes the run longer, so `mfu` divides. The dense peak is meant: makers like to print the"
        " peak for matrices that are half zeros, which is twice as high."
    ),
    cases=(
        _case("ViT-H/14 on a TPU v3 core", 4262, 61.5, 0.32),
        _case("one exaFLOP", 1.0, 100.0, 0.5),
        _case("a small run", 0.037, 15.7, 0.23),
        _case("the peak itself", 86.4, 1000.0, 1.0),
        _case("a large run on a fast device", 61_000.0, 989.0, 0.41),
        _case("the same, better used", 61_000.0, 989.0, 0.53),
        _case("the same on a slower device", 61_000.0, 312.0, 0.41),
        _case("more of the same", 87_000.0, 989.0, 0.41),
        _case("the peak itself, on a slower device", 86.4, 125.0, 1.0),
        _case("a badly used device", 12.5, 98.3, 0.17),
    ),
    expected=expected,
    faulty=faulty,
    explain=partial(explain, FORMULA),
    misconceptions=(
        Misconception(
            "mfu-multiplied", "You multiplied the time by mfu. A device that reaches less takes longer: divide."
        ),
        Misconception("mfu-forgotten", "mfu is missing: no run reaches the peak all the time."),
        Misconception("lost-not-used", "You took what is lost, 1 - mfu. mfu is the share that is used."),
        Misconception("per-cent", "You divided mfu by 100. It is a share already: 0.32, not 32."),
        Misconception("seconds", "Those are seconds. A day has 86,400."),
        Misconception("minutes", "Those are minutes. A day has 1,440."),
        Misconception("hours", "Those are hours. A day has 24."),
        Misconception("giga", "Tera is 10^12; you took 10^9."),
        Misconception(
            "thousand",
            "A thousand times too short: exa is 10^18 and tera 10^12; one of the two was taken for peta, 10^15.",
        ),
        Misconception("doubled", "You doubled the work. `exaflops` counts operations already, not multiply-adds."),
        Misconception("training-again", "You tripled the work. `exaflops` is the whole training run already."),
        Misconception("peak-multiplied", "You multiplied by the speed. Time is work divided by speed."),
        Misconception("upside-down", "It is upside down: that is runs a day."),
    ),
)
