"""A head that starts at zero: the gradient by hand (chapter 10), and that our forward pass can be trained through."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import torch
import torch.nn.functional as F

from tests.model.small_models import library_vit
from widgets.model.library import weights_of
from widgets.model.vit import represent

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text())["zero_head"]


def test_the_gradient_by_hand() -> None:
    z = torch.tensor([REFERENCE["z"]], dtype=torch.float64, requires_grad=True)
    head = torch.zeros(REFERENCE["classes"], 3, dtype=torch.float64, requires_grad=True)
    F.cross_entropy(F.linear(z, head), torch.tensor([REFERENCE["y"]])).backward()
    assert torch.allclose(head.grad.T, torch.tensor(REFERENCE["dW"], dtype=torch.float64))
    assert torch.equal(z.grad, torch.zeros_like(z))


def test_behind_a_zero_head_the_backbone_gets_no_gradient_on_the_first_step() -> None:
    w = weights_of(library_vit())
    filters = w.filters.clone().requires_grad_()
    x, labels = torch.randn(4, 3, 28, 28, generator=torch.Generator().manual_seed(0)), torch.tensor([0, 1, 2, 3])
    for start, silent in ((torch.zeros_like(w.head_weight), True), (w.head_weight.clone(), False)):
        head, filters.grad = start.requires_grad_(), None
        out = represent(replace(w, filters=filters, head_weight=head, head_bias=torch.zeros(10)), x)
        F.cross_entropy(out.logits, labels).backward()
        assert (float(filters.grad.abs().max()) == 0) is silent
        by_hand = (out.logits.softmax(-1) - F.one_hot(labels, 10)).T @ out.y / 4
        assert torch.allclose(head.grad, by_hand, atol=1e-6)
