"""Wrong sizes at which attention takes over."""

from __future__ import annotations

import math

import numpy as np

from . import mutant


def needed(cfg):
    return 2 * cfg["d"] + cfg["d_ff"]


def prefix(cfg):
    return cfg["cls_token"] + cfg["n_registers"]


@mutant("patches-for-tokens")
def patches_alone(cfg):
    return math.ceil(math.sqrt(needed(cfg))) * cfg["P"]


@mutant("strictly-more")
def more_than(cfg):
    side = 1
    while side**2 + prefix(cfg) <= needed(cfg):
        side += 1
    return side * cfg["P"]


@mutant("any-pixel")
def any_side(cfg):
    return math.ceil(math.sqrt(max(0, needed(cfg) - prefix(cfg))) * cfg["P"])


@mutant("grid-returned")
def side_in_patches(cfg):
    return next(s for s in range(1, 10**6) if s * s + prefix(cfg) >= needed(cfg))


@mutant("starts-at-img")
def from_the_training_size(cfg):
    res = cfg["img"]
    while (res // cfg["P"]) ** 2 + prefix(cfg) < needed(cfg):
        res += cfg["P"]
    return res


@mutant("scores-only")
def scores_alone(cfg):
    return next(s for s in range(1, 10**6) if s * s + prefix(cfg) >= 4 * cfg["d"] + 2 * cfg["d_ff"]) * cfg["P"]


@mutant("mlp-4d")
def six_d(cfg):
    return next(s for s in range(1, 10**6) if s * s + prefix(cfg) >= 6 * cfg["d"]) * cfg["P"]


@mutant("side-below")
def rounds_down(cfg):
    return (next(s for s in range(1, 10**6) if s * s + prefix(cfg) >= needed(cfg)) - 1) * cfg["P"]


@mutant("numpy-integer")
def from_numpy(cfg):
    sides = np.arange(1, 2000)
    return sides[sides**2 + prefix(cfg) >= needed(cfg)][0] * cfg["P"]


@mutant("registers-forgotten")
def class_token_alone(cfg):
    return next(s for s in range(1, 10**6) if s * s + cfg["cls_token"] >= needed(cfg)) * cfg["P"]
