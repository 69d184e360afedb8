"""Predictions of chapter 07."""

from __future__ import annotations

from typing import Any

import numpy as np


def _stream() -> Any:
    """The stream of the cat through the default model."""
    from widgets.experiments.kept_pass import read
    from widgets.model.stream import stream
    from widgets.pictures import open_sample

    return stream(read("dinov2-small", open_sample("cat")).trace)


def positive_share() -> float:
    """Share of positive pre-activations over all tokens and layers, in per cent."""
    return round(100 * float(_stream().positive.mean()), 1)


def form_of_the_length() -> str:
    """Which of the choices the length of the median patch follows, from z_0 to z_12."""
    median = np.median(_stream().length[1:], axis=0)  # (L + 1,)
    grows = np.diff(median)
    if (np.abs(median / median[0] - 1) < 0.1).all():
        return CHOICES[2]
    if (grows < 0).all():
        return CHOICES[3]
    if grows[0] < 0 and median[-1] > 2 * median[0]:
        return CHOICES[0]
    if grows.min() > 0.5 * grows.max():
        return CHOICES[1]
    raise ValueError(f"no choice describes the lengths {median.round(3).tolist()}")


CHOICES = (
    "shorter at first, then many times longer",
    "longer by about the same amount in every layer",
    "of one length throughout: every layer has a norm",
    "shorter in every layer, as information is lost",
)

PREDICTIONS: dict[str, dict[str, Any]] = {
    "07-length-of-a-patch": {
        "question": (
            "The copy of DINOv2 ViT-S/14 used here reads the cat. A patch's row of z is a vector with a length. What"
            " becomes of that length, from z_0 to z_12?"
        ),
        "kind": "choice",
        "choices": CHOICES,
        "answer": form_of_the_length,
        "why": (
            "Nothing keeps the length of z in bounds. Each sublayer reads a normalised copy and adds to z itself; what"
            " it adds may lengthen it or cancel part of it. In this model the median patch is shortest in z_3 and"
            " longest at the end. The widget below shows every layer; it opens on the class token, so choose a patch"
            " first."
        ),
    },
    "07-positive-share": {
        "question": (
            "In every block the MLP makes four times as many numbers of each token, and GELU holds back the negative"
            " ones. In the copy of DINOv2 ViT-S/14 used here, on the cat, what share of these numbers is positive, over"
            " all tokens and layers?"
        ),
        "kind": "number",
        "unit": "%",
        "answer": positive_share,
        "why": (
            "Random weights would give about one half. Training has pushed most of them below zero. The plot below"
            " shows every layer, and what GELU still gives for the negative ones."
        ),
    },
}
