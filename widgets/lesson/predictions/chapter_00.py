"""Predictions of chapter 00: one to guess before the stepper, two to find with it."""

from __future__ import annotations

from typing import Any

from widgets.model.steps import places

LAYERS = 2  # of the hand-set ViT, see widgets.model.hand_set_vit
PATCH = 24  # which patch to follow: the one that the stepper opens with
STEPS = places(LAYERS)
MEETING = sum(place.step.mixes for place in STEPS)
IN_LAYERS = sum(place.layer is not None for place in STEPS)
CHOICES = (
    f"in all {len(STEPS)}",
    f"in {IN_LAYERS}: every step of every layer",
    f"in {MEETING} of the {len(STEPS)}",
    "in none: each token goes through by itself",
)


def largest_share_of_another() -> float:
    """The largest share that the patch gives to a token other than itself: the cat, hand-set ViT, layer 2, head 1."""
    from widgets.model.step_rows import hand_set_pass
    from widgets.pictures import open_sample

    run = hand_set_pass(open_sample("cat"))
    shares = run.trace.layers[1].weights[0, 0, run.trace.prefix + PATCH]  # (T,)
    return max(float(share) for token, share in enumerate(shares) if token != run.trace.prefix + PATCH)


def width_of_a_key() -> int:
    """D_h of DINOv2 ViT-S/14."""
    from widgets.checkpoints.loading import at_hand

    config = at_hand("dinov2-small").model.config
    return config.hidden_size // config.num_attention_heads


PREDICTIONS: dict[str, dict[str, Any]] = {
    "00-tokens-meet": {
        "question": (
            f"The small ViT of this chapter takes {len(STEPS)} steps from the pixels to its answer. In how many of them"
            " does it take the rows of several tokens to work out one row of the result?"
        ),
        "kind": "choice",
        "choices": CHOICES,
        "answer": lambda: CHOICES[2],
        "why": (
            "Tokens meet in two steps of each layer. In Scores one token is compared with all. In Mix it takes"
            " something from all, and only here does anything of the others enter the token. Every other step works out"
            " a token's row from that row alone, with the same weights for all. The steps in which tokens meet carry"
            " the mark ⇄ below."
        ),
    },
    "00-find-share": {
        "question": (
            f"The cat, the small ViT, head 1: follow patch {PATCH}, in the middle of the picture, to the step Softmax"
            " of layer 2. How large is the largest share that it gives to another token?"
        ),
        "kind": "number",
        "answer": largest_share_of_another,
        "look_up": True,
        "why": (
            "It is the second box of A, since the boxes are sorted: the first is the patch's own. In the row of A"
            " itself column 0 is the class token's. All shares of the row, the others included, make 1."
        ),
    },
    "00-find-key": {
        "question": (
            "Choose the model DINOv2 ViT-S/14 and go to the step Q, K, V of any layer. How many numbers does one key of"
            " one head hold?"
        ),
        "kind": "number",
        "unit": "numbers",
        "answer": width_of_a_key,
        "look_up": True,
        "why": (
            "The shape stands at the right of the line of k: as many rows as there are tokens, and as many columns as a"
            " head has numbers. Every head has its own. Side by side, the keys of all heads are as wide as a token."
        ),
    },
}
