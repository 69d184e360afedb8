"""readout.py against the library's last hidden states."""

from __future__ import annotations

import numpy as np
import torch

from widgets.checkpoints.loading import load
from widgets.experiments.fault_effects import sample_answers
from widgets.experiments.readout import read_outs, sample_read_outs
from widgets.pictures import open_sample, prepare, sample_names


def test_both_readings_are_the_librarys_tokens_read_in_numpy() -> None:
    found, checkpoint = read_outs("dinov2-small", open_sample("cat")), load("dinov2-small", 224)
    x = torch.from_numpy(checkpoint.preparation.apply(prepare(open_sample("cat"), 14)))[None]
    states = []
    hook = checkpoint.model.layernorm.register_forward_hook(lambda module, inputs, output: states.append(inputs[0][0]))
    with torch.no_grad():
        last = checkpoint.model(pixel_values=x).last_hidden_state[0]
    hook.remove()
    mean = states[0][1:].double().numpy().mean(0)
    norm = checkpoint.model.layernorm
    expected = (mean - mean.mean()) / np.sqrt(
        mean.var() + norm.eps
    ) * norm.weight.detach().numpy() + norm.bias.detach().numpy()
    assert torch.allclose(found.class_token, last[0], atol=1e-3)
    assert np.abs(found.mean.numpy() - expected).max() < 1e-3


def test_the_samples_are_all_there_in_their_order() -> None:
    titles, read = sample_read_outs("dinov2-small")
    assert titles == tuple(open_sample(name).title for name in sample_names())
    assert read.class_token.shape == read.mean.shape == (len(titles), 384)
    here = read_outs("dinov2-small", open_sample(sample_names()[3]))
    assert torch.allclose(read.mean[3], here.mean, atol=1e-4)
    assert sample_answers("dinov2-small")[1] is read.class_token
