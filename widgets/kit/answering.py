"""What a reader is told when a widget cannot draw: why what they gave cannot be used, or that the course has failed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from widgets.common.failure import FAILED, log_failure
from widgets.common.refusal import Refused

if TYPE_CHECKING:
    from widgets.kit.widget import Widget

STAYS = "What was shown before stays."


def in_words(error: Exception, widget: object) -> tuple[str, str]:
    """The status of a part and the sentence on it: ("refused", why) or, logged, ("failed", that it is our failure)."""
    if isinstance(error, Refused):
        return "refused", whole_sentence(str(error))
    log_failure(error, type(widget).__name__)
    return "failed", FAILED


def whole_sentence(text: str) -> str:
    """A refusal as it stands on a page: a capital in front, and a stop behind unless it ends with a mark."""
    said = text[:1].upper() + text[1:]
    return said if said.endswith((".", "?", "!", "”")) else f"{said}."


def draws(method: Callable[..., None]) -> Callable[..., None]:
    """A widget's method that computes and draws: what stops it is said on `notice_parts()`, and the page goes on."""

    @wraps(method)
    def drawn(self: Widget, *args: Any, **kwargs: Any) -> None:
        self.not_drawn = ""
        try:
            method(self, *args, **kwargs)
        except Exception as error:  # ours too: the widget says so, and the rest of the page stays alive
            status, sentence = in_words(error, self)
            self.notice(status, sentence)
        else:
            self.has_drawn = True

    return drawn


def or_refusal(method: Callable[..., Any], instead: Callable[[str], Any]) -> Callable[..., Any]:
    """A method that answers with `instead(sentence)` where what it is asked for is refused."""

    @wraps(method)
    def answered(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except Refused as refusal:
            return instead(whole_sentence(str(refusal)))

    return answered
