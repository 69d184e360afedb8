"""Keeps a widget's first message in a notebook from being lost."""

from __future__ import annotations

import asyncio
import inspect
import sys
import time
from functools import wraps
from typing import Any

LONGEST_WAIT = 600.0
"""Seconds a message waits for its comm: as long as the cells in front of the opening may take."""


def wait_for_comms() -> None:
    """Let a message that comes before its comm is open wait for it; outside a kernel there is nothing to do.

    JupyterLab sends the messages of comms through subshells, which run while a cell still does, but the opening of a
    comm stands behind the cells. A message that comes first would be dropped without an answer, and Panel's front
    end then keeps back whatever the reader does next.
    """
    kernel = _kernel()
    handlers = getattr(kernel, "shell_handlers", {})
    if "comm_msg" not in handlers or hasattr(handlers["comm_msg"], "__wrapped__"):
        return
    handle, comms = handlers["comm_msg"], kernel.comm_manager.comms

    @wraps(handle)
    async def once_open(stream: Any, ident: Any, msg: dict[str, Any]) -> None:
        comm, until = msg["content"]["comm_id"], time.monotonic() + LONGEST_WAIT
        # On the main shell the wait would hold up the very opening it waits for.
        early = comm not in comms and bool(msg["header"].get("subshell_id"))
        while early and comm not in comms and time.monotonic() < until:
            await asyncio.sleep(0.02)
        if early:
            await asyncio.sleep(0.05)  # a comm is listed a moment before it listens
        result = handle(stream, ident, msg)
        if inspect.isawaitable(result):
            await result

    handlers["comm_msg"] = once_open


def _kernel() -> Any:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "kernel", None)
