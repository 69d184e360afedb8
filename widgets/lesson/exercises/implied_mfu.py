"""Exercise of chapter 09: how well the devices of a published run were used."""

from __future__ import annotations

from functools import partial

from widgets.lesson.exercises._naming import explain
from widgets.lesson.exercises._quantities import RATE_ADVICE, RATE_MEANING, RATE_UNITS, RATE_UNITS_OF, RATES
from widgets.lesson.exercises._terms import Formula, terms
from widgets.lesson.specification import Case, Exercise, Misconception

DAY = 86_400


def expected(exaflops: float, device_days: float, peak_tflops: float) -> float:
    """Share of the peak that was reached."""
    from widgets.model.count import implied_mfu

    return implied_mfu(exaflops, device_days, peak_tflops)


def faulty(exaflops: float, device_days: float, peak_tflops: float, faults: frozenset[str] = frozenset()) -> float:
    """The share of somebody with the named mistakes."""
    day = 1 if "days-as-seconds" in faults else 3600 if "days-as-hours" in faults else DAY
    peak = peak_tflops * (1e9 if "giga" in faults else 1e12)
    work = (
        exaflops
        * (1e15 if "thousand" in faults else 1e18)
        * (2 if "doubled" in faults else 0.5 if "halved" in faults else 1)
        * (3 if "training-again" in faults else 1)
    )
    share = work / (device_days * day * peak)
    if "peak-forgotten" in faults:
        return work / (device_days * day) / 1e12
    if "upside-down" in faults:
        return 1 / share
    share = min(1.0, share) if "capped" in faults else share
    return (
        100 * share
        if "per-cent" in faults
        else round(share, 2)
        if "rounded" in faults
        else 1 - share
        if "lost-not-used" in faults
        else share
    )


FORMULA = Formula(
    read=lambda exaflops, device_days, peak_tflops: dict(
        exaflops=exaflops, device_days=device_days, peak_tflops=peak_tflops, **RATE_UNITS_OF
    ),
    terms=terms({"the share": "exaflops 10^18 / device_days 86400 peak_tflops 10^12"}),
    tolerance=1e-9,
    variants=RATES,
    meaning=RATE_MEANING | {"device_days": "the days of all devices together"},
    units=RATE_UNITS,
    advice=RATE_ADVICE,
)

SOLUTION = """
def implied_mfu(exaflops, device_days, peak_tflops):
    done = exaflops * 1e18                                  # operations the model needed
    possible = device_days * 24 * 60 * 60 * peak_tflops * 1e12
    return done / possible                                  # over 1: one of the three numbers is wrong
"""


def _case(title: str, *arguments: float) -> Case:
    return Case(
        f"{title} (exaflops={arguments[0]}, device_days={arguments[1]}, peak_tflops={arguments[2]})",
        lambda: arguments,
        1e-9,
    )


EXERCISE = Exercise(
    id="implied_mfu",
    title="How well were the devices used?",
    minutes=10,
    difficulty=2,
    importance=3,
    purpose=(
        "A paper prints compute in one table and device-days in another. Together they say how well the devices were"
        " used, and whether the numbers can be true."
    ),
    signature="def implied_mfu(exaflops, device_days, peak_tflops):",
    text=(
        "Write `implied_mfu(exaflops, device_days, peak_tflops)`: the share of the dense peak that a run reached, which"
        " did `exaflops` (10^18 operations each) in `device_days` on devices of `peak_tflops` (10^12 operations a"
        " second each). Return a float as it comes out: a share over 1 is a finding, since one of the three numbers"
        " must then be wrong."
    ),
    hints=(
        "What was done, divided by what the devices could have done in that time.",
        "Could have done: device_days times 86,400 seconds times peak_tflops times 1e12.",
        "Do not cap it and do not turn it into per cent.",
    ),
    solution=SOLUTION,
    commentary=(
        "For ViT-H/14 it is 0.32 on TPU v3 cores. If it is over 1, ask what was counted: multiply-adds or operations, a"
        " core or a chip, the dense or the sparse peak."
    ),
    cases=(
        _case("ViT-H/14 on TPU v3 cores", 4262, 2500, 61.5),
        _case("half of the peak", 4.32, 1.0, 100.0),
        _case("a small run", 0.037, 0.11, 15.7),
        _case("more than is possible", 1000.0, 20.0, 275.0),
        _case("a large run", 61_000.0, 1741.3, 989.0),
        _case("the same, longer", 61_000.0, 2214.7, 989.0),
        _case("the same on other devices", 61_000.0, 1741.3, 1513.0),
        _case("more of the same", 87_000.0, 1741.3, 989.0),
        _case("far more than is possible", 5000.0, 9.5, 275.0),
    ),
    expected=expected,
    faulty=faulty,
    explain=partial(explain, FORMULA),
    misconceptions=(
        Misconception("per-cent", "That is in per cent. A share is asked for: 0.32, not 32."),
        Misconception("upside-down", "It is upside down: what was possible, divided by what was done."),
        Misconception("lost-not-used", "That is the share that was lost. The share that was used is asked for."),
        Misconception("capped", "You cut it off at 1. A share over 1 is a finding: return it."),
        Misconception("rounded", "You rounded. Return the share as it comes out."),
        Misconception("peak-forgotten", "That is the speed that was reached, in TFLOP/s. Divide by the peak."),
        Misconception("days-as-seconds", "A day has 86,400 seconds, and the peak is a second's."),
        Misconception("days-as-hours", "A day has 24 hours of 3,600 seconds; you took one hour."),
        Misconception("giga", "Tera is 10^12; you took 10^9."),
        Misconception(
            "thousand",
            "A thousand times too small: exa is 10^18 and tera 10^12; one of the two was taken for peta, 10^15.",
        ),
        Misconception("doubled", "You doubled the work. `exaflops` counts operations already, not multiply-adds."),
        Misconception("halved", "You halved the work. `exaflops` counts operations; the peak does too."),
        Misconception("training-again", "You tripled the work. `exaflops` is the whole training run already."),
    ),
)
