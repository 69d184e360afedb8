"""What every part shares: its place on a channel, its states, and the script in front of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from widgets.parts import theme

HERE = Path(__file__).parent
STATES = ["empty", "loading", "ready", "refused", "failed"]


class Part(JSComponent):
    """A drawing in the browser. Hovering stays there; a click or a key press sets `selected`, which Python sees.

    Parts with the same `channel` follow one another: what one hovers or selects, all mark.
    """

    channel = param.String("", doc="parts of one Selection share it; parts with an empty one stand alone")
    selected = param.Integer(0, bounds=(0, None), doc="row of z that is selected")
    prefix = param.Integer(0, bounds=(0, None), doc="rows of z before the first patch: class token and registers")
    title = param.String("", doc="what to do or what this is, in a few words")
    caption = param.String("", doc="what it shows, and on which model and picture")
    status = param.Selector(default="ready", objects=STATES)
    message = param.String("", doc="a sentence for every state but ready: what is missing, wrong, or to do")

    _debounce = 0  # Panel holds every change back 50 ms otherwise, and a click is answered late
    _stylesheets = [HERE / "part.css"]
    __abstract = True

    def __init__(self, **params: Any) -> None:
        params.setdefault("sizing_mode", "stretch_width")
        params.setdefault("margin", 0)
        super().__init__(**params)

    @classmethod
    def _render_esm(cls, compiled: bool = True, server: bool = False) -> str:
        shared = [path.read_text(encoding="utf-8") for path in (HERE / "part.js", theme.KERNEL_WATCH)]
        return "\n".join([theme.javascript(), *shared, Path(cls._esm).read_text(encoding="utf-8")])
