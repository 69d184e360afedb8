"""Numbers as a reader reads them: little never reads as nothing."""

from __future__ import annotations

import pytest

from widgets.common.number_formats import percent
from widgets.counting.ledger import parameter_lines, product_lines
from widgets.model.shape import FAMILY


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (1, "100.0%"),
        (0.327, "32.7%"),
        (0.001, "0.1%"),
        (0.00044, "0.04%"),
        (0.0001, "0.01%"),
        (9e-6, "under 0.01%"),
        (0, "nothing"),
    ],
)
def test_a_share_is_written_with_the_digits_that_it_has(share: float, written: str) -> None:
    assert percent(share) == written


@pytest.mark.parametrize("shape", FAMILY.values(), ids=FAMILY)
def test_no_line_of_a_ledger_reads_as_nothing_when_it_is_not(shape) -> None:
    for line in [*parameter_lines(shape), *product_lines(shape)]:
        assert (percent(line.share) == "nothing") == (line.count == 0) and percent(line.share) not in ("0.0%", "0.00%")
