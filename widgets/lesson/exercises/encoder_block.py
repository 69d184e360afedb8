"""Exercise of chapter 07: the encoder block, Eqs. 2 and 3."""

from __future__ import annotations

from typing import Any

import numpy as np

from widgets.lesson.exercises import _block, gelu, layer_norm, multi_head_attention
from widgets.lesson.exercises._activations import SERIES
from widgets.lesson.exercises._arrangements import ARRANGEMENTS
from widgets.lesson.exercises._bridge import numbers, tensor
from widgets.lesson.exercises._slips import PLACES, VALUES, VECTOR, but, listed, scoped, slips_at
from widgets.lesson.specification import Case, Exercise, Misconception, Outcome


def expected(z: np.ndarray, params: dict[str, Any]) -> np.ndarray:
    """z of the next layer, (T, d)."""
    from widgets.model import attention, encoder

    def get(*names: str) -> list[Any]:
        return [tensor(params[name]) for name in names]

    (W_1, b_1, W_2, b_2), first, second = get("W_1", "b_1", "W_2", "b_2"), get("ln1_g", "ln1_b"), get("ln2_g", "ln2_b")
    heads = attention.AttentionWeights.packed(*get("W_qkv", "b_qkv", "W_o", "b_o"))
    weights = encoder.BlockWeights(*first, heads, *second, encoder.MLPWeights(W_1.T, b_1, W_2.T, b_2))
    return encoder.block(tensor(z)[None], weights, params["h"], 1e-6).z[0].numpy()


def faulty(z: np.ndarray, params: dict[str, Any], faults: frozenset[str] = frozenset()) -> np.ndarray:
    """One block with the named mistakes."""
    return _block.encoder(z, params, faults)


def _case(seed: int, tokens: int, width: int, hidden: int, heads: int, spread: float = 1.0) -> tuple:
    shapes = {
        "ln1_g": (width,),
        "ln1_b": (width,),
        "W_qkv": (width, 3 * width),
        "b_qkv": (3 * width,),
        "W_o": (width, width),
        "b_o": (width,),
        "ln2_g": (width,),
        "ln2_b": (width,),
        "W_1": (width, hidden),
        "b_1": (hidden,),
        "W_2": (hidden, width),
        "b_2": (width,),
    }
    params = {
        name: numbers(seed + i, *shape, spread=0.6, centre=1.2 if name.endswith("_g") else 0)
        for i, (name, shape) in enumerate(shapes.items(), 1)
    }
    small = {name: params[name] * spread for name in ("W_o", "b_o")}  # so that the second norm sees small rows too
    return numbers(seed, tokens, width, spread=spread), {**params, **small, "h": heads}


def _large() -> tuple:
    """All but the queries and keys in the thousands: the scores stay small."""
    z, params = _case(480, 4, 6, 5, 2)
    for name, value in params.items():
        if name not in ("h", "W_qkv", "b_qkv", "ln1_g", "ln1_b"):
            params[name] = value * 3e3
    for name in ("ln1_g", "ln1_b"):
        params[name] = params[name] * np.array([3e3, -1, 1, 1, -1, 3e3])
    W_qkv, b_qkv = params["W_qkv"], params["b_qkv"]
    W_qkv[[0, 5]] = W_qkv[[0, 5]] / 3e3  # what reads the two large columns of the norm
    W_qkv[:, 12:], b_qkv[12:] = W_qkv[:, 12:] * 3e4, b_qkv[12:] * 3e4
    W_qkv[:, [6, 9]], b_qkv[[0, 3, 6, 9]] = 0, (25, 25, -25, -25)  # all scores about -300: number 0 of both heads
    params["b_o"], params["b_2"] = params["b_o"] * 1e4, params["b_2"] * 1e4
    return z * 3e8, params


ALL = f"{VALUES} {PLACES}"
MATRIX = "negated absolute doubled halved centred unit unit-columns softmax columns-backwards rows-backwards"
STEPS = {
    "out": ("the answer", f"{ALL} over-root-width times-root-width"),
    "mlp": ("what the MLP gives, before it is added", f"{ALL} over-root-width halved doubled negated"),
    "activated": ("the hidden numbers behind the activation", ALL),
    "hidden": ("the hidden numbers before the activation", f"{ALL} negated doubled halved"),
    "middle": ("z', the sum of the first half", ALL),
    "z": ("z, before everything else", f"{ALL} over-root-width times-root-width doubled halved negated"),
    "W_1": ("`W_1`", MATRIX),
    "W_2": ("`W_2`", MATRIX),
    "b_1": ("`b_1`", VECTOR),
    "b_2": ("`b_2`", VECTOR),
}
GAINS = {
    "norm:shifts-swapped": (
        "The shifts of the two norms changed places: ln1_b belongs to attention, ln2_b to the MLP.",
    ),
    "norm:gains-swapped": ("The gains of the two norms changed places: ln1_g belongs to attention, ln2_g to the MLP.",),
    "norm:first-shift-for-both": ("Both norms used the shift ln1_b. The second has its own: ln2_b.",),
    "norm:first-gain-for-both": ("Both norms used the gain ln1_g. The second has its own: ln2_g.",),
    "scale:d-ff": (
        "You divided the scores by sqrt(d_ff). The MLP's width has no place in attention: it is sqrt(D_h), d / h.",
    ),
}


def _not_fitting(failed: Outcome, outcomes: list[Outcome]) -> bool:
    return isinstance(failed.error, ValueError) and any(word in str(failed.error) for word in ("matmul", "not aligned"))


def _unknown_key(failed: Outcome, outcomes: list[Outcome]) -> bool:
    return isinstance(failed.error, KeyError)


def _inside() -> tuple[Misconception, ...]:
    """What can go wrong in the pieces, each said with its place."""
    norms = tuple(
        m for m in layer_norm.EXERCISE.misconceptions if ":" not in m.name or not m.sentence.startswith("At ")
    )
    curves = tuple(
        m for m in gelu.EXERCISE.misconceptions if not m.sentence.startswith("At ") and m.name not in SERIES
    )  # near 0 they are right
    return (
        scoped("attention", "In attention", multi_head_attention.EXERCISE.misconceptions)
        + scoped("norms", "In both norms", norms)
        + scoped("ln1", "In the first norm", norms)
        + scoped("ln2", "In the second norm", norms)
        + scoped("gelu", "In the activation", curves)
    )


SAME = (
    "residual:last-alone residual:change-alone attention/scale-width attention/no-scale attention/merged-by-reshape "
    "attention/split-by-reshape attention/one-head attention/no-qkv-bias attention/no-output-bias "
    "attention/no-output-projection attention/columns attention/causal attention/heads-as-width attention/msa:gelu "
    "attention/msa:first-row-0 attention/msa:only-first-row attention/scores:clipped-80 attention/scores:clipped-88 "
    "attention/scores:clipped-100 attention/scores:clipped-500 attention/products:clipped-50 "
    "attention/products:clipped-80 attention/q:clipped-10 attention/k:clipped-10 attention/b_o:over-largest-size "
    "attention/b_o:clipped-2 attention/b_o:clipped-3 norms/eps-outside norms/no-eps norms/eps-1e-5 norms/eps-1e-6 "
    "norms/twice norms/eps-squared norms/sample-variance norms/eps:largest-of-deviation norms/eps:1e-3 ln1/eps-1e-6 "
    "ln1/twice ln1/eps-squared ln1/eps:largest-of-deviation ln1/eps:1e-3 ln2/eps-1e-6 ln2/eps-squared ln2/eps-last "
    "ln2/eps:largest-of-deviation ln2/eps:1e-3 gelu/relu gelu/gelu-tanh gelu/gelu-sigmoid gelu/silu "
    "gelu/gelu-erf-unscaled gelu/no-activation gelu/curve:square-phi gelu/curve:twice gelu/curve:residual mlp:gelu "
    "mlp:clipped-10 mlp:first-row-0 mlp:only-first-row mlp:negated activated:absolute activated:relu activated:gelu "
    "activated:over-largest-size activated:rows-backwards activated:rows-rolled activated:rows-rolled-back "
    "activated:first-row activated:last-row activated:mean-row hidden:absolute hidden:relu hidden:gelu "
    "hidden:clipped-5 hidden:clipped-10 hidden:clipped-1000 hidden:reread hidden:rows-backwards "
    "hidden:columns-backwards hidden:rows-rolled hidden:rows-rolled-back hidden:columns-rolled "
    "hidden:columns-rolled-back hidden:first-row hidden:last-row hidden:mean-row hidden:first-column "
    "hidden:first-row-0 hidden:last-row-0 hidden:first-column-0 hidden:last-column-0 hidden:only-first-row "
    "hidden:negated middle:rows-backwards middle:rows-rolled middle:rows-rolled-back middle:first-row middle:last-row "
    "z:clipped-5 z:clipped-10 z:rows-backwards z:rows-rolled z:rows-rolled-back W_2:negated W_2:doubled W_2:halved "
    "W_2:rows-backwards b_1:clipped-3 b_1:doubled b_2:clipped-3 b_2:doubled"
)

SOLUTION = """
import math
import numpy as np

def encoder_block(z, params):
    p = params
    T, d = z.shape

    def norm(x, gain, shift):
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt(x.var(-1, keepdims=True) + 1e-6) * gain + shift

    def split(x):
        return x.reshape(T, p["h"], d // p["h"]).swapaxes(0, 1)         # (h, T, D_h)

    def attention(x):
        q, k, v = map(split, np.split(x @ p["W_qkv"] + p["b_qkv"], 3, axis=1))
        scores = q @ k.swapaxes(1, 2) / np.sqrt(d // p["h"])            # (h, T, T)
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        weights = powers / powers.sum(-1, keepdims=True)
        return (weights @ v).swapaxes(0, 1).reshape(T, d) @ p["W_o"] + p["b_o"]

    def mlp(x):
        hidden = x @ p["W_1"] + p["b_1"]                                # (T, d_ff)
        phi = 0.5 * (1 + np.vectorize(math.erf)(hidden / math.sqrt(2)))
        return (hidden * phi) @ p["W_2"] + p["b_2"]

    z = z + attention(norm(z, p["ln1_g"], p["ln1_b"]))                  # Eq. 2
    return z + mlp(norm(z, p["ln2_g"], p["ln2_b"]))                     # Eq. 3
"""

EXERCISE = Exercise(
    id="encoder_block",
    title="One encoder block",
    minutes=30,
    difficulty=4,
    importance=5,
    purpose="A ViT is this function, twelve times over.",
    signature="def encoder_block(z, params):",
    text=(
        "Write `encoder_block(z, params)`: `z` is `(T, d)`, and what comes back is `(T, d)`. First `z' ="
        " MSA(LN(z)) + z`, then `MLP(LN(z')) + z'`.\n\n`params` holds `ln1_g, ln1_b` (gain and shift of the"
        " first norm), `W_qkv` (d, 3d), `b_qkv`, `W_o` (d, d), `b_o`, `ln2_g, ln2_b`, `W_1` (d, d_ff), `b_1`,"
        " `W_2` (d_ff, d), `b_2`, and `h`, the number of heads. Columns of `W_qkv` are q, then k, then v; head"
        " j takes columns `j*D_h` to `(j+1)*D_h` of each. Epsilon is 1e-6, the activation is the exact GELU, x"
        " times the normal distribution function of x, and there is no mask. Leave `z` as it was."
    ),
    hints=(
        "Write the pieces first: norm, attention, MLP. The two exercises before this one have two of them. The"
        " block itself is two lines, and the stream is never normalised, only what each sublayer reads.",
        "The second line starts from z', the sum of the first line, in both places: what the norm reads and what is"
        " added. `z += ...` would change the reader's own array; write `z = z + ...`.",
        "The exact GELU is `0.5 * x * (1 + erf(x / sqrt(2)))`. NumPy has no erf: `np.vectorize(math.erf)` or"
        " `torch.erf` has.",
    ),
    solution=SOLUTION,
    commentary=(
        "Attention moves information between tokens; the MLP works inside each. The sum z runs through both"
        " untouched, which is why it is called the residual stream: every sublayer reads a normalised copy and"
        " adds to it."
    ),
    cases=(
        Case("5 tokens, d = 6, d_ff = 10, 3 heads", lambda: _case(400, 5, 6, 10, 3)),
        Case("4 tokens, d = 8, d_ff = 8, 2 heads", lambda: _case(420, 4, 8, 8, 2)),
        Case("3 tokens, d = 4, d_ff = 12, 1 head, numbers of about 0.001", lambda: _case(440, 3, 4, 12, 1, 1e-3)),
        Case("4 tokens, d = 4, d_ff = 4, 2 heads", lambda: _case(460, 4, 4, 4, 2)),
        Case("4 tokens, d = 6, d_ff = 5, 2 heads, numbers in the thousands", _large),
    ),
    expected=expected,
    faulty=faulty,
    misconceptions=(
        Misconception(
            "post-norm",
            "You normalised after each sum, as BERT does. ViT normalises what each"
            " sublayer reads (pre-norm): z + MSA(LN(z)).",
        ),
        Misconception("no-first-residual", "The first residual is missing: z is added to what attention gives."),
        Misconception("no-second-residual", "The second residual is missing: z' is added to what the MLP gives."),
        Misconception(
            "residual-from-norm",
            "You added the normalised rows. What is added is the stream before its norm: z, and then z'.",
        ),
        Misconception(
            "second-residual-from-z",
            "Your second residual adds z, the block's input. It adds z',"
            " the sum of the first half; otherwise attention's part is lost.",
        ),
        Misconception(
            "parallel",
            "Both halves read the block's input, as in ViT-22B. Here the MLP reads LN(z'), the norm of the first sum.",
        ),
        Misconception("no-mlp", "The second half is missing: MLP(LN(z')) + z'."),
        Misconception(
            "mlp-of-attention", "The MLP read what attention gave, without z. It reads LN(z'), the norm of the sum."
        ),
        Misconception("residual-doubled", "Your second residual counts z' twice."),
        Misconception("mlp-first", "The MLP came first. Attention comes first, then the MLP."),
        Misconception("no-first-norm", "Attention read z itself. It reads LN(z)."),
        Misconception("no-second-norm", "The MLP read z' itself. It reads LN(z')."),
        Misconception(
            "one-norm", "Both halves used the first norm's gain and shift. The second has its own: ln2_g and ln2_b."
        ),
        Misconception("norms-swapped", "The two norms changed places: ln1 belongs to attention, ln2 to the MLP."),
        Misconception("gelu-tanh", "You used GELU's tanh form. The exact one is x Phi(x), with erf."),
        Misconception(
            "gelu-sigmoid", "You used x sigmoid(1.702 x), a quick form of GELU. The exact one is x Phi(x), with erf."
        ),
        Misconception("gelu-erf-unscaled", "Inside GELU's erf stands x / sqrt(2); you left the root out."),
        Misconception("relu", "You used ReLU. ViT's activation is GELU."),
        Misconception("silu", "You used SiLU, x sigmoid(x). ViT's activation is GELU, x Phi(x)."),
        Misconception("no-activation", "There is no activation between the MLP's two layers."),
        Misconception("activation-last", "The activation stands behind the second layer. It stands between the two."),
        Misconception(
            "activation-twice", "There is an activation behind the second layer too. Only one, between the two."
        ),
        Misconception("no-b_1", "The bias of the MLP's first layer, b_1, is missing."),
        Misconception("no-b_2", "The bias of the MLP's second layer, b_2, is missing."),
        Misconception("attention-activated", "There is an activation behind attention. Only the MLP has one."),
        Misconception(
            "normed-again",
            "You normalised once more at the end. The final norm comes after the last block, not in each.",
        ),
        Misconception(
            "heads-as-width",
            'You took `params["h"]` for the width of a head. It is the number of heads; each is d / h wide.',
        ),
        Misconception("eps-1e-5", "Your epsilon is 1e-5, PyTorch's default. Here it is 1e-6."),
        Misconception(
            "eps-1e-12",
            "Your epsilon is missing, or as small as 1e-12, the library's default. Here it is sqrt(variance + 1e-6).",
        ),
        Misconception("eps-outside", "Your epsilon is outside the root: sqrt(variance + eps)."),
        Misconception(
            "sample-variance", "Your norms divide the variance by d - 1. It is the population variance, divided by d."
        ),
        Misconception("scale-width", "You divided the scores by sqrt(d), not by sqrt(D_h), the width of a head."),
        Misconception("no-scale", "The scores are not scaled: divide them by sqrt(D_h)."),
        Misconception("one-head", 'The heads were ignored: `params["h"]` says how many there are.'),
        Misconception(
            "merged-by-reshape",
            "Your reshape keeps the shape and scrambles the content: heads"
            " must go behind tokens before they are merged.",
        ),
        Misconception(
            "split-by-reshape",
            "Your reshape keeps the shape and scrambles the content: split d"
            " into (T, h, D_h) first, then bring the heads to the front.",
        ),
        Misconception("columns", "Your softmax runs down the columns. Every row, a query, sums to 1."),
        Misconception("causal", "You masked the later tokens. A ViT has no mask."),
        Misconception("no-qkv-bias", "The bias b_qkv is missing."),
        Misconception("no-output-bias", "The bias b_o is missing."),
        Misconception("no-output-projection", "The output projection W_o is missing."),
        Misconception(
            "not-fitting",
            "A product does not fit. All matrices are stored (in, out), so tokens stand in front: `x @ W_1`. In a"
            " head, k is turned: q k^T.",
            _not_fitting,
        ),
        Misconception(
            "unknown-key",
            "`params` has no such entry. Its keys are ln1_g, ln1_b, W_qkv, b_qkv, W_o, b_o, ln2_g, ln2_b, W_1,"
            " b_1, W_2, b_2 and h.",
            _unknown_key,
        ),
        *but(
            listed(ARRANGEMENTS | GAINS | _block.STATISTICS | _block.MLPS | _block.READING)
            + _inside()
            + slips_at(STEPS),
            SAME,
        ),
    ),
)
