"""The kinds of prediction: how a guess is read, judged, written and shown, for a number, a choice and a curve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from widgets.common.typed_number import Kind, NotRead, as_typed, number_typed
from widgets.lesson import distribution
from widgets.lesson.distribution import Distribution
from widgets.lesson.lesson_text import how_far, inline, written
from widgets.lesson.question_still import Line

CLOSE = 0.05  # a number within this share of the answer, a curve within this share of its axis, is called right
LARGEST = 1e18  # a guess beyond this is taken for a slip of the finger
COUNTS = (
    "parameters",
    "numbers",
    "positions",
    "patches",
    "tokens",
    "px",
)  # a guess of these is whole, so 1,000 is no decimal
STEPS = 100  # heights a point of a curve can take


class NumberGuess:
    """A number, typed."""

    name = "number"

    def __init__(self, unit: str) -> None:
        self.unit = unit
        example = "100" if unit in COUNTS else "100 or 0.5"
        self.accepts = Kind("", -LARGEST, LARGEST, unit in COUNTS, (unit,) if unit else (), example)

    def refuse_nonsense(self, answer: Any) -> None:
        """Nothing can be wrong with a number before it is computed."""

    def form(self) -> dict[str, Any]:
        """What the form starts with."""
        return {"kind": "number", "unit": self.unit}

    def from_form(self, message: dict[str, Any]) -> Any:
        """The reader's entry as the form sent it."""
        return message.get("typed", "")

    def read(self, guess: Any) -> float:
        """A guess as it is kept. Raises ValueError with a sentence for the reader."""
        return number_typed(guess, self.accepts) if isinstance(guess, str) else float(guess)

    def offers(self, problem: Exception) -> list[str]:
        """What can be typed in place of a text that was not read, where that is known."""
        near = problem.near if isinstance(problem, NotRead) else ()
        return [as_typed(value, self.accepts.whole) for value in near if abs(value) < LARGEST]

    def answer(self, value: Any) -> float:
        """The right answer as it is compared and written."""
        return value if isinstance(value, int) else float(value)

    def filled(self, guess: float | None) -> dict[str, Any]:
        """The form with a guess in it."""
        return {"typed": "" if guess is None else as_typed(guess, self.accepts.whole)}

    def said(self, guess: float, answer: float) -> tuple[str, str]:
        """How far off, and whether that is right."""
        return how_far(guess, answer), "right" if abs(guess - answer) <= CLOSE * abs(answer) else "neutral"

    def words(self, value: float) -> str:
        """A guess or an answer for the reader."""
        return f"{written(value)} {self.unit}".strip()

    def marks(self, guess: float | None, answer: float) -> dict[str, Any]:
        """What the form shows beside the words."""
        return {}

    def still(self) -> list[Line]:
        """The place for a guess, on paper."""
        return [Line(f"Your guess: ________ {self.unit}", muted=True)]

    def distribution(self, entries: Sequence[dict[str, Any]], guess: float | None) -> Distribution | None:
        """What a class guessed."""
        return distribution.of_numbers(entries, guess)


class ChoiceGuess:
    """One of several texts. An answer may also be given as an index."""

    name = "choice"

    def __init__(self, choices: Sequence[str]) -> None:
        self.choices = list(choices)
        if len(self.choices) < 2:
            raise ValueError(f"a prediction of kind 'choice' needs two choices or more, not {len(self.choices)}")

    def refuse_nonsense(self, answer: Any) -> None:
        """Raise ValueError when the answer is none of the choices."""
        if answer not in self.choices and not (isinstance(answer, int) and answer in range(len(self.choices))):
            raise ValueError(f"the answer {answer!r} is none of the choices")

    def form(self) -> dict[str, Any]:
        return {"kind": "choice", "choices": [inline(choice) for choice in self.choices]}

    def from_form(self, message: dict[str, Any]) -> Any:
        return message.get("picked", -1)

    def read(self, guess: Any) -> str:
        if guess in self.choices:
            return guess
        if isinstance(guess, int) and guess in range(len(self.choices)):
            return self.choices[guess]
        raise ValueError("Choose one of the answers first. A rough guess is enough.")

    def offers(self, problem: Exception) -> list[str]:
        return []

    def answer(self, value: Any) -> str:
        return value if isinstance(value, str) else self.choices[value]

    def filled(self, guess: str | None) -> dict[str, Any]:
        return {"picked": self.choices.index(guess) if guess in self.choices else -1}

    def said(self, guess: str, answer: str) -> tuple[str, str]:
        return ("That is it.", "right") if guess == answer else ("Not that one.", "wrong")

    def words(self, value: str) -> str:
        return value

    def marks(self, guess: str | None, answer: str) -> dict[str, Any]:
        return {"marks": ["right" if c == answer else "wrong" if c == guess else "" for c in self.choices]}

    def still(self) -> list[Line]:
        return [Line(f"\u25cb  {choice}", indent=2) for choice in self.choices]

    def distribution(self, entries: Sequence[dict[str, Any]], guess: str | None) -> Distribution | None:
        return distribution.of_choices(entries, self.choices, guess)


class CurveGuess:
    """A curve, as its heights at given places. `x` are the places, `y` is the range of the axis (low, high)."""

    name = "curve"

    def __init__(self, x: Sequence[Any], y: tuple[float, float], x_label: str, y_label: str) -> None:
        self.x, self.low, self.high = list(x), float(y[0]), float(y[1])
        self.x_label, self.y_label = x_label, y_label
        if len(self.x) < 2 or not self.low < self.high:
            raise ValueError("a prediction of kind 'curve' needs two places in x or more, and y as (low, high)")

    def refuse_nonsense(self, answer: Any) -> None:
        """Raise ValueError when the answer does not have one height a place."""
        if len(answer) != len(self.x):
            raise ValueError(f"the answer has {len(answer)} heights for {len(self.x)} places")

    def form(self) -> dict[str, Any]:
        ticks = [self.low + (self.high - self.low) * i / 4 for i in range(5)]
        return {
            "kind": "curve",
            "axes": {
                "x_texts": [x if isinstance(x, str) else written(x) for x in self.x],
                "x_label": self.x_label,
                "y_label": self.y_label,
                "y_ticks": [[tick, written(tick)] for tick in ticks],
                "low": self.low,
                "high": self.high,
                "step": (self.high - self.low) / STEPS,
                "levels": {"start": ticks[2]},
            },
        }

    def from_form(self, message: dict[str, Any]) -> Any:
        return message.get("points", [])

    def read(self, guess: Any) -> list[float]:
        heights = [float(height) for height in guess]
        if len(heights) != len(self.x) or not all(map(math.isfinite, heights)):
            raise ValueError(f"A guess has one height for each of the {len(self.x)} places.")
        return heights

    def offers(self, problem: Exception) -> list[str]:
        return []

    def answer(self, value: Any) -> list[float]:
        self.refuse_nonsense(value)  # one that is computed when it is asked for is seen here first
        return [float(height) for height in value]

    def filled(self, guess: list[float] | None) -> dict[str, Any]:
        return {"points": guess or []}

    def said(self, guess: list[float], answer: list[float]) -> tuple[str, str]:
        gaps = [g - a for g, a in zip(guess, answer, strict=True)]
        mean = sum(map(abs, gaps)) / len(gaps)
        worst = max(range(len(gaps)), key=lambda i: abs(gaps[i]))
        right = mean <= CLOSE * (self.high - self.low)
        place = self.x[worst] if isinstance(self.x[worst], str) else written(self.x[worst])
        side = "high" if gaps[worst] > 0 else "low"
        return (
            f"On average you were {written(_rounded(mean))} off; furthest at {place}:"
            f" {written(_rounded(abs(gaps[worst])))} too {side}."
        ), "right" if right else "neutral"

    def words(self, value: list[float]) -> str:
        return ", ".join(written(_rounded(height)) for height in value)

    def marks(self, guess: list[float] | None, answer: list[float]) -> dict[str, Any]:
        return {"answer_points": answer}

    def still(self) -> list[Line]:
        places = ", ".join(x if isinstance(x, str) else written(x) for x in self.x)
        return [
            Line(
                f"Draw {self.y_label} from {written(self.low)} to {written(self.high)}, at {self.x_label} {places}.",
                muted=True,
            )
        ]

    def distribution(self, entries: Sequence[dict[str, Any]], guess: list[float] | None) -> Distribution | None:
        return None  # curves of a class lie over one another; they are not counted


Guessing = NumberGuess | ChoiceGuess | CurveGuess


def guessing(
    kind: str,
    choices: Sequence[str],
    unit: str,
    x: Sequence[Any],
    y: tuple[float, float] | None,
    x_label: str,
    y_label: str,
) -> Guessing:
    """The kind of a prediction. Raises ValueError for a kind that does not exist, or that lacks what it needs."""
    if kind == "number":
        if choices:
            raise ValueError("a prediction of kind 'number' takes no choices")
        return NumberGuess(unit)
    if kind == "choice":
        return ChoiceGuess(choices)
    if kind == "curve":
        return CurveGuess(x, y or (0.0, 0.0), x_label, y_label or unit)
    raise ValueError(f"a prediction is of kind 'number', 'choice' or 'curve', not {kind!r}")


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")
