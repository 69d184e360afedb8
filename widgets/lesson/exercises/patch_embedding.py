"""Exercise of chapter 03: from a row of pixels to a token."""

from __future__ import annotations

import numpy as np

from ..specification import Case, Exercise, Misconception, Outcome
from ._bridge import numbers, tensor
from ._pieces import softmax


def expected(patches: np.ndarray, W_E: np.ndarray, b_E: np.ndarray) -> np.ndarray:
    """x_p E + b, (N, C*P*P) to (N, D)."""
    from widgets.model.embedding import embed_patches

    return embed_patches(tensor(patches), tensor(W_E), tensor(b_E)).numpy()


def faulty(patches: np.ndarray, W_E: np.ndarray, b_E: np.ndarray, faults: frozenset[str] = frozenset()) -> np.ndarray:
    """Tokens as they come out with the named mistakes."""
    if "bias-first" in faults:
        return (patches + b_E[:1]) @ W_E
    if "mean-patch" in faults:
        patches = patches - patches.mean(0)
    if "centred" in faults:
        patches = patches - patches.mean(1, keepdims=True)
    if "normalised" in faults:
        patches = (patches - patches.mean(1, keepdims=True)) / patches.std(1, keepdims=True)
    if "scaled-255" in faults:
        patches = patches / 255
    if "channels-last" in faults:  # the rows of W_E read as if the patch were (P, P, 3)
        side = int((patches.shape[1] // 3) ** 0.5)
        patches = patches.reshape(-1, 3, side, side).transpose(0, 2, 3, 1).reshape(len(patches), -1)
    if "unit-columns" in faults:
        W_E = W_E / np.linalg.norm(W_E, axis=0)
    tokens = patches @ (W_E.reshape(W_E.shape[::-1]).T if "weights-reshaped" in faults else W_E)
    if "divided-root" in faults:
        tokens = tokens / np.sqrt(W_E.shape[0])
    tokens = tokens - b_E if "bias-subtracted" in faults else tokens + (0 if "no-bias" in faults else b_E)
    if "scaled-root" in faults:
        tokens = tokens * np.sqrt(W_E.shape[1])
    if "relu" in faults:
        tokens = np.maximum(tokens, 0)
    if "softmax" in faults:
        tokens = softmax(tokens)
    if "averaged" in faults:
        return tokens.mean(0)
    if "first-only" in faults:
        return tokens[0]
    if "class-row" in faults:
        tokens = np.vstack([np.zeros((1, tokens.shape[1])), tokens])
    return tokens.T if "turned" in faults else tokens


def _products_do_not_fit(failed: Outcome, outcomes: list[Outcome]) -> bool:
    return isinstance(failed.error, ValueError) and any(
        word in str(failed.error) for word in ("matmul", "not aligned"))


def _bias_down_the_tokens(failed: Outcome, outcomes: list[Outcome]) -> bool:
    return isinstance(failed.error, ValueError) and "broadcast" in str(failed.error)


def _case(seed: int, count: int, length: int, width: int,
          spread: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (numbers(seed, count, length, spread=spread, centre=0.5 * spread),
            numbers(seed + 1, length, width, spread=spread), numbers(seed + 2, width, spread=spread**2))


SOLUTION = '''
def patch_embedding(patches, W_E, b_E):
    return patches @ W_E + b_E  # (N, C*P*P) @ (C*P*P, D) + (D,)
'''

EXERCISE = Exercise(
    id="patch_embedding",
    title="From patches to tokens",
    minutes=5,
    difficulty=1,
    importance=5,
    purpose="One matrix, the same for every patch, is all that stands between pixels and the transformer.",
    signature="def patch_embedding(patches, W_E, b_E):",
    text=(
        "Write `patch_embedding(patches, W_E, b_E)`. `patches` is a NumPy array of shape `(N, C*P*P)`, one row a"
        " patch; `W_E` is `(C*P*P, D)` and `b_E` is `(D,)`. Return the tokens, `(N, D)`: every row of `patches`"
        " times `W_E`, plus `b_E`.\n\n"
        "The matrix is stored (in, out), so nothing is transposed. PyTorch's `nn.Linear` stores (out, in)."
    ),
    hints=(
        "Think of one patch: a row of C*P*P numbers. Each of the D numbers of its token is a weighted sum of all of"
        " them, with the weights in one column of `W_E`.",
        "All patches at once are one matrix product: `(N, C*P*P)` times `(C*P*P, D)` gives `(N, D)`. In NumPy the"
        " product of matrices is `@`.",
        "Add `b_E` after the product. A `(D,)` array is added to every row of an `(N, D)` array on its own:"
        " `patches @ W_E + b_E`.",
    ),
    solution=SOLUTION,
    commentary=(
        "No patch sees another here, and every patch meets the same matrix. That is why the same step can be"
        " written as a convolution whose kernel and stride are both P."
    ),
    cases=(
        Case("5 patches of 12 numbers, D = 7", lambda: _case(10, 5, 12, 7)),
        Case("4 patches of 27 numbers, D = 27", lambda: _case(20, 4, 27, 27)),
        Case("1 patch of 12 numbers, D = 3", lambda: _case(30, 1, 12, 3)),
        Case("6 patches of 12 numbers, D = 6", lambda: _case(40, 6, 12, 6)),
        Case("12 patches of 12 numbers, D = 12", lambda: _case(50, 12, 12, 12)),
        Case("3 patches of 12 numbers, D = 4, numbers in the thousands", lambda: _case(60, 3, 12, 4, 3e3)),
    ),
    expected=expected,
    faulty=faulty,
    misconceptions=(
        Misconception("no-bias", "The bias `b_E` is missing: it is added to every token."),
        Misconception("bias-subtracted", "You subtracted the bias. It is added: x E + b."),
        Misconception("bias-first", "You added the bias before the product. It has D numbers and belongs to the"
                      " tokens, not to the pixels."),
        Misconception("relu", "You put an activation behind the projection. The patch embedding is linear: a matrix"
                      " and a bias, nothing else."),
        Misconception("softmax", "You put a softmax behind the projection. The patch embedding is linear: a"
                      " matrix and a bias, nothing else."),
        Misconception("unit-columns", "You brought the columns of `W_E` to length 1. The matrix is used as it is."),
        Misconception("centred", "You subtracted each patch's mean first. The embedding takes the numbers as"
                      " they are."),
        Misconception("mean-patch", "You subtracted the average patch. The embedding takes the numbers as"
                      " they are."),
        Misconception("normalised", "You normalised each patch first. LayerNorm comes later, inside the block; the"
                      " embedding takes the numbers as they are."),
        Misconception("scaled-255", "You divided by 255. The pixels were prepared before; the embedding only"
                      " projects."),
        Misconception("channels-last", "You reordered the numbers of each patch (channels-last). The rows of"
                      " `W_E` are in the order of the patch: channel, row, column."),
        Misconception("weights-reshaped", "You reshaped `W_E` where a transpose was meant, or reshaped it at"
                      " all: the shape fits and the weights are scrambled. `W_E` is (C*P*P, D) and is used as"
                      " it is."),
        Misconception("scaled-root", "You multiplied by sqrt(D), as the text transformer does. ViT does not"
                      " scale its embeddings."),
        Misconception("divided-root", "You divided by the root of the row's length. That belongs to the start"
                      " values of training or to attention, not to this product."),
        Misconception("averaged", "You averaged over the patches. Each patch stays a token of its own: (N, D)."),
        Misconception("first-only", "Only the first patch was embedded. All N rows go through the same matrix."),
        Misconception("class-row", "You put a row in front. The class token comes in the next step; here N"
                      " rows come in and N go out."),
        Misconception("turned", "Your tokens are the columns. Tokens are rows: (N, D), not (D, N)."),
        Misconception("not-fitting", "The product does not fit: `patches` is (N, C*P*P) and `W_E` is"
                      " (C*P*P, D), stored (in, out). So it is `patches @ W_E`, nothing transposed.", _products_do_not_fit),
        Misconception("bias-down", "The bias does not fit: it has D numbers, one a column, and is added"
                      " to every row as it is.", _bias_down_the_tokens),
    ),
)
