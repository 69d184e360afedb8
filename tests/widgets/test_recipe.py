"""The widget in CONTRIBUTING.md is one: it draws, follows the reader and says what it cannot show."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from widgets.common.number_formats import fixed
from widgets.experiments.kept_pass import read
from widgets.kit.picture_widget import PictureWidget
from widgets.kit.selection import Selection
from widgets.kit.widget import png_of
from widgets.pictures import open_sample

RECIPES = Path(__file__).resolve().parents[2] / "CONTRIBUTING.md"


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    """The example as a module."""
    (source,) = re.findall(r"^```python\n(.*?)^```$", RECIPES.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    module = ModuleType("recipe")
    exec(compile(source, str(RECIPES), "exec"), vars(module))
    return module


@pytest.fixture
def widget(recipe: ModuleType) -> PictureWidget:
    return recipe.TokenLengths(selection=Selection())


def test_it_shows_the_length_of_every_token(widget: PictureWidget) -> None:
    z = read("dinov2-small", open_sample("cat")).trace.layers[-1].z[0].double().numpy()
    lengths = np.sqrt((z**2).sum(1))  # (T,)
    assert widget._table.by_token == [[fixed(length)] for length in lengths]
    widget._grid.selected = 110
    assert widget._table.selected == widget.selection.token == 110
    assert f"Row 110 of z, of 257, is {fixed(lengths[110])} long" in widget.describe().sentence


def test_what_cannot_be_read_is_said_and_the_last_stays(widget: PictureWidget) -> None:
    before = widget._grid.rgb
    widget.selection.checkpoint = "resnet"
    assert widget._grid.status == "refused" and "no checkpoint called" in widget._grid.message
    assert widget._grid.rgb == before and "no checkpoint called" in widget.describe().sentence
    widget.selection.checkpoint = "dinov2-small"
    assert widget._grid.status == "ready" and not widget._grid.message


def test_it_has_a_view_a_still_and_words(widget: PictureWidget) -> None:
    assert widget.__panel__() and png_of(widget.still()).startswith(b"\x89PNG") and widget.describe().table
