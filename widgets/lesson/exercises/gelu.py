"""Exercise of chapter 07: GELU, the exact form."""

from __future__ import annotations

import numpy as np

from widgets.lesson.exercises._activations import CURVES, STEPS, activation
from widgets.lesson.exercises._bridge import numbers, tensor
from widgets.lesson.exercises._slips import but, listed, slips_at
from widgets.lesson.specification import Case, Exercise, Misconception, Outcome


def expected(x: np.ndarray) -> np.ndarray:
    """x Phi(x), number by number."""
    from widgets.model.encoder import gelu

    return gelu(tensor(x)).numpy()


def faulty(x: np.ndarray, faults: frozenset[str] = frozenset()) -> np.ndarray:
    """GELU with the named mistakes."""
    return activation(x, faults)


def _one_number(failed: Outcome, outcomes: list[Outcome]) -> bool:
    return isinstance(failed.error, (TypeError, ValueError)) and (
        "scalar" in str(failed.error) or "ambiguous" in str(failed.error)
    )


def _no_erf(failed: Outcome, outcomes: list[Outcome]) -> bool:
    return isinstance(failed.error, AttributeError) and "erf" in str(failed.error)


SAME = "gelu:absolute gelu:relu x:relu x:clipped-5 x:clipped-6 x:clipped-10 x:clipped-1000 x:negated"

SOLUTION = """
import math
import numpy as np

def gelu(x):
    erf = np.vectorize(math.erf)                  # NumPy has no erf of its own
    phi = 0.5 * (1 + erf(x / math.sqrt(2)))       # Phi(x), from 0 to 1
    return x * phi
"""

EXERCISE = Exercise(
    id="gelu",
    title="GELU",
    minutes=8,
    difficulty=2,
    importance=3,
    purpose="It is the only thing in the MLP that is not linear, and more than one form of it is in use.",
    signature="def gelu(x):",
    text=(
        "Write `gelu(x)`: `x` times `Phi(x)`, number by number, for an array `x` of any shape. `Phi` is the"
        " distribution function of the standard normal: `Phi(x) = (1 + erf(x / sqrt(2))) / 2`. This is the exact"
        " form; the tanh form is refused here. Return an array of the shape of `x`, and leave `x` as it was."
    ),
    hints=(
        (
            "`Phi(x)` is a number from 0 to 1: how much of `x` is let through. Far left it is 0, at 0 it is one half,"
            " far right it is 1. Sketch `x Phi(x)` from that before you write it."
        ),
        (
            "NumPy has no erf. `math.erf` takes one number at a time: `np.vectorize(math.erf)` makes it take an array."
            " `torch.erf` and `scipy.special.erf` take arrays as they are."
        ),
        "`0.5 * x * (1 + erf(x / sqrt(2)))`. The root stands inside erf, under x; the half and the 1 stand outside.",
    ),
    solution=SOLUTION,
    commentary=(
        "ReLU asks whether x is positive, and lets all or nothing through. GELU lets through the share of normal"
        " numbers that are smaller than x, so a small negative number still passes a little, and the slope has no jump."
    ),
    cases=(
        Case("nine places from −3 to 3", lambda: (np.array([-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3.0]),)),
        Case("a row of 5 tokens, D_ff = 7", lambda: (numbers(700, 5, 7, spread=1.5),)),
        Case("numbers around −0.75, where GELU is lowest", lambda: (numbers(710, 2, 6, spread=0.2, centre=-0.75),)),
        Case("numbers far from 0", lambda: (np.array([[-12.0, -6.0, -4.5], [4.5, 6.0, 12.0]]),)),
        Case("2 pictures of 3 x 3 numbers", lambda: (numbers(720, 2, 3, 3),)),
        Case("numbers in the thousands, on both sides of 0", lambda: (numbers(730, 3, 4, spread=3e3),)),
    ),
    expected=expected,
    faulty=faulty,
    misconceptions=(
        Misconception("relu", "That is ReLU. GELU lets a small negative number through: x Phi(x)."),
        Misconception(
            "gelu-tanh",
            "That is the tanh form. It is under 1e-3 away everywhere, and still another function: the"
            " exact one is x Phi(x), with erf.",
        ),
        Misconception("no-cube", "That is the tanh form without its cubic term. The exact one is x Phi(x), with erf."),
        Misconception(
            "gelu-sigmoid", "That is x sigmoid(1.702 x), a quick form of GELU. The exact one is x Phi(x), with erf."
        ),
        Misconception(
            "silu", "That is SiLU, x sigmoid(x). GELU takes the normal distribution function in the sigmoid's place."
        ),
        Misconception(
            "logistic", "That is the sigmoid alone. GELU is x times Phi(x), the normal distribution function."
        ),
        Misconception("softplus", "That is softplus, log(1 + exp(x)). GELU is x Phi(x)."),
        Misconception("gelu-erf-unscaled", "Inside erf stands x / sqrt(2); you left the root out."),
        Misconception("erf-halved", "Inside erf stands x / sqrt(2); you divided by 2, not by its root."),
        Misconception("erf-times-root", "Inside erf stands x / sqrt(2); you multiplied by the root."),
        Misconception(
            "no-one", "The 1 is missing: Phi(x) = (1 + erf(x / sqrt(2))) / 2. Without it Phi goes from -1/2 to 1/2."
        ),
        Misconception(
            "no-half", "The half is missing: Phi(x) = (1 + erf(x / sqrt(2))) / 2. Without it Phi goes up to 2."
        ),
        Misconception("phi-only", "That is Phi(x). GELU is x times that."),
        Misconception(
            "density",
            "You multiplied by the bell curve itself. Phi is the area under it, up to x: its distribution function.",
        ),
        Misconception("mirrored", "Your Phi falls where it should rise: 1 + erf(x / sqrt(2)), with a plus."),
        Misconception("absolute", "A sign was lost: x is used as it is, without abs."),
        Misconception("no-activation", "x came back as it was. Each number is multiplied by Phi of itself."),
        Misconception(
            "scalar-erf",
            "`math.erf` and `if` take one number, not an array. `np.vectorize(math.erf)` or `torch.erf` take them all.",
            _one_number,
        ),
        Misconception(
            "numpy-erf", "NumPy has no erf. `np.vectorize(math.erf)` makes one, and torch has `torch.erf`.", _no_erf
        ),
        *but(listed(CURVES) + slips_at(STEPS), SAME),
    ),
)
