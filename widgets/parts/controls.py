"""Panel's own inputs in the course's colours. They take their state from a parameter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import panel as pn
import param

STYLE = Path(__file__).parent / "controls.css"
LOOK: dict[str, Any] = {"stylesheets": [STYLE.read_text(encoding="utf-8")], "margin": (0, 16, 8, 0)}
PLAIN: dict[str, Any] = {**LOOK, "description": None}  # Panel would show a parameter's doc behind a question mark


def choice(of: param.Parameter, label: str, options: dict[str, Any], **look: Any) -> pn.widgets.Select:
    """A drop-down of `options` (shown text -> value) bound to the parameter."""
    return pn.widgets.Select.from_param(of, label=label, options=options, **{**PLAIN, "width": 220, **look})


def radio(of: param.Parameter, label: str, options: dict[str, Any], **look: Any) -> pn.Column:
    """A few options side by side, one of which is chosen, with their label above: native radio buttons."""
    group = pn.widgets.RadioBoxGroup.from_param(of, label=label, options=options, inline=True, **{**LOOK, **look})
    return pn.Column(words(label), group, margin=0)


def words(text: str, **look: Any) -> pn.pane.HTML:
    """A label in the course's type."""
    return pn.pane.HTML(f'<span class="label">{text}</span>', **{**LOOK, "margin": 0, **look})
