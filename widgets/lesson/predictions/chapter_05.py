"""Predictions of chapter 05."""

from __future__ import annotations

from typing import Any


def rows_that_change() -> str:
    """How many rows of O move in the small example when the first number of t3 becomes 1."""
    from widgets.model.worked_examples import SMALL, compute

    before, after = compute(SMALL).O[0], compute(SMALL.changed("X", 0, 3, 0, 1.0)).O[0]  # (T, D_h)
    return ROWS[int((before - after).abs().amax(1).gt(1e-9).sum())]


def largest_weight_unscaled() -> float:
    """Mean of the largest of 64 weights at D_h 64, over the draws of ScalingDemo, with nothing divided."""
    from widgets.model.attention import scaling_statistics

    return scaling_statistics(64)["unscaled"]["largest_weight"]


ROWS = {
    0: "None: the change cancels in the softmax",
    1: "Only row t3",
    2: "Two rows: t3 and the one before it",
    4: "All four rows",
}

PREDICTIONS: dict[str, dict[str, Any]] = {
    "05-one-number": {
        "question": (
            "Four tokens go through one attention head, and four rows come out, one a token. You change one number of"
            " the last token, `t3`. How many of the four rows that come out change?"
        ),
        "kind": "choice",
        "choices": tuple(ROWS.values()),
        "answer": rows_that_change,
        "why": (
            "Every token takes a share of `t3`, and what it gets there has changed. How large the share is moves only"
            " where the query tells the new key from the old one: in the widget below for all but `t0`. A matrix"
            " applied to each token alone would have changed one row."
        ),
    },
    "05-largest-weight": {
        "question": (
            "A query and 64 keys, each of 64 independent random numbers with mean 0 and variance 1. You take the dot"
            " products, divide by nothing, and take the softmax. How large is the largest of the 64 weights, on"
            " average? (Equal weights would be 1/64 each, about 0.016.)"
        ),
        "kind": "number",
        "unit": "",
        "answer": largest_weight_unscaled,
        "why": (
            "A dot product of 64 such products has a standard deviation of 8. Between two scores that are 8 apart,"
            " softmax shares the weight about 3,000 to 1. So the largest score takes nearly everything, and with the"
            " division by 8 it does not."
        ),
    },
}
