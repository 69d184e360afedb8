"""A batch of mistakes that nobody had seen: all refused, nearly all named, and the kinds behind the rest learned."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from widgets.lesson import exercises

from .answered import answered
from .batch import Fresh
from .first_look_mutants import FRESH

RAISES_IN_SOME = "mfu_refuses_over_one"  # what it raises is its own: only where can be told


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("mutant", FRESH, ids=[f"{m.exercise}-{m.function.__name__}" for m in FRESH])
def test_is_refused_and_named(mutant: Fresh) -> None:
    kind, result = answered(mutant.exercise, mutant.function)
    assert result.lines[0][0] == "Input" and len(result.lines) > 1
    assert kind == ("described" if mutant.function.__name__ == RAISES_IN_SOME else "named"), result.message


def test_every_exercise_there_was_has_its_share() -> None:
    """The batch is closed: it was written against the exercises of its day, and a later one cannot join it."""
    counted = Counter(m.exercise for m in FRESH)
    assert set(counted) <= set(exercises.names()) and len(counted) == 19
    assert min(counted.values()) >= 3 and len(FRESH) == 64


def right(id: str):
    return exercises.find(id).expected


def told(id: str, function, *names: str) -> str:
    kind, result = answered(id, function)
    assert kind == "named" and result.faults == names, result.message
    return result.misconception


ROUND = {"down": math.floor, "up": math.ceil}


@pytest.mark.parametrize("way", ROUND)
@pytest.mark.parametrize(
    "id, places", [("implied_mfu", ("device_days", "peak_tflops")), ("gpu_days", ("peak_tflops",))]
)
def test_an_input_rounded_before_use_is_named_with_its_name(id: str, places: tuple[str, ...], way: str) -> None:
    names = right(id).__code__.co_varnames
    for name in places:

        def rounded(*given, name=name):
            return right(id)(*(ROUND[way](x) if n == name else x for n, x in zip(names, given, strict=False)))

        assert f"You rounded {name} {way}" in told(id, rounded, "input-rounded")


@pytest.mark.parametrize("power", [1, 2, 4, 6, -1, -2, -4])
def test_prefixes_of_1024_are_named_whatever_is_left_of_them(power: int) -> None:
    for id in ("gpu_days", "implied_mfu", "pretraining_exaflops"):
        kind, result = answered(id, lambda *given, id=id: right(id)(*given) * 1.024**power)
        assert kind == "named" and result.faults[0] in ("binary-prefixes", "quantity"), result.message


def test_sides_that_are_no_multiple_of_P_are_told_with_one() -> None:
    def one_more(cfg, budget_bytes, batch=1, bytes_per=2):
        return right("max_res_materialized")(cfg, budget_bytes, batch, bytes_per) + cfg["P"] // 3 + 1

    assert "no multiple of P" in (words := told("max_res_materialized", one_more, "no-multiple"))
    assert "Rounded down to a multiple of P, every answer of yours is right" in words


@pytest.mark.parametrize("thirds", ["011", "112", "212", "111"])
def test_biases_and_columns_of_q_k_and_v_mixed_up(thirds: str) -> None:
    def mixed(blocks):
        return np.concatenate([np.split(blocks, 3, axis=-1)[int(i)] for i in thirds], axis=-1)

    heads = right("multi_head_attention")
    told("multi_head_attention", lambda z, W, b, *more: heads(z, W, mixed(b), *more), f"biases:{thirds}")
    told("multi_head_attention", lambda z, W, b, *more: heads(z, mixed(W), b, *more), f"columns:{thirds}")


def test_a_wrong_piece_is_named_where_the_sum_is_right() -> None:
    found = right("missing_parameters")()
    words = told(
        "missing_parameters",
        lambda: found | {"mlp": 768, "attention": found["attention"] - 768},
        "left-over",
        "nothing-there",
    )
    assert "`attention` is what your other pieces leave" in words and "In `mlp` nothing differs" in words


def test_vectors_for_numbers_and_layers_counted_twice() -> None:
    found = right("missing_parameters")()
    told("missing_parameters", lambda: {piece: number // 768 for piece, number in found.items()}, "vectors")
    told("missing_parameters", lambda: found | {"attention": 12 * found["attention"]}, "layers-twice")


def test_a_floor_before_the_last_division() -> None:
    words = told("gpu_days", lambda exaflops, peak, mfu: exaflops * 1e6 // (peak * mfu) / 86_400, "rounded-on-the-way")
    assert "before the division by 86400" in words


def test_windows_that_overlap_by_one_pixel_only_are_not_said_to_move_by_one() -> None:
    def stride(image, P):
        tops, lefts = (range(0, side - P + 1, max(1, P - 1)) for side in image.shape[1:])
        return np.stack([image[:, y : y + P, x : x + P].ravel() for y in tops for x in lefts])

    assert "P \u2212 1 pixels" in told("patchify", stride, "window:stride-one-less")


def test_a_total_that_multiplies_its_entries() -> None:
    def total(cfg, res):
        return (m := right("vit_macs")(cfg, res)) | {"total": m["total"] * cfg["h"]}

    assert "multiplies `patch` and `linear` and `attention` and `head` by h" in told("vit_macs", total, "total")
