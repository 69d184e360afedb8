"""One cosine on a line among those of other pictures: what a mistake left of y, and what is nothing to be proud of."""

from __future__ import annotations

from html import escape
from math import floor

from widgets.common.number_formats import fixed


def spread(others: tuple[tuple[str, float], ...]) -> str:
    """Between which cosines the right y of the other pictures lie, in words; `others` most alike first."""
    (most, high), (least, low) = others[0], others[-1]
    return f"the right y of other pictures have cosines from {fixed(low)} ({least}) to {fixed(high)} ({most}) with it"


def cosine_line(cosine: float, others: tuple[tuple[str, float], ...]) -> str:
    """HTML: a line up to 1, a bar for each other picture's right y and a dot for this y; `others` (title, cosine), most
    alike first."""
    low = min(0.0, floor(4 * min(cosine, others[-1][1])) / 4)

    def at(value: float) -> str:
        return f"{3 + 94 * (value - low) / (1 - low):.2f}%"  # 3% are left for what is written at the ends

    bars = "".join(
        f'<line x1="{at(value)}" x2="{at(value)}" y1="8" y2="28" stroke="var(--vit-muted)" stroke-width="3"/>'
        f'<rect x="{at(value)}" y="4" width="12" height="28" transform="translate(-6 0)" fill="transparent">'
        f"<title>{escape(title)}, nothing wrong: {fixed(value)}</title></rect>"
        for title, value in others
    )
    ends = "".join(
        f'<text x="{at(value)}" y="46" text-anchor="middle" font-size="12" fill="var(--vit-muted)">{value:g}</text>'
        for value in (0.0, 0.5, 1.0)
    )
    dot = (
        f'<circle cx="{at(cosine)}" cy="18" r="8" fill="var(--vit-accent)" stroke="var(--vit-paper)" stroke-width="2">'
        f"<title>y with the mistake: {fixed(cosine)}</title></circle>"
    )
    said = escape(f"On a line up to 1, y with the mistake stands at {fixed(cosine)}; {spread(others)}.", quote=True)
    key = "".join(
        f'<span style="white-space:nowrap">{words}</span>'
        for words in (
            "cosine with the right y:",
            '<span style="color:var(--vit-accent)">●</span> y with the mistake',
            "<b>❘</b> the right y of each other sample picture",
        )
    )
    return (
        f'<svg role="img" aria-label="{said}" width="100%" height="52" style="display:block;overflow:visible">'
        f'<line x1="3%" x2="97%" y1="18" y2="18" stroke="var(--vit-line)" stroke-width="2"/>{bars}{dot}{ends}</svg>'
        f'<div style="color:var(--vit-muted);font-size:13px;display:flex;flex-wrap:wrap;gap:0 18px">{key}</div>'
    )
