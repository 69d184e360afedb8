"""What every part shares: its place on a channel, its states, and the modules its script imports."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakSet, WeakValueDictionary

import param
from bokeh.document import Document
from panel.custom import JSComponent

from widgets.parts import theme

HERE = Path(__file__).parent
served_with_modules: WeakSet[Document] = WeakSet()
"""Documents whose page brings the modules of all parts itself: there no part needs to bring them again."""
STATES = ["empty", "loading", "ready", "refused", "failed"]


def is_choice(sent: Any) -> bool:
    """Whether it is what our script sends: which one is chosen, and the number of the choice, both from 0."""
    return isinstance(sent, list) and len(sent) == 2 and all(type(n) is int and n >= 0 for n in sent)


class Line:
    """How many choices the browser had made on a channel when Python last heard of one."""

    _of_channel: ClassVar[WeakValueDictionary[str, Line]] = WeakValueDictionary()

    def __init__(self) -> None:
        self.heard = 0

    @classmethod
    def of(cls, channel: str) -> Line:
        """The one line of this channel; a part without a channel has one of its own."""
        return cls._of_channel.setdefault(channel, cls()) if channel else cls()


class Part(JSComponent):
    """A drawing in the browser. Hovering stays there; a click or a key press sets `selected`, which Python sees.

    Parts with the same `channel` follow one another: what one hovers or selects, all mark.

    What is chosen goes to the browser and back as `choice`, with a number: the browser counts its choices, and Python
    says of each answer which it had heard of, so that a late answer does not undo a later choice.
    """

    channel = param.String("", doc="parts of one Selection share it; parts with an empty one stand alone")
    selected = param.Integer(0, bounds=(0, None), doc="row of z that is selected")
    prefix = param.Integer(0, bounds=(0, None), doc="rows of z before the first patch: class token and registers")
    title = param.String("", doc="what to do or what this is, in a few words")
    caption = param.String("", doc="what it shows, and on which model and picture")
    choice = param.List([0, 0], doc="what is chosen and the number of the choice; the browser's: in Python `selected`")
    status = param.Selector(default="ready", objects=STATES)
    message = param.String("", doc="a sentence for every state but ready: what is missing, wrong, or to do")

    _debounce = 0  # Panel holds every change back 50 ms otherwise, and a click is answered late
    _stylesheets = [HERE / "part.css"]
    __abstract = True

    _chosen: ClassVar[str] = "selected"
    """Name of the parameter that goes to the browser and back as `choice`."""

    def __init__(self, **params: Any) -> None:
        params.setdefault("sizing_mode", "stretch_width")
        params.setdefault("margin", 0)
        super().__init__(**params)
        self._line = Line.of(self.channel)

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        found = super()._process_param_change(params)
        found.pop("choice", None)
        if self._chosen in found:
            found["choice"] = [found.pop(self._chosen), self._line.heard]
        return found

    def _process_property_change(self, props: dict[str, Any]) -> dict[str, Any]:
        found = super()._process_property_change(props)
        choice = found.pop("choice", None)
        if is_choice(choice):  # else it comes from a browser that is not ours, and nothing is chosen
            found[self._chosen], self._line.heard = choice
        return found

    _modules: ClassVar[dict[str, Path]] = {f"vit/{name}": HERE / f"{name}.js" for name in ("drawing", "kernel", "part")}
    """What its script imports, beside `vit/theme`, by the name it says."""

    def _get_properties(self, doc: Document | None) -> dict[str, Any]:
        found = super()._get_properties(doc)
        if doc in served_with_modules:
            found["importmap"] = {}
        return found

    @classmethod
    def _process_importmap(cls) -> dict[str, dict[str, str]]:
        return {
            "imports": {"vit/theme": _as_address(theme.module())}
            | {name: _as_address(path.read_text(encoding="utf-8")) for name, path in cls._modules.items()}
        }


@cache
def _as_address(module: str) -> str:
    """An address that holds the whole module, so that a browser asks nobody for it and evaluates it once."""
    return f"data:text/javascript;base64,{b64encode(module.encode()).decode()}"
