"""The traps of accounting: each amount against reference.json or a count by hand, and the place it points to is
there."""

from __future__ import annotations

import re

import nbformat
import pytest

from tests.model.test_count import REFERENCE
from widgets import Miscount
from widgets.counting.accounting_traps import attention_for_every_head, core_and_chip, traps
from widgets.lesson import contents
from widgets.model.shape import FAMILY

BY = {trap.name: trap for trap in traps()}


def test_a_right_amount_is_never_the_wrong_one() -> None:
    assert len(BY) == len(traps()) >= 10 and all(trap.right != trap.wrong for trap in BY.values())


@pytest.mark.parametrize("trap", BY.values(), ids=BY)
def test_every_trap_points_to_a_heading_of_its_chapter(trap) -> None:
    path = next(contents.FOLDER.glob(f"{trap.chapter}_*.ipynb"))
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown")
    assert re.search(rf"^##+ {re.escape(trap.heading)}$", text, re.M)


def test_attention_for_every_head_by_hand() -> None:
    assert attention_for_every_head(FAMILY["B/16"]) == 86_567_656 + 11 * 12 * (4 * 768**2 + 4 * 768) == 398_400_232


def test_what_chapter_08s_break_it_counts_is_the_same() -> None:
    by_mistake = {mistake: Miscount(mistake=mistake).counts[1] for mistake in ("heads-multiply", "qkv-biases")}
    assert by_mistake["heads-multiply"] == attention_for_every_head(FAMILY["B/16"])
    for mistake, name in (
        ("heads-multiply", "attention multiplied by the heads"),
        ("qkv-biases", "q, k and v without their biases"),
    ):
        assert BY[name].wrong == f"{by_mistake[mistake] / 1e6:,.2f}M"


def test_three_are_conventions_and_the_chapter_says_three() -> None:
    assert [trap.name for trap in BY.values() if trap.convention] == [
        "the head of 1,000 classes left out",
        "ViT-22B's block matrices alone",
        "multiply-adds called FLOPs",
    ]
    path = next(contents.FOLDER.glob("09_*.ipynb"))
    assert "Three are conventions" in path.read_text(encoding="utf-8")


def test_amounts_are_those_of_the_reference() -> None:
    seen = REFERENCE["flop_counter_vit_b16_224"]
    assert sorted(seen.values(), reverse=True)[:2] == [35_127_656_448, 33_697_001_472]
    expected = {
        "attention multiplied by the heads": ("86.57M", "398.40M"),
        "the head of 1,000 classes left out": ("86.57M", "85.80M"),
        "224 px's position table at 384 px": ("86.86M", "86.57M"),
        "q, k and v without their biases": ("86.57M", "86.54M"),
        "L/16 takes L/32's count, 307M": ("304.33M", "306.54M"),
        "ViT-22B's block matrices alone": ("21,750.83M", "21,743.27M"),
        "multiply-adds called FLOPs": ("35.13 GFLOPs", "17.56 GFLOPs"),
        "fused attention, hidden from a counter": ("35.13 GFLOPs", "33.70 GFLOPs"),
        "6 N a picture, not a token": ("223.7 exaFLOPs", "1.1 exaFLOPs"),
        "ViT-22B: a core's peak for a chip's": ("54.9%", "109.9%"),
    }
    assert {name: (trap.right, trap.wrong) for name, trap in BY.items()} == expected


def test_a_core_has_half_of_a_chips_peak() -> None:
    chip, core = core_and_chip()
    assert round(chip, 3) == REFERENCE["mfu"]["vit_22b_tpuv4"] and core == pytest.approx(2 * chip) and core > 1
