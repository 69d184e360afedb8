"""The landing page: the chapters, the widgets, and how to use them."""

from __future__ import annotations

import logging
from html import escape

import panel as pn

from widgets import WIDGETS
from widgets.lesson.contents import Chapter, contents, words_of, work
from widgets.lesson.progress_sheet import course_progress
from widgets.page.frame import COURSE, SUMMARY, frame

log = logging.getLogger("widgets.page")

USE = """
<h2>How to use it</h2>
<p><strong>On your own.</strong> Read a chapter from top to bottom. Guess before you look: each chapter asks first.
To change the code, open the same chapter in JupyterLab with <code>make lab</code>.</p>
<p><strong>In class.</strong> Every widget has a page of its own, listed above, and opens in the projector's colours
with the button at the top right. The picture, the patch and its size are in the address, so you can send that view
as a link.</p>
<p><strong>For others.</strong> <code>panel serve widgets/app.py --warm</code> serves this course. Each visitor gets
a run of their own; the models are loaded once and shared.</p>
"""


def landing_page() -> pn.Template:
    """Chapters and widgets, each with a line about it and its link."""
    chapters = "".join(map(_chapter, contents()))
    body = (
        f'<div class="vit-text"><h1>Understand the Vision Transformer</h1><p>{SUMMARY} '
        "Hover over the patches of a photograph, change a number, break a rule, and see what the model does.</p>"
        f'<h2>Chapters</h2></div><ol class="vit-chapters vit-text">{chapters}</ol>'
    )
    after = (
        f'<div class="vit-text"><h2>Widgets</h2></div><ul class="vit-cards vit-text">{widget_cards()}</ul>'
        f'<div class="vit-text">{USE}</div>'
    )
    return frame(COURSE, body, content=_progress(), after=after)


def _progress() -> pn.viewable.Viewable:
    """How far the reader has come, in every written chapter."""
    return course_progress([(f"{c.number} {c.title}", c.address, work(c)) for c in contents() if c.path])


def widget_cards() -> str:
    """A card for each widget that `widgets.WIDGETS` lists, as HTML."""
    return "".join(_card(name, module) for name, module in WIDGETS.items())


def _chapter(chapter: Chapter) -> str:
    title = escape(chapter.title)
    number = f'<span class="number">{chapter.number}</span>'
    if chapter.path is None:
        return (
            f'<li class="unwritten">{number}<span class="title">{title}</span>'
            '<span class="minutes">not written yet</span></li>'
        )
    minutes = f"{chapter.minutes} min" if chapter.minutes else ""
    return (
        f'<li>{number}<a class="title" href="{chapter.address}">{title}</a>'
        f'<span class="minutes">{minutes}</span><span class="question">{escape(chapter.question)}</span></li>'
    )


def _card(name: str, module: str) -> str:
    try:
        title, summary = words_of(name, module)
    except Exception:  # one widget that cannot be read must not take the list with it
        log.exception("the widget %s cannot be read", name)
        return f"<li><h3>{name}</h3><p>This widget cannot be opened at the moment.</p></li>"
    return f'<li><h3><a href="?widget={name}">{escape(title)}</a></h3><p>{escape(summary)}</p><code>{name}</code></li>'
