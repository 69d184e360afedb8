"""Where a server that `pn.serve(..., port=0, threaded=True)` started can be reached."""

from __future__ import annotations

import time

import panel as pn


def address_of(seconds: float = 15) -> str:
    """Address of the newest server of this process, once it listens. Raises RuntimeError when it does not in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ports = [held[0].port for held in pn.state._servers.values() if held[0].port]
        if ports:
            return f"http://localhost:{ports[-1]}"
        time.sleep(0.02)
    raise RuntimeError(f"the server did not start in {seconds:.0f} seconds")
