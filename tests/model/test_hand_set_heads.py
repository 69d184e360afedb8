"""hand_set_heads.py: four heads that compare what their names say, on any picture, by the ordinary attention."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from widgets.model.hand_set_heads import GROUPS, HEADS, HIDDEN_SIZE, NUM_HEADS, PREFIX, hand_heads
from widgets.pictures import PREPARATIONS, open_sample, prepare, sample_names

D_h = HIDDEN_SIZE // NUM_HEADS


def prepared(name: str) -> torch.Tensor:
    return torch.from_numpy(PREPARATIONS["vit-b16"].apply(prepare(open_sample(name), 16)))


@pytest.mark.parametrize("name", sample_names())
def test_every_sample_picture_gives_maps_that_can_be_read(name: str) -> None:
    made = hand_heads(prepared(name), 16)
    N, weights = made.grid[0] * made.grid[1], made.trace.weights[0]
    assert made.z.shape == (1, PREFIX + N, HIDDEN_SIZE) and weights.shape == (NUM_HEADS, PREFIX + N, PREFIX + N)
    assert torch.allclose(weights.sum(-1), torch.ones(()), atol=1e-5)
    largest = weights[:, PREFIX:, PREFIX:].amax(-1).mean(1)  # neither even nor all on one patch
    assert (largest > 3 / N).all() and (largest < 0.6).all()


def test_the_rows_are_numpys_softmax_of_what_each_head_compares() -> None:
    made = hand_heads(prepared("cat"), 16)
    z = made.z[0].double().numpy()
    for number, head in enumerate(HEADS):
        read = z[:, list(head.features)]
        scores = (read * np.array(head.sharpness)) @ read.T / np.sqrt(D_h)
        powers = np.exp(scores - scores.max(1, keepdims=True))
        assert np.allclose(made.trace.weights[0, number], powers / powers.sum(1, keepdims=True), atol=1e-5), head.name


def test_content_is_the_pictures_own_components_and_the_class_token_prefers_nothing() -> None:
    made = hand_heads(prepared("coffee"), 16)
    patches = (
        prepared("coffee").unfold(1, 16, 16).unfold(2, 16, 16).permute(1, 2, 0, 3, 4).reshape(-1, 768).double().numpy()
    )
    u, s, _ = np.linalg.svd(patches - patches.mean(0), full_matrices=False)
    for a, b in GROUPS:
        of_group = u[:, a:b] / np.linalg.norm(u[:, a:b], axis=1, keepdims=True)
        assert np.allclose(np.abs(made.z[0, PREFIX:, a:b].numpy()), np.abs(of_group), atol=1e-3)
    assert torch.allclose(made.trace.weights[0, :, 0], torch.tensor(1 / made.z.shape[1]))


def test_place_looks_nearby_whatever_is_seen_and_detail_whatever_the_place() -> None:
    one, two = hand_heads(prepared("cat"), 16), hand_heads(prepared("astronaut"), 16)
    place, detail = 2, 1
    assert torch.allclose(one.trace.weights[0, place], two.trace.weights[0, place], atol=1e-6)
    assert not torch.allclose(one.trace.weights[0, detail], two.trace.weights[0, detail], atol=0.01)
    for query in (0, 100, 195):
        row = one.trace.weights[0, place, PREFIX + query, PREFIX:]
        r, c = np.divmod(np.arange(196), 14)
        away = np.hypot(r - query // 14, c - query % 14)
        assert int(row.argmax()) == query and np.all(np.diff(row.numpy()[np.argsort(away, kind="stable")]) < 1e-4)
    # a picture moved by one patch: the detail head looks at the same things, one patch further on
    moved = (
        hand_heads(prepared("cat").roll(16, 2), 16).trace.weights[0, detail, PREFIX:, PREFIX:].reshape(14, 14, 14, 14)
    )
    still = one.trace.weights[0, detail, PREFIX:, PREFIX:].reshape(14, 14, 14, 14).roll((1, 1), (1, 3))
    assert torch.allclose(moved, still, atol=1e-3)


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (torch.rand(3, 224, 230), "nearest valid size"),
        (torch.rand(3, 32, 32), "4 patches have no 8 principal components"),
        (torch.ones(3, 224, 224), "too alike"),
    ],
)
def test_pictures_they_cannot_be_set_for(x: torch.Tensor, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        hand_heads(x, 16)
