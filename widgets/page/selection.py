"""What the reader is looking at, shared by every widget of a page."""

from __future__ import annotations

from typing import Any

import param


class Selection(param.Parameterized):
    """One selection for a page. Layer and head count from 0 here and from 1 on screen.

    A token is a row of z, 0..T-1: class token (if any), registers, patches; so patch n is token n + prefix.
    """

    picture = param.String("cat", doc="name of a sample picture, or 'yours' once the reader has uploaded one")
    upload = param.Parameter(None, doc="the reader's own Picture; kept in memory, never written to disk")
    checkpoint = param.String("dinov2-small", doc="name that checkpoints.load takes")
    layer = param.Integer(0, bounds=(0, None), doc="encoder block, from 0")
    head = param.Integer(0, bounds=(0, None), doc="attention head, from 0")
    token = param.Integer(0, bounds=(0, None), doc="row of z that is selected")
    step = param.Integer(0, bounds=(0, None), doc="step of a widget that walks through the model")

    ADDRESS = ("picture", "checkpoint", "layer", "head", "token", "step")

    def mirror_to_address(self) -> None:
        """Keep the page's address and this selection the same, so that a view can be sent as a link."""
        import panel as pn

        if pn.state.location is not None:
            pn.state.location.sync(self, {name: name for name in self.ADDRESS})

    def state(self) -> dict[str, Any]:
        """The part of the selection that fits in an address."""
        return {name: getattr(self, name) for name in self.ADDRESS}
