"""Predict, then reveal: the reader commits to a guess before the answer can be seen."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.kit.widget import TEXT_COLOURS, Description, Widget
from widgets.lesson import progress
from widgets.lesson.answer_kinds import guessing
from widgets.lesson.distribution import Distribution
from widgets.lesson.lesson_text import inline
from widgets.lesson.question import Question
from widgets.lesson.question_still import Line, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

log = logging.getLogger("widgets.lesson")
COMMIT, SHOW, AGAIN = "Commit to my guess", "Show me", "Guess again"
CHECK = "Check my number"  # for what is looked up, not guessed
UNTOUCHED = {
    "picked": -1,
    "typed": "",
    "points": [],
    "answer_points": [],
    "marks": [],
    "locked": False,
    "problem": "",
    "offers": [],
    "feedback": "",
    "tone": "",
    "status": "ready",
    "message": "",
    "commit_label": COMMIT,
    "aside_label": SHOW,
}


class Predict(Widget):
    """A question whose answer appears after a guess, with how far off the guess was, and why.

    `kind` is "number", "choice" or "curve"; `answer` is the value (for a choice its text or its index, for a curve
    its heights at `x`) or a callable that computes it, called only once there is a guess. A curve is drawn over the
    places `x`, on an axis from `y[0]` to `y[1]`. `reveals` is what stays folded until then: anything Panel shows, a
    list of such things, or a callable that makes them. `id` keeps the guess in the reader's progress. `look_up` says
    that the answer is to be found in a widget, and names the card and its button so.

    Raises ValueError for a question that makes no sense.
    """

    still_colours = TEXT_COLOURS

    question = param.String("", doc="what to guess; `code` between backticks")
    id = param.String("", doc="name of this prediction, the same for good")
    guess = param.Parameter(None, doc="the committed guess: number, text of a choice, or heights; None before")
    shown = param.Boolean(False, doc="whether the reader asked to see the answer without a guess")
    settled = param.Boolean(False, doc="whether the answer is there to be seen")
    classroom = param.List([], doc="entries of this prediction of a whole class; shown once this one is settled")

    def __init__(
        self,
        question: str,
        kind: str,
        answer: Any,
        choices: Sequence[str] = (),
        unit: str = "",
        why: str = "",
        id: str = "",
        reveals: Any = None,
        x: Sequence[Any] = (),
        y: tuple[float, float] | None = None,
        x_label: str = "",
        y_label: str = "",
        look_up: bool = False,
        **params: Any,
    ) -> None:
        super().__init__(question=question, id=id or slug(question), **params)
        self.kind = guessing(kind, choices, unit, x, y, x_label, y_label)
        self._answer, self._why, self._reveals = answer, why, reveals
        if not callable(answer):
            self.kind.refuse_nonsense(answer)
        self._heading, self._commit_label = ("Find it", CHECK) if look_up else ("Predict", COMMIT)
        self._revealed = pn.Column(visible=False, sizing_mode="stretch_width", margin=0)
        self._form = Question(
            self._commit,
            self._aside,
            text=inline(question),
            title=self._heading,
            commit_label=self._commit_label,
            aside_label=SHOW,
            **self.kind.form(),
        )
        self._follow()
        progress.current().watch(self._follow)

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(self._form, self._revealed, sizing_mode="stretch_width", margin=0)

    def __repr__(self) -> str:  # param's own would print the answer
        return f"Predict({self.question!r})"

    def commit(self, guess: Any) -> None:
        """Take a guess, keep it, and show the answer. Raises ValueError with a sentence when it is none."""
        self.guess = self.kind.read(guess)
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
        self._form.param.update(**UNTOUCHED | {"commit_label": self._commit_label})

    def answer(self) -> Any:
        """The right answer: a number, the text of a choice, or heights."""
        return self.kind.answer(self._answer() if callable(self._answer) else self._answer)

    def describe(self) -> Description:
        """The question, and once it is settled the guess and the answer."""
        choices = getattr(self.kind, "choices", [])
        options = f" Choose: {'; '.join(choices)}." if choices else ""
        rows = [] if self.guess is None else [("Your guess", self.kind.words(self.guess))]
        if self.settled:
            rows.append(("Answer", self.kind.words(self.answer())))
        return Description(f"{self._heading}: {self.question}{options}", rows)

    def still(self) -> Figure:
        """The question and what can be guessed. Never the answer."""
        return drawn([Line(self._heading, muted=True), Line(self.question, bold=True), *self.kind.still()])

    def _commit(self, message: dict[str, Any]) -> None:
        entered = self.kind.from_form(message)
        self._form.param.update(typed=message.get("typed", ""), picked=message.get("picked", -1))
        try:
            self.commit(entered)
        except (TypeError, ValueError) as problem:
            self._form.param.update(problem=str(problem), offers=self.kind.offers(problem))

    def _aside(self) -> None:
        self.again() if self.settled else self.show()

    def _keep(self) -> None:
        kept = {"kind": self.kind.name, "guess": self.guess, "shown": self.shown, "at": progress.now()}
        progress.current().change("predictions", self.id, lambda entry: entry.update(kept))

    def _follow(self) -> None:
        """Take up a guess that is kept, now or when it arrives from the browser."""
        entry = progress.current().read("predictions", self.id)
        if self.settled or self.guess is not None or self.shown or entry.get("kind") != self.kind.name:
            return
        if entry.get("guess") is not None:
            try:
                self.guess = self.kind.read(entry["guess"])
            except (TypeError, ValueError):  # the question has changed since
                return
        elif not entry.get("shown"):
            return
        self.shown = bool(entry.get("shown"))
        self._settle()

    def _settle(self) -> None:
        """Compute the answer and show it; on a served page in a thread, so that other visitors do not wait."""
        self._form.param.update(problem="", offers=[], locked=True, aside_label="", **self.kind.filled(self.guess))
        document = progress.served_page()
        if document is None:
            return self._finish(*self._computed())
        self._form.param.update(status="loading", message="Computing the answer \u2026")
        threading.Thread(
            target=lambda: document.add_next_tick_callback(partial(self._finish, *self._computed())), daemon=True
        ).start()

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
        if self._reveals is not None and not self._revealed.objects:
            shown = self._reveals() if callable(self._reveals) else self._reveals
            self._revealed.objects = list(shown) if isinstance(shown, (list, tuple)) else [shown]
        self._revealed.visible = self._reveals is not None
        self.settled = True

    def _verdict(self, answer: Any) -> dict[str, Any]:
        rows, (said, tone) = [("key", "The answer", answer)], ("", "neutral")
        if self.guess is not None:
            rows.insert(0, ("key round", "Your guess", self.guess))
            said, tone = self.kind.said(self.guess, answer)
        key = "<span class='{}'></span>" if self.kind.name == "curve" else ""
        table = "".join(
            f"<dt>{key.format(look)}{name}</dt><dd>{inline(self.kind.words(value))}</dd>" for look, name, value in rows
        )
        words = "".join(f"<p>{inline(text)}</p>" for text in (said, self._why) if text)
        bars = _bars(self.kind.distribution(self.classroom, self.guess)) if self.classroom else ""
        return {"feedback": f"<dl>{table}</dl>{words}{bars}", "tone": tone, **self.kind.marks(self.guess, answer)}

    @param.depends("classroom", watch=True)
    def _class_arrived(self) -> None:
        if self.settled:
            self._form.param.update(**self._verdict(self.answer()))


def _bars(guesses: Distribution | None) -> str:
    """What the class guessed, as bars with their counts."""
    if guesses is None or not guesses.labels:
        return ""
    most = max(*guesses.counts, 1)
    rows = "".join(
        f"<span>{inline(label)}{' (you)' if i == guesses.mine else ''}</span>"
        f"<span class='bar' aria-hidden='true' style='width:{count / most:.0%}'></span><span>{count}</span>"
        for i, (label, count) in enumerate(zip(guesses.labels, guesses.counts, strict=True))
    )
    return f"<p>The class: {guesses.guessed} guesses.</p><div class='class-bars'>{rows}</div>"


def slug(question: str) -> str:
    """The id of a prediction that was given none."""
    return re.sub(r"\W+", "-", question.lower()).strip("-")[:60]
