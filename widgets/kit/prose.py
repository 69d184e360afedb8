"""Text of a chapter as panes: Markdown with mathematics, folded code, printed output, and a failure in a sentence."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import panel as pn

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

STYLE = (Path(__file__).parent / "prose.css").read_text(encoding="utf-8")
NARROW = 48
"""Characters of a printed line that a page 400 px wide has room for."""
_CODE = re.compile(r"<code.*?</code>", re.S)
_IN_COLUMNS = re.compile(r"\S {2,}\S")
_CHAPTER_LINK = re.compile(r'href="(?:[./]*|chapters/)(\d\d)_\w+\.ipynb(#[^"]*)?"')


def prose(text: str) -> pn.pane.HTML:
    """Markdown as a pane; `$x$` and `$$x$$` are set by the bundled MathJax, and never inside code."""
    return _pane(html_of(text), "prose", mathematics=True)


@cache
def html_of(text: str) -> str:
    """Markdown as HTML. Mathematics is kept from Markdown and left as `\\(x\\)` and `\\[x\\]` for MathJax.

    A link to another notebook of the course becomes a link to its page.
    """
    html = _CODE.sub(lambda code: _not_mathematics(code[0]), _markdown().render(text))
    return _CHAPTER_LINK.sub(r'href="?chapter=\1\2"', html)


def code_fold(source: str, opened: bool = False) -> pn.pane.HTML:
    """Python source behind a "Show code" that opens by mouse and keyboard; `opened` shows it at once."""
    label = '<span class="shut">Show code</span><span class="open">Hide code</span>'
    return _pane(
        f'<details class="code"{" open" * opened}><summary>{label}</summary>{_coloured(source)}</details>', "code"
    )


def printed(text: str) -> pn.pane.HTML:
    """What a cell printed, or the text of its last expression, a line in each block: one that wraps is indented.

    The lines of a table that a telephone has room for do not wrap, wherever the page has less.
    """
    lines = "".join(f'<span class="{kind}">{escape(line)}\n</span>' for line, kind in _kinds_of_lines(text.split("\n")))
    return _pane(f'<pre class="printed" tabindex="0">{lines}</pre>', "printed")


def _kinds_of_lines(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line with "row" if it stands in a narrow table, which is two lines or more with numbers set in columns, or
    "line"."""
    for is_table, group in groupby(lines, lambda line: bool(_IN_COLUMNS.search(line))):
        together = list(group)
        kept = is_table and len(together) > 1 and max(map(len, together)) <= NARROW
        yield from ((line, "row" if kept else "line") for line in together)


def table(html: str) -> pn.pane.HTML:
    """The HTML of a result that has some of its own, such as a DataFrame."""
    return _pane(f'<div class="result">{html}</div>', "result")


def picture(png: bytes, width: int, alt: str = "") -> pn.pane.HTML:
    """A figure, at most `width` pixels wide."""
    data = b64encode(png).decode("ascii")
    return _pane(
        f'<p><img src="data:image/png;base64,{data}" width="{width}" alt="{escape(alt or "Figure")}"></p>', "picture"
    )


def failed(sentence: str) -> pn.pane.HTML:
    """A cell that stopped, in a sentence."""
    return _pane(f'<p class="failed" role="alert">{escape(sentence)}</p>', "failed")


def working(sentence: str) -> pn.pane.HTML:
    """A result that is still being computed."""
    return _pane(f'<p class="working" role="status">{escape(sentence)}</p>', "working")


def _pane(html: str, kind: str, mathematics: bool = False) -> pn.pane.HTML:
    return pn.pane.HTML(
        html,
        stylesheets=[STYLE],
        sizing_mode="stretch_width",
        disable_math=not mathematics,
        css_classes=["vit-" + kind],
        margin=0,
    )


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    markdown = MarkdownIt("commonmark", {"html": True, "highlight": _fence}).enable(["table", "strikethrough"])
    markdown.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    # Panel looks for mathematics in the text of the HTML, before the browser reads it: so nothing is escaped here
    markdown.add_render_rule("math_inline", lambda _, tokens, i, *rest: _formula("span", "(", tokens[i].content, ")"))
    markdown.add_render_rule(
        "math_inline_double", lambda _, tokens, i, *rest: _formula("span", "[", tokens[i].content, "]")
    )
    markdown.add_render_rule("math_block", lambda _, tokens, i, *rest: _formula("p", "[", tokens[i].content, "]"))
    return markdown


def _formula(element: str, opened: str, tex: str, closed: str) -> str:
    """A formula, and its TeX as a name: what MathJax draws is a picture that a screen reader cannot read."""
    tex = tex.strip()
    return rf'<{element} role="math" aria-label="{escape(tex)}">\{opened}{tex}\{closed}</{element}>'


def _not_mathematics(code: str) -> str:
    """Code as the browser shows it, but with no delimiter in it that Panel takes for mathematics."""
    return code.replace("\\(", "\\&#40;").replace("\\[", "\\&#91;").replace("$$", "&#36;&#36;")


def _fence(source: str, language: str, _: str) -> str:
    return _coloured(source) if language in ("python", "py") else ""


def _coloured(source: str) -> str:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    lines = highlight(source, PythonLexer(), HtmlFormatter(nowrap=True))
    return f'<pre class="source" tabindex="0"><code>{lines}</code></pre>'
