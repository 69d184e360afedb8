"""The length of an option tells nothing: in at most a third of a quiz's questions is the right one among the longest."""

from __future__ import annotations

import pytest

from widgets.lesson.quiz_data import questions


@pytest.mark.parametrize("chapter", ["05", "06", "07"])
def test_the_right_option_is_seldom_the_longest(chapter: str) -> None:
    asked = questions(chapter)
    longest = [q.id for q in asked if len(q.options[q.right].text) == max(len(option.text) for option in q.options)]
    assert len(longest) <= len(asked) / 3, longest
