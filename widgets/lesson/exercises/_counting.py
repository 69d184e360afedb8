"""The configurations of the counting exercises, and how one reads in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..specification import Case

B_16 = dict(img=224, P=16, C=3, d=768, L=12, h=12, d_ff=3072, n_classes=1000, cls_token=True, n_registers=0, pool="cls")

CFG = (
    "`cfg` is a dict: `img` (side of the square picture in pixels, a multiple of `P`), `P`, `C`, `d` (width),"
    " `L` (layers), `h` (heads), `d_ff` (hidden width of the MLP), `n_classes` (0: no head), `cls_token` (True"
    " or False), `n_registers`, `pool` (\"cls\" or \"gap\"). Return Python integers: NumPy's have a fixed width"
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


# Sides, widths and counts share no factor more than they must, so that two mistakes seldom give one number.
ODD = changed(img=35, P=7, C=2, d=12, L=3, h=4, d_ff=41, n_classes=5, n_registers=3)
BARE = changed(img=44, P=11, C=1, d=10, L=5, h=2, d_ff=23, n_classes=0, cls_token=False, pool="gap")
AVERAGED = changed(img=65, P=13, C=3, d=14, L=2, h=7, d_ff=33, n_classes=3, cls_token=False, n_registers=2, pool="gap")
BOTH = changed(img=27, P=9, C=4, d=18, L=4, h=3, d_ff=50, n_classes=11, n_registers=1, pool="gap")
HUGE = changed(P=14, d=6144, L=48, h=48, d_ff=24576, n_classes=0)


def parameter_terms(cfg: dict[str, Any]) -> dict[str, int]:
    """What a count of parameters may be short of."""
    d, L, K, N = cfg["d"], cfg["L"], cfg["n_classes"], (cfg["img"] // cfg["P"]) ** 2
    pixels = cfg["P"] ** 2 * cfg["C"]
    return {"d": d, "L d": L * d, "d^2": d * d, "L d^2": L * d * d, "L d_ff": L * cfg["d_ff"],
            "L d d_ff": L * d * cfg["d_ff"], "n_classes": K, "d n_classes": d * K, "N d": N * d,
            "n_registers d": cfg["n_registers"] * d, "d for the class token": cfg["cls_token"] * d,
            "P^2 C": pixels, "P^2 C d": pixels * d, "N P^2 C": N * pixels, "the whole of a block": L * (
                4 * d * d + 2 * d * cfg["d_ff"] + 9 * d + cfg["d_ff"]), "1": 1}


def cost_terms(cfg: dict[str, Any], res: int) -> dict[str, int]:
    """What a count of multiply-adds may be short of."""
    d, L, K, d_ff = cfg["d"], cfg["L"], cfg["n_classes"], cfg["d_ff"]
    N = (res // cfg["P"]) ** 2
    T = N + cfg["cls_token"] + cfg["n_registers"]
    pixels = cfg["P"] ** 2 * cfg["C"]
    return {"L T d^2": L * T * d * d, "L T d d_ff": L * T * d * d_ff, "L T^2 d": L * T * T * d, "L T d": L * T * d,
            "L T^2": L * T * T, "L T^2 h": L * T * T * cfg["h"], "L T d_ff": L * T * d_ff, "d n_classes": d * K,
            "T d n_classes": T * d * K, "n_classes": K, "N d": N * d, "N P^2 C d": N * pixels * d,
            "P^2 C d": pixels * d, "d": d}
