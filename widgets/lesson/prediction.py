"""Predict, then reveal: the reader commits to a guess before the answer can be seen."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.widget import Description, Widget

from . import progress
from .question import Question
from .question_still import Line, drawn
from .wording import how_far, inline, typed_number, written

if TYPE_CHECKING:
    from matplotlib.figure import Figure

log = logging.getLogger("widgets.lesson")
CLOSE = 0.05  # a guess within this share of the answer is called right
COMMIT, SHOW, AGAIN = "Commit to my guess", "Show me", "Guess again"


class Predict(Widget):
    """A question whose answer appears after a guess, with how far off the guess was, and why.

    `kind` is "number" or "choice"; `answer` is the value (for a choice its text or its index) or a callable that
    computes it, called only once there is a guess. `reveals` is what stays folded until then: anything Panel
    shows, a list of such things, or a callable that makes them. `id` keeps the guess in the reader's progress.
    """

    question = param.String("", doc="what to guess; `code` between backticks")
    kind = param.Selector(default="number", objects=["number", "choice"])
    choices = param.List([], item_type=str, doc="texts to choose from")
    unit = param.String("", doc="unit of a number")
    id = param.String("", doc="name of this prediction, the same for good")
    guess = param.Parameter(None, doc="the committed guess: a number, or the text of a choice; None before")
    shown = param.Boolean(False, doc="whether the reader asked to see the answer without a guess")
    settled = param.Boolean(False, doc="whether the answer is there to be seen")

    def __init__(self, question: str, kind: str, answer: Any, choices: Sequence[str] = (), unit: str = "",
                 why: str = "", id: str = "", reveals: Any = None, **params: Any) -> None:
        super().__init__(question=question, kind=kind, choices=list(choices), unit=unit,
                         id=id or slug(question), **params)
        self._answer, self._why, self._reveals = answer, why, reveals
        self._refuse_nonsense()
        self._revealed = pn.Column(visible=False, sizing_mode="stretch_width", margin=0)
        self._form = Question(
            self._commit, self._aside, kind=kind, text=inline(question), choices=[inline(c) for c in choices],
            unit=unit, title="Predict", commit_label=COMMIT, aside_label=SHOW)
        self._follow()
        progress.current().watch(self._follow)

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(self._form, self._revealed, sizing_mode="stretch_width", margin=0)

    def __repr__(self) -> str:  # param's own would print the answer
        return f"Predict({self.question!r})"

    def commit(self, guess: float | str | int) -> None:
        """Take a guess, keep it, and show the answer. Raises ValueError with a sentence when it is none."""
        self.guess = self._read(guess)
        self._keep()
        self._settle()

    def show(self) -> None:
        """Show the answer to a reader who will not guess."""
        self.shown = True
        self._keep()
        self._settle()

    def again(self) -> None:
        """Forget the guess and fold everything back."""
        progress.current().forget("predictions", self.id)
        self.param.update(guess=None, shown=False, settled=False)
        self._revealed.visible = False
        self._form.param.update(picked=-1, typed="", marks=[], locked=False, problem="", feedback="", tone="",
                                commit_label=COMMIT, aside_label=SHOW)

    def describe(self) -> Description:
        """The question, and once it is settled the guess and the answer."""
        options = f" Choose: {'; '.join(self.choices)}." if self.choices else ""
        rows = [] if self.guess is None else [("Your guess", self._in_words(self.guess))]
        if self.settled:
            rows.append(("Answer", self._in_words(self.answer())))
        return Description(f"Predict: {self.question}{options}", rows)

    def still(self) -> Figure:
        """The question and what can be chosen. Never the answer."""
        options = [Line(f"\u25cb  {choice}", indent=2) for choice in self.choices]
        field = Line(f"Your guess: ________ {self.unit}", muted=True)
        return drawn([Line("Predict", muted=True), Line(self.question, bold=True), *(options or [field])])

    def answer(self) -> float | str:
        """The right answer: a number, or the text of a choice."""
        value = self._answer() if callable(self._answer) else self._answer
        if self.kind == "number":
            return float(value) if not isinstance(value, int) else value
        return value if isinstance(value, str) else self.choices[value]

    def _refuse_nonsense(self) -> None:
        if self.kind == "choice" and len(self.choices) < 2:
            raise ValueError(f"a prediction of kind 'choice' needs two choices or more, not {len(self.choices)}")
        if self.kind == "number" and self.choices:
            raise ValueError("a prediction of kind 'number' takes no choices")
        if not callable(self._answer) and self.kind == "choice":
            value = self.answer() if isinstance(self._answer, str) or self._answer in range(len(self.choices)) else None
            if value not in self.choices:
                raise ValueError(f"the answer {self._answer!r} is none of the choices")

    def _read(self, guess: Any) -> float | str:
        if self.kind == "number":
            return typed_number(guess) if isinstance(guess, str) else float(guess)
        text = guess if isinstance(guess, str) else self.choices[guess] if guess in range(len(self.choices)) else ""
        if text not in self.choices:
            raise ValueError("Choose one of the answers first. A rough guess is enough.")
        return text

    def _commit(self, message: dict[str, Any]) -> None:
        typed, picked = message.get("typed", ""), message.get("picked", -1)
        self._form.param.update(typed=typed, picked=picked)
        try:
            self.commit(typed if self.kind == "number" else picked)
        except ValueError as problem:
            self._form.problem = str(problem)

    def _aside(self) -> None:
        self.again() if self.settled else self.show()

    def _keep(self) -> None:
        kept = {"kind": self.kind, "guess": self.guess, "shown": self.shown, "at": progress.now()}
        progress.current().change("predictions", self.id, lambda entry: entry.update(kept))

    def _follow(self) -> None:
        """Take up a guess that is kept, now or when it arrives from the browser."""
        entry = progress.current().read("predictions", self.id)
        if self.settled or self.guess is not None or self.shown or entry.get("kind") != self.kind:
            return
        if entry.get("guess") is not None:
            try:
                self.guess = self._read(entry["guess"])
            except (TypeError, ValueError):  # the choices have changed since
                return
        elif not entry.get("shown"):
            return
        self.shown = bool(entry.get("shown"))
        self._settle()

    def _settle(self) -> None:
        """Compute the answer and show it; on a served page in a thread, so that other visitors do not wait."""
        self._form.param.update(problem="", locked=True, aside_label="", picked=self._picked(self.guess),
                                typed=self._typed())
        document = progress.served_page()
        if document is None:
            return self._finish(*self._computed())
        self._form.param.update(status="loading", message="Computing the answer \u2026")
        threading.Thread(target=lambda: document.add_next_tick_callback(partial(self._finish, *self._computed())),
                         daemon=True).start()

    def _computed(self) -> tuple[Any, str]:
        try:
            return self.answer(), ""
        except Exception as error:
            log.exception("the answer of prediction %s could not be computed", self.id)
            return None, f"The answer could not be computed here ({error}). Your guess is kept."

    def _finish(self, answer: Any, trouble: str) -> None:
        if trouble:
            self._form.param.update(status="refused", message=trouble, aside_label=AGAIN)
        else:
            self._form.param.update(status="ready", message="", aside_label=AGAIN, **self._verdict(answer))
        self._reveal()
        self.settled = True

    def _verdict(self, answer: float | str) -> dict[str, Any]:
        rows = f"<dt>The answer</dt><dd>{inline(self._in_words(answer))}</dd>"
        if self.guess is not None:
            rows = f"<dt>Your guess</dt><dd>{inline(self._in_words(self.guess))}</dd>{rows}"
        said, tone = self._said(answer)
        words = "".join(f"<p>{inline(text)}</p>" for text in (said, self._why) if text)
        marks = ["right" if c == answer else "wrong" if c == self.guess else "" for c in self.choices]
        return {"feedback": f"<dl>{rows}</dl>{words}", "tone": tone, "marks": marks}

    def _said(self, answer: float | str) -> tuple[str, str]:
        if self.guess is None:
            return "", "neutral"
        if self.kind == "choice":
            right = self.guess == answer
            return ("That is it." if right else "Not that one."), ("right" if right else "wrong")
        close = abs(self.guess - answer) <= CLOSE * abs(answer)
        return how_far(self.guess, answer), "right" if close else "neutral"

    def _reveal(self) -> None:
        if self._reveals is not None and not self._revealed.objects:
            shown = self._reveals() if callable(self._reveals) else self._reveals
            self._revealed.objects = list(shown) if isinstance(shown, (list, tuple)) else [shown]
        self._revealed.visible = self._reveals is not None

    def _in_words(self, value: float | str) -> str:
        return value if isinstance(value, str) else f"{written(value)} {self.unit}".strip()

    def _picked(self, guess: Any) -> int:
        return self.choices.index(guess) if guess in self.choices else -1

    def _typed(self) -> str:
        return written(self.guess) if isinstance(self.guess, (int, float)) else ""


def slug(question: str) -> str:
    """The id of a prediction that was given none."""
    return re.sub(r"\W+", "-", question.lower()).strip("-")[:60]
