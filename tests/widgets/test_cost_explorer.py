"""CostExplorer without a browser: the parts are those of count.macs, absurd input moves nothing, windows are SAM's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.model.test_count import REFERENCE
from widgets import CostExplorer
from widgets.counting.cost_explorer import MACS
from widgets.model import count
from widgets.model.costs import SEGMENT, models, sides

ABSURD = ("", "0", "-1", "−1", "1e9", "3.7", "text", "nan", "inf", "1e9999", "9" * 400, "<b>", "💥", "225")


def cells(widget: CostExplorer) -> dict[str, int]:
    return {line["key"]: int(line["cells"][0].replace(",", "")) for line in widget._ledger.lines}


@pytest.mark.parametrize("side", REFERENCE["vit_b16_macs"])
def test_the_parts_of_vit_b16(side: str) -> None:
    widget = CostExplorer()
    widget.enter({"image_size": side})
    expected = REFERENCE["vit_b16_macs"][side]
    shown = cells(widget)
    assert {part: shown[part] for part in ("patch", "linear", "attention", "head")} == {
        part: expected[part] for part in ("patch", "linear", "attention", "head")
    }
    assert (
        widget._ledger.foot[1] == f"{expected['total']:,}" and f"{2 * expected['total']:,}." in widget._ledger.caption
    )


@pytest.mark.parametrize("name", list(models()))
def test_curves_cross_where_the_count_says_and_everything_follows_the_model(name: str) -> None:
    widget = CostExplorer(model=name)
    crossover, curves = count.attention_crossover(widget.shape), widget.curves()
    for side, linear, attention in zip(sides(widget.shape), curves["linear"], curves["attention"], strict=True):
        assert (attention >= linear) == (side >= crossover)
    marks = dict((text, x) for x, text in widget._marks())
    assert marks[f"crossover {crossover:,} px"] == crossover
    assert f"{crossover:,} px" in widget.describe().sentence and widget.still()


def test_known_crossovers_and_the_default_models_figures() -> None:
    found = {name: count.attention_crossover(models()[name][1]) for name in ("B/16", "Ti/16", "S/14")}
    assert found == {**REFERENCE["crossover_image_size"], "S/14": REFERENCE["dinov2_small"]["crossover_image_size"]}
    assert count.macs(models()["S/14"][1])["total"] == REFERENCE["dinov2_small"]["macs_224"]
    assert "9.9% of 6,123,561,984" in CostExplorer(model="S/14").describe().sentence


def test_windows_of_sam() -> None:
    widget = CostExplorer(model=SEGMENT)
    rows = dict(widget._window_rows())
    assert (
        rows["grid of patches"] == "64 × 64"
        and rows["padded to whole windows"] == "70 × 70"
        and rows["windows, and tokens in each"] == "25 of 196"
    )
    assert rows["a windowed layer is cheaper by"] == "17.5 times"
    expected = REFERENCE["sam_window"]
    assert rows["all 32 layers global"].endswith(f"= {expected['global_attention_macs_all_32']:,}")
    assert rows["4 global, 28 windowed"].endswith(f"= {expected['with_28_windowed']:,}")
    assert dict(widget._memory_rows())["the same in 2 bytes each"] == f"{512 * 2**20:,} bytes = 512 MiB"
    assert widget._window_box.visible and not CostExplorer()._window_box.visible


def test_memory_with_and_without_flash_attention() -> None:
    widget = CostExplorer()
    assert dict(widget._memory_rows())["weights of a layer, h T², one picture"] == "465,708"
    widget.enter({"batch": "32"})
    kept, flash = widget.memory_curves().values()
    shape = models()["B/16"][1]
    assert kept == [count.attention_memory(shape, side, 32) for side in sides(shape)]
    assert flash == [12 * 32 * 12 * replace(shape, image_size=side).num_tokens * 4 for side in sides(shape)]


@pytest.mark.parametrize("field", ["image_size", "batch", "window", "global_layers"])
@pytest.mark.parametrize("typed", ABSURD)
def test_absurd_input_is_refused_in_place_and_moves_nothing(field: str, typed: str) -> None:
    widget = CostExplorer()
    before = widget.describe()
    widget.enter({field: typed})
    if (field, typed) in (("global_layers", "0"), ("batch", "225"), ("window", "225")):
        assert not widget._sheet.refusals
        return
    assert widget._sheet.refusals[field]["sentence"].endswith(".") and widget._sheet.refusals[field]["offers"]
    assert widget.describe() == before
    for _, changes in widget._sheet.refusals[field]["offers"]:
        widget.enter(changes)
        assert not widget._sheet.refusals, "what is offered is possible"


def test_a_picture_that_is_not_square_and_a_click_on_a_curve() -> None:
    widget = CostExplorer()
    widget.enter({"image_size": "224 x 448"})
    assert cells(widget)["linear"] == count.macs(models()["B/16"][1], (224, 448))[
        "linear"
    ] and widget.describe().sentence.startswith("ViT-B/16. At 224 × 448 px")
    widget._plot.tapped = ("attention, Q Kᵀ and A V", 40)
    assert widget.image_size == sides(widget.shape)[40] and widget._sheet.fields[0]["value"] == f"{widget.image_size:,}"


def test_another_model_keeps_a_size_its_patches_cut() -> None:
    widget = CostExplorer(image_size=448)
    widget.model = "H/14"
    assert widget.image_size == 448
    widget.image_size = 462
    widget.model = "B/16"
    assert widget.image_size == 224
    widget.show = MACS
    assert widget._plot.series[0].y[-1] == count.macs(widget.shape, sides(widget.shape)[-1])["patch"] / 1e9
