"""The still of the stepper: the picture with the followed patch, and its rows at a step in coloured cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from widgets.first_look import step_words
from widgets.first_look.step_scene import Scene
from widgets.kit import stills

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.model.step_rows import Rows

STORY = ("embed", "positions", "add2", "head")  # steps whose last row is told, beside the first layer's softmax


def still(scene: Scene) -> Figure:
    """The rows of the step; of the first step, where nothing has happened yet, what it leads to."""
    run, token, rows = scene.run, scene.token, scene.view.rows
    if scene.place.step.key == "cut":
        title, shown = f"{scene.opened.what}: {run.token_names[token]}, step by step", _story(scene)
    else:
        title = f"Step {scene.index + 1} of {len(scene.places)}. {step_words.where(scene)}"
        shown = [
            (one, one.says, one.top or max(_largest(other) for other in rows if other.scale == one.scale))
            for one in rows
        ]
    lines = [(f"{one.symbol}: {says}", scene.followed(one), high, one.weight) for one, says, high in shown]
    return stills.rows_still(run.pixels, run.weights.patch_size, max(0, token - run.trace.prefix), title, lines)


def _story(scene: Scene) -> list[tuple[Rows, str, float]]:
    """The last row of a few steps, with the step's name and the end of its scale."""
    found = []
    for place in scene.places:
        if place.step.key in STORY or (place.step.key == "softmax" and place.layer == 0):
            rows = scene.view_at(place).rows[0 if place.step.key == "head" else -1]
            name = place.step.name if place.layer is None else f"{place.block}, {place.step.name}"
            found.append((rows, name, rows.top or _largest(rows)))
    return found


def _largest(rows: Rows) -> float:
    return float(np.abs(rows.values).max(initial=0))
