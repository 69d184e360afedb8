"""count.py against reference.json, against modules on the meta device, and against torch's own counters."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode
from transformers import ViTConfig, ViTForImageClassification, ViTModel

from tests.model.small_models import PlainViT, counted
from widgets.common.facts import published
from widgets.model import count
from widgets.model.count import macs, parameters
from widgets.model.shape import FAMILY, ViTShape

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text())
KEYS = {"Ti": "Ti/16", "S": "S/16", "B": "B/16", "B32": "B/32", "L": "L/16", "L32": "L/32", "H": "H/14"}
DINOV2_SMALL = ViTShape(
    image_size=518, patch_size=14, hidden_size=384, num_attention_heads=6, intermediate_size=1536, num_labels=0
)


def library_on_meta(shape: ViTShape, attention: str = "eager") -> torch.nn.Module:
    config = ViTConfig(
        image_size=shape.image_size,
        patch_size=shape.patch_size,
        hidden_size=shape.hidden_size,
        num_hidden_layers=shape.num_hidden_layers,
        num_attention_heads=shape.num_attention_heads,
        intermediate_size=shape.intermediate_size,
        num_labels=shape.num_labels,
        num_channels=shape.num_channels,
        qkv_bias=shape.qkv_bias,
        attn_implementation=attention,
    )
    with torch.device("meta"):
        return ViTForImageClassification(config) if shape.num_labels else ViTModel(config, add_pooling_layer=False)


# --- parameters


@pytest.mark.parametrize("short", REFERENCE["family"])
def test_family_counts_are_the_published_ones(short: str) -> None:
    expected, shape = REFERENCE["family"][short], FAMILY[KEYS[short]]
    assert parameters(shape)["total"] == expected["parameters_1000_classes"]
    T = expected["macs_224"].pop("T", shape.num_tokens)
    assert shape.num_tokens == T and macs(shape) == expected["macs_224"]


def test_b32_worked_out_by_hand() -> None:
    # 3,073 x 768, one class token, 50 positions, 12 blocks of 12 D^2 + 13 D, the final norm, the head
    by_hand = 3073 * 768 + 768 + 50 * 768 + 12 * (12 * 768**2 + 13 * 768) + 2 * 768 + 769 * 1000
    assert parameters(FAMILY["B/32"])["total"] == by_hand == 88_224_232


@pytest.mark.parametrize("name", [name for name, shape in FAMILY.items() if shape.class_token and not shape.registers])
def test_the_librarys_own_model_has_as_many_parameters(name: str) -> None:
    assert counted(library_on_meta(FAMILY[name])) == parameters(FAMILY[name])["total"]


@pytest.mark.parametrize("name", FAMILY)
def test_plain_modules_have_as_many_parameters(name: str) -> None:
    with torch.device("meta"):
        assert counted(PlainViT(FAMILY[name])) == parameters(FAMILY[name])["total"]


SHAPES = st.builds(
    lambda grid, P, k, D_h, **rest: ViTShape(
        image_size=(grid[0] * P, grid[1] * P), patch_size=P, hidden_size=k * D_h, num_attention_heads=k, **rest
    ),
    st.tuples(st.integers(1, 4), st.integers(1, 4)),
    st.integers(1, 5),
    st.integers(1, 4),
    st.integers(1, 6),
    num_channels=st.integers(1, 4),
    num_hidden_layers=st.integers(1, 3),
    intermediate_size=st.integers(1, 20),
    num_labels=st.integers(0, 4),
    class_token=st.just(True),
    registers=st.integers(0, 3),
    pool=st.sampled_from(["cls", "gap"]),
    gated_mlp=st.booleans(),
    position=st.sampled_from(["learned", "none"]),
    qkv_bias=st.booleans(),
    norm_bias=st.booleans(),
)


@given(SHAPES, st.booleans())
@settings(max_examples=80, deadline=None)
def test_any_shape_is_counted_as_built(shape: ViTShape, class_token: bool) -> None:
    shape = replace(shape, class_token=class_token, pool=shape.pool if class_token else "gap")
    with torch.device("meta"):
        assert counted(PlainViT(shape)) == parameters(shape)["total"]


def test_the_pieces_of_vit_b16() -> None:
    ledger = parameters(ViTShape())
    numbers = {piece: entry[1] for piece, entry in ledger.items() if piece != "total"}
    assert numbers == {
        "patch_embedding": 590_592,
        "class_token": 768,
        "positions": 151_296,
        "attention": 28_348_416,
        "mlp": 56_669_184,
        "layer_norms": 36_864,
        "final_norm": 1_536,
        "head": 769_000,
    }
    assert ledger["total"] == sum(numbers.values()) == 86_567_656
    assert type(ledger["total"]) is int
    assert parameters(ViTShape(num_labels=0))["total"] == 85_798_656 and "head" not in parameters(
        ViTShape(num_labels=0)
    )
    assert parameters(ViTShape(image_size=384))["total"] == 86_859_496


def test_pieces_that_are_not_there_are_left_out_and_pooling_says_it_is_not_counted() -> None:
    ledger = parameters(FAMILY["So400m/14"])
    assert "class_token" not in ledger and "registers" not in ledger and "head" not in ledger
    assert ledger["pooling"] == ("attention pooling, not counted here", 0)
    assert "positions" not in parameters(FAMILY["DINOv3-7B"]) and "registers" in parameters(FAMILY["DINOv3-7B"])


@given(SHAPES)
@settings(max_examples=60, deadline=None)
def test_formulas_give_their_numbers(shape: ViTShape) -> None:
    names = {
        "P": shape.patch_size,
        "C": shape.num_channels,
        "D": shape.hidden_size,
        "L": shape.num_hidden_layers,
        "D_ff": shape.intermediate_size,
        "K": shape.num_labels,
        "R": shape.registers,
        "N": shape.num_patches,
    }
    for piece, entry in parameters(shape).items():
        if piece == "total":
            continue
        formula, number = entry
        code = ""
        for part in re.findall(r"D_ff|[A-Z]|\d+|\*\*2|[()+*]", formula.replace("²", "**2").replace("·", "*")):
            # what stands side by side is multiplied
            times = code and code[-1] not in "(+*" and part[0] not in ")+*"
            code += ("*" if times else "") + part
        assert eval(code, {}, names) == number, (piece, formula, code)


def test_larger_models() -> None:
    larger = REFERENCE["larger"]
    for name in ("So400m", "g", "G"):
        shape = FAMILY[f"{name}/14"]
        assert parameters(shape)["total"] == larger[name]["parameters_no_head_no_cls"]
        assert macs(shape)["total"] == larger[name]["macs_224"] and shape.num_tokens == larger[name]["tokens"]
    for name in ("22B", "DINOv3-7B"):
        assert count.block_matrices(FAMILY[name]) == larger[name]["block_matrices_only"]
        assert macs(FAMILY[name])["total"] == larger[name]["macs_224_no_head"]
        assert FAMILY[name].num_tokens == larger[name]["tokens"]


def test_dinov2_small() -> None:
    facts = REFERENCE["dinov2_small"]
    assert parameters(DINOV2_SMALL)["total"] == facts["parameters_folded"]
    assert parameters(replace(DINOV2_SMALL, image_size=224))["total"] == facts["parameters_with_257_row_table"]
    assert macs(DINOV2_SMALL, 224)["total"] == facts["macs_224"]
    assert count.attention_crossover(DINOV2_SMALL) == facts["crossover_image_size"]
    assert parameters(DINOV2_SMALL)["patch_embedding"][1] == published("dinov2_small")["patch_embedding_parameters"]
    ledger = parameters(replace(DINOV2_SMALL, num_hidden_layers=1))
    block = sum(ledger[piece][1] for piece in ("attention", "mlp", "layer_norms"))
    assert block == published("dinov2_small")["block_parameters"] == 1_774_464


# --- multiply-adds


@pytest.mark.parametrize("side", REFERENCE["vit_b16_macs"])
def test_vit_b16_macs_by_size(side: str) -> None:
    expected = dict(REFERENCE["vit_b16_macs"][side])
    expected.pop("T")
    assert macs(ViTShape(), int(side)) == expected


def flops(model: torch.nn.Module, pixels: torch.Tensor) -> int:
    counter = FlopCounterMode(display=False)
    with torch.no_grad(), counter:
        model.eval()(pixels)
    return counter.get_total_flops()


def test_torchs_flop_counter_agrees_with_eager_attention() -> None:
    counted_flops = flops(library_on_meta(FAMILY["B/16"]), torch.empty(1, 3, 224, 224, device="meta"))
    assert counted_flops == 2 * macs(FAMILY["B/16"])["total"] == 35_127_656_448
    assert counted_flops == REFERENCE["flop_counter_vit_b16_224"]["eager"]


def test_torchs_flop_counter_misses_fused_attention() -> None:
    model = library_on_meta(FAMILY["B/16"], "sdpa").to_empty(device="cpu")  # what it holds does not matter
    missed = flops(model, torch.zeros(1, 3, 224, 224))
    assert missed == REFERENCE["flop_counter_vit_b16_224"]["sdpa"]
    assert missed == 2 * (macs(FAMILY["B/16"])["total"] - macs(FAMILY["B/16"])["attention"])


def test_torchs_flop_counter_misses_the_fast_path_altogether() -> None:
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(768, 12, 3072, 0.0, "gelu", 1e-6, batch_first=True, norm_first=True)

    class Stock(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cut, self.head = torch.nn.Conv2d(3, 768, 16, 16), torch.nn.Linear(768, 1000)
            self.encoder = torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)

        def forward(self, pixels: torch.Tensor) -> torch.Tensor:
            z = self.cut(pixels).flatten(2).transpose(1, 2)
            return self.head(self.encoder(torch.cat([z[:, :1], z], 1))[:, 0])

    missed = flops(Stock().requires_grad_(False), torch.zeros(1, 3, 224, 224))
    assert missed == REFERENCE["flop_counter_vit_b16_224"]["nn.TransformerEncoder_eval_fast_path"]
    assert missed == 2 * (macs(FAMILY["B/16"])["patch"] + macs(FAMILY["B/16"])["head"])


@given(SHAPES, st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_heads_change_nothing(shape: ViTShape, factor: int) -> None:
    one_head, many = replace(shape, num_attention_heads=1), replace(shape, num_attention_heads=shape.hidden_size)
    assert parameters(one_head) == parameters(shape) == parameters(many)
    assert macs(one_head) == macs(shape) == macs(many)


@given(SHAPES)
@settings(max_examples=60, deadline=None)
def test_macs_are_the_products_counted_one_by_one(shape: ViTShape) -> None:
    T, D, D_ff, L = shape.num_tokens, shape.hidden_size, shape.intermediate_size, shape.num_hidden_layers
    linear = sum(T * D * D for _ in "qkvo") + (3 if shape.gated_mlp else 2) * T * D * D_ff
    per_head = T * T * shape.head_size * 2
    found = macs(shape)
    assert found["linear"] == L * linear and found["attention"] == L * shape.num_attention_heads * per_head
    assert found["patch"] == shape.num_patches * D * shape.num_channels * shape.patch_size**2
    assert found["total"] == sum(value for key, value in found.items() if key != "total")


def test_crossover_sizes() -> None:
    for name, side in REFERENCE["crossover_image_size"].items():
        assert count.attention_crossover(FAMILY[name]) == side


@given(SHAPES)
@settings(max_examples=60, deadline=None)
def test_crossover_is_the_smallest_size(shape: ViTShape) -> None:
    side = count.attention_crossover(shape)
    at = macs(shape, side)
    assert at["attention"] >= at["linear"]
    if side > shape.patch_size:
        below = macs(shape, side - shape.patch_size)
        assert below["attention"] < below["linear"]


# --- memory


def test_memory_of_kept_attention() -> None:
    one_layer = ViTShape(num_hidden_layers=1)
    assert count.attention_memory(one_layer, 224, bytes_per=1) == 465_708
    h16 = replace(FAMILY["H/14"], patch_size=16, num_hidden_layers=1, class_token=False, pool="gap")
    assert count.attention_memory(h16, 1024) == 512 * 2**20
    assert count.attention_memory(ViTShape(), 224, batch=32, flash=True) == 12 * 32 * 12 * 197 * 4


@given(SHAPES, st.integers(1, 10**7), st.integers(1, 3), st.integers(1, 4))
@settings(max_examples=80, deadline=None)
def test_the_largest_size_that_fits(shape: ViTShape, budget: int, batch: int, bytes_per: int) -> None:
    try:
        side = count.max_image_size(shape, budget, batch, bytes_per)
    except ValueError as error:
        assert "too few" in str(error)
        assert count.attention_memory(shape, shape.patch_size, batch, bytes_per) > budget
        return
    assert side % shape.patch_size == 0
    assert count.attention_memory(shape, side, batch, bytes_per) <= budget
    assert count.attention_memory(shape, side + shape.patch_size, batch, bytes_per) > budget


def test_windows_of_sam() -> None:
    sam = ViTShape(
        image_size=1024, hidden_size=1280, num_hidden_layers=32, num_attention_heads=16, intermediate_size=5120
    )
    found = count.windowed_attention_macs(sam, 1024, window=14, global_layers=4)
    expected = REFERENCE["sam_window"]
    assert found == {"global": expected["global_attention_macs_all_32"], "windowed": expected["with_28_windowed"]}
    not_square = count.windowed_attention_macs(sam, (16, 32), window=2, global_layers=0)
    assert not_square == {"global": 32 * 2 * 2**2 * 1280, "windowed": 32 * 2 * 4**2 * 1280}  # padded to 2 x 2


# --- training


@pytest.mark.parametrize("row", REFERENCE["table6_exaflops"], ids=lambda row: f"{row['model']} {row['epochs']}")
def test_pretraining_compute_of_table_6(row: dict) -> None:
    shape = replace(FAMILY[row["model"]], num_labels=18_291)
    exaflops = count.pretraining_exaflops(shape, 224, row["epochs"], 303e6)
    assert round(exaflops, 2) == row["ours_18291_classes_303e6_images"]


def test_utilisation() -> None:
    mfu = count.implied_mfu(4262, 2500, 61.5)
    assert round(mfu, 4) == REFERENCE["mfu"]["vit_h14_tpuv3"]
    assert count.gpu_days(4262, 61.5, mfu) == pytest.approx(2500)
    # 22B: FLOPs a token from its matrices and its attention, 1,150 tokens a second on a chip of 275 TFLOP/s
    flops = 6 * count.block_matrices(FAMILY["22B"]) + 12 * 48 * 256 * 6144
    second = count.implied_mfu(flops * 1150 / 1e18, 1 / 86_400, 275)
    assert round(second, 3) == REFERENCE["mfu"]["vit_22b_tpuv4"]


# --- refusals


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: macs(ViTShape(), 225), "nearest valid size is 224"),
        (lambda: macs(ViTShape(), (224, 1)), "width 16"),
        (lambda: count.attention_memory(ViTShape(), 224, batch=0), "batch must be a whole number, 1 or more, not 0"),
        (lambda: count.attention_memory(ViTShape(), 224, bytes_per=1.5), "bytes_per must be a whole number"),
        (
            lambda: count.max_image_size(ViTShape(), 100),
            "100 bytes are too few: one patch of 16 px already takes 1,152",
        ),
        (lambda: count.max_image_size(ViTShape(), float("inf")), "budget_bytes must be a number over 0"),
        (lambda: count.windowed_attention_macs(ViTShape(), 224, 0, 1), "window must be"),
        (
            lambda: count.windowed_attention_macs(ViTShape(), 224, 7, 13),
            "global_layers must be a whole number from 0 to 12",
        ),
        (lambda: count.pretraining_exaflops(ViTShape(), 224, 0, 1e6), "epochs must be a number over 0, not 0"),
        (lambda: count.gpu_days(1, 100, 1.5), "mfu is a share of the peak"),
        (lambda: count.gpu_days(1, -100, 0.5), "peak_tflops must be"),
        (lambda: count.implied_mfu(1, float("nan"), 100), "device_days must be"),
    ],
)
def test_refusals(call, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
