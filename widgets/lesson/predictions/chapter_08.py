"""Predictions of chapter 08."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

WHERE = [
    "In the patch embedding and the position table",
    "In attention, all layers",
    "In the MLPs, all layers",
    "In the head of 1,000 classes",
]
PIECES = (("patch_embedding", "positions"), ("attention",), ("mlp",), ("head",))


def largest_piece() -> int:
    """Which of the choices holds most of ViT-B/16's parameters."""
    from widgets.model.count import parameters
    from widgets.model.shape import FAMILY

    counted = parameters(FAMILY["B/16"])
    sums = [sum(counted[piece][1] for piece in pieces) for pieces in PIECES]
    return sums.index(max(sums))


def more_at_384() -> int:
    """How many parameters ViT-B/16 has more at 384 px than at 224 px."""
    from widgets.model.count import parameters
    from widgets.model.shape import FAMILY

    shape = FAMILY["B/16"]
    return parameters(replace(shape, image_size=384))["total"] - parameters(shape)["total"]


PREDICTIONS: dict[str, dict[str, Any]] = {
    "08-largest-piece": {
        "question": "Attention is what a transformer is known for. Where are most of the parameters of ViT-B/16?",
        "kind": "choice",
        "choices": WHERE,
        "answer": largest_piece,
        "why": (
            "An MLP has two matrices of D x 4D, attention four of D x D: eight D² against four. In each layer the MLP"
            " holds twice as much, and everything outside the layers is small beside them."
        ),
    },
    "08-larger-picture": {
        "question": (
            "ViT-B/16 has 86,567,656 parameters at 224 px. You build the same model for pictures of 384 px, with the"
            " same patches of 16 px. How many parameters more has it?"
        ),
        "kind": "number",
        "unit": "parameters",
        "answer": more_at_384,
        "why": (
            "Every weight is shared by all tokens, however many there are. Only the position table has a row a patch:"
            " 576 rows where there were 196, so 380 more rows of 768 numbers. The model grows by a third of a per cent."
        ),
    },
}
