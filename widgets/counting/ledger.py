"""The counts of a ViT line by line: the formula, the formula with its numbers, the count, the running total; as CSV."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from io import StringIO
from typing import NamedTuple

from widgets.common.facts import published
from widgets.model import count
from widgets.model.shape import FAMILY, ViTShape

PIECES = {  # piece of count.parameters -> (its name, what it is)
    "patch_embedding": (
        "Patch embedding",
        "E, of P²C × D, and one bias of D. All patches share it, so their number does not appear.",
    ),
    "class_token": (
        "Class token",
        "One learned vector of D numbers. It costs D a second time, as the first row of the position table.",
    ),
    "registers": ("Registers", "R learned vectors of D numbers each. They have no rows in the position table."),
    "positions": (
        "Position table",
        (
            "One row of D numbers a patch, and one for the class token. This is the only line in which the"
            " size of the picture appears."
        ),
    ),
    "attention": (
        "Attention, all layers",
        (
            "Four matrices of D × D a layer, for queries, keys, values and the output, each with its"
            " bias. The heads share the width among them, so their number does not appear."
        ),
    ),
    "mlp": (
        "MLP, all layers",
        "Two matrices a layer, D × D_ff and back, each with its bias; three where the MLP is gated.",
    ),
    "layer_norms": ("Norms of the blocks", "Two LayerNorms a layer, with a gain and a shift of D numbers each."),
    "final_norm": ("Final norm", "One LayerNorm after the last layer. It is there whatever the head reads."),
    "pooling": (
        "Attention pooling",
        (
            "The learned query and its block belong to the head that reads the answer. The printed counts of"
            " g/14 and G/14 leave them out, and so does this one; the 428M of So400m/14 fits only with them."
        ),
    ),
    "head": ("Head", "One matrix of D × K and a bias of K. With 0 classes there is no head."),
}
PRINTED = {  # field of a shape -> (its value in chapter 08's printed formula, what else an entry may have)
    "qkv_bias": (True, "no biases of q, k and v"),
    "norm_bias": (True, "norms with a gain only"),
    "gated_mlp": (False, "a gated MLP, three matrices"),
    "position": ("learned", "no position table"),
}
EMBEDDINGS = (
    "token table",
    "patch embedding",
    "class token",
    "position table",
    "segment table",
)  # what makes tokens of the input
PRODUCTS = {  # part of count.macs -> (its name, its formula)
    "patch": ("Patch embedding", "N P² C D"),
    "linear": ("Matrices of the blocks", "L T (4D² + 2 D D_ff)"),
    "attention": ("Attention, Q Kᵀ and A V", "2 L T² D"),
    "head": ("Head", "D K"),
}


class Line(NamedTuple):
    """One line of a ledger. `running` is the sum down to it, `share` its part of the total, 0 to 1."""

    key: str
    name: str
    formula: str
    worked: str
    count: int
    running: int
    share: float


def parameter_lines(shape: ViTShape) -> list[Line]:
    """Every line of the parameters; the last one's `running` is the total."""
    counted = count.parameters(shape)
    total = counted.pop("total")
    return _lines([(key, PIECES[key][0], *entry) for key, entry in counted.items()], total, shape)


def words_of(key: str, shape: ViTShape) -> str:
    """What a piece of this shape is: PIECES speaks of the paper's, and some of the larger models lack its biases."""
    if key == "attention" and not shape.qkv_bias:
        return PIECES[key][1].replace("each with its bias", "of which only the output has a bias")
    if key in ("layer_norms", "final_norm") and not shape.norm_bias:
        return {
            "layer_norms": "Two norms a layer, with a gain of D numbers each and no shift.",
            "final_norm": "One norm after the last layer, with a gain and no shift.",
        }[key]
    return PIECES[key][1]


def by_the_formula(shape: ViTShape) -> ViTShape:
    """The shape with every piece as chapter 08's printed formula has it."""
    return replace(shape, **{field: value for field, (value, _) in PRINTED.items()})


def departures(shape: ViTShape) -> dict[str, int]:
    """What a shape has otherwise than the printed formula, in words -> how many parameters more that makes."""
    plain = by_the_formula(shape)
    total = count.parameters(plain)["total"]
    others = {
        words: {field: getattr(shape, field)}
        for field, (value, words) in PRINTED.items()
        if getattr(shape, field) != value
    }
    return {words: count.parameters(replace(plain, **field))["total"] - total for words, field in others.items()}


def product_lines(shape: ViTShape) -> list[Line]:
    """Every line of the multiply-adds of one picture."""
    counted = count.macs(shape)
    total = counted.pop("total")
    rows = []
    for key, number in counted.items():
        name, formula = PRODUCTS[key]
        rows.append((key, name, formula.replace("2 D D_ff", "3 D D_ff") if shape.gated_mlp else formula, number))
    return _lines([row for row in rows if row[3]], total, shape)


def worked(formula: str, shape: ViTShape) -> str:
    """A formula with the numbers of a shape in place of its letters, and × where letters stand side by side."""
    numbers = {
        "P": shape.patch_size,
        "C": shape.num_channels,
        "D": shape.hidden_size,
        "L": shape.num_hidden_layers,
        "N": shape.num_patches,
        "T": shape.num_tokens,
        "D_ff": shape.intermediate_size,
        "K": shape.num_labels,
        "R": shape.registers,
    }
    text = ""
    for token in re.findall(r"D_ff|[A-Z]|\d+|²|[()+·]", formula):
        written = f"{numbers[token]:,}" if token in numbers else {"+": " + ", "·": " × "}.get(token, token)
        times = text and text[-1] not in "( " and token not in ")+·²"
        text += (" × " if times else "") + written
    return text


def as_csv(shapes: list[tuple[str, ViTShape]]) -> str:
    """The ledgers of models (title, shape) as CSV: model, what, piece, formula, numbers, count, running total."""
    out = StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["model", "counted", "piece", "formula", "with numbers", "count", "running total"])
    for title, shape in shapes:
        for what, lines in (
            ("parameters", parameter_lines(shape)),
            ("multiply-adds of one picture", product_lines(shape)),
        ):
            for line in lines:
                table.writerow([title, what, line.name, line.formula, line.worked, line.count, line.running])
    return out.getvalue()


def _lines(rows: list[tuple[str, str, str, int]], total: int, shape: ViTShape) -> list[Line]:
    lines, running = [], 0
    for key, name, formula, number in rows:
        running += number
        numbers = worked(formula, shape) if number else ""
        lines.append(Line(key, name, formula, numbers, number, running, number / total if total else 0.0))
    return lines


def language_model_pieces(facts: dict) -> dict[str, int]:
    """Count a language model with the paper's blocks, piece by piece, from a row of
    data/published/language_models.json."""
    D, norm = facts["hidden_size"], 2 * facts["hidden_size"]
    shape = ViTShape(
        **{
            name: facts[name]
            for name in ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
        }
    )
    blocks = sum(line.count for line in parameter_lines(shape) if line.key in ("attention", "mlp", "layer_norms"))
    pieces = {
        "token table": facts["vocabulary"] * D,
        "position table": facts["positions"] * D,
        "segment table": facts["segments"] * D,
        "norm at the input": norm * facts["norm_at_the_input"],
        "blocks": blocks,
        "norm at the end": norm * facts["norm_at_the_end"],
        "tanh layer": (D * D + D) * facts["tanh_layer"],
    }
    tied = {"head: the token table again": 0} if facts["head_is_token_table"] else {}
    return {name: number for name, number in pieces.items() if number} | tied


def beside_language_models() -> dict[str, dict[str, int]]:
    """Model -> its pieces: GPT-2 small, BERT-base and ViT-B/16, whose blocks are the same."""
    found = {facts["model"]: language_model_pieces(facts) for facts in published("language_models")["models"]["rows"]}
    lines = {line.key: line for line in parameter_lines(FAMILY["B/16"])}
    blocks = sum(lines.pop(key).count for key in ("attention", "mlp", "layer_norms"))
    pieces = {line.name.lower(): line.count for line in lines.values()}
    order = ("patch embedding", "class token", "position table")
    ends = {name: number for name, number in pieces.items() if name not in order}
    return found | {"ViT-B/16": {name: pieces[name] for name in order} | {"blocks": blocks} | ends}


def embedding_share(pieces: dict[str, int]) -> float:
    """Share of a model's parameters, 0 to 1, that make tokens of its input: EMBEDDINGS."""
    return sum(number for name, number in pieces.items() if name in EMBEDDINGS) / sum(pieces.values())
