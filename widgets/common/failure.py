"""What went wrong in the course itself: said as our failure, and logged without what a reader gave us."""

from __future__ import annotations

import logging
import traceback

log = logging.getLogger("widgets.page")

FAILED = (
    "This could not be computed or drawn. The course has failed here, not your picture or your numbers; the rest of"
    " the page goes on."
)


def log_failure(error: Exception, where: str) -> None:
    """Log what failed and on which lines, without its message: that may quote the reader's picture or numbers."""
    frames = traceback.extract_tb(error.__traceback__)
    way = " > ".join(f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames[-6:])
    log.error("%s failed with %s at %s", where, type(error).__name__, way)
