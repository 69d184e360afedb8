"""The frame of every hosted page: head, theme, foot. It fetches nothing from outside."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

import panel as pn
from bokeh.models import CustomJS

from widgets.lesson.contents import Chapter
from widgets.lesson.question import Question
from widgets.parts import theme
from widgets.parts.part import served_with_modules

_TEMPLATE, _CONNECTION = (
    (Path(__file__).parent / name).read_text(encoding="utf-8") for name in ("template.html", "connection.js")
)
COURSE = "Understand the Vision Transformer"
SUMMARY = "A course on the Vision Transformer that runs a real one on your own picture."


def frame(
    title: str,
    body: str = "",
    content: pn.viewable.Viewable | None = None,
    eyebrow: str = "",
    previous: Chapter | None = None,
    following: Chapter | None = None,
    after: str = "",
    alone: bool = False,
) -> pn.Template:
    """A page: `body` is trusted HTML, `content` what Panel puts below it, `after` trusted HTML below that.

    `eyebrow` is a small line above all. `alone` gives a widget the whole width of a projector. The variable
    `notices` may be set to sentences about what the address asked for and could not have.
    """
    page = pn.Template(_TEMPLATE)
    page.add_variable("summary", SUMMARY)
    page.add_variable("theme", theme.javascript())
    page.add_variable("modules", _modules())
    page.add_variable("body", body)
    page.add_variable("after", after)
    page.add_variable("alone", alone)
    page.add_variable("eyebrow", eyebrow)
    page.add_variable("previous", previous)
    page.add_variable("next", following)
    if content is not None:
        page.add_panel("content", content)
    page.add_variable("connection", _CONNECTION)
    page.add_variable("session", _session())
    page.add_variable("name", f"{title} | {COURSE}" if title != COURSE else COURSE)
    return page


def _modules() -> str:
    """The map of all modules that parts import, for the page to load once; in a session no part sends it again."""
    if pn.state.curdoc is not None:
        served_with_modules.add(pn.state.curdoc)
    return json.dumps(Question._process_importmap())


def _session() -> str:
    """What the server calls this page, whose own bar says when the connection is lost; empty outside a server."""
    document = pn.state.curdoc
    if document is None or document.session_context is None:
        return ""
    document.config.update(reconnect_session=False, notify_connection_status=False)
    document.js_on_event("connection_lost", CustomJS(code="window.vitLost()"))
    return document.session_context.id


def sentence_page(title: str, sentence: str) -> pn.Template:
    """A page that says one thing, such as that an address leads nowhere, with the way back."""
    return frame(
        title,
        f'<div class="vit-text"><h1>{escape(title)}</h1><p>{escape(sentence)}</p>'
        '<p><a href="?">All chapters and widgets</a></p></div>',
    )
