"""Wrong counts of parameters."""

from __future__ import annotations

import numpy as np

from . import mutant


def count(cfg, N_extra=None, block=None, patch=None, final=None, head=None, registers=None, whole=int):
    d, R, K = cfg["d"], cfg["n_registers"], cfg["n_classes"]
    N, c = (cfg["img"] // cfg["P"]) ** 2, int(cfg["cls_token"])
    patch = cfg["P"] ** 2 * cfg["C"] * d + d if patch is None else patch
    positions = (N + (c if N_extra is None else N_extra)) * d
    registers = R * d if registers is None else registers
    block = 4 * d * d + 4 * d + 2 * d * cfg["d_ff"] + cfg["d_ff"] + d + 4 * d if block is None else block
    final = 2 * d if final is None else final
    head = d * K + K if head is None else head
    return whole(patch + c * d + registers + positions + cfg["L"] * block + final + head)


@mutant("class-row")
def position_of_the_class_forgotten(cfg):
    return count(cfg, N_extra=0)


@mutant("registers-placed")
def positions_for_registers(cfg):
    return count(cfg, N_extra=cfg["cls_token"] + cfg["n_registers"])


@mutant("one-norm")
def one_norm_a_block(cfg):
    d, f = cfg["d"], cfg["d_ff"]
    return count(cfg, block=4 * d * d + 4 * d + 2 * d * f + f + d + 2 * d)


@mutant("mlp-4d")
def hidden_is_four_d(cfg):
    d = cfg["d"]
    return count(cfg, block=4 * d * d + 4 * d + 8 * d * d + 5 * d + 4 * d)


@mutant("qkv-biases")
def no_bias_on_qkv(cfg):
    d, f = cfg["d"], cfg["d_ff"]
    return count(cfg, block=4 * d * d + d + 2 * d * f + f + d + 4 * d)


@mutant("heads-multiply")
def attention_for_each_head(cfg):
    d, f = cfg["d"], cfg["d_ff"]
    return count(cfg, block=cfg["h"] * (4 * d * d + 4 * d) + 2 * d * f + f + d + 4 * d)


@mutant("final-norm")
def no_final_norm(cfg):
    return count(cfg, final=0)


@mutant("final-norm-gap")
def no_final_norm_when_averaged(cfg):
    return count(cfg, final=2 * cfg["d"] if cfg["pool"] == "cls" else 0)


@mutant("head-bias")
def head_without_bias(cfg):
    return count(cfg, head=cfg["d"] * cfg["n_classes"])


@mutant("numpy-integer")
def numpy_integer(cfg):
    return count(cfg, whole=np.int64)


@mutant("overflow")
def thirty_two_bits(cfg):
    return count(cfg, whole=lambda n: int(np.array([n], dtype=np.int64).astype(np.int32)[0]))


@mutant("fraction")
def divides_with_a_slash(cfg):
    return count(cfg, whole=float)


@mutant("pooler")
def counts_the_pooler(cfg):
    return count(cfg, final=2 * cfg["d"] + cfg["d"] ** 2 + cfg["d"])
