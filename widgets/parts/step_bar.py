"""Where one stands on a walk of many steps, and the ways on: buttons, slider, arrow keys, play."""

from __future__ import annotations

from pathlib import Path

import param

from widgets.parts.part import Part


class StepBar(Part):
    """Draws the blocks of a walk, the steps of the block one is in, and what moves from step to step.

    Playing goes on by itself every `pace` seconds. It stops at the end and at any other input, and is not offered to
    readers whose system asks for less motion.
    """

    blocks = param.List(
        [],
        doc=(
            "dicts with the name of a block, a shorter label if it is long, and its steps: names, or [name, mark] with"
            " a mark behind it"
        ),
    )
    step = param.Integer(0, bounds=(0, None), doc="number of the step, over all blocks, from 0")
    done = param.List([], doc="numbers of the steps that were seen through to the next")
    pace = param.Number(2.5, bounds=(0.05, None), doc="seconds a step stays when playing")
    mark_means = param.String("", doc="what a mark behind a step's name says")

    _chosen = "step"
    _esm = Path(__file__).parent / "step_bar.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "step_bar.css"]
