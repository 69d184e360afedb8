"""What a part takes of a browser: a choice with its number, and nothing else in its place."""

from __future__ import annotations

from typing import Any

import pytest

from widgets.parts import PictureGrid, StepBar


@pytest.mark.parametrize(
    "sent", [[], [3], [3, 1, 1], "31", None, ["3", 1], [3, None], [-1, 1], [1.5, 1], [True, 1], {}]
)
def test_a_choice_that_is_none_chooses_nothing(sent: Any) -> None:
    part = PictureGrid(selected=2)
    part._process_events({"choice": sent})
    assert part.selected == 2 and part._process_param_change({"selected": 5}) == {"choice": [5, 0]}


def test_a_choice_is_heard_with_its_number_by_all_parts_of_the_channel() -> None:
    first, second, stranger = (PictureGrid(channel=name) for name in ("a", "a", "b"))
    first._process_events({"choice": [3, 7]})
    assert first.selected == 3
    assert second._process_param_change({"selected": 3}) == {"choice": [3, 7]}
    assert stranger._process_param_change({"selected": 3}) == {"choice": [3, 0]}


def test_what_a_step_bar_chooses_is_a_step() -> None:
    bar = StepBar()
    bar._process_events({"choice": [4, 1]})
    assert (bar.step, bar.selected) == (4, 0)
