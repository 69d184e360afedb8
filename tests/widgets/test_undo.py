"""Changes of a widget's numbers, taken back one at a time, and how many are kept."""

from __future__ import annotations

import param

from widgets.kit.undo import STEPS_KEPT, Changes


class Sheet(param.Parameterized):
    x, epsilon = param.Integer(0), param.Number(0.1)


def test_each_change_is_taken_back_alone_and_the_first_stays() -> None:
    sheet = Sheet()
    changes = Changes(sheet)
    changes.make(x=1), changes.make(epsilon=0.2), changes.make(x=2, epsilon=0.3)
    seen = [(sheet.x, sheet.epsilon)]
    for _ in range(4):
        changes.undo()
        seen.append((sheet.x, sheet.epsilon))
    assert seen == [(2, 0.3), (1, 0.2), (1, 0.1), (0, 0.1), (0, 0.1)]


def test_what_is_forgotten_has_no_way_back() -> None:
    sheet = Sheet()
    changes = Changes(sheet)
    changes.make(x=1), changes.forget(), changes.undo()
    assert sheet.x == 1


def test_the_oldest_steps_are_let_go() -> None:
    sheet = Sheet()
    changes = Changes(sheet)
    for n in range(1, STEPS_KEPT + 11):
        changes.make(x=n)
    for _ in range(STEPS_KEPT + 10):
        changes.undo()
    assert sheet.x == 10
