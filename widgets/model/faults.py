"""The bug museum: real mistakes in Vision Transformers, each a switch on the forward pass. None changes a shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from widgets.common.refusal import Refused
from widgets.model.encoder import gelu_tanh, post_norm_block
from widgets.model.patches import to_channels_last
from widgets.model.positions import Grid, interpolate_positions
from widgets.model.tensor_defaults import BOOL
from widgets.model.vit import RIGHT, Steps, ViTWeights
from widgets.pictures.preparation import PREPARATIONS, Preparation


@dataclass(frozen=True)
class Fault:
    """One mistake: its name, a title, where it was seen, why no shape check catches it, and what it changes.

    `change` gets the right steps, the model's weights and its preparation (None where it is not known).
    """

    name: str
    title: str
    seen: str
    unseen: str
    change: Callable[[Steps, ViTWeights, Preparation | None], Steps]


def steps_with(names: Iterable[str], w: ViTWeights, preparation: Preparation | None = None) -> Steps:
    """Return the forward pass with these faults switched on, in the order of FAULTS.

    Raises ValueError for a name that is not in FAULTS, or two faults that replace the same step.
    """
    names = (names,) if isinstance(names, str) else tuple(names)
    for name in names:
        if name not in FAULTS:
            raise Refused(f"there is no fault {name!r}: use any of {', '.join(FAULTS)}")
    for same in SAME_STEP:
        on = [name for name in same if name in names]
        if len(on) > 1:
            raise Refused(f"{on[0]} and {on[1]} replace the same step: switch one of them off")
    steps = RIGHT
    for name in FAULTS:
        if name in names:
            steps = FAULTS[name].change(steps, w, preparation)
    return steps


def _causal(tokens: int) -> Tensor:
    return torch.ones(tokens, tokens, **BOOL).tril()  # row i sees tokens 0 to i


def _class_row_gone(table: Tensor) -> Tensor:
    return torch.cat([torch.zeros_like(table[:1]), table[1:]])  # (1 + N, D)


def _without_class_position(steps: Steps, w: ViTWeights, _: Preparation | None) -> Steps:
    # without a class token the table's first row is patch 0's, and there is nothing to forget
    return steps if w.class_token is None else replace(steps, positions=_class_row_gone)


def _resized_as_a_line(table: Tensor, old_grid: Grid, new_grid: Grid, prefix: int = 1) -> Tensor:
    rows = prefix + new_grid[0] * new_grid[1]
    if rows == len(table):
        return table.clone()
    return F.interpolate(table.T[None], size=rows, mode="linear", align_corners=False)[0].T  # (prefix + h'*w', D)


def _resized_transposed(table: Tensor, old_grid: Grid, new_grid: Grid, prefix: int = 1) -> Tensor:
    return interpolate_positions(table, old_grid, (new_grid[1], new_grid[0]), prefix=prefix)  # (prefix + w'*h', D)


def _cut_off(table: Tensor, old_grid: Grid, new_grid: Grid, prefix: int = 1) -> Tensor:
    rows = prefix + new_grid[0] * new_grid[1]
    if rows > len(table):
        raise Refused(
            f"The table has {len(table):,} rows and the picture needs {rows:,}: there is nothing to cut off,"
            " and code that slices would stop here with an error. Choose a smaller picture."
        )
    return table[:rows]  # (prefix + h'*w', D)


def _merged_without_moving(heads: Tensor) -> Tensor:
    return heads.reshape(heads.shape[0], heads.shape[2], -1)  # (B, T, D), tokens and heads mixed


def _viewed(picture: Tensor, P: int) -> Tensor:
    return picture.reshape(-1, picture.shape[0] * P * P)  # (N, C*P*P), from neighbouring memory


def _rows_with_channels_last(steps: Steps, w: ViTWeights, _: Preparation | None) -> Steps:
    return replace(steps, cut=lambda picture, P: to_channels_last(steps.cut(picture, P), P))


def _maps_as_tokens(embeddings: Tensor) -> Tensor:
    return embeddings.transpose(1, 2).reshape(embeddings.shape)  # (B, D, N) as a convolution leaves it, cut anew


def _other_epsilon(steps: Steps, w: ViTWeights, _: Preparation | None) -> Steps:
    return replace(steps, eps=lambda eps: 1e-5 if eps != 1e-5 else 1e-12)


def _other_pixels(steps: Steps, _: ViTWeights, right: Preparation | None) -> Steps:
    right = right or PREPARATIONS["vit-b16"]
    wrong = PREPARATIONS["dinov2-small" if right.mean == PREPARATIONS["vit-b16"].mean else "vit-b16"]

    def mistaken(pixels: Tensor) -> Tensor:
        of: dict[str, Any] = {"dtype": pixels.dtype, "device": pixels.device}
        right_mean, right_deviation, mean, deviation = (
            torch.tensor(numbers, **of)[:, None, None]
            for numbers in (right.mean, right.deviation, wrong.mean, wrong.deviation)
        )  # (3, 1, 1)
        return (pixels * right_deviation + right_mean - mean) / deviation

    return replace(steps, pixels=mistaken)


def _step(**changed: Callable) -> Callable[[Steps, ViTWeights, Preparation | None], Steps]:
    return lambda steps, w, preparation: replace(steps, **changed)


_FAULTS = (
    Fault(
        "causal_mask",
        "A causal mask",
        "Blocks taken over from a GPT bring its mask along.",
        "The mask only turns weights to 0; row 0, the class token's, then sees nothing but itself, so y is the same for"
        " every picture, and training could learn no more than to give all of them one answer.",
        _step(mask=_causal),
    ),
    Fault(
        "no_positions",
        "Positions left out",
        "The addition is forgotten, or the table is never loaded from the checkpoint.",
        "A sum with zeros has the same shape; the model then cannot tell one order of the patches from another.",
        _step(positions=torch.zeros_like),
    ),
    Fault(
        "class_without_position",
        "The class token without its position",
        "Positions are added to the patches first, and the class token is put in front afterwards.",
        "The sequence is as long as it should be; only row 0 lacks its own row of the table.",
        _without_class_position,
    ),
    Fault(
        "scale_by_width",
        "Scores divided by sqrt(D)",
        "The width of the model is taken for the width of a head.",
        "A number divides the scores either way; the weights become too even, sqrt(k) times too small a score each.",
        _step(scale=lambda head_size, hidden_size: hidden_size**-0.5),
    ),
    Fault(
        "missing_transpose",
        "Heads merged without the transpose",
        "Heads (B, k, T, D_h) are reshaped to (B, T, D) without being moved behind the tokens first.",
        "k T D_h numbers fit into T D places in any order; tokens and heads are mixed without a word.",
        _step(merge=_merged_without_moving),
    ),
    Fault(
        "wrong_epsilon",
        "Another epsilon in LayerNorm",
        "Codes disagree: 1e-6 in the original, 1e-12 in the library's default, 1e-5 in PyTorch's.",
        "It is one number inside a root; outputs move a little, and a port never quite agrees.",
        _other_epsilon,
    ),
    Fault(
        "tanh_gelu",
        "GELU by its tanh form",
        "The original JAX code uses it, most PyTorch ports the exact form; a port takes the other one.",
        "Both map a number to nearly the same number, under 1e-3 apart.",
        _step(activation=gelu_tanh),
    ),
    Fault(
        "wrong_normalisation",
        "Another model's pixel scale",
        "Pixels are prepared with ImageNet's mean and deviation for a model that wants -1 to 1, or the reverse.",
        "Any three means and deviations give pixels of the same shape, and no range of numbers is forbidden.",
        _other_pixels,
    ),
    Fault(
        "view_instead_of_cut",
        "Patches by a view",
        "The picture is reshaped to (N, P²C) in one go, which takes numbers that lie side by side in memory, not"
        " squares.",
        "There are as many numbers as before, in rows of the right length; only their content is wrong.",
        _step(cut=_viewed),
    ),
    Fault(
        "post_norm",
        "Norm after the residual",
        "The order of 2017 and of BERT is used with the weights of a model trained with the norm first.",
        "The same norms, matrices and sums, in another order: every tensor keeps its shape.",
        _step(block=post_norm_block),
    ),
    Fault(
        "channels_last_rows",
        "Rows with channels last",
        "Patches come from code that stores channels last (Flax, TensorFlow), weights from code that stores them"
        " first.",
        "A row holds the same P²C numbers in either order; nearly each of them now meets the weight of another.",
        _rows_with_channels_last,
    ),
    Fault(
        "tokens_reshaped",
        "Tokens by a reshape",
        "What the convolution gives, (B, D, h, w), is reshaped to (B, N, D) where flatten and transpose were meant.",
        "D times N numbers fit into N rows of D; a row then holds pieces of filters' maps and no patch's own numbers.",
        _step(tokens=_maps_as_tokens),
    ),
    Fault(
        "class_row_resized",
        "The class row resized with the grid",
        "The whole table, class row and all, goes through the resize as one line of 1 + N rows.",
        "As many rows come out as are wanted, each a mix of neighbours in raster order, not on the grid; at the table's"
        " own size nothing changes, so a test at that size passes.",
        _step(resize=_resized_as_a_line),
    ),
    Fault(
        "transposed_grid",
        "Rows and columns of the grid exchanged",
        "The new grid is given as (columns, rows), since some libraries say width first and others height.",
        "Either way there are h times w positions; on a square picture nothing changes, so a test on one passes.",
        _step(resize=_resized_transposed),
    ),
    Fault(
        "positions_cut_off",
        "The table cut off",
        "The first rows of the table are taken, as many as the picture needs, with a slice.",
        "A slice has the right shape; patches get the positions of the top rows of the old grid, wrapped at another"
        " width.",
        _step(resize=_cut_off),
    ),
)

RESIZES = ("class_row_resized", "transposed_grid", "positions_cut_off")
"""Faults of the resize: they show at another size than the table's own."""

SAME_STEP = (("no_positions", "class_without_position"), RESIZES)
"""Faults of which one would undo another: only one of each row may be on."""

FAULTS: dict[str, Fault] = {fault.name: fault for fault in _FAULTS}
