"""Exercise of chapter 07: LayerNorm."""

from __future__ import annotations

import numpy as np

from widgets.lesson.exercises._bridge import numbers, tensor
from widgets.lesson.exercises._norms import norm, norm_misconceptions
from widgets.lesson.exercises._slips import but
from widgets.lesson.specification import Case, Exercise, Misconception, Outcome


def expected(x: np.ndarray, gain: np.ndarray, shift: np.ndarray, eps: float) -> np.ndarray:
    """Every token normalised over its D numbers."""
    from widgets.model.encoder import layer_norm

    return layer_norm(tensor(x), tensor(gain), tensor(shift), eps).numpy()


def faulty(
    x: np.ndarray, gain: np.ndarray, shift: np.ndarray, eps: float, faults: frozenset[str] = frozenset()
) -> np.ndarray:
    """LayerNorm with the named mistakes."""
    return norm(x, gain, shift, eps, faults)


def _case(seed: int, tokens: int, width: int, eps: float, spread: float = 1.0) -> tuple:
    return (
        numbers(seed, tokens, width, spread=spread, centre=2 * spread),
        numbers(seed + 1, width, centre=1.5),
        numbers(seed + 2, width),
        eps,
    )


def _lost_axis(failed: Outcome, outcomes: list[Outcome]) -> bool:
    return isinstance(failed.error, ValueError) and "broadcast" in str(failed.error)


def _large() -> tuple:
    """Everything in the thousands, on both sides of 0."""
    return (*tuple(numbers(350 + i, *shape, spread=3000.0) for i, shape in enumerate(((4, 6), (6,), (6,)))), 0.001)


def _far_off() -> tuple:
    """Rows in which one number is far from all others: normalised, it is about 11."""
    x = numbers(360, 2, 128)
    x[0, 3], x[1, 77] = 400.0, -300.0
    return x, numbers(361, 128, centre=1.5), numbers(362, 128), 1e-2


def _flat() -> tuple:
    return np.full((2, 4), 3.0), numbers(341, 4), numbers(342, 4), 1e-3


SAME = (
    "gain:exp "
    "eps:to-the-numbers brackets:gain-divides-too normal:centred normal:centred-all normal:row-minimum "
    "normal:row-maximum normal:rms normal:clipped-1000 normal:rows-backwards normal:rows-rolled "
    "normal:rows-rolled-back normal:first-row normal:last-row normal:mean-row normal:mean-all normal:negated "
    "normal:over-root-width centred:absolute centred:relu centred:centred centred:centred-all centred:row-minimum "
    "centred:row-maximum centred:rms centred:columns-backwards centred:columns-rolled centred:columns-rolled-back "
    "centred:sorted centred:summed-up-columns centred:first-column centred:mean-column centred:mean-all "
    "centred:first-row-0 centred:last-row-0 centred:first-column-0 centred:last-column-0 centred:only-first-row "
    "spread:first-row spread:doubled spread:halved spread:squared spread:clipped-0-1 mean:first-row mean:mean-row "
    "mean:doubled mean:negated x:centred x:centred-all x:from-0 x:row-minimum x:row-maximum x:over-largest-size "
    "x:rows-backwards x:columns-backwards x:rows-rolled x:rows-rolled-back x:columns-rolled x:columns-rolled-back "
    "x:sorted x:first-row x:last-row x:first-column x:mean-column x:mean-all x:first-row-0 x:last-row-0 "
    "x:only-first-row gain:squared gain:first-column-0 gain:last-column-0 gain:ones gain:negated gain:doubled "
    "gain:halved shift:negated shift:doubled"
)

SOLUTION = """
import numpy as np

def layer_norm(x, gain, shift, eps):
    mean = x.mean(axis=-1, keepdims=True)        # (T, 1): one mean a token
    variance = x.var(axis=-1, keepdims=True)     # population variance: divided by D
    return (x - mean) / np.sqrt(variance + eps) * gain + shift
"""

EXERCISE = Exercise(
    id="layer_norm",
    title="LayerNorm",
    minutes=10,
    difficulty=2,
    importance=4,
    purpose="It stands 25 times in ViT-B/16, and its epsilon differs from one code to the next.",
    signature="def layer_norm(x, gain, shift, eps):",
    text=(
        "Write `layer_norm(x, gain, shift, eps)`. `x` is `(T, D)`, one row a token; `gain` and `shift` are"
        " `(D,)`. Every row is brought to mean 0 and, but for `eps`, variance 1 over its own D numbers; then it"
        " is multiplied by `gain` and `shift` is added. The variance is the population variance, divided by D,"
        " and `eps` is added to it inside the root. Return `(T, D)`."
    ),
    hints=(
        "Each token is normalised by itself: no number of one row may depend on another row. So mean and"
        " variance run along the last axis.",
        "Keep the axis, so that the shapes fit: `x.mean(axis=-1, keepdims=True)` is `(T, 1)`. `x.var` of NumPy"
        " divides by D; `torch.var` divides by D - 1 unless told otherwise.",
        "Center, divide by `np.sqrt(variance + eps)`, multiply by `gain`, add `shift`, in this order.",
    ),
    solution=SOLUTION,
    commentary=(
        "Epsilon sits inside the root, beside the variance. It keeps a row of equal numbers from dividing by"
        " zero, and it matters for rows whose variance is about as small: the check uses such rows."
    ),
    cases=(
        Case("3 tokens of width 5, eps = 0.1", lambda: _case(300, 3, 5, 0.1)),
        Case("4 tokens of width 4, eps = 0.5", lambda: _case(310, 4, 4, 0.5)),
        Case("2 tokens of width 8 with a spread of 0.001, eps = 0.000001", lambda: _case(320, 2, 8, 1e-6, 1e-3)),
        Case("1 token of width 6, eps = 0.01", lambda: _case(330, 1, 6, 0.01)),
        Case("rows whose numbers are all equal, eps = 0.001", _flat),
        Case("2 tokens of width 128, in each one number far off, eps = 0.01", _far_off),
        Case("4 tokens of width 6, numbers in the thousands, eps = 0.001", _large),
    ),
    expected=expected,
    faulty=faulty,
    misconceptions=(
        Misconception(
            "eps-outside",
            "Your epsilon is outside the root: sqrt(variance) + eps. It belongs inside: sqrt(variance + eps).",
        ),
        Misconception("no-eps", "The epsilon you were given is not used: sqrt(variance + eps)."),
        Misconception("eps-1e-5", "You used 1e-5, PyTorch's default, in place of the eps you were given."),
        Misconception("eps-1e-6", "You used 1e-6 in place of the eps you were given."),
        Misconception(
            "eps-root",
            "You added two roots, sqrt(variance) + sqrt(eps). One root is taken, of the sum: sqrt(variance + eps).",
        ),
        Misconception("twice", "You normalised twice."),
        Misconception("gain-divides", "You divided by the gain. Multiply by it."),
        Misconception(
            "eps-squared", "You squared epsilon. It is added to the variance as it is: sqrt(variance + eps)."
        ),
        Misconception(
            "eps-last", "You added epsilon after the division. It belongs to the variance: sqrt(variance + eps)."
        ),
        Misconception(
            "sample-variance",
            "You divided the variance by D - 1 (torch.var does so by default)."
            " LayerNorm takes the population variance, divided by D.",
        ),
        Misconception(
            "sum-of-squares",
            "You divided by the root of the sum of squares. The variance is their mean: divide the sum by D.",
        ),
        Misconception("mean-deviation", "You divided by the mean absolute deviation. It is the root of the variance."),
        Misconception("largest", "You divided by the largest deviation. It is the root of the variance."),
        Misconception("median", "You subtracted the median. It is the mean."),
        Misconception("not-rooted", "You divided by the variance, not by its root."),
        Misconception(
            "over-tokens",
            "You normalised down the columns, over the tokens, as BatchNorm does."
            " LayerNorm works along each row: axis=-1.",
        ),
        Misconception(
            "over-everything",
            "You normalised the whole matrix at once. Every row has its own mean and"
            " variance: axis=-1 with keepdims=True.",
        ),
        Misconception("not-centred", "The mean was not subtracted from x."),
        Misconception(
            "rms",
            "You left the mean out altogether (RMSNorm). LayerNorm subtracts it, and takes the variance around it.",
        ),
        Misconception("no-gain", "Did you apply the gain? Multiply by it after normalising."),
        Misconception("no-shift", "Did you apply the shift? Add it at the end."),
        Misconception("gain-shift-swapped", "Gain and shift changed places: multiply by gain, add shift."),
        Misconception("gain-plus-one", "You multiplied by 1 + gain. Here the gain is used as it is."),
        Misconception("shift-first", "You added the shift before the gain. First multiply, then add."),
        Misconception(
            "keepdims", "The mean lost its axis: (T,) does not fit (T, D). Keep it with keepdims=True.", _lost_axis
        ),
        *but(norm_misconceptions(), SAME),
    ),
)
