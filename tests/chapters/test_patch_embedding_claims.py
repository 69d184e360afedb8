"""What chapter 03 says its reader should have seen in the widget is so, on the cat."""

from __future__ import annotations

import numpy as np
import torch

from widgets.model.patch_basis import basis_of
from widgets.model.pictures import open_sample

CAT = open_sample("cat")
EYES = {(r, c) for r in (5, 6, 7) for c in (5, 6, 7)} | {(r, c) for r in (6, 7) for c in (12, 13, 14)}  # of 16 x 16 patches


def test_the_first_pattern_is_nearly_flat_and_the_next_are_a_slope_across_and_one_down() -> None:
    directions = basis_of(CAT, "components").components.directions[:3]
    flat, across, down = directions.double().reshape(3, 3, 16, 16).mean(1)                # over the colours
    assert float(flat.std() / flat.mean().abs()) < 0.3 and (flat > 0).all() | (flat < 0).all()
    for pattern, axis in ((across, 0), (down, 1)):
        line, steps = pattern.mean(axis), torch.arange(16.0).double()
        assert abs(np.corrcoef(line, steps)[0, 1]) > 0.9, "one end is light, the other dark"
        assert float(line.var() / pattern.var()) > 0.8, "and along the other way next to nothing changes"


def test_what_can_be_had_back() -> None:
    components, chance = basis_of(CAT, "components"), basis_of(CAT, "random")
    assert components.most == len(components.coordinates) - 1 and components.errors(components.most).max() < 1e-9
    assert chance.most == chance.rows.shape[1] and chance.errors(chance.most).max() < 1e-9 < 1 < chance.errors(chance.most - 1).max()


def test_with_a_models_e_the_eyes_suffer_most() -> None:
    learned = basis_of(CAT, "model", "dinov2-small")
    worst = np.argsort(-learned.errors(learned.most))[:4]
    assert {divmod(int(n), learned.grid[1]) for n in worst} <= EYES
