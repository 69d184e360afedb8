"""Every widget that takes a picture, on a reader's own: a grey and wide one, and a tall one with transparency, each
with another model."""

from __future__ import annotations

from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import widgets
from widgets.kit.picture_choice import PictureChoice
from widgets.kit.selection import Selection
from widgets.kit.widget import Widget
from widgets.parts import PictureUpload
from widgets.parts.part import Part

NOISE = np.random.default_rng(0).integers(0, 256, (300, 300, 4), dtype=np.uint8)
PICTURES = {"dinov2-small": Image.fromarray(NOISE[:200, :, 0]), "random-b16": Image.fromarray(NOISE[:, :240])}
ON_THE_PICTURE = {"LayerNormLab": {"start": "picture"}}
"""What makes a widget read a picture that does not at its start."""
ON_REQUEST = {"PositionInterpolation"}
"""Runs the picture when a button is pressed; tests/widgets/test_answer_by_size.py does that."""


def with_picture(name: str, checkpoint: str, picture: Image.Image) -> Widget:
    """The widget after a reader has uploaded the picture there."""
    selection = Selection(checkpoint=checkpoint, model="checkpoint")
    widget = getattr(widgets, name)(selection=selection, **ON_THE_PICTURE.get(name, {}))
    data = BytesIO()
    picture.save(data, "PNG")
    PictureChoice(selection=selection).take(data.getvalue(), "mine.png")
    assert selection.picture == "yours"
    return widget


def asks_for_a_picture(name: str) -> bool:
    """Whether the code of a widget looks at the picture that is chosen."""
    source = Path(find_spec(widgets.WIDGETS[name]).origin).read_text(encoding="utf-8")
    return "choice.picture" in source


def test_a_widget_that_asks_for_no_picture_offers_none() -> None:
    for name in widgets.WIDGETS:
        if not asks_for_a_picture(name) and name not in ON_REQUEST:
            parts = getattr(widgets, name)(selection=Selection()).__panel__().select(Part)
            assert not any(isinstance(part, PictureUpload) for part in parts), name


@pytest.mark.parametrize("checkpoint", PICTURES)
@pytest.mark.parametrize("name", [n for n in widgets.WIDGETS if asks_for_a_picture(n) and n not in ON_REQUEST])
def test_a_readers_own_picture_is_read(name: str, checkpoint: str) -> None:
    widget = with_picture(name, checkpoint, PICTURES[checkpoint])
    parts = widget.__panel__().select(Part)
    assert any(isinstance(part, PictureUpload) for part in parts)
    assert not [part.message for part in parts if part.status == "refused"]
    words = widget.describe()
    assert "your picture" in " ".join([words.sentence, *map(str, words.table)]).lower()
    assert widget.still().get_size_inches().min() > 0
