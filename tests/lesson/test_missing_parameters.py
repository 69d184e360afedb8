"""The missing 24,576: the exercise's own description, built with PyTorch, has the count it says."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn

from tests.model.small_models import counted
from widgets.lesson import check, exercises
from widgets.lesson.exercises.missing_parameters import expected, faulty
from widgets.model.count import parameters
from widgets.model.shape import FAMILY


def test_the_description_has_the_count_it_says() -> None:
    with torch.device("meta"):
        block = [
            nn.LayerNorm(768),
            nn.Linear(768, 2304, bias=False),
            nn.Linear(768, 768),
            nn.LayerNorm(768),
            nn.Linear(768, 3072),
            nn.Linear(3072, 768),
        ]
        ends = [
            nn.LayerNorm(768),
            nn.Linear(768, 768),
            nn.LayerNorm(768),
            nn.Embedding(197, 768),
            nn.LayerNorm(768),
            nn.Linear(768, 1000),
        ]
        total = 768 + sum(map(counted, ends)) + 12 * sum(map(counted, block))
    assert total == 86_543_080
    assert sum(expected().values()) == total - parameters(FAMILY["B/16"])["total"] == -24_576
    assert expected()["attention"] == -27_648 and expected()["patch_embedding"] == 3_072


@pytest.mark.parametrize(
    "dress", [np.int64, np.int16, np.array, torch.tensor], ids=["int64", "int16", "array", "tensor"]
)
def test_numbers_too_small_to_overflow_may_be_numpys_or_torchs(dress: Callable) -> None:
    numbers = {piece: dress(np.int32(number)) for piece, number in expected().items()}
    assert check("missing_parameters", lambda: numbers).passed


def wrong_answers() -> dict[str, object]:
    right = expected()
    names = [m.name for m in exercises.find("missing_parameters").misconceptions if m.sign is None]
    return {
        "one off": right | {"mlp": 1},
        "as text": {k: "?" for k in right},
        "a list": [0] * 8,
        "nothing": {},
        "floats": {k: v / 1 for k, v in right.items()},
        "zeros": dict.fromkeys(right, 0),
        "a number": 24_576,
        "half of it": {k: right[k] for k in list(right)[:4]},
        "doubled": {k: 2 * v for k, v in right.items()},
        "arrays": {k: np.zeros(2) for k in right},
        "none": dict.fromkeys(right),
        **{name: faulty(frozenset([name])) for name in names},
    }


@pytest.mark.parametrize("name", wrong_answers())
def test_a_wrong_answer_is_not_answered_with_the_right_one(name: str) -> None:
    came = wrong_answers()[name]
    result = check("missing_parameters", lambda: came)
    assert not result.passed and result.lines[0][0] == "Input" and len(result.lines) > 1
    said = " ".join(text for label, text in result.lines if label != "Came" and text != result.misconception)
    said = re.sub(r"they sum to \S+", "", said)  # the reader's own sum
    assert not any(number in said for number in ("27648", "27,648", "3072", "3,072")), result.message
    assert "Expected" not in dict(result.lines)


def test_nor_is_an_exception() -> None:
    message = check("missing_parameters", lambda: 1 / 0).message
    assert "ZeroDivisionError" in message and "27" not in message


def test_what_is_wrong_is_told_by_sum_and_count() -> None:
    right = expected()
    sums = check("missing_parameters", lambda: right | {"mlp": 1, "head": 2}).message
    assert "not right: 2 of its 8 numbers; they sum to \u221224,573 where the right ones sum to \u221224,576" in sums
    moved = check("missing_parameters", lambda: right | {"mlp": 5, "head": -5}).message
    assert "they sum to \u221224,576 as they must" in moved


def test_every_exercise_with_one_case_keeps_its_answer_to_itself() -> None:
    assert [id for id in exercises.names() if exercises.find(id).answer_is_secret] == ["missing_parameters"]
