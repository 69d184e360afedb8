"""What chapter 09 lays out: cost by the side of a picture, windowed attention, and the printed speeds beside the
counts."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

from widgets.common.facts import published
from widgets.model import count
from widgets.model.shape import FAMILY, LARGEST_SIDE, ViTShape, checked_size, size_pair

POINTS = 48  # of a curve
BEYOND = 1.5  # how far a curve goes on behind the crossover
JFT_CLASSES = published("pretraining_data")["JFT-300M"][
    "classes"
]  # that the ViT paper's head had them is our inference
TRAINING_BYTES = 16  # a parameter: weight and gradient at 2 bytes; Adam's two moments and its copy of the weight at 4
SMALL, SEGMENT = "S/14", "SAM H/16"


@cache
def models() -> dict[str, tuple[str, ViTShape]]:
    """Name -> (title, shape) of the models whose cost is laid out: the family, the course's own default, SAM's
    encoder."""
    facts = published("checkpoints")["dinov2-small"]["shape"]
    small = ViTShape(num_labels=0, **{name: value for name, value in facts.items() if name != "layer_norm_eps"})
    row = published("sam")["encoder"]["rows"][0]
    names = ("image_size", "patch_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
    segment = ViTShape(num_labels=0, class_token=False, pool="gap", **{name: row[name] for name in names})
    found = {
        name: (name if name[0].isdigit() or name.startswith("DINO") else f"ViT-{name}", shape)
        for name, shape in FAMILY.items()
    }
    found["22B"] = ("ViT-22B", FAMILY["22B"])
    return found | {
        SMALL: ("DINOv2 ViT-S/14", replace(small, image_size=224)),
        SEGMENT: ("SAM's encoder, ViT-H/16", segment),
    }


def sides(shape: ViTShape) -> list[int]:
    """Sides of square pictures in pixels, multiples of P, from one patch to well behind the crossover."""
    P = shape.patch_size
    last = min(int(BEYOND * count.attention_crossover(shape)), LARGEST_SIDE) // P
    return sorted({max(1, round(last * place / POINTS)) * P for place in range(1, POINTS + 1)})


class Windows(NamedTuple):
    """Attention in windows of w x w patches: the padded grid, how many windows, and multiply-adds of Q K^T and A V."""

    grid: tuple[int, int]
    padded: tuple[int, int]
    windows: int
    tokens: int  # of one window
    one_global: int
    one_windowed: int
    all_global: int
    mixed: int  # with only some layers global

    @property
    def cheaper(self) -> float:
        """How many times less a windowed layer costs."""
        return self.one_global / self.one_windowed


def windows(shape: ViTShape, image_size: count.Size, window: int, global_layers: int) -> Windows:
    """Lay windowed attention out for a picture, as ViTDet and SAM do it; class token and registers are left out.

    Raises ValueError for an invalid size, a window below 1 or more global layers than there are.
    """
    found = count.windowed_attention_macs(shape, image_size, window, global_layers)
    single = count.windowed_attention_macs(replace(shape, num_hidden_layers=1), image_size, window, 0)
    height, width = size_pair(checked_size(image_size, shape.patch_size))
    grid = height // shape.patch_size, width // shape.patch_size
    across = tuple(-(-side // window) for side in grid)
    return Windows(
        grid,
        (across[0] * window, across[1] * window),
        across[0] * across[1],
        window * window,
        single["global"],
        single["windowed"],
        found["global"],
        found["windowed"],
    )


def windowed_models() -> list[tuple[str, list[int], Windows]]:
    """(model, its global blocks counted from 0, its windows) of the published models that attend in windows: ViTDet's
    and SAM's."""
    found = []
    for row in [*published("vitdet")["backbones"]["rows"], *published("sam")["encoder"]["rows"]]:
        shape = replace(
            models()[SEGMENT][1],
            **{
                name: row[name]
                for name in ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
            },
        )
        found.append(
            (
                row["model"],
                row["global_layers"],
                windows(shape, row["image_size"], row["window"], len(row["global_layers"])),
            )
        )
    return found


class Speed(NamedTuple):
    """One row of a printed table of speed, beside what is counted, both relative to the first row."""

    model: str
    image_size: int
    macs: float  # counted where the course knows the shape, else as printed
    pictures_a_second: float
    counted_ratio: float  # multiply-adds, relative to `base`
    time_ratio: float  # time for a picture, relative to `base`


def speeds(table: str = "deit", base: tuple[str, int] = ("B/16", 224)) -> list[Speed]:
    """DeiT's throughput on a V100 ("deit"), or Swin's table on the same card ("swin"), relative to one of its rows."""
    rows = []
    for row in published(table)["table5" if table == "deit" else "table1"]["rows"]:
        shape = FAMILY.get(row["model"]) or FAMILY.get(row.get("shape") or "")
        macs = count.macs(shape, row["image_size"])["total"] if shape else row["flops_giga_as_printed"] * 1e9
        rows.append((row["model"], row["image_size"], macs, row["pictures_a_second"]))
    macs, speed = next((m, s) for name, size, m, s in rows if (name, size) == base)
    return [Speed(*row, row[2] / macs, speed / row[3]) for row in rows]


def padded_tokens(tokens: int, multiple: int = 128) -> int:
    """Tokens after padding to a whole multiple, as a TPU's tiles ask for it."""
    return -(-tokens // multiple) * multiple


def other_kept(shape: ViTShape, image_size: count.Size | None = None, batch: int = 1, bytes_per: int = 2) -> int:
    """Bytes that the blocks keep for the backward pass besides A, without dropout.

    Of width D: the inputs of two norms, of Q K V, of the output projection and of the MLP, and q, k and v: 8 T D. Of
    width D_ff: GELU's input and output, 2 T D_ff. It is the count of Korthikanti et al. 2022, section 4, and needs a
    plain MLP. Raises ValueError for an invalid size.
    """
    if image_size is not None:
        shape = replace(shape, image_size=checked_size(image_size, shape.patch_size))
    wide = 8 * shape.hidden_size + 2 * shape.intermediate_size
    return batch * shape.num_hidden_layers * shape.num_tokens * wide * bytes_per


class TrainingRow(NamedTuple):
    """A row of the paper's Table 6, as printed and as counted."""

    model: str
    epochs: int
    printed: float
    counted: float
    difference: float  # of the counted, relative to the printed


WAYS = {  # how the compute of training is counted -> (what the reader sees, what is wrong with it)
    "right": ("6 × multiply-adds: as it should be", ""),
    "macs": (
        "multiply-adds called FLOPs",
        "A multiply-add is two floating-point operations. Three times the multiply-adds is half of the compute.",
    ),
    "forward": (
        "the forward pass alone",
        (
            "The backward pass has two products for each product of the forward pass: one for the gradient of the"
            " input, one for that of the weights. Training is counted as three forward passes."
        ),
    ),
    "linear": (
        "attention forgotten",
        "Without Q Kᵀ and A V a few per cent are missing at 224 px, and more with every step to larger pictures.",
    ),
    "6nd": (
        "6 N a token (6 N D)",
        (
            "N, here the numbers in the blocks' matrices, meet every token once, so 6 N a token is near. Q Kᵀ and A V"
            " are missing: they multiply activations, not parameters."
        ),
    ),
    "6n": (
        "6 N a picture",
        (
            "A picture is not one token. Every number of a block's matrices is used once for each of the T tokens, so"
            " this is too small by about T."
        ),
    ),
}


def training_exaflops(
    shape: ViTShape, image_size: count.Size | None, epochs: float, images: float, way: str = "right"
) -> float:
    """Compute of training in exaFLOPs, counted rightly or in one of the wrong WAYS. N is the blocks' matrices."""
    right = count.pretraining_exaflops(shape, image_size, epochs, images)
    macs = count.macs(shape, image_size)
    if way in ("6nd", "6n"):
        N = count.block_matrices(shape)
        tokens = 1 if way == "6n" else (replace(shape, image_size=image_size) if image_size else shape).num_tokens
        return 6 * N * tokens * epochs * images / 1e18
    share = {"right": 1.0, "macs": 0.5, "forward": 1 / 3, "linear": 1 - macs["attention"] / macs["total"]}[way]
    return right * share


def table6(way: str = "right") -> list[TrainingRow]:
    """The paper's Table 6 beside the count: 303 million pictures of JFT, 18,291 classes, 224 px."""
    images = published("pretraining_data")["JFT"]["pictures"]
    rows = []
    for row in published("vit_paper")["table6"]["rows"]:
        shape = replace(FAMILY[row["model"]], num_labels=JFT_CLASSES)
        counted = training_exaflops(shape, 224, row["epochs"], images, way)
        rows.append(TrainingRow(row["model"], row["epochs"], row["exaflops"], counted, counted / row["exaflops"] - 1))
    return rows


def flops_a_token(shape: ViTShape) -> int:
    """FLOPs of training a token: 6 for each number of the blocks' matrices, and 12 L T D for Q K^T and A V."""
    return 6 * count.block_matrices(shape) + 12 * shape.num_hidden_layers * shape.num_tokens * shape.hidden_size


def operations_a_byte(rows: int, inner: int, columns: int, bytes_per: int = 2) -> float:
    """Arithmetic intensity of a product (rows, inner) @ (inner, columns): FLOPs for each byte read or written once."""
    return 2 * rows * inner * columns / (bytes_per * (rows * inner + inner * columns + rows * columns))
