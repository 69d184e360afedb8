"""A reader's guess at the shape of a tensor: read, judged, and a wrong one traced to what was mixed up."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from widgets.common.number_formats import written_bytes
from widgets.common.typed_number import Kind, NotRead, number_typed, split_sides
from widgets.model.costs import SMALL, models
from widgets.model.shape import FAMILY, ViTShape, size_pair
from widgets.model.shape_trace import Stage, shape_trace

LONGEST = 60  # characters of a guess
MOST_SIDES = 30  # more than a shape has: too many sides are judged, not refused
SIDE = Kind("A side of a tensor", 1, 1e12, whole=True, ask="write the sides one after another, for example: 2, 3, 4")
Case = tuple[str, ViTShape, int]
CASES: tuple[Case, ...] = (  # (title, shape at its size, batch)
    ("ViT-L/14, 336 px, a batch of 32", replace(FAMILY["L/16"], patch_size=14, image_size=336), 32),
    ("ViT-B/16, 224 px, one picture", FAMILY["B/16"], 1),
    ("ViT-B/16, 384 px, a batch of 8", replace(FAMILY["B/16"], image_size=384), 8),
    ("DINOv2 ViT-S/14, 518 px, a batch of 4", replace(models()[SMALL][1], image_size=518), 4),
    ("ViT-H/14, 224 px, a batch of 2", FAMILY["H/14"], 2),
)
MEANING = {  # symbol -> what it counts
    "B": "the pictures of the batch",
    "C": "the colour channels",
    "H": "the rows of pixels",
    "W": "the columns of pixels",
    "N": "the patches",
    "P² C": "the numbers of one patch",
    "D": "the width of a token",
    "T": "the tokens, the class token with them",
    "h": "the heads",
    "D_h": "the width of a head, D / h",
    "D_ff": "the width inside the MLP",
    "K": "the classes",
    "P": "the side of a patch",
    "P²": "the pixels of a patch, without its channels",
    "L": "the layers",
    "grid": "the patches along one side",
}
MIXED = {  # (what belongs there, what was typed) -> which misconception that is
    ("T", "N"): "You left the class token out. It is a token like the others: T = N + 1.",
    ("N", "T"): "The class token is not there yet: it joins after the projection. Here there are only the N patches.",
    (
        "T",
        "grid",
    ): "That is the patches along one side. The sequence has all of them, the grid squared, and the class token.",
    ("N", "grid"): "That is the patches along one side. There are as many along the other: N is the grid squared.",
    (
        "T",
        "D_h",
    ): "Scores compare tokens with tokens, so both last sides are T. The width of a head has been summed over.",
    ("T", "D"): "Scores compare tokens with tokens, so both last sides are T. The width has been summed over.",
    ("D_h", "D"): "Each head has its own share of the width: D_h = D / h, not D.",
    (
        "D_h",
        "T",
    ): "A row of weights has been used up by the weighted sum: each token is again a vector, here of D_h numbers.",
    ("D", "D_h"): "The heads are joined here, so a token has its whole width D again.",
    ("D", "D_ff"): "The MLP has come down again. In the stream a token always has D numbers.",
    ("D_ff", "D"): "Inside the MLP a token is wider: D_ff, which is 4D in this model.",
    ("P² C", "P²"): "You counted the pixels of a patch. Each has C = 3 numbers, one a channel.",
    ("P² C", "D"): "The patches are only cut here. They get the width D when E multiplies them.",
    ("D", "P² C"): "E has multiplied the patches already: each is D numbers now.",
    ("D", "K"): "The head comes next. What it reads is still one vector of D numbers.",
    ("K", "D"): "The head has multiplied y: there is one number for each class.",
    ("h", "L"): "That is the number of layers. A layer splits its own width into h heads.",
    ("B", "h"): "The batch stands first in every tensor; the heads come second.",
}


class Verdict(NamedTuple):
    """Whether a guess is right, and a sentence: what it is, or what was mixed up."""

    right: bool
    sentence: str


def stages(case: int) -> list[Stage]:
    """The tensors of a case, in order."""
    _, shape, batch = CASES[case]
    return shape_trace(shape, batch)


def judge(typed: str, case: int, number: int) -> Verdict:
    """Judge what was typed for a stage: "(32, 16, 577, 577)", "32 16 577 577" and "32 x 16 x 577 x 577" are the same.

    Never raises: what is no shape is answered by a sentence.
    """
    stage = stages(case)[number]
    dims, why = _read(typed)
    if why:
        return Verdict(False, why)
    if dims == stage.dims:
        return Verdict(True, f"Yes: {written(dims)}, {amount(stage)}.")
    return Verdict(False, _mixed_up(dims, stage, case))


def written(dims: tuple[int, ...]) -> str:
    """A shape as Python writes it, with separators of thousands left out: they would look like more sides."""
    return f"({', '.join(map(str, dims))})"


def amount(stage: Stage) -> str:
    """How many numbers a tensor holds, and what they take in 2 bytes each."""
    return (
        f"{stage.numbers:,} numbers{' in each layer' if stage.in_each_layer else ''},"
        f" {written_bytes(2 * stage.numbers)} in 2 bytes each"
    )


def _read(typed: str) -> tuple[tuple[int, ...], str]:
    text = typed.strip()
    if not text:
        return (), "Nothing is typed yet. Write the sides one after another, for example: 2, 3, 4."
    if len(text) > LONGEST:
        return (), f"That is {len(text):,} characters. A shape has two to four sides; write them one after another."
    try:
        sides = split_sides(text, SIDE, most=MOST_SIDES, listed=True)
        symbol = next((side for side in sides if re.fullmatch(r"[A-Za-z_]+(?:\^2)?", side)), "")
        if symbol:
            return (), f"“{symbol[:12].replace('^2', '²')}” is a symbol. Put in the number that it has in this model."
        return tuple(int(number_typed(side, SIDE)) for side in sides), ""
    except NotRead as reason:
        return (), str(reason)


def _values(case: int) -> dict[str, int]:
    _, shape, batch = CASES[case]
    height, width = size_pair(shape.image_size)
    return {
        "B": batch,
        "T": shape.num_tokens,
        "N": shape.num_patches,
        "D": shape.hidden_size,
        "h": shape.num_attention_heads,
        "D_h": shape.head_size,
        "D_ff": shape.intermediate_size,
        "K": shape.num_labels,
        "C": shape.num_channels,
        "H": height,
        "W": width,
        "P² C": shape.num_channels * shape.patch_size**2,
        "P²": shape.patch_size**2,
        "P": shape.patch_size,
        "L": shape.num_hidden_layers,
        "grid": shape.grid[0],
    }


def _mixed_up(dims: tuple[int, ...], stage: Stage, case: int) -> str:
    """What a wrong shape shows: an order, a missing or an extra side, or one count in place of another."""
    right, symbols, values = stage.dims, [part.strip() for part in stage.symbols.strip("()").split(",")], _values(case)
    if sorted(dims) == sorted(right):
        return f"All sides are right, in another order. The course and PyTorch write {stage.symbols}."
    if dims == right[1:]:
        return f"The batch is missing: B = {values['B']} pictures go through together, and B stands first."
    if symbols[1:2] == ["h"] and dims == (right[0], *right[2:]):
        return f"The heads are missing. Each of the h = {values['h']} heads has its own: {stage.symbols}."
    if symbols[1:2] == ["h"] and dims == (values["B"], values["T"], values["D"]):
        return (
            f"That is the tensor with its heads side by side. Here each token's D is split into h = {values['h']}"
            f" heads, and the heads stand before the tokens: {stage.symbols}."
        )
    if dims == (values["L"], *right):
        return "The layers come one after another. One layer's tensor is asked for, without L."
    if len(dims) != len(right):
        return f"It has {len(right)} sides, and you typed {len(dims)}: {stage.symbols}."
    place = next(place for place, (came, side) in enumerate(zip(dims, right, strict=True)) if came != side)
    return _wrong_side(dims[place], symbols[place], place, values)


def _wrong_side(came: int, symbol: str, place: int, values: dict[str, int]) -> str:
    ordinal = ("first", "second", "third", "fourth")[place]
    known = [other for other, value in values.items() if value == came and other != symbol]
    for other in known:
        if (symbol, other) in MIXED:
            return f"Look at the {ordinal} side, {came:,}. {MIXED[symbol, other]}"
    if symbol == "T" and came == values["T"] + 1:
        return (
            f"Look at the {ordinal} side, {came:,}. That is one token too many: one class token joins the patches,"
            " once."
        )
    if known:
        return f"The {ordinal} side should count {MEANING[symbol]}. {came:,} is {MEANING[known[0]]}."
    return f"The {ordinal} side should count {MEANING[symbol]}. {came:,} is none of this model's counts."
