"""Predictions of chapter 00: one to guess before the stepper, two to find with it."""

from __future__ import annotations

from typing import Any

from widgets.model.steps import places

LAYERS = 2      # of the hand-set ViT, see widgets.model.handset
PATCH = 16      # which patch to follow, with the cat's left eye in it
STEPS = places(LAYERS)
MEETING = sum(place.step.mixes for place in STEPS)
IN_LAYERS = sum(place.layer is not None for place in STEPS)
CHOICES = (f"in all {len(STEPS)}", f"in {IN_LAYERS}: every step of every layer", f"in {MEETING} of the {len(STEPS)}",
           "in none: each patch goes through by itself")


def largest_share() -> float:
    """What the patch gives to the token it attends most: the cat, hand-set ViT, layer 1, head 1."""
    from widgets.model.pictures import open_sample
    from widgets.model.step_rows import hand_set_pass

    run = hand_set_pass(open_sample("cat"))
    return float(run.trace.layers[0].weights[0, 0, run.trace.prefix + PATCH].max())


def width_of_y() -> int:
    """Numbers in y of DINOv2 ViT-S/14."""
    from widgets.model.checkpoints import at_hand

    return at_hand("dinov2-small").model.config.hidden_size


PREDICTIONS: dict[str, dict[str, Any]] = {
    "00-tokens-meet": {
        "question": f"The small ViT of this chapter takes {len(STEPS)} steps from the pixels to its answer. In how many of them"
                    " does a patch take in anything from another patch?",
        "kind": "choice", "choices": CHOICES, "answer": lambda: CHOICES[2],
        "why": "Tokens meet in two steps of each layer: when a query is compared with every key (scores), and when each token"
               " gathers the values of the others (mix). Every other step works on each token by itself, with the same"
               " weights for all of them. The steps in which tokens meet carry the mark ⇄ below.",
    },
    "00-find-share": {
        "question": f"Find it with the stepper. The cat, the small ViT, head 1: follow patch {PATCH}, which holds an eye, to"
                    " the step Softmax of layer 1. How large is the largest share in its row?",
        "kind": "number", "answer": largest_share,
        "why": "It is the first number of the row A. The patch under it says which token gets that share; all shares of the"
               " row, the others included, make 1.",
    },
    "00-find-y": {
        "question": "Find it with the stepper. Choose the model DINOv2 ViT-S/14 and go to the last step (the key End does it)."
                    " How many numbers does y hold?",
        "kind": "number", "unit": "numbers", "answer": width_of_y,
        "why": "y is one row as wide as a token, whatever the picture. The shape stands at the right of its line: one row, and"
               " as many columns as this model has numbers a token.",
    },
}
