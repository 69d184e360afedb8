"""HeadExplorer without a browser: the maps are the library's attention, and the state goes where it should."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
import torch

from widgets.attention.head_explorer import HeadExplorer
from widgets.checkpoints.loading import load
from widgets.kit.selection import Selection
from widgets.parts import HeadMaps
from widgets.pictures import open_sample, prepare


@pytest.fixture
def widget() -> HeadExplorer:
    return HeadExplorer(selection=Selection())


def sent(part: HeadMaps) -> tuple[np.ndarray, np.ndarray]:
    """The weights and the facts that the browser gets."""
    shape = (part.heads, part.tokens)
    return (
        np.frombuffer(part.weights, dtype=np.float16).reshape(*shape, part.tokens).astype(np.float64),
        np.frombuffer(part.facts, dtype=np.float32).reshape(*shape, 5),
    )


def library_attention(name: str, picture: str, layer: int) -> np.ndarray:
    """A of one layer (k, T, T) as the library gives it out."""
    return library_attentions(name, picture)[layer]


@lru_cache(maxsize=2)
def library_attentions(name: str, picture: str) -> list[np.ndarray]:
    """A of every layer, by one forward pass of the library."""
    P = load(name).model.config.patch_size
    pixels = prepare(open_sample(picture), P)
    checkpoint = load(name, pixels.shape[1:])
    x = torch.from_numpy(checkpoint.preparation.apply(pixels))[None]
    with torch.no_grad():
        return [A[0].numpy() for A in checkpoint.model(pixel_values=x, output_attentions=True).attentions]


@pytest.mark.parametrize(
    ("name", "picture", "layer"),
    [
        ("dinov2-small", "cat", 0),
        ("dinov2-small", "coffee", 4),
        ("dinov2-small", "photographer", 11),
        ("random-b16", "rocket", 3),
    ],
)
def test_what_is_sent_is_the_librarys_attention(widget: HeadExplorer, name: str, picture: str, layer: int) -> None:
    widget.selection.param.update(checkpoint=name, picture=picture, layer=layer)
    A, (weights, facts) = library_attention(name, picture, layer), sent(widget._maps)
    assert weights.shape == A.shape and np.abs(weights - A).max() < 6e-4  # float16
    assert np.allclose(facts[..., 0], A[..., 0], atol=1e-5) and np.allclose(
        facts[..., 1], A[..., 1:].sum(-1), atol=1e-5
    )
    assert np.allclose(facts[..., 2], 1, atol=1e-5) and np.allclose(facts[..., 3], A[..., 1:].max(-1), atol=1e-5)
    tops = np.frombuffer(widget._maps.tops, dtype=np.float32)
    assert np.allclose(tops, np.quantile(A[..., 1:], 0.99, axis=(0, 2)), rtol=1e-3, atol=1e-6)
    assert np.mean(facts[..., 4] == A[..., 1:].argmax(-1)) > 0.999
    assert load(name).title in widget._maps.title and load(name).title in widget._maps.caption


def test_eight_bits_would_lose_most_weights_and_float16_does_not(widget: HeadExplorer) -> None:
    lost, kept = [], []
    for layer in range(12):
        widget.selection.layer = layer
        A, (weights, _) = widget.layer().weights, sent(widget._maps)
        lost.append(np.mean(np.round(A * 255) == 0))
        kept.append(np.mean(np.abs(weights - A) <= 1e-3 * A + 1e-7))
    assert 0.5 < np.mean(lost) < 0.8 and min(kept) > 0.999


def test_a_random_model_is_called_random(widget: HeadExplorer) -> None:
    widget.selection.checkpoint = "random-b16"
    assert "Random" in widget._maps.title and "never trained" in widget._maps.caption and widget._maps.heads == 12
    assert "Random" in widget.describe().sentence


def test_a_click_on_a_map_and_on_a_patch_reach_the_selection(widget: HeadExplorer) -> None:
    widget._maps.head = 3
    widget._maps.selected = 18
    assert (widget.selection.head, widget.selection.token) == (3, 18)
    sentence = widget.describe().sentence
    assert "patch 17 (row 1, column 1)" in sentence and "Head 4 gives" in sentence


def test_the_words_hold_the_numbers_of_every_head(widget: HeadExplorer) -> None:
    widget.selection.param.update(token=0, layer=0)
    A, words = library_attention("dinov2-small", "cat", 0), dict(widget.describe().table)
    for h in range(6):
        assert words[f"Head {h + 1}"].startswith(
            f"class token {A[h, 0, 0]:.3f}, patches {A[h, 0, 1:].sum():.3f}, most on patch "
        )
    assert "the class token" in widget.describe().sentence and words["colour scale"] == "one for all heads"
    widget.scale = "own"
    assert "cannot be compared" in dict(widget.describe().table)["colour scale"] and widget._maps.scale == "own"


def test_hand_set_heads_are_named_and_keep_the_place(widget: HeadExplorer) -> None:
    widget.selection.token = 1 + 8 * 16 + 4  # row 8, column 4 of 16: (63, 119) px
    widget.source = "hand"
    assert widget._maps.heads == 4 and "Set by hand, not trained" in widget._maps.caption
    assert [name.split(": ")[1] for name in widget._maps.head_names] == ["colour", "detail", "place", "both"]
    assert widget.selection.token == 1 + 7 * 14 + 3, "the same spot in a grid of 14"
    widget.source = "model"
    assert widget.selection.token == 1 + 8 * 16 + 4, "there and back again"


def test_hand_set_heads_start_on_the_eye_and_head_3_does_not_see_what_lies_there(widget: HeadExplorer) -> None:
    widget.source = "hand"
    assert "The query is patch 75 (row 5, column 5)" in widget.describe().sentence, "the cat's eye, not the class token"
    eye, fur = (widget.layer().weights[2, 1 + n, 1:].reshape(14, 14) for n in (75, 117))  # rows 5 and 8
    assert np.allclose(eye[3:8, 3:8], fur[6:11, 3:8], atol=5e-3) and eye.argmax() == 75 and fur.argmax() == 117
    widget.selection.token = 0
    assert "The query is the class token" in widget.describe().sentence, "and the button still asks for it"
    widget.choice.selection.picture = "coffee"
    widget.source = "model"
    widget.source = "hand"
    assert "(row 5, column" in widget.describe().sentence


@pytest.mark.parametrize("source", ["model", "hand"])
@pytest.mark.parametrize(
    "asked",
    [{"token": 99_999, "layer": 77, "head": 55}, {"picture": "photographer"}, {"picture": "coffee", "token": 384}],
)
def test_any_address_shows_a_map(source: str, asked: dict) -> None:
    widget = HeadExplorer(selection=Selection(**asked), source=source)
    weights, _ = sent(widget._maps)
    assert (
        widget._maps.status == "ready"
        and widget._maps.selected < widget._maps.tokens
        and widget._maps.head < widget._maps.heads
    )
    assert np.allclose(weights.sum(-1), 1, atol=2e-3) and widget.describe().sentence.endswith(".")


def test_a_checkpoint_that_is_not_here_is_answered_and_the_maps_stay(widget: HeadExplorer) -> None:
    before = widget._maps.weights
    widget.selection.checkpoint = "resnet"
    assert (
        widget._maps.status == "refused"
        and "no checkpoint called" in widget._maps.message
        and "stay" in widget._maps.message
    )
    assert widget._maps.weights == before
    assert "no checkpoint" in widget.describe().sentence and widget.still().get_size_inches().min() > 0
    widget.selection.checkpoint = "dinov2-small"
    assert widget._maps.status == "ready"


def test_a_picture_of_one_colour_has_no_hand_set_heads(widget: HeadExplorer) -> None:
    from io import BytesIO

    from PIL import Image

    sent_file = BytesIO()
    Image.new("RGB", (300, 200), (10, 200, 30)).save(sent_file, "PNG")
    widget.choice.take(sent_file.getvalue(), "green.png")
    assert widget._maps.status == "ready"
    widget.source = "hand"
    assert widget._maps.status == "refused" and "too alike" in widget._maps.message


def test_the_still_shows_every_head(widget: HeadExplorer) -> None:
    titles = [axes.get_title() for sub in widget.still().subfigs for axes in sub.axes]
    assert [t for t in titles if t.startswith("Head")] == [f"Head {h}" for h in range(1, 7)]
    assert any("the class token" in t for t in titles)
