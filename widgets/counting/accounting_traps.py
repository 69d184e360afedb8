"""Where accounting goes wrong: the traps that chapters 08 and 09 meet, each with the right amount beside the wrong
one."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from widgets.common.facts import published
from widgets.counting import budget
from widgets.model import costs, count, flop_counters
from widgets.model.shape import FAMILY, ViTShape

B_16 = FAMILY["B/16"]


class Trap(NamedTuple):
    """A wrong way of counting: what it does, the right amount, the wrong one, and the chapter and heading that treat
    it."""

    name: str
    right: str
    wrong: str
    chapter: str
    heading: str
    convention: bool = False  # a way of counting that others take: wrong only where it is taken for the course's


def traps() -> list[Trap]:
    """Every trap, those of parameters first. Where its name says no model it is ViT-B/16."""
    return [*_of_parameters(), *_of_compute()]


def attention_for_every_head(shape: ViTShape) -> int:
    """Parameters if all of attention were there once a head, as a count has it that multiplies by the heads."""
    return _total(shape) + (shape.num_attention_heads - 1) * count.parameters(shape)["attention"][1]


def core_and_chip() -> tuple[float, float]:
    """ViT-22B's utilisation by the peak of a whole TPU v4 chip, and by that of one of its cores: shares."""
    run, peaks = published("vit_22b")["training"]["rows"][0], budget.peaks()
    exaflops_a_day = costs.flops_a_token(FAMILY["22B"]) * run["tokens_a_second"] * 86_400 / 1e18
    chip, core = (count.implied_mfu(exaflops_a_day, 1, peaks[device]) for device in ("a TPU v4 chip", "a TPU v4 core"))
    return chip, core


def _of_parameters() -> list[Trap]:
    huge, total = FAMILY["22B"], _total(B_16)
    no_biases = total - 3 * B_16.num_hidden_layers * B_16.hidden_size
    return [
        Trap(
            "attention multiplied by the heads",
            _millions(total),
            _millions(attention_for_every_head(B_16)),
            "08",
            "The formula",
        ),
        Trap(
            "the head of 1,000 classes left out",
            _millions(total),
            _millions(_total(replace(B_16, num_labels=0))),
            "08",
            "ViT-B/16, piece by piece",
            True,
        ),
        Trap(
            "224 px's position table at 384 px",
            _millions(_total(replace(B_16, image_size=384))),
            _millions(total),
            "08",
            "ViT-B/16, piece by piece",
        ),
        Trap("q, k and v without their biases", _millions(total), _millions(no_biases), "08", "Break it"),
        Trap(
            "L/16 takes L/32's count, 307M",
            _millions(_total(FAMILY["L/16"])),
            _millions(_total(FAMILY["L/32"])),
            "08",
            "Why printed counts disagree",
        ),
        Trap(
            "ViT-22B's block matrices alone",
            _millions(_total(huge)),
            _millions(count.block_matrices(huge)),
            "08",
            "Why printed counts disagree",
            True,
        ),
    ]


def _of_compute() -> list[Trap]:
    macs, (chip, core) = count.macs(B_16)["total"], core_and_chip()
    seen = flop_counters.torch_flops(B_16, "fused")
    token, picture = (next(row.counted for row in costs.table6(way) if row.model == "B/16") for way in ("right", "6n"))
    return [
        Trap("multiply-adds called FLOPs", _giga(2 * macs), _giga(macs), "09", "MACs and FLOPs", True),
        Trap("fused attention, hidden from a counter", _giga(2 * macs), _giga(seen), "09", "The same in PyTorch"),
        Trap(
            "6 N a picture, not a token",
            f"{token:.1f} exaFLOPs",
            f"{picture:.1f} exaFLOPs",
            "09",
            "6 × parameters × tokens",
        ),
        Trap(
            "ViT-22B: a core's peak for a chip's", f"{chip:.1%}", f"{core:.1%}", "09", "How well were the devices used?"
        ),
    ]


def _total(shape: ViTShape) -> int:
    return count.parameters(shape)["total"]


def _millions(parameters: int) -> str:
    return f"{parameters / 1e6:,.2f}M"


def _giga(flops: int) -> str:
    return f"{flops / 1e9:.2f} GFLOPs"
