"""Exercise of chapter 09: the compute of a training run."""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import Any

from widgets.lesson.exercises._bridge import shape_of
from widgets.lesson.exercises._counting import B_16, GIANT, MODELS, ODD, SIZES, case, changed
from widgets.lesson.exercises._naming import explain
from widgets.lesson.exercises._quantities import (
    ADVICE,
    ATTENTION,
    CONDITIONS,
    COST_GROUPS,
    LINEAR,
    MEANING,
    RES,
    VARIANTS,
    cost_terms,
    grid,
    of_cfg,
)
from widgets.lesson.exercises._terms import Formula
from widgets.lesson.exercises.vit_param_count import FORMULA as PARAMETERS
from widgets.lesson.specification import Case, Exercise, Misconception

TOLERANCE = 1e-9
FACTORS = {"macs-for-flops": 3, "forward-only": 2, "forward-macs": 1, "backward-once": 4, "twice-too-often": 12}


def expected(cfg: dict[str, Any], res: int, epochs: float, n_images: int) -> float:
    """ExaFLOPs of the run."""
    from widgets.model.count import pretraining_exaflops

    return pretraining_exaflops(shape_of(cfg), res, epochs, n_images)


def faulty(cfg: dict[str, Any], res: int, epochs: float, n_images: int, faults: frozenset[str] = frozenset()) -> float:
    """The exaFLOPs of somebody with the named mistakes."""
    from widgets.model.count import block_matrices, macs

    shape = shape_of(cfg)
    counted = macs(shape, cfg["img"] if "size-ignored" in faults else res)
    cost = (
        counted["total"]
        - (counted["head"] if "head-left-out" in faults else 0)
        - (counted["attention"] if "attention-left-out" in faults else 0)
    )
    if "parameters-a-picture" in faults:
        cost = block_matrices(shape)
    factor = next((value for name, value in FACTORS.items() if name in faults), 6)
    unit = 1e15 if "peta" in faults else 1.0 if "no-unit" in faults else 1e12 if "tera" in faults else 1e18
    seen = (1 if "epochs-forgotten" in faults else epochs) * (1 if "images-forgotten" in faults else n_images)
    return factor * cost * (int(seen) if "whole-epochs" in faults and epochs < 1 else seen) / unit


def _read(cfg: dict[str, Any], res: int, epochs: float, n_images: int) -> dict[str, Any]:
    return of_cfg(cfg, res=res, epochs=epochs, n_images=n_images, **{"10^18": 10**18})


def _by_parameters(values: dict[str, Any], tokens: int) -> float:
    parameters = PARAMETERS.total(PARAMETERS.values(values["base"]))
    return 6 * parameters * tokens * values["epochs"] * values["n_images"] / 1e18


_MISSING = "Q K^T and A V are missing."
_A_TOKEN = (
    "You took 6 N for each token, with all parameters for N. Patch embedding, positions and norms do not meet every"
    f" token as matrices do, and {_MISSING}"
)
_A_PICTURE = f"You took 6 N for each picture, with all parameters for N. They meet each of the T tokens, and {_MISSING}"
FORMULA = Formula(
    read=_read,
    derived=grid("res"),
    tolerance=TOLERANCE,
    terms=cost_terms("2 3 epochs n_images/10^18"),
    groups=COST_GROUPS
    | {
        "patch embedding and head": ("the patch embedding", "the head"),
        "patch embedding, attention and head": ("the patch embedding", "the head", *ATTENTION),
        "all layers, linear and attention": (*LINEAR, *ATTENTION),
    },
    variants=VARIANTS
    | {
        **RES,
        "10^18": {
            "10^15": lambda v: 10**15,
            "10^12": lambda v: 10**12,
            "10^9": lambda v: 10**9,
            "10^21": lambda v: 10**21,
            "1": lambda v: 1,
            "2^60": lambda v: 2**60,
            "10^6": lambda v: 10**6,
            "10^16": lambda v: 10**16,
        },
        "epochs": {
            "epochs + 1": lambda v: v["epochs"] + 1,
            "epochs - 1": lambda v: v["epochs"] - 1,
            "whole epochs": lambda v: int(v["epochs"]),
            "at least one epoch": lambda v: max(1, v["epochs"]),
            "at least one whole epoch": lambda v: max(1, int(v["epochs"])),
            "epochs rounded up": lambda v: ceil(v["epochs"]),
            "epochs rounded": lambda v: round(v["epochs"]),
            "1": lambda v: 1,
            "epochs^2": lambda v: v["epochs"] ** 2,
        },
        "n_images": {
            "whole batches": lambda v: v["n_images"] // 4096 * 4096,
            "n_images - 1": lambda v: v["n_images"] - 1,
            "1": lambda v: 1,
        },
    },
    instead={
        _A_TOKEN: lambda v: _by_parameters(v, v["T"]),
        _A_PICTURE: lambda v: _by_parameters(v, 1),
        "You took 6 N for each patch, with all parameters for N.": lambda v: _by_parameters(v, v["N"]),
    },
    meaning=MEANING
    | {
        "res": "the side of the pictures",
        "img": "the side that the model was built for",
        "epochs": "how often each picture is seen",
        "n_images": "the pictures of one epoch",
        "10^18": "exa",
    },
    advice=ADVICE | {("10^18", "1"): "Those are FLOPs. Divide by 1e18 for exaFLOPs."},
    conditions=CONDITIONS | {"Where `epochs` is under 1": lambda v: v["epochs"] < 1},
    units={
        "2": "Twice too much: `forward_macs` is one picture's forward pass, and the factor is 6.",
        "/2": "Half of it. A multiply-add is two operations, and the backward pass costs twice the forward pass: 6.",
        "/3": "A third of it. The backward pass costs twice the forward pass: three passes' worth in all.",
        "/6": "A sixth of it: the factor of training is 6, two operations times three passes' worth.",
        "1.3333333333333333": (
            "Your factor is 8. A forward pass and a backward pass of twice its cost make 3; twice that is 6."
        ),
        "1.1666666666666667": "Your factor is 7 where 6 belongs: two operations, three passes' worth.",
        "1.5": "Your factor is 9 where 6 belongs: two operations, three passes' worth.",
        "0.8333333333333334": "Your factor is 5 where 6 belongs: two operations, three passes' worth.",
        "0.6666666666666666": "Your factor is 4 where 6 belongs. The backward pass costs twice the forward pass.",
    },
)

SOLUTION = """
def pretraining_exaflops(cfg, res, epochs, n_images):
    from widgets.lesson.building_blocks import forward_macs

    flops = 2 * forward_macs(cfg, res)                      # a multiply-add is two operations
    training = 3 * flops                                    # forward once, backward twice as much
    return training * epochs * n_images / 1e18              # exa is 10^18
"""


def _run(title: str, cfg: dict[str, Any], *more: Any) -> Case:
    found = case(title, cfg, *more)
    return Case(found.name, found.arguments, TOLERANCE)


EXERCISE = Exercise(
    id="pretraining_exaflops",
    title="The compute of a training run",
    minutes=10,
    difficulty=2,
    importance=4,
    purpose="Papers print exaFLOPs. With the count of one forward pass you can check them.",
    signature="def pretraining_exaflops(cfg, res, epochs, n_images):",
    text=(
        "Write `pretraining_exaflops(cfg, res, epochs, n_images)`: the floating-point operations, in exaFLOPs (10^18),"
        " of training on `n_images` pictures of side `res`, each seen `epochs` times. You are given `forward_macs(cfg,"
        " res)`, the multiply-adds of one picture's forward pass, head included: import it from"
        " `widgets.lesson.building_blocks`. `cfg` is the dict of `vit_macs`.\n\nA multiply-add is two FLOPs. The"
        " backward pass costs twice the forward pass. The optimiser's own work is left out. Return a float."
    ),
    hints=(
        "How many FLOPs is one forward pass? `forward_macs` counts multiply-adds.",
        (
            "Training a picture is a forward pass and a backward pass of twice its cost: it is counted as three forward"
            " passes, so six times the multiply-adds."
        ),
        "Times epochs, times pictures, divided by 1e18.",
    ),
    solution=SOLUTION,
    commentary=(
        "The factor is 6: two operations a multiply-add, and three passes' worth of them. For the six ViTs of the"
        " paper's Table 6 this gives the printed exaFLOPs within 0.15 per cent, but for B/32, where it is 2.3 per cent"
        " higher."
    ),
    cases=(
        _run(
            "ViT-B/16 with 18,291 classes, 7 epochs of 303 million pictures",
            changed(n_classes=18_291),
            224,
            7,
            303_000_000,
        ),
        _run("ViT-B/16 at 384 px, one epoch", B_16, 384, 1, 1_281_167),
        *(_run(title, cfg, SIZES[title], 1.5 + i, 50_021 + 997 * i) for i, (title, cfg) in enumerate(MODELS.items())),
        _run("the small model, half an epoch", ODD, 135, 0.5, 777_777),
        _run("the small model, three quarters of one", ODD, 135, 0.75, 777_777),
        _run("the small model, other pictures", ODD, 135, 0.75, 77_001),
        _run("the small model, at its own size", ODD, 45, 0.75, 77_001),
        _run("a model of billions", GIANT, 4303, 14, 9_973),
    ),
    expected=expected,
    faulty=faulty,
    explain=partial(explain, FORMULA),
    misconceptions=(
        Misconception(
            "macs-for-flops",
            "You took multiply-adds for FLOPs. A multiply-add is two operations, so the factor is 6, not 3.",
        ),
        Misconception(
            "forward-only", "You counted the forward pass alone. The backward pass costs twice as much again."
        ),
        Misconception(
            "forward-macs",
            "You counted the multiply-adds of the forward pass. FLOPs are twice that, and training counts as three"
            " forward passes.",
        ),
        Misconception(
            "backward-once",
            "You counted two passes' worth. The backward pass has two products for each product of the forward pass:"
            " three in all.",
        ),
        Misconception(
            "twice-too-often",
            "Your factor is 12: a 2 too many. `forward_macs` is one picture's forward pass; the factor is 6.",
        ),
        Misconception("size-ignored", 'You used `cfg["img"]`. The pictures have the side `res`.'),
        Misconception("head-left-out", "The head is missing. `forward_macs` counts it."),
        Misconception("attention-left-out", "Q K^T and A V are missing."),
        Misconception(
            "parameters-a-picture",
            "You took 6 N for each picture. N parameters meet each of the T tokens: it is 6 N a token.",
        ),
        Misconception("epochs-forgotten", "The epochs are missing: each picture is seen `epochs` times."),
        Misconception("images-forgotten", "The pictures are missing: `n_images` of them in each epoch."),
        Misconception("peta", "Those are petaFLOPs: 10^15. Exa is 10^18."),
        Misconception("tera", "Those are teraFLOPs: 10^12. Exa is 10^18."),
        Misconception("no-unit", "Those are FLOPs. Divide by 1e18 for exaFLOPs."),
    ),
)
