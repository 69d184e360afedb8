"""The family side by side, and how the counts of one model grow with the picture (chapters 08 and 09)."""

from __future__ import annotations

from typing import NamedTuple

from widgets.model import count
from widgets.model.shape import FAMILY, ViTShape


class FamilyRow(NamedTuple):
    """One model of the family: its shape in the course's letters (h heads, P in px), and its counts at 224 px."""

    model: str
    L: int
    D: int
    D_ff: int
    h: int
    P: int
    T: int
    parameters: int
    macs: int
    attention: float  # share of the multiply-adds, 0 to 1


def family() -> list[FamilyRow]:
    """The family side by side: all that chapters 08 and 09 count of a model."""
    rows = []
    for name, s in FAMILY.items():
        c = count.macs(s)
        rows.append(
            FamilyRow(
                name,
                s.num_hidden_layers,
                s.hidden_size,
                s.intermediate_size,
                s.num_attention_heads,
                s.patch_size,
                s.num_tokens,
                count.parameters(s)["total"],
                c["total"],
                c["attention"] / c["total"],
            )
        )
    return rows


def growth(shape: ViTShape, small: int, large: int) -> dict[str, float]:
    """How many times the counts of a square picture grow from one side, in px, to another: pixels, and each part of
    `count.macs`."""
    before, after = (count.macs(shape, side) for side in (small, large))
    parts = {part: after[part] / before[part] for part in ("patch", "linear", "attention", "total")}
    return {"pixels": (large / small) ** 2} | parts
