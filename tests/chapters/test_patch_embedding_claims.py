"""What chapter 03 says its reader should have seen in the widget is so, on the cat."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from widgets.checkpoints.loading import load
from widgets.experiments.patch_basis import basis_of
from widgets.lesson import contents
from widgets.model.embedding import embed_by_convolution
from widgets.model.inspection import silence_filters
from widgets.model.library import weights_of
from widgets.model.patches import patchify
from widgets.model.vit import ViTWeights, represent
from widgets.pictures import open_sample, prepare, sample_names

CAT = open_sample("cat")
EYE, FUR = 75, 21  # patches of 16 px, as the chapter names them
EYES = {(r, c) for r in (5, 6, 7) for c in (5, 6, 7)} | {
    (r, c) for r in (6, 7) for c in (12, 13, 14)
}  # of 16 x 16 patches


def test_the_first_pattern_is_nearly_flat_and_the_next_are_a_slope_across_and_one_down() -> None:
    directions = basis_of(CAT, "components").components.directions[:3]
    flat, across, down = directions.double().reshape(3, 3, 16, 16).mean(1)  # over the colours
    assert float(flat.std() / flat.mean().abs()) < 0.3 and (flat > 0).all() | (flat < 0).all()
    for pattern, axis in ((across, 0), (down, 1)):
        line, steps = pattern.mean(axis), torch.arange(16.0).double()
        assert abs(np.corrcoef(line, steps)[0, 1]) > 0.9, "one end is light, the other dark"
        assert float(line.var() / pattern.var()) > 0.8, "and along the other way next to nothing changes"


def test_the_fourth_pattern_is_a_colour() -> None:
    pattern = basis_of(CAT, "components").components.directions[3].double().reshape(3, 16, 16)
    red, green, blue = pattern.mean((1, 2))
    assert red * blue < 0 and min(abs(red), abs(blue)) > 10 * abs(green)
    assert float(pattern.mean((1, 2)).var(unbiased=False) / pattern.var(unbiased=False)) > 0.9, "one colour all over"


def test_with_one_pattern_the_eye_has_the_larger_error_and_with_16_the_fur_has() -> None:
    basis, text = basis_of(CAT, "components"), contents.read(contents.chapter("03").path)
    assert any(f"patch {EYE}, in the eye, and patch {FUR}, fur of the forehead" in cell.source for cell in text.cells)
    assert any(cell.source == "EmbeddingBasis(k=1)" for cell in text.cells), "and its guess is not given away"
    assert basis.errors(1)[EYE] > 1.2 * basis.errors(1)[FUR] and basis.errors(16)[FUR] > 1.2 * basis.errors(16)[EYE]
    eye = patchify(basis.pixels, 16)[EYE].reshape(3, 256).mean(0)
    assert min((eye < 40).mean(), (eye > 40).mean()) > 0.2, "half pupil, half iris"


@pytest.mark.parametrize("name", sample_names())
@torch.no_grad()
def test_the_shortest_filters_count_for_more_than_the_longest(name: str) -> None:
    w, x, long, short = _filters_by_length(name)
    right = represent(w, x).y
    level = embed_by_convolution(x, w.filters, w.filter_bias)[0].mean(0)
    silenced = (silence_filters(w, *how) for how in ((long, None), (short, None), (short, level)))
    answers = (represent(weights, x).y for weights in silenced)
    longest, shortest, at_the_mean = (float(torch.cosine_similarity(y, right)) for y in answers)
    assert longest > shortest, "the chapter says so of every sample picture"
    if name == "cat":
        assert longest > 0.99 and max(shortest, at_the_mean) < 0.97, (
            "what the cell prints, which says that it is the cat"
        )
        assert at_the_mean < shortest, "with the differences alone taken away y moves even further"


def test_the_numbers_of_the_shortest_filters_differ_less_and_meet_longer_columns() -> None:
    w, x, _, short = _filters_by_length("cat")
    spread = embed_by_convolution(x, w.filters, w.filter_bias)[0].std(0)
    assert float(spread[short].mean()) < float(spread.mean()) / 2, "their numbers differ less from patch to patch"
    first = w.blocks[0]
    read = torch.cat([first.attention.q_weight, first.attention.k_weight, first.attention.v_weight]) * first.ln1_weight
    columns = read.norm(dim=0)  # (D,): of the weights, times the norm's gain, that meet each number
    others = torch.ones(len(columns), dtype=torch.bool).index_fill(0, short, False)
    assert float(columns[short].mean()) > 2 * float(columns[others].mean())


def _filters_by_length(name: str) -> tuple[ViTWeights, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The copy used here, the picture's pixels, and its 20 longest and 20 shortest filters."""
    pixels = prepare(open_sample(name), 14)
    checkpoint = load("dinov2-small", pixels.shape[1:])
    w = weights_of(checkpoint.model)
    order = w.filters.flatten(1).norm(dim=1).argsort(descending=True)
    return w, torch.from_numpy(checkpoint.preparation.apply(pixels))[None], order[:20], order[-20:]


def test_what_can_be_had_back() -> None:
    components, chance = basis_of(CAT, "components"), basis_of(CAT, "random")
    assert components.most == len(components.coordinates) - 1 and components.errors(components.most).max() < 1e-9
    assert (
        chance.most == chance.rows.shape[1]
        and chance.errors(chance.most).max() < 1e-9 < 1 < chance.errors(chance.most - 1).max()
    )


def test_with_a_models_e_the_eyes_suffer_most() -> None:
    learned = basis_of(CAT, "model", "dinov2-small")
    worst = np.argsort(-learned.errors(learned.most))[:4]
    assert {divmod(int(n), learned.grid[1]) for n in worst} <= EYES
