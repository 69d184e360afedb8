"""Running a reader's function for a limited time, without hanging whatever called it."""

from __future__ import annotations

import contextvars
import ctypes
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

STOP_FOR = 1.0  # seconds spent on stopping a function that will not stop
POLL = 0.05
IMPORTS_FOR = 120.0  # seconds that imports inside the function may take beside its own time
_IMPORTING = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")


class OutOfTime(BaseException):
    """Raised inside a reader's function when its time is up. No `except Exception` catches it.

    Whoever catches it all the same meets it again `later` lines further on: it is made in the thread that it stops,
    and traces that thread from there. A handler of some lines is left that way, wherever its loop begins again.
    """

    later = 0

    def __init__(self) -> None:
        super().__init__()
        tracer, frame = _again(self.later), sys._getframe(1)
        while frame is not None and frame.f_code is not _run.__code__:
            frame.f_trace, frame = tracer, frame.f_back
        sys.settrace(tracer)


def run_within(seconds: float, work: Callable[[], None]) -> bool:
    """Call `work` in a thread of its own and say whether it ended in time. What it imports is not counted.

    A signal would need the main thread and a child process a function that can be sent to one, so the thread is
    stopped from outside: an exception is raised in it, again and again for a second. Code that never returns to
    Python cannot be stopped at all; it is left behind in a daemon thread, which ends with the process.
    Whatever `work` raises is its own affair: it must keep what it wants known.
    """
    context = contextvars.copy_context()  # what it prints still belongs to the caller's page or cell
    thread = threading.Thread(target=_run, args=(context, work), name="reader's function", daemon=True)
    thread.start()
    try:
        _wait(thread, seconds)
        in_time = not thread.is_alive()
    finally:  # also when the reader interrupts the kernel
        _stop(thread)
    return in_time


def _wait(thread: threading.Thread, seconds: float) -> None:
    """Until the thread has ended, or has run for so long; an import stopped half-way would spoil the kernel."""
    left, for_imports = seconds, IMPORTS_FOR
    while thread.is_alive() and left > 0:
        started = time.monotonic()
        thread.join(min(POLL, left))
        spent = time.monotonic() - started
        if for_imports > 0 and _imports(thread):
            for_imports -= spent
        else:
            left -= spent


def _imports(thread: threading.Thread) -> bool:
    frame = sys._current_frames().get(thread.ident)
    while frame is not None and frame.f_code.co_filename not in _IMPORTING:
        frame = frame.f_back
    return frame is not None


def _run(context: contextvars.Context, work: Callable[[], None]) -> None:
    try:
        context.run(work)
    except OutOfTime:
        pass
    finally:
        sys.settrace(None)


def _stop(thread: threading.Thread) -> None:
    deadline, later = time.monotonic() + STOP_FOR, 0
    while thread.is_alive() and time.monotonic() < deadline:
        _raise_in(thread.ident, type("OutOfTime", (OutOfTime,), {"later": later}))
        thread.join(POLL)
        later += 1


def _raise_in(thread: int | None, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _again(later: int) -> Callable[[FrameType, str, Any], Any]:
    """A trace function that raises OutOfTime at the line after so many lines. Raising ends the tracing."""
    left = [later]

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        if event != "line":
            return trace
        left[0] -= 1
        if left[0] < 0:
            raise OutOfTime
        return trace

    return trace
