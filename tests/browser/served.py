"""A server that `pn.serve(..., port=0, threaded=True)` started: where it is, and how a test changes what it shows."""

from __future__ import annotations

import time
from collections.abc import Callable

import panel as pn
from panel.io.state import set_curdoc


def address_of(seconds: float = 15) -> str:
    """Address of the newest server of this process, once it listens. Raises RuntimeError when it does not in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ports = [held[0].port for held in pn.state._servers.values() if held[0].port]
        if ports:
            return f"http://localhost:{ports[-1]}"
        time.sleep(0.02)
    raise RuntimeError(f"the server did not start in {seconds:.0f} seconds")


def in_the_session(act: Callable[[], object]) -> None:
    """Do something in the one session there is as its own callbacks do: in the server's thread, with its lock.

    What a test changes from its own thread can get lost between two messages.
    """
    server = next(iter(pn.state._servers.values()))[0]
    [session] = server.get_sessions()

    def done() -> None:
        with set_curdoc(session.document):
            act()

    server.io_loop.add_callback(session.with_document_locked, done)
