"""What a class guessed, counted from the progress of its readers."""

from __future__ import annotations

from widgets.lesson import Predict, progress
from widgets.lesson.distribution import entries_of, of_choices, of_numbers


def test_entries_come_from_exported_progress() -> None:
    Predict("How many?", "number", 196, id="n").commit(150)
    readers = [progress.current().everything(), progress.empty(), {"predictions": {"n": "damaged"}}, {}]
    assert [entry["guess"] for entry in entries_of(readers, "n")] == [150]


def test_choices_are_counted_in_order_and_unknown_ones_left_out() -> None:
    found = of_choices(
        [{"guess": "b"}, {"guess": "b"}, {"guess": "gone"}, {"guess": None, "shown": True}], ["a", "b"], "b"
    )
    assert (found.labels, found.counts, found.shown, found.mine, found.guessed) == (("a", "b"), (0, 2), 1, 1, 2)


def test_numbers_fall_into_bars_and_the_largest_belongs_to_the_last() -> None:
    found = of_numbers([{"guess": g} for g in (0, 1, 2, 3, 4, 4)], mine=3, bins=4)
    assert found.counts == (1, 1, 1, 3) and found.mine == 3 and found.labels[0] == "0 to 1"


def test_numbers_over_many_sizes_fall_into_bars_of_equal_factors() -> None:
    found = of_numbers([{"guess": g} for g in (1, 10, 100, 1000, 10000)], bins=4)
    assert found.counts == (1, 1, 1, 2) and found.labels[1] == "10 to 100"


def test_no_guess_one_guess_and_damaged_guesses() -> None:
    assert of_numbers([]).guessed == 0
    assert of_numbers([{"guess": 5}, {"guess": 5}], mine=5).labels == ("5",)
    assert of_numbers([{"guess": "x"}, {"guess": True}, {"guess": float("nan")}, {"guess": 2}]).guessed == 1
    assert of_numbers([{"guess": 1}, {"guess": 2}], mine=99).mine is None
