"""Published parameter counts, and the ways of counting that do and do not give them. Which was meant is inference."""

from __future__ import annotations

from typing import NamedTuple

from widgets.common.facts import published
from widgets.counting.calculator_settings import read
from widgets.model import count
from widgets.model.shape import ViTShape


class Convention(NamedTuple):
    """One way of counting: in words, as a setting of the calculator, what it gives, and whether that rounds to the
    printed."""

    words: str
    setting: str
    counted: int
    fits: bool


class Claim(NamedTuple):
    """A printed count, where it stands, the ways of counting it, and what follows."""

    key: str
    model: str
    printed: str
    source: str
    conventions: tuple[Convention, ...]
    verdict: str


HEAD, BARE, TANH = (
    "with a head of 1,000 classes",
    "without a head",
    "without a classifier, with the D × D tanh layer of the pretraining head",
)
BLOCKS = "the matrices of the blocks alone"
POOLED = ", and with the attention pooling"  # ends the words of a convention that counts it
INFERRED = (
    " One convention fits Base, Large and Huge at once: no classifier, the tanh layer, and L/32 for Large. This is"
    " inference; the paper does not say."
)
LARGE = "Without class token, head and pooling: that is how this table counts its models (inference)."

# key: (model, where it is printed, unit, conventions (words, setting), what follows)
_CLAIMS: dict[str, tuple[str, tuple[str, str, str], str, tuple[tuple[str, str], ...], str]] = {
    "base": (
        "ViT-Base",
        ("vit_paper", "table1", "ViT-Base"),
        "M",
        ((f"B/16 {HEAD}", "B/16"), (f"B/16 {BARE}", "B/16,num_labels=0"), (f"B/16 {TANH}", "B/16,num_labels=768")),
        "It cannot include a head of 1,000 classes: with one the count rounds to 87." + INFERRED,
    ),
    "large": (
        "ViT-Large",
        ("vit_paper", "table1", "ViT-Large"),
        "M",
        (
            (f"L/16 {HEAD}", "L/16~L/32"),
            (f"L/16 {TANH}", "L/16,num_labels=1024"),
            (f"L/32 {HEAD}", "L/32~L/16"),
            (f"L/32 {BARE}", "L/32,num_labels=0"),
            (f"L/32 {TANH}", "L/32,num_labels=1024"),
        ),
        "None of these ways of counting L/16 gives it. L/32 does: its patches are larger, so E is four times as tall."
        + INFERRED,
    ),
    "huge": (
        "ViT-Huge",
        ("vit_paper", "table1", "ViT-Huge"),
        "M",
        ((f"H/14 {HEAD}", "H/14"), (f"H/14 {BARE}", "H/14,num_labels=0"), (f"H/14 {TANH}", "H/14,num_labels=1280")),
        "Something must stand behind the last layer: the bare model rounds to 631." + INFERRED,
    ),
    "tiny": (
        "ViT-Ti/16",
        ("deit", "table5", "Ti/16"),
        "M",
        ((f"Ti/16 {HEAD}", "Ti/16"), (f"Ti/16 {BARE}", "Ti/16,num_labels=0")),
        (
            "Both ways round to 6. The table's 5 looks cut off, not rounded (inference). Its three rows agree: with the"
            " head, cutting 5.72, 22.05 and 86.57 off gives the 5, 22 and 86 of Ti/16, S/16 and B/16; without it, 5, 21"
            " and 85. A last digit printed is not always a digit rounded."
        ),
    ),
    "large again": (
        "L/16",
        ("scaling_vit", "table2", "L/16"),
        "M",
        (
            ("L/16 without class token, head and pooling", "L/16,class_token=no,pool=gap,num_labels=0"),
            (f"L/16 {HEAD}", "L/16"),
            (f"L/32 {BARE}", "L/32,num_labels=0"),
        ),
        (
            "Here is L/16 itself, with nothing behind its last layer (inference). The 307M of ViT-Large is another"
            " model, or another count: none of the ways of counting L/16 there gives it."
        ),
    ),
    "large at 384": (
        "ViT-L/16",
        ("swin", "table1_vit", "ViT-L/16"),
        "M",
        (
            (f"L/16 at 384 px {HEAD}", "L/16,image_size=384"),
            (f"L/16 at 384 px {BARE}", "L/16,image_size=384,num_labels=0"),
            (f"L/16 at 384 px {TANH}", "L/16,image_size=384,num_labels=1024"),
            (f"L/32 at 384 px {HEAD}", "L/32,image_size=384"),
        ),
        (
            "Here 307M stands beside L/16, at 384 px. None of these ways of counting L/16 gives it, and yet the row is"
            " L/16: its 190.7G multiply-adds are L/16's, where L/32 would need 45. So the number was probably taken"
            " over from the ViT paper, which prints it for ViT-Large and names no patch size (inference)."
        ),
    ),
    "g": (
        "g/14",
        ("scaling_vit", "table2", "g/14"),
        "M",
        (
            ("g/14 without class token, head and pooling", "g/14"),
            (f"g/14 without class token and head{POOLED}", "g/14"),
            ("g/14 with a class token and a head of 1,000 classes", "g/14,class_token=yes,pool=cls,num_labels=1000"),
        ),
        LARGE,
    ),
    "G": (
        "G/14",
        ("scaling_vit", "table2", "G/14"),
        "M",
        (
            ("G/14 without class token, head and pooling", "G/14"),
            (f"G/14 without class token and head{POOLED}", "G/14"),
            ("G/14 with a class token and a head of 1,000 classes", "G/14,class_token=yes,pool=cls,num_labels=1000"),
        ),
        LARGE,
    ),
    "So400m": (
        "So400m/14",
        ("vit_in_shape", "sizes", "So400m/14"),
        "M",
        (
            ("So400m/14 without class token, head and pooling", "So400m/14"),
            (f"So400m/14 without class token and head{POOLED}", "So400m/14"),
        ),
        (
            "It fits only with the attention pooling: a learned query, attention, a norm and an MLP (inference). The"
            " calculator has no such pooling, so its sum is smaller."
        ),
    ),
    "22B": (
        "ViT-22B",
        ("vit_22b", "table1", "22B"),
        "M",
        ((BLOCKS, "22B"), ("every line of the calculator, without a head", "22B")),
        (
            "The matrices of the blocks alone give it: 48 (4D² + 2 D D_ff). That embedding, positions, norms and biases"
            " were left out is inference."
        ),
    ),
    "DINOv3": (
        "DINOv3-7B",
        ("dinov3", "table2", "DINOv3-7B"),
        "B",
        (
            (BLOCKS, "DINOv3-7B"),
            ("every line, with its gated MLP of three matrices", "DINOv3-7B"),
            ("every line, if its MLP had two matrices, as a usual ViT has", "DINOv3-7B,gated_mlp=no"),
        ),
        (
            "A SwiGLU MLP has three matrices. Count two and a fifth of the model is missing. The name says 7B, the"
            " table 6.7."
        ),
    ),
}
_UNITS = {"M": (1e6, "parameters_million"), "B": (1e9, "parameters_billion")}


def published_counts() -> list[Claim]:
    """Every printed count with its conventions, computed."""
    return [_claim(key, *facts) for key, facts in _CLAIMS.items()]


def _claim(
    key: str, model: str, where: tuple[str, str, str], unit: str, conventions: tuple[tuple[str, str], ...], verdict: str
) -> Claim:
    name, table, row_name = where
    row = next(row for row in published(name)[table]["rows"] if row["model"] == row_name)
    size, field = _UNITS[unit]
    printed = row[field]
    found = []
    for words, setting in conventions:
        shape = read(setting).shape
        counted = _counted(words, shape)
        found.append(Convention(words, setting, counted, round(counted / size, _decimals(printed)) == printed))
    return Claim(key, model, f"{printed:,}{unit}", row["source"], tuple(found), verdict)


def _counted(words: str, shape: ViTShape) -> int:
    if words == BLOCKS:
        return count.block_matrices(shape)
    return count.parameters(shape)["total"] + (count.attention_pooling(shape) if words.endswith(POOLED) else 0)


def _decimals(printed: float) -> int:
    return len(repr(printed).partition(".")[2]) if isinstance(printed, float) else 0
