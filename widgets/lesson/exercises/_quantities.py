"""The quantities of the counting exercises, by the names a reader writes, and what is taken for what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from widgets.lesson.exercises._terms import Term, Values, terms

FIELDS = ("img", "P", "C", "d", "L", "h", "d_ff", "n_classes", "n_registers")


def of_cfg(cfg: dict[str, Any], **more: Any) -> Values:
    """The fields of a cfg as numbers, and what else is given."""
    base = {name: cfg[name] for name in FIELDS}
    return base | {"cls": int(cfg["cls_token"]), "gap": int(cfg["pool"] == "gap")} | more


def grid(size: str) -> dict[str, Callable[[Values], Any]]:
    """Side of the grid, N, T and D_h of a picture whose side has that name."""
    return {
        "side": lambda v: v[size] // v["P"],
        "N": lambda v: v["side"] ** 2,
        "T": lambda v: v["N"] + v["cls"] + v["n_registers"],
        "D_h": lambda v: v["d"] // v["h"],
    }


def tokens_of_side() -> dict[str, Callable[[Values], Any]]:
    """N, T and D_h where the side in patches is given."""
    return {name: rule for name, rule in grid("img").items() if name != "side"}


MEANING = {
    "P": "the side of a patch",
    "C": "the number of channels",
    "d": "the width",
    "L": "the number of layers",
    "h": "the number of heads",
    "d_ff": "the MLP's hidden width, a field of its own",
    "n_classes": "the number of classes",
    "n_registers": "the number of registers",
    "cls": "1 where `cls_token` is True, else 0",
    "side": "the picture's side in patches",
    "N": "the number of patches, the square of the picture's side over P",
    "T": "all rows of z: patches, class token if there is one, and registers",
    "D_h": "the width of a head, d / h",
}

Variants = dict[str, dict[str, Callable[[Values], Any]]]
VARIANTS: Variants = {
    "cls": {
        "1": lambda v: 1,
        "0": lambda v: 0,
        'pool == "cls"': lambda v: 1 - v["gap"],
        "2 cls": lambda v: 2 * v["cls"],
        "1 - cls": lambda v: 1 - v["cls"],
    },
    "n_registers": {
        "0": lambda v: 0,
        "1 register": lambda v: min(1, v["n_registers"]),
        "1": lambda v: 1,
        "n_registers + 1": lambda v: v["n_registers"] + 1,
        "n_registers - 1": lambda v: max(0, v["n_registers"] - 1),
    },
    "P": {"16": lambda v: 16, "14": lambda v: 14},
    "C": {"3": lambda v: 3, "1": lambda v: 1, "4": lambda v: 4, "C + 1": lambda v: v["C"] + 1},
    "d": {
        "D_h": lambda v: v["d"] // v["h"],
        "d + 1": lambda v: v["d"] + 1,
        "768": lambda v: 768,
        "d_ff": lambda v: v["d_ff"],
    },
    "d_ff": {
        "4 d": lambda v: 4 * v["d"],
        "d": lambda v: v["d"],
        "2 d": lambda v: 2 * v["d"],
        "3 d": lambda v: 3 * v["d"],
        "6 d": lambda v: 6 * v["d"],
        "d + d_ff": lambda v: v["d"] + v["d_ff"],
        "4 d_ff": lambda v: 4 * v["d_ff"],
        "3072": lambda v: 3072,
        "8 d / 3": lambda v: 8 * v["d"] // 3,
        "2 d_ff": lambda v: 2 * v["d_ff"],
        "2/3 d_ff": lambda v: 2 * v["d_ff"] // 3,
    },
    "L": {
        "1": lambda v: 1,
        "L - 1": lambda v: v["L"] - 1,
        "L + 1": lambda v: v["L"] + 1,
        "12": lambda v: 12,
        "2 L": lambda v: 2 * v["L"],
        "L^2": lambda v: v["L"] ** 2,
    },
    "h": {
        "1": lambda v: 1,
        "h + 1": lambda v: v["h"] + 1,
        "12": lambda v: 12,
        "d": lambda v: v["d"],
        "D_h": lambda v: v["d"] // v["h"],
        "h^2": lambda v: v["h"] ** 2,
        "h d": lambda v: v["h"] * v["d"],
    },
    "n_classes": {
        "n_classes + 1": lambda v: v["n_classes"] + bool(v["n_classes"]),
        "n_classes or 1": lambda v: v["n_classes"] or 1,
        "n_classes plus 1": lambda v: v["n_classes"] + 1,
        "n_classes - 1": lambda v: max(0, v["n_classes"] - 1),
        "1000": lambda v: 1000,
        "n_classes or 1000": lambda v: v["n_classes"] or 1000,
    },
    "N": {
        "side": lambda v: v["side"],
        "T": lambda v: v["T"],
        "N + 1": lambda v: v["N"] + 1,
        "N - 1": lambda v: v["N"] - 1,
        "2 side": lambda v: 2 * v["side"],
        "(side + 1)^2": lambda v: (v["side"] + 1) ** 2,
        "(side - 1)^2": lambda v: (v["side"] - 1) ** 2,
        "side^2 P^2": lambda v: (v["side"] * v["P"]) ** 2,
        "side P": lambda v: v["side"] * v["P"],
        "N P": lambda v: v["side"] ** 2 * v["P"],
        "side^2 C": lambda v: v["side"] ** 2 * v["C"],
        "N + registers": lambda v: v["N"] + v["n_registers"],
        "N + cls": lambda v: v["N"] + v["cls"],
        "196": lambda v: 196,
        "side^3": lambda v: v["side"] ** 3,
        "side^4": lambda v: v["side"] ** 4,
    },
    "T": {
        "N": lambda v: v["N"],
        "N + 1 if cls else n_registers": lambda v: v["N"] + 1 if v["cls"] else v["n_registers"],
        "N + 1 if cls else 0": lambda v: v["N"] + 1 if v["cls"] else 0,
        "N + cls - n_registers": lambda v: v["N"] + v["cls"] - v["n_registers"],
        "N + n_registers - cls": lambda v: v["N"] + v["n_registers"] - v["cls"],
        "N + n_registers if cls else 0": lambda v: v["N"] + v["n_registers"] if v["cls"] else 0,
        "N + cls": lambda v: v["N"] + v["cls"],
        "N + 1": lambda v: v["N"] + 1,
        "N + n_registers": lambda v: v["N"] + v["n_registers"],
        "N + 1 + n_registers": lambda v: v["N"] + 1 + v["n_registers"],
        "T + 1": lambda v: v["T"] + 1,
        "T - 1": lambda v: v["T"] - 1,
        "side": lambda v: v["side"],
        "side + cls + n_registers": lambda v: v["side"] + v["cls"] + v["n_registers"],
        "(side + cls + n_registers)^2": lambda v: (v["side"] + v["cls"] + v["n_registers"]) ** 2,
        "N - cls - n_registers": lambda v: v["N"] - v["cls"] - v["n_registers"],
        "197": lambda v: 197,
        "cls + n_registers": lambda v: v["cls"] + v["n_registers"],
        "2 T": lambda v: 2 * v["T"],
        "N (1 + cls + n_registers)": lambda v: v["N"] * (1 + v["cls"] + v["n_registers"]),
        "N (cls + n_registers)": lambda v: v["N"] * (v["cls"] + v["n_registers"]),
        "img^2 tokens": lambda v: (v["side"] * v["P"]) ** 2,
        "1": lambda v: 1,
    },
    "D_h": {"d": lambda v: v["d"]},
    "T^2": {
        "2 T": lambda v: 2 * v["T"],
        "T (T + 1) / 2": lambda v: v["T"] * (v["T"] + 1) // 2,
        "T (T - 1) / 2": lambda v: v["T"] * (v["T"] - 1) // 2,
        "T (T - 1)": lambda v: v["T"] * (v["T"] - 1),
        "T^3": lambda v: v["T"] ** 3,
        "T^4": lambda v: v["T"] ** 4,
        "N^2 + T": lambda v: v["N"] ** 2 + v["T"],
        "N^2 + cls + n_registers": lambda v: v["N"] ** 2 + v["cls"] + v["n_registers"],
        "N^2 + (cls + n_registers)^2": lambda v: v["N"] ** 2 + (v["cls"] + v["n_registers"]) ** 2,
    },
    "P^2": {"2 P": lambda v: 2 * v["P"], "P^3": lambda v: v["P"] ** 3},
    "d^2": {"2 d": lambda v: 2 * v["d"], "d^3": lambda v: v["d"] ** 3, "D_h^2": lambda v: (v["d"] // v["h"]) ** 2},
    "side": {
        "side P": lambda v: v["side"] * v["P"],
        "side + 1": lambda v: v["side"] + 1,
        "side - 1": lambda v: v["side"] - 1,
    },
}

RES: Variants = {
    "res": {
        "img": lambda v: v["img"],
        "max(res, img)": lambda v: max(v["res"], v["img"]),
        "min(res, img)": lambda v: min(v["res"], v["img"]),
        "224": lambda v: 224,
        "res + P": lambda v: v["res"] + v["P"],
        "res - P": lambda v: v["res"] - v["P"],
    }
}

ADVICE = {
    ("cls", "1"): "You counted a class token where `cls_token` is False.",
    ("cls", "0"): "The class token is missing, and its position if it has one.",
    ("cls", 'pool == "cls"'): "You read the class token off `pool`. `cls_token` says whether there is one.",
    ("cls", "1 - cls"): "You turned `cls_token` round: True means that there is a class token.",
    ("n_registers", "0"): "The registers are missing.",
    ("n_registers", "1 register"): "You counted one register. There are `n_registers`.",
    ("L", "1"): "You counted one layer. There are L.",
    ("h", "1"): "You counted one head. There are h.",
    ("n_classes", "n_classes or 1"): "With `n_classes` 0 there is no head at all; you counted one class.",
    ("n_classes", "n_classes or 1000"): "With `n_classes` 0 there is no head at all; you counted one of 1,000 classes.",
    ("n_classes", "n_classes plus 1"): "You counted one class too many, and one where `n_classes` is 0.",
    ("n_classes", "n_classes + 1"): "You counted one class too many: there are `n_classes`.",
    ("N", "T"): "You took T for N, so that class token and registers count twice.",
    ("T", "1"): "The factor T is missing: every row of z counts.",
    ("N", "side"): "You took the side of the grid for N. The number of patches is its square.",
    ("N", "side^2 P^2"): "You counted pixels for patches. A patch has P^2 of them.",
    (
        "T",
        "N + 1 if cls else n_registers",
    ): "Python reads N + 1 if cls else 0 + R as (N + 1) if cls else (0 + R). Put the conditional in brackets.",
    ("T", "N + 1 if cls else 0"): "T is 0 where there is no class token: `N + 1 if cls else 0` takes N along. Put the"
    " conditional in brackets, and add the registers.",
    ("T", "N"): "You took N for T: class token and registers are tokens too.",
    ("T", "N + cls"): "The registers are missing from T.",
    ("T", "N + n_registers"): "The class token is missing from T.",
    ("res", "img"): 'You used `cfg["img"]`. The picture has the side `res`.',
}

CONDITIONS = {
    'Where `pool` is "gap"': lambda v: v["gap"],
    'Where `pool` is "cls"': lambda v: not v["gap"],
    "Where there is a class token": lambda v: v["cls"],
    "Where there is no class token": lambda v: not v["cls"],
    "Where `n_classes` is 0": lambda v: not v["n_classes"],
    "Where there are registers": lambda v: v["n_registers"],
    "Where there are no registers": lambda v: not v["n_registers"],
    'Where there is a class token and `pool` is "gap"': lambda v: v["cls"] and v["gap"],
    "Where there are class token and registers": lambda v: v["cls"] and v["n_registers"],
    "Where there are registers and no class token": lambda v: v["n_registers"] and not v["cls"],
    'Where `pool` is "gap" and there are registers': lambda v: v["gap"] and v["n_registers"],
    "Where there are classes": lambda v: v["n_classes"],
    "Where `d_ff` is not 4 d": lambda v: v["d_ff"] != 4 * v["d"],
}

PATCH = {"the patch embedding": "N P P C d"}
LINEAR = {
    "Q, K and V": "L T 3 d d",
    "the output projection": "L T d d",
    "the MLP's first matrix": "L T d d_ff",
    "the MLP's second matrix": "L T d_ff d",
}
ATTENTION = {"the scores Q K^T": "L T T d", "the sums A V": "L T T d"}
HEAD = {"the head": "d n_classes"}
COST_GROUPS = {
    "the four projections": ("Q, K and V", "the output projection"),
    "the MLP": ("the MLP's first matrix", "the MLP's second matrix"),
    "all matrices of the layers": tuple(LINEAR),
    "attention, Q K^T and A V": tuple(ATTENTION),
}


def cost_terms(factors: str = "") -> tuple[Term, ...]:
    """The multiply-adds by piece, each times `factors`."""
    tables = {"patch": PATCH, "linear": LINEAR, "attention": ATTENTION, "head": HEAD}
    above, _, below = factors.partition("/")
    return tuple(
        t
        for key, table in tables.items()
        for t in terms({name: f"{above} {written} /{below}" for name, written in table.items()}, "" if factors else key)
    )


def _numbers(*written: str) -> dict[str, Callable[[Values], Any]]:
    """Constants by the way they are written, 10^15 or 2^40 or 3600."""

    def value(text: str) -> int:
        base, _, power = text.partition("^")
        return int(base) ** int(power or 1)

    return {text: lambda v, n=value(text): n for text in written}


RATES: Variants = {
    "10^18": _numbers("10^15", "10^12", "10^9", "10^21", "10^6", "10^16", "10^3", "2^60", "2^50"),
    "10^12": _numbers("10^9", "10^6", "10^15", "10^3", "10^18", "10^10", "2^40", "2^30"),
    "86400": _numbers(
        "3600",
        "60",
        "1440",
        "24",
        "1000",
        "8640",
        "864000",
        "604800",
        "31536000",
        "2592000",
        "43200",
        "28800",
        "86164",
        "216000",
        "86000",
    ),
    "peak_tflops": {
        "2 peak_tflops": lambda v: 2 * v["peak_tflops"],
        "half of peak_tflops": lambda v: v["peak_tflops"] / 2,
        "peak_tflops^2": lambda v: v["peak_tflops"] ** 2,
    },
}
RATE_MEANING = {
    "exaflops": "the work, in units of 10^18",
    "peak_tflops": "the dense peak, in units of 10^12 a second",
    "10^18": "exa",
    "10^12": "tera",
    "86400": "the seconds of a day",
}
RATE_UNITS_OF = {"10^18": 10**18, "10^12": 10**12, "86400": 86_400}
RATE_ADVICE = {
    (
        "peak_tflops",
        "2 peak_tflops",
    ): "The peak is doubled, or the work halved. `peak_tflops` is the dense peak already, and"
    " `exaflops` counts operations.",
    (
        "peak_tflops",
        "half of peak_tflops",
    ): "The peak is halved, or the work doubled. `exaflops` counts operations already, and `peak_tflops` does too.",
}
RATE_UNITS = {
    "100": "A hundred times too much. A share is no per cent.",
    "/100": "A hundred times too little. A share is no per cent.",
    "1000": "A thousand times too much: exa is 10^18, tera 10^12.",
    "/1000": "A thousand times too little: exa is 10^18, tera 10^12.",
    "3": "Three times too much. `exaflops` is the whole training run already.",
    "/3": "A third of it. `exaflops` is the whole training run.",
    "6": "Six times too much. `exaflops` is the whole training run, in operations.",
    "/6": "A sixth of it.",
    "24": "24 times too much: those are hours, or a day was taken for an hour.",
    "/24": "24 times too little: a day has 24 hours of 3,600 seconds.",
    "86400": "86,400 times too much: a day has that many seconds.",
    "/86400": "86,400 times too little: a day has that many seconds.",
    "/7": "Those are weeks. Days are asked for.",
    "/365": "Those are years. Days are asked for.",
    "/30": "Those are months. Days are asked for.",
    "1000000": "A million times too much: exa is 10^18, tera 10^12.",
    "/1000000": "A million times too little: exa is 10^18, tera 10^12.",
}
