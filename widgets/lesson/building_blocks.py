"""What an exercise gives the reader to build on."""

from __future__ import annotations

from typing import Any

from widgets.lesson.exercises._bridge import shape_of


def forward_macs(cfg: dict[str, Any], res: int) -> int:
    """Multiply-adds of one forward pass on a square picture of side `res`, head included: the total of `vit_macs`.

    Raises ValueError for a cfg or a size that no ViT has.
    """
    from widgets.model.count import macs

    return macs(shape_of(cfg), res)["total"]
