"""The drawing of every shape: to scale, complete, the same in words, and nothing but text and boxes."""

from __future__ import annotations

import re

import pytest

from widgets import draw_shapes
from widgets.counting.shape_drawing import GAP, THINNEST, WIDEST
from widgets.counting.shape_guess import written
from widgets.kit.widget import STILLS
from widgets.model.shape import FAMILY
from widgets.model.shape_trace import shape_trace

each_model = pytest.mark.parametrize("name", FAMILY)


@each_model
def test_every_tensor_is_there_in_order_in_the_drawing_and_in_words(name: str) -> None:
    drawing, stages = draw_shapes(name), shape_trace(FAMILY[name])
    html = re.sub(r"<[^>]+>", "", drawing._repr_html_())
    places = [html.find(f"= {written(stage.dims)}", 0) for stage in stages]
    assert all(place > 0 for place in places) and len(re.findall(r"<svg", drawing._repr_html_())) == len(stages)
    assert [line.rpartition(" = ")[2] for line in drawing.lines()] == [written(stage.dims) for stage in stages]
    assert repr(drawing).startswith(drawing.sentence) and f"each of the {FAMILY[name].num_hidden_layers} layers" in html


@each_model
def test_boxes_are_to_scale_and_fit_a_telephone(name: str) -> None:
    drawing = draw_shapes(name)
    for stage in drawing.stages:
        boxes, sides = drawing.boxes(stage), stage.dims[1:]
        assert boxes.count == (sides[0] if len(sides) == 3 else 1)
        assert boxes.width == max(THINNEST, sides[-1] / drawing.numbers_a_pixel) <= WIDEST
        assert boxes.height == max(THINNEST, (sides[-2] if len(sides) > 1 else 1) / drawing.numbers_a_pixel)


def test_vit_b16_in_numbers() -> None:
    drawing = draw_shapes("B/16")
    said = dict(zip((stage.symbol for stage in drawing.stages), drawing.lines(), strict=True))
    assert "(1, 12, 197, 197)" in said["A"] and "(1, 197, 3072)" in said["hidden"] and "(1, 1000)" in said["logits"]
    assert sum(drawing.is_sequence(stage) for stage in drawing.stages) == 5 and drawing.numbers_a_pixel == 12
    assert max(boxes.count * (boxes.width + GAP) for boxes in map(drawing.boxes, drawing.stages)) <= WIDEST + 4


def test_a_notebook_keeps_the_still_and_the_words_and_a_live_one_the_html(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = draw_shapes("B/16")
    assert drawing._repr_mimebundle_() == {"text/html": drawing._repr_html_(), "text/plain": repr(drawing)}
    monkeypatch.setenv(STILLS, "1")
    kept = drawing._repr_mimebundle_()
    assert set(kept) == {"image/png", "text/plain"}
    assert kept["image/png"].startswith(b"\x89PNG") and len(kept["image/png"]) < 20_000


@pytest.mark.parametrize("name", ["B/17", "ViT-B/16", "", None])
def test_a_name_that_is_none_is_answered_with_those_there_are(name: str | None) -> None:
    with pytest.raises(ValueError, match=r"draw_shapes takes the name of a model.*B/16"):
        draw_shapes(name)
