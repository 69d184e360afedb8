"""Costs by size, windows, wrong ways of counting, and what PyTorch's counter sees."""

from __future__ import annotations

import pytest

from tests.model.test_count import REFERENCE
from widgets.common.number_formats import digits, short, written_bytes
from widgets.lesson.building_blocks import forward_macs
from widgets.lesson.exercises._counting import B_16
from widgets.model import count
from widgets.model.costs import (
    SEGMENT,
    models,
    operations_a_byte,
    other_kept,
    sides,
    training_exaflops,
    windowed_models,
    windows,
)
from widgets.model.flop_counters import WAYS, torch_flops
from widgets.model.shape import FAMILY


@pytest.mark.parametrize(("way", "known"), list(zip(WAYS, REFERENCE["flop_counter_vit_b16_224"].values(), strict=True)))
def test_pytorchs_counter_three_ways(way: str, known: int) -> None:
    assert torch_flops(FAMILY["B/16"], way) == known


def test_another_way_is_refused() -> None:
    with pytest.raises(ValueError, match="way must be one of eager, fused, fast path, not 'xla'"):
        torch_flops(FAMILY["B/16"], "xla")


@pytest.mark.parametrize("name", list(models()))
def test_sides_are_multiples_of_the_patch_and_reach_behind_the_crossover(name: str) -> None:
    shape = models()[name][1]
    found = sides(shape)
    assert all(side % shape.patch_size == 0 for side in found) and found == sorted(set(found))
    assert found[-1] > count.attention_crossover(shape) > found[0]


def test_windows_agree_with_a_count_by_hand() -> None:
    w = windows(models()[SEGMENT][1], (1024, 512), 14, 2)  # 64 x 32 patches, padded to 70 x 42: 5 x 3 windows
    assert (w.grid, w.padded, w.windows, w.tokens) == ((64, 32), (70, 42), 15, 196)
    assert w.one_global == 2 * (64 * 32) ** 2 * 1280 and w.one_windowed == 15 * 2 * 196**2 * 1280
    assert w.mixed == 2 * w.one_global + 30 * w.one_windowed
    with pytest.raises(ValueError, match="window must be"):
        windows(models()[SEGMENT][1], 1024, 0, 4)


def test_the_windows_of_vitdet_by_hand_and_those_of_sam() -> None:
    found = {model: w for model, _, w in windowed_models()}
    base = found["ViTDet ViT-B"]
    assert base.all_global == 12 * 2 * 4096**2 * 768 and base.mixed == 4 * 2 * 4096**2 * 768 + 8 * 25 * 2 * 196**2 * 768
    assert (
        found["ViTDet ViT-H"] == found["SAM ViT-H"]
        and found["SAM ViT-H"].mixed == REFERENCE["sam_window"]["with_28_windowed"]
    )


def test_wrong_ways_keep_the_size_they_are_asked_for() -> None:
    shape = FAMILY["B/16"]
    assert training_exaflops(shape, 384, 1, 1e6) == 6 * count.macs(shape, 384)["total"] * 1e6 / 1e18
    assert training_exaflops(shape, 384, 1, 1e6, "6nd") == 6 * count.block_matrices(shape) * 577 * 1e6 / 1e18
    linear = count.macs(shape, 384)
    assert training_exaflops(shape, 384, 1, 1e6, "linear") == pytest.approx(
        6 * (linear["total"] - linear["attention"]) * 1e6 / 1e18
    )


def test_given_to_the_exercise_is_the_total() -> None:
    assert forward_macs(B_16, 384) == REFERENCE["vit_b16_macs"]["384"]["total"]


def test_other_kept_tensors_meet_a_at_sixteen_head_widths() -> None:
    shape = FAMILY["B/16"]
    assert other_kept(shape, 224) == 12 * 32 * 197 * 768  # 32 T D bytes a block, D_ff = 4 D
    T = 1025  # 512 px: 32 x 32 patches and the class token
    assert other_kept(shape, 512, 4) * T == count.attention_memory(shape, 512, 4) * 16 * 64


def test_operations_a_byte_of_a_square_product() -> None:
    assert operations_a_byte(600, 600, 600) == pytest.approx(200)  # 2 n^3 over 2 bytes x 3 n^2
    assert operations_a_byte(1, 600, 600) < 1.01


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 bytes"), (1023, "1,023 bytes"), (512 * 2**20, "512 MiB"), (2**50, "1,024 TiB")]
)
def test_bytes_in_words(number: int, text: str) -> None:
    assert written_bytes(number) == text


@pytest.mark.parametrize(
    ("number", "kept", "text"),
    [
        (224.1, 3, "224"),
        (71_321.0, 3, "71,300"),
        (4258.6, 4, "4,259"),
        (3.041e8, 4, "304,100,000"),
        (999.96, 3, "1,000"),
        (2.5, 4, "2.500"),
        (6e-18, 3, "under 0.001"),
        (0.0, 3, "under 0.001"),
    ],
)
def test_digits_are_never_a_power_of_ten(number: float, kept: int, text: str) -> None:
    assert digits(number, kept) == text


@pytest.mark.parametrize(
    ("number", "text"), [(12, "12"), (17_563_828_224, "17.6 G"), (1_374_389_534_720, "1.37 T"), (4.26e21, "4,260 E")]
)
def test_amounts_in_words(number: float, text: str) -> None:
    assert short(number) == text
