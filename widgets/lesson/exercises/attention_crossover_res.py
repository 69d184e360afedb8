"""Exercise of chapter 09: from which size on attention is the larger part."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from widgets.lesson.exercises._bridge import shape_of
from widgets.lesson.exercises._counting import B_16, CFG, GIANT, MODELS, case, changed, one_by_one
from widgets.lesson.exercises._quantities import (
    ADVICE,
    ATTENTION,
    CONDITIONS,
    COST_GROUPS,
    LINEAR,
    MEANING,
    VARIANTS,
    of_cfg,
    tokens_of_side,
)
from widgets.lesson.exercises._searches import Search, explain_search
from widgets.lesson.exercises._terms import Formula, terms
from widgets.lesson.specification import Case, Exercise, Misconception


def expected(cfg: dict[str, Any]) -> int:
    """The smallest side, a multiple of P, at which attention costs at least the linear layers."""
    from widgets.model.count import attention_crossover

    return attention_crossover(shape_of(cfg))


def faulty(cfg: dict[str, Any], faults: frozenset[str] = frozenset()) -> int:
    """The side that somebody with the named mistakes finds."""
    d, d_ff, P = cfg["d"], 4 * cfg["d"] if "mlp-4d" in faults else cfg["d_ff"], cfg["P"]
    prefix = cfg["cls_token"] + cfg["n_registers"]
    prefix = 0 if "patches-for-tokens" in faults else 1 + cfg["n_registers"] if "class-always" in faults else prefix
    prefix = int(cfg["cls_token"]) if "registers-forgotten" in faults else prefix
    prefix = -prefix if "prefix-added" in faults else prefix
    linear = (3 if "output-projection" in faults else 4) * d * d + _mlp(d, d_ff, faults)
    attention = 1 if "scores-only" in faults else 4 if "flops-against-macs" in faults else 2
    width = d // cfg["h"] if "one-head" in faults else d * cfg["h"] if "heads-multiply" in faults else d
    side = 1
    if "starts-at-img" in faults:
        side = cfg["img"] // P
    while not _outweighs(attention * width * (side * side + prefix), linear + _ends(cfg, side, prefix, faults), faults):
        side += 1
    if "rounded" in faults:
        side = max(1, round(math.sqrt(max(0, linear / (attention * width) - prefix))))
    if "doubled" in faults:
        side = 1
        while not _outweighs(attention * width * (side * side + prefix), linear, faults):
            side *= 2
    if "one-further" in faults:
        side += 1
    if "any-pixel" in faults:
        return math.ceil(math.sqrt(max(0, linear / (attention * width) - prefix)) * P)
    if "side-below" in faults:
        side -= 1
    if "grid-returned" in faults:
        return side
    return side * side + prefix if "tokens-returned" in faults else side * P


def _ends(cfg: dict[str, Any], side: int, prefix: int, faults: frozenset[str]) -> float:
    """Patch embedding and head, for each layer and token."""
    if "ends-included" not in faults:
        return 0
    ends = side * side * cfg["P"] ** 2 * cfg["C"] * cfg["d"] + cfg["d"] * cfg["n_classes"]
    return ends / (cfg["L"] * (side * side + prefix))


def _mlp(d: int, d_ff: int, faults: frozenset[str]) -> int:
    return 0 if "mlp-forgotten" in faults else (1 if "mlp-one-matrix" in faults else 2) * d * d_ff


def _outweighs(attention: int, linear: int, faults: frozenset[str]) -> bool:
    return attention > linear if "strictly-more" in faults else attention >= linear


# T (T - 1) is T T with "more than" for "at least", and less likely.
LIKELY = VARIANTS | {"T^2": {name: rule for name, rule in VARIANTS["T^2"].items() if "1" not in name}}
FORMULA = Formula(
    read=lambda cfg: of_cfg(cfg, side=1),
    derived=tokens_of_side(),
    groups=COST_GROUPS,
    variants=LIKELY,
    meaning=MEANING,
    advice=ADVICE,
    conditions=CONDITIONS,
    terms=(*terms(ATTENTION), *terms(LINEAR, sign=-1)),
    besides=(
        *terms(
            {
                "the patch embedding": "N P P C d",
                "the patch embedding in every layer": "L N P P C d",
                "the head": "d n_classes",
                "the norms": "L T 4 d",
                "GELU": "L T d_ff",
                "the patch embedding for every token": "T P P C d",
                "the biases of the projections": "L T 4 d",
            },
            sign=-1,
        ),
        *terms({"the softmax": "L T T h"}),
    ),
)
CLOSED = Formula(
    read=lambda cfg: of_cfg(cfg, side=1),
    derived=tokens_of_side(),
    variants=LIKELY,
    meaning=MEANING,
    advice=ADVICE,
    conditions=CONDITIONS,
    terms=(
        *terms({"the tokens": "T"}),
        *terms({"the projections, once d is cancelled": "2 d", "the MLP, once d is cancelled": "d_ff"}, sign=-1),
    ),
)
SEARCH = Search(FORMULA, CLOSED)

SOLUTION = """
def attention_crossover_res(cfg):
    d, P = cfg["d"], cfg["P"]
    prefix = int(cfg["cls_token"]) + cfg["n_registers"]
    side = 1
    # 2 T^2 d >= T (4 d^2 + 2 d d_ff): L and one T cancel
    while 2 * (side * side + prefix) * d < 4 * d * d + 2 * d * cfg["d_ff"]:
        side += 1
    return side * P
"""


def _meeting(title: str, side: int, **fields: Any) -> tuple[Case, ...]:
    """A model whose costs are equal at `side` patches, one a token short there, one with a token to spare."""
    cfg = changed(h=1, **fields)
    needed = side**2 + cfg["cls_token"] + cfg["n_registers"] - 2 * cfg["d"]
    return (
        case(f"{title}, costs that meet exactly", {**cfg, "d_ff": needed}),
        case(f"{title}, one token short of a whole grid", {**cfg, "d_ff": needed + 1}),
        case(f"{title}, one token to spare", {**cfg, "d_ff": needed - 1}),
    )


def _needing(side: int, tokens: int) -> Case:
    """A class token and 3 registers, where side x side patches and that many tokens beside them are needed."""
    cfg = changed(img=63, P=7, C=4, d=29, L=5, h=1, n_registers=3)
    return case(
        f"class token and 3 registers, {side} x {side} + {tokens} tokens needed",
        {**cfg, "d_ff": side**2 + tokens - 2 * cfg["d"]},
    )


EXERCISE = Exercise(
    id="attention_crossover_res",
    title="Where attention takes over",
    minutes=15,
    difficulty=3,
    importance=3,
    purpose='"Attention is quadratic" only bites from a certain size on. Find it.',
    signature="def attention_crossover_res(cfg):",
    text=(
        "Write `attention_crossover_res(cfg)`: the smallest side of a square picture, in pixels and a multiple"
        " of `P`, at which the multiply-adds of attention (Q K^T and A V) are at least those of the linear"
        " layers (Q, K, V, output and"
        f" MLP). {CFG}\n\n"
        'T counts class token and registers. `cfg["img"]` plays no part.'
    ),
    hints=(
        "Write both costs for one layer: attention 2 T^2 d, linear T (4 d^2 + 2 d d_ff). Which factors cancel?",
        "What is left is T >= 2 d + d_ff. T is the number of patches plus class token and registers, and the"
        " number of patches is a square: (side / P)^2.",
        "Try side = P, 2 P, 3 P and so on, and return the first at which attention is at least as large. Equal counts.",
    ),
    solution=SOLUTION,
    commentary=(
        "The condition is T >= 2 d + d_ff, and with d_ff = 4 d that is T >= 6 d. So wider models cross later:"
        " ViT-B/16 at 1,088 px, its narrow sister Ti/16 at 544 px."
    ),
    cases=(
        case("ViT-B/16", B_16),
        *(case(title, cfg) for title, cfg in MODELS.items()),
        *_meeting("class token and 3 registers", img=63, P=7, C=4, d=29, L=5, n_registers=3, side=17),
        *_meeting("a class token", img=65, P=13, C=2, d=37, L=6, side=16, pool="gap"),
        *_meeting("5 registers", img=54, P=9, C=7, d=41, L=4, n_registers=5, side=19, cls_token=False, pool="gap"),
        *_meeting("patches alone", img=88, P=11, C=6, d=53, L=3, side=18, cls_token=False, pool="gap"),
        *(_needing(19 + tokens, tokens) for tokens in (0, 1, 2, 3, 4, 5, 6)),
        case("a model whose own size is far above", changed(img=512, P=8, d=16, L=2, h=4, d_ff=21)),
        case("more registers than it takes", changed(img=32, P=8, d=2, L=2, h=1, d_ff=3, n_registers=12)),
        case("registers alone are enough", changed(img=55, P=11, C=2, d=3, L=4, h=1, d_ff=7, n_registers=29)),
        *one_by_one(),
        case("a wide model", changed(img=338, P=26, C=5, d=50_003, L=17, h=1, d_ff=31_013, n_registers=9)),
        case(
            "a wider one", changed(img=399, P=21, C=4, d=70_014, L=15, h=14, d_ff=300_017, cls_token=False, pool="gap")
        ),
        case("the widest", {**GIANT, "d_ff": 1_000_037}),
    ),
    expected=expected,
    faulty=faulty,
    explain=partial(explain_search, SEARCH),
    misconceptions=(
        Misconception("patches-for-tokens", "You used N where T belongs: class token and registers are tokens too."),
        Misconception(
            "prefix-added",
            "You added class token and registers to what is needed. They are tokens you"
            " have: with them, fewer patches are enough.",
        ),
        Misconception(
            "ends-included",
            "You counted patch embedding and head with the linear layers. Here"
            " those are Q, K, V, output and MLP alone.",
        ),
        Misconception("registers-forgotten", "The registers are missing from T."),
        Misconception("class-always", "You counted a class token where `cls_token` is False."),
        Misconception("strictly-more", 'You asked for more. "At least" includes the size at which the two are equal.'),
        Misconception("starts-at-img", 'Your search starts at `cfg["img"]`, which plays no part. Start at one patch.'),
        Misconception("grid-returned", "You returned the side in patches. Multiply by P for pixels."),
        Misconception("tokens-returned", "You returned the number of tokens. The side in pixels is asked for."),
        Misconception(
            "side-below", "That is one step too small: the last size at which the linear layers still cost more."
        ),
        Misconception("rounded", "You rounded to the nearest side. The cost must be at least as large: round up."),
        Misconception(
            "doubled",
            "You doubled the side until it was enough, and so stepped over the smallest. Go one patch at a time.",
        ),
        Misconception("one-further", "That is one step too far: the size before is already enough."),
        Misconception("any-pixel", "That side is no multiple of P. Round the side in patches up, then multiply by P."),
        Misconception("scores-only", "You counted Q K^T alone. A V costs the same again."),
        Misconception(
            "flops-against-macs",
            "You compared FLOPs of attention with MACs of the linear layers: one of the two has a factor 2 too many.",
        ),
        Misconception("one-head", "You counted one head of attention. All h of them make 2 T^2 d."),
        Misconception(
            "heads-multiply", "You multiplied attention by the number of heads. They share the width: 2 T^2 d in all."
        ),
        Misconception("output-projection", "The output projection is missing: four matrices of d x d, not three."),
        Misconception("mlp-one-matrix", "The MLP has two matrices: d to d_ff and back."),
        Misconception("mlp-forgotten", "The MLP is missing from the linear layers."),
        Misconception("mlp-4d", "You took 4 d for the MLP's hidden width. It is `d_ff`."),
    ),
)
