"""Exercise of chapter 08: count every parameter of a ViT."""

from __future__ import annotations

from functools import partial
from typing import Any

from widgets.lesson.exercises._bridge import shape_of
from widgets.lesson.exercises._counting import B_16, CFG, GIANT, MODELS, case, one_by_one
from widgets.lesson.exercises._naming import explain
from widgets.lesson.exercises._quantities import ADVICE, CONDITIONS, MEANING, VARIANTS, grid, of_cfg
from widgets.lesson.exercises._terms import Formula, terms
from widgets.lesson.specification import Exercise, Misconception


def expected(cfg: dict[str, Any]) -> int:
    """The number of parameters."""
    from widgets.model.count import parameters

    return parameters(shape_of(cfg))["total"]


def faulty(cfg: dict[str, Any], faults: frozenset[str] = frozenset()) -> int:
    """The count of somebody with the named mistakes."""
    return _ends(cfg, faults) + (1 if "one-layer" in faults else cfg["L"]) * _block(cfg, faults)


def _ends(cfg: dict[str, Any], faults: frozenset[str]) -> int:
    """Patch embedding, tokens, positions, final norm and head."""
    d, K, R = cfg["d"], cfg["n_classes"], cfg["n_registers"]
    cls = 1 if "class-always" in faults else cfg["cls_token"]
    cls = cfg["pool"] == "cls" if "class-by-pool" in faults else cls
    side = cfg["img"] // cfg["P"]
    N = side if "grid-not-squared" in faults else side * side
    pixels = (cfg["P"] if "patch-not-squared" in faults else cfg["P"] ** 2) * (
        1 if "channels-forgotten" in faults else cfg["C"]
    )
    patch = pixels * d + (0 if "patch-bias" in faults else d)
    patch = patch + (N - 1) * d if "bias-each-patch" in faults else patch
    patch = patch * N if "patch-per-place" in faults else patch
    positions = (N + cls + (R if "registers-placed" in faults else 0)) * d
    positions = (2 * side + cls) * d if "axis-tables" in faults else positions
    positions = 0 if "positions-forgotten" in faults else positions
    tokens = (0 if "class-row" in faults else cls * d) + (0 if "registers-forgotten" in faults else R * d)
    norm = d if "gain-only" in faults else 4 * d if "norm-statistics" in faults else 2 * d
    K = K + 1 if "one-class-more" in faults and K else K
    if "final-norm" in faults or ("final-norm-gap" in faults and cfg["pool"] == "gap"):
        norm = 0
    head = d * K + (0 if "head-bias" in faults else K)
    head = 0 if "head-forgotten" in faults else head * N if "head-each-patch" in faults else head
    return patch + tokens + positions + norm + head + (d * d + d if "pooler" in faults else 0)


def _block(cfg: dict[str, Any], faults: frozenset[str]) -> int:
    """One layer."""
    d, d_ff = cfg["d"], 4 * cfg["d"] if "mlp-4d" in faults else cfg["d_ff"]
    biases = 0 if "four-d" in faults else d if "qkv-biases" in faults else 4 * d
    attention = 4 * d * d + biases
    if "output-projection" in faults:
        attention = 3 * d * d + 3 * d
    if "heads-multiply" in faults:
        attention *= cfg["h"]
    if "heads-divide" in faults:
        attention = 4 * d * (d // cfg["h"]) + biases
    mlp = d * d_ff if "mlp-one-matrix" in faults else 2 * d * d_ff
    mlp += d * d_ff + d_ff if "gated" in faults else 0
    mlp += 0 if "mlp-biases" in faults else d_ff + d
    if "shared-qkv" in faults:
        attention = 2 * d * d + 2 * d
    norms = (1 if "one-norm" in faults else 2) * (
        d if "gain-only" in faults else 4 * d if "norm-statistics" in faults else 2 * d
    )
    return attention + mlp + norms - (d if "one-bias" in faults else 0)


GROUPS = {
    "the patch embedding": ("the patch embedding's matrix", "the patch embedding's bias"),
    "class token and registers": ("the class token", "the registers"),
    "the position table": ("the patches' positions", "the class token's position"),
    "the class token and its position": ("the class token", "the class token's position"),
    "attention's matrices": ("the matrices of Q, K and V", "the output projection's matrix"),
    "attention's biases": ("the biases of Q, K and V", "the output projection's bias"),
    "Q, K and V with their biases": ("the matrices of Q, K and V", "the biases of Q, K and V"),
    "the output projection": ("the output projection's matrix", "the output projection's bias"),
    "the MLP's matrices": ("the MLP's first matrix", "the MLP's second matrix"),
    "the MLP's biases": ("the MLP's first bias", "the MLP's second bias"),
    "the MLP's first layer": ("the MLP's first matrix", "the MLP's first bias"),
    "the MLP's second layer": ("the MLP's second matrix", "the MLP's second bias"),
    "the blocks' norms": ("the gains of the blocks' norms", "the shifts of the blocks' norms"),
    "the final norm": ("the final norm's gain", "the final norm's shift"),
    "the gains of all norms": ("the gains of the blocks' norms", "the final norm's gain"),
    "the shifts of all norms": ("the shifts of the blocks' norms", "the final norm's shift"),
    "the head": ("the head's matrix", "the head's bias"),
}
GROUPS["attention"] = GROUPS["attention's matrices"] + GROUPS["attention's biases"]
GROUPS["the MLP"] = GROUPS["the MLP's matrices"] + GROUPS["the MLP's biases"]
GROUPS["the norms"] = GROUPS["the blocks' norms"] + GROUPS["the final norm"]
GROUPS["the biases of a block"] = GROUPS["attention's biases"] + GROUPS["the MLP's biases"]
GROUPS["the matrices of a block"] = GROUPS["attention's matrices"] + GROUPS["the MLP's matrices"]
GROUPS["a block"] = GROUPS["attention"] + GROUPS["the MLP"] + GROUPS["the blocks' norms"]
GROUPS["tokens and positions"] = GROUPS["class token and registers"] + GROUPS["the position table"]
GROUPS["everything before the blocks"] = GROUPS["the patch embedding"] + GROUPS["tokens and positions"]
GROUPS["final norm and head"] = GROUPS["the final norm"] + GROUPS["the head"]
GROUPS["everything outside the blocks"] = GROUPS["everything before the blocks"] + GROUPS["final norm and head"]
GROUPS["every bias and shift"] = (
    *GROUPS["the biases of a block"],
    *GROUPS["the shifts of all norms"],
    "the head's bias",
    "the patch embedding's bias",
)
GROUPS["everything but the matrices"] = (
    *GROUPS["every bias and shift"],
    *GROUPS["tokens and positions"],
    *GROUPS["the gains of all norms"],
)
GROUPS["every bias"] = (*GROUPS["the biases of a block"], "the head's bias", "the patch embedding's bias")

FORMULA = Formula(
    read=of_cfg,
    derived=grid("img"),
    groups=GROUPS,
    variants=VARIANTS,
    meaning=MEANING,
    advice=ADVICE,
    conditions=CONDITIONS,
    terms=terms(
        {
            "the patch embedding's matrix": "P P C d",
            "the patch embedding's bias": "d",
            "the class token": "cls d",
            "the registers": "n_registers d",
            "the patches' positions": "N d",
            "the class token's position": "cls d",
            "the matrices of Q, K and V": "3 L d d",
            "the output projection's matrix": "L d d",
            "the biases of Q, K and V": "3 L d",
            "the output projection's bias": "L d",
            "the MLP's first matrix": "L d d_ff",
            "the MLP's second matrix": "L d_ff d",
            "the MLP's first bias": "L d_ff",
            "the MLP's second bias": "L d",
            "the gains of the blocks' norms": "2 L d",
            "the shifts of the blocks' norms": "2 L d",
            "the final norm's gain": "d",
            "the final norm's shift": "d",
            "the head's matrix": "d n_classes",
            "the head's bias": "n_classes",
        }
    ),
    units={
        "4": "Those are bytes at 4 a number. Count the numbers.",
        "2": "You counted everything twice.",
        "8": "Eight times too many: those are bits or moments, not parameters.",
        "/1000": "Those are thousands. Return the count itself.",
        "/1000000": "Those are millions. Return the count.",
        "/1000000000": "Those are billions. Return the count.",
        "/1024": "Divided by 1,024. Return the count itself.",
        "/1048576": "Divided by 2^20. Return the count itself.",
    },
    extras={
        "": {
            "2 L d": "Two LayerScale vectors a block have that many; this model has none.",
            "d": "A mask token, or a bias too many, has that many.",
            "2 d": "A norm before the blocks has that many; this model has none.",
            "L T T": "Attention's table of T x T is computed, not learned: it holds no parameters.",
            "L T T h": "Attention's tables are computed, not learned: they hold no parameters.",
        }
    },
    loose=("L", "d", "d_ff", "N", "h", "n_classes", "P", "C", "n_registers", "cls", "T", "D_h"),
)

SOLUTION = """
def vit_param_count(cfg):
    d, L, K = cfg["d"], cfg["L"], cfg["n_classes"]
    N, cls = (cfg["img"] // cfg["P"]) ** 2, int(cfg["cls_token"])

    patch = cfg["P"] ** 2 * cfg["C"] * d + d             # E and its bias
    tokens = cls * d + cfg["n_registers"] * d            # learned rows of z
    positions = (N + cls) * d                            # registers have none
    attention = 4 * d * d + 4 * d                        # Q, K, V, output, each with a bias
    mlp = 2 * d * cfg["d_ff"] + cfg["d_ff"] + d
    norms = 2 * 2 * d                                    # two a block, gain and shift
    final_norm = 2 * d
    head = d * K + K                                     # 0 when there are no classes
    return patch + tokens + positions + L * (attention + mlp + norms) + final_norm + head
"""

EXERCISE = Exercise(
    id="vit_param_count",
    title="Count every parameter",
    minutes=20,
    difficulty=3,
    importance=4,
    purpose="Who can count a model to the last number has understood its shape.",
    signature="def vit_param_count(cfg):",
    text=(
        f"Write `vit_param_count(cfg)`, the exact number of parameters. {CFG}\n\n"
        "Patch embedding with bias. A class token only if `cls_token`. Each register has `d` numbers and no"
        " position. The position table has one row a patch, and one more if there is a class token. All four"
        " attention projections and both MLP layers have biases. Two norms a block, each with gain and shift,"
        " and a final norm whatever the pooling; pooling itself has no parameters. The head is `d` times the"
        " classes plus a bias, and absent if `n_classes` is 0."
    ),
    hints=(
        "Write one line a piece and add them up at the end. ViT-B/16 has 590,592 in the patch embedding, 768"
        " in the class token, 151,296 in the positions, 7,087,872 a block, 1,536 in the final norm and 769,000"
        " in the head.",
        "A block: attention 4 d^2 + 4 d, MLP 2 d d_ff + d_ff + d, two norms 4 d. The number of heads appears nowhere.",
        "The class token costs d numbers twice: itself, and its row in the position table. A register costs d"
        " once. With `n_classes` 0 the head's formula gives 0 by itself.",
    ),
    solution=SOLUTION,
    commentary=(
        "Heads share the width, so their number cancels. Two thirds of a block are the MLP. At 384 px only the"
        " position table grows: everything else is the same for every picture size."
    ),
    cases=(
        case("ViT-B/16", B_16),
        *(case(title, cfg) for title, cfg in MODELS.items()),
        *one_by_one(),
        case("past 2^53", GIANT),
    ),
    expected=expected,
    faulty=faulty,
    explain=partial(explain, FORMULA),
    misconceptions=(
        Misconception(
            "class-row",
            "Once the d numbers of the class token are missing: it counts itself, d, and its"
            " row in the position table, d.",
        ),
        Misconception("class-always", "You counted a class token where `cls_token` is False."),
        Misconception(
            "class-by-pool",
            "You read the class token off `pool`. `cls_token` says whether there is one;"
            " a model with a class token may be averaged all the same.",
        ),
        Misconception("registers-placed", "You gave the registers positions. They have none: R d numbers, once."),
        Misconception("registers-forgotten", "The registers are missing: d numbers each."),
        Misconception(
            "positions-forgotten", "The position table is missing: a row of d a patch, and one for the class token."
        ),
        Misconception("grid-not-squared", "The number of patches is (img / P) squared; you took it once."),
        Misconception(
            "patch-bias",
            "d numbers are missing in every case: as many as the patch embedding's bias, or the"
            " gain or the shift of the final norm.",
        ),
        Misconception("patch-not-squared", "A patch has P^2 pixels; you took P."),
        Misconception("channels-forgotten", "The channels are missing: a patch has P^2 C numbers."),
        Misconception("patch-per-place", "You counted the projection once a patch. All patches share one."),
        Misconception(
            "four-d",
            "4 d numbers a layer are missing. The biases of Q, K, V and the output make"
            " that many, and so do the gains and shifts of the two norms.",
        ),
        Misconception("qkv-biases", "3 d numbers a layer are missing: as many as the biases of Q, K and V."),
        Misconception(
            "one-bias",
            "d numbers a layer are missing: as many as the bias of the output projection, of Q, of K,"
            " of V or of the MLP's second layer, and as a norm's gain or shift.",
        ),
        Misconception(
            "output-projection",
            "d^2 + d numbers a layer are missing: as many as the output projection, or one of Q,"
            " K and V. Attention has four matrices, each with its bias.",
        ),
        Misconception(
            "heads-multiply",
            "You multiplied attention by the number of heads. Heads share the width: their number changes nothing.",
        ),
        Misconception("heads-divide", "You counted a single head, of d by d / h. All h of them make d by d."),
        Misconception("mlp-4d", "You took 4 d for the MLP's hidden width. It is `d_ff`, which need not be 4 d."),
        Misconception("mlp-one-matrix", "The MLP has two matrices: d to d_ff and back."),
        Misconception("gated", "You counted a gated MLP, with three matrices. This one has two: d to d_ff and back."),
        Misconception(
            "axis-tables",
            "You counted a position for each row and each column of the grid. The table has one for each patch.",
        ),
        Misconception("bias-each-patch", "You counted the patch embedding's bias once a patch. All patches share one."),
        Misconception("mlp-biases", "The biases of the MLP are missing: d_ff and d a layer."),
        Misconception(
            "one-norm",
            "2 d numbers a layer are missing: as many as one of a block's two norms, or two of its biases of d.",
        ),
        Misconception("gain-only", "A norm has a gain and a shift: 2 d numbers; you counted d."),
        Misconception(
            "norm-statistics",
            "You counted a running mean and variance for each norm, as BatchNorm"
            " has them. LayerNorm has a gain and a shift: 2 d numbers.",
        ),
        Misconception(
            "final-norm", "2 d numbers are missing in every case: as many as the final norm, gain and shift."
        ),
        Misconception("final-norm-gap", 'The final norm is there whatever the pooling, with "gap" too.'),
        Misconception("head-bias", "The head's bias is missing: one number a class."),
        Misconception("head-forgotten", "The head is missing: d times the classes, plus a bias."),
        Misconception("one-class-more", "You counted one class too many: there are `n_classes`."),
        Misconception("head-each-patch", "You counted the head once a patch. There is one, and it reads one vector."),
        Misconception("shared-qkv", "You counted one matrix for Q, K and V. There are three, and one for the output."),
        Misconception(
            "pooler", "You counted a pooler (d^2 + d), which some checkpoints carry. The paper's model has none."
        ),
        Misconception("one-layer", "You counted one block. There are L of them, each with its own numbers."),
    ),
)
