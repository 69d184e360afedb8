"""Exercise of chapter 06: several heads side by side, Eq. 8."""

from __future__ import annotations

import numpy as np

from widgets.lesson.exercises import _pieces
from widgets.lesson.exercises._bridge import numbers, tensor
from widgets.lesson.exercises._slips import FACTORS, LIMITS, PLACES, VALUES, VECTOR, but, listed, slips_at
from widgets.lesson.exercises._softmaxes import MAPS, scale_misconceptions
from widgets.lesson.specification import Case, Exercise, Misconception, Outcome


def expected(
    z: np.ndarray, W_qkv: np.ndarray, b_qkv: np.ndarray, W_o: np.ndarray, b_o: np.ndarray, heads: int
) -> np.ndarray:
    """MSA(z), (T, D)."""
    from widgets.model import attention as model

    weights = model.AttentionWeights.packed(*map(tensor, (W_qkv, b_qkv, W_o, b_o)))
    return model.multi_head_attention(tensor(z)[None], weights, heads).msa[0].numpy()


def faulty(
    z: np.ndarray,
    W_qkv: np.ndarray,
    b_qkv: np.ndarray,
    W_o: np.ndarray,
    b_o: np.ndarray,
    heads: int,
    faults: frozenset[str] = frozenset(),
) -> np.ndarray:
    """MSA(z) with the named mistakes."""
    return _pieces.many_heads(z, W_qkv, b_qkv, W_o, b_o, heads, faults)


def _case(seed: int, tokens: int, width: int, heads: int) -> tuple:
    return (
        numbers(seed, tokens, width),
        numbers(seed + 1, width, 3 * width),
        numbers(seed + 2, 3 * width),
        numbers(seed + 3, width, width),
        numbers(seed + 4, width),
        heads,
    )


def _large_scores() -> tuple:
    """Rows of scores that are far from 0, as far as exp survives; values and outputs in the thousands."""
    away = np.array([8, -15, 25, -40, 60, -84, 94, -300, 600.0])
    z, W_qkv, b_qkv, W_o, b_o, heads = _case(250, len(away), 8, 2)
    of_q, of_k = [0, 4], [8, 12]  # number 0 of both heads
    z[:, 0], W_qkv[0] = away / 100, 0
    W_qkv[:, of_q + of_k], b_qkv[of_q + of_k] = 0, 0
    W_qkv[0, of_q], b_qkv[of_k] = 200, 1  # sqrt(D_h) is 2
    W_qkv[:, 16:], b_qkv[16:] = W_qkv[:, 16:] * 3e3, b_qkv[16:] * 3e3
    return z, W_qkv, b_qkv, W_o * 3e3, b_o * 1e7, heads


def _large_tokens() -> tuple:
    """Tokens in the thousands, met by weights as small."""
    z, W_qkv, b_qkv, W_o, b_o, heads = _case(260, 4, 6, 3)
    return z * 3e3, W_qkv / 3e3, b_qkv, W_o, b_o, heads


ALL = f"{VALUES} {PLACES}"
STEPS = {
    "msa": ("the answer", f"{ALL} over-root-width times-root-width over-width over-rows over-root-rows"),
    "merged": ("the joined heads, before `W_o`", f"{ALL} {FACTORS} reread"),
    "mixed": ("each head's output, before the heads are joined", f"{ALL} {FACTORS}"),
    "weights": (
        "the weights",
        f"{ALL} rounded-4 over-column-sum over-row-largest over-rows over-root-rows doubled halved",
    ),
    "scores": ("the scores", f"{ALL} negated doubled halved softmax-columns {LIMITS}"),
    "products": (
        "q k^T, before it is scaled",
        "clipped-50 clipped-80 clipped-100 clipped-500 clipped-1000 tanh sigmoid softmax float16 rounded",
    ),
    "v": ("each head's values", f"{ALL} {FACTORS}"),
    "q": ("each head's queries", ALL),
    "k": ("each head's keys", ALL),
    "z": ("the tokens z, before `W_qkv`", f"{ALL} {FACTORS}"),
    "W_qkv": (
        "`W_qkv`",
        (
            "negated absolute doubled halved centred centred-columns unit unit-columns normalised softmax"
            " columns-backwards rows-backwards columns-rolled columns-rolled-back rows-rolled rows-rolled-back"
        ),
    ),
    "b_qkv": ("`b_qkv`", VECTOR),
    "W_o": (
        "`W_o`",
        (
            "negated absolute doubled halved over-root-width times-root-width centred centred-columns unit unit-columns"
            " normalised softmax columns-backwards rows-backwards reread"
        ),
    ),
    "b_o": ("`b_o`", VECTOR),
}
BIASES = {
    "bias:without-q": ("The queries have no bias: the first D numbers of `b_qkv` belong to q.",),
    "bias:without-v": ("The values have no bias: the last D numbers of `b_qkv` belong to v.",),
    "bias:without-qk": ("Queries and keys have no bias: `b_qkv` belongs to q, k and v.",),
    "bias:without-qv": ("Queries and values have no bias: `b_qkv` belongs to q, k and v.",),
    "bias:without-kv": ("Keys and values have no bias: `b_qkv` belongs to q, k and v.",),
    "bias:of-q-for-all": ("q, k and v all got the first D numbers of `b_qkv`. Each has its own D.",),
    "bias:reversed-blocks": ("The parts of `b_qkv` are in another order than those of `W_qkv`: q, then k, then v.",),
    "bias:by-head": ("You read `b_qkv` by threes. It is all of q, then all of k, then all of v.",),
    "bias:twice": ("The bias `b_qkv` was added twice.",),
    "bias:subtracted": ("You subtracted `b_qkv`. It is added.",),
}
OTHERS = {
    "packed:transposed": (
        (
            "You reshaped `W_qkv` to (3D, D), where a transpose or nothing is meant. It is (D, 3D), stored (in, out),"
            " and used as it is: `z @ W_qkv`."
        ),
    ),
    "packed:own-numbers": (
        (
            "Head j saw only its own D_h numbers of z. The heads share out q, k and v; each of these is made from all D"
            " numbers of a token."
        ),
    ),
    "packed:by-reshape": (
        (
            "You reshaped (T, 3D) to (3, T, D), which fits and mixes tokens with q, k and v. Split the columns: the"
            " last axis is (3, D)."
        ),
    ),
    "packed:numbers-of-head": (
        "You read the last axis as (heads, D_h, 3). It is (3, heads, D_h): all of q, then all of k, then all of v.",
    ),
    "split:turned": (
        (
            "You turned (T, D) and reshaped it to (heads, T, D_h), which fits and scrambles the content. Reshape to (T,"
            " heads, D_h), then swap the first two axes."
        ),
    ),
    "one-head:scaled": ("The heads were ignored: one softmax ran over scores of all D columns.",),
    "softmax:over-heads": ("Your softmax runs over the heads. Every row, a query, sums to 1: the last axis.",),
    "attention:skipped": ("No token looked at another: v went on without weights. The weights mix v.",),
    "attention:values-added": ("You added v to what the weights mix. The residual belongs to the block, and adds z.",),
    "residual:before-output": ("You added z before `W_o`. The residual belongs to the block, not to this function.",),
    "bias:without-output": ("`W_o` is missing: the joined heads go through it before `b_o` is added.",),
    "heads-as-width": ("You took `heads` for the width of a head. It is the number of heads; each is D / heads wide.",),
    "mixes-keys": ("You mixed the keys. The weights come from q and k; what is mixed is v.",),
    "mixes-queries": ("You mixed the queries. The weights come from q and k; what is mixed is v.",),
    "base-2": ("You took powers of 2. Softmax takes powers of e: np.exp.",),
    "sigmoid": ("You used a sigmoid. The softmax makes each row sum to 1.",),
    "hard": ("All weight went to the largest score. Softmax shares it out among all keys.",),
    "no-self": ("Your tokens may not look at themselves. They may: the diagonal is not masked.",),
    "maximum-of-columns": (
        (
            "You subtracted the largest score of each column. It must be the same for a whole row to cancel: the"
            " maximum of the last axis."
        ),
    ),
    "shares-of-scores": ("You divided the scores by their sum, without exp. Softmax is exp(s) / sum of exp(s).",),
}
SAME = (
    "mixed:exp "
    "packed:numbers-of-head bias:without-output bias:without-qk bias:without-qv bias:without-kv blocks:010 blocks:011 "
    "heads:q-first heads:A-mean scores:q-with-q scores:k-with-k weights:identity-added weights:identity msa:mean-row "
    "merged:reread merged:rows-backwards merged:rows-rolled merged:rows-rolled-back merged:first-row merged:last-row "
    "merged:mean-row merged:reread mixed:absolute mixed:squared mixed:relu mixed:gelu mixed:silu mixed:tanh "
    "mixed:sigmoid mixed:centred-columns mixed:centred-all mixed:from-0 mixed:over-largest mixed:over-largest-size "
    "mixed:min-max mixed:unit-columns mixed:normalised-columns mixed:normalised-all mixed:float16 mixed:whole "
    "mixed:rounded mixed:rounded-1 mixed:rounded-2 mixed:rounded-3 mixed:clipped-0-1 mixed:clipped-1 mixed:clipped-2 "
    "mixed:clipped-3 mixed:clipped-5 mixed:clipped-10 mixed:clipped-1000 mixed:rows-backwards mixed:rows-rolled "
    "mixed:rows-rolled-back mixed:sorted-rows mixed:summed-up mixed:first-row mixed:last-row mixed:mean-row "
    "mixed:sum-row mixed:maximum-row mixed:mean-all mixed:first-row-0 mixed:last-row-0 mixed:only-first-row "
    "mixed:negated mixed:doubled mixed:halved mixed:over-rows mixed:over-root-rows weights:absolute weights:relu "
    "weights:softmax weights:centred-columns weights:centred-all weights:over-largest-size weights:over-sum "
    "weights:unit weights:clipped-0-1 weights:clipped-1 weights:clipped-2 weights:clipped-3 weights:clipped-5 "
    "weights:clipped-10 weights:clipped-1000 weights:reread weights:rows-backwards weights:rows-rolled "
    "weights:rows-rolled-back weights:summed-up weights:first-row weights:last-row weights:mean-row weights:sum-row "
    "weights:mean-column weights:mean-all weights:first-row-0 weights:last-row-0 weights:only-first-row "
    "weights:over-row-largest weights:over-rows weights:over-root-rows weights:doubled weights:halved scores:softmax "
    "scores:centred scores:centred-all scores:from-0 scores:row-minimum scores:row-maximum scores:normalised "
    "scores:clipped-1000 scores:reread scores:rows-backwards scores:columns-backwards scores:rows-rolled "
    "scores:rows-rolled-back scores:columns-rolled scores:columns-rolled-back scores:sorted scores:first-row "
    "scores:last-row scores:first-column scores:mean-column scores:mean-all scores:clipped-700 scores:clipped-709 "
    "scores:clipped-10000 products:clipped-100 products:clipped-1000 v:centred v:centred-columns v:rows-backwards "
    "v:columns-backwards v:rows-rolled v:rows-rolled-back v:columns-rolled v:columns-rolled-back v:summed-up-columns "
    "v:first-row v:mean-row v:first-column v:mean-column v:first-row-0 v:last-row-0 v:first-column-0 v:last-column-0 "
    "v:negated v:doubled v:halved v:over-root-width v:times-root-width v:over-width v:times-width v:over-rows "
    "v:over-root-rows q:centred-columns q:clipped-1000 q:rows-backwards q:rows-rolled q:rows-rolled-back q:summed-up "
    "q:first-row q:last-row q:mean-row q:sum-row q:first-row-0 q:last-row-0 q:first-column-0 q:last-column-0 "
    "q:only-first-row k:centred k:centred-columns k:centred-all k:from-0 k:clipped-1000 k:rows-backwards "
    "k:columns-backwards k:rows-rolled k:rows-rolled-back k:columns-rolled k:columns-rolled-back k:summed-up "
    "k:first-row k:last-row k:mean-row k:sum-row k:maximum-row k:mean-column k:mean-all k:first-row-0 k:last-row-0 "
    "k:first-column-0 k:last-column-0 z:rows-backwards z:rows-rolled z:rows-rolled-back z:first-row z:last-row "
    "z:mean-row W_qkv:negated W_qkv:doubled W_qkv:halved W_qkv:centred-columns W_qkv:rows-backwards W_qkv:rows-rolled "
    "W_qkv:rows-rolled-back b_qkv:negated b_qkv:doubled W_o:negated W_o:doubled W_o:halved W_o:over-root-width "
    "W_o:times-root-width W_o:centred-columns W_o:rows-backwards W_o:reread"
)


def _not_fitting(failed: Outcome, outcomes: list[Outcome]) -> bool:
    return isinstance(failed.error, ValueError) and any(word in str(failed.error) for word in ("matmul", "not aligned"))


def _not_joined(failed: Outcome, outcomes: list[Outcome]) -> bool:
    """One answer a head came back: (heads, T, D) or (heads, T, D_h)."""
    came, heads = np.shape(failed.returned), failed.case.arguments()[-1]
    return heads > 1 and len(came) == 3 and came[0] == heads and came[1] == len(failed.expected)


SOLUTION = """
import numpy as np

def multi_head_attention(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = np.split(z @ W_qkv + b_qkv, 3, axis=1)            # (T, D) each

    def split(x):
        return x.reshape(T, heads, D // heads).swapaxes(0, 1)   # (heads, T, D_h)

    q, k, v = split(q), split(k), split(v)
    scores = q @ k.swapaxes(1, 2) / np.sqrt(D // heads)         # (heads, T, T)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    weights = powers / powers.sum(-1, keepdims=True)
    mixed = (weights @ v).swapaxes(0, 1).reshape(T, D)          # heads behind tokens, then side by side
    return mixed @ W_o + b_o
"""

EXERCISE = Exercise(
    id="multi_head_attention",
    title="Many heads at once",
    minutes=20,
    difficulty=3,
    importance=5,
    purpose="Here a reshape in the wrong place mixes tokens and heads, and no shape check sees it.",
    signature="def multi_head_attention(z, W_qkv, b_qkv, W_o, b_o, heads):",
    text=(
        "Write `multi_head_attention(z, W_qkv, b_qkv, W_o, b_o, heads)`. `z` is `(T, D)`; `W_qkv` is `(D, 3D)`"
        " with the columns of q first, then k, then v, and `b_qkv` is `(3D,)`; `W_o` is `(D, D)` and `b_o`"
        " `(D,)`. Head j takes the columns `j*D_h` to `(j+1)*D_h` of each of q, k and v, with `D_h = D //"
        " heads`.\n\nReturn `(T, D)`: every head's attention, the heads side by side in their order, times"
        " `W_o`, plus `b_o`. No mask and no residual."
    ),
    hints=(
        (
            "One product makes everything: `z @ W_qkv + b_qkv` is `(T, 3D)`. Its first D columns are q, the next D"
            " are k, the last D are v. A loop over heads is a fine first version."
        ),
        (
            "To split without a loop: `x.reshape(T, heads, D_h)` gives each token its heads, and only then"
            " `swapaxes(0, 1)` brings the heads to the front. `x.reshape(heads, T, D_h)` has the same shape and"
            " other numbers."
        ),
        (
            "To join, go back the same way: `(heads, T, D_h)`, `swapaxes(0, 1)`, then `reshape(T, D)`. The scale is"
            " `sqrt(D_h)`, the width of a head, not of the model."
        ),
    ),
    solution=SOLUTION,
    commentary=(
        "Each head is `attention` on its own columns, with its own scale sqrt(D_h). Only `W_o` mixes the heads. The"
        " number of parameters does not depend on how many heads share the width."
    ),
    cases=(
        Case("5 tokens, D = 12, 3 heads", lambda: _case(200, 5, 12, 3)),
        Case("3 tokens, D = 6, 2 heads", lambda: _case(210, 3, 6, 2)),
        Case("4 tokens, D = 16, 4 heads", lambda: _case(220, 4, 16, 4)),
        Case("4 tokens, D = 5, 1 head", lambda: _case(230, 4, 5, 1)),
        Case("4 tokens, D = 4, 2 heads", lambda: _case(240, 4, 4, 2)),
        Case("9 tokens, D = 8, 2 heads, rows of scores as far as 600 from 0, values in the thousands", _large_scores),
        Case("4 tokens, D = 6, 3 heads, tokens in the thousands", _large_tokens),
    ),
    expected=expected,
    faulty=faulty,
    misconceptions=(
        Misconception(
            "scale-width",
            "You divided by sqrt(D), not by sqrt(D_h). A score is a dot product over"
            " the columns of one head, and there are D_h of them.",
        ),
        Misconception("no-scale", "You did not scale the scores. Divide them by sqrt(D_h) before the softmax."),
        Misconception("scale-not-rooted", "You divided by D_h, not by sqrt(D_h)."),
        Misconception(
            "scale-heads",
            "You divided by the root of the number of heads. It is the width of a head that counts: sqrt(D_h).",
        ),
        Misconception(
            "scale-tokens",
            "You divided by the root of the number of tokens. It is the width of a head that counts: sqrt(D_h).",
        ),
        Misconception("scale-floored", "You rounded the root of D_h down to a whole number. It is a real number."),
        Misconception("scale-multiplied", "You multiplied by sqrt(D_h). The scores are divided by it."),
        Misconception(
            "merged-by-reshape",
            "Your reshape keeps the shape and scrambles the content: heads"
            " must go behind tokens, (T, heads, D_h), before they are merged into (T, D).",
        ),
        Misconception(
            "split-by-reshape",
            "Your reshape keeps the shape and scrambles the content: split D into (T,"
            " heads, D_h) first, then bring the heads to the front with swapaxes.",
        ),
        Misconception(
            "strided-heads",
            "Your heads take every few columns. Head j takes neighbours: columns"
            " j*D_h to (j+1)*D_h, so the axis splits as (heads, D_h), not (D_h, heads).",
        ),
        Misconception(
            "merged-strided",
            "You joined the heads number by number. They stand side by side: all of head 0, then all of head 1.",
        ),
        Misconception("heads-reversed", "The heads are joined in reverse order. Head 0 comes first."),
        Misconception("one-head", "The heads were ignored: you ran a single head over all D columns."),
        Misconception("one-map", "All heads used one map of weights. Every head has its own."),
        Misconception(
            "third-columns",
            "You took every third column. The columns of W_qkv are all of q, then all of k, then all of v.",
        ),
        Misconception(
            "packed-by-head",
            "You read W_qkv head by head (q, k, v of head 0, then of head 1). Its"
            " columns are all of q, then all of k, then all of v.",
        ),
        Misconception("order-vqk", "You read the columns in another order. They are q, then k, then v."),
        Misconception(
            "order-qvk", "You took the second D columns for v and the third for k. They are q, then k, then v."
        ),
        Misconception("no-qkv-bias", "The bias `b_qkv` is missing."),
        Misconception("no-output-bias", "The bias `b_o` is missing."),
        Misconception("bias-for-each-head", "The bias `b_o` was added once a head. It is added once, behind `W_o`."),
        Misconception("bias-before", "You added `b_o` before `W_o`. It is added behind it."),
        Misconception("one-query", "All heads used the queries of head 0. Every head has its own."),
        Misconception("averaged", "You averaged over the tokens. Every token keeps its own row: (T, D)."),
        Misconception("heads-summed", "You added the heads up. They stand side by side."),
        Misconception(
            "heads-attend",
            "The heads stayed behind the tokens, so each token's heads looked at"
            " one another and no token at another token. Bring the heads to the front before q k^T.",
        ),
        Misconception(
            "no-output-projection", "The output projection is missing: the joined heads go through `W_o` and `b_o`."
        ),
        Misconception(
            "output-transposed", "You multiplied by the transpose of `W_o`. It is stored (in, out): `@ W_o`."
        ),
        Misconception("columns", "Your softmax runs down the columns. Every row, a query, sums to 1: the last axis."),
        Misconception("whole", "Your softmax runs over each head's whole map. Every row sums to 1 on its own."),
        Misconception("no-softmax", "There is no softmax: the scores went straight on to v."),
        Misconception("transposed-scores", "Your rows are the keys: you took k q^T. Row i belongs to query i."),
        Misconception("transposed-weights", "You used the weights transposed. Row i, query i, mixes the values."),
        Misconception("causal", "You masked the later tokens, as a language model does. A ViT has no mask."),
        Misconception("residual", "You added z. The residual belongs to the block, not to this function."),
        Misconception(
            "not-joined",
            "The heads are not joined: swap heads and tokens, then merge them to (T, D) for `W_o`.",
            _not_joined,
        ),
        Misconception(
            "not-fitting",
            "A product does not fit. `W_qkv` is (D, 3D) and `W_o` (D, D), both stored (in, out), so tokens stand"
            " in front: `z @ W_qkv`. In a head, k is turned: q k^T.",
            _not_fitting,
        ),
        *but(
            listed(OTHERS | BIASES)
            + _pieces.head_misconceptions()
            + scale_misconceptions(heads=True)
            + listed(_pieces.PRODUCTS | MAPS)
            + slips_at(STEPS),
            SAME,
        ),
    ),
)
