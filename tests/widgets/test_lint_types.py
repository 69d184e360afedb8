"""The types of clean rooms stay clean, and the number of complaints elsewhere only falls."""

from __future__ import annotations

import pytest

from tests.lint_types import verdict

LINE = "widgets/block/break_it.py:12: error: nothing fits  [misc]"


@pytest.mark.parametrize(
    ("lines", "allowed", "said"),
    [
        ([LINE], {"block": 1}, ""),
        ([], {}, ""),
        ([LINE], {}, "1 complaints, 0 allowed"),
        ([LINE, LINE], {"block": 1}, "Mend what is new"),
        ([LINE], {"block": 2}, "Write 1 into pyproject.toml"),
    ],
)
def test_a_room_may_have_as_many_as_are_written_and_no_fewer(lines: list[str], allowed: dict, said: str) -> None:
    found = "\n".join(verdict(lines, allowed))
    assert said in found and bool(found) == bool(said)
    assert (LINE in found) == ("Mend" in found)
