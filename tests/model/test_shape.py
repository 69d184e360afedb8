"""shape.py: derived numbers, refusals that name the field, and reading a library model."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.small_models import library_vit
from widgets.model.shape import FAMILY, ViTShape

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text())


def test_the_default_is_vit_b16() -> None:
    shape = ViTShape()
    assert (shape.grid, shape.num_patches, shape.num_tokens, shape.head_size) == ((14, 14), 196, 197, 64)
    assert shape == FAMILY["B/16"]


def test_a_pair_is_height_and_width() -> None:
    shape = ViTShape(image_size=(224, 336), patch_size=14, registers=4)
    assert (shape.grid, shape.num_patches, shape.num_tokens, shape.prefix) == ((16, 24), 384, 389, 5)


def test_the_family_has_exactly_the_published_shapes() -> None:
    assert list(FAMILY) == list(REFERENCE["shapes"])
    assert len(FAMILY) == 12
    for name, published in REFERENCE["shapes"].items():
        shape = FAMILY[name]
        assert {field: getattr(shape, field) for field in published} == published
        assert shape.image_size == 224
    assert [shape.num_labels for shape in FAMILY.values()] == [1000] * 7 + [0] * 5


def test_a_shape_cannot_be_changed_and_can_be_a_key() -> None:
    with pytest.raises(FrozenInstanceError):
        ViTShape().hidden_size = 3
    assert {ViTShape(): 1}[ViTShape(image_size=np.int64(224))] == 1


def test_numpy_numbers_become_exact_python_ones() -> None:
    shape = ViTShape(hidden_size=np.int32(768), image_size=(np.int32(224), np.int32(224)))
    assert type(shape.hidden_size) is int and type(shape.image_size[0]) is int


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"image_size": 225}, "image_size: a 225 x 225 px picture.*nearest valid size is 224 x 224"),
        ({"image_size": (224, 230)}, "nearest valid size is 224 x 224.*224 or 240"),
        (
            {"image_size": (224, 224, 3)},
            r"image_size must be one side or a pair \(height, width\), not \(224, 224, 3\)",
        ),
        ({"image_size": 0}, "image_size must be a whole number from 1 to 1,048,576, not 0"),
        ({"image_size": 10**9}, "image_size must be a whole number"),
        ({"image_size": "224"}, "image_size must be a whole number"),
        ({"patch_size": 0}, "patch_size must be a whole number from 1 to 4,096, not 0"),
        ({"patch_size": 16.0}, "patch_size must be a whole number.*not 16.0"),
        ({"hidden_size": -768}, "hidden_size must be a whole number from 1.*not -768"),
        ({"hidden_size": 10**12}, "hidden_size must be a whole number from 1 to 1,048,576"),
        ({"num_hidden_layers": True}, "num_hidden_layers must be a whole number.*not True"),
        ({"num_attention_heads": 5}, "num_attention_heads 5 does not divide hidden_size 768.*use 4 or 6"),
        ({"num_attention_heads": 10, "hidden_size": 64}, "use 8 or 16"),
        ({"num_labels": -1}, "num_labels must be a whole number from 0"),
        ({"registers": None}, "registers must be a whole number from 0"),
        ({"class_token": False}, "pool 'cls' reads the class token.*use pool 'gap' or 'map'"),
        ({"class_token": 1}, "class_token must be True or False, not 1"),
        ({"pool": "mean"}, "pool must be one of cls, gap, map, not 'mean'"),
        ({"position": "rope"}, "position must be one of learned, none, not 'rope'"),
    ],
)
def test_refusals_name_field_value_and_what_is_valid(changed: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ViTShape(**changed)


@given(st.integers(1, 600), st.integers(1, 40))
@settings(max_examples=100, deadline=None)
def test_the_suggested_heads_are_valid(hidden_size: int, heads: int) -> None:
    try:
        assert ViTShape(hidden_size=hidden_size, num_attention_heads=heads).head_size * heads == hidden_size
    except ValueError as error:
        for suggestion in str(error).rsplit("use ", 1)[1].split(" or "):
            ViTShape(hidden_size=hidden_size, num_attention_heads=int(suggestion))


def test_from_checkpoint_reads_the_librarys_configuration() -> None:
    shape = ViTShape.from_checkpoint(library_vit())
    assert shape == ViTShape(
        image_size=28,
        patch_size=4,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        num_labels=10,
    )
    assert ViTShape.from_checkpoint(library_vit(head=False)) == replace(shape, num_labels=0)
    assert ViTShape.from_checkpoint(library_vit(image_size=(28, 12))).grid == (7, 3)
    with pytest.raises(TypeError, match="a library ViT, not dict"):
        ViTShape.from_checkpoint({})
