"""The card of an exercise: what to write, and hints and solution for whoever asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.kit.widget import TEXT_COLOURS, Description, Widget
from widgets.lesson import progress
from widgets.lesson.hints import count_hint, hint_text, solution_text
from widgets.lesson.lesson_text import blocks, inline
from widgets.lesson.question_still import Line, drawn
from widgets.lesson.sheet import Sheet
from widgets.lesson.specification import Exercise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OPEN_NOTEBOOK = (
    "To solve it, open this chapter's notebook on your own machine: run `make lab` in the course's"
    " folder. On this page no code of yours is run."
)


class ExerciseCard(Widget):
    """Shows an exercise. Nothing of the solution is in the page before it is asked for twice."""

    still_colours = TEXT_COLOURS

    exercise = param.ClassSelector(class_=Exercise, doc="which one")
    hints_shown = param.Integer(0, bounds=(0, 3), doc="hints that stand on the card")
    solution_asked = param.Integer(0, bounds=(0, 2), doc="0: not, 1: once, 2: the solution is shown")

    def __init__(self, exercise: Exercise, **params: Any) -> None:
        super().__init__(exercise=exercise, **params)
        self._sheet = Sheet(self._press, title="Exercise")
        self._refresh()
        progress.current().watch(self._refresh)

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(self._sheet, sizing_mode="stretch_width", margin=0)

    def __repr__(self) -> str:
        return f"{self.exercise.title}\n{self._meta()}\n\n{self.exercise.signature}\n\n{self.exercise.text}"

    def next_hint(self) -> None:
        """Show one more hint."""
        if self.hints_shown < len(self.exercise.hints):
            count_hint(self.exercise)
            self.hints_shown += 1
            self._refresh()

    def ask_solution(self) -> None:
        """Ask for the solution; the second time it is shown."""
        self.solution_asked = min(self.solution_asked + 1, 2)
        self._refresh()

    def describe(self) -> Description:
        """Title, purpose and how it stands."""
        return Description(
            f"Exercise: {self.exercise.title}. {self.exercise.purpose}",
            [
                ("Function", self.exercise.signature),
                ("Length", self._meta()),
                ("Hints shown", f"{self.hints_shown} of {len(self.exercise.hints)}"),
            ],
        )

    def still(self) -> Figure:
        """The exercise without hints and solution."""
        found = self.exercise
        return drawn(
            [
                Line("Exercise", muted=True),
                Line(found.title, bold=True),
                Line(self._meta(), muted=True),
                Line(found.purpose),
                Line(""),
                Line(found.signature, bold=True),
                Line(""),
                *(Line(paragraph) for paragraph in found.text.split("\n\n")),
            ]
        )

    def _press(self, name: str) -> None:
        self.next_hint() if name == "hint" else self.ask_solution()

    def _meta(self) -> str:
        found = self.exercise
        return (
            f"About {found.minutes} minutes \u00b7 difficulty {found.difficulty} of 5"
            f" \u00b7 importance {found.importance} of 5"
        )

    def _refresh(self) -> None:
        self._sheet.param.update(head=self._head(), sections=self._sections(), buttons=self._buttons())

    def _head(self) -> str:
        found = self.exercise
        passed = progress.current().read("exercises", found.id).get("passed")
        state = " \u00b7 <span class='state passed'>\u2713 passed</span>" if passed else ""
        how = f"<p class='meta'>{inline(OPEN_NOTEBOOK)}</p>" if progress.served_page() else ""
        return (
            f"<h3>{inline(found.title)}</h3><p class='meta'>{self._meta()}{state}</p>"
            f"<p>{inline(found.purpose)}</p>{blocks(f'```python{chr(10)}{found.signature}{chr(10)}```')}"
            f"{blocks(found.text)}{how}"
        )

    def _sections(self) -> list[str]:
        found = self.exercise
        shown = [blocks(hint_text(found, n + 1)) for n in range(self.hints_shown)]
        return shown + ([blocks(solution_text(found))] if self.solution_asked == 2 else [])

    def _buttons(self) -> list[tuple[str, str, bool]]:
        count = len(self.exercise.hints)
        buttons = []
        if self.hints_shown < count:
            buttons.append(("hint", f"Hint {self.hints_shown + 1} of {count}", True))
        if self.solution_asked < 2:
            label = "Really show the solution" if self.solution_asked else "Show the solution"
            buttons.append(("solution", label, False))
        return buttons
