"""What a reader looks at in the page's address, so that a view can be sent as a link.

The selection of the page stands there, and on the page of a widget alone what the widget itself is set to. Layers,
heads and steps count from 1 there, as on the screen; a token is a row of z, from 0.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from widgets.common.refusal import Refused
from widgets.kit.selection import Selection
from widgets.kit.widget import Widget

FROM_ONE = ("layer", "head", "step")
OF_PAGES = ("chapter", "widget", "gallery", "theme")
"""Names in an address that say which page, and how it looks."""


class Address(JSComponent):
    """Writes `query` into the address bar without a new entry in the history; an empty value removes its name."""

    query = param.Dict({}, doc="name in the address: value")

    _esm = Path(__file__).parent / "address.js"

    def follow(self, widget: Widget) -> None:
        """Keep the address at what differs from a new widget of this kind."""
        names = linkable_parameters(type(widget))

        def write(*_: Any) -> None:
            usual = {name for name in names if getattr(widget, name) == widget.param[name].default}
            self.query = self.query | {
                name: "" if name in usual else _written(name, getattr(widget, name)) for name in names
            }

        widget.param.watch(write, names)
        write()


def mirror(selection: Selection, without: Collection[str] = ()) -> Address:
    """A component that keeps the address at what differs from a new selection, but for the names `without`."""
    fresh = Selection()
    address = Address(width=0, height=0, margin=0)
    names = [name for name in selection.ADDRESS if name not in without]

    def write(*_: Any) -> None:
        state = selection.state()
        changed = {name: value for name, value in state.items() if value != getattr(fresh, name)}
        if state["picture"] == "yours":  # a reader's own picture stays with the reader
            del changed["picture"]
        address.query = address.query | {
            name: _written(name, changed[name]) if name in changed else "" for name in names
        }

    selection.param.watch(write, names)
    write()
    return address


def read_selection(
    selection: Selection, arguments: Mapping[str, list[bytes]], without: Collection[str] = ()
) -> list[str]:
    """Set the selection from the address. What is not valid there is left as it was, and answered by a sentence."""
    refused = []
    for name in selection.ADDRESS:
        text = "" if name in without else _text(arguments, name)
        if name == "setting" and text:
            refused += _take_setting(selection, text)
        elif text and _known(name, text):
            setattr(selection, name, _number(name, text) if isinstance(selection.param[name], param.Integer) else text)
        elif text:
            refused.append(_refusal(name, text))
    return refused


def linkable_parameters(kind: type[Widget]) -> list[str]:
    """Parameters of a widget that a link can carry: what is chosen from a list, switched, or counted between bounds."""
    known = {
        name: one
        for name, one in kind.param.objects("existing").items()
        if name not in Widget.param and not name.startswith("_")
    }
    return [
        name
        for name, one in known.items()
        if isinstance(one, param.Boolean)
        or (isinstance(one, param.Selector) and not isinstance(one, param.ClassSelector))
        or (isinstance(one, param.Integer) and None not in (one.bounds or (None,)))
    ]


def parse_widget_arguments(
    kind: type[Widget], arguments: Mapping[str, list[bytes]]
) -> tuple[dict[str, Any], list[str]]:
    """What an address asks of a widget of its own, by parameter, and a sentence for each thing that there is not."""
    asked, refused = {}, []
    for name in linkable_parameters(kind):
        if not (text := _text(arguments, name)):
            continue
        found = _read(kind.param[name], text)
        if found:
            asked[name] = found[0]
        else:
            refused.append(_refusal(name, text))
    return asked, refused


def unknown_names(arguments: Mapping[str, list[bytes]], kind: type[Widget] | None = None) -> list[str]:
    """A sentence where an address holds names that mean nothing on this page."""
    known = [*Selection.ADDRESS, *(linkable_parameters(kind) if kind else [])]
    unknown = [name[:40] for name in arguments if name not in (*OF_PAGES, *known) and not name.startswith("bokeh")]
    if not unknown:
        return []
    return [
        f"The address says “{', '.join(unknown)}”, which means nothing on this page. It can say:"
        f" {', '.join(dict.fromkeys(known))}."
    ]


def _text(arguments: Mapping[str, list[bytes]], name: str) -> str:
    return (arguments.get(name) or [b""])[0].decode("utf-8", "replace").strip()


def _read(one: param.Parameter, text: str) -> list[Any]:
    """The value of a parameter that is written so: one, or none."""
    if isinstance(one, param.Integer):
        values = [_number(one.name, text)] if text.isascii() and text.isdigit() and len(text) < 9 else []
        return [value for value in values if one.bounds[0] <= value <= one.bounds[1]]
    return [
        value
        for value in ((False, True) if isinstance(one, param.Boolean) else one.objects)
        if _written(one.name, value) == text
    ]


def _written(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return str(value + 1 if name in FROM_ONE else value)


def _number(name: str, text: str) -> int:
    return int(text) - (name in FROM_ONE)


def _refusal(name: str, text: str) -> str:
    return f"The address asks for {name.replace('_', ' ')} “{text[:40]}”, which there is not; you see the usual one."


def _take_setting(selection: Selection, text: str) -> list[str]:
    """Set the calculators to what the address says, or answer with the reason why not."""
    from widgets.counting.calculator_settings import read

    try:
        read(text)
    except Refused as reason:
        return [
            f"The address asks for the setting “{text[:40]}”, which is not possible: {str(reason).rstrip('.')}. You see"
            " the usual one."
        ]
    selection.setting = text
    return []


def _known(name: str, text: str) -> bool:
    if name == "picture":
        from widgets.pictures import sample_names

        return text in sample_names()
    if name == "checkpoint":
        from widgets.checkpoints.loading import available

        return text in available()
    if name == "model":
        return text in Selection.param.model.objects
    if name == "patch_size":
        from widgets.patches.patch_hover import PATCH_SIZES

        return text in map(str, PATCH_SIZES)
    return text.isascii() and text.isdigit() and len(text) < 7 and _number(name, text) >= 0
