"""Exercise of chapter 09: the compute of a training run."""

from __future__ import annotations

from typing import Any

from ..specification import Case, Exercise, Misconception
from ._bridge import shape_of
from ._counting import AVERAGED, B_16, BOTH, ODD, case, changed

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
    cost = counted["total"] - (counted["head"] if "head-left-out" in faults else 0) - (counted["attention"] if "attention-left-out" in faults else 0)
    if "parameters-a-picture" in faults:
        cost = block_matrices(shape)
    factor = next((value for name, value in FACTORS.items() if name in faults), 6)
    unit = 1e15 if "peta" in faults else 1.0 if "no-unit" in faults else 1e12 if "tera" in faults else 1e18
    seen = (1 if "epochs-forgotten" in faults else epochs) * (1 if "images-forgotten" in faults else n_images)
    return factor * cost * (int(seen) if "whole-epochs" in faults and epochs < 1 else seen) / unit


SOLUTION = '''
def pretraining_exaflops(cfg, res, epochs, n_images):
    from widgets.lesson.given import forward_macs

    flops = 2 * forward_macs(cfg, res)                      # a multiply-add is two operations
    training = 3 * flops                                    # forward once, backward twice as much
    return training * epochs * n_images / 1e18              # exa is 10^18
'''


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
        "Write `pretraining_exaflops(cfg, res, epochs, n_images)`: the floating-point operations, in exaFLOPs (10^18), of"
        " training on `n_images` pictures of side `res`, each seen `epochs` times. You are given"
        " `forward_macs(cfg, res)`, the multiply-adds of one picture's forward pass, head included: import it from"
        " `widgets.lesson.given`. `cfg` is the dict of `vit_macs`.\n\n"
        "A multiply-add is two FLOPs. The backward pass costs twice the forward pass. The optimiser's own work is left"
        " out. Return a float."
    ),
    hints=(
        "How many FLOPs is one forward pass? `forward_macs` counts multiply-adds.",
        "Training a picture is a forward pass and a backward pass of twice its cost: three forward passes, so six times the multiply-adds.",
        "Times epochs, times pictures, divided by 1e18.",
    ),
    solution=SOLUTION,
    commentary=(
        "The factor is 6: two operations a multiply-add, and three passes' worth of them. For the six ViTs of the paper's"
        " Table 6 this gives the printed exaFLOPs within 0.15 per cent, but for B/32, where it is 2.3 per cent higher."
    ),
    cases=(
        _run("ViT-B/16 with 18,291 classes, 7 epochs of 303 million pictures", changed(n_classes=18_291), 224, 7, 303_000_000),
        _run("ViT-B/16 at 384 px, one epoch", B_16, 384, 1, 1_281_167), _run("a small model with 3 registers, 11 epochs", ODD, 49, 11, 50_021),
        _run("averaged, half an epoch", AVERAGED, 91, 0.5, 777_777), _run("class token and register", BOTH, 63, 13, 9_973),
    ),
    expected=expected,
    faulty=faulty,
    misconceptions=(
        Misconception("macs-for-flops", "You took multiply-adds for FLOPs. A multiply-add is two operations, so the factor is 6, not 3."),
        Misconception("forward-only", "You counted the forward pass alone. The backward pass costs twice as much again."),
        Misconception("forward-macs", "You counted the multiply-adds of the forward pass. FLOPs are twice that, and training is three forward passes."),
        Misconception("backward-once", "You counted two passes' worth. The backward pass has two products for each product of the forward pass: three in all."),
        Misconception("twice-too-often", "Your factor is 12: a 2 too many. `forward_macs` is one picture's forward pass; the factor is 6."),
        Misconception("size-ignored", "You used `cfg[\"img\"]`. The pictures have the side `res`."),
        Misconception("head-left-out", "The head is missing. `forward_macs` counts it."),
        Misconception("attention-left-out", "Q K^T and A V are missing."),
        Misconception("parameters-a-picture", "You took 6 N for each picture. N parameters meet each of the T tokens: it is 6 N a token."),
        Misconception("epochs-forgotten", "The epochs are missing: each picture is seen `epochs` times."),
        Misconception("images-forgotten", "The pictures are missing: `n_images` of them in each epoch."),
        Misconception("peta", "Those are petaFLOPs: 10^15. Exa is 10^18."),
        Misconception("tera", "Those are teraFLOPs: 10^12. Exa is 10^18."),
        Misconception("no-unit", "Those are FLOPs. Divide by 1e18 for exaFLOPs."),
    ),
)
