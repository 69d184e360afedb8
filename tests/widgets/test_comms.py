"""A message that comes before its comm is open waits for it, and only on a subshell."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from widgets.page import comms


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    open_comms: dict[str, Any] = {}
    made = SimpleNamespace(comm_manager=SimpleNamespace(comms=open_comms), handled=[])
    made.shell_handlers = {
        "comm_msg": lambda stream, ident, msg: made.handled.append(
            (msg["content"]["comm_id"], msg["content"]["comm_id"] in open_comms)
        )
    }
    monkeypatch.setattr(comms, "_kernel", lambda: made)
    comms.wait_for_comms()
    comms.wait_for_comms()  # a cell that is run again wraps nothing twice
    return made


def message(subshell: str | None) -> dict[str, Any]:
    return {"header": {"subshell_id": subshell}, "content": {"comm_id": "c"}}


def test_an_early_message_waits_for_its_comm(kernel: SimpleNamespace) -> None:
    async def both() -> None:
        asyncio.get_running_loop().call_later(0.15, kernel.comm_manager.comms.update, {"c": object()})
        await kernel.shell_handlers["comm_msg"](None, None, message("s"))

    asyncio.run(both())
    assert kernel.handled == [("c", True)]


def test_on_the_main_shell_nothing_waits(kernel: SimpleNamespace) -> None:
    asyncio.run(kernel.shell_handlers["comm_msg"](None, None, message(None)))
    assert kernel.handled == [("c", False)]


def test_a_comm_that_never_opens_is_given_up(kernel: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comms, "LONGEST_WAIT", 0.1)
    asyncio.run(kernel.shell_handlers["comm_msg"](None, None, message("s")))
    assert kernel.handled == [("c", False)]


def test_outside_a_kernel_there_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comms, "_kernel", lambda: None)
    comms.wait_for_comms()
