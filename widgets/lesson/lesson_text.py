"""Words and numbers of the lesson, as HTML and as the lesson prints them."""

from __future__ import annotations

import html

from widgets.kit.prose import html_of


def inline(text: str) -> str:
    """A sentence with `code` between backticks, as HTML."""
    parts = html.escape(text).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))


def blocks(text: str) -> str:
    """Light Markdown with paragraphs and code, as HTML."""
    return html_of(text)


def written(value: float) -> str:
    """A number as the lesson prints it: thousands separated, a true minus sign, at most four digits after a point."""
    if float(value).is_integer() and abs(value) < 1e15:
        text = f"{int(value):,}"
    elif abs(value) >= 1000:
        text = f"{value:,.0f}"
    else:
        text = f"{value:.4g}"
    return text.replace("-", "\u2212")


def how_far(guess: float, answer: float) -> str:
    """How far a guess is from the answer, in a sentence."""
    if guess == answer:
        return "That is it exactly."
    gap = f"{written(abs(_rounded(guess - answer)))} too {'high' if guess > answer else 'low'}"
    if guess * answer <= 0:
        return f"You were {gap}."
    times = max(guess / answer, answer / guess)
    if times >= 2:
        return f"You were {gap}: {times:,.3g} times too {'much' if abs(guess) > abs(answer) else 'little'}."
    share = abs(guess - answer) / abs(answer)
    return f"You were {gap}, which is {share:.0%} of the answer." if share >= 0.01 else f"You were {gap}: very close."


def _rounded(value: float) -> float:
    return float(f"{value:.10g}")  # 0.3 - 0.1 is 0.2 to a reader
