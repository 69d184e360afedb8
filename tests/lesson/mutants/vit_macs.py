"""Wrong counts of multiply-adds."""

from __future__ import annotations

import numpy as np

from . import mutant


def cost(cfg, res, T=None, linear=None, pair=2, head=None, times=1, total=None):
    d, L, N = cfg["d"], cfg["L"], (res // cfg["P"]) ** 2
    T = N + cfg["cls_token"] + cfg["n_registers"] if T is None else T
    out = {
        "patch": N * cfg["P"] ** 2 * cfg["C"] * d,
        "linear": L * T * (4 * d * d + 2 * d * cfg["d_ff"] if linear is None else linear),
        "attention": L * pair * T * T * d,
        "head": d * cfg["n_classes"] if head is None else head,
    }
    out = {k: times * v for k, v in out.items()}
    return {**out, "total": sum(out.values()) if total is None else total(out)}


@mutant("patches-for-tokens")
def only_patches(cfg, res):
    return cost(cfg, res, T=(res // cfg["P"]) ** 2)


@mutant("size-ignored")
def training_size(cfg, res):
    return cost(cfg, cfg["img"])


@mutant("flops")
def flops(cfg, res):
    return cost(cfg, res, times=2)


@mutant("scores-only")
def scores_alone(cfg, res):
    return cost(cfg, res, pair=1)


@mutant("output-projection")
def qkv_alone(cfg, res):
    return cost(cfg, res, linear=3 * cfg["d"] ** 2 + 2 * cfg["d"] * cfg["d_ff"])


@mutant("head-every-token")
def head_on_all_tokens(cfg, res):
    T = (res // cfg["P"]) ** 2 + cfg["cls_token"] + cfg["n_registers"]
    return cost(cfg, res, head=T * cfg["d"] * cfg["n_classes"])


@mutant("total-without-head")
def total_of_three(cfg, res):
    return cost(cfg, res, total=lambda o: o["patch"] + o["linear"] + o["attention"])


@mutant("mlp-one-matrix")
def half_an_mlp(cfg, res):
    return cost(cfg, res, linear=4 * cfg["d"] ** 2 + cfg["d"] * cfg["d_ff"])


@mutant("numpy-integer")
def numpy_integers(cfg, res):
    return {k: np.int64(v) for k, v in cost(cfg, res).items()}


@mutant("fraction")
def floats(cfg, res):
    return {k: v / 1 for k, v in cost(cfg, res).items()}


@mutant("registers-forgotten")
def class_token_only(cfg, res):
    return cost(cfg, res, T=(res // cfg["P"]) ** 2 + cfg["cls_token"])
