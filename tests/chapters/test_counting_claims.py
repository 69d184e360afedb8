"""What chapters 08 and 09 say of the family, of Swin's row and of the language models is so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from widgets.common.facts import published
from widgets.counting.ledger import beside_language_models, departures, embedding_share
from widgets.lesson.quiz_data import questions
from widgets.model.count import block_matrices, macs, parameters
from widgets.model.family import family
from widgets.model.shape import FAMILY

BY = {row.model: row for row in family()}


def test_a_head_is_64_numbers_wide_but_in_the_largest_of_the_seven() -> None:
    assert {row.model: row.D // row.h for row in family()[:7]} == dict.fromkeys(list(BY)[:6], 64) | {"H/14": 80}


def test_four_times_the_parameters_a_quarter_of_the_tokens_and_fewer_multiply_adds() -> None:
    small, base = BY["S/16"], BY["B/32"]
    assert base.parameters / small.parameters == pytest.approx(4, rel=0.01) and base.T / small.T == pytest.approx(
        1 / 4, rel=0.02
    )
    assert base.macs < small.macs and (base.T, small.T) == (50, 197)


def test_the_last_five_have_no_head_and_four_of_them_a_pooling() -> None:
    last = [FAMILY[row.model] for row in family()[-5:]]
    assert [shape.num_labels for shape in last] == [0] * 5 and [shape.pool for shape in last] == ["map"] * 4 + ["cls"]
    assert all(FAMILY[row.model].num_labels == 1000 for row in family()[:7])


def test_two_of_the_five_larger_models_depart_from_the_formula() -> None:
    assert [name for name in list(FAMILY)[-5:] if departures(FAMILY[name])] == ["22B", "DINOv3-7B"]


def test_embeddings_are_a_third_a_fifth_and_under_one_per_cent() -> None:
    gpt, bert, vit = (embedding_share(pieces) for pieces in beside_language_models().values())
    assert gpt == pytest.approx(1 / 3, abs=0.02) and bert == pytest.approx(1 / 5, abs=0.02) and vit < 0.01


def test_the_counts_that_quiz_08_gives_of_l16() -> None:
    question = next(question for question in questions("08") if question.id == "08-307")
    large = FAMILY["L/16"]
    for shape, said in (
        (replace(large, image_size=384), "304.7M"),
        (replace(large, num_labels=18_291), "322.0M"),
        (FAMILY["L/32"], "306.5M"),
    ):
        assert f"{parameters(shape)['total'] / 1e6:.1f}M" == said and any(
            said in option.why for option in question.options
        )
    assert [
        round(parameters(shape)["total"] / 1e6) for shape in (large, replace(large, image_size=384), FAMILY["L/32"])
    ] == [304, 305, 307]


def test_a_position_table_can_be_off_by_a_whole_multiple_of_l_d() -> None:
    base = FAMILY["B/16"]
    off = parameters(replace(base, image_size=256))["total"] - parameters(base)["total"]
    assert off == 60 * 768 == 5 * base.num_hidden_layers * base.hidden_size


def test_quiz_08_asks_for_the_biases_of_another_model_than_the_page() -> None:
    question = next(question for question in questions("08") if question.id == "08-difference")
    large = FAMILY["L/16"]
    off = parameters(replace(large, qkv_bias=False))["total"] - parameters(large)["total"]
    assert (
        off == -3 * 24 * 1024
        and f"off by exactly −{-off:,}" in question.text
        and "L = 24 and D = 1,024" in question.text
    )


def test_swins_multiply_adds_of_l16_are_those_without_the_class_token() -> None:
    row = published("swin")["table1_vit"]["rows"][-1]
    bare = replace(FAMILY["L/16"], image_size=row["image_size"], class_token=False, pool="gap")
    assert f"{macs(bare)['total'] / 1e9:.1f}" == str(row["flops_giga_as_printed"]) == "190.7"


def test_gpt2s_head_is_its_token_table_and_adds_nothing() -> None:
    gpt, bert, vit = beside_language_models().values()
    assert (
        gpt["head: the token table again"] == 0 and "head: the token table again" not in bert and vit["head"] == 769_000
    )


def test_a_narrower_mlp_holds_half_of_a_blocks_matrices() -> None:
    shape = replace(FAMILY["B/16"], intermediate_size=2 * 768)
    assert (
        2 * shape.hidden_size * shape.intermediate_size == 4 * shape.hidden_size**2 == block_matrices(shape) // 12 // 2
    )
