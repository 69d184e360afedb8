"""Running a reader's function for a limited time, without hanging whatever called it."""

from __future__ import annotations

import contextvars
import ctypes
import threading
import time
from collections.abc import Callable

STOP_FOR = 1.0  # seconds spent on stopping a function that will not stop
POLL = 0.05


class OutOfTime(BaseException):
    """Raised inside a reader's function when its time is up. No `except Exception` catches it."""


def run_within(seconds: float, work: Callable[[], None]) -> bool:
    """Call `work` in a thread of its own and say whether it ended in time.

    A signal would need the main thread and a child process a function that can be sent to one, so the thread is
    stopped from outside: an exception is raised in it, again and again for a second. Code that never returns to
    Python cannot be stopped at all; it is left behind in a daemon thread, which ends with the process.
    Whatever `work` raises is its own affair: it must keep what it wants known.
    """
    context = contextvars.copy_context()  # what it prints still belongs to the caller's page or cell
    thread = threading.Thread(target=_run, args=(context, work), name="reader's function", daemon=True)
    thread.start()
    try:
        thread.join(seconds)
        in_time = not thread.is_alive()
    finally:  # also when the reader interrupts the kernel
        _stop(thread)
    return in_time


def _run(context: contextvars.Context, work: Callable[[], None]) -> None:
    try:
        context.run(work)
    except OutOfTime:
        pass


def _stop(thread: threading.Thread) -> None:
    deadline = time.monotonic() + STOP_FOR
    while thread.is_alive() and time.monotonic() < deadline:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(OutOfTime))
        thread.join(POLL)
