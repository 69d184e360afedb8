"""What an exercise is made of. One file in `widgets/lesson/exercises` holds one exercise: data and functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Seen = tuple[str, str]
"""A short name of what was seen of a wrong answer, and a sentence."""

TOLERANCE = 1e-6
"""Largest difference that counts as equal, relative to the largest number expected."""


@dataclass(frozen=True)
class Case:
    """One input. `arguments` makes it afresh for every call, so that no call can spoil the next.

    `tolerance` is relative to the largest number expected; 0 asks for equality.
    """

    name: str
    arguments: Callable[[], tuple[Any, ...]]
    tolerance: float = TOLERANCE


@dataclass(frozen=True)
class Outcome:
    """What the reader's function did with one case; `difference` is None where it did the right thing."""

    case: Case
    expected: Any
    returned: Any = None
    error: BaseException | None = None
    changed: str = ""
    difference: str | None = None

    @property
    def right(self) -> bool:
        """Right answer, no exception, inputs left alone."""
        return self.error is None and self.difference is None and not self.changed


@dataclass(frozen=True)
class Misconception:
    """One mistake people really make. `sentence` speaks to the reader and says what is right.

    It is recognised when `Exercise.faulty` with this name gives the very answer that came; where no wrong
    answer can be written down, `sign` looks at the first failure and at all outcomes instead. One that is
    `alone` is not looked for together with another: there are hundreds of those, and their pairs would take minutes.
    """

    name: str
    sentence: str
    sign: Callable[[Outcome, list[Outcome]], bool] | None = None
    alone: bool = False


@dataclass(frozen=True)
class Exercise:
    """An exercise. Its id is the name of the function to write; the contract of that function is in `text`.

    `expected(*arguments)` is the right answer, from `widgets.model`. `faulty(*arguments, faults=frozenset)`
    is the answer of somebody with those misconceptions; an impossible combination may raise.
    `solution` is source that the tests run; `commentary` says why it is right.
    """

    id: str
    title: str
    minutes: int
    difficulty: int  # 1 to 5
    importance: int  # 1 to 5
    purpose: str
    signature: str
    text: str
    hints: tuple[str, str, str]
    solution: str
    commentary: str
    cases: tuple[Case, ...]
    expected: Callable[..., Any]
    faulty: Callable[..., Any]
    misconceptions: tuple[Misconception, ...]
    returns: tuple[str, ...] = ()  # names of the parts, where several come back
    any_integer: bool = False  # its whole numbers are too small to overflow: NumPy's and torch's count as well
    explain: Callable[[list[Outcome], bool], tuple[tuple[str, ...], str] | None] | None = None
    """Short names and a sentence for answers that no single misconception gives in every case, else None.

    Called with True once nothing else was recognised: then with what is certain of the answers, if not why."""

    @property
    def answer_is_secret(self) -> bool:
        """Whether showing what is expected of one case would be showing the whole solution."""
        return len(self.cases) == 1

    def misconception(self, name: str) -> Misconception:
        """The misconception of that name. Raises KeyError."""
        return {m.name: m for m in self.misconceptions}[name]
