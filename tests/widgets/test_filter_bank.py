"""FilterBank without a browser: the filters are the model's, the map is the library's output, the components
NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from widgets.checkpoints.loading import load
from widgets.kit.selection import Selection
from widgets.model.library import weights_of
from widgets.model.patches import patchify
from widgets.patches.filter_bank import FilterBank, bank_of
from widgets.pictures import open_sample, prepare

SIZES = [("dinov2-small", 14, 384), ("random-b16", 16, 768)]


@pytest.fixture
def widget() -> FilterBank:
    return FilterBank(selection=Selection())


def library_answers(checkpoint: str, picture: str, P: int) -> tuple[np.ndarray, np.ndarray]:
    """The picture's pixels, and every token as the library's own convolution makes it: (N, D)."""
    pixels = prepare(open_sample(picture), P)
    loaded = load(checkpoint, pixels.shape[1:])
    w = weights_of(loaded.model)
    with torch.no_grad():
        maps = torch.nn.functional.conv2d(
            torch.from_numpy(loaded.preparation.apply(pixels))[None], w.filters, w.filter_bias, stride=P
        )
    return pixels, maps[0].flatten(1).T.numpy()


@pytest.mark.parametrize(("checkpoint", "P", "D"), SIZES)
@pytest.mark.parametrize("picture", ["cat", "coffee", "photographer"])
def test_the_map_is_what_the_convolution_gives(
    widget: FilterBank, checkpoint: str, P: int, D: int, picture: str
) -> None:
    widget.selection.param.update(checkpoint=checkpoint, picture=picture)
    widget.filter = 17
    pixels, tokens = library_answers(checkpoint, picture, P)
    answers, part = tokens[:, 17], widget._parts["map"]
    assert np.allclose(np.frombuffer(part.maps, np.float16), answers, atol=2e-3)
    assert part.maps_high == -part.maps_low == pytest.approx(np.abs(answers).max(), abs=1e-4)
    for n in (0, len(answers) - 1):
        assert float(widget._parts["answers"].by_token[n][1].replace("−", "-")) == pytest.approx(answers[n], abs=6e-4)
    ends = np.frombuffer(widget._parts["ends"].patterns, np.uint8).reshape(4, P, P, 3)
    rows = patchify(pixels, P)
    for drawn, n in ((ends[0], answers.argmax()), (ends[2], answers.argmin())):
        assert np.array_equal(drawn.transpose(2, 0, 1).ravel(), rows[n])
    assert f"patch {answers.argmax()}: " in widget._parts["ends"].notes[0]


@pytest.mark.parametrize(("checkpoint", "P", "D"), SIZES)
def test_every_filter_is_on_the_wall_and_the_chosen_one_beside_it(
    widget: FilterBank, checkpoint: str, P: int, D: int
) -> None:
    widget.selection.checkpoint = checkpoint
    filters = weights_of(load(checkpoint).model).filters.detach().numpy()
    wall = np.frombuffer(widget._parts["wall"].patterns, np.uint8).reshape(D, P, P, 3)
    widget._parts["wall"].selected = D - 1
    assert widget.filter == D - 1
    expected = 127.5 + 127.5 * filters[-1] / np.abs(filters[-1]).max()  # (3, P, P)
    assert np.abs(wall[-1].transpose(2, 0, 1) - expected).max() <= 0.51
    one = np.frombuffer(widget._parts["one"].patterns, np.uint8).reshape(4, P, P, 3)
    assert np.array_equal(one[0], wall[-1])
    for channel in range(3):
        assert np.abs(one[1 + channel] - expected[channel][..., None]).max() <= 0.51
    assert dict(widget._parts["facts"].fixed)["its length"] == f"{np.linalg.norm(filters[-1]):.3f}"


def test_another_order_keeps_the_filter_and_moves_the_ring(widget: FilterBank) -> None:
    widget.filter = 40
    lengths = np.linalg.norm(weights_of(load("dinov2-small").model).filters.detach().flatten(1).numpy(), axis=1)
    widget.order = "length"
    wall = widget._parts["wall"]
    assert widget.filter == 40 and wall.names[wall.selected].startswith("filter 40:")
    assert wall.names[0].startswith(f"filter {lengths.argmax()}:")
    wall.selected = 0
    assert widget.filter == lengths.argmax()


def test_one_scale_for_all_draws_weak_filters_grey(widget: FilterBank) -> None:
    weakest = int(bank_of("dinov2-small").lengths.argmin())
    spread = []
    for widget.shared_scale in (False, True):
        wall = np.frombuffer(widget._parts["wall"].patterns, np.uint8).reshape(384, -1)
        spread.append(int(np.ptp(wall[weakest])))
    assert spread[0] > 120 and spread[1] < 12


def test_components_are_eigenvectors_and_a_random_model_is_called_random(widget: FilterBank) -> None:
    bank = bank_of("dinov2-small")
    rows = bank.filters.reshape(384, -1).astype(float)
    values, vectors = np.linalg.eigh(np.cov(rows.T))
    values = values[::-1]
    assert np.allclose(bank.kept, values.cumsum()[:28] / values.sum(), atol=1e-6)
    assert abs(bank.components[0].ravel() @ vectors[:, -1]) == pytest.approx(1, abs=1e-4)
    assert widget._parts["components"].notes[0] == f"{100 * values[0] / values.sum():.1f}%"
    assert "Figure 7, left" in widget._parts["components"].caption and "random, so" not in widget.describe().sentence
    widget.selection.checkpoint = "random-b16"
    assert "These weights are random, so this is noise" in widget.describe().sentence
    assert "whose weights are random" in widget._parts["wall"].caption
    assert np.abs(bank_of("random-b16").component_smooth).max() < 0.1 < bank.component_smooth.min()


def test_fewer_filters_take_the_last_and_an_unknown_checkpoint_is_answered(widget: FilterBank) -> None:
    widget.selection.checkpoint = "random-b16"
    widget.filter = 767
    widget.selection.checkpoint = "dinov2-small"
    assert widget.number(bank_of("dinov2-small")) == 383 and "Filter 383 of 384" in widget.describe().sentence
    before = widget._parts["wall"].patterns
    widget.selection.checkpoint = "resnet"
    assert widget._parts["wall"].status == "refused" and "no checkpoint called" in widget._parts["wall"].message
    assert widget._parts["wall"].patterns == before and "no checkpoint called" in widget.describe().sentence
    assert widget.still().get_size_inches().min() > 0
    widget.selection.checkpoint = "dinov2-small"
    assert widget._parts["wall"].status == "ready"


def test_a_click_on_the_map_reaches_the_selection(widget: FilterBank) -> None:
    widget._parts["map"].selected = 18
    assert widget.selection.token == 18 and widget._parts["answers"].selected == 18
