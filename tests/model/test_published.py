"""The published tables: every row says where it stands, and agrees with what the course computes, as far as it
should."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from tests.model.test_count import REFERENCE
from widgets.common.facts import DATA, published
from widgets.model import count
from widgets.model.shape import FAMILY, ViTShape

TABLES = [
    (path.stem, key)
    for path in sorted((DATA / "published").glob("*.json"))
    for key, value in published(path.stem).items()
    if isinstance(value, dict) and "rows" in value
]
FIELDS = ("hidden_size", "num_hidden_layers", "intermediate_size", "num_attention_heads")


def rows(name: str, table: str) -> list[dict]:
    return published(name)[table]["rows"]


def fields_of(shape: ViTShape, row: dict) -> dict:
    return {name: getattr(shape, name) for name in FIELDS if name in row}


@pytest.mark.parametrize("name", sorted(path.stem for path in (DATA / "published").glob("*.json")))
def test_every_file_says_where_its_facts_come_from(name: str) -> None:
    facts = published(name)
    assert facts.get("source") or all(isinstance(f, dict) and f.get("source") for f in facts.values())


@pytest.mark.parametrize(("name", "table"), TABLES)
def test_every_row_names_its_source(name: str, table: str) -> None:
    assert all(len(row["source"]) > 15 for row in rows(name, table)) and published(name)[table]["title"]


def test_tables_of_the_issue_are_all_there() -> None:
    wanted = {
        ("vit_paper", "table1"),
        ("vit_paper", "table6"),
        ("deit", "table5"),
        ("swin", "table1"),
        ("scaling_vit", "table2"),
        ("dinov3", "table2"),
        ("sam", "encoder"),
        ("vit_22b", "table1"),
        ("language_models", "models"),
    }
    assert wanted <= set(TABLES)


def test_table_1_is_the_family() -> None:
    for row, name in zip(rows("vit_paper", "table1"), ("B/16", "L/16", "H/14"), strict=True):
        assert fields_of(FAMILY[name], row) == {field: row[field] for field in FIELDS}


def test_table_6_is_the_reference() -> None:
    ours = [(row["model"], row["epochs"], row["paper"]) for row in REFERENCE["table6_exaflops"]]
    assert [(row["model"], row["epochs"], row["exaflops"]) for row in rows("vit_paper", "table6")] == ours


@pytest.mark.parametrize("row", rows("scaling_vit", "table2"), ids=lambda row: row["model"])
def test_zhai_prints_true_flops_of_models_without_class_token_and_head(row: dict) -> None:
    shape = replace(FAMILY[row["model"]], class_token=False, pool="map", num_labels=0)
    assert fields_of(shape, row) == {field: row[field] for field in FIELDS}
    assert row["gflops_224"] * 1e9 == pytest.approx(2 * count.macs(shape)["total"], rel=0.011)
    assert row["parameters_million"] * 1e6 == pytest.approx(count.parameters(shape)["total"], rel=0.03)


def test_swin_and_deit_agree_and_print_multiply_adds() -> None:
    speeds = {(row["model"], row["image_size"]): row["pictures_a_second"] for row in rows("deit", "table5")}
    for row in rows("swin", "table1"):
        if row["shape"] is None:
            continue
        assert speeds[row["shape"], row["image_size"]] == row["pictures_a_second"]
        assert row["flops_giga_as_printed"] == pytest.approx(
            count.macs(FAMILY[row["shape"]], row["image_size"])["total"] / 1e9, abs=0.1
        )


SWIN = [row for table in ("table1", "table1_vit") for row in rows("swin", table) if row["shape"]]


@pytest.mark.parametrize("row", SWIN, ids=lambda row: f"{row['model']} {row['image_size']}")
def test_swins_multiply_adds_fit_to_the_last_digit_without_the_class_token(row: dict) -> None:
    shape = replace(FAMILY[row["shape"]], class_token=False, pool="gap")
    assert round(count.macs(shape, row["image_size"])["total"] / 1e9, 1) == row["flops_giga_as_printed"]


def test_with_the_class_token_they_do_not_all_fit() -> None:
    counted = {
        (row["model"], row["image_size"]): round(count.macs(FAMILY[row["shape"]], row["image_size"])["total"] / 1e9, 1)
        for row in SWIN
    }
    assert (counted["DeiT-B", 224], counted["DeiT-B", 384], counted["ViT-L/16", 384]) == (17.6, 55.5, 191.1)


def test_307_beside_l16_is_a_row_of_l16() -> None:
    row = next(row for row in rows("swin", "table1_vit") if row["model"] == "ViT-L/16")
    assert (
        row["parameters_million"] == 307
        and round(count.parameters(replace(FAMILY["L/16"], image_size=384))["total"] / 1e6) == 305
    )
    assert (
        count.macs(FAMILY["L/32"], 384)["total"] / 1e9 == pytest.approx(45.3, abs=0.05)
        and row["flops_giga_as_printed"] == 190.7
    )


def test_larger_models_are_the_family() -> None:
    (dino,), (large,) = rows("dinov3", "table2"), rows("vit_22b", "table1")
    shape = FAMILY["DINOv3-7B"]
    assert fields_of(shape, dino) == {field: dino[field] for field in FIELDS}
    assert (shape.patch_size, shape.registers, shape.gated_mlp) == (
        dino["patch_size"],
        dino["registers"],
        dino["mlp"] == "SwiGLU",
    )
    assert round(count.block_matrices(shape) / 1e9, 1) == dino["parameters_billion"]
    assert fields_of(FAMILY["22B"], large) == {field: large[field] for field in FIELDS}
    assert round(count.block_matrices(FAMILY["22B"]) / 1e6) == large["parameters_million"]


def test_windows_of_sam() -> None:
    (sam,) = rows("sam", "encoder")
    shape = ViTShape(
        patch_size=sam["patch_size"], class_token=False, pool="gap", **{field: sam[field] for field in FIELDS}
    )
    found = count.windowed_attention_macs(shape, sam["image_size"], sam["window"], len(sam["global_layers"]))
    assert found["windowed"] == REFERENCE["sam_window"]["with_28_windowed"]
    gaps = {later - earlier for earlier, later in pairwise(sam["global_layers"])}
    assert gaps == {8} and sam["global_layers"][-1] == sam["num_hidden_layers"] - 1


def test_vitdet_leaves_the_last_of_each_quarter_global_and_sam_has_its_blocks() -> None:
    for row in rows("vitdet", "backbones"):
        quarter = row["num_hidden_layers"] // 4
        assert row["global_layers"] == [quarter * n - 1 for n in (1, 2, 3, 4)]
    huge, (sam,) = rows("vitdet", "backbones")[1], rows("sam", "encoder")
    assert {key: huge[key] for key in (*FIELDS, "window", "global_layers", "image_size")} == {
        key: sam[key] for key in (*FIELDS, "window", "global_layers", "image_size")
    }


def test_utilisation_of_the_published_runs() -> None:
    v3, v4 = rows("accelerators", "peaks")
    run = rows("vit_paper", "table2")[0]
    exaflops = next(row["exaflops"] for row in rows("vit_paper", "table6") if row["model"] == run["model"])
    reached = count.implied_mfu(exaflops, run["tpuv3_core_days"], v3["tflops_a_chip"] / v3["cores"])
    assert round(reached, 4) == REFERENCE["mfu"]["vit_h14_tpuv3"]
    (speed,) = rows("vit_22b", "training")
    assert speed["utilisation"] == REFERENCE["mfu"]["vit_22b_tpuv4"] and v4["tflops_a_chip"] == 275
