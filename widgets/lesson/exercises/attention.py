"""Exercise of chapter 05: one attention head, Eqs. 6 and 7."""

from __future__ import annotations

import numpy as np

from widgets.lesson.exercises import _pieces
from widgets.lesson.exercises._bridge import numbers, tensor
from widgets.lesson.exercises._slips import FACTORS, LIMITS, PLACES, VALUES, but, listed, slipping, slips_at
from widgets.lesson.exercises._softmaxes import MAPS, scale_misconceptions, softmax
from widgets.lesson.specification import Case, Exercise, Misconception, Outcome


def expected(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(output, weights) of one head."""
    from widgets.model import attention as model

    output, weights, _ = model.attention(tensor(q), tensor(k), tensor(v))
    return output.numpy(), weights.numpy()


def faulty(q: np.ndarray, k: np.ndarray, v: np.ndarray, faults: frozenset[str] = frozenset()):
    """What comes back with the named mistakes."""
    T, D_h = q.shape
    at = slipping(faults)
    if "cosine" in faults:
        q, k = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (q, k))
    if "distances" in faults:
        weights = softmax(-((q[:, None] - k[None]) ** 2).sum(-1) / np.sqrt(D_h))
        return weights @ v, weights
    divisor = _pieces.divisor(D_h, D_h, 1, T, faults)
    weights = _pieces.attention_weights(q, k, divisor, faults)
    if "scaled-after" in faults:
        weights = softmax(q @ k.T) / np.sqrt(D_h)
    source = k if "mixes-keys" in faults else q if "mixes-queries" in faults else at("v", v)
    output = (weights.T if "output-transposed" in faults else at("mixed", weights)) @ source
    output = output + v if "residual" in faults else output
    for name, (_, added) in ADDED.items():
        output = output + added(q, k, v) if name in faults else output
    output = at("output", output)
    for name, (_, mixed) in MIXED.items():
        output = mixed(q @ k.T / divisor) @ v if name in faults else output
    if "scores-returned" in faults:
        weights = q @ k.T / divisor
    for name, (_, returned) in RETURNED.items():
        weights = returned(q @ k.T, divisor) if name in faults else weights
    if "output-only" in faults:
        return output
    if "weights-only" in faults:
        return weights
    return (weights, output) if "swapped" in faults else (output, weights)


ADDED = {
    "added:q": ("You added q to the output. The residual comes later, in the block, and adds z.", lambda q, k, v: q),
    "added:k": ("You added k to the output. The residual comes later, in the block, and adds z.", lambda q, k, v: k),
}
MIXED = {
    "mixes:scores": (
        "The weights you return are right, but the output was mixed with the scores. It is `weights @ v`.",
        lambda s: s,
    ),
    "mixes:powers": (
        "The weights you return are right, but the output was mixed with the powers before they were divided. It is"
        " `weights @ v`.",
        lambda s: np.exp(s - s.max(1, keepdims=True)),
    ),
    "mixes:exp": (
        "The weights you return are right, but the output was mixed with exp of the scores. It is `weights @ v`.",
        np.exp,
    ),
    "mixes:twice": (
        "The weights you return are right, but the output went through them twice. It is `weights @ v`.",
        lambda s: softmax(s) @ softmax(s),
    ),
    "mixes:two-softmaxes": (
        "The weights you return are right, but the output used their softmax. It is `weights @ v`.",
        lambda s: softmax(softmax(s)),
    ),
}
RETURNED = {
    "returned:products": (
        "You returned q k^T in place of the weights: the weights are what comes out of the softmax.",
        lambda p, divisor: p,
    ),
    "returned:powers": (
        "You returned the powers before they were divided. Return the weights, whose rows sum to 1.",
        lambda p, divisor: np.exp((p - p.max(1, keepdims=True)) / divisor),
    ),
    "returned:exp": (
        "You returned exp of the scores. Return the weights, whose rows sum to 1.",
        lambda p, divisor: np.exp(p / divisor),
    ),
    "returned:transposed": (
        "The output is right, but the weights you return are transposed. Row i belongs to query i.",
        lambda p, divisor: softmax(p / divisor).T,
    ),
    "returned:unscaled": (
        "The output is right, but the weights you return come from scores without sqrt(D_h). Return those you used.",
        lambda p, divisor: softmax(p),
    ),
    "returned:shifted-scores": (
        "You returned the scores, less each row's largest. Return the weights, whose rows sum to 1.",
        lambda p, divisor: (p - p.max(1, keepdims=True)) / divisor,
    ),
    "returned:logarithm": (
        "You returned the logarithm of the weights. Return the weights themselves.",
        lambda p, divisor: (lambda s: s - np.log(np.exp(s).sum(1, keepdims=True)))(
            (p - p.max(1, keepdims=True)) / divisor
        ),
    ),
}
ALL = f"{VALUES} {PLACES}"
STEPS = {
    "output": ("the output", f"{ALL} over-root-width times-root-width over-width over-rows over-root-rows"),
    "weights": (
        "the weights",
        f"{ALL} rounded-4 over-column-sum over-row-largest over-rows over-root-rows doubled halved",
    ),
    "scores": ("the scores", f"{ALL} negated doubled halved softmax-columns {LIMITS}"),
    "products": (
        "q k^T, before it is scaled",
        "clipped-50 clipped-80 clipped-100 clipped-500 clipped-1000 tanh sigmoid softmax float16 rounded",
    ),
    "v": ("the values", f"{ALL} {FACTORS}"),
    "mixed": ("the weights that mix v, though not at those you return", f"{ALL} over-column-sum over-row-largest"),
    "q": ("the queries", ALL),
    "k": ("the keys", ALL),
}
SAME = (
    "scores:cosine scores:squared-distance weights:absolute weights:relu weights:softmax weights:centred-all "
    "weights:over-largest-size weights:over-sum weights:unit weights:clipped-0-1 weights:clipped-1 weights:clipped-2 "
    "weights:clipped-3 weights:clipped-5 weights:clipped-10 weights:clipped-1000 weights:reread weights:mean-column "
    "weights:mean-all weights:over-row-largest scores:softmax scores:centred scores:centred-all scores:from-0 "
    "scores:row-minimum scores:row-maximum scores:reread scores:rows-backwards scores:columns-backwards "
    "scores:rows-rolled scores:rows-rolled-back scores:columns-rolled scores:columns-rolled-back scores:sorted "
    "scores:first-row scores:last-row scores:first-column scores:mean-column scores:mean-all v:centred "
    "v:columns-backwards v:columns-rolled v:columns-rolled-back v:summed-up-columns v:first-column v:mean-column "
    "v:first-column-0 v:last-column-0 v:over-root-width v:times-root-width v:over-width v:over-rows v:over-root-rows "
    "mixed:absolute mixed:relu mixed:softmax mixed:centred mixed:centred-columns mixed:centred-all "
    "mixed:over-largest-size mixed:over-sum mixed:clipped-0-1 mixed:clipped-1 mixed:clipped-2 mixed:clipped-3 "
    "mixed:clipped-5 mixed:clipped-10 mixed:clipped-1000 mixed:reread mixed:rows-backwards mixed:columns-backwards "
    "mixed:rows-rolled mixed:rows-rolled-back mixed:columns-rolled mixed:columns-rolled-back mixed:summed-up "
    "mixed:first-row mixed:last-row mixed:mean-row mixed:sum-row mixed:mean-column mixed:mean-all mixed:first-row-0 "
    "mixed:last-row-0 mixed:first-column-0 mixed:last-column-0 mixed:only-first-row mixed:over-row-largest "
    "q:centred-columns q:over-largest-size q:rows-backwards q:rows-rolled q:rows-rolled-back q:summed-up q:first-row "
    "q:last-row q:mean-row q:sum-row q:first-row-0 q:last-row-0 q:first-column-0 q:last-column-0 q:only-first-row "
    "k:centred k:centred-columns k:centred-all k:from-0 k:rows-backwards k:columns-backwards k:rows-rolled "
    "k:rows-rolled-back k:columns-rolled k:columns-rolled-back k:summed-up k:first-row k:last-row k:mean-row "
    "k:sum-row k:maximum-row k:mean-column k:mean-all k:first-row-0 k:last-row-0 k:first-column-0 k:last-column-0"
)


def _over_features(failed: Outcome, outcomes: list[Outcome]) -> bool:
    """Weights (D_h, D_h): the features looked at one another, not the tokens."""
    q = failed.case.arguments()[0]
    return q.shape[0] != q.shape[1] and np.shape(failed.returned[1]) == (q.shape[1], q.shape[1])


def _one_number_a_token(failed: Outcome, outcomes: list[Outcome]) -> bool:
    """Weights (T,) or (T, D_h): q and k multiplied number by number."""
    shape, q = np.shape(failed.returned[1]), failed.case.arguments()[0]
    return shape == (len(q),) or (q.shape[0] != q.shape[1] and shape == q.shape)


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
    return isinstance(failed.error, ValueError) and any(word in str(failed.error) for word in ("matmul", "not aligned"))


def _case(seed: int, tokens: int, head_size: int, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return tuple(numbers(seed + i, tokens, head_size, spread=spread) for i in range(3))


def _extreme() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every row of scores has its own distance from 0, up to 20,000; its scores differ by a few whole numbers."""
    draw, away = np.random.default_rng(150), np.array(AWAY)
    q, k = (draw.integers(-1, 2, (len(away), 9)).astype(np.float64) for _ in range(2))
    q[:, 0], k[:, 0] = away, 1
    q = 3 * q  # sqrt(D_h) is 3
    for ours, others, column in ((q, k, 1), (k, q, 2)):  # powers of 2, so that float32 has the same scores
        ours[:, column], others[:, column] = ours[:, column] * 1024, others[:, column] / 1024
    return q, k, numbers(151, len(away), 4, spread=3e3)


AWAY = (-20_000, 20_000, 7, -13, 18, -25, 28, -31, 40, -60, 84, -94, 120, -200, 400, -600, 705, -800, 5000)


SOLUTION = """
import numpy as np

def attention(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[1])                 # (T, T): row i is query i
    scores = scores - scores.max(axis=1, keepdims=True)    # changes nothing, but exp cannot overflow
    powers = np.exp(scores)
    weights = powers / powers.sum(axis=1, keepdims=True)   # every row sums to 1
    return weights @ v, weights
"""

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
        Case("19 tokens, D_h = 9, each row of scores far from 0, as far as −20,000 and 20,000", _extreme),
    ),
    expected=expected,
    faulty=faulty,
    returns=("output", "weights"),
    misconceptions=(
        Misconception("no-scale", "You did not scale the scores. Divide them by sqrt(D_h) before the softmax."),
        Misconception("scale-not-rooted", "You divided by D_h, not by sqrt(D_h)."),
        Misconception(
            "scale-tokens",
            "You divided by sqrt(T), the root of the number of tokens. It is the"
            " width of the head that counts: sqrt(D_h).",
        ),
        Misconception("scale-floored", "You rounded the root of D_h down to a whole number. It is a real number."),
        Misconception("scale-multiplied", "You multiplied by sqrt(D_h). The scores are divided by it."),
        Misconception(
            "scaled-after",
            "You scaled after the softmax, so the rows no longer sum to 1. Scale the scores, then take the softmax.",
        ),
        Misconception(
            "maximum-of-columns",
            "You subtracted the largest score of each column. It must be the"
            " same for a whole row to cancel: `scores.max(axis=1, keepdims=True)`.",
        ),
        Misconception("base-2", "You took powers of 2. Softmax takes powers of e: np.exp."),
        Misconception(
            "columns",
            "Your softmax runs down the columns: they sum to 1, the rows do not. Row i"
            " is query i and shares itself out among the keys: axis=1.",
        ),
        Misconception(
            "whole",
            "Your softmax runs over the whole matrix at once. Every row sums to 1 on its"
            " own: axis=1 with keepdims=True.",
        ),
        Misconception("no-softmax", "There is no softmax: the scores went straight on to v."),
        Misconception(
            "shares-of-scores",
            "You divided the scores by their sum, without exp. Negative scores"
            " then give negative weights. Softmax is exp(s) / sum of exp(s).",
        ),
        Misconception("hard", "All weight went to the largest score. Softmax shares it out among all keys."),
        Misconception("transposed-scores", "Your rows are the keys: you took k q^T. Row i belongs to query i: q k^T."),
        Misconception(
            "transposed-weights",
            "Your weights are transposed after the softmax, so the columns sum to 1. Row i belongs to query i.",
        ),
        Misconception(
            "output-transposed",
            "The weights you return are right, but the output used them transposed:"
            " `weights @ v`, not `weights.T @ v`.",
        ),
        Misconception("mixes-keys", "You mixed the keys. The weights come from q and k; what is mixed is v."),
        Misconception("mixes-queries", "You mixed the queries. The weights come from q and k; what is mixed is v."),
        Misconception(
            "causal",
            "You masked the later tokens, as a language model does. Patches have no before and"
            " after: a ViT has no mask.",
        ),
        Misconception("no-self", "Your tokens may not look at themselves. They may: the diagonal is not masked."),
        Misconception("sigmoid", "You used a sigmoid. The softmax makes each row sum to 1."),
        Misconception(
            "distances",
            "You compared q and k by their distance. Attention takes their dot product, divided by sqrt(D_h).",
        ),
        Misconception(
            "cosine",
            "You normalised q and k first (cosine similarity). Attention takes the plain dot"
            " product, divided by sqrt(D_h).",
        ),
        Misconception("residual", "You added v to the output. The residual comes later, in the block, and adds z."),
        Misconception("swapped", "The two came back in the wrong order: first output, then weights."),
        Misconception(
            "scores-returned",
            "You returned the scores in place of the weights: the weights are what comes out of the softmax.",
        ),
        Misconception("output-only", "Only the output came back. Return both: `return output, weights`."),
        Misconception("weights-only", "Only the weights came back. Return both: `return output, weights`."),
        Misconception(
            "one-maximum",
            "You subtracted one maximum for the whole matrix. In a row far below it every"
            " power is 0, and 0 / 0 is nan. Subtract each row's own: `scores.max(axis=1,"
            " keepdims=True)`.",
            _one_maximum,
        ),
        Misconception(
            "overflow-exp",
            "exp overflowed: large scores give infinity over infinity, which is"
            " nan. Subtract each row's largest score first; the weights stay the same.",
            _overflows,
        ),
        Misconception(
            "rows-off-1",
            "The rows of your weights do not sum to 1. A softmax divides each row"
            " by its own sum, and nothing follows it.",
            _rows_off_one,
        ),
        Misconception(
            "not-transposed",
            "The product does not fit: q and k are both (T, D_h), so k must be transposed: `q @ k.T`.",
            _not_transposed,
        ),
        Misconception(
            "over-features",
            "Your weights are (D_h, D_h): the numbers of a head looked at one another. Tokens look at"
            " tokens: q k^T is (T, T).",
            _over_features,
        ),
        Misconception(
            "number-by-number",
            "You multiplied q and k number by number, so no token met another. `q @ k.T` compares"
            " every query with every key, (T, T).",
            _one_number_a_token,
        ),
        *but(
            scale_misconceptions() + listed(_pieces.PRODUCTS | MAPS | ADDED | MIXED | RETURNED) + slips_at(STEPS), SAME
        ),
    ),
)
