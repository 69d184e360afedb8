"""What each step of the pass shows: the rows that come in and go out, the whole matrix, and a map over the picture.

Every number is taken from a `Trace`, or from the weights it was made with. Matrices wider than `SHOWN` are cut to
their first columns, and say of how many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from widgets.model.attention import softmax
from widgets.model.hand_set_vit import hand_set_vit
from widgets.model.positions import interpolate_positions
from widgets.model.steps import Place
from widgets.model.trace import Trace, trace
from widgets.model.vit import ViTWeights
from widgets.pictures import PREPARATIONS, Picture, prepare

SHOWN = 8  # columns of a matrix: all of the hand-set ViT's
BRIGHT = 0.995  # share of the weights below the end of their colour scale: one token may hold ten times the next
STRONGEST = 6  # of the tokens a query looks at, written out one by one
PATCH_SIZE = 32  # P of the hand-set ViT, pixels
OTHERS = -1  # in `picks`: all other tokens together


@dataclass(frozen=True)
class Pass:
    """A picture on its way through a model: the tensors, the weights, and what the answers are called."""

    trace: Trace
    weights: ViTWeights
    pixels: np.ndarray  # uint8 (3, H, W)
    labels: tuple[str, ...] = ()  # of the head's answers; empty when they mean nothing

    @property
    def tokens(self) -> int:
        """T."""
        return self.trace.z0.shape[1]

    @property
    def sizes(self) -> dict[str, str]:
        """The sizes of picture and model by their symbols, each with what it counts."""
        w, t, (_, H, W) = self.weights, self.trace, self.pixels.shape
        P, D, D_ff = w.patch_size, t.z0.shape[-1], t.layers[0].pre_activation.shape[-1]
        found = {
            "H": (H, "px high"),
            "W": (W, "px wide"),
            "P": (P, "px"),
            "N": (t.patches.shape[1], "patches"),
            "P² · 3": (t.patches.shape[2], "numbers"),
            "D": (D, "numbers a token"),
            "T": (self.tokens, "tokens"),
            "D_h": (D // w.num_attention_heads, "numbers a head"),
            "D_ff": (D_ff, "numbers inside the MLP"),
        }
        return {symbol: f"{symbol} = {size:,} {counts}" for symbol, (size, counts) in found.items()}

    @property
    def token_names(self) -> list[str]:
        """What each row of z is: class token, registers, patches."""
        prefix, classes = self.trace.prefix, int(self.weights.class_token is not None)
        first = ["class token"] * classes + [f"register {r}" for r in range(prefix - classes)]
        return first + [f"patch {n}" for n in range(self.tokens - prefix)]


@dataclass(frozen=True)
class Rows:
    """A matrix of which a step shows the row of the token that is followed.

    `values` holds the columns shown; `columns` counts all there are. With `picks`, each number belongs to the token
    named there and each row has its own. `one` marks a matrix of a single row, the same for every token.
    """

    symbol: str
    says: str  # what the row is in this step, in a few words
    values: np.ndarray  # float32 (R, shown)
    columns: int
    first: int = 0  # token of the first row
    hue: str = "ink"  # a colour of the theme
    scale: str = "row"  # rows of one name share a colour scale
    weight: bool = False  # shares from 0, not signed numbers
    picks: np.ndarray | None = field(default=None, repr=False)  # int32 (R, shown)
    heads: tuple[str, ...] = ()  # names of the columns; their numbers when empty
    one: bool = False
    top: float = 0.0  # end of the colour scale, where it is not the largest number shown

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of the whole matrix."""
        return len(self.values), self.columns


@dataclass(frozen=True)
class StepView:
    """All a step shows. `maps` (T, N) colours the patches by the row of the token that is followed."""

    rows: tuple[Rows, ...]
    whole: Rows | None = None
    maps: np.ndarray | None = None
    maps_name: str = ""


@lru_cache(maxsize=8)
def hand_set_pass(picture: Picture) -> Pass:
    """Set the weights of the hand-set ViT for this picture and run it. Raises ValueError with a sentence."""
    pixels = prepare(picture, PATCH_SIZE)
    x = torch.from_numpy(PREPARATIONS["vit-b16"].apply(pixels))  # (3, H, W)
    weights = hand_set_vit(x, PATCH_SIZE).weights
    return Pass(trace(weights, x[None]), weights, pixels)


def view_of(run: Pass, place: Place, head: int) -> StepView:
    """What is to be seen at this place, for one head (from 0) where there are several."""
    return _VIEWS[place.step.key](run, place.layer, head)


def _rows(tensor: Tensor, symbol: str, says: str, **more: Any) -> Rows:
    """The first columns of a matrix (R, C)."""
    values = tensor[:, :SHOWN].contiguous().numpy().astype(np.float32)
    return Rows(symbol, says, values, tensor.shape[1], **more)


def _cut(run: Pass, layer: int | None, head: int) -> StepView:
    return StepView(())


def _flatten(run: Pass, layer: int | None, head: int) -> StepView:
    patches = run.trace.patches[0]  # (N, C*P*P)
    whole = Rows("x_p", "", patches.numpy(), patches.shape[1], first=run.trace.prefix)
    return StepView((_rows(patches, "x_p", "the patch as one row of numbers", first=run.trace.prefix),), whole)


def _embed(run: Pass, layer: int | None, head: int) -> StepView:
    first = run.trace.prefix
    token = _rows(run.trace.patch_embeddings[0], "x_p E + b", "goes out: the token", first=first, scale="token")
    comes = _rows(run.trace.patches[0], "x_p", "comes in: the long row", first=first)
    return StepView((comes, token), token)


def _positions(run: Pass, layer: int | None, head: int) -> StepView:
    w, z0, grid = run.weights, run.trace.z0[0], run.trace.grid
    classes = int(w.class_token is not None)
    table = interpolate_positions(w.positions, w.grid, grid, prefix=classes)  # (n_cls + N, D)
    plain = run.trace.patch_embeddings[0]  # (N, D)
    if w.class_token is not None:
        plain = torch.cat([w.class_token[None], plain])  # (n_cls + N, D)
    if w.registers is not None:  # they stand behind the class token and have no position
        plain = torch.cat([plain[:classes], w.registers, plain[classes:]])
        table = torch.cat([table[:classes], torch.zeros_like(w.registers), table[classes:]])
    symbol = "[x_class; x_p E + b]" if classes else "x_p E + b"
    z = _rows(z0, "z_0", "goes out: their sum")
    return StepView(
        (
            _rows(plain.detach(), symbol, "come in: class token, patches"),
            _rows(table.detach(), "E_pos", "plus: the row of its position", hue="position"),
            z,
        ),
        z,
    )


def _norm1(run: Pass, layer: int, head: int) -> StepView:
    return _norm(run.trace.into(layer)[0], run.trace.layers[layer].ln1[0], f"z_{layer}")


def _norm2(run: Pass, layer: int, head: int) -> StepView:
    one = run.trace.layers[layer]
    return _norm(one.z_prime[0], one.ln2[0], f"z′_{layer + 1}")


def _final_norm(run: Pass, layer: int | None, head: int) -> StepView:
    return _norm(run.trace.layers[-1].z[0], run.trace.normalised[0], f"z_{len(run.trace.layers)}")


def _norm(z: Tensor, normal: Tensor, symbol: str) -> StepView:
    out = _rows(normal, f"LN({symbol})", "goes out: normalised", scale="normal")
    return StepView((_rows(z, symbol, "comes in: the token"), out), out)


def _qkv(run: Pass, layer: int, head: int) -> StepView:
    one = run.trace.layers[layer]
    parts = [
        (one.q, "q", "query: what it looks for", "query"),
        (one.k, "k", "key: what it can be found by", "key"),
        (one.v, "v", "value: what it passes on", "value"),
    ]
    out = [_rows(tensor[0, head], name, says, hue=hue, scale="qkv") for tensor, name, says, hue in parts]
    side = np.concatenate([rows.values for rows in out], 1)  # (T, 3 * shown)
    heads = tuple(f"{rows.symbol}{c}" for rows in out for c in range(rows.values.shape[1]))
    whole = Rows("q, k, v", "", side, 3 * out[0].columns, heads=heads)
    return StepView((_rows(one.ln1[0], "LN(z)", "comes in: the normalised token"), *out), whole)


def _scores(run: Pass, layer: int, head: int) -> StepView:
    one = run.trace.layers[layer]
    scores = one.scores[0, head]  # (T, T)
    best = _strongest(scores, scores, "scores", f"goes out: its {STRONGEST} best matches of {len(scores)}", False)
    return StepView(
        (_rows(one.q[0, head], "q", "comes in: the query of the token", hue="query"), best),
        _square(scores, "scores", False),
        scores[:, run.trace.prefix :].numpy(),
        "score with each patch's key",
    )


def _softmax(run: Pass, layer: int, head: int) -> StepView:
    one = run.trace.layers[layer]
    scores, A = one.scores[0, head], one.weights[0, head]  # (T, T)
    return StepView(
        (
            _strongest(scores, scores, "scores", f"come in: the {STRONGEST} best of {len(A)} scores", False),
            _strongest(A, scores, "A", "goes out: their shares", True),
        ),
        _square(A, "A", True),
        A[:, run.trace.prefix :].numpy(),
        "share of each patch",
    )


def _mix(run: Pass, layer: int, head: int) -> StepView:
    one = run.trace.layers[layer]
    A = one.weights[0, head]  # (T, T)
    found = _rows(
        one.heads[0, head], "A v", f"what head {head + 1} gathered: values, by these shares", hue="value", scale="value"
    )
    out = _rows(one.msa[0], "MSA", "goes out: all heads, through one matrix", scale="msa")
    return StepView(
        (_strongest(A, one.scores[0, head], "A", "comes in: the shares of the token", True), found, out),
        out,
        A[:, run.trace.prefix :].numpy(),
        "share of each patch's value",
    )


def _add1(run: Pass, layer: int, head: int) -> StepView:
    one = run.trace.layers[layer]
    return _sum(
        run.trace.into(layer)[0],
        one.msa[0],
        one.z_prime[0],
        (f"z_{layer}", "MSA", f"z′_{layer + 1}"),
        "what attention found",
    )


def _add2(run: Pass, layer: int, head: int) -> StepView:
    one = run.trace.layers[layer]
    return _sum(
        one.z_prime[0], one.mlp[0], one.z[0], (f"z′_{layer + 1}", "MLP", f"z_{layer + 1}"), "what the network made"
    )


def _sum(kept: Tensor, added: Tensor, total: Tensor, symbols: tuple[str, str, str], what: str) -> StepView:
    out = _rows(total, symbols[2], "goes out: their sum")
    return StepView(
        (_rows(kept, symbols[0], "comes in: the token"), _rows(added, symbols[1], f"plus: {what}"), out), out
    )


def _mlp(run: Pass, layer: int, head: int) -> StepView:
    one = run.trace.layers[layer]
    out = _rows(one.mlp[0], "MLP", "goes out: back to D numbers", scale="mlp")
    return StepView(
        (
            _rows(one.ln2[0], "LN(z′)", "comes in: the normalised token"),
            _rows(one.pre_activation[0], "h", f"made wider: {one.pre_activation.shape[-1]:,} numbers", scale="wide"),
            _rows(one.post_activation[0], "GELU(h)", "bent: negative numbers almost go", scale="wide"),
            out,
        ),
        out,
    )


def _head(run: Pass, layer: int | None, head: int) -> StepView:
    y = _rows(run.trace.y, "y", "the whole picture in one row, for whatever comes next", one=True)
    if run.trace.logits is None:
        return StepView((y,))
    logits = run.trace.logits  # (1, K)
    order = logits[0].argsort(descending=True, stable=True)[:STRONGEST]
    names = tuple(run.labels[int(i)] if run.labels else f"answer {int(i)}" for i in order)
    shown: dict[str, Any] = {"columns": logits.shape[1], "one": True, "heads": names}
    share = softmax(logits)
    return StepView(
        (
            y,
            Rows(
                "logits", "the answer head's scores, highest first", logits[:, order].numpy(), scale="logits", **shown
            ),
            Rows("softmax", "the same as shares", share[:, order].numpy(), scale="share", weight=True, **shown),
        )
    )


def _square(values: Tensor, symbol: str, weight: bool) -> Rows:
    return Rows(symbol, "", values.numpy(), values.shape[1], weight=weight, top=_top(values, weight))


def _strongest(values: Tensor, order: Tensor, symbol: str, says: str, weight: bool) -> Rows:
    """The columns in which `order` (T, T) is highest, for each row; for shares also all others together."""
    picks = order.argsort(dim=1, descending=True, stable=True)[
        :, :STRONGEST
    ]  # (T, 6): among equals the first token first
    found = values.gather(1, picks)
    if weight:
        rest = (values.sum(1, keepdim=True) - found.sum(1, keepdim=True)).clamp_min(0)
        found = torch.cat([found, rest], 1)  # (T, 7)
        picks = torch.cat([picks, torch.full_like(picks[:, :1], OTHERS)], 1)
    return Rows(
        symbol,
        says,
        found.numpy(),
        values.shape[1],
        weight=weight,
        scale=symbol,
        picks=picks.numpy().astype(np.int32),
        top=_top(values, weight),
    )


def _top(values: Tensor, weight: bool) -> float:
    """Where the colour scale of a table (T, T) ends."""
    return float(np.quantile(values.numpy(), BRIGHT) if weight else values.abs().max())


_VIEWS: dict[str, Callable[[Pass, Any, int], StepView]] = {
    "cut": _cut,
    "flatten": _flatten,
    "embed": _embed,
    "positions": _positions,
    "norm1": _norm1,
    "qkv": _qkv,
    "scores": _scores,
    "softmax": _softmax,
    "mix": _mix,
    "add1": _add1,
    "norm2": _norm2,
    "mlp": _mlp,
    "add2": _add2,
    "final_norm": _final_norm,
    "head": _head,
}
