"""Fields a reader types into: what is impossible is refused where it stands, with the nearest that is possible."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import param

from widgets.parts.part import Part


class FieldSheet(Part):
    """Text fields and drop-downs with their names. What the reader enters goes to `on_change` as {key: text}.

    Answer with `show`, or with `refuse`: the text stays, marked, with a sentence under it and buttons for the offers.
    """

    fields = param.List(
        [],
        doc=(
            "dicts: key, symbol, name, value, note, options (pairs of value and text, empty for a text field), more,"
            " text (a phone shows letters)"
        ),
    )
    refusals = param.Dict({}, doc="key: what was typed, the sentence, the offers, and how often")
    stale = param.String(
        "What is shown below is still the last that was possible.", doc="said once, while any field is refused"
    )
    fold = param.String("More", doc="what the fold with the fields marked `more` is called")

    _esm = Path(__file__).parent / "field_sheet.js"
    _stylesheets = [*Part._stylesheets, Path(__file__).parent / "field_sheet.css"]

    def __init__(self, on_change: Callable[[dict[str, str]], None], **params: Any) -> None:
        super().__init__(**params)
        self._on_change, self._refused = on_change, 0

    def show(self, fields: list[dict[str, Any]], **params: Any) -> None:
        """Show these values; refusals that stood there are over."""
        self.param.update(fields=fields, refusals={}, **params)

    def refuse(self, key: str, typed: str, sentence: str, offers: list[tuple[str, dict[str, str]]]) -> None:
        """Say under a field why its new text was not taken, and offer what could stand there."""
        self._refused += 1
        refusal = {
            "typed": typed,
            "sentence": sentence,
            "offers": [list(offer) for offer in offers],
            "count": self._refused,
        }
        self.refusals = {**self.refusals, key: refusal}

    def _handle_msg(self, message: dict[str, Any]) -> None:
        self._on_change({str(key): str(text) for key, text in dict(message["changes"]).items()})
