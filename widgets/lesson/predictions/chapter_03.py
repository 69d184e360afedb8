"""Predictions of chapter 03."""

from __future__ import annotations

from typing import Any


def components_for_nine_tenths() -> int:
    """The fewest principal components that hold nine tenths of the variance of the cat's patches of 16 px."""
    import torch

    from widgets.model.embedding import patch_basis
    from widgets.model.patches import patchify
    from widgets.pictures import open_sample, prepare

    patches = torch.from_numpy(patchify(prepare(open_sample("cat"), 16), 16))
    return int((patch_basis(patches, len(patches) - 1).explained() < 0.9).sum()) + 1


PREDICTIONS: dict[str, dict[str, Any]] = {
    "03-nine-tenths": {
        "question": (
            "The cat has 196 patches of 16 px, each a row of 768 numbers. You keep k numbers of every patch, along the"
            " k patterns that suit this picture best. What is the smallest k that keeps nine tenths of the variance?"
        ),
        "kind": "number",
        "unit": "numbers",
        "answer": components_for_nine_tenths,
        "why": (
            "Pixels that touch are nearly the same, so the patches of a photograph differ in few ways: lighter or"
            " darker, lighter on one side, a stripe here or there. A picture of gravel needs far more: try it in the"
            " widget."
        ),
    },
    "03-larger-picture": {
        "question": (
            "You give ViT-B/16 pictures of 448 px instead of 224 px, so there are four times as many patches. What"
            " becomes of the number of parameters of the patch embedding?"
        ),
        "kind": "choice",
        "choices": [
            "It stays the same",
            "It doubles",
            "It becomes four times as large",
            "It becomes sixteen times as large",
        ],
        "answer": "It stays the same",
        "why": (
            "There is one matrix E and every patch meets it. More patches use the same numbers more often. Only the"
            " table of positions grows with the number of patches; chapter 04 is about that."
        ),
    },
}
