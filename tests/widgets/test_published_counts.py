"""PublishedCounts without a browser: what fits what, and the calculator that follows."""

from __future__ import annotations

import pytest

from widgets import PublishedCounts, Selection, ViTCalculator
from widgets.model.published_counts import published_counts

BY = {claim.key: claim for claim in published_counts()}


@pytest.mark.parametrize(("key", "printed", "fits"), [
    ("base", "86M", [False, True, True]), ("large", "307M", [False, False, True, False, True]), ("huge", "632M", [True, False, True]),
    ("tiny", "5M", [False, False]), ("g", "1,011M", [True, False]), ("G", "1,843M", [True, False]), ("22B", "21,743M", [True, False]),
    ("DINOv3", "6.7B", [True, True, False]),
])
def test_what_fits_what(key: str, printed: str, fits: list[bool]) -> None:
    claim = BY[key]
    assert claim.printed == printed and [way.fits for way in claim.conventions] == fits


def test_one_convention_fits_base_large_and_huge() -> None:
    tanh = [next(way for way in reversed(BY[key].conventions) if "tanh" in way.words) for key in ("base", "large", "huge")]
    assert [way.counted for way in tanh] == [86_389_248, 306_560_000, 632_404_480] and all(way.fits for way in tanh)
    for other in ("with a head of 1,000 classes", "without a head"):
        ways = [[way.fits for way in BY[key].conventions if way.words.endswith(other)] for key in ("base", "large", "huge")]
        assert not all(any(of_model) for of_model in ways), "no other convention fits all three"
    assert all("inference" in BY[key].verdict for key in ("base", "large", "huge", "tiny"))


def test_the_calculator_of_the_page_is_set_to_the_chosen_way() -> None:
    selection = Selection()
    calculator, widget = ViTCalculator(selection=selection), PublishedCounts(selection=selection)
    assert selection.setting == "", "nothing is set before the reader chooses"
    for claim in BY.values():
        widget._printed.chosen = claim.key
        for number, way in enumerate(claim.conventions):
            widget._ways.chosen = str(number)
            shown = int(calculator._ledger.foot[1].replace(",", ""))
            blocks = next(line["cells"][0] for line in calculator._costs.lines if line["name"] == "Matrices of the blocks alone")
            assert way.counted in (shown, int(blocks.replace(",", "")))
        assert claim.verdict in widget._words.object and claim.source in widget.describe().sentence


def test_a_way_that_a_claim_does_not_have_is_its_last() -> None:
    widget = PublishedCounts(selection=Selection(), claim="large", way=4)
    widget._printed.chosen = "tiny"
    assert widget.way == 0 and widget.selection.setting == "Ti/16"
    widget.way = 99
    assert widget.selection.setting == "Ti/16,num_labels=0"
    widget.claim = "nothing of the kind"
    assert widget.now.key == "base"
