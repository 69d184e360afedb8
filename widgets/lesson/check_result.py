"""What a check says: text in a terminal, a box in a notebook and on a page."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

BOX = (
    "border-left:4px solid {colour};background:var(--vit-surface,rgba(128,128,128,.1));padding:8px 16px;"
    "margin:8px 0;max-width:100%;box-sizing:border-box;line-height:1.5;overflow-wrap:anywhere;"
    "color:var(--vit-ink,inherit)"
)
PASSED, REFUSED, WAITING = (
    f"var(--vit-{name},{colour})" for name, colour in (("value", "#1F9E74"), ("wrong", "#D9435A"), ("muted", "#808790"))
)
MONO = "font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:.93em"


@dataclass(frozen=True)
class Result:
    """Outcome of `check`.

    `misconception` is the sentence that names the mistake, or else describes what came (its short name is then one of
    `diagnosis.DESCRIBED`), None where neither can be said; `faults` are its short names. `checked` is False where the
    course itself failed and nothing is known of the function. `message` is the whole answer as text; `lines` are its
    parts, (name, text)."""

    exercise: str
    passed: bool
    headline: str
    lines: tuple[tuple[str, str], ...] = ()
    misconception: str | None = None
    faults: tuple[str, ...] = ()
    checked: bool = True

    @property
    def message(self) -> str:
        """Headline and lines, as text."""
        return "\n".join([self.headline, *(f"  {name}: {text}" if name else f"  {text}" for name, text in self.lines)])

    def __repr__(self) -> str:
        return self.message

    def __bool__(self) -> bool:
        return self.passed

    def as_html(self) -> str:
        """The box."""
        refused = bool(self.lines) and self.checked
        colour = PASSED if self.passed else REFUSED if refused else WAITING
        mark = "\u2713 " if self.passed else "\u2717 " if refused else ""
        rows = "".join(f"<div style='margin-top:4px'>{_labelled(*line)}</div>" for line in self.lines)
        return (
            f"<div role='status' style=\"{BOX.format(colour=colour)}\">"
            f"<div><strong style='color:{colour}'>{mark}</strong><strong>{_rich(self.headline)}</strong></div>"
            f"{rows}</div>"
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        # An unsolved exercise stays one line of text, so that a committed notebook prints the same line always.
        return {"text/plain": self.message, **({"text/html": self.as_html()} if self.lines else {})}

    def _repr_html_(self) -> str | None:
        return self.as_html() if self.lines else None


def _labelled(name: str, text: str) -> str:
    mono = name in ("Expected", "Came")
    body = f'<span style="{MONO}">{html.escape(text)}</span>' if mono else _rich(text)
    return f"<span style='color:var(--vit-muted,inherit)'>{html.escape(name)}:</span> {body}" if name else body


def _rich(text: str) -> str:
    """Text with `code` between backticks, as HTML."""
    parts = html.escape(text).split("`")
    return "".join(f'<code style="{MONO}">{p}</code>' if i % 2 else p for i, p in enumerate(parts))
