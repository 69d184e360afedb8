"""The answers of chapter 00 are what its stepper shows."""

from __future__ import annotations

import numpy as np

from widgets.forward_stepper import ForwardStepper
from widgets.lesson import predict
from widgets.lesson.predictions.chapter_00 import PATCH
from widgets.page.selection import Selection


def test_the_steps_in_which_tokens_meet_are_those_that_the_bar_marks() -> None:
    bar = ForwardStepper(selection=Selection())._parts["bar"]
    steps = [step for block in bar.blocks for step in block["steps"]]
    marked = sum(isinstance(step, list) for step in steps)
    asked = predict("00-tokens-meet")
    assert asked.answer() == f"in {marked} of the {len(steps)}" and f"takes {len(steps)} steps" in asked.question
    assert asked.answer() in asked.kind.choices and len(set(asked.kind.choices)) == 4


def test_the_share_to_find_is_the_first_number_of_its_row() -> None:
    stepper = ForwardStepper(selection=Selection(step=7, token=1 + PATCH))
    assert stepper.place.step.key == "softmax" and stepper.head == 0
    flow = stepper._parts["flow"]
    line = flow.lines[-1]
    row = np.frombuffer(flow.values, np.float32)[line["start"]:].reshape(line["rows"], line["shown"])[1 + PATCH]
    assert row[0] == row[:-1].max() and abs(predict("00-find-share").answer() - row[0]) < 1e-6


def test_the_width_of_y_is_that_of_the_last_step() -> None:
    stepper = ForwardStepper(selection=Selection(model="checkpoint"))
    stepper.walk.go(10_000)
    assert predict("00-find-y").answer() == stepper.view().rows[0].columns
