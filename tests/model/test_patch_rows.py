"""What a row holds and how long the sequence is, against definitions written out here."""

import numpy as np
import pytest

from widgets.model.count import sequence_facts
from widgets.model.patches import number_places, patchify, to_channels_last

RNG = np.random.default_rng(3)
IMAGE = RNG.integers(0, 255, (3, 32, 48), dtype=np.uint8)


@pytest.mark.parametrize("channels_last", [False, True])
def test_places_say_where_each_number_came_from(channels_last: bool) -> None:
    P, n = 16, 4  # patch 4 is row 1, column 1 of a grid of 2 x 3
    rows = patchify(IMAGE, P)
    rows = to_channels_last(rows, P) if channels_last else rows
    for j, (c, u, v) in enumerate(number_places(P, 3, channels_last)):
        assert rows[n, j] == IMAGE[c, 16 + u, 16 + v]


def test_channels_last_index_is_the_formula() -> None:
    P, C = 5, 3
    for j, (c, u, v) in enumerate(number_places(P, C, channels_last=True)):
        assert j == (u * P + v) * C + c


def test_vit_b16_counts() -> None:
    assert sequence_facts((224, 224), 16) == {
        "patches": 196,
        "row_length": 768,
        "tokens": 197,
        "attention_entries": 38_809,
    }
    assert sequence_facts((224, 224), 8)["attention_entries"] == 616_225


def test_rows_of_a_wrong_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(N, C\*256\)"):
        to_channels_last(np.zeros((4, 700)), 16)
