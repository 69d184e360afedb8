"""The answers of chapter 00 are what its stepper shows."""

from __future__ import annotations

import numpy as np

from widgets.first_look.forward_stepper import ForwardStepper
from widgets.kit.selection import Selection
from widgets.lesson import predict
from widgets.lesson.predictions.chapter_00 import PATCH
from widgets.model.step_rows import hand_set_pass
from widgets.pictures import open_sample


def test_the_steps_in_which_tokens_meet_are_those_that_the_bar_marks() -> None:
    bar = ForwardStepper(selection=Selection())._parts["bar"]
    steps = [step for block in bar.blocks for step in block["steps"]]
    marked = sum(isinstance(step, list) for step in steps)
    asked = predict("00-tokens-meet")
    assert asked.answer() == f"in {marked} of the {len(steps)}" and f"takes {len(steps)} steps" in asked.question
    assert asked.answer() in asked.kind.choices and len(set(asked.kind.choices)) == 4


def test_the_share_to_find_is_the_second_box_of_its_row_and_no_box_of_layer_1() -> None:
    stepper = ForwardStepper(selection=Selection(step=7 + 9, token=1 + PATCH))
    assert (stepper.place.step.key, stepper.place.layer) == ("softmax", 1) and stepper.scene.head == 0
    flow = stepper._parts["flow"]
    line = flow.lines[-1]
    row = np.frombuffer(flow.values, np.float32)[line["start"] :].reshape(line["rows"], line["shown"])[1 + PATCH]
    found = predict("00-find-share")
    own, other = stepper.run.trace.layers[1].weights[0, 0, 1 + PATCH, 1 + PATCH], found.answer()
    assert list(row[:-1]) == sorted(row[:-1], reverse=True) and abs(row[0] - own) < 1e-6 and abs(row[1] - other) < 1e-6
    layer_1 = stepper.run.trace.layers[0].weights[0, 0, 1 + PATCH]
    tempting = [float(own), *sorted(layer_1.tolist(), reverse=True)[:2], *(round(x, 2) for x in (float(own), 0.5))]
    assert all(found.kind.said(wrong, other)[1] != "right" for wrong in tempting)
    assert found.kind.said(round(other, 2), other)[1] == "right", "two decimals are enough"


def test_the_share_of_the_quizs_answer_is_another_with_another_picture() -> None:
    shares = [hand_set_pass(open_sample(name)).trace.logits[0].softmax(-1)[2] for name in ("cat", "rocket")]
    assert abs(float(shares[0] - shares[1])) > 0.05


def test_the_width_of_a_key_is_that_of_the_line_k() -> None:
    stepper = ForwardStepper(selection=Selection(model="checkpoint", step=5))
    rows = stepper.scene.view.rows[2]
    assert rows.symbol == "k" and predict("00-find-key").answer() == rows.columns


def test_what_is_looked_up_is_not_called_a_guess() -> None:
    for id in ("00-find-share", "00-find-key"):
        card = predict(id)
        card.commit(1)
        card.again()
        assert card.describe().sentence.startswith("Find it: ") and card._form.commit_label == "Check my number"
    assert predict("00-tokens-meet")._form.commit_label == "Commit to my guess"


def test_what_the_chapter_says_one_should_have_seen() -> None:
    """The shares that the list under the stepper speaks of, at the places it names."""
    t = ForwardStepper(selection=Selection()).run.trace
    one, prefix = t.layers[0], t.prefix
    A = one.weights[0, 0, prefix + 24].numpy()
    order = np.argsort(-A)[:4] - prefix
    assert 0.45 < A[prefix + 24] < 0.55 and list(order) == [24, 2, 39, 47] and np.sort(A)[-5] < 0.03
    other = one.weights[0, 1, prefix + 24].numpy()
    assert other.max() < 0.1 and other[prefix + 24] < 0.05, "the other head spreads its shares"
    assert np.allclose(one.weights[0, :, 0], 1 / len(A), atol=1e-6), "the class token looks at all alike"
    assert not t.z0[0, 0].any() and not one.ln1[0, 0].any() and one.msa[0, 0].abs().max() > 0.05
    later = t.layers[1].weights[0, :, 0]
    assert float(later.max()) > 2 / len(A), "and no longer in layer 2"


def test_the_chapters_table_of_steps_is_that_of_the_stepper() -> None:
    from widgets.lesson import contents
    from widgets.model.steps import STEPS

    text = "\n".join(
        cell.source for cell in contents.read(contents.chapter("00").path).cells if cell.cell_type == "markdown"
    )
    number = {title: number for number, title in contents.TITLES.items()}
    lines = [f"| {step.name} | {'⇄' if step.mixes else ''} | {number[step.chapter]} {step.chapter} |" for step in STEPS]
    assert "\n".join(lines) in text
