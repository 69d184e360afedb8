"""`make bench` says which promises are missed, and fails where one is missed twice over."""

from __future__ import annotations

import pytest

from tests.bench.promises import Figure, Promise, spread, verdict


@pytest.mark.parametrize(
    ("measured", "most", "missed", "status"),
    [(39.0, 40.0, 0, 0), (40.0, 40.0, 0, 0), (42.0, 40.0, 1, 0), (81.0, 40.0, 1, 1), (0, 0, 0, 0), (1, 0, 1, 1)],
)
def test_a_promise_is_kept_missed_or_failed(measured: float, most: float, missed: int, status: int) -> None:
    said, found = verdict({"hover": {"a click": Figure("shown", (Promise("median", measured, most, "ms"),))}})
    assert found == status and f"{missed} missed" in said
    assert ("Missed: a click, median" in said) == bool(missed)


def test_figures_without_a_promise_are_only_shown() -> None:
    assert verdict({"hover": {"a click": spread([1.0, 2.0, 300.0])}}) == ("0 promises, 0 missed.", 0)


def test_a_spread_holds_each_promise_beside_what_it_is_of() -> None:
    figure = spread([10.0] * 19 + [90.0], median=9, p95=200)
    assert [(p.what, p.missed) for p in figure.promises] == [("median", True), ("p95", False)]
    assert "median 10.0 ms" in str(figure) and "p95 at most 200 ms" in str(figure)
