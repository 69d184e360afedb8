"""Wrong sizes that should fit."""

from __future__ import annotations

import numpy as np

from . import mutant


def largest(
    cfg, budget, batch, bytes_per, prefix=None, layers=None, heads=None, fits=lambda needed, budget: needed <= budget
):
    prefix = cfg["cls_token"] + cfg["n_registers"] if prefix is None else prefix
    each = (cfg["L"] if layers is None else layers) * batch * (cfg["h"] if heads is None else heads) * bytes_per
    side = 0
    while fits(each * ((side + 1) ** 2 + prefix) ** 2, budget):
        side += 1
    return side * cfg["P"]


@mutant("patches-for-tokens")
def patches_alone(cfg, budget_bytes, batch=1, bytes_per=2):
    return largest(cfg, budget_bytes, batch, bytes_per, prefix=0)


@mutant("strictly-less")
def less_than(cfg, budget_bytes, batch=1, bytes_per=2):
    return largest(cfg, budget_bytes, batch, bytes_per, fits=lambda needed, budget: needed < budget)


@mutant("one-layer")
def a_single_layer(cfg, budget_bytes, batch=1, bytes_per=2):
    return largest(cfg, budget_bytes, batch, bytes_per, layers=1)


@mutant("one-head")
def a_single_head(cfg, budget_bytes, batch=1, bytes_per=2):
    return largest(cfg, budget_bytes, batch, bytes_per, heads=1)


@mutant("batch-forgotten")
def a_single_picture(cfg, budget_bytes, batch=1, bytes_per=2):
    return largest(cfg, budget_bytes, 1, bytes_per)


@mutant("grid-returned")
def in_patches(cfg, budget_bytes, batch=1, bytes_per=2):
    return largest(cfg, budget_bytes, batch, bytes_per) // cfg["P"]


@mutant("one-further")
def the_first_that_does_not(cfg, budget_bytes, batch=1, bytes_per=2):
    return largest(cfg, budget_bytes, batch, bytes_per) + cfg["P"]


@mutant("always-two")
def two_bytes(cfg, budget_bytes, batch=1, bytes_per=2):
    return largest(cfg, budget_bytes, batch, 2)


@mutant("numpy-integer")
def from_numpy(cfg, budget_bytes, batch=1, bytes_per=2):
    return np.int64(largest(cfg, budget_bytes, batch, bytes_per))
