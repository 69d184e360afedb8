"""A mistake that nobody listed is described as what it is, in every case, and never called what it is not.

A name comes before a description. So the descriptions are asked for from exercises of which no mistake is listed."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
import torch

from widgets.lesson import check, checking, exercises
from widgets.lesson.array_differences import CHANGES
from widgets.lesson.diagnosis import DESCRIBED

from .kinds import ONE_ARRAY


def right(id: str):
    return exercises.find(id).expected


def check_unnamed(id: str, function):
    """A check that knows no mistakes of its exercise, so that only descriptions are left."""
    found = exercises.find(id)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            checking.exercises, "find", lambda _: dataclasses.replace(found, misconceptions=(), explain=None)
        )
        return check(id, function)


def described(id: str, function, fault: str, *words: str) -> str:
    result = check_unnamed(id, function)
    assert not result.passed and result.checked and result.faults == (fault,), result.message
    assert fault in DESCRIBED and all(word in result.misconception for word in words), result.misconception
    return result.misconception


def test_what_describes_names_no_misconception() -> None:
    for id in exercises.names():
        assert not DESCRIBED & {m.name for m in exercises.find(id).misconceptions}, id


def longer(first: bool, column: bool):
    def change(a: np.ndarray) -> np.ndarray:
        rows = a.T if column else a
        rows = np.concatenate([rows[:1] + 5, rows] if first else [rows, rows[-1:] + 5])
        return rows.T if column else rows

    return change


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("place", range(len(CHANGES)), ids=[f"{c[0]}-{i}" for i, c in enumerate(CHANGES)])
def test_a_change_of_the_whole_answer_is_described_or_named(place: int) -> None:
    name, sentence, change, undone = CHANGES[place]
    if undone is not None:  # the answer that came has a line too many
        change = longer("first" in sentence, "column" in sentence)
    found = 0
    for id in ("layer_norm", "multi_head_attention", "patch_embedding"):
        result = check_unnamed(id, lambda *given, id=id: change(right(id)(*given)))
        assert not result.passed and result.faults, result.message
        found += result.faults == (name,)
    assert found, "no exercise tells this change"


@pytest.mark.parametrize("id", ONE_ARRAY)
@pytest.mark.parametrize(
    "fault, change",
    [
        ("negated", lambda a: -a),
        ("proportional", lambda a: 3.7 * a),
        ("same-offset", lambda a: a + 0.37),
        ("few-decimals", lambda a: a.round(2)),
        ("row-missing", lambda a: a[1:]),
    ],
)
def test_every_exercise_tells_a_factor_a_shift_a_sign_and_a_missing_row(id: str, fault: str, change) -> None:
    result = check(id, lambda *given: change(right(id)(*given)))
    assert not result.passed and result.faults, result.message


def test_a_sign_a_factor_and_a_shift() -> None:
    described("layer_norm", lambda *given: -right("layer_norm")(*given), "negated", "wrong sign")
    described("gelu", lambda x: 3.7 * right("gelu")(x), "proportional", "3.7 times what is expected, in every case")
    described("gelu", lambda x: right("gelu")(x) + 0.5, "same-offset", "the same 0.5, in every case")


def test_an_input_added_left_out_or_returned() -> None:
    gelu, norm = right("gelu"), right("layer_norm")
    described("gelu", lambda x: gelu(x) + x, "input-added", "plus `x`")
    described(
        "layer_norm", lambda x, gain, shift, eps: norm(x, gain, shift, eps) - gain, "input-missing", "less `gain`"
    )
    described(
        "encoder_block",
        lambda z, params: right("encoder_block")(z, params) * params["b_2"],
        "input-multiplied",
        '`params["b_2"]`',
    )
    described("multi_head_attention", lambda z, *more: z.copy(), "input-itself", "What came is `z`")


def test_a_part_is_named_where_several_come_back() -> None:
    def rooted(q, k, v):
        output, weights = right("attention")(q, k, v)
        return output * math.sqrt(v.shape[1]), weights

    described(
        "attention", rooted, "side-multiplied", "In `output`: it is the right answer times the root of the number"
    )


def test_coarse_numbers_are_told_by_their_type() -> None:
    described(
        "patch_embedding", lambda *given: right("patch_embedding")(*given).astype(np.float16), "halves", "16 bits"
    )
    coarse = described(
        "layer_norm",
        lambda x, g, s, eps: right("layer_norm")(x.astype(np.float16).astype(float), g, s, eps).astype(np.float32),
        "almost",
        "nearly right",
    )
    assert "float32" in coarse


def test_wrong_only_in_some_rows_or_where_an_input_is_negative() -> None:
    def only_first(*given):
        rows = right("multi_head_attention")(*given)
        return np.concatenate([rows[:1] * [[(-1) ** i * (i + 2) for i in range(rows.shape[1])]], rows[1:]])

    described("multi_head_attention", only_first, "first-row-wrong", "Only the first row is wrong, in every case")
    described("gelu", lambda x: np.where(x < 0, 0.1 * x, right("gelu")(x)), "negative-only", "whose `x` is negative")


def test_inputs_exchanged_or_one_in_the_place_of_another() -> None:
    block, norm = right("encoder_block"), right("layer_norm")
    described(
        "encoder_block",
        lambda z, p: block(z, {**p, "b_o": p["b_2"], "b_2": p["b_o"]}),
        "inputs-exchanged",
        '`params["b_2"]` and `params["b_o"]` exchanged',
    )
    described(
        "encoder_block",
        lambda z, p: block(z, {**p, "ln2_b": p["b_o"]}),
        "input-for-another",
        'with `params["b_o"]` in the place of `params["ln2_b"]`',
    )
    described("layer_norm", lambda x, gain, shift, eps: norm(x, shift, gain, eps), "inputs-exchanged")


def test_right_near_0_or_far_from_it_alone() -> None:
    gelu = right("gelu")
    told = described("gelu", lambda x: np.where(np.abs(x) > 0.8, 0.3 * x**3, gelu(x)), "far-only", "near 0")
    assert "|x| = 0.8" in told  # the smallest of all cases, a little over the limit
    described("gelu", lambda x: np.where(np.abs(x) < 0.8, 1 + x**2, gelu(x)), "near-only", "near 0")


def test_where_it_raises_is_said_and_what_the_right_answers_there_have_in_common() -> None:
    def refuses(*given):
        if (share := right("implied_mfu")(*given)) > 1:
            raise ValueError("over 1")
        return share

    described("implied_mfu", refuses, "raises-in-some", "ValueError in 2 of 9 cases", "it is right", "more than 1")

    def small_only(x):
        if x.max() > 2:
            raise ArithmeticError("too large")
        return right("gelu")(x)

    told = described("gelu", small_only, "raises-in-some", "nine places from")
    assert "right answer is" not in told  # arrays have no order


def test_rows_and_columns_of_which_each_has_a_number_of_its_own() -> None:
    def by_row(z, *more):
        rows = right("multi_head_attention")(z, *more)
        return rows * np.arange(2, len(rows) + 2)[:, None]

    described("multi_head_attention", by_row, "rows-scaled", "Within a row", "same factor")
    described(
        "multi_head_attention",
        lambda z, *more: right("multi_head_attention")(z, *more) + np.cos(np.arange(z.shape[1])),
        "columns-shifted",
        "Within a column",
        "same amount",
    )


def test_a_factor_a_shift_or_both_of_each_case_alone() -> None:
    gelu = right("gelu")
    described("gelu", lambda x: gelu(x) * x.max(), "factor-by-case", "times one factor, but another one each: 3, ")
    described("gelu", lambda x: gelu(x) - gelu(x).min(), "shift-by-case", "off by the same amount")
    described("patchify", lambda image, P: (right("patchify")(image, P) - 0.5) / 0.25 + 0.1, "stretched", "normalised")


def test_nan_is_told_with_where_it_comes() -> None:
    described("layer_norm", lambda x, *more: x * np.nan, "not-finite", "`nan` came", "in every case")

    def overflows(q, k, v):
        output, weights = right("attention")(q, k, v)
        return output * (np.nan if np.abs(q).max() > 20 else 1), weights

    words = check("attention", overflows).misconception
    assert ("`nan` came" in words and "far larger" in words) or "overflow" in words


def test_an_answer_kept_from_an_earlier_call_and_a_random_one() -> None:
    kept: dict = {}
    described("gpu_days", lambda *given: kept.setdefault("answer", right("gpu_days")(*given)), "kept", "earlier input")
    described(
        "gelu", lambda x: right("gelu")(x) + np.random.default_rng().random(x.shape), "unsteady", "random, or kept"
    )
    calls = itertools.count(1)
    described("gelu", lambda x: right("gelu")(x) * next(calls), "unsteady", "random, or kept")


def test_inputs_without_a_say_are_named_and_so_is_one_that_has_none_to_have() -> None:
    described(
        "gpu_days", lambda exaflops, peak, mfu: right("gpu_days")(exaflops, peak, 0.3), "input-ignored", "`mfu` does"
    )

    def forgets(z, params):
        return right("encoder_block")(z, {**params, "b_1": 0 * params["b_1"], "ln2_b": 1 + 0 * params["ln2_b"]})

    described("encoder_block", forgets, "input-ignored", '`params["ln2_b"]`, `params["b_1"]` do.')

    def looks_at_the_picture(cfg):
        return right("attention_crossover_res")(cfg) + cfg["P"] * (cfg["img"] // 7)

    described("attention_crossover_res", looks_at_the_picture, "input-used", '`cfg["img"]`', "does not depend on it")


def test_an_input_is_not_called_ignored_where_the_answer_follows_it() -> None:
    result = check("encoder_block", lambda z, params: np.sin(right("encoder_block")(z, params)))
    assert "input-ignored" not in result.faults and "unsteady" not in result.faults


def test_functions_on_tensors_are_asked_again_with_tensors() -> None:
    def with_torch(x):
        return torch.nn.functional.gelu(x.double()) + torch.rand(x.shape)

    described("gelu", with_torch, "unsteady", "random")


def test_asking_again_prints_nothing(capsys: pytest.CaptureFixture) -> None:
    def talks(x):
        print("called")
        return np.sin(right("gelu")(x))

    check("gelu", talks)
    assert capsys.readouterr().out == "called\n" * len(exercises.find("gelu").cases)


def test_asking_again_takes_no_longer_than_its_own_time(monkeypatch) -> None:
    import time

    monkeypatch.setattr(checking, "AGAIN", 0.3)
    calls, cases = itertools.count(), len(exercises.find("gelu").cases)

    def slow_later(x):
        if next(calls) >= cases:
            while True:
                pass
        return np.sin(right("gelu")(x))

    started = time.monotonic()
    result = check_unnamed("gelu", slow_later)
    assert not result.passed and result.checked and "unsteady" not in result.faults
    assert next(calls) == cases + 1 and time.monotonic() - started < 60


def test_numbers_off_by_a_factor_an_input_or_an_amount() -> None:
    count, days = right("vit_param_count"), right("gpu_days")
    described("vit_param_count", lambda cfg: 2 * count(cfg), "proportional", "2 times what is expected, in every case")
    described("vit_param_count", lambda cfg: count(cfg) * cfg["L"], "input-factor", 'times `cfg["L"]`')
    described("vit_param_count", lambda cfg: count(cfg) + 17, "same-offset", "17 too high, in every case")
    described("vit_param_count", lambda cfg: 5, "constant", "same number for every input")
    described(
        "attention_memory_bytes", lambda *given: -right("attention_memory_bytes")(*given), "negated", "wrong sign"
    )
    described("gpu_days", lambda *given: days(*given) / 1440, "proportional", "A day has 1,440 minutes.")
    described("gpu_days", lambda *given: days(*given) * math.pi, "proportional", "3.142 times")


def test_the_entry_of_a_dict_that_is_wrong() -> None:
    macs = right("vit_macs")
    described(
        "vit_macs",
        lambda cfg, res: (m := macs(cfg, res)) | {"total": m["total"] + cfg["d"] * res},
        "total-only",
        "Only `total` is wrong",
    )
    described(
        "vit_macs",
        lambda cfg, res: (m := macs(cfg, res)) | {"head": m["head"] + res * res},
        "one-entry",
        "Wrong is `head`; the other entries are right.",
    )


def test_a_property_that_parts_right_from_wrong() -> None:
    def registers(cfg):
        return right("vit_param_count")(cfg) + cfg["P"] * cfg["h"] * cfg["n_registers"]

    described("vit_param_count", registers, "parted", "wrong exactly where", '`cfg["n_registers"]` is not 0')
    told = check("vit_param_count", registers)  # a product like no term of the count would explain it as well
    assert told.faults == ("condition",) and "Where there are registers" in told.misconception


@pytest.mark.parametrize(
    "id, function, fault",
    [
        ("gelu", lambda x: x + np.ones(4), "shapes-unfit"),
        ("gelu", lambda x: x.reshape(17, 3), "reshape-unfit"),
        ("layer_norm", lambda x, gain, shift, eps: x[99], "index-beyond"),
        ("patch_embedding", lambda patches, W, b: math.exp(W), "one-number-only"),
        ("layer_norm", lambda x, gain, shift, eps: x if x > 0 else -x, "truth-of-many"),
        ("layer_norm", lambda x, gain, shift, eps: np.layer_norm(x), "no-such-method"),
    ],
)
def test_what_an_exception_mostly_comes_from(id: str, function, fault: str) -> None:
    described(id, function, fault)


def test_a_function_for_torch_is_told_its_own_error_not_that_of_arrays() -> None:
    def with_torch(x):
        half = x.clone() / 2
        return half.missing()

    message = check("gelu", with_torch).message
    assert "'Tensor' object has no attribute 'missing'" in message and "in its line 3" in message


def test_a_fault_that_fits_one_case_by_chance_is_not_named() -> None:
    def rows_last(image, P):  # the picture read as (H, W, C): strips, but only for a picture of two channels
        H, W, C = image.shape
        return image.reshape(H // P, P, W // P, P, C).transpose(0, 2, 1, 3, 4).reshape(-1, P * P * C)

    assert not {"strips"} & set(check("patchify", rows_last).faults)


def test_nothing_is_described_where_that_would_be_the_solution() -> None:
    found = right("missing_parameters")()
    assert check("missing_parameters", lambda: {k: 7 * v for k, v in found.items()}).misconception is None
