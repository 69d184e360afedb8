"""Wrong compute of training."""

from __future__ import annotations

from widgets.lesson.building_blocks import forward_macs

from . import mutant


@mutant("macs-for-flops")
def macs_called_flops(cfg, res, epochs, n_images):
    return 3 * forward_macs(cfg, res) * epochs * n_images / 1e18


@mutant("forward-only")
def inference(cfg, res, epochs, n_images):
    return 2 * forward_macs(cfg, res) * epochs * n_images / 1e18


@mutant("backward-once")
def backward_like_forward(cfg, res, epochs, n_images):
    return 2 * 2 * forward_macs(cfg, res) * epochs * n_images / 1e18


@mutant("epochs-forgotten")
def one_epoch(cfg, res, epochs, n_images):
    return 6 * forward_macs(cfg, res) * n_images / 1e18


@mutant("size-ignored")
def at_the_models_size(cfg, res, epochs, n_images):
    return 6 * forward_macs(cfg, cfg["img"]) * epochs * n_images / 1e18


@mutant("peta")
def petaflops(cfg, res, epochs, n_images):
    return 6 * forward_macs(cfg, res) * epochs * n_images / 1e15


@mutant("parameters-a-picture")
def six_n(cfg, res, epochs, n_images):
    N = cfg["L"] * (4 * cfg["d"] ** 2 + 2 * cfg["d"] * cfg["d_ff"])
    return 6 * N * epochs * n_images / 1e18


@mutant("head-left-out")
def without_a_head(cfg, res, epochs, n_images):
    return 6 * forward_macs({**cfg, "n_classes": 0}, res) * epochs * n_images / 1e18
