"""Exercise of chapter 05: a published row of A v that cannot be right."""

from __future__ import annotations

import numpy as np

from widgets.common.facts import published
from widgets.lesson.exercises import _pieces
from widgets.lesson.exercises._bridge import tensor
from widgets.lesson.specification import Case, Exercise, Misconception

PRINTED = 3  # decimals of a published table


def expected(z: np.ndarray, U_qkv: np.ndarray, published: np.ndarray) -> int:
    """Index of the row that recomputing does not confirm."""
    return int(np.abs(_right_rows(z, U_qkv) - published).max(axis=1).argmax())


def _right_rows(z: np.ndarray, U_qkv: np.ndarray) -> np.ndarray:
    from widgets.model import attention as model

    q, k, v = (tensor(part) for part in np.split(z @ U_qkv, 3, axis=1))
    return model.attention(q, k, v)[0].numpy()


def faulty(z: np.ndarray, U_qkv: np.ndarray, published: np.ndarray, faults: frozenset[str] = frozenset()):
    """What comes back with the named mistakes."""
    T, D_h = published.shape
    packed = z @ U_qkv
    q, k, v = [packed[:, i::3] for i in range(3)] if "third-columns" in faults else np.split(packed, 3, axis=1)
    off = np.abs(published - _recomputed(q, k, v, z.shape[1], faults)).max(axis=1)
    if "ranges" in faults:
        off = np.maximum(published - v.max(0), v.min(0) - published).max(axis=1).clip(0)
    if "weights-unbound" in faults:
        off = -np.linalg.lstsq(v.T, published.T, rcond=None)[0].min(axis=0)
    if "longest" in faults:
        off = np.linalg.norm(published, axis=1)
    if "farthest" in faults:
        off = np.linalg.norm(published - published.mean(0), axis=1)
    if "own-value" in faults:
        off = np.linalg.norm(published - v, axis=1)
    for name, (_, apart) in APART.items():
        if name in faults:
            off = apart(published - _recomputed(q, k, v, z.shape[1], faults))
    found = int((-off if "nearest" in faults else off).argmax())
    if "key" in faults:
        found = int(_weights_behind(v, published).argmin()) // T
    if "largest-weight" in faults:
        found = int(_weights_behind(v, published).max(axis=0).argmax())
    if "column" in faults:
        found = int(np.abs(published - _recomputed(q, k, v, z.shape[1], faults)).max(axis=0).argmax())
    if "entry" in faults:
        found = int(np.abs(published - _recomputed(q, k, v, z.shape[1], faults)).argmax())
    if "row-itself" in faults:
        return published[found]
    return found + 1 if "from-one" in faults else found - T if "from-the-end" in faults else found


_SIGNED = "Differences have signs: take `np.abs` first, then each row's largest."
APART = {
    "signed-sums": (
        f"You summed differences with their signs, and they cancel. {_SIGNED}",
        lambda off: off.sum(axis=1),
    ),
    "signed-sums-turned": (
        f"You summed differences with their signs, and they cancel. {_SIGNED}",
        lambda off: -off.sum(axis=1),
    ),
    "signed-largest": (
        f"You took the largest difference with its sign; one far under 0 is lost. {_SIGNED}",
        lambda off: off.max(axis=1),
    ),
    "signed-largest-turned": (
        f"You took the largest difference with its sign; one far under 0 is lost. {_SIGNED}",
        lambda off: -off.min(axis=1),
    ),
    "sums-of-size": (
        f"You took the size of each row's summed differences, and those cancel. {_SIGNED}",
        lambda off: np.abs(off.sum(axis=1)),
    ),
    "smallest-of-row": (f"You took each row's smallest difference. {_SIGNED}", lambda off: np.abs(off).min(axis=1)),
    "first-column": (f"You compared the first column alone. {_SIGNED}", lambda off: np.abs(off[:, 0])),
    "last-column": (f"You compared the last column alone. {_SIGNED}", lambda off: np.abs(off[:, -1])),
}
"""How far apart rows are, measured wrongly."""


def _weights_behind(v: np.ndarray, published: np.ndarray) -> np.ndarray:
    """The weights that sum to 1 behind each published row, (tokens, rows)."""
    ones = np.ones(len(v))
    return np.linalg.solve(np.vstack([v.T, ones]), np.vstack([published.T, ones]))


def _recomputed(q: np.ndarray, k: np.ndarray, v: np.ndarray, width: int, faults: frozenset[str]) -> np.ndarray:
    divisor = _pieces.divisor(q.shape[1], width, 1, len(q), faults)
    weights = _pieces.attention_weights(q, k, divisor, faults)
    return weights @ v


def _pencil() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The published example as it was printed."""
    from widgets.model.worked_examples import PENCIL_HEAD_1, PENCIL_Z

    z, U_qkv = PENCIL_Z.numpy().copy(), PENCIL_HEAD_1.numpy().copy()
    rows = _right_rows(z, U_qkv).round(PRINTED)
    rows[3] = published("pencil_attention")["last_row_of_A_v"]
    return z, U_qkv, rows


def _made(seed: int, D_h: int, width: int, wrong: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random numbers in which row `wrong` is a combination with a negative weight, for D_h + 1 tokens.

    The seeds are chosen so that the row lies in the range of every column all the same, which a test checks.
    """
    made = np.random.default_rng(seed)
    z, U_qkv = made.normal(size=(D_h + 1, width)).round(1), made.normal(size=(width, 3 * D_h)).round(1)
    weights = made.dirichlet(np.ones(D_h + 1))
    shift = weights.min() + 0.12
    weights[[weights.argmin(), weights.argmax()]] += (-shift, shift)
    rows = _right_rows(z, U_qkv)
    rows[wrong] = weights @ (z @ U_qkv)[:, -D_h:]
    return z, U_qkv, rows.round(PRINTED)


SOLUTION = """
import numpy as np

def wrong_row(z, U_qkv, published):
    q, k, v = np.split(z @ U_qkv, 3, axis=1)               # (N, D_h) each
    scores = q @ k.T / np.sqrt(q.shape[1])                 # (N, N)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)   # rows sum to 1
    off = np.abs(weights @ v - published).max(axis=1)      # how far each printed row is from the right one
    return int(off.argmax())
"""

EXERCISE = Exercise(
    id="wrong_row",
    title="Find the wrong row",
    minutes=12,
    difficulty=3,
    importance=3,
    purpose="A table can look right and be impossible. A softmax leaves a trace by which you can tell.",
    signature="def wrong_row(z, U_qkv, published):",
    text=(
        "A table of `A v` was printed with three decimals, and one of its rows cannot be right. Write"
        " `wrong_row(z, U_qkv, published)` that returns the index of that row, a whole number counted from 0."
        " `z` is `(N, D)`, one row a token; `U_qkv` is `(D, 3 D_h)`, columns q, then k, then v; `published` is"
        " `(N, D_h)`.\n\n"
        "A row of `A` is a softmax: no weight is negative, and they sum to 1. So every row of `A v` is a weighted"
        " average of the rows of `v`. Either recompute, or solve for the weights behind each row: N is D_h + 1 here,"
        " so that they are determined. In every case the wrong row lies inside the range of each column of `v`."
    ),
    hints=(
        "To lie between the smallest and the largest number of each column is not enough: a box has corners that no"
        " average of the rows reaches. You need the weights themselves, or the whole computation.",
        "To recompute: split `z @ U_qkv` into three with `np.split(..., 3, axis=1)`, take the softmax of"
        " `q @ k.T / np.sqrt(D_h)` along each row, times v. Compare with the table row by row.",
        "To solve: put the condition that weights sum to 1 under the others, `np.linalg.solve(np.vstack([v.T,"
        " np.ones(N)]), np.vstack([published.T, np.ones(N)]))`. Column i holds the weights of row i. Which column has"
        " a negative one?",
    ),
    solution=SOLUTION,
    commentary=(
        "The printed row of the pencil example, written as a combination of the value rows with weights that sum to 1,"
        " needs a negative weight. No softmax gives one, whatever q and k are: you know that the row is wrong before"
        " you know what is right."
    ),
    cases=(
        Case("the pencil example as published, 4 tokens, D_h = 3", _pencil),
        Case("3 tokens, D_h = 2, D = 4", lambda: _made(50, 2, 4, 0)),
        Case("5 tokens, D_h = 4, D = 6", lambda: _made(342, 4, 6, 2)),
        Case("4 tokens, D_h = 3, D = 5", lambda: _made(84, 3, 5, 1)),
        Case("5 tokens, D_h = 4, D = 8", lambda: _made(29296, 4, 8, 4)),
        Case("6 tokens, D_h = 5, D = 6", lambda: _made(1, 5, 6, 1)),
        Case("6 tokens, D_h = 5, D = 10", lambda: _made(105642, 5, 10, 3)),
    ),
    expected=expected,
    faulty=faulty,
    any_integer=True,
    misconceptions=(
        Misconception(
            "ranges",
            "Row 0 came in every case, as when a test finds no row, or every row. Each number lies"
            " between the smallest and the largest of its column of v, so ranges show nothing; and the table"
            " is rounded, so no row agrees to the last digit. Take the row that is furthest off.",
        ),
        Misconception(
            "weights-unbound",
            "You solved for weights, but did not ask that they sum to 1. Without that"
            " there are many solutions, and the one you got says nothing.",
        ),
        Misconception("from-one", "You counted from 1. The first row has index 0."),
        Misconception("from-the-end", "You counted from the end. The first row has index 0."),
        Misconception("row-itself", "You returned the row. Return its index."),
        Misconception(
            "entry",
            "You returned the place in the flattened table: argmax without an axis counts all"
            " numbers. Take the largest difference of each row first, with `max(axis=1)`.",
        ),
        Misconception("nearest", "You returned a row that agrees. Look for the largest difference, not the smallest."),
        Misconception("no-scale", "Your own rows are wrong: you did not divide the scores by sqrt(D_h)."),
        Misconception(
            "scale-width",
            "Your own rows are wrong: you divided by sqrt(D), the width of a token. It is"
            " sqrt(D_h), the width of the head.",
        ),
        Misconception("scale-not-rooted", "Your own rows are wrong: you divided by D_h, not by its root."),
        Misconception("columns", "Your own rows are wrong: the softmax runs along a row, axis=1, not down a column."),
        Misconception("transposed-scores", "Your own rows are wrong: you took k q^T. Row i belongs to query i: q k^T."),
        Misconception("no-softmax", "Your own rows are wrong: there is no softmax between the scores and v."),
        Misconception("causal", "Your own rows are wrong: you masked the later tokens. A ViT has no mask."),
        Misconception(
            "third-columns",
            "Your own rows are wrong: you took every third column for q. The first D_h"
            " columns of z U_qkv are q, the next D_h are k, the last are v.",
        ),
        *(Misconception(name, sentence, alone=True) for name, (sentence, _) in APART.items()),
        Misconception(
            "key",
            "You returned the token that has the most negative weight. Asked for is the row it stands in:"
            " with `np.linalg.solve` as in the hint, a column of the weights is a row of the table.",
            alone=True,
        ),
        Misconception(
            "largest-weight",
            "You took the row with the largest weight. A weight near 1 is allowed; one under 0 is not.",
            alone=True,
        ),
        Misconception(
            "column",
            "You returned a column: the largest difference was taken down the columns. Take each"
            " row's, with `max(axis=1)`.",
            alone=True,
        ),
        Misconception("longest", "You took the row with the largest numbers. Large is not wrong: v may be large."),
        Misconception(
            "farthest",
            "You took the row that differs most from the others. A token may well gather something of its own.",
        ),
        Misconception(
            "own-value",
            "You compared each row with the token's own value. A token gathers from all others"
            " too, so its row of A v may lie far from its row of v.",
        ),
    ),
)
