"""What Bokeh's server needs for this course, set in one place, also under a bare `panel serve`."""

from __future__ import annotations

from typing import Any

import panel as pn
from bokeh.server.views.ws import WSHandler
from panel.io.resources import get_dist_path

LARGEST_MESSAGE = 64 * 2**20
"""Bytes. A picture of 20 MB travels as 27 MB of base64; what is larger still is answered by a sentence, up to here."""
SESSION_HEADER = "Vit-Session"


def tune() -> None:
    """What every session of a server needs, called while its page is built: outside one there is nothing to do."""
    document = pn.state.curdoc
    if document is not None and document.session_context is not None:
        _open_at_once()
        # Panel sets this with the page's HTML. A session that is made when a websocket opens has none: the one before
        # was forgotten on a loaded machine, or the server has begun anew. Then its stylesheets would come from a CDN.
        document._template_variables.setdefault("dist_url", get_dist_path(cdn=False))


def _open_at_once() -> None:
    """Send small messages at once (TCP_NODELAY: 21 ms a click instead of 49), and let an upload through whole."""
    if hasattr(WSHandler, "_vit_tuned"):
        return
    opened = WSHandler.open

    def open_at_once(self: WSHandler) -> None:
        self.set_nodelay(True)
        opened(self)

    answer = WSHandler.get

    async def knows_page(self: WSHandler, *args: Any, **kwargs: Any) -> None:
        """Tell an open page whether its session is still here, without making one; its script asks with a header."""
        session = self.request.headers.get(SESSION_HEADER)
        if session is None:
            await answer(self, *args, **kwargs)
        else:
            self.finish({"here": session in self.application_context._sessions})

    # setattr: methods of a library's class are replaced, which no type allows
    for name, ours in (
        ("open", open_at_once),
        ("get", knows_page),
        ("max_message_size", property(lambda self: LARGEST_MESSAGE)),
        ("_vit_tuned", True),
    ):
        setattr(WSHandler, name, ours)
