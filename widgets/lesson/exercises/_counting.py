"""The configurations of the counting exercises, and how one reads in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from widgets.lesson.specification import Case

B_16 = dict(img=224, P=16, C=3, d=768, L=12, h=12, d_ff=3072, n_classes=1000, cls_token=True, n_registers=0, pool="cls")

CFG = (
    "`cfg` is a dict: `img` (side of the square picture in pixels, a multiple of `P`), `P`, `C`, `d` (width),"
    " `L` (layers), `h` (heads), `d_ff` (hidden width of the MLP), `n_classes` (0: no head), `cls_token` (True"
    ' or False), `n_registers`, `pool` ("cls" or "gap"). Return Python integers: NumPy\'s have a fixed width'
    " and can overflow."
)

SAME = "`cfg` is the dict of `vit_macs`. Return Python integers: NumPy's have a fixed width and can overflow."


def changed(**changes: Any) -> dict[str, Any]:
    """ViT-B/16 with some fields changed."""
    return {**B_16, **changes}


def case(title: str, cfg: dict[str, Any], *more: Any) -> Case:
    """A case that hands out a fresh cfg every time; its name spells the cfg out."""
    fields = ", ".join(f"{name}={value!r}" for name, value in cfg.items())
    return Case(f"{title} ({fields}{''.join(f'; {m}' for m in more)})", _fresh(cfg, more), 0)


def _fresh(cfg: dict[str, Any], more: tuple[Any, ...]) -> Callable[[], tuple[Any, ...]]:
    return lambda: (dict(cfg), *more)


# No two numbers of one model are equal, N, T, D_h and the side of the grid included, so that two mistakes seldom give
# one number. There are several models for every combination of class token, registers, pooling and head.
ODD = changed(img=45, P=9, C=2, d=88, L=7, h=8, d_ff=131, n_classes=19, n_registers=3)
BARE = changed(img=66, P=11, C=5, d=119, L=10, h=7, d_ff=163, n_classes=0, cls_token=False, pool="gap")
AVERAGED = changed(
    img=91, P=13, C=3, d=150, L=4, h=6, d_ff=233, n_classes=17, cls_token=False, n_registers=5, pool="gap"
)
BOTH = changed(img=76, P=19, C=6, d=145, L=9, h=5, d_ff=310, n_classes=23, n_registers=8, pool="gap")
HEADLESS = changed(img=120, P=10, C=4, d=141, L=11, h=3, d_ff=370, n_classes=0, n_registers=6)
UNREGISTERED = changed(img=112, P=8, C=7, d=275, L=5, h=11, d_ff=602, n_classes=31, pool="gap")
LONE = changed(img=150, P=25, C=4, d=247, L=8, h=13, d_ff=509, n_classes=41, cls_token=False, pool="gap")
REGISTERS_ALONE = changed(
    img=84, P=12, C=5, d=187, L=6, h=17, d_ff=450, n_classes=0, cls_token=False, n_registers=4, pool="gap"
)
# Past 2^53, where a float loses the last digits, and odd, so that they are missed.
GIANT = changed(img=1443, P=13, C=4003, d=999_999, L=2003, h=37, d_ff=4_000_037, n_classes=99_991, n_registers=7)
MODELS = {
    "a small model with 3 registers": ODD,
    "no class token, no head": BARE,
    "averaged, with 5 registers": AVERAGED,
    "class token and registers, averaged": BOTH,
    "registers and no head": HEADLESS,
    "averaged, with a class token": UNREGISTERED,
    "averaged, without one": LONE,
    "registers, no class token, no head": REGISTERS_ALONE,
}
SIZES = dict(
    zip(MODELS, (135, 33, 143, 190, 70, 72, 75, 108), strict=True)
)  # the picture's side, another than the model's own
ONE_CHANGED: tuple[dict[str, Any], ...] = (
    {"img": 63},
    {"P": 15},
    {"C": 4},
    {"d": 96},
    {"L": 12},
    {"h": 4},
    {"d_ff": 150},
    {"n_classes": 27},
    {"n_registers": 6},
    {"n_registers": 0},
    {"pool": "gap"},
    {"pool": "gap", "cls_token": False},
)


def one_by_one(*more: Any, without: tuple[str, ...] = ()) -> tuple[Case, ...]:
    """ODD with one field changed at a time, so that an answer shows which field it takes wrongly."""
    return tuple(
        case(f"the small model, other {' and '.join(change)}", {**ODD, **change}, *more)
        for change in ONE_CHANGED
        if not set(without) & set(change)
    )
