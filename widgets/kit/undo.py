"""The numbers a reader changes on a sheet, and the way back, one change at a time."""

from __future__ import annotations

from typing import Any

import param

STEPS_KEPT = 500


class Changes:
    """Changes of a widget's parameters that can be taken back.

        self._changes = Changes(self)
        self._changes.make(epsilon=0.1)
        self._changes.undo()

    Values are kept, not copied: give a new array for a changed one.
    """

    def __init__(self, owner: param.Parameterized) -> None:
        self._owner = owner
        self._before: list[dict[str, Any]] = []

    def make(self, **changed: Any) -> None:
        """Set the parameters, and remember what they were."""
        self._before = [*self._before[1 - STEPS_KEPT :], {name: getattr(self._owner, name) for name in changed}]
        self._owner.param.update(**changed)

    def undo(self) -> None:
        """Take the last change back; with none left, nothing happens."""
        if self._before:
            self._owner.param.update(**self._before.pop())

    def forget(self) -> None:
        """What was changed before now stays: an example just opened has no way back."""
        self._before = []
