"""ParameterLedger without a browser: the tensors of a term, and their way down to the exact total."""

from __future__ import annotations

import pytest

from widgets import ParameterLedger, Selection
from widgets.checkpoints.loading import available, load


def number(text: str) -> int:
    return int(text.replace(",", ""))


@pytest.mark.parametrize("name", available())
def test_every_tensor_of_every_term_runs_down_to_pytorchs_own_total(name: str) -> None:
    widget = ParameterLedger(selection=Selection(checkpoint=name))
    seen, running = {}, 0
    for term in [line["key"] for line in widget._terms.lines]:
        widget._terms.chosen = term
        for line in widget._tensors.lines:
            seen[line["key"]] = line["formula"]
            running += number(line["cells"][0])
            assert number(line["cells"][1]) == running
        assert "They agree." in widget._tensors.caption
    parameters = dict(load(name).model.named_parameters())
    assert seen == {key: " × ".join(f"{n:,}" for n in p.shape) for key, p in parameters.items()}
    assert running == sum(p.numel() for p in parameters.values()) == number(widget._terms.foot[1])
    assert f"= {running:,}: the same number" in widget._terms.caption


def test_the_totals_are_those_of_the_reference() -> None:
    assert "22,046,976" in ParameterLedger(selection=Selection()).describe().sentence
    assert "86,567,656" in ParameterLedger(selection=Selection(checkpoint="random-b16")).describe().sentence


def test_a_tensors_own_numbers_are_written() -> None:
    widget = ParameterLedger(selection=Selection(), term="class_token")
    values = load("dinov2-small").model.embeddings.cls_token.flatten()
    assert ", ".join(f"{round(x, 3) + 0.0:.3f}".replace("-", "−") for x in values[:6].tolist()) in widget._words.object
    widget.term = "attention"
    assert widget.tensor.endswith("layers.0.attention.q_proj.weight") and widget.tensor in widget._words.object
    widget._tensors.chosen = "layers.3.attention.k_proj.bias"
    assert "layers.3.attention.k_proj.bias, 384." in widget._words.object


def test_a_model_without_that_term_opens_its_first() -> None:
    selection = Selection(checkpoint="random-b16")
    widget = ParameterLedger(selection=selection, term="head")
    assert "769,000" in widget._tensors.foot[1]
    selection.checkpoint = "dinov2-small"
    assert widget.opened == "patch_embedding" and widget._tensors.title.startswith("Patch embedding")


def test_a_checkpoint_that_is_none_is_answered_and_the_last_stays() -> None:
    selection = Selection(checkpoint="random-b16")
    widget = ParameterLedger(selection=selection)
    selection.checkpoint = "nope"
    assert widget._terms.status == "refused" and "no checkpoint called 'nope'" in widget._terms.message
    assert widget._terms.lines and "86,567,656" in widget._terms.foot[1]
    widget.term = "mlp"
    assert "MLP" in widget._tensors.title
    fresh = ParameterLedger(selection=Selection(checkpoint="nope"))
    assert "no checkpoint" in fresh.describe().sentence and fresh.still() and fresh.__panel__()
