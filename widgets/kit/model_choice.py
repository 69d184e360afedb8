"""Which model, and which of its layers and heads: drop-downs bound to the selection."""

from __future__ import annotations

from functools import partial
from typing import Any

import panel as pn
import param

from widgets.kit.selection import Selection
from widgets.parts import controls

SEEN = 60  # milliseconds until what was written is surely on its way to the browser


class ModelChoice(pn.viewable.Viewer):
    """Drop-downs for the checkpoint and, if asked for, the layer and the head. Layers and heads count from 1 on screen.

    Offered are the checkpoints on this machine. Another checkpoint with fewer layers or heads takes the last it has.
    """

    selection: Any = param.ClassSelector(class_=Selection)
    layer = param.Boolean(False, constant=True, doc="offer the layer")
    head = param.Boolean(False, constant=True, doc="offer the head")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        look = {**controls.LOOK}
        self._checkpoint = pn.widgets.Select(label="Model", width=190, **look)
        self._layer = pn.widgets.Select(label="Layer", width=80, **look)
        self._head = pn.widgets.Select(label="Head", width=80, **look)
        self._wait = controls.words("", visible=False, margin=(0, 16, 16, 0))
        self._follow()
        for name, select in self._selects().items():
            select.param.watch(lambda event, name=name: self._picked(name, event.new), "value")
        self.selection.param.watch(self._follow, ["checkpoint", "layer", "head"])

    @property
    def controls(self) -> list[pn.viewable.Viewable]:
        """The drop-downs, in the order in which a reader needs them."""
        wanted = {"checkpoint": True, "layer": self.layer, "head": self.head}
        return [*(select for name, select in self._selects().items() if wanted[name]), self._wait]

    def _selects(self) -> dict[str, pn.widgets.Select]:
        return {"checkpoint": self._checkpoint, "layer": self._layer, "head": self._head}

    def _picked(self, name: str, value: Any) -> None:
        document = pn.state.curdoc
        if value is None or value == getattr(self.selection, name):
            return
        if name == "checkpoint" and document is not None and document.session_context is not None:
            title = next(title for title, known in self._checkpoint.options.items() if known == value)
            self._wait.param.update(
                visible=True,
                object=f'<span role="status">{title} reads the picture: some seconds the first time.</span>',
            )
            document.add_timeout_callback(partial(self._take, value), SEEN)
        else:
            setattr(self.selection, name, value)

    def _take(self, checkpoint: str) -> None:
        """Go to a checkpoint, now that the reader has been told to wait: what follows holds the page up."""
        try:
            self.selection.checkpoint = checkpoint
        finally:
            self._wait.visible = False

    def _follow(self, *_: Any) -> None:
        from widgets.checkpoints.fetching import facts_of
        from widgets.checkpoints.fetching import names as known
        from widgets.checkpoints.loading import at_hand, available

        names = available()
        wanted = dict.fromkeys([*names, self.selection.checkpoint])  # a name from an address may be none that there is
        options = {facts_of(name)["title"] if name in known() else name: name for name in wanted}
        self._checkpoint.param.update(options=options, value=self.selection.checkpoint)
        if not (self.layer or self.head) or self.selection.checkpoint not in names:
            return
        config = at_hand(self.selection.checkpoint).model.config
        for name, count in (("layer", config.num_hidden_layers), ("head", config.num_attention_heads)):
            if getattr(self.selection, name) >= count:
                setattr(self.selection, name, count - 1)
            self._selects()[name].param.update(
                options={str(n + 1): n for n in range(count)}, value=getattr(self.selection, name)
            )

    def __panel__(self) -> pn.viewable.Viewable:
        return controls.row(*self.controls)
