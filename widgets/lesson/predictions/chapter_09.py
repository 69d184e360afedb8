"""Predictions of chapter 09."""

from __future__ import annotations

from typing import Any


def attention_share() -> float:
    """Share, in per cent, of Q K^T and A V in ViT-B/16's multiply-adds at 224 px."""
    from widgets.model.count import macs
    from widgets.model.shape import FAMILY

    counted = macs(FAMILY["B/16"])
    return round(100 * counted["attention"] / counted["total"], 1)


def crossover() -> int:
    """Side in pixels from which attention costs ViT-B/16 at least as much as the matrices of its blocks."""
    from widgets.model.count import attention_crossover
    from widgets.model.shape import FAMILY

    return attention_crossover(FAMILY["B/16"])


def tiny_speed() -> float:
    """How many times as many pictures a second DeiT's table has for Ti/16 as for B/16."""
    from widgets.model.costs import speeds

    return round(1 / next(row.time_ratio for row in speeds() if row.model == "Ti/16"), 1)


PREDICTIONS: dict[str, dict[str, Any]] = {
    "09-attention-share": {
        "question": (
            "“Attention is quadratic, so it is what makes a ViT expensive.” Of all multiply-adds of ViT-B/16 on a"
            " picture of 224 px, how many per cent are attention itself: every query with every key, and the weighted"
            " sums of values?"
        ),
        "kind": "number",
        "unit": "%",
        "answer": attention_share,
        "why": (
            "At 224 px there are 197 tokens, few beside the width of 768. The matrices that each token is multiplied by"
            " are nearly all of the cost. Quadratic says how a cost grows, not how large it is."
        ),
    },
    "09-crossover": {
        "question": (
            "The picture grows, the model stays ViT-B/16. From which side of a square picture on does attention cost as"
            " much as the matrices of the blocks?"
        ),
        "kind": "number",
        "unit": "px",
        "answer": crossover,
        "why": (
            "Attention has 2 T² D multiply-adds a layer, the matrices T (4 D² + 2 D D_ff). They meet at T = 2 D + D_ff"
            " = 4,608 tokens, and tokens grow with the square of the side."
        ),
    },
    "09-tiny-speed": {
        "question": (
            "ViT-Ti/16 has 14 times fewer multiply-adds than ViT-B/16. How many times as many pictures a second did"
            " DeiT's authors measure for it, on one graphics card?"
        ),
        "kind": "number",
        "unit": "times",
        "answer": tiny_speed,
        "why": (
            "A count knows nothing of what waits for memory: norms, softmax, GELU and small matrices. The table does"
            " not say where the time goes; it shows that time does not follow the count."
        ),
    },
}
