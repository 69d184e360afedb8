"""Attention small enough for a pencil: the chapter's examples, every matrix of them, and a head's answer as NumPy."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from widgets.model.attention import attention, merge_heads
from widgets.model.tensor_defaults import BOOL, FLOAT64

PROJECTIONS = ("W_q", "W_k", "W_v")


@dataclass(frozen=True)
class Inputs:
    """What a reader may change: tokens, the three projections of every head, and the matrix that joins the heads."""

    X: Tensor  # (T, D)
    W_q: Tensor  # (k, D, D_h)
    W_k: Tensor  # (k, D, D_h)
    W_v: Tensor  # (k, D, D_h)
    U_msa: Tensor | None = None  # (k D_h, D); None where there is one head and nothing to join

    @property
    def heads(self) -> int:
        """k."""
        return len(self.W_q)

    def matrix(self, name: str, head: int) -> Tensor:
        """X, U_msa, or one head's W_q, W_k or W_v."""
        whole = getattr(self, name)
        return whole[head] if name in PROJECTIONS else whole

    def changed(self, name: str, head: int, row: int, column: int, value: float) -> Inputs:
        """The same with another number in one place."""
        whole = getattr(self, name).clone()
        (whole[head] if name in PROJECTIONS else whole)[row, column] = value
        return replace(self, **{name: whole})


@dataclass(frozen=True)
class Pencil:
    """Every matrix between the inputs and the answer, float64; the first axis of the first six is the head."""

    q: Tensor  # (k, T, D_h)
    k: Tensor  # (k, T, D_h)
    v: Tensor  # (k, T, D_h)
    S: Tensor  # (k, T, T): scores, scaled where that is on, before any mask
    A: Tensor  # (k, T, T)
    O: Tensor  # (k, T, D_h): A v, the paper's SA(z)
    joined: Tensor  # (T, k D_h): the heads side by side
    msa: Tensor | None  # (T, D)


def compute(inputs: Inputs, scaled: bool = True, masked: bool = False) -> Pencil:
    """Run the inputs through Eqs. 5 to 8. `masked` lets a token see itself and those before it, as a GPT does."""
    q, k, v = (inputs.X @ W for W in (inputs.W_q, inputs.W_k, inputs.W_v))
    T = len(inputs.X)
    mask = torch.ones(T, T, **BOOL).tril() if masked else None
    O, A, S = attention(q, k, v, None if scaled else 1.0, mask)
    joined = merge_heads(O[None])[0]  # (T, k D_h)
    return Pencil(q, k, v, S, A, O, joined, None if inputs.U_msa is None else joined @ inputs.U_msa)


def _floats(*rows: object) -> Tensor:
    return torch.tensor(rows, **FLOAT64)


def _three(U_qkv: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    U_q, U_k, U_v = U_qkv.chunk(3, dim=-1)
    return U_q, U_k, U_v


@dataclass(frozen=True)
class Preset:
    """An example to start from."""

    title: str
    inputs: Inputs = field(repr=False)


SMALL = Inputs(
    X=_floats([1, 0, 1, 0], [0, 2, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]),
    W_q=_floats([[1, 0], [0, 1], [1, 0], [0, 1]]),
    W_k=_floats([[0, 1], [1, 0], [1, 0], [0, -1]]),
    W_v=_floats([[1, 0], [0, 2], [3, 0], [0, -1]]),
)

PENCIL_Z = _floats([0, 1, 0, 0, 1, 0], [0, 1, 1, 1, 2, 1], [1, 1, 1, 0, 0, 0], [2, 2, 2, 1, 2, 1])
# Head 1 is the published example's; its rows are the rows of U_qkv, nine columns q, k, v.
PENCIL_HEAD_1 = _floats(
    [0, 1, 0, 0, 0, 0, -1, 1, 0],
    [1, -1, 1, 0, 1, 0, 0, 0, 1],
    [0, 1, 0, -1, 1, 1, -1, 1, 0],
    [1, 1, -1, -1, 0, -1, -1, -1, 0],
    [1, 0, 1, 1, -1, 0, 0, -1, -1],
    [0, -1, -1, 1, 0, -1, 0, 0, -1],
)
# Head 2 and U_msa are this course's own, so that Eq. 8 can be worked through too.
PENCIL_HEAD_2 = _floats(
    [0, 1, -1, 1, 0, 0, 0, -1, -1],
    [0, -1, 0, 1, 0, 0, 1, 0, 1],
    [-1, 0, 0, -1, -1, 0, 1, 0, 0],
    [0, 1, 0, 1, 0, 0, 0, 1, -1],
    [1, -1, 1, 0, 1, -1, 1, 1, 0],
    [1, 1, -1, 0, 0, 0, 0, 1, 0],
)
PENCIL_U_MSA = _floats(
    [1, 0, 0, 0, 0, 1],
    [0, 1, 0, 0, 0, 0],
    [0, 0, 1, 0, 0, 0],
    [0, 0, 0, 1, 0, 0],
    [1, 0, 0, 0, 1, 0],
    [0, 0, -1, 0, 0, 1],
)
PENCIL = Inputs(PENCIL_Z, *_three(torch.stack([PENCIL_HEAD_1, PENCIL_HEAD_2])), PENCIL_U_MSA)

PRESETS: dict[str, Preset] = {
    "small": Preset("4 tokens, D 4, one of two heads", SMALL),
    "pencil": Preset("pencil example, two heads", PENCIL),
}


def as_numpy(inputs: Inputs, scaled: bool, masked: bool) -> str:
    """The same computation as a short NumPy script with these very numbers, to paste anywhere."""
    arrays = [f"X = {_listed(inputs.X)}"]
    arrays += [f"{name} = {_listed(getattr(inputs, name))}" for name in PROJECTIONS]
    lines = [
        "import numpy as np",
        "",
        *arrays,
        "",
        "q, k, v = X @ W_q, X @ W_k, X @ W_v               # (heads, T, D_h)",
        f"S = q @ k.transpose(0, 2, 1){' / np.sqrt(q.shape[-1])' if scaled else ''}",
    ]
    source = "S"
    if masked:
        lines.append("seen = np.where(np.tri(len(X), dtype=bool), S, -np.inf)")
        source = "seen"
    lines += [
        f"A = np.exp({source} - {source}.max(-1, keepdims=True))",
        "A = A / A.sum(-1, keepdims=True)                  # every row sums to 1",
        "O = A @ v",
    ]
    if inputs.U_msa is not None:
        lines += [
            f"U_msa = {_listed(inputs.U_msa)}",
            "msa = np.concatenate(list(O), axis=1) @ U_msa      # heads side by side",
        ]
    return "\n".join(lines) + "\n"


def _listed(values: Tensor) -> str:
    def text(part: object) -> str:
        return f"[{', '.join(map(text, part))}]" if isinstance(part, list) else repr(part).removesuffix(".0")

    return f"np.array({text(values.tolist())}, dtype=float)"
