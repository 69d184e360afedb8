"""The hosted course: what `panel serve widgets/app.py` and `python -m widgets serve` serve.

`/app` is the landing page, `/app?chapter=02` a chapter, `/app?widget=PatchHover` a widget alone and
`/app?gallery=1` every part in its states.
"""

from __future__ import annotations

import importlib
import logging
import os
import socket
import sys
import threading
import webbrowser
from typing import TYPE_CHECKING, Any

import panel as pn

from widgets import WIDGETS
from widgets.kit import transport
from widgets.kit.selection import selection_here
from widgets.lesson import contents
from widgets.page import address
from widgets.page.alone import widget_page
from widgets.page.chapter import chapter_page, column
from widgets.page.frame import frame, sentence_page
from widgets.page.landing import landing_page

if TYPE_CHECKING:
    from widgets.kit.widget import Widget

log = logging.getLogger("widgets.page")
_warmed = threading.Event()


def page() -> pn.Template:
    """The page that this session's address asks for; every trouble becomes a sentence."""
    pn.extension("mathjax")
    transport.tune()
    try:
        return _page({name: values[0].decode("utf-8", "replace") for name, values in pn.state.session_args.items()})
    except Exception:
        log.exception("a page could not be built")
        return sentence_page(
            "This page could not be built",
            "Something went wrong on the server; its log says what. The other pages still work.",
        )


def _page(asked: dict[str, str]) -> pn.Template:
    arguments, kind = pn.state.session_args, _kind(asked)
    settings, refused = address.parse_widget_arguments(kind, arguments) if kind else ({}, [])
    refused += address.read_selection(
        selection_here(), arguments, without=address.linkable_parameters(kind) if kind else ()
    )
    page = _asked_for(asked, kind, settings)
    page.add_variable("notices", [*refused, *address.unknown_names(arguments, kind)])
    return page


def _kind(asked: dict[str, str]) -> type[Widget] | None:
    """The widget that is asked for alone, if there is one of that name."""
    name = asked.get("widget", "")
    return getattr(importlib.import_module(WIDGETS[name]), name) if name in WIDGETS and "chapter" not in asked else None


def _asked_for(asked: dict[str, str], kind: type[Widget] | None, settings: dict[str, Any]) -> pn.Template:
    if "chapter" in asked:
        return _chapter(asked["chapter"])
    if kind is not None:
        return widget_page(kind, settings)
    if "widget" in asked:
        return sentence_page(
            "No such widget", f"There is no widget {asked['widget'][:40]!r}; the course has: {', '.join(WIDGETS)}."
        )
    if "gallery" in asked:
        from widgets.page.gallery import page as gallery

        return frame("Gallery", content=column([gallery()]))
    return landing_page()


def _chapter(number: str) -> pn.Template:
    found = contents.chapter(number)
    if found is None:
        written = ", ".join(c.number for c in contents.contents() if c.path) or "none yet"
        return sentence_page(
            "No such chapter", f"There is no chapter {number[:20]!r} to open; the written ones are: {written}."
        )
    return chapter_page(found)


def warm() -> None:
    """Load libraries, widgets, the default checkpoint and its answers to the samples in a thread, before a page
    asks."""
    if _warmed.is_set() or os.environ.get("VIT_COURSE_NO_WARM"):
        return
    _warmed.set()
    threading.Thread(target=_warm, name="warm", daemon=True).start()


def _warm() -> None:
    import_module = importlib.import_module
    try:
        import_module("widgets.page.chapter")
        contents.contents()  # reads every notebook; what checks their form takes seconds to load
        for module in WIDGETS.values():
            import_module(module)
        pictures = import_module("widgets.pictures.picture")
        first = pictures.open_sample(pictures.sample_names()[0])
        import_module("widgets.model.step_rows").hand_set_pass(first)  # what chapter 00 opens with
        import_module("widgets.experiments.fault_effects").sample_answers("dinov2-small")
    except Exception as trouble:  # the page that needs it will say so to its reader
        log.warning("the course starts without its default model: %s", trouble)


def free_port(port: int) -> int:
    """`port` if nothing listens there, else one that is free, saying so."""
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) != 0:
            return port
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    print(f"Port {port} is taken by another program, so the course opens on port {free}.", flush=True)
    return free


def main(port: int = 5006) -> None:
    """Serve the course on this machine until Ctrl+C, and open it where there is a browser."""
    port = free_port(port)
    where = f"http://localhost:{port}/app"
    warm()
    print(f"The course is at {where} (Ctrl+C ends it).", flush=True)
    if _has_browser():
        threading.Timer(1.0, webbrowser.open, [where]).start()
    pn.serve({"app": page}, port=port, address="localhost", show=False, verbose=False)


def _has_browser() -> bool:
    if os.environ.get("VIT_COURSE_NO_BROWSER"):
        return False
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


if __name__.startswith("bokeh_app"):
    warm()
    page().servable()
