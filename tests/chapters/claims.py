"""Numbers in the text of a chapter that no cell prints: for each, what it is, and the function that computes it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from inspect import signature

from torch import Tensor

from widgets.common.facts import published
from widgets.model.costs import training_exaflops
from widgets.model.count import macs, sequence_facts
from widgets.model.patches import patch_index, patch_position
from widgets.model.positions import sincos_1d
from widgets.model.shape import FAMILY


def _looked_at(place: int) -> int:
    """The patch to which patch 24 of the cat gives its share number `place`, in layer 1, head 1 of the hand-set ViT."""
    from widgets.model.step_rows import hand_set_pass
    from widgets.pictures import open_sample

    run = hand_set_pass(open_sample("cat")).trace
    return int(run.layers[0].weights[0, 0, run.prefix + 24].argsort(descending=True)[place]) - run.prefix


def _cosines_of_the_class_tokens_row() -> Tensor:
    """The cosines of row 0 of the copy's position table with every place of a 16 x 16 grid: (256,)."""
    from widgets.checkpoints.loading import load
    from widgets.model.library import weights_of
    from widgets.model.position_tables import position_table, similarity_rows

    table = position_table("learned", weights_of(load("dinov2-small").model), (16, 16))
    return similarity_rows(table, (16, 16))[0]


def _rows_more(side: int) -> int:
    """Rows of B/16's position table for a side in px, less those for 224 px."""
    shape = FAMILY["B/16"]
    return replace(shape, image_size=side).num_patches - shape.num_patches


def table_6_misses(classes: int) -> list[float]:
    """How far the count is from each row of the paper's Table 6 with a head of so many classes: shares, least first."""
    images, rows = published("pretraining_data")["JFT"]["pictures"], published("vit_paper")["table6"]["rows"]
    counted = [
        training_exaflops(replace(FAMILY[row["model"]], num_labels=classes), 224, row["epochs"], images) for row in rows
    ]
    return sorted(abs(exaflops / row["exaflops"] - 1) for exaflops, row in zip(counted, rows, strict=True))


CLAIMS: dict[str, dict[str, Callable[[], float]]] = {
    "00": {
        f"the patch that patch 24 looks at, number {place}": lambda place=place: _looked_at(place)
        for place in (1, 2, 3)
    },
    "02": {
        "the patch in row 1, column 3 of 14 columns": lambda: patch_index(1, 3, (14, 14)),
        "last pixel row of patch 17": lambda: (patch_position(17, (14, 14))[0] + 1) * 16 - 1,
        "first pixel column of patch 17": lambda: patch_position(17, (14, 14))[1] * 16,
        "last pixel column of patch 17": lambda: (patch_position(17, (14, 14))[1] + 1) * 16 - 1,
        "patches of 14 px in 224 px": lambda: sequence_facts((224, 224), 14)["patches"],
    },
    "03": {
        "a patch in the eye, row 5, column 5 of 14 columns": lambda: patch_index(5, 5, (14, 14)),
        "a patch of the forehead, row 1, column 7": lambda: patch_index(1, 7, (14, 14)),
    },
    "05": {"the share that a lead of 1 gives, against its rival's": lambda: math.e},
    "04": {
        "base of the sinusoidal formula": lambda: signature(sincos_1d).parameters["base"].default,
        "least cosine of the class token's row with a place": lambda: _cosines_of_the_class_tokens_row().min(),
        "largest cosine of the class token's row with a place": lambda: _cosines_of_the_class_tokens_row().max(),
    },
    "08": {"rows that B/16's position table has more at 256 px than at 224 px": lambda: _rows_more(256)},
    "09": {
        "how far Table 6's five rows are from the count, at most, with no head": lambda: table_6_misses(0)[-2],
        "share of attention in ViT-B/16 at 224 px": lambda: (
            macs(FAMILY["B/16"])["attention"] / macs(FAMILY["B/16"])["total"]
        ),
    },
}
