"""A contract: the names transformers gives to the pieces of a ViT. It fails first when a version moves them."""

from __future__ import annotations

import torch

from tests.model.small_models import library_vit
from widgets.model.library import library_stages

LAYER = {
    "layernorm_before",
    "attention.q_proj",
    "attention.k_proj",
    "attention.v_proj",
    "attention.o_proj",
    "layernorm_after",
    "mlp.fc1",
    "mlp.fc2",
}


def test_the_names_of_the_parameters() -> None:
    expected = {"vit.embeddings.cls_token", "vit.embeddings.position_embeddings"}
    pieces = {"vit.embeddings.patch_embeddings.projection", "vit.layernorm", "classifier"}
    pieces |= {f"vit.layers.{n}.{name}" for n in (0, 1) for name in LAYER}
    expected |= {f"{piece}.{kind}" for piece in pieces for kind in ("weight", "bias")}
    assert set(library_vit().state_dict()) == expected


def test_attentions_and_hidden_states_are_handed_out_when_asked_for() -> None:
    model, x = library_vit(), torch.zeros(1, 3, 28, 28)
    out = model(x, output_attentions=True, output_hidden_states=True)
    stages = library_stages(model, x)
    assert len(out.attentions) == 2 and len(out.hidden_states) == 3
    for n in (1, 2):
        assert torch.equal(out.attentions[n - 1], stages[f"layer {n} weights"])
        assert torch.equal(out.hidden_states[n], stages[f"layer {n} z"])
    assert torch.equal(out.hidden_states[0], stages["z0"])
