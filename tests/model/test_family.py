"""The family's table against reference.json, and how counts grow, by hand."""

from __future__ import annotations

import pytest

from tests.model.test_count import KEYS, REFERENCE
from widgets.model import count
from widgets.model.family import family, growth
from widgets.model.shape import FAMILY


def test_the_family_side_by_side_is_the_reference() -> None:
    by = {row.model: row for row in family()}
    assert list(by) == list(FAMILY)
    for short_name, name in KEYS.items():
        facts, row = REFERENCE["family"][short_name], by[name]
        assert row.parameters == facts["parameters_1000_classes"] and row.macs == count.macs(FAMILY[name])["total"]
    assert by["g/14"][1:7] == (40, 1408, 6144, 16, 14, 256) and by["B/16"][1:8] == (
        12,
        768,
        3072,
        12,
        16,
        197,
        86_567_656,
    )


def test_growth_from_224_to_384_px() -> None:
    found = growth(FAMILY["B/16"], 224, 384)
    by_hand = {
        "pixels": (384 / 224) ** 2,
        "patch": 576 / 196,
        "linear": 577 / 197,
        "attention": (577 / 197) ** 2,
        "total": 55_484_350_464 / 17_563_828_224,
    }
    assert found == pytest.approx(by_hand)
