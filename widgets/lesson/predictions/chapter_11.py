"""Predictions of chapter 11."""

from __future__ import annotations

from typing import Any

FITTED, CUT, ALIKE = (
    "Only interpolating keeps it close; the slice does much worse",
    "Both keep it close: a position is a position",
    "Neither: a table made for 518 px is of no use at 224 px",
)
CLOSE = 0.8  # a cosine of y that counts as close


def what_a_slice_does() -> str:
    """Which of the choices is so, on the cat at 224 px: measured against y at 518 px, interpolated and cut off."""
    from widgets.experiments.other_sizes import answer
    from widgets.pictures import open_sample

    fitted, cut = (answer("dinov2-small", open_sample("cat"), way, 224).cosine for way in ("interpolated", "cut off"))
    if fitted < CLOSE:
        return ALIKE
    return CUT if cut > CLOSE else FITTED


def patches_at_384_px() -> int:
    """Patches of 16 px in a picture of 384 x 384 px."""
    from widgets.model.count import sequence_facts

    return sequence_facts((384, 384), 16)["patches"]


PREDICTIONS: dict[str, dict[str, Any]] = {
    "11-slice-or-resize": {
        "question": (
            "DINOv2 ViT-S/14 learned one position for each of the 37 x 37 patches of a picture of 518 px. You want to"
            " read the cat at 224 px: 16 x 16 patches. You may shrink the grid of positions from 37 x 37 to 16 x 16, or"
            " take the first 256 positions with a slice. Is the answer `y` still close to that at 518 px, a cosine over"
            " 0.8?"
        ),
        "kind": "choice",
        "choices": (FITTED, CUT, ALIKE),
        "answer": what_a_slice_does,
        "why": (
            "A position says where in the picture a patch is. Shrinking the grid keeps that: the middle stays the"
            " middle. The first 256 positions are the top rows of the old grid, wrapped at another width, so nearly"
            " every patch is told it is somewhere else. This is the cat, read by the copy used here. How much it costs"
            " depends on the picture: the chapter runs all of them."
        ),
    },
    "11-rows-at-384": {
        "question": (
            "ViT-B/16 learned 196 patch positions at 224 px. How many does it need for a picture of 384 x 384 px?"
        ),
        "kind": "number",
        "unit": "positions",
        "answer": patches_at_384_px,
        "why": (
            "384 / 16 = 24 patches along each side. The side grows by less than two, the number of patches by nearly"
            " three."
        ),
    },
}
