"""Settings a reader types: what is impossible is refused with the nearest that is possible; a link brings all of it
back."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
import torch

from tests.model.small_models import PlainViT, counted
from tests.model.test_count import flops, library_on_meta
from widgets.counting.calculator_settings import (
    NUMBERS,
    OPTIONS,
    Setting,
    SettingRefused,
    changed,
    config_code,
    name_of,
    read,
    title_of,
    value_of,
    write,
)
from widgets.model.count import macs, parameters
from widgets.model.shape import FAMILY, ViTShape, size_pair


def refusal(changes: dict[str, str], setting: Setting = Setting()) -> SettingRefused:
    with pytest.raises(SettingRefused) as caught:
        changed(setting, changes)
    assert str(caught.value).endswith(".") and len(str(caught.value)) < 140
    return caught.value


def offers(refused: SettingRefused) -> list[str]:
    return [label for label, _ in refused.nearest]


@pytest.mark.parametrize(
    ("field", "typed", "words", "nearest"),
    [
        ("hidden_size", "0", "Width D must be at least 1, not 0.", ["12"]),
        ("hidden_size", "-1", "must be at least 1, not -1", ["12"]),
        ("hidden_size", "−1", "must be at least 1", ["12"]),
        ("hidden_size", "1e9", "must be at most 1,048,576, not 1e9", ["1,048,572"]),
        ("hidden_size", "3.7", "must be a whole number, not 3.7", ["12"]),
        ("hidden_size", "770", "multiple of the 12 heads, and 770 is not", ["768", "780"]),
        ("hidden_size", "", "is empty; type a whole number from 1 to 1,048,576, such as 768", ["768"]),
        ("hidden_size", "wide", "“wide” is no number", ["768"]),
        ("hidden_size", "nan", "is no number", ["768"]),
        ("hidden_size", "inf", "is no number", ["768"]),
        ("hidden_size", "-inf", "is no number", ["768"]),
        ("hidden_size", "9" * 5000, "longer than any number", ["768"]),
        ("hidden_size", "1e999999999", "at most", ["1,048,572"]),
        ("hidden_size", "__import__('os')", "is no number", ["768"]),
        ("num_attention_heads", "5", "must divide the width D = 768, and 5 does not", ["4", "6"]),
        ("num_attention_heads", "1000", "1,000 does not", ["768"]),
        ("num_attention_heads", "0", "at least 1", ["1"]),
        ("num_attention_heads", "70000", "at most 65,536", ["768"]),
        ("image_size", "225", "multiples of P = 16, and 225 does not cut", ["224", "240"]),
        ("image_size", "3", "3 does not cut", ["16"]),
        ("image_size", "224x225", "224 x 225 does not cut", ["224 x 224"]),
        ("image_size", "224 x 3.5", "must be a whole number, not 3.5", ["224 x 16"]),
        ("image_size", "20.5 x 320", "must be a whole number, not 20.5", ["16 x 320", "32 x 320"]),
        ("image_size", "225 x 0", "at least 1, not 0", ["224 x 16"]),
        ("image_size", ". x 3.5", "is no number", ["224 x 16"]),
        ("image_size", "1e9", "at most 1,048,576", ["1,048,576"]),
        ("patch_size", "15", "must divide the sides of the picture, 224 px, and 15 does not", ["14", "16"]),
        ("patch_size", "0", "at least 1", ["1"]),
        ("num_hidden_layers", "-12", "at least 1", ["1"]),
        ("num_hidden_layers", "12.5", "whole number", ["12", "13"]),
        ("num_labels", "-1", "at least 0", ["0"]),
        ("registers", "1e9", "at most 65,536", ["65,536"]),
        ("batch", "0", "at least 1", ["1"]),
        ("hidden_size", "76,8", "must be a whole number, and 76,8 looks like 76.8", ["72", "84"]),
        ("hidden_size", "76,0", "“76,0”: did you mean 76.0?", ["72", "84"]),
        ("hidden_size", "1.536", "“1.536”: did you mean 1536?", ["1,536"]),
        ("hidden_size", "768 px", "has more than a number in it", ["768"]),
        ("image_size", "224 GB", "“224 GB” is not in px", ["224"]),
        ("image_size", "224,224", "did you mean 224 x 224 or 224224?", ["224 x 224", "224,224"]),
        ("image_size", "224,5 x 224", "must be a whole number, and 224,5 looks like 224.5", ["224 x 224", "240 x 224"]),
        ("image_size", "224 x", "a side is missing in “224 x”", ["224"]),
        ("image_size", "2 x 3 x 4", "more than two numbers", ["224"]),
        ("images", "1e30", "at most", ["1,000,000,000,000"]),
    ],
)
def test_what_is_impossible_is_refused_with_the_nearest_possible(
    field: str, typed: str, words: str, nearest: list[str]
) -> None:
    refused = refusal({field: typed})
    assert words in str(refused) and offers(refused) == nearest


def test_every_offer_is_possible() -> None:
    rng, seen = random.Random(0), 0
    for _ in range(400):
        field = rng.choice(list(NUMBERS))
        typed = rng.choice(
            [
                "0",
                "-3",
                "3.7",
                "1e9",
                "17",
                "1e300",
                "",
                "x",
                "999999",
                str(rng.randrange(1, 5000)),
                "100x17",
                "224 x 3.5",
                "0 x 77",
                "9999999x8",
            ]
        )
        start = Setting(rng.choice(list(FAMILY.values())))
        try:
            changed(start, {field: typed})
        except SettingRefused as refused:
            seen += 1
            assert refused.nearest, (field, typed)
            for label, changes in refused.nearest:
                assert changed(start, changes), (field, typed, label)
    assert seen > 200


def test_a_head_needs_something_to_read() -> None:
    refused = refusal({"class_token": "no"})
    assert "Without a class token" in str(refused)
    without = changed(Setting(), refused.nearest[0][1])
    assert not without.shape.class_token and without.shape.pool == "gap"
    assert "Without a class token" in str(refusal({"pool": "cls"}, without))
    assert "is one of cls, gap, map" in str(refusal({"pool": "max"}))


@pytest.mark.parametrize(
    ("typed", "value"), [("1,020", 1020), (" 768 ", 768), ("1e3", None), ("1536.0", 1536), ("1 200", 1200)]
)
def test_numbers_are_read_as_people_write_them(typed: str, value: int | None) -> None:
    if value is None:
        assert offers(refusal({"hidden_size": typed})) == ["996", "1,008"]
    else:
        assert changed(Setting(), {"hidden_size": typed}).shape.hidden_size == value


def test_a_picture_need_not_be_square() -> None:
    for typed in ("224 x 320", "224×320", "224x320"):
        setting = changed(Setting(), {"image_size": typed})
        assert setting.shape.image_size == (224, 320) and value_of(setting, "image_size") == "224 x 320"
    assert read(write(setting)) == setting


def random_shapes(how_many: int, seed: int = 8, library: bool = False) -> list[ViTShape]:
    """Valid shapes, small enough to build; with `library` only such as the library's own ViT can have."""
    rng, found = random.Random(seed), []
    for _ in range(how_many):
        P, k, cls = rng.randint(1, 8), rng.randint(1, 6), library or rng.random() < 0.7
        height, width = P * rng.randint(1, 6), P * rng.randint(1, 6)
        shape = ViTShape(
            image_size=(height, width) if height != width else height,
            patch_size=P,
            num_channels=rng.randint(1, 4),
            hidden_size=k * rng.randint(1, 9),
            num_attention_heads=k,
            num_hidden_layers=rng.randint(1, 4),
            intermediate_size=rng.randint(1, 90),
            num_labels=rng.randint(0, 30),
            qkv_bias=rng.random() < 0.7,
        )
        if not library:
            shape = replace(
                shape,
                class_token=cls,
                registers=rng.randint(0, 4),
                pool=rng.choice(["cls", "gap"]) if cls else "gap",
                gated_mlp=rng.random() < 0.4,
                position=rng.choice(["learned", "none"]),
                norm_bias=rng.random() < 0.7,
            )
        found.append(shape)
    return found


def test_a_link_brings_every_setting_back() -> None:
    for first, second in zip(random_shapes(150), [*random_shapes(75, 9), *[None] * 75], strict=True):
        setting = Setting(first, second, batch=3, epochs=14)
        text = write(setting)
        assert read(text) == setting and len(text) <= 400
    assert write(Setting()) == "" and read("") == Setting()
    assert write(Setting(FAMILY["L/16"], FAMILY["L/32"])) == "L/16~L/32"
    assert read("B/16,image_size=384").shape == replace(FAMILY["B/16"], image_size=384)


@pytest.mark.parametrize(
    "rubbish",
    [
        "x",
        "B/16~B/16~B/16",
        "B/16,hidden_size=5",
        "B/16,__class__=1",
        "B/16,=",
        "~",
        "B/16,image_size=1e99",
        "9" * 401,
        "B/16,pool=max",
        "b/16",
        "B/16,,",
        "B/16 ~L/16",
        "B/16,class_token=no",
        "B/16,hidden_size=76,8",
        "B/16,epochs=0,5",
    ],
)
def test_rubbish_is_refused_with_a_sentence(rubbish: str) -> None:
    with pytest.raises(ValueError) as caught:
        read(rubbish)
    assert len(str(caught.value)) > 15


def test_names_in_words() -> None:
    assert name_of(FAMILY["g/14"]) == "g/14" and name_of(replace(FAMILY["g/14"], registers=1)) is None
    assert title_of(FAMILY["B/16"]) == "ViT-B/16"
    assert title_of(replace(FAMILY["B/16"], image_size=384, num_labels=0)) == "ViT-B/16 with 384 px, no head"
    assert set(NUMBERS) | set(OPTIONS) >= {"image_size", "pool", "registers"}


# --- the whole way: typed, written, read, counted


@pytest.mark.parametrize("library", [True, False], ids=["the library's own", "plain modules of torch"])
def test_two_hundred_random_shapes_count_as_many_parameters_as_the_model_has(library: bool) -> None:
    shapes = random_shapes(100, library=library)
    for shape in shapes:
        shape = read(write(Setting(shape))).shape
        with torch.device("meta"):
            model = library_on_meta(shape) if library else PlainViT(shape)
        assert counted(model) == parameters(shape)["total"], shape
    assert len({parameters(shape)["total"] for shape in shapes}) > 90


def test_twenty_random_shapes_cost_what_torchs_counter_says() -> None:
    for shape in random_shapes(20, seed=11, library=True):
        size = size_pair(shape.image_size)
        counted_flops = flops(library_on_meta(shape), torch.empty(1, shape.num_channels, *size, device="meta"))
        assert counted_flops == 2 * macs(shape)["total"], shape


@pytest.mark.parametrize("shape", [FAMILY["Ti/16"], replace(FAMILY["Ti/16"], image_size=(32, 64), num_labels=0)])
def test_the_code_builds_that_model(shape: ViTShape, capsys: pytest.CaptureFixture[str]) -> None:
    with torch.device("meta"):
        exec(config_code(shape), {})
    assert capsys.readouterr().out.strip() == f"{parameters(shape)['total']:,}"


def test_the_code_says_what_the_library_cannot_build() -> None:
    code = config_code(FAMILY["DINOv3-7B"])
    assert "# ViTConfig has no field for: 4 registers, a gated MLP, no position table." in code
    assert "# ViTConfig" not in config_code(FAMILY["B/16"])
