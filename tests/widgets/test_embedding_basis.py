"""EmbeddingBasis without a browser: what it keeps, what it rebuilds, and that the parts carry those numbers."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image

from widgets.checkpoints.loading import load
from widgets.experiments.patch_basis import basis_of
from widgets.kit.selection import Selection
from widgets.model.library import weights_of
from widgets.model.patches import patchify
from widgets.patches.embedding_basis import PREFIX, EmbeddingBasis
from widgets.pictures import open_sample, prepare


@pytest.fixture
def widget() -> EmbeddingBasis:
    return EmbeddingBasis(selection=Selection())


def shown_picture(part, channel_count: int = 3) -> np.ndarray:
    return np.frombuffer(part.rgb, np.uint8).reshape(-1, part.picture_height, part.picture_width, channel_count)


def svd_of(picture: str, P: int = 16) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows, mean, singular values and directions, by NumPy alone."""
    rows = patchify(prepare(open_sample(picture), P), P).astype(float)
    mean = rows.mean(0)
    _, singular, directions = np.linalg.svd(rows - mean, full_matrices=False)
    return rows, mean, singular, directions


@pytest.mark.parametrize("picture", ["cat", "coffee", "photographer"])
def test_the_rebuilt_picture_is_numpys(widget: EmbeddingBasis, picture: str) -> None:
    widget.selection.picture = picture
    widget.k = 9
    rows, mean, singular, directions = svd_of(picture)
    rebuilt = (rows - mean) @ directions[:9].T @ directions[:9] + mean
    shown = shown_picture(widget._parts["rebuilt"])[0].transpose(2, 0, 1)
    assert np.abs(patchify(shown.copy(), 16).astype(float) - rebuilt.clip(0, 255)).max() <= 0.51
    errors = np.sqrt(((rebuilt - rows) ** 2).mean(1))
    for n in (0, 17, len(rows) - 1):
        assert widget._parts["table"].by_token[n] == [str(n), f"{errors[n]:.2f}"]
    kept = (singular[:9] ** 2).sum() / (singular**2).sum()
    assert dict(widget._parts["table"].fixed)["share of the variance kept"] == f"{100 * kept:.1f}%"


def test_the_patterns_are_the_components_and_the_numbers_the_coordinates(widget: EmbeddingBasis) -> None:
    rows, mean, _, directions = svd_of("cat")
    part = widget._parts["patterns"]
    values = np.frombuffer(part.by_token, np.float32).reshape(196, 16)
    assert np.allclose(np.abs(values), np.abs((rows - mean) @ directions[:16].T), atol=1e-2)
    drawn = np.frombuffer(part.patterns, np.uint8).reshape(16, 16, 16, 3).astype(float) - 127.5
    for m in (0, 3, 15):
        pattern = directions[m].reshape(3, 16, 16).transpose(1, 2, 0)
        expected = 127.5 * pattern / np.abs(pattern).max()
        assert min(np.abs(drawn[m] - sign * expected).max() for sign in (1, -1)) <= 0.51
    assert part.lit == 16
    widget.k = 5
    assert part.lit == 5


def test_all_components_are_exact_and_one_fewer_is_not(widget: EmbeddingBasis) -> None:
    widget.keep = "all"
    table = dict(widget._parts["table"].fixed)
    assert table["directions there are"] == "195" and table["error of the whole picture"] == "0 (exact)"
    assert shown_picture(widget._parts["rebuilt"]).tobytes() == shown_picture(widget._parts["grid"]).tobytes()
    assert {error for _, error in widget._parts["table"].by_token} == {"0 (exact)"}
    widget.keep = "all_but_one"
    assert dict(widget._parts["table"].fixed)["error of the whole picture"] != "0 (exact)"
    widget.selection.picture = "coffee"
    assert dict(widget._parts["table"].fixed)["directions there are"] == "293", "14 x 21 patches less one"


def test_random_directions_need_all_of_the_patchs_numbers(widget: EmbeddingBasis) -> None:
    widget.param.update(basis="random", keep="all_but_one")
    table = dict(widget._parts["table"].fixed)
    assert table["directions there are"] == "768" and float(table["error of the whole picture"]) > 0.1
    widget.keep = "all"
    assert dict(widget._parts["table"].fixed)["error of the whole picture"] == "0 (exact)"
    assert "E has full rank" in widget.describe().sentence


@pytest.mark.parametrize(("checkpoint", "P", "D"), [("dinov2-small", 14, 384), ("random-b16", 16, 768)])
def test_what_the_tokens_of_a_model_tell_is_what_least_squares_brings_back(
    widget: EmbeddingBasis, checkpoint: str, P: int, D: int
) -> None:
    widget.selection.checkpoint = checkpoint
    widget.param.update(basis="model", keep="all")
    loaded, pixels = load(checkpoint), prepare(open_sample("cat"), P)
    x = patchify(torch.from_numpy(loaded.preparation.apply(pixels)), P).double().numpy()
    E = weights_of(loaded.model).filters.detach().flatten(1).double().numpy().T  # (P*P*C, D)
    weight = np.repeat(np.array(loaded.preparation.deviation) * 255, P * P)  # prepared numbers back to bytes
    # the patch nearest in bytes among those with the same token: least squares in bytes
    scaled = E / weight[:, None]
    centred = (x - x.mean(0)) * weight
    lost = centred - centred @ scaled @ np.linalg.pinv(scaled)
    error = np.sqrt((lost**2).mean())
    table = dict(widget._parts["table"].fixed)
    assert table["directions there are"] == str(D)
    assert table["error of the whole picture"] == ("0 (exact)" if D == x.shape[1] else f"{error:.2f}")
    assert ("some is lost" in widget.describe().sentence) == (x.shape[1] > D)
    assert loaded.title in widget._parts["rebuilt"].caption


def test_a_place_is_kept_when_a_models_patches_are_of_another_size(widget: EmbeddingBasis) -> None:
    widget.selection.token = PREFIX + 7 * 14 + 10  # its middle is at (120, 168) px
    widget.basis = "model"
    assert widget.selection.token == PREFIX + 8 * 16 + 12  # patches of 14 px


def test_a_checkpoint_that_is_not_here_is_answered(widget: EmbeddingBasis) -> None:
    widget.basis = "model"
    before = widget._parts["rebuilt"].rgb
    widget.selection.checkpoint = "resnet"
    assert widget._parts["grid"].status == "refused" and "no checkpoint called" in widget._parts["grid"].message
    assert widget._parts["rebuilt"].rgb == before
    assert widget.still().get_size_inches().min() > 0
    widget.basis = "components"
    assert widget._parts["grid"].status == "ready" and not widget._parts["grid"].message


def test_a_picture_of_one_colour_loses_nothing(widget: EmbeddingBasis) -> None:
    sent = BytesIO()
    Image.new("RGB", (300, 200), (10, 200, 30)).save(sent, "PNG")
    widget.choice.take(sent.getvalue(), "green.png")
    widget.k = 1
    assert set(map(tuple, shown_picture(widget._parts["rebuilt"]).reshape(-1, 3))) == {(10, 200, 30)}
    assert np.isfinite(np.frombuffer(widget._parts["patterns"].by_token, np.float32)).all()


def test_words_and_plot_give_the_same_numbers(widget: EmbeddingBasis) -> None:
    widget.param.update(k=3)
    widget.selection.token = PREFIX + 17
    words = widget.describe()
    kept = basis_of(open_sample("cat"), "components").curve[2]
    assert f"keep {100 * kept:.1f}% of the variance" in words.sentence and "Patch 17 comes back" in words.sentence
    series = {one.name: one for one in widget._plot.series}
    place = list(series["this picture's components"].x).index(3)
    assert series["this picture's components"].y[place] == pytest.approx(kept)
    assert (
        series["this picture's components"].labels[place]
        == f"this picture's components: 3 numbers keep {100 * kept:.1f}%"
    )
    assert list(series["random directions"].x)[-1] == 768 and series["random directions"].y[-1] == pytest.approx(1)


def test_a_click_reaches_the_selection_and_every_part(widget: EmbeddingBasis) -> None:
    widget._parts["rebuilt"].selected = 18
    assert widget.selection.token == 18 and {part.selected for part in widget._parts.values()} == {18}


@pytest.mark.parametrize("token", [0, 10_000])
def test_any_token_of_an_address_shows_a_patch(token: int) -> None:
    words = EmbeddingBasis(selection=Selection(token=token)).describe()
    assert f"Patch {min(max(token - 1, 0), 195)} comes back" in words.sentence
