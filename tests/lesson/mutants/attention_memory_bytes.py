"""Wrong counts of what attention keeps."""

from __future__ import annotations

import numpy as np

from . import mutant


def kept(cfg, res, batch, bytes_per, flash, T=None, heads=None, layers=None, flash_bytes=4):
    prefix = cfg["cls_token"] + cfg["n_registers"]
    T = (res // cfg["P"]) ** 2 + prefix if T is None else T
    rows = (cfg["L"] if layers is None else layers) * batch * (cfg["h"] if heads is None else heads) * T
    return rows * flash_bytes if flash else rows * T * bytes_per


@mutant("patches-for-tokens")
def only_patches(cfg, res, batch, bytes_per=2, flash=False):
    return kept(cfg, res, batch, bytes_per, flash, T=(res // cfg["P"]) ** 2)


@mutant("one-head")
def a_single_table(cfg, res, batch, bytes_per=2, flash=False):
    return kept(cfg, res, batch, bytes_per, flash, heads=1)


@mutant("one-layer")
def a_single_layer(cfg, res, batch, bytes_per=2, flash=False):
    return kept(cfg, res, batch, bytes_per, flash, layers=1)


@mutant("batch-forgotten")
def a_single_picture(cfg, res, batch, bytes_per=2, flash=False):
    return kept(cfg, res, 1, bytes_per, flash)


@mutant("flash-bytes-per")
def flash_in_two_bytes(cfg, res, batch, bytes_per=2, flash=False):
    return kept(cfg, res, batch, bytes_per, flash, flash_bytes=bytes_per)


@mutant("flash-ignored")
def no_flash(cfg, res, batch, bytes_per=2, flash=False):
    return kept(cfg, res, batch, bytes_per, False)


@mutant("size-ignored")
def at_the_models_size(cfg, res, batch, bytes_per=2, flash=False):
    return kept(cfg, cfg["img"], batch, bytes_per, flash)


@mutant("bytes-forgotten")
def numbers(cfg, res, batch, bytes_per=2, flash=False):
    return kept(cfg, res, batch, 1, flash)


@mutant("scores-too")
def before_and_after_softmax(cfg, res, batch, bytes_per=2, flash=False):
    return kept(cfg, res, batch, bytes_per, flash) * (1 if flash else 2)


@mutant("numpy-integer")
def from_numpy(cfg, res, batch, bytes_per=2, flash=False):
    return np.int64(kept(cfg, res, batch, bytes_per, flash))


@mutant("fraction")
def floats(cfg, res, batch, bytes_per=2, flash=False):
    return kept(cfg, res, batch, bytes_per, flash) / 1
