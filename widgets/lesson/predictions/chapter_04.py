"""Predictions of chapter 04."""

from __future__ import annotations

from typing import Any

SAME, SOME, NOISE = (
    "It stays the same, up to rounding",
    "It moves a little: most of the picture is still in it",
    "It becomes something else: the picture is gone",
)


def after_a_shuffle() -> str:
    """What becomes of y without positions: measured on the model at hand, on the cat."""
    from widgets.checkpoints.loading import available
    from widgets.experiments.shuffle import shuffle_test
    from widgets.pictures import open_sample

    name = "dinov2-small" if "dinov2-small" in available() else "random-b16"
    change = shuffle_test(name, open_sample("cat"), "shuffle").without
    if change.largest_change < 1e-3 * change.largest:
        return SAME
    return SOME if change.cosine > 0.5 else NOISE


PREDICTIONS: dict[str, dict[str, Any]] = {
    "04-shuffle-without-positions": {
        "question": (
            "Take the position table away: zeros in place of `E_pos`. Cut a photograph of a cat into patches, and"
            " shuffle them so that no human would see a cat. What becomes of `y`, the picture's vector?"
        ),
        "kind": "choice",
        "choices": (SAME, SOME, NOISE),
        "answer": after_a_shuffle,
        "why": (
            "Every token is treated by the same weights, and attention adds up what all tokens send, in whatever order"
            " they stand. Without `E_pos` nothing in the model depends on where a patch was. So the cat and its"
            " shuffled patches are one and the same input."
        ),
    },
}
