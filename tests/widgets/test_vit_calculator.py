"""ViTCalculator without a browser: what it counts, what it refuses, what two of them share."""

from __future__ import annotations

import csv
from io import StringIO

import pytest

from tests.model.test_count import REFERENCE
from tests.model.test_setting import random_shapes
from widgets import Selection, ViTCalculator
from widgets.counting.calculator_settings import NUMBERS, Setting, read, write
from widgets.model import count
from widgets.model.shape import FAMILY


@pytest.fixture
def calculator() -> ViTCalculator:
    return ViTCalculator(selection=Selection())


def total(calculator: ViTCalculator) -> int:
    return int(calculator._ledger.foot[1].replace(",", ""))


@pytest.mark.parametrize("name", FAMILY)
def test_every_preset_shows_its_ledger(calculator: ViTCalculator, name: str) -> None:
    calculator._preset.value = name
    shape = FAMILY[name]
    assert total(calculator) == count.parameters(shape)["total"]
    assert int(calculator._ledger.lines[-1]["cells"][1].replace(",", "")) == total(calculator), (
        "the running total ends at the total"
    )
    costs = {line["name"]: line["cells"][0] for line in calculator._costs.lines}
    assert costs["Multiply-adds, in all"] == f"{count.macs(shape)['total']:,}"
    assert costs["FLOPs"] == f"{2 * count.macs(shape)['total']:,}"
    assert costs["Matrices of the blocks alone"] == f"{count.block_matrices(shape):,}"


def test_published_figures_of_training() -> None:
    for row in REFERENCE["table6_exaflops"]:
        text = write(Setting(FAMILY[row["model"]], epochs=row["epochs"])) or "B/16"
        calculator = ViTCalculator(selection=Selection(), setting=text)
        calculator.enter({"num_labels": "18,291"})
        shown = {line["name"]: line["cells"][0] for line in calculator._costs.lines}["Compute of training"]
        assert float(shown.split()[0].replace(",", "")) == pytest.approx(
            row["ours_18291_classes_303e6_images"], rel=5e-3
        )


def test_random_shapes_typed_field_by_field_are_what_is_shown(calculator: ViTCalculator) -> None:
    for shape in random_shapes(40, seed=3):
        calculator.selection.setting = write(Setting(shape))
        assert total(calculator) == count.parameters(shape)["total"]
        assert calculator.now.shape == shape


@pytest.mark.parametrize(
    ("field", "typed"),
    [(f, t) for f in NUMBERS for t in ("", "0", "-1", "3.7", "1e9999", "inf", "nan", "x" * 9999, "<b>", "💥", "0x10")],
)
def test_absurd_input_never_moves_the_last_good_setting(calculator: ViTCalculator, field: str, typed: str) -> None:
    before = total(calculator), calculator.selection.setting
    calculator.enter({field: typed})
    if field in ("num_labels", "registers") and typed == "0":
        return
    assert (total(calculator), calculator.selection.setting) == before
    refusal = calculator._sheet.refusals[field]
    assert refusal["typed"] == typed and len(refusal["sentence"]) < 200 and refusal["offers"]
    calculator.enter(refusal["offers"][0][1])
    assert not calculator._sheet.refusals, "the offer is possible, and the refusal is over"


@pytest.mark.parametrize(
    ("field", "typed", "words", "offers"),
    [
        ("image_size", "61,5", "Picture side must be a whole number, and 61,5 looks like 61.5.", ["48", "64"]),
        ("image_size", "0,5", "Picture side must be a whole number, and 0,5 looks like 0.5.", ["16"]),
        ("image_size", "224,32", "“224,32”: did you mean 224 x 32?", ["224 x 32"]),
        ("patch_size", "61,5", "Patch side P must be a whole number, and 61,5 looks like 61.5.", ["56", "112"]),
        ("hidden_size", "61,5", "Width D must be a whole number, and 61,5 looks like 61.5.", ["60", "72"]),
    ],
)
def test_a_comma_between_digits_is_asked_about_in_every_field(
    calculator: ViTCalculator, field: str, typed: str, words: str, offers: list[str]
) -> None:
    before = calculator.now
    calculator.enter({field: typed})
    refusal = calculator._sheet.refusals[field]
    assert (
        calculator.now == before and words in refusal["sentence"] and [text for text, _ in refusal["offers"]] == offers
    )
    calculator.enter(refusal["offers"][-1][1])
    assert not calculator._sheet.refusals and calculator.now != before


def test_a_field_nobody_has_is_not_answered(calculator: ViTCalculator) -> None:
    calculator.enter({"__class__": "1"})
    calculator.enter({})
    assert calculator.now == Setting() and not calculator._sheet.refusals


def test_the_largest_settings_are_counted_at_once(calculator: ViTCalculator) -> None:
    for field, value in (
        ("num_attention_heads", "1"),
        ("hidden_size", "1048576"),
        ("num_hidden_layers", "10000"),
        ("intermediate_size", "16777216"),
        ("image_size", "1048576"),
        ("patch_size", "1"),
        ("batch", "1000000"),
    ):
        calculator.enter({field: value})
    assert not calculator._sheet.refusals and total(calculator) > 10**17
    assert calculator.describe().sentence.endswith(".") and calculator.still()


def test_two_models_beside_each_other(calculator: ViTCalculator) -> None:
    calculator._preset.value, calculator._beside.value = "L/16", "L/32"
    assert calculator.selection.setting == "L/16~L/32" and calculator._ledger.foot == [
        "Total",
        "304,326,632",
        "",
        "306,535,400",
    ]
    assert calculator._ledger.heads == ["ViT-L/16", "running total", "ViT-L/32"]
    shapes = {line["key"]: line for line in calculator._shapes.lines}
    assert calculator._shapes.heads == ["ViT-L/16", "ViT-L/32"] and shapes["A"]["cells"] == [
        "1 × 16 × 197 × 197",
        "1 × 16 × 50 × 50",
    ]
    calculator.swap()
    assert calculator._ledger.foot[1] == "306,535,400" and calculator._preset.value == "L/32"
    calculator.enter({"num_labels": "0"})
    assert "–" in [line["cells"][0] for line in calculator._ledger.lines], "a line that one of them does not have"
    assert calculator._shapes.lines[-1]["cells"] == ["–", "1 × 1,000"]
    calculator._beside.value = "nothing"
    assert calculator.now.other is None and len(calculator._ledger.heads) == 2


def test_calculators_of_a_page_share_the_setting_unless_it_is_their_own() -> None:
    selection = Selection()
    first, second, own = (ViTCalculator(selection=selection, **extra) for extra in ({}, {}, {"setting": "g/14"}))
    first.enter({"image_size": "384"})
    assert total(second) == 86_859_496 and second._sheet.fields[0]["value"] == "384"
    assert total(own) == 1_011_199_616
    own.enter({"num_hidden_layers": "1"})
    assert total(first) == 86_859_496 and read(own.setting).shape.num_hidden_layers == 1


def test_a_setting_that_is_none_is_answered_and_the_last_one_stays() -> None:
    selection = Selection()
    calculator = ViTCalculator(selection=selection)
    selection.setting = "L/16"
    selection.setting = "B/16,hidden_size=770"
    assert (
        calculator._ledger.status == "refused"
        and "770 is not" in calculator._ledger.message
        and total(calculator) == 304_326_632
    )
    selection.setting = "H/14"
    assert calculator._ledger.status == "ready" and total(calculator) == 632_045_800


def test_shapes_of_a_batch(calculator: ViTCalculator) -> None:
    calculator.enter({"batch": "32"})
    shown = {line["key"]: line["cells"] for line in calculator._shapes.lines}
    assert shown["A"] == ["32 × 12 × 197 × 197", f"{32 * 12 * 197 * 197:,}"] and shown["logits"][0] == "32 × 1,000"
    memory = {line["name"]: line["cells"][0] for line in calculator._costs.lines}["Attention weights kept"]
    assert memory == f"{12 * 32 * 12 * 197 * 197 * 2 / 2**20:.0f} MiB" == "341 MiB"


def test_the_file_and_the_code_are_of_what_is_shown(calculator: ViTCalculator) -> None:
    calculator.enter({"image_size": "384"})
    rows = list(csv.DictReader(StringIO(calculator._csv.text)))
    assert sum(int(row["count"]) for row in rows if row["counted"] == "parameters") == 86_859_496
    assert "image_size=384" in calculator._code.code


def test_each_line_is_explained(calculator: ViTCalculator) -> None:
    for line in calculator._ledger.lines:
        calculator._ledger.chosen = line["key"]
        assert line["name"] in calculator._why.object and "of the total" in calculator._why.object
    assert "0.9%" in calculator._why.object
    calculator.chosen = "registers"
    assert "no such piece" in calculator._why.object


def test_a_brief_one_says_the_matrices_of_the_blocks_too() -> None:
    calculator = ViTCalculator(selection=Selection(setting="22B"), brief=True)
    assert (
        calculator.__panel__()
        and "21,743,271,936" in calculator._ledger.caption
        and total(calculator) == 21_750_829_056
    )
    assert calculator.describe().sentence == "ViT-22B has 21,750,829,056 parameters.", (
        "what it does not show it does not say"
    )


def test_the_compute_of_the_largest_models_is_written_out() -> None:
    calculator = ViTCalculator(selection=Selection(), setting="22B,epochs=1000000,images=1000000000000~B/16")
    shown = {line["name"]: line["cells"] for line in calculator._costs.lines}["Compute of training"]
    assert all("e+" not in text and text.endswith(" exaFLOPs") for text in shown)


def test_every_tensor_is_seen_without_scrolling_in_a_frame() -> None:
    calculator = ViTCalculator()
    assert len(calculator._shapes.lines) == 14 and calculator._shapes.frame_height == 0
