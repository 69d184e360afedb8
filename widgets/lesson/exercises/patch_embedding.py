"""Exercise of chapter 03: from a row of pixels to a token."""

from __future__ import annotations

import numpy as np

from widgets.lesson.exercises._bridge import numbers, tensor
from widgets.lesson.exercises._slips import PLACES, VALUES, VECTOR, but, erf, listed, slipping, slips_at
from widgets.lesson.exercises._softmaxes import softmax
from widgets.lesson.specification import Case, Exercise, Misconception, Outcome


def expected(patches: np.ndarray, W_E: np.ndarray, b_E: np.ndarray) -> np.ndarray:
    """x_p E + b, (N, C*P*P) to (N, D)."""
    from widgets.model.embedding import embed_patches

    return embed_patches(tensor(patches), tensor(W_E), tensor(b_E)).numpy()


def faulty(patches: np.ndarray, W_E: np.ndarray, b_E: np.ndarray, faults: frozenset[str] = frozenset()) -> np.ndarray:
    """Tokens as they come out with the named mistakes."""
    at = slipping(faults)
    patches, W_E, b_E = at("patches", patches), at("W_E", W_E), at("b_E", b_E)
    for name, (_, other) in OTHERS.items():
        if name in faults:
            return other(patches, W_E, b_E)
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
    return tokens.T if "turned" in faults else at("tokens", tokens)


OTHERS = {
    "bias:once-a-number": (
        "The bias was added once for each of the C*P*P numbers. It is added once a token, behind the sum.",
        lambda x, W, b: x @ W + len(W) * b,
    ),
    "bias:once-a-patch": (
        "The bias was added once for each patch. It is added once a token.",
        lambda x, W, b: x @ W + len(x) * b,
    ),
    "bias:first-token": (
        "The bias was added to token 0 alone. It is added to every token.",
        lambda x, W, b: (lambda t: np.vstack([t[:1] + b, t[1:]]))(x @ W),
    ),
    "bias:not-first-token": (
        "Token 0 got no bias. It is added to every token.",
        lambda x, W, b: (lambda t: np.vstack([t[:1], t[1:] + b]))(x @ W),
    ),
    "bias:last-token": (
        "The bias was added to the last token alone. It is added to every token.",
        lambda x, W, b: (lambda t: np.vstack([t[:-1], t[-1:] + b]))(x @ W),
    ),
    "bias:multiplied": ("You multiplied by the bias. It is added: x E + b.", lambda x, W, b: (x @ W) * b),
    "bias:row": (
        "You put the bias in front as a row of its own. It is added to every row: N rows go out.",
        lambda x, W, b: np.vstack([b, x @ W]),
    ),
    "bias:columns": (
        "You put the bias beside the tokens. It is added: the width stays D.",
        lambda x, W, b: np.hstack([x @ W, np.broadcast_to(b, (len(x), len(b)))]),
    ),
    "bias:in-weights": (
        (
            "You added the bias to the matrix, so each number of a patch multiplies it. It is added to the product: x E"
            " + b."
        ),
        lambda x, W, b: x @ (W + b),
    ),
    "bias:in-pixels": (
        "A number of the bias was added to the pixels. It belongs to the tokens.",
        lambda x, W, b: (x + b.mean()) @ W,
    ),
    "bias:scaled": (
        "The bias was multiplied by sqrt(D). It is added as it is.",
        lambda x, W, b: x @ W + b * np.sqrt(len(b)),
    ),
    "bias:weighed": (
        "Only the bias came out. It is added to the product x E.",
        lambda x, W, b: np.broadcast_to(b, (len(x), len(b))).copy(),
    ),
    "tokens:scaled-without-bias": (
        (
            "You multiplied the product by sqrt(D), as the text transformer does, and added the bias after. ViT does"
            " not scale its embeddings."
        ),
        lambda x, W, b: (x @ W) * np.sqrt(len(b)) + b,
    ),
    "tokens:divided-by-root-D": (
        "You divided the product by sqrt(D). It is used as it is.",
        lambda x, W, b: (x @ W) / np.sqrt(len(b)) + b,
    ),
    "tokens:divided-by-length": (
        "You divided the product by the number of pixels in a patch, as a mean does. It is a sum.",
        lambda x, W, b: (x @ W) / len(W) + b,
    ),
    "tokens:divided-by-all": (
        "You divided tokens, bias and all, by the number of pixels in a patch. They are used as they are.",
        lambda x, W, b: (x @ W + b) / len(W),
    ),
    "tokens:activated-before-bias": (
        "An activation stands before the bias. The patch embedding is linear: a matrix and a bias, nothing else.",
        lambda x, W, b: np.maximum(x @ W, 0) + b,
    ),
    "tokens:gelu-before-bias": (
        "An activation stands before the bias. The patch embedding is linear: a matrix and a bias, nothing else.",
        lambda x, W, b: (lambda t: t / 2 * (1 + erf(t / np.sqrt(2))) + b)(x @ W),
    ),
    "tokens:positions": (
        "You added each token's number. Positions come in the next step, from a table.",
        lambda x, W, b: x @ W + b + np.arange(len(x))[:, None],
    ),
    "tokens:batch": (
        "There is an extra axis in front. N patches come in, so (N, D) goes out.",
        lambda x, W, b: (x @ W + b)[None],
    ),
    "tokens:flat": ("All tokens are in one long row. One row a token: (N, D).", lambda x, W, b: (x @ W + b).ravel()),
    "tokens:class-of-ones": (
        "You put a row in front. The class token comes in the next step; here N rows come in and N go out.",
        lambda x, W, b: np.vstack([np.ones((1, len(b))), x @ W + b]),
    ),
    "tokens:class-last": (
        "You put a row behind. The class token comes in the next step; here N rows come in and N go out.",
        lambda x, W, b: np.vstack([x @ W + b, np.zeros((1, len(b)))]),
    ),
    "tokens:mean-row-too": (
        "You put the tokens' mean in front. N rows come in and N go out.",
        lambda x, W, b: (lambda t: np.vstack([t.mean(0), t]))(x @ W + b),
    ),
    "tokens:through-again": (
        "You multiplied by E and back by its transpose. Once, x E + b, is all.",
        lambda x, W, b: (x @ W @ W.T) @ W + b,
    ),
    "tokens:summed": (
        "You added the patches up. Each patch stays a token of its own: (N, D).",
        lambda x, W, b: (x @ W + b).sum(0),
    ),
    "pixels:first-third": (
        "Only the first third of each patch, a channel, met its weights. All C*P*P numbers do.",
        lambda x, W, b: x[:, : len(W) // 3] @ W[: len(W) // 3] + b,
    ),
    "pixels:last-missing": (
        "The last number of each patch is missing. All C*P*P numbers meet their weights.",
        lambda x, W, b: x[:, :-1] @ W[:-1] + b,
    ),
    "pixels:first-missing": (
        "The first number of each patch is missing. All C*P*P numbers meet their weights.",
        lambda x, W, b: x[:, 1:] @ W[1:] + b,
    ),
    "pixels:grey": (
        (
            "The channels were averaged before they met the weights of the first. All C*P*P numbers have a weight of"
            " their own."
        ),
        lambda x, W, b: x.reshape(len(x), 3, -1).mean(1) @ W[: len(W) // 3] + b,
    ),
    "pixels:channels-reversed": (
        "The channels of each patch are in reverse (blue first). Channel 0 comes first.",
        lambda x, W, b: x.reshape(len(x), 3, -1)[:, ::-1].reshape(x.shape) @ W + b,
    ),
    "pixels:turned": (
        (
            "Inside each patch, rows and columns of pixels changed places. The rows of `W_E` are in the order channel,"
            " row, column."
        ),
        lambda x, W, b: x.reshape(len(x), 3, round((len(W) / 3) ** 0.5), -1).swapaxes(2, 3).reshape(x.shape) @ W + b,
    ),
    "pixels:from-channels-last": (
        "You reordered the numbers of each patch, from channels-last. They are in the order of `W_E` as they come.",
        lambda x, W, b: x.reshape(len(x), -1, 3).swapaxes(1, 2).reshape(x.shape) @ W + b,
    ),
    "pixels:standardised-columns": (
        "You normalised each pixel place over the patches. The embedding takes the numbers as they are.",
        lambda x, W, b: (x - x.mean(0)) / (x.std(0) + 1e-6) @ W + b,
    ),
}
ALL = f"{VALUES} {PLACES}"
STEPS = {
    "tokens": ("the tokens", f"{ALL} over-rows over-root-rows"),
    "patches": (
        "the patches",
        (
            f"{ALL} over-root-width times-root-width over-width times-width halved doubled negated to-minus-1-1"
            " bytes-to-minus-1-1"
        ),
    ),
    "W_E": (
        "`W_E`",
        (
            "negated doubled halved absolute relu tanh softmax softmax-columns sigmoid centred centred-columns unit"
            " normalised normalised-columns min-max float16 rounded rounded-1 rounded-2 clipped-1 clipped-2 clipped-0-1"
            " reread rows-backwards columns-backwards rows-rolled columns-rolled rows-rolled-back columns-rolled-back"
            " over-root-width over-root-rows"
        ),
    ),
    "b_E": ("the bias", VECTOR),
}
SAME = (
    "tokens:relu tokens:softmax patches:centred patches:centred-columns patches:over-largest-size "
    "patches:normalised-columns patches:rows-backwards patches:rows-rolled patches:rows-rolled-back patches:first-row "
    "patches:last-row patches:mean-row patches:first-column-0 patches:last-column-0 patches:over-root-width "
    "patches:over-width W_E:negated W_E:doubled W_E:halved W_E:centred-columns W_E:rows-backwards W_E:rows-rolled "
    "W_E:rows-rolled-back W_E:over-root-width W_E:over-root-rows b_E:negated"
)


def _products_do_not_fit(failed: Outcome, outcomes: list[Outcome]) -> bool:
    return isinstance(failed.error, ValueError) and any(word in str(failed.error) for word in ("matmul", "not aligned"))


def _bias_down_the_tokens(failed: Outcome, outcomes: list[Outcome]) -> bool:
    return isinstance(failed.error, ValueError) and "broadcast" in str(failed.error)


def _case(
    seed: int, count: int, length: int, width: int, spread: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        numbers(seed, count, length, spread=spread, centre=0.5 * spread),
        numbers(seed + 1, length, width, spread=spread),
        numbers(seed + 2, width, spread=spread**2),
    )


SOLUTION = """
def patch_embedding(patches, W_E, b_E):
    return patches @ W_E + b_E  # (N, C*P*P) @ (C*P*P, D) + (D,)
"""

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
        (
            "Think of one patch: a row of C*P*P numbers. Each of the D numbers of its token is a weighted sum of all of"
            " them, with the weights in one column of `W_E`."
        ),
        (
            "All patches at once are one matrix product: `(N, C*P*P)` times `(C*P*P, D)` gives `(N, D)`. In NumPy the"
            " product of matrices is `@`."
        ),
        (
            "Add `b_E` after the product. A `(D,)` array is added to every row of an `(N, D)` array on its own:"
            " `patches @ W_E + b_E`."
        ),
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
        Misconception(
            "bias-first",
            "You added the bias before the product. It has D numbers and belongs to the tokens, not to the pixels.",
        ),
        Misconception(
            "relu",
            "You put an activation behind the projection. The patch embedding is linear: a matrix"
            " and a bias, nothing else.",
        ),
        Misconception(
            "softmax",
            "You put a softmax behind the projection. The patch embedding is linear: a"
            " matrix and a bias, nothing else.",
        ),
        Misconception("unit-columns", "You brought the columns of `W_E` to length 1. The matrix is used as it is."),
        Misconception(
            "centred", "You subtracted each patch's mean first. The embedding takes the numbers as they are."
        ),
        Misconception("mean-patch", "You subtracted the average patch. The embedding takes the numbers as they are."),
        Misconception(
            "normalised",
            "You normalised each patch first. LayerNorm comes later, inside the block; the"
            " embedding takes the numbers as they are.",
        ),
        Misconception(
            "scaled-255", "You divided by 255. The pixels were prepared before; the embedding only projects."
        ),
        Misconception(
            "channels-last",
            "You reordered the numbers of each patch (channels-last). The rows of"
            " `W_E` are in the order of the patch: channel, row, column.",
        ),
        Misconception(
            "weights-reshaped",
            "You reshaped `W_E` where a transpose was meant, or reshaped it at"
            " all: the shape fits and the weights are scrambled. `W_E` is (C*P*P, D) and is used as"
            " it is.",
        ),
        Misconception(
            "scaled-root", "You multiplied by sqrt(D), as the text transformer does. ViT does not scale its embeddings."
        ),
        Misconception(
            "divided-root",
            "You divided by the root of the row's length. That belongs to the start"
            " values of training or to attention, not to this product.",
        ),
        Misconception("averaged", "You averaged over the patches. Each patch stays a token of its own: (N, D)."),
        Misconception("first-only", "Only the first patch was embedded. All N rows go through the same matrix."),
        Misconception(
            "class-row",
            "You put a row in front. The class token comes in the next step; here N rows come in and N go out.",
        ),
        Misconception("turned", "Your tokens are the columns. Tokens are rows: (N, D), not (D, N)."),
        Misconception(
            "not-fitting",
            "The product does not fit: `patches` is (N, C*P*P) and `W_E` is"
            " (C*P*P, D), stored (in, out). So it is `patches @ W_E`, nothing transposed.",
            _products_do_not_fit,
        ),
        Misconception(
            "bias-down",
            "The bias does not fit: it has D numbers, one a column, and is added to every row as it is.",
            _bias_down_the_tokens,
        ),
        *but(listed(OTHERS) + slips_at(STEPS), SAME),
    ),
)
