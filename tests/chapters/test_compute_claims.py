"""What chapter 09 says its reader should have seen is so."""

from __future__ import annotations

import itertools

import pytest

from tests.chapters.claims import table_6_misses
from widgets import CostExplorer, TrainingBudget
from widgets.common.facts import published
from widgets.counting import budget
from widgets.experiments.timing import sizes
from widgets.model import costs, count
from widgets.model.shape import FAMILY

B_16 = FAMILY["B/16"]


def shares(side: int) -> dict[str, float]:
    counted = count.macs(B_16, side)
    return {part: counted[part] / counted["total"] for part in ("patch", "linear", "attention")}


def test_the_shares_and_which_curve_bends_most() -> None:
    at = [shares(side) for side in costs.sides(B_16) if side >= 224]
    assert shares(224)["linear"] > 0.95 and max(one["patch"] for one in at) < 0.01
    assert all(a["attention"] < b["attention"] and a["linear"] > b["linear"] for a, b in itertools.pairwise(at))
    one, twice = count.macs(B_16, 224), count.macs(B_16, 448)
    assert twice["linear"] / one["linear"] == pytest.approx(4, rel=0.01) and twice["attention"] / one[
        "attention"
    ] == pytest.approx(16, rel=0.01)


def test_the_narrower_model_is_overtaken_first() -> None:
    assert (
        count.attention_crossover(FAMILY["Ti/16"]) < count.attention_crossover(FAMILY["22B"])
        and FAMILY["Ti/16"].hidden_size < FAMILY["22B"].hidden_size
    )


@pytest.mark.parametrize(("flash", "lines"), [(False, 4), (True, 2)])
def test_the_memory_for_ten_times_the_side(flash: bool, lines: int) -> None:
    small, large = (count.attention_memory(B_16, side, flash=flash) for side in (224, 2240))
    assert large / small == pytest.approx(10**lines, rel=0.02)


@pytest.mark.parametrize("typed", ["0", "3.7", "a word"])
def test_what_is_absurd_is_answered_under_its_field(typed: str) -> None:
    widget = CostExplorer()
    widget.enter({"image_size": typed})
    ((offer, _),) = widget._sheet.refusals["image_size"]["offers"]
    assert widget.image_size == 224 and int(offer) % 16 == 0


def test_the_windows_of_sam() -> None:
    found = {left: costs.windows(costs.models()[costs.SEGMENT][1], 1024, 14, left) for left in (0, 4, 32)}
    assert len({(w.one_global, w.one_windowed) for w in found.values()}) == 1, "a layer costs the same"
    assert found[0].mixed / found[4].mixed == pytest.approx(1 / 3, abs=0.01)
    sam = found[4]
    assert 4 * sam.one_global / (28 * sam.one_windowed) == pytest.approx(2.5, abs=0.01)
    assert found[32].mixed == sam.all_global == 32 * sam.one_global


def test_the_three_tasks_of_the_budget() -> None:
    widget = TrainingBudget()
    assert widget.run.model == "H/14" and widget.run.peak == budget.peaks()["a TPU v3 core"]
    compute, days = widget.run.exaflops("right"), widget.run.device_days("right")
    assert 6.5 < days / 365.25 < 7, "almost seven years"
    widget.enter({"peak": "123"})
    assert widget.run.exaflops("right") == compute and widget.run.device_days("right") == pytest.approx(days / 2)
    widget.enter({"devices": "1000"})
    rows = dict(widget.rows())
    assert widget.run.device_days("right") == pytest.approx(days / 2) and float(
        rows["days on 1,000 devices"]
    ) == pytest.approx(days / 2000, rel=1e-3)
    widget.enter({"mfu": "100"})
    least = widget.run.device_days("right")
    widget.enter({"mfu": "101"})
    assert widget.run.device_days("right") == least and widget._sheet.refusals["mfu"]


def test_the_size_nearest_to_half_the_multiply_adds() -> None:
    half = min(sizes(costs.models()[costs.SMALL][1]), key=lambda size: abs(size.ratio - 0.5))
    assert half.side == 168
    tiny, _, base, large = costs.speeds()
    assert (
        tiny.time_ratio > tiny.counted_ratio
        and large.time_ratio > large.counted_ratio
        and base.time_ratio == base.counted_ratio == 1
    )


def test_one_mistake_shows_without_the_table() -> None:
    def used(way: str) -> float:
        of_huge = costs.table6(way)[-1]
        assert of_huge.model == "H/14"
        return count.implied_mfu(of_huge.counted, budget.printed_core_days("H/14"), budget.peaks()["a TPU v3 core"])

    assert used("6n") == pytest.approx(0.001, rel=0.25)
    assert used("macs") / used("right") == pytest.approx(1 / 2) and used("forward") / used("right") == pytest.approx(
        1 / 3
    )
    for way in ("linear", "6nd"):
        assert max(abs(row.difference) for row in costs.table6(way)) < 0.05


def test_table_6_cannot_tell_the_classes() -> None:
    sun, about, none = (table_6_misses(classes)[:5] for classes in (costs.JFT_CLASSES, 18_000, 0))
    assert costs.JFT_CLASSES == published("pretraining_data")["JFT-300M"]["classes"] == 18_291
    assert max(sun) < 0.0015 and sun == pytest.approx(about, abs=1e-4) and max(none) < 0.0022


def test_six_n_a_picture_is_about_200_times_too_little() -> None:
    macs = count.macs(B_16)["total"]
    for N in (count.parameters(B_16)["total"], count.block_matrices(B_16)):
        assert round(6 * macs / (6 * N), -1) in (200, 210) and 6 * macs / (6 * N) > B_16.num_tokens


def test_whose_the_last_two_multiply_adds_are() -> None:
    by = {row.model: row for row in costs.speeds("swin", ("DeiT-B", 224)) if row.image_size == 224}
    printed = {
        row["model"]: row["flops_giga_as_printed"]
        for row in published("swin")["table1"]["rows"]
        if row["image_size"] == 224
    }
    assert (
        by["DeiT-B"].macs == count.macs(B_16)["total"]
        and f"{by['DeiT-B'].macs / 1e9:.1f}" != f"{printed['DeiT-B']:.1f}" == "17.5"
    )
    assert (
        by["Swin-B"].macs == printed["Swin-B"] * 1e9 < by["DeiT-B"].macs
        and by["Swin-B"].pictures_a_second < by["DeiT-B"].pictures_a_second
    )


def test_there_are_five_mistakes_one_of_which_shows_without_the_table() -> None:
    assert set(costs.WAYS) - {"right"} == {"macs", "forward", "linear", "6nd", "6n"}
