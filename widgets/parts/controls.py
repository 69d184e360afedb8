"""Panel's own inputs in the course's colours. They take their state from a parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param

from widgets.parts.range_slider import STYLE, RangeSlider

LOOK: dict[str, Any] = {"stylesheets": [STYLE.read_text(encoding="utf-8")], "margin": (0, 16, 8, 0)}
PLAIN: dict[str, Any] = {**LOOK, "description": None}  # Panel would show a parameter's doc behind a question mark


def choice(of: param.Parameter, label: str, options: dict[str, Any], **look: Any) -> pn.widgets.Select:
    """A drop-down of `options` (shown text -> value) bound to the parameter."""
    return pn.widgets.Select.from_param(of, label=label, options=options, **{**PLAIN, "width": 220, **look})


def radio(of: param.Parameter, label: str, options: dict[str, Any], **look: Any) -> pn.Column:
    """A few options side by side, one of which is chosen, with their label above: native radio buttons."""
    group = pn.widgets.RadioBoxGroup.from_param(of, label=label, options=options, inline=True, **{**LOOK, **look})
    return pn.Column(words(label), group, margin=0)


def slider(of: param.Parameter, label: str, values: list[Any] | None = None, **look: Any) -> RangeSlider:
    """A slider bound to a parameter: over `values` when they are given, else over an integer's bounds."""
    owner, name = of.owner, of.name
    start, end = (0, len(values) - 1) if values is not None else of.bounds
    place = (lambda value: values.index(value)) if values is not None else int
    made = RangeSlider(
        label=label,
        start=start,
        end=end,
        value=place(getattr(owner, name)),
        texts=[f"{value:,}" for value in values or []],
        **{"margin": LOOK["margin"], **look},
    )
    made.param.watch(
        lambda event: setattr(owner, name, values[event.new] if values is not None else event.new), "value"
    )
    owner.param.watch(lambda event: setattr(made, "value", place(event.new)), name)
    return made


def switch(of: param.Parameter, label: str, **look: Any) -> pn.widgets.CheckBoxGroup:
    """A box to tick, bound to a Boolean parameter. A group of one: Bokeh's single box has no label a screen reader
    finds."""
    owner, name = of.owner, of.name
    box = pn.widgets.CheckBoxGroup(options=[label], value=[label] if getattr(owner, name) else [], **{**LOOK, **look})
    box.param.watch(lambda event: setattr(owner, name, bool(event.new)), "value")
    owner.param.watch(lambda event: setattr(box, "value", [label] if event.new else []), name)
    return box


def button(label: str, pressed: Callable[[Any], None], **look: Any) -> pn.widgets.Button:
    """A button that calls `pressed`."""
    made = pn.widgets.Button(label=label, **{**PLAIN, **look})
    made.on_click(pressed)
    return made


def row(*controls: Any) -> pn.FlexBox:
    """Controls side by side, their fields on one line, and under one another where there is no room."""
    return pn.FlexBox(*controls, align_items="flex-end", margin=0)


def words(text: str, **look: Any) -> pn.pane.HTML:
    """A label in the course's type."""
    return pn.pane.HTML(f'<span class="label">{text}</span>', **{**LOOK, "margin": 0, **look})


def status(sentence: str, hue: str = "ink", more: str = "") -> str:
    """HTML of a sentence that a screen reader says whenever it changes, in a colour of the theme; `more` is further
    CSS."""
    return f'<p role="status" style="margin:0;color:var(--vit-{hue}){";" + more if more else ""}">{sentence}</p>'
