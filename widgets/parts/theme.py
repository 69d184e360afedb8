"""The visual language, decided once: colours, colour scales, and the CSS that carries them to every page.

Parts and pages read the CSS variables (`--vit-ink`, `--vit-query`, ...); canvases read the same names through
`theme.js`; matplotlib stills read the table below. Change a colour here and it changes everywhere.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

COLOURS: dict[str, tuple[str, str]] = {  # name: (light, dark)
    "paper": ("#FFFFFF", "#15171C"),
    "surface": ("#F5F6F8", "#1E2128"),
    "line": ("#D5D8DE", "#3A3F4A"),
    "ink": ("#1B1D22", "#ECEAE4"),
    "muted": ("#565C66", "#A8AEB9"),
    "accent": ("#4B3FBF", "#ADA1FF"),
    "query": ("#0072B2", "#56B4E9"),
    "key": ("#B34E00", "#FF9E66"),
    "value": ("#007A59", "#4FD6B0"),
    "class": ("#AA4499", "#E08BCB"),
    "position": ("#8A6508", "#E6B84C"),
    "wrong": ("#B00020", "#FF8A80"),
}
NEGATIVE = ("#0072B2", "#56B4E9")  # signed numbers: blue below zero
POSITIVE = ("#D55E00", "#FF9E66")  # and orange above it
SCALE_STEPS = 256
HERE = Path(__file__).parent
CHANNEL_HUES = ((1.0, 0.32, 0.26), (0.3, 0.9, 0.42), (0.4, 0.6, 1.0))  # red, green, blue; light enough to read blue by


def css_variables(dark: bool) -> str:
    """The colours of one theme as CSS custom properties."""
    return "".join(f"--vit-{name}:{pair[dark]};" for name, pair in COLOURS.items())


@cache
def css() -> str:
    """The stylesheet of every page: variables on :root, which reach into shadow roots by inheritance."""
    return (
        f":root{{{css_variables(False)}color-scheme:light}}"
        f":root[data-vit-theme='dark']{{{css_variables(True)}color-scheme:dark}}"
        + (HERE / "theme.css").read_text(encoding="utf-8")
    )


@cache
def colour_scale(kind: str, dark: bool = False) -> list[tuple[int, int, int]]:
    """256 RGB steps: "weight" is cividis from 0; "signed" runs blue, paper, orange; "grey" runs black to white.

    Raises ValueError for another kind.
    """
    if kind == "weight":
        from matplotlib import colormaps

        return [tuple(round(255 * c) for c in colormaps["cividis"](i)[:3]) for i in range(SCALE_STEPS)]
    if kind == "signed":
        ends = [_rgb(c[dark]) for c in (NEGATIVE, COLOURS["paper"], POSITIVE)]
        return [_between(ends, i / (SCALE_STEPS - 1)) for i in range(SCALE_STEPS)]
    if kind == "grey":
        return [(i, i, i) for i in range(SCALE_STEPS)]
    raise ValueError(f"no colour scale {kind!r}: choose weight, signed or grey")


@cache
def javascript() -> str:
    """`theme.js` with its stylesheet in front: a script, which a page runs before it shows anything."""
    return f"const VIT_CSS = {json.dumps(css())};\n{(HERE / 'theme.js').read_text(encoding='utf-8')}"


@cache
def module() -> str:
    """The same as a JavaScript module, with the colour scales: what the drawings import as `vit/theme`."""
    scales = {kind: _hex(colour_scale(kind)) for kind in ("weight", "grey")}
    scales |= {f"signed-{t}": _hex(colour_scale("signed", t == "dark")) for t in ("light", "dark")}
    return (
        f"{javascript()}\nexport {{ vit }};\nexport const SCALES = {json.dumps(scales)};\n"
        f"export const HUES = {json.dumps(CHANNEL_HUES)};\n"
    )


def _rgb(colour: str) -> tuple[int, int, int]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def _hex(colours: list[tuple[int, int, int]]) -> str:
    """Six digits a colour, one behind the other."""
    return bytes(channel for colour in colours for channel in colour).hex()


def _between(ends: list[tuple[int, int, int]], t: float) -> tuple[int, int, int]:
    low, middle, high = ends
    a, b, s = (low, middle, 2 * t) if t < 0.5 else (middle, high, 2 * t - 1)
    return tuple(round(x + (y - x) * s) for x, y in zip(a, b, strict=True))
