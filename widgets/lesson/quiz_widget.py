"""A chapter's quiz: one question under another, feedback at once, another try, a score."""

from __future__ import annotations

import os
import random
from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.kit.widget import STILLS, TEXT_COLOURS, Description, Widget
from widgets.lesson import progress
from widgets.lesson.lesson_text import inline
from widgets.lesson.question import Question
from widgets.lesson.question_still import Line, drawn
from widgets.lesson.quiz_data import QuizQuestion, questions
from widgets.lesson.sheet import Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Quiz(Widget):
    """`Quiz("02")` asks the questions of `data/quizzes/02.yml`.

    An answer is judged when it is committed and its explanation shown at once; a wrong one may be tried again.
    The score counts what was right at the first try. The options stand in an order of the reader's own, the same at
    every visit; everywhere but on the page an option is its index in the file. Raises ValueError when the chapter has
    no quiz.
    """

    still_colours = TEXT_COLOURS

    chapter = param.String("", doc="number of the chapter, for example 02")
    tries = param.Dict({}, doc="question id -> indices of the options tried, in order")

    def __init__(self, chapter: str, **params: Any) -> None:
        super().__init__(chapter=chapter, tries={}, **params)
        self.questions = questions(chapter)
        self._seed = _seed()
        self._forms = {q.id: self._form(i, q) for i, q in enumerate(self.questions)}
        self._head = Sheet(self._press, title="Quiz")
        self._show_score()
        self._follow()
        progress.current().watch(self._follow)

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(
            *self._forms.values(), self._head, sizing_mode="stretch_width", margin=0, styles={"gap": "12px"}
        )

    def __repr__(self) -> str:
        return f"Quiz({self.chapter!r})"

    @property
    def score(self) -> int:
        """Questions that were right at the first try."""
        return sum(1 for q in self.questions if self.tries.get(q.id, [None])[0] == q.right)

    @property
    def solved(self) -> int:
        """Questions that are right by now."""
        return sum(1 for q in self.questions if q.right in self.tries.get(q.id, []))

    def answer(self, id: str, option: int) -> bool:
        """Answer one question; says whether it was right. An answered one stays as it is.

        Raises KeyError for an unknown question and ValueError for an option it does not have.
        """
        question = {q.id: q for q in self.questions}[id]
        if option not in range(len(question.options)):
            raise ValueError("Choose one of the answers first.")
        tried = self.tries.get(id, [])
        if question.right not in tried and option not in tried:
            self.tries = {**self.tries, id: [*tried, option]}
            self._keep()
        self._show(question)
        return option == question.right

    def order(self, question: QuizQuestion) -> list[int]:
        """The options of a question from first to last on the page, each as its index in the file."""
        return order_of(question, self._seed)

    def again(self) -> None:
        """Start the quiz over. The best score is kept."""
        self.tries = {}
        progress.current().change("quizzes", self.chapter, lambda entry: entry.update(tries={}, score=0))
        for form in self._forms.values():
            form.param.update(picked=-1, marks=[], locked=False, problem="", feedback="", tone="", commit_label="Check")
        self._show_score()

    def describe(self) -> Description:
        """The score, and the questions with how each stands."""
        rows = [(q.text.replace("`", ""), self._standing(q)) for q in self.questions]
        return Description(f"Quiz of chapter {self.chapter}: {self._score_in_words()}", rows)

    def still(self) -> Figure:
        """The questions. Neither their options nor their answers."""
        lines = [Line(f"{i}.  {q.text}") for i, q in enumerate(self.questions, 1)]
        return drawn([Line(f"Quiz of chapter {self.chapter}", bold=True), *lines])

    def _arrange(self) -> None:
        """Put the options in the reader's order, if that has changed; what is picked and marked goes with its
        option."""
        if (seed := _seed()) == self._seed:
            return
        before = {q.id: [*self.order(q), -1][self._forms[q.id].picked] for q in self.questions}  # options, -1 for none
        self._seed = seed
        for question in self.questions:
            option = before[question.id]
            picked = self.order(question).index(option) if option >= 0 else -1
            self._forms[question.id].param.update(choices=self._choices(question), picked=picked, marks=[])
            if question.id in self.tries:
                self._show(question)

    def _form(self, i: int, question: QuizQuestion) -> Question:
        return Question(
            partial(self._commit, question),
            text=inline(question.text),
            commit_label="Check",
            choices=self._choices(question),
            title=f"Question {i + 1} of {len(self.questions)}",
        )

    def _choices(self, question: QuizQuestion) -> list[str]:
        return [inline(question.options[option].text) for option in self.order(question)]

    def _commit(self, question: QuizQuestion, message: dict[str, Any]) -> None:
        form = self._forms[question.id]
        form.picked = place = message.get("picked", -1)
        order = self.order(question)
        try:
            self.answer(question.id, order[place] if place in range(len(order)) else -1)
        except ValueError as problem:
            form.problem = str(problem)

    def _press(self, name: str) -> None:
        self.again()

    def _show(self, question: QuizQuestion) -> None:
        """Bring one question's form, and the score, to what was tried."""
        form, tried, order = self._forms[question.id], self.tries[question.id], self.order(question)
        right = question.right in tried
        picked = order[form.picked] if form.picked in range(len(order)) else -1
        shown = picked if not right and picked in tried else tried[-1]
        word = "Right." if right else "Not that one." if len(tried) == 1 else "Not that one either."
        form.param.update(
            picked=order.index(shown),
            locked=right,
            problem="",
            tone="right" if right else "wrong",
            feedback=f"<p><strong>{word}</strong> {inline(question.options[shown].why)}</p>",
            marks=["right" if i == question.right and right else "wrong" if i in tried else "" for i in order],
            commit_label="" if right else "Check again",
        )
        self._show_score()

    def _show_score(self) -> None:
        share = self.score / len(self.questions)
        self._head.param.update(
            head=(
                f"<p class='state'>{self._score_in_words()}</p>"
                f"<div class='meter' aria-hidden='true'><span style='width:{share:.0%}'></span></div>"
            ),
            buttons=[("again", "Start the quiz over", False)] if self.tries else [],
        )

    def _score_in_words(self) -> str:
        count = len(self.questions)
        if not self.tries:
            return f"{count} questions, none answered yet."
        later = self.solved - self.score
        more = f", {later} more after another try" if later else ""
        left = count - self.solved
        return f"{self.score} of {count} right at the first try{more}{f'; {left} to go' if left else ''}."

    def _standing(self, question: QuizQuestion) -> str:
        tried = self.tries.get(question.id, [])
        if not tried:
            return "open"
        if question.right not in tried:
            return "not right yet"
        return "right" if len(tried) == 1 else f"right at try {len(tried)}"

    def _keep(self) -> None:
        def alter(entry: dict[str, Any]) -> None:
            entry.update(tries=self.tries, score=self.score, of=len(self.questions), at=progress.now())
            entry["best"] = max(entry.get("best", 0), self.score)

        progress.current().change("quizzes", self.chapter, alter)

    def _follow(self) -> None:
        """Take up answers and the reader's order that are kept, now or when they arrive from the browser."""
        self._arrange()
        if self.tries:
            return
        kept = progress.current().read("quizzes", self.chapter).get("tries", {})
        known = {q.id: q for q in self.questions}
        self.tries = {
            id: tried
            for id, tried in kept.items()
            if id in known and tried and all(i in range(len(known[id].options)) for i in tried)
        }
        for id in self.tries:
            self._show(known[id])


def order_of(question: QuizQuestion, seed: int) -> list[int]:
    """The order of a question's options, as indices, for the reader with this number."""
    options = list(range(len(question.options)))
    random.Random(f"{seed} {question.id}").shuffle(options)
    return options


def _seed() -> int:
    """What orders the options: the reader's own number, and 0 where notebooks are built, the same each time."""
    return 0 if os.environ.get(STILLS) else progress.current().seed()
