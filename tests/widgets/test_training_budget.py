"""TrainingBudget without a browser: Table 6, utilisation, wrong counts, absurd input."""

from __future__ import annotations

import pytest

from tests.model.test_count import REFERENCE
from widgets import TrainingBudget
from widgets.common.facts import published
from widgets.counting.budget import FIELDS, peaks, runs
from widgets.model.costs import WAYS, flops_a_token, padded_tokens, speeds, table6
from widgets.model.count import implied_mfu
from widgets.model.shape import FAMILY

ABSURD = ("", "0", "-1", "1e15", "text", "nan", "inf", "1e9999", "9" * 400, "<b>", "💥", "1e", "--1", "1.2.3")


def test_table_6_is_counted_as_the_reference_says() -> None:
    for row, known in zip(table6(), REFERENCE["table6_exaflops"], strict=True):
        assert (row.model, row.epochs, row.printed) == (known["model"], known["epochs"], known["paper"])
        assert round(row.counted, 2) == known["ours_18291_classes_303e6_images"]
    assert [abs(row.difference) < 0.0015 for row in table6()] == [False, True, True, True, True, True]
    assert round(100 * table6()[0].difference, 1) == 2.3


@pytest.mark.parametrize("title", list(runs()))
def test_a_preset_shows_its_row(title: str) -> None:
    widget = TrainingBudget()
    widget._preset.value = title
    counted = next(row for row in table6() if f"ViT-{row.model}, {row.epochs} epochs" == title).counted
    assert dict(widget.rows())["compute of the run"] == f"{counted:,.4g} exaFLOPs"
    assert title in [line["name"] for line in widget._table.lines] and widget.still()


def test_utilisation_of_huge_and_of_22b() -> None:
    widget = TrainingBudget()
    assert dict(widget.rows())["if it takes the 2,500 TPU v3 core-days of Table 2"] == "32.1% of the peak"
    row = published("vit_22b")["training"]["rows"][0]
    flops = flops_a_token(FAMILY["22B"])
    assert flops == 131_365_601_280
    a_day = flops * row["tokens_a_second"] * 86_400 / 1e18
    shares = {device: implied_mfu(a_day, 1, peak) for device, peak in peaks().items()}
    assert (
        round(shares["a TPU v4 chip"], 3) == REFERENCE["mfu"]["vit_22b_tpuv4"] == row["utilisation"]
        and shares["a TPU v4 core"] > 1
    )


def test_each_wrong_way_misses_the_table() -> None:
    assert [way for way in WAYS if sum(abs(row.difference) < 0.005 for row in table6(way)) == 5] == ["right"]
    by_way = {way: table6(way)[1].counted for way in WAYS}  # B/16
    assert round(by_way["6nd"]) == 213 and by_way["6nd"] / by_way["6n"] == pytest.approx(197)
    assert by_way["macs"] == by_way["right"] / 2 and by_way["forward"] == pytest.approx(by_way["right"] / 3)
    widget = TrainingBudget(way="6n")
    assert "A picture is not one token" in widget.describe().sentence and "0 of 6 rows" in widget._said.object


def test_absurdly_long_runs_are_written_out() -> None:
    widget = TrainingBudget()
    widget.enter({"epochs": "1,000,000"})
    assert dict(widget.rows())["compute of the run"] == "304,200,000 exaFLOPs"
    assert not any("e+" in text for _, text in widget.rows()) and "e+" not in widget.describe().sentence


def test_days_follow_devices_and_utilisation() -> None:
    widget = TrainingBudget()
    days = widget.run.device_days()
    widget.enter({"devices": "1,000"})
    assert dict(widget.rows())["days on 1,000 devices"] == f"{days / 1000:,.4g}"
    widget.enter({"mfu": "64%"})
    assert widget.run.device_days() == pytest.approx(days / 2)
    widget._device.value = "a TPU v4 chip"
    assert widget.run.peak == 275 and widget._device.value == "a TPU v4 chip"
    widget.enter({"peak": "312"})
    assert widget._device.value == "your own"
    widget.enter({"model": "SAM H/16"})
    assert widget.run.shape.image_size == 1024 and widget._preset.value == "your own"


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("typed", ABSURD)
def test_absurd_input_is_refused_in_place_and_moves_nothing(field: str, typed: str) -> None:
    widget = TrainingBudget()
    before = widget.run
    widget.enter({field: typed})
    if (field, typed) == ("classes", "0"):
        assert widget.run.classes == 0
        return
    assert widget.run == before and widget._sheet.refusals[field]["sentence"].endswith(".")
    for _, changes in widget._sheet.refusals[field]["offers"]:
        widget.enter(changes)
        assert not widget._sheet.refusals


@pytest.mark.parametrize(
    ("field", "typed", "offers"),
    [
        ("peak", "61,5", ["61.5"]),
        ("epochs", "0,5", ["0.5"]),
        ("epochs", "1,234", ["1234", "1.234"]),
        ("mfu", "1,234", ["1.234"]),
        ("devices", "2,5", ["2", "3"]),
        ("peak", "16 GB", ["61.5"]),
        ("images", "303.000.000", ["303,000,000"]),
    ],
)
def test_a_comma_or_a_unit_that_is_in_doubt_is_asked_about_and_every_offer_is_read(
    field: str, typed: str, offers: list[str]
) -> None:
    for chosen in range(len(offers)):
        widget = TrainingBudget()
        before = widget.run
        widget.enter({field: typed})
        refusal = widget._sheet.refusals[field]
        assert widget.run == before and [text for text, _ in refusal["offers"]] == offers
        widget.enter(refusal["offers"][chosen][1])
        assert not widget._sheet.refusals and getattr(widget.run, field) == float(offers[chosen].replace(",", ""))


def test_units_of_a_field_may_stand_behind_its_number_and_what_a_field_shows_is_read_back() -> None:
    widget = TrainingBudget()
    widget.enter({"peak": "123.5 TFLOP/s"}), widget.enter({"mfu": "50 %"}), widget.enter({"epochs": "1234 epochs"})
    assert (widget.run.peak, widget.run.mfu, widget.run.epochs) == (123.5, 50, 1234)
    for field in widget._fields():
        if field["key"] in FIELDS:
            widget.enter({field["key"]: field["value"]})
            assert not widget._sheet.refusals, field


def test_printed_speeds_beside_counts() -> None:
    deit = {(row.model, row.image_size): row for row in speeds()}
    assert round(deit["B/16", 384].counted_ratio, 2) == 3.16 and round(deit["B/16", 384].time_ratio, 2) == 3.40
    assert round(1 / deit["Ti/16", 224].counted_ratio) == 14 and round(1 / deit["Ti/16", 224].time_ratio, 1) == 8.7
    swin = {row.model: row for row in speeds("swin", ("DeiT-B", 224))}
    assert swin["Swin-B"].counted_ratio < 1 < swin["Swin-B"].time_ratio
    assert (
        padded_tokens(257) == published("scaling_vit")["padding"]["rows"][0]["padded_to"] and padded_tokens(256) == 256
    )
