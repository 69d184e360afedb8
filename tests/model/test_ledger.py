"""The ledger's lines against count.py, and the tensors of a library model sorted by the same pieces."""

from __future__ import annotations

import csv
from dataclasses import replace
from io import StringIO

import pytest
import torch
from transformers import BertConfig, BertModel, GPT2Config, GPT2Model, ViTConfig, ViTModel

from tests.model.small_models import counted, library_vit
from tests.model.test_count import REFERENCE, library_on_meta
from tests.model.test_setting import random_shapes
from widgets.common.facts import published
from widgets.counting.ledger import (
    as_csv,
    beside_language_models,
    by_the_formula,
    departures,
    embedding_share,
    language_model_pieces,
    parameter_lines,
    product_lines,
    words_of,
    worked,
)
from widgets.model import count
from widgets.model.library import on_meta, tensors_by_term
from widgets.model.shape import FAMILY, ViTShape

SHAPES = [*FAMILY.values(), *random_shapes(40)]


def evaluated(text: str) -> int:
    return eval(text.replace(",", "").replace("×", "*").replace("²", "**2"))


@pytest.mark.parametrize("lines_of", [parameter_lines, product_lines])
def test_the_numbers_of_every_line_give_its_count(lines_of) -> None:
    for shape in SHAPES:
        running = 0
        for line in lines_of(shape):
            assert evaluated(line.worked) == line.count if line.count else not line.worked
            running += line.count
            assert line.running == running
        total = (count.parameters if lines_of is parameter_lines else count.macs)(shape)["total"]
        assert running == total and sum(line.share for line in lines_of(shape)) == pytest.approx(1)


def test_b16_piece_by_piece() -> None:
    assert [line.count for line in parameter_lines(FAMILY["B/16"])] == [
        590_592,
        768,
        151_296,
        28_348_416,
        56_669_184,
        36_864,
        1_536,
        769_000,
    ]
    shares = {line.key: round(100 * line.share, 1) for line in parameter_lines(FAMILY["B/16"])}
    assert (shares["attention"], shares["mlp"]) == (32.7, 65.5)
    assert worked("(P²C + 1) D", FAMILY["B/16"]) == "(16² × 3 + 1) × 768"


def test_the_file_adds_up() -> None:
    rows = list(csv.DictReader(StringIO(as_csv([("one, two", FAMILY["B/16"]), ("other", FAMILY["L/32"])]))))
    for title, short in (("one, two", "B"), ("other", "L32")):
        of = [row for row in rows if row["model"] == title]
        facts = REFERENCE["family"][short]
        assert (
            sum(int(row["count"]) for row in of if row["counted"] == "parameters") == facts["parameters_1000_classes"]
        )
        assert sum(int(row["count"]) for row in of if row["counted"] != "parameters") == facts["macs_224"]["total"]


def test_memory_of_weights() -> None:
    assert (
        count.weight_memory(FAMILY["B/16"]) == 4 * 86_567_656
        and count.weight_memory(FAMILY["B/16"], 2, 4) == 8 * 86_567_656
    )
    with pytest.raises(ValueError, match="copies must be"):
        count.weight_memory(FAMILY["B/16"], copies=0)


# --- the tensors behind the terms


@pytest.mark.parametrize(
    "model",
    [
        library_vit(),
        library_vit(head=False),
        library_on_meta(FAMILY["B/16"]),
        library_on_meta(FAMILY["H/14"]),
        library_on_meta(replace(FAMILY["B/16"], num_labels=0)),
    ],
)
def test_every_term_is_the_sum_of_its_tensors(model) -> None:
    terms, pieces = tensors_by_term(model), count.parameters(ViTShape.from_checkpoint(model))
    total = pieces.pop("total")
    assert {term: sum(t.numel() for t in tensors.values()) for term, tensors in terms.items()} == {
        t: n for t, (_, n) in pieces.items()
    }
    assert list(terms) == list(pieces) and total == sum(p.numel() for p in model.parameters())


def test_what_belongs_to_no_term_is_not_lost() -> None:
    model = ViTModel(ViTConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8))
    terms = tensors_by_term(model)
    assert sum(t.numel() for t in terms["other"].values()) == 16 * 16 + 16
    assert sum(t.numel() for tensors in terms.values() for t in tensors.values()) == sum(
        p.numel() for p in model.parameters()
    )


def test_the_language_models_have_the_blocks_of_vit_b() -> None:
    gpt, bert = published("language_models")["models"]["rows"]
    assert language_model_pieces(gpt)["blocks"] == language_model_pieces(bert)["blocks"] == 85_054_464
    assert sum(language_model_pieces(gpt).values()) == gpt["parameters"] == 124_439_808
    assert language_model_pieces(gpt)["token table"] == 38_597_376
    assert sum(language_model_pieces(bert).values()) == 109_482_240 and round(109_482_240, -7) == bert["parameters"]
    config = {
        "hidden_size": 768,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "intermediate_size": 3072,
        "vocab_size": 30522,
    }
    with torch.device("meta"):
        assert counted(BertModel(BertConfig(**config))) == 109_482_240
        assert counted(GPT2Model(GPT2Config())) == 124_439_808


def test_the_librarys_model_without_numbers_has_that_shape() -> None:
    for shape in (
        FAMILY["Ti/16"],
        replace(FAMILY["Ti/16"], image_size=(32, 48), num_labels=0, num_channels=2, qkv_bias=False),
    ):
        model = on_meta(shape)
        assert counted(model) == count.parameters(shape)["total"] and {p.device.type for p in model.parameters()} == {
            "meta"
        }
        assert ViTShape.from_checkpoint(model) == shape
    with pytest.raises(ValueError, match="has a class token"):
        on_meta(FAMILY["g/14"])


def test_the_shares_of_embeddings_by_hand() -> None:
    found = {model: embedding_share(pieces) for model, pieces in beside_language_models().items()}
    assert found == {
        "GPT-2 small": pytest.approx((50_257 + 1024) * 768 / 124_439_808),
        "BERT-base": pytest.approx((30_522 + 512 + 2) * 768 / 109_482_240),
        "ViT-B/16": pytest.approx((769 * 768 + 768 + 197 * 768) / 86_567_656),
    }
    assert sum(beside_language_models()["ViT-B/16"].values()) == 86_567_656


# --- entries that are not of the printed formula


def printed_formula(s: ViTShape) -> int:
    """Chapter 08's formula, term by term, whatever the flags of the shape."""
    P, C, D, D_ff, L, N, n_cls = (
        s.patch_size,
        s.num_channels,
        s.hidden_size,
        s.intermediate_size,
        s.num_hidden_layers,
        s.num_patches,
        int(s.class_token),
    )
    K = s.num_labels
    return (
        (P**2 * C + 1) * D
        + (n_cls + s.registers) * D
        + (N + n_cls) * D
        + L * (4 * D**2 + 2 * D * D_ff + D_ff + 9 * D)
        + 2 * D
        + (D + 1) * K * bool(K)
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_an_entry_is_the_printed_formula_and_its_departures(shape: ViTShape) -> None:
    assert count.parameters(by_the_formula(shape))["total"] == printed_formula(shape)
    assert count.parameters(shape)["total"] == printed_formula(shape) + sum(departures(shape).values())


def test_two_models_of_the_family_are_not_of_the_printed_formula() -> None:
    assert {name for name, shape in FAMILY.items() if departures(shape)} == {"22B", "DINOv3-7B"}
    assert (
        printed_formula(FAMILY["22B"]) == 21_752_309_760 and count.parameters(FAMILY["22B"])["total"] == 21_750_829_056
    )
    assert list(departures(FAMILY["22B"]).values()) == [-48 * 3 * 6144, -97 * 6144]


def test_a_line_speaks_of_biases_only_where_there_are_some() -> None:
    plain, bare = (
        {line.key: words_of(line.key, FAMILY[name]) for line in parameter_lines(FAMILY[name])}
        for name in ("B/16", "22B")
    )
    assert "each with its bias" in plain["attention"] and "a shift of D numbers" in plain["layer_norms"]
    assert "only the output has a bias" in bare["attention"] and all(
        "no shift" in bare[key] for key in ("layer_norms", "final_norm")
    )
    assert bare["mlp"] == plain["mlp"]
