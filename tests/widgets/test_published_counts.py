"""PublishedCounts without a browser: what fits what, and the calculator that follows."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import nn

from widgets import PublishedCounts, Selection, ViTCalculator
from widgets.counting.ways_of_counting import POOLED, published_counts
from widgets.model.count import attention_pooling, parameters
from widgets.model.shape import FAMILY

BY = {claim.key: claim for claim in published_counts()}


@pytest.mark.parametrize(
    ("key", "printed", "fits"),
    [
        ("base", "86M", [False, True, True]),
        ("large", "307M", [False, False, True, False, True]),
        ("huge", "632M", [True, False, True]),
        ("large again", "303M", [True, False, False]),
        ("tiny", "5M", [False, False]),
        ("g", "1,011M", [True, False, False]),
        ("G", "1,843M", [True, False, False]),
        ("large at 384", "307M", [False, False, False, True]),
        ("So400m", "428M", [False, True]),
        ("22B", "21,743M", [True, False]),
        ("DINOv3", "6.7B", [True, True, False]),
    ],
)
def test_what_fits_what(key: str, printed: str, fits: list[bool]) -> None:
    claim = BY[key]
    assert claim.printed == printed and [way.fits for way in claim.conventions] == fits


def test_one_convention_fits_base_large_and_huge() -> None:
    tanh = [
        next(way for way in reversed(BY[key].conventions) if "tanh" in way.words) for key in ("base", "large", "huge")
    ]
    assert [way.counted for way in tanh] == [86_389_248, 306_560_000, 632_404_480] and all(way.fits for way in tanh)
    for other in ("with a head of 1,000 classes", "without a head"):
        ways = [
            [way.fits for way in BY[key].conventions if way.words.endswith(other)] for key in ("base", "large", "huge")
        ]
        assert not all(any(of_model) for of_model in ways), "no other convention fits all three"
    assert all(
        "inference" in BY[key].verdict for key in ("base", "large", "huge", "large again", "large at 384", "tiny")
    )


def test_the_pooling_is_the_layers_of_pytorch_and_so400m_fits_only_with_it() -> None:
    D, D_ff = 1152, 4304
    with torch.device("meta"):
        layers = nn.MultiheadAttention(D, 16), nn.LayerNorm(D), nn.Linear(D, D_ff), nn.Linear(D_ff, D)
    built = D + sum(p.numel() for layer in layers for p in layer.parameters())
    assert attention_pooling(FAMILY["So400m/14"]) == built == 15_238_352
    assert [way.counted for way in BY["So400m"].conventions] == [412_442_352, 427_680_704]


def test_the_verdict_on_deits_table_cuts_off_what_was_counted() -> None:
    totals = {name: parameters(FAMILY[name])["total"] for name in ("Ti/16", "S/16", "B/16")}
    bare = {name: parameters(replace(FAMILY[name], num_labels=0))["total"] for name in totals}
    assert [f"{n / 1e6:.2f}" for n in totals.values()] == ["5.72", "22.05", "86.57"] and "5.72, 22.05 and 86.57" in BY[
        "tiny"
    ].verdict
    assert [n // 10**6 for n in totals.values()] == [5, 22, 86] and [n // 10**6 for n in bare.values()] == [5, 21, 85]
    assert "inference" in BY["g"].verdict and "inference" in BY["So400m"].verdict


def test_the_calculator_of_the_page_is_set_to_the_chosen_way() -> None:
    selection = Selection()
    calculator, widget = ViTCalculator(selection=selection), PublishedCounts(selection=selection)
    assert selection.setting == "", "nothing is set before the reader chooses"
    for claim in BY.values():
        widget._printed.chosen = claim.key
        for number, way in enumerate(claim.conventions):
            widget._ways.chosen = str(number)
            shown = int(calculator._ledger.foot[1].replace(",", ""))
            blocks = next(
                line["cells"][0] for line in calculator._costs.lines if line["name"] == "Matrices of the blocks alone"
            )
            pooling = attention_pooling(calculator.now.shape) if way.words.endswith(POOLED) else 0
            assert way.counted in (shown + pooling, int(blocks.replace(",", "")))
        assert claim.verdict in widget._words.object and claim.source in widget.describe().sentence


def test_a_way_that_a_claim_does_not_have_is_its_last() -> None:
    widget = PublishedCounts(selection=Selection(), claim="large", way=4)
    widget._printed.chosen = "tiny"
    assert widget.way == 0 and widget.selection.setting == "Ti/16"
    widget.way = 99
    assert widget.selection.setting == "Ti/16,num_labels=0"
    widget.claim = "nothing of the kind"
    assert widget.now.key == "base"
