"""sample_sizes.py against NumPy, and what chapter 11 says of pictures at smaller sizes, on several of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from widgets.experiments.other_sizes import answer, enlarged_answer, reference_side
from widgets.experiments.sample_sizes import SmallPicture, recognised, side_of, small_picture
from widgets.pictures import enlarged, open_sample, prepare, sample_names

DINO = "dinov2-small"
NAMES = ("cat", "photographer", "flower", "galaxies", "bricks")


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, int], SmallPicture]:
    return {(name, side): small_picture(DINO, name, side) for name in NAMES for side in (112, 224)}


def test_which_table_stays_closest_depends_on_the_picture_and_the_size(found) -> None:
    best = {place: one.closest for place, one in found.items()}
    assert (
        {best["cat", side] for side in (112, 224)}
        == {best["photographer", side] for side in (112, 224)}
        == {"interpolated"}
    )
    assert {best["flower", side] for side in (112, 224)} == {best["galaxies", 112]} == {best["bricks", 112]} == {"none"}
    assert best["galaxies", 224] == best["bricks", 224] == "interpolated"


def test_of_all_sample_pictures_those_that_need_the_table_least_are_those_for_which_it_does_not_win() -> None:
    """Every picture at 8 and 16 patches along the shorter side, as chapter 11 says; and at 16 patches most y are still
    recognised."""
    pictures = [small_picture(DINO, name, 112, detail=False) for name in sample_names()]
    lost = {one.name: one.table_full for one in pictures if one.closest != "interpolated"}
    assert set(lost) == {"flower", "tower", "bricks", "galaxies"}
    assert min(lost.values()) > max(one.table_full for one in pictures if one.name not in lost)
    assert min(pictures, key=lambda one: one.table_full).name == "cat"
    larger = [small_picture(DINO, name, 224, detail=False) for name in sample_names()]
    assert [one.name for one in larger if one.closest != "interpolated"] == ["flower"]
    assert [one.name for one in larger if one.kept["cut off"] < one.kept["none"]] == ["flower", "galaxies"]
    still = {one.name: one for one in pictures}
    assert min(still["gravel"].table_here.values()) > 0.95 > 0.3 > max(still["cat"].table_here.values())
    few, many = recognised(pictures), recognised(larger)
    assert many["interpolated"] > max(many["cut off"], many["none"]) + 1 and max(few.values()) < 5


def test_wrong_positions_beat_none_for_some_pictures_only(found) -> None:
    better = {name: found[name, 224].kept["cut off"] > found[name, 224].kept["none"] for name in NAMES}
    assert better == {"cat": True, "photographer": True, "flower": False, "galaxies": False, "bricks": True}


def test_the_table_loses_where_the_full_size_answer_hardly_needs_it(found) -> None:
    lost = [one.table_full for (_, side), one in found.items() if side == 112 and one.closest != "interpolated"]
    won = [one.table_full for (_, side), one in found.items() if side == 112 and one.closest == "interpolated"]
    assert max(won) < 0.7 < 0.75 < min(lost) and found["cat", 112].table_full < 0.5


def test_at_one_size_the_tables_give_other_answers_for_every_picture(found) -> None:
    for one in found.values():
        assert max(one.table_here.values()) < 0.97 and set(one.table_here) == {"cut off", "none"}


def test_the_number_of_patches_moves_y_without_any_positions(found) -> None:
    assert found["cat", 224].size > 0.9 and found["photographer", 224].size < 0.6
    for name in ("photographer", "bricks", "flower"):
        assert found[name, 112].size < 0.6 < 0.85 < found[name, 112].detail


def test_lost_detail_is_not_what_moves_the_dahlia(found) -> None:
    for name in NAMES:
        assert found[name, 224].detail > 0.95
    assert found["flower", 224].kept["interpolated"] < 0.7


def test_every_number_is_numpys(found) -> None:
    one, picture = found["cat", 112], open_sample("cat")
    ys = {
        key: answer(DINO, picture, *key).y.double().numpy()
        for key in (("interpolated", 112), ("cut off", 112), ("none", 112), ("interpolated", 518), ("none", 518))
    }
    ys["enlarged"] = enlarged_answer(DINO, picture, 112).double().numpy()

    def cosine(a, b) -> float:
        return pytest.approx(ys[a] @ ys[b] / np.linalg.norm(ys[a]) / np.linalg.norm(ys[b]), abs=1e-5)

    full, bare = ("interpolated", 518), ("none", 518)
    assert one.kept == {way: cosine((way, 112), full) for way in ("interpolated", "cut off", "none")}
    assert one.table_here == {way: cosine((way, 112), ("interpolated", 112)) for way in ("cut off", "none")}
    assert (one.table_full, one.size, one.detail) == (
        cosine(bare, full),
        cosine(("none", 112), bare),
        cosine("enlarged", full),
    )


def test_enlarging_keeps_the_picture_and_gives_no_detail_back() -> None:
    picture = open_sample("coffee")
    small, large = prepare(picture, 14, 112), prepare(picture, 14, 224)
    blown = enlarged(small, large.shape[1:])
    assert blown.shape == large.shape and blown.dtype == np.uint8
    off = np.abs(blown.astype(int) - large).mean()
    assert 0.5 < off < 8 and np.abs(np.diff(blown.astype(int))).sum() < np.abs(np.diff(large.astype(int))).sum()


def test_a_picture_is_recognised_when_its_own_is_nearest(found) -> None:
    one = found["cat", 112]
    a, b = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])
    two = [
        replace(one, full=a, ys={"interpolated": a, "cut off": b, "none": a + 0.1 * b}),
        replace(one, full=b, ys={"interpolated": b, "cut off": b, "none": a}),
    ]
    assert recognised(two) == {"interpolated": 2, "cut off": 1, "none": 1}
    two[0] = replace(two[0], ys=two[0].ys | {"cut off": None})
    assert recognised(two) == {"interpolated": 2, "none": 1}


def test_two_ways_alike_have_no_closest(found) -> None:
    one = replace(found["cat", 112], kept={"interpolated": 1.0, "cut off": 1.0, "none": 0.4})
    assert (
        one.closest is None and replace(one, kept={"interpolated": 0.5, "cut off": None, "none": 0.6}).closest == "none"
    )


def test_a_table_too_short_to_cut_off_gives_no_number() -> None:
    assert side_of("random-b16", 16) == 256 and reference_side("random-b16", open_sample("cat")) == 224
    one = small_picture("random-b16", "cat", 256)
    assert one.kept["cut off"] is None and one.table_here["cut off"] is None and one.kept["none"] > 0.9
