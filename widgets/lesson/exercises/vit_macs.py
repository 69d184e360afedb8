"""Exercise of chapter 09: what a forward pass costs."""

from __future__ import annotations

from functools import partial
from typing import Any

from widgets.lesson.exercises._bridge import shape_of
from widgets.lesson.exercises._counting import B_16, CFG, GIANT, MODELS, ODD, SIZES, case, one_by_one
from widgets.lesson.exercises._naming import explain
from widgets.lesson.exercises._quantities import (
    ADVICE,
    CONDITIONS,
    COST_GROUPS,
    MEANING,
    RES,
    VARIANTS,
    cost_terms,
    grid,
    of_cfg,
)
from widgets.lesson.exercises._terms import Formula
from widgets.lesson.specification import Exercise, Misconception


def expected(cfg: dict[str, Any], res: int) -> dict[str, int]:
    """Multiply-adds by piece, and the total."""
    from widgets.model.count import macs

    return macs(shape_of(cfg), res)


def faulty(cfg: dict[str, Any], res: int, faults: frozenset[str] = frozenset()) -> dict[str, int]:
    """The counts of somebody with the named mistakes."""
    d, L, K = cfg["d"], cfg["L"], cfg["n_classes"]
    side = (cfg["img"] if "size-ignored" in faults else res) // cfg["P"]
    N = side if "grid-not-squared" in faults else side * side
    T = (
        N
        + (cfg["cls_token"] if "class-forgotten" not in faults else 0)
        + (cfg["n_registers"] if "registers-forgotten" not in faults else 0)
    )
    T = N if "patches-for-tokens" in faults else N + 1 + cfg["n_registers"] if "class-always" in faults else T
    if "one-layer" in faults:
        L = 1
    pixels = (cfg["P"] if "patch-not-squared" in faults else cfg["P"] ** 2) * (
        1 if "channels-forgotten" in faults else cfg["C"]
    )
    pieces = {
        "patch": (T if "patch-all-tokens" in faults else N) * pixels * d,
        "linear": L * T * _matrices(cfg, faults),
        "attention": L * _pairs(cfg, T, N, faults),
        "head": (T if "head-every-token" in faults else 1) * d * K,
    }
    if "biases" in faults:
        pieces["patch"] += N * d
        pieces["linear"] += L * T * (5 * d + cfg["d_ff"])
        pieces["head"] += K
    if "flops" in faults:
        pieces = {name: 2 * value for name, value in pieces.items()}
    left_out = {"total-without-head": "head", "total-without-patch": "patch", "total-without-attention": "attention"}
    total = sum(v for name, v in pieces.items() if not any(f in faults and name == p for f, p in left_out.items()))
    return {**pieces, "total": 2 * total if "total-twice" in faults else total}


def _matrices(cfg: dict[str, Any], faults: frozenset[str]) -> int:
    d, d_ff = cfg["d"], 4 * cfg["d"] if "mlp-4d" in faults else cfg["d_ff"]
    attention = 3 if "output-projection" in faults else 1 if "one-projection" in faults else 4
    return attention * d * d + (1 if "mlp-one-matrix" in faults else 0 if "mlp-forgotten" in faults else 2) * d * d_ff


def _pairs(cfg: dict[str, Any], T: int, N: int, faults: frozenset[str]) -> int:
    d = cfg["d"]
    if "one-head" in faults:
        d //= cfg["h"]
    if "heads-multiply" in faults:
        d *= cfg["h"]
    if "tokens-not-squared" in faults:
        return 2 * T * d
    if "patches-as-keys" in faults:
        return 2 * T * N * d
    if "half-the-pairs" in faults:
        return T * (T + 1) * d
    return (1 if "scores-only" in faults else 2) * T * T * d + (T * T * cfg["h"] if "softmax" in faults else 0)


FORMULA = Formula(
    read=lambda cfg, res: of_cfg(cfg, res=res),
    derived=grid("res"),
    groups=COST_GROUPS,
    terms=cost_terms(),
    variants=VARIANTS | RES,
    advice=ADVICE,
    conditions=CONDITIONS,
    meaning=MEANING | {"res": "the side of the picture in pixels", "img": "the side that the model was trained with"},
    units={
        "2": "These are FLOPs, twice the multiply-adds.",
        "3": "These are three passes, as training has. One forward pass is asked for.",
        "6": "These are the FLOPs of training. The multiply-adds of one forward pass are asked for.",
        "4": "Four times too many.",
        "/2": "Half of it: a multiplication and its addition are one multiply-add.",
        "/1000000": "Those are millions. Return the count.",
        "/1000000000": "Those are billions (G). Return the count.",
    },
    extras={
        "patch": {
            "N d": "The bias of the patch embedding has that many additions; they are left out.",
            "T d": "The positions have that many additions; they are left out.",
        },
        "linear": {
            "L T d_ff": "GELU, or a bias, has that many; both are left out.",
            "4 L T d": "The biases of the projections have that many, and so have the two norms' gains and shifts;"
            " both are left out.",
            "2 L T d": "The two norms' gains have that many, and so have the residual sums; both are left out.",
            "N P P C d": "The patch embedding has that many; it has an entry of its own.",
            "d n_classes": "The head has that many; it has an entry of its own.",
            "2 L T T d": "Q K^T and A V have that many; they are `attention`.",
        },
        "attention": {
            "L T T h": "The softmax has that many; it is left out.",
            "3 L T d d": "Q, K and V have that many; they belong to `linear`.",
            "4 L T d d": "The four projections have that many; they belong to `linear`.",
            "L T d d": "One projection has that many; all four belong to `linear`.",
        },
        "head": {"n_classes": "The head's bias has that many; it is left out."},
    },
    loose=("L", "T", "d", "d_ff", "N", "h", "n_classes", "P", "C", "n_registers", "cls", "D_h"),
)

SOLUTION = """
def vit_macs(cfg, res):
    d, L = cfg["d"], cfg["L"]
    N = (res // cfg["P"]) ** 2
    T = N + int(cfg["cls_token"]) + cfg["n_registers"]      # every row of z costs, not only patches

    patch = N * cfg["P"] ** 2 * cfg["C"] * d
    linear = L * T * (4 * d * d + 2 * d * cfg["d_ff"])      # each token meets each matrix once
    attention = L * 2 * T * T * d                           # Q K^T and A V; heads share d
    head = d * cfg["n_classes"]                             # one vector is read
    return {"patch": patch, "linear": linear, "attention": attention, "head": head,
            "total": patch + linear + attention + head}
"""

EXERCISE = Exercise(
    id="vit_macs",
    title="What a forward pass costs",
    minutes=20,
    difficulty=3,
    importance=4,
    purpose="Whether attention or the MLP is the expensive part depends on the picture's size. Count it.",
    signature="def vit_macs(cfg, res):",
    text=(
        "Write `vit_macs(cfg, res)`: the multiply-adds (MACs) of one forward pass on a square picture of side"
        " `res`, as a"
        f" dict with `patch`, `linear`, `attention`, `head` and `total`. {CFG}\n\n"
        "`linear` is Q, K, V, the output projection and the MLP of all layers; `attention` is Q K^T and A V of"
        " all layers. The number of tokens T counts class token and registers. The head reads one vector: `d`"
        " times the classes, or 0. Biases, norms, softmax and GELU are left out."
    ),
    hints=(
        "A matrix (m, n) times a matrix (n, p) costs m n p multiply-adds. Write down N and T first; they"
        " differ by the class token and the registers.",
        "Every token meets every matrix of a layer once: 4 d^2 + 2 d d_ff each. The scores of one head are T x"
        " T dot products of length d / h, and h heads make T^2 d. A V costs the same again.",
        'Use `res`, not `cfg["img"]`. `patch` has N in it and not T, and `head` has neither.',
    ),
    solution=SOLUTION,
    commentary=(
        "The linear part grows with T, attention with T^2. In ViT-B/16 at 224 px attention is 4% of the whole;"
        " double the side three times and it is the larger part. FLOPs are twice the MACs."
    ),
    cases=(
        case("ViT-B/16 at 224 px", B_16, 224),
        case("ViT-B/16 at 384 px", B_16, 384),
        *(case(title, cfg, SIZES[title]) for title, cfg in MODELS.items()),
        *one_by_one(135),
        case("the small model, at its own size", ODD, 45),
        case("past 2^53", GIANT, 4303),
    ),
    expected=expected,
    faulty=faulty,
    explain=partial(explain, FORMULA),
    misconceptions=(
        Misconception(
            "patches-for-tokens",
            "You used N where T belongs: class token and registers are tokens too, and cost as much as a patch.",
        ),
        Misconception("class-forgotten", "The class token is missing from T."),
        Misconception("registers-forgotten", "The registers are missing from T."),
        Misconception("class-always", "You counted a class token where `cls_token` is False."),
        Misconception("size-ignored", 'You used `cfg["img"]`. The picture has the side `res`.'),
        Misconception(
            "flops", "These are FLOPs, twice the multiply-adds. A MAC is one multiplication with its addition."
        ),
        Misconception("scores-only", "You counted Q K^T alone. A V costs the same again."),
        Misconception("one-head", "You counted one head: T^2 D_h. All h of them make T^2 d."),
        Misconception(
            "heads-multiply",
            "You multiplied by the number of heads. Each head has d / h of the width, so h heads cost T^2 d together.",
        ),
        Misconception("tokens-not-squared", "Attention compares every token with every other: T^2, not T."),
        Misconception(
            "patches-as-keys", "You counted tokens against patches. Class token and registers are keys too: T^2."
        ),
        Misconception("half-the-pairs", "You counted each pair once. A is not symmetric: T^2 scores, each of its own."),
        Misconception("softmax", "You counted the softmax too. `attention` is Q K^T and A V only."),
        Misconception(
            "output-projection",
            "The output projection is missing from `linear`: there are four matrices of d x d, not three.",
        ),
        Misconception("one-projection", "You counted one matrix of d x d. Q, K, V and the output make four."),
        Misconception("mlp-one-matrix", "The MLP has two matrices: d to d_ff and back."),
        Misconception("mlp-forgotten", "The MLP is missing from `linear`."),
        Misconception("mlp-4d", "You took 4 d for the MLP's hidden width. It is `d_ff`."),
        Misconception("grid-not-squared", "The number of patches is (res / P) squared; you took it once."),
        Misconception("patch-not-squared", "A patch has P^2 pixels; you took P."),
        Misconception("channels-forgotten", "The channels are missing: a patch has P^2 C numbers."),
        Misconception(
            "patch-all-tokens", "Only the N patches go through the patch embedding, not class token and registers."
        ),
        Misconception("head-every-token", "The head reads one vector, not every token."),
        Misconception("biases", "You counted the biases. Adding one is not a multiply-add; leave them out."),
        Misconception("one-layer", "You counted one layer. There are L."),
        Misconception("total-twice", "Your total counts everything twice: it was added to itself."),
        Misconception("total-without-head", "Your total leaves the head out."),
        Misconception("total-without-patch", "Your total leaves the patch embedding out."),
        Misconception("total-without-attention", "Your total leaves attention out."),
    ),
)
