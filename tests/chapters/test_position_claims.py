"""What chapter 04 says its reader should have seen is so, on the cat."""

from __future__ import annotations

from widgets.model.pictures import open_sample, sample_names
from widgets.model.shuffle import ShuffleResult, shuffle_test
from widgets.page.reading import read
from widgets.page.selection import Selection
from widgets.read_out import ReadOut

CAT = open_sample("cat")


def shuffled(order: str, draw: int = 0, checkpoint: str = "dinov2-small") -> ShuffleResult:
    return shuffle_test(checkpoint, CAT, order, draw)


def test_with_positions_y_moves_a_hundred_thousand_times_as_much() -> None:
    result = shuffled("shuffle")
    assert result.without.largest_change < 1e-4 and result.with_positions.largest_change > 1e5 * result.without.largest_change


def test_two_patches_move_y_a_little_each_time_by_another_amount() -> None:
    moved = [shuffled("swap", draw) for draw in range(3)]
    changes = [round(result.with_positions.largest_change, 3) for result in moved]
    assert len(set(changes)) == 3 and 0.01 < min(changes) < max(changes) < 1 < shuffled("shuffle").with_positions.largest_change
    assert max(result.without.largest_change for result in moved) < 1e-4


def test_upside_down_y_is_another_vector() -> None:
    assert shuffled("rows").with_positions.cosine < 0.5


def test_positions_of_the_random_model_move_y_much_less() -> None:
    untrained, trained = (shuffled("shuffle", checkpoint=name).with_positions for name in ("random-b16", "dinov2-small"))
    assert 20 * untrained.largest_change < trained.largest_change and untrained.cosine > 0.99


def test_the_first_layer_adds_a_longer_vector_to_row_0_than_it_holds() -> None:
    trace = read("dinov2-small", CAT).trace
    assert trace.layers[0].msa[0, 0].norm() > trace.z0[0, 0].norm()


def test_for_some_pictures_both_ways_of_reading_find_the_same_one() -> None:
    found = [ReadOut(selection=Selection(picture=name)).neighbours() for name in sample_names()]
    same = [one.nearest(0) == one.nearest(1) for one in found]
    assert any(same) and not all(same)
