"""The reader's selection in the page's address, so that a view can be sent as a link."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from .selection import Selection


class Address(JSComponent):
    """Writes `query` into the address bar without a new entry in the history; an empty value removes its name."""

    query = param.Dict({}, doc="name in the address: value")

    _esm = Path(__file__).parent / "address.js"


def mirror(selection: Selection) -> Address:
    """A component that keeps the address at what differs from a new selection."""
    fresh = Selection()
    address = Address(width=0, height=0, margin=0)

    def write(*_: Any) -> None:
        state = selection.state()
        changed = {name: value for name, value in state.items() if value != getattr(fresh, name)}
        if state["picture"] == "yours":  # a reader's own picture stays with the reader
            del changed["picture"]
        address.query = {name: str(changed.get(name, "")) for name in state}

    selection.param.watch(write, list(selection.ADDRESS))
    write()
    return address


def take(selection: Selection, arguments: Mapping[str, list[bytes]]) -> list[str]:
    """Set the selection from the address. What is not valid there is left as it was, and answered by a sentence."""
    refused = []
    for name in selection.ADDRESS:
        text = (arguments.get(name) or [b""])[0].decode("utf-8", "replace").strip()
        if name == "setting" and text:
            refused += _take_setting(selection, text)
        elif text and _known(name, text):
            value = int(text) if isinstance(selection.param[name], param.Integer) else text
            setattr(selection, name, value)
        elif text:
            refused.append(f"The address asks for {name.replace('_', ' ')} “{text[:40]}”, which there is not; "
                           f"you see the usual one.")
    return refused


def _take_setting(selection: Selection, text: str) -> list[str]:
    """Set the calculators to what the address says, or answer with the reason why not."""
    from ..model.setting import read
    try:
        read(text)
    except ValueError as reason:
        return [f"The address asks for the setting “{text[:40]}”, which is not possible: {str(reason).rstrip('.')}. You see the usual one."]
    selection.setting = text
    return []


def _known(name: str, text: str) -> bool:
    if name == "picture":
        from ..model.pictures import sample_names
        return text in sample_names()
    if name == "checkpoint":
        from ..model.checkpoints import available
        return text in available()
    if name == "model":
        return text in Selection.param.model.objects
    if name == "patch_size":
        from ..patch_hover import PATCH_SIZES
        return text in map(str, PATCH_SIZES)
    return text.isascii() and text.isdigit() and len(text) < 7
