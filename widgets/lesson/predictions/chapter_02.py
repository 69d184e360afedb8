"""Predictions of chapter 02."""

from __future__ import annotations

from typing import Any


def growth_of_attention() -> float:
    """Entries of one attention table at P 8 over those at P 16, on 224 x 224 px."""
    from widgets.model.count import sequence_facts

    small, large = (sequence_facts((224, 224), P)["attention_entries"] for P in (8, 16))
    return small / large


PREDICTIONS: dict[str, dict[str, Any]] = {
    "02-halve-the-patch": {
        "question": (
            "A picture of 224 x 224 px is cut into patches of 16 px. You halve the patch side to 8 px. By what"
            " factor does the number of entries of one attention table grow?"
        ),
        "kind": "number",
        "unit": "times",
        "answer": growth_of_attention,
        "why": (
            "Half the side means four times the patches. The table has an entry for every pair of tokens, so it grows"
            " by nearly four times four. One extra token, which does not multiply, keeps it a little under sixteen."
        ),
    },
}
