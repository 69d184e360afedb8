"""Exercise of chapter 05: one attention head, Eqs. 6 and 7."""

from __future__ import annotations

import numpy as np

from ..specification import Case, Exercise, Misconception, Outcome
from . import _pieces
from ._bridge import numbers, tensor


def expected(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(output, weights) of one head."""
    from widgets.model import attention as model

    output, weights, _ = model.attention(tensor(q), tensor(k), tensor(v))
    return output.numpy(), weights.numpy()


def faulty(q: np.ndarray, k: np.ndarray, v: np.ndarray, faults: frozenset[str] = frozenset()):
    """What comes back with the named mistakes."""
    T, D_h = q.shape
    if "cosine" in faults:
        q, k = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (q, k))
    if "distances" in faults:
        weights = _pieces.softmax(-((q[:, None] - k[None]) ** 2).sum(-1) / np.sqrt(D_h))
        return weights @ v, weights
    divisor = _pieces.divisor(D_h, D_h, 1, T, faults)
    weights = _pieces.attention_weights(q, k, divisor, faults)
    if "scaled-after" in faults:
        weights = _pieces.softmax(q @ k.T) / np.sqrt(D_h)
    source = k if "mixes-keys" in faults else q if "mixes-queries" in faults else v
    output = (weights.T if "output-transposed" in faults else weights) @ source
    output = output + v if "residual" in faults else output
    if "scores-returned" in faults:
        weights = q @ k.T / divisor
    if "output-only" in faults:
        return output
    if "weights-only" in faults:
        return weights
    return (weights, output) if "swapped" in faults else (output, weights)


def _rows_off_one(failed: Outcome, outcomes: list[Outcome]) -> bool:
    weights = np.asarray(failed.returned[1])
    return weights.shape == failed.expected[1].shape and not np.allclose(weights.sum(1), 1)


def _overflows(failed: Outcome, outcomes: list[Outcome]) -> bool:
    """Everything is right until the scores are large, and then there are NaNs."""
    came = failed.returned
    return isinstance(came, tuple) and any(not np.isfinite(np.asarray(part)).all() for part in came)


def _one_maximum(failed: Outcome, outcomes: list[Outcome]) -> bool:
    """NaNs just where one maximum for the whole matrix leaves a row nothing but zeros: 0 / 0, no overflow."""
    q, k, _ = failed.case.arguments()
    scores = q @ k.T / np.sqrt(q.shape[1])
    with np.errstate(all="ignore"):
        powers = np.exp(scores - scores.max())
        weights = powers / powers.sum(axis=1, keepdims=True)
    return bool(np.isnan(weights).any()) and np.allclose(np.asarray(failed.returned[1]), weights, equal_nan=True)


def _not_transposed(failed: Outcome, outcomes: list[Outcome]) -> bool:
    return isinstance(failed.error, ValueError) and any(
        word in str(failed.error) for word in ("matmul", "not aligned"))


def _case(seed: int, tokens: int, head_size: int, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return tuple(numbers(seed + i, tokens, head_size, spread=spread) for i in range(3))


def _extreme() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whole scores: all of row 0 far below 0, all of row 1 far above. q, k and v have numbers in the thousands."""
    draw = np.random.default_rng(150)
    q, k = (draw.integers(-3, 4, (5, 4)).astype(np.float64) for _ in range(2))
    k[:, 0] = 1
    q[:2, 0] = -40_000, 40_000
    for ours, others, column in ((q, k, 1), (k, q, 2)):  # powers of 2, so that float32 has the same scores
        ours[:, column], others[:, column] = ours[:, column] * 1024, others[:, column] / 1024
    return q, k, numbers(151, 5, 4, spread=3e3)


SOLUTION = '''
import numpy as np

def attention(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[1])                 # (T, T): row i is query i
    scores = scores - scores.max(axis=1, keepdims=True)    # changes nothing, but exp cannot overflow
    powers = np.exp(scores)
    weights = powers / powers.sum(axis=1, keepdims=True)   # every row sums to 1
    return weights @ v, weights
'''

EXERCISE = Exercise(
    id="attention",
    title="One attention head",
    minutes=15,
    difficulty=2,
    importance=5,
    purpose="The one place in a ViT where a patch learns anything about another.",
    signature="def attention(q, k, v):",
    text=(
        "Write `attention(q, k, v)` for one head. All three are NumPy arrays of shape `(T, D_h)`, one row a token."
        " Return two things, `(output, weights)`: `weights` is `(T, T)`, the softmax over the keys of the scores"
        " `q k^T / sqrt(D_h)`, so that row i belongs to query i and sums to 1; `output` is `(T, D_h)`, the weights"
        " times `v`.\n\n"
        "There is no mask. The scores may be large: the softmax must not overflow."
    ),
    hints=(
        "Row i, column j of the scores is the dot product of query i with key j. As a product of matrices that"
        " is `q` times the transpose of `k`, of shape `(T, T)`.",
        "Softmax runs along the keys, that is along a row: `axis=1` with `keepdims=True`. Divide by the root of D_h"
        " before it.",
        "`np.exp(1000)` is infinite. Subtract each row's largest score first: the factor cancels in"
        " `powers / powers.sum(axis=1, keepdims=True)`.",
    ),
    solution=SOLUTION,
    commentary=(
        "If the entries of q and k are independent with mean 0 and variance 1, a score before scaling has variance"
        " D_h. Dividing by sqrt(D_h) brings it back to 1, so the softmax does not saturate as heads get wider."
    ),
    cases=(
        Case("5 tokens, D_h = 3", lambda: _case(100, 5, 3)),
        Case("3 tokens, D_h = 8", lambda: _case(110, 3, 8)),
        Case("4 tokens, D_h = 4", lambda: _case(120, 4, 4)),
        Case("6 tokens, D_h = 2, with scores in the thousands", lambda: _case(130, 6, 2, spread=60)),
        Case("1 token, D_h = 4", lambda: _case(140, 1, 4)),
        Case("5 tokens, D_h = 4, all scores of token 0 about −20,000, all of token 1 about 20,000", _extreme),
    ),
    expected=expected,
    faulty=faulty,
    returns=("output", "weights"),
    misconceptions=(
        Misconception("no-scale", "You did not scale the scores. Divide them by sqrt(D_h) before the softmax."),
        Misconception("scale-not-rooted", "You divided by D_h, not by sqrt(D_h)."),
        Misconception("scale-tokens", "You divided by sqrt(T), the root of the number of tokens. It is the"
                      " width of the head that counts: sqrt(D_h)."),
        Misconception("scale-floored", "You rounded the root of D_h down to a whole number. It is a real number."),
        Misconception("scale-multiplied", "You multiplied by sqrt(D_h). The scores are divided by it."),
        Misconception("scaled-after", "You scaled after the softmax, so the rows no longer sum to 1. Scale"
                      " the scores, then take the softmax."),
        Misconception("maximum-of-columns", "You subtracted the largest score of each column. It must be the"
                      " same for a whole row to cancel: `scores.max(axis=1, keepdims=True)`."),
        Misconception("base-2", "You took powers of 2. Softmax takes powers of e: np.exp."),
        Misconception("columns", "Your softmax runs down the columns: they sum to 1, the rows do not. Row i"
                      " is query i and shares itself out among the keys: axis=1."),
        Misconception("whole", "Your softmax runs over the whole matrix at once. Every row sums to 1 on its"
                      " own: axis=1 with keepdims=True."),
        Misconception("no-softmax", "There is no softmax: the scores went straight on to v."),
        Misconception("shares-of-scores", "You divided the scores by their sum, without exp. Negative scores"
                      " then give negative weights. Softmax is exp(s) / sum of exp(s)."),
        Misconception("hard", "All weight went to the largest score. Softmax shares it out among all keys."),
        Misconception("transposed-scores", "Your rows are the keys: you took k q^T. Row i belongs to query i:"
                      " q k^T."),
        Misconception("transposed-weights", "Your weights are transposed after the softmax, so the columns"
                      " sum to 1. Row i belongs to query i."),
        Misconception("output-transposed", "The weights you return are right, but the output used them transposed:"
                      " `weights @ v`, not `weights.T @ v`."),
        Misconception("mixes-keys", "You mixed the keys. The weights come from q and k; what is mixed is v."),
        Misconception("mixes-queries", "You mixed the queries. The weights come from q and k; what is mixed is v."),
        Misconception("causal", "You masked the later tokens, as a language model does. Patches have no before and"
                      " after: a ViT has no mask."),
        Misconception("no-self", "Your tokens may not look at themselves. They may: the diagonal is not masked."),
        Misconception("sigmoid", "You used a sigmoid. The softmax makes each row sum to 1."),
        Misconception("distances", "You compared q and k by their distance. Attention takes their dot"
                      " product, divided by sqrt(D_h)."),
        Misconception("cosine", "You normalised q and k first (cosine similarity). Attention takes the plain dot"
                      " product, divided by sqrt(D_h)."),
        Misconception("residual", "You added v to the output. The residual comes later, in the block, and adds z."),
        Misconception("swapped", "The two came back in the wrong order: first output, then weights."),
        Misconception("scores-returned", "You returned the scores in place of the weights: the weights are"
                      " what comes out of the softmax."),
        Misconception("output-only", "Only the output came back. Return both: `return output, weights`."),
        Misconception("weights-only", "Only the weights came back. Return both: `return output, weights`."),
        Misconception("one-maximum", "You subtracted one maximum for the whole matrix. In a row far below it every"
                      " power is 0, and 0 / 0 is nan. Subtract each row's own: `scores.max(axis=1,"
                      " keepdims=True)`.", _one_maximum),
        Misconception("overflow-exp", "exp overflowed: large scores give infinity over infinity, which is"
                      " nan. Subtract each row's largest score first; the weights stay the same.", _overflows),
        Misconception("rows-off-1", "The rows of your weights do not sum to 1. A softmax divides each row"
                      " by its own sum, and nothing follows it.", _rows_off_one),
        Misconception("not-transposed", "The product does not fit: q and k are both (T, D_h), so k must"
                      " be transposed: `q @ k.T`.", _not_transposed),
    ),
)
