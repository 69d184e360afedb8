"""Predictions of chapter 06."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

WHERE = ["In layer 1", "In layers 2 to 5", "In layers 6 to 9", "In layers 10 to 12"]
ENDS = (1, 5, 9, 12)  # last layer of each choice


def parameters_with_24_heads() -> int:
    """Parameters of MSA in one layer of a ViT-B/16 that splits its width among 24 heads."""
    from widgets.model.count import parameters
    from widgets.model.shape import FAMILY

    shape = replace(FAMILY["B/16"], num_attention_heads=24)
    return parameters(shape)["attention"][1] // shape.num_hidden_layers


def layer_of_the_nearest_head() -> int:
    """Which of the choices holds the head with the smallest mean attention distance, on the cat."""
    from widgets.experiments.kept_pass import read
    from widgets.model.inspection import mean_attention_distance
    from widgets.pictures import open_sample

    t = read("dinov2-small", open_sample("cat")).trace
    found = mean_attention_distance(t.attentions, t.grid, t.pixels.shape[-1] // t.grid[1], t.prefix)  # (L, k)
    layer = int(found.amin(1).argmin()) + 1
    return next(place for place, end in enumerate(ENDS) if layer <= end)


PREDICTIONS: dict[str, dict[str, Any]] = {
    "06-twice-the-heads": {
        "question": (
            "Multi-head attention in one layer of ViT-B/16 has 2,362,368 parameters: 12 heads of 64 numbers each, 768"
            " together. You split the same 768 among 24 heads of 32. How many parameters has it now?"
        ),
        "kind": "number",
        "unit": "parameters",
        "answer": parameters_with_24_heads,
        "why": (
            "Twice as many heads, each half as wide: the matrices that make q, k and v have as many columns as before,"
            " and the matrix that joins the heads as many rows. The number of heads is a way to cut the width, and a"
            " cut costs no parameters."
        ),
    },
    "06-nearest-head": {
        "question": (
            "Some heads look mostly at patches close to their own. Where in the copy of DINOv2 ViT-S/14 used here is"
            " the most near-sighted head of all, on the picture of the cat?"
        ),
        "kind": "choice",
        "choices": WHERE,
        "answer": layer_of_the_nearest_head,
        "why": (
            "Many would say layer 1: in the paper's models, as in a CNN, some of the first layers' heads look only"
            " nearby. In this model the first layer looks far in all its heads, and the near-sighted ones come right"
            " after it."
        ),
    },
}
