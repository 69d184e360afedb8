"""ForwardStepper without a browser: what each step holds, says and remembers, on every model at hand."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from widgets.checkpoints.loading import available
from widgets.first_look.forward_stepper import ForwardStepper
from widgets.kit.selection import Selection
from widgets.kit.text_twin import TextTwin
from widgets.parts import RowFlow

LAYER = 9  # steps


@pytest.fixture
def widget() -> ForwardStepper:
    return ForwardStepper(selection=Selection())


def flow_row(widget: ForwardStepper, line: int, token: int) -> np.ndarray:
    """The numbers that the part draws for a token, from the bytes it was sent."""
    part = widget._parts["flow"]
    about = part.lines[line]
    start = about["start"] + (token - about["first"]) * about["shown"]
    return np.frombuffer(part.values, dtype=np.float32)[start : start + about["shown"]]


def test_a_new_visitor_follows_a_patch_in_the_middle_and_an_address_is_kept() -> None:
    assert ForwardStepper(selection=Selection()).selection.token == 1 + 24
    assert ForwardStepper(selection=Selection(step=8)).selection.token == 0
    asked = ForwardStepper(selection=Selection(step=8, token=3))
    assert asked.place.step.key == "mix" and asked.token == 3 and asked.walk.index == 8


def test_the_parts_hold_what_the_trace_holds(widget: ForwardStepper) -> None:
    trace = widget.run.trace
    widget.selection.step = 4 + LAYER + 5  # layer 2, add
    for token in (0, 1, 30, 49):
        assert np.allclose(flow_row(widget, 0, token), trace.layers[0].z[0, token], atol=1e-6)
        assert np.allclose(flow_row(widget, 1, token), trace.layers[1].msa[0, token], atol=1e-6)
        assert np.allclose(flow_row(widget, 2, token), trace.layers[1].z_prime[0, token], atol=1e-6)
    matrix = widget._parts["matrix"]
    assert np.allclose(np.frombuffer(matrix.values, np.float32).reshape(50, 8), trace.layers[1].z_prime[0], atol=1e-6)
    assert widget.selection.layer == 1


def test_the_map_is_the_querys_row_of_the_chosen_head(widget: ForwardStepper) -> None:
    widget.selection.param.update(step=7, head=1)
    grid = widget._parts["grid"]
    maps = np.frombuffer(grid.maps, np.float16).reshape(50, 49)
    assert np.allclose(maps, widget.run.trace.layers[0].weights[0, 1, :, 1:], atol=1e-3)
    widget.selection.step = 9
    assert not grid.maps, "no map outside attention"


def test_every_step_reads_as_a_sentence_and_has_a_still(widget: ForwardStepper) -> None:
    said = set()
    for index in range(len(widget.walk.places)):
        widget.selection.step = index
        words = widget.describe()
        assert words.sentence.endswith(".") and f"Step {index + 1} of 24" in words.sentence and words.table
        assert "A cat" in words.sentence and "hand-set ViT" in words.sentence and "_" not in widget.place.step.does
        said.add(words.sentence)
        assert widget._parts["bar"].step == index
    assert len(said) == 24
    assert widget.still().get_suptitle().startswith("Step 24 of 24")


def test_it_says_what_is_real_hand_set_and_random(widget: ForwardStepper) -> None:
    words = {}
    for index, place in enumerate(widget.walk.places):
        widget.selection.step = index
        words.setdefault(place.step.key, widget._notes.object)
    assert "hand-set: the picture" in words["embed"].replace("&#x27;", "'")
    assert "random, from a fixed seed" in words["mlp"] and "mean nothing" in words["head"]
    assert "no weights take part" in words["softmax"]
    assert "set by hand or random, not trained" in widget._parts["flow"].caption


@pytest.mark.parametrize("name", available())
@pytest.mark.parametrize("picture", ["coffee", "photographer"])
def test_the_same_stepper_runs_every_model_and_any_picture(name: str, picture: str) -> None:
    selection = Selection(picture=picture)
    widget = ForwardStepper(selection=selection)
    selection.param.update(checkpoint=name, model="checkpoint")
    trace, w = widget.run.trace, widget.run.weights
    assert len(widget.walk.places) == 4 + LAYER * len(w.blocks) + 2
    layer = len(w.blocks) - 1
    selection.param.update(step=4 + LAYER * layer + 1, head=99)  # q, k, v of the last layer
    last = w.num_attention_heads - 1
    token = widget.run.tokens - 1
    assert np.allclose(flow_row(widget, 2, token), trace.layers[layer].k[0, last, token, :8], atol=1e-6)
    assert widget._parts["flow"].lines[2]["columns"] == trace.layers[layer].k.shape[-1]
    grid = widget._parts["grid"]
    assert (grid.picture_height // grid.patch_size, grid.picture_width // grid.patch_size) == trace.grid
    selection.step = 10_000
    words = widget.describe().sentence
    assert "This model has no answer head: it ends here" in words if trace.logits is None else "makes a score" in words
    assert selection.step == len(widget.walk.places) - 1, "an address beyond the end is the end"
    if name.startswith("random"):
        assert "never trained" in widget._parts["flow"].caption


def test_a_change_of_model_keeps_the_step_and_the_spot(widget: ForwardStepper) -> None:
    widget.selection.step = 4 + LAYER + 3  # layer 2, softmax
    widget.selection.token = 1 + 24  # the middle of 7 x 7
    widget.selection.model = "checkpoint"
    assert (widget.place.step.key, widget.place.layer) == ("softmax", 1)
    rows, columns = widget.run.trace.grid
    assert divmod(widget.selection.token - 1, columns) == (rows // 2, columns // 2)
    widget.selection.model = "hand-set"
    assert widget.selection.token == 1 + 24 and widget.walk.index == 4 + LAYER + 3


def test_a_layer_chosen_elsewhere_is_followed(widget: ForwardStepper) -> None:
    widget.selection.step = 8
    widget.selection.layer = 1
    assert (widget.place.step.key, widget.place.layer) == ("mix", 1) and widget.selection.step == 8 + LAYER
    widget.selection.layer = 7  # the hand-set ViT has no such layer
    assert widget.place.layer == 1


def test_steps_seen_through_are_marked(widget: ForwardStepper) -> None:
    for step in (1, 2, 9):
        widget._parts["bar"].step = step
    assert widget._parts["bar"].done == [0, 1]


def test_an_address_that_names_another_model_opens_it() -> None:
    assert ForwardStepper(selection=Selection(checkpoint="random-b16", step=3)).selection.model == "checkpoint"


def test_what_cannot_be_shown_is_answered_and_the_last_good_stays(widget: ForwardStepper) -> None:
    widget.selection.step = 5
    widget.selection.param.update(checkpoint="vit-nowhere", model="checkpoint")
    bar = widget._parts["bar"]
    assert bar.status == "refused" and "vit-nowhere" in bar.message and "shown before" in bar.message
    assert widget.run.weights.patch_size == 32 and widget.walk.index == 5
    widget.selection.model = "hand-set"
    assert bar.status == "ready" and not bar.message


def test_after_a_refusal_deep_in_a_large_model_the_small_one_opens_and_the_words_follow(widget: ForwardStepper) -> None:
    twin = next(one for one in widget.__panel__().select() if isinstance(one, TextTwin))
    widget.selection.model = "checkpoint"
    widget.selection.step = 4 + LAYER * 5 + 3  # layer 6, softmax
    widget.selection.checkpoint = "vit-nowhere"
    assert "vit-nowhere" in widget.refusal and "DINOv2" in twin.sentence, (
        "what is shown is the model that was opened last"
    )
    widget.selection.model = "hand-set"  # it has two layers
    assert (widget.place.step.key, widget.place.layer, widget.refusal) == ("softmax", 1, "")
    assert twin.sentence == widget.describe().sentence and "the hand-set ViT" in twin.sentence


def test_a_plain_picture_is_refused_by_the_hand_set_vit_in_a_sentence(widget: ForwardStepper) -> None:
    sent = BytesIO()
    Image.new("RGB", (300, 200), (10, 200, 30)).save(sent, "PNG")
    widget.choice.take(sent.getvalue(), "green.png")
    bar = widget._parts["bar"]
    assert bar.status == "refused" and "too alike" in bar.message and bar.message.count(".") >= 1
    assert widget._parts["grid"].picture_width == 224, "the cat stays"
    assert "A cat through" in widget.describe().sentence


def test_a_grey_upload_that_is_not_square_works(widget: ForwardStepper) -> None:
    rng = np.random.default_rng(0)
    sent = BytesIO()
    Image.fromarray(rng.integers(0, 255, (200, 320), dtype=np.uint8), "L").save(sent, "PNG")
    widget.choice.take(sent.getvalue(), "grey.png")
    assert widget.run.trace.grid == (7, 11) and widget._parts["bar"].status == "ready"
    assert widget.run.tokens == 78 and len(widget._parts["flow"].tokens) == 78


def test_two_steppers_of_one_selection_stay_together() -> None:
    shared = Selection()
    one, two = ForwardStepper(selection=shared), ForwardStepper(selection=shared)
    for step in (12, 13, 21, 5):
        one._parts["bar"].step = step
        assert one.walk.index == two.walk.index == two._parts["bar"].step == shared.step == step
    shared.model = "checkpoint"
    two._parts["bar"].step = 113
    assert one.walk.index == two.walk.index == 113
    shared.model = "hand-set"
    assert one.walk.index == two.walk.index == shared.step == 23
    assert one.place.step.key == two.place.step.key == "head"


def test_the_head_is_offered_where_there_are_heads(widget: ForwardStepper) -> None:
    offered = []
    for index, place in enumerate(widget.walk.places):
        widget.selection.step = index
        if widget._head_select.visible:
            offered.append(place.step.key)
    assert offered == ["qkv", "scores", "softmax", "mix"] * 2


def test_a_row_flow_takes_matrices_only_and_shares_scales_by_name() -> None:
    line = {"symbol": "z", "says": "", "columns": 2, "scale": "z", "kind": "signed"}
    state = RowFlow.flow(
        [
            {**line, "values": np.array([[1.0, -3.0]])},
            {**line, "values": np.array([[0.5, 0.5]])},
            {**line, "scale": "A", "kind": "weight", "top": 0.4, "values": np.array([[0.9, 0.1]])},
        ]
    )
    assert [(one["low"], one["high"]) for one in state["lines"]] == [(-3, 3), (-3, 3), (0, 0.4)]
    assert [one["start"] for one in state["lines"]] == [0, 2, 4] and len(state["values"]) == 6 * 4
    with pytest.raises(ValueError, match="shows rows of a matrix"):
        RowFlow.flow([{**line, "values": np.zeros(3)}])
