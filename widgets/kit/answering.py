"""What a reader is told when a widget cannot draw: why what they gave cannot be used, or that the course has failed."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from widgets.common.refusal import Refused

if TYPE_CHECKING:
    from widgets.kit.widget import Widget

log = logging.getLogger("widgets.page")

STAYS = "What was shown before stays."
FAILED = (
    "This could not be computed or drawn. The course has failed here, not your picture or your numbers; the rest of"
    " the page goes on."
)


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


def log_failure(error: Exception, where: str) -> None:
    """Log what failed and on which lines, without its message: that may quote the reader's picture or numbers."""
    frames = traceback.extract_tb(error.__traceback__)
    way = " > ".join(f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames[-6:])
    log.error("%s failed with %s at %s", where, type(error).__name__, way)


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
