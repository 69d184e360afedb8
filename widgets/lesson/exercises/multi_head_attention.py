"""Exercise of chapter 06: several heads side by side, Eq. 8."""

from __future__ import annotations

import numpy as np

from ..specification import Case, Exercise, Misconception
from . import _pieces
from ._bridge import numbers, tensor


def expected(z: np.ndarray, W_qkv: np.ndarray, b_qkv: np.ndarray, W_o: np.ndarray, b_o: np.ndarray,
             heads: int) -> np.ndarray:
    """MSA(z), (T, D)."""
    from widgets.model import attention as model

    weights = model.AttentionWeights.packed(*map(tensor, (W_qkv, b_qkv, W_o, b_o)))
    return model.multi_head_attention(tensor(z)[None], weights, heads).msa[0].numpy()


def faulty(z: np.ndarray, W_qkv: np.ndarray, b_qkv: np.ndarray, W_o: np.ndarray, b_o: np.ndarray, heads: int,
           faults: frozenset[str] = frozenset()) -> np.ndarray:
    """MSA(z) with the named mistakes."""
    return _pieces.many_heads(z, W_qkv, b_qkv, W_o, b_o, heads, faults)


def _case(seed: int, tokens: int, width: int, heads: int) -> tuple:
    return (numbers(seed, tokens, width), numbers(seed + 1, width, 3 * width), numbers(seed + 2, 3 * width),
            numbers(seed + 3, width, width), numbers(seed + 4, width), heads)


def _low_scores() -> tuple:
    """Scores of about -300 in every row, which exp still survives; values and outputs in the thousands."""
    z, W_qkv, b_qkv, W_o, b_o, heads = _case(250, 5, 8, 2)
    b_qkv[[0, 4]], b_qkv[[8, 12]] = 25.0, -25.0  # number 0 of both heads, in q and in k
    W_qkv[:, 16:], b_qkv[16:] = W_qkv[:, 16:] * 3e3, b_qkv[16:] * 3e3
    return z, W_qkv, b_qkv, W_o * 3e3, b_o * 1e7, heads


def _large_tokens() -> tuple:
    """Tokens in the thousands, met by weights as small."""
    z, W_qkv, b_qkv, W_o, b_o, heads = _case(260, 4, 6, 3)
    return z * 3e3, W_qkv / 3e3, b_qkv, W_o, b_o, heads


SOLUTION = '''
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
'''

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
        "One product makes everything: `z @ W_qkv + b_qkv` is `(T, 3D)`. Its first D columns are q, the next D"
        " are k, the last D are v. A loop over heads is a fine first version.",
        "To split without a loop: `x.reshape(T, heads, D_h)` gives each token its heads, and only then"
        " `swapaxes(0, 1)` brings the heads to the front. `x.reshape(heads, T, D_h)` has the same shape and"
        " other numbers.",
        "To join, go back the same way: `(heads, T, D_h)`, `swapaxes(0, 1)`, then `reshape(T, D)`. The scale is"
        " `sqrt(D_h)`, the width of a head, not of the model.",
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
        Case("5 tokens, D = 8, 2 heads, scores of about −300 and values in the thousands", _low_scores),
        Case("4 tokens, D = 6, 3 heads, tokens in the thousands", _large_tokens),
    ),
    expected=expected,
    faulty=faulty,
    misconceptions=(
        Misconception("scale-width", "You divided by sqrt(D), not by sqrt(D_h). A score is a dot product over"
                      " the columns of one head, and there are D_h of them."),
        Misconception("no-scale", "You did not scale the scores. Divide them by sqrt(D_h) before the softmax."),
        Misconception("scale-not-rooted", "You divided by D_h, not by sqrt(D_h)."),
        Misconception("scale-heads", "You divided by the root of the number of heads. It is the width of a"
                      " head that counts: sqrt(D_h)."),
        Misconception("scale-tokens", "You divided by the root of the number of tokens. It is the width of a"
                      " head that counts: sqrt(D_h)."),
        Misconception("scale-floored", "You rounded the root of D_h down to a whole number. It is a real number."),
        Misconception("scale-multiplied", "You multiplied by sqrt(D_h). The scores are divided by it."),
        Misconception("merged-by-reshape", "Your reshape keeps the shape and scrambles the content: heads"
                      " must go behind tokens, (T, heads, D_h), before they are merged into (T, D)."),
        Misconception("split-by-reshape", "Your reshape keeps the shape and scrambles the content: split D into (T,"
                      " heads, D_h) first, then bring the heads to the front with swapaxes."),
        Misconception("strided-heads", "Your heads take every few columns. Head j takes neighbours: columns"
                      " j*D_h to (j+1)*D_h, so the axis splits as (heads, D_h), not (D_h, heads)."),
        Misconception("merged-strided", "You joined the heads number by number. They stand side by side: all"
                      " of head 0, then all of head 1."),
        Misconception("heads-reversed", "The heads are joined in reverse order. Head 0 comes first."),
        Misconception("one-head", "The heads were ignored: you ran a single head over all D columns."),
        Misconception("one-map", "All heads used one map of weights. Every head has its own."),
        Misconception("third-columns", "You took every third column. The columns of W_qkv are all of q, then"
                      " all of k, then all of v."),
        Misconception("packed-by-head", "You read W_qkv head by head (q, k, v of head 0, then of head 1). Its"
                      " columns are all of q, then all of k, then all of v."),
        Misconception("order-vqk", "You read the columns in another order. They are q, then k, then v."),
        Misconception("order-qvk", "You took the second D columns for v and the third for k. They are q, then"
                      " k, then v."),
        Misconception("no-qkv-bias", "The bias `b_qkv` is missing."),
        Misconception("no-output-bias", "The bias `b_o` is missing."),
        Misconception("bias-for-each-head", "The bias `b_o` was added once a head. It is added once, behind"
                      " `W_o`."),
        Misconception("bias-before", "You added `b_o` before `W_o`. It is added behind it."),
        Misconception("one-query", "All heads used the queries of head 0. Every head has its own."),
        Misconception("averaged", "You averaged over the tokens. Every token keeps its own row: (T, D)."),
        Misconception("heads-summed", "You added the heads up. They stand side by side."),
        Misconception("heads-attend", "The heads stayed behind the tokens, so each token's heads looked at"
                      " one another and no token at another token. Bring the heads to the front before q k^T."),
        Misconception("no-output-projection", "The output projection is missing: the joined heads go through"
                      " `W_o` and `b_o`."),
        Misconception("output-transposed", "You multiplied by the transpose of `W_o`. It is stored (in, out):"
                      " `@ W_o`."),
        Misconception("columns", "Your softmax runs down the columns. Every row, a query, sums to 1: the last"
                      " axis."),
        Misconception("whole", "Your softmax runs over each head's whole map. Every row sums to 1 on its own."),
        Misconception("no-softmax", "There is no softmax: the scores went straight on to v."),
        Misconception("transposed-scores", "Your rows are the keys: you took k q^T. Row i belongs to query i."),
        Misconception("transposed-weights", "You used the weights transposed. Row i, query i, mixes the values."),
        Misconception("causal", "You masked the later tokens, as a language model does. A ViT has no mask."),
        Misconception("residual", "You added z. The residual belongs to the block, not to this function."),
    ),
)
