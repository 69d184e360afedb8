"""Exercise of chapter 04: the class token and the position table, Eq. 1."""

from __future__ import annotations

import numpy as np

from widgets.lesson.exercises._bridge import numbers
from widgets.lesson.exercises._slips import PLACES, VALUES, VECTOR, but, listed, slipping, slips_at
from widgets.lesson.specification import Case, Exercise, Misconception, Outcome


def expected(tokens: np.ndarray, cls: np.ndarray, pos: np.ndarray) -> np.ndarray:
    """z_0 = [x_class; tokens] + E_pos."""
    return np.concatenate([cls[None], tokens]) + pos


def faulty(tokens: np.ndarray, cls: np.ndarray, pos: np.ndarray, faults: frozenset[str] = frozenset()) -> np.ndarray:
    """z_0 as it comes out with the named mistakes."""
    at = slipping(faults)
    tokens, cls, pos = at("tokens", tokens), at("cls", cls), at("pos", pos)
    for name, (_, other) in OTHERS.items():
        if name in faults:
            return other(tokens, cls, pos)
    if "side-by-side" in faults:
        return np.concatenate([np.vstack([cls, tokens]), pos], axis=1)
    if "class-added" in faults:
        return tokens + cls + pos[1:]
    if "class-replaces" in faults:
        return np.vstack([cls, tokens[1:]]) + pos[:-1]
    if "no-class" in faults:
        return tokens + (pos[:-1] if "positions-before-class" in faults else pos[1:])
    if "scaled-root" in faults:
        tokens = tokens * np.sqrt(tokens.shape[1])
    pos = {
        "one-row": np.broadcast_to(pos[:1], pos.shape),
        "positions-reversed": pos[::-1],
        "no-positions": 0 * pos,
        "class-without-position": np.vstack([0 * cls, pos[1:]]),
        "class-only-position": np.vstack([pos[:1], 0 * pos[1:]]),
        "positions-subtracted": -pos,
        "positions-twice": 2 * pos,
        "positions-rolled": np.roll(pos, -1, axis=0),
        "positions-rolled-back": np.roll(pos, 1, axis=0),
        "positions-before-class": np.vstack([0 * cls, pos[:-1]]),
    }.get(next(iter(faults & _POSITIONS), ""), pos)
    first = {"class-zeros": 0 * cls, "class-ones": 0 * cls + 1, "class-mean": tokens.mean(0)}.get(
        next(iter(faults & _CLASS), ""), cls
    )
    if "tokens-reversed" in faults:
        tokens = tokens[::-1]
    if "class-second" in faults:
        return np.insert(tokens, 1, first, axis=0) + pos
    if "class-position-twice" in faults:
        first = first + pos[0]
    if "class-last" in faults:
        return np.vstack([tokens, first]) + pos
    rows = np.vstack([first, tokens])
    rows = at("rows", rows)
    return at("z", rows * pos if "multiplied" in faults else rows + pos)


def _sinusoids(shape: tuple[int, int]) -> np.ndarray:
    """The fixed positions of the text transformer, (rows, D): sine at even columns, cosine at odd ones."""
    row, column = np.arange(shape[0])[:, None], np.arange(shape[1])[None]
    angle = row / 10_000 ** (column // 2 * 2 / shape[1])
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


def _inserted(tokens: np.ndarray, cls: np.ndarray, place: int) -> np.ndarray:
    return np.insert(tokens, place, cls, axis=0)


_FIRST = "The class token is a row of its own, row 0, and starts from `cls` alone."
OTHERS = {
    "class:added-to-patch-0": (
        f"You added the class token to patch 0. {_FIRST}",
        lambda t, c, p: np.vstack([0 * c, t[:1] + c, t[1:]]) + p,
    ),
    "class:plus-mean": (
        f"You added the mean of the patches to the class token. {_FIRST}",
        lambda t, c, p: np.vstack([c + t.mean(0), t]) + p,
    ),
    "class:plus-sum": (
        f"You added the sum of the patches to the class token. {_FIRST}",
        lambda t, c, p: np.vstack([c + t.sum(0), t]) + p,
    ),
    "class:is-sum": (f"Row 0 is the sum of the patches. {_FIRST}", lambda t, c, p: np.vstack([t.sum(0), t]) + p),
    "class:is-maximum": (
        f"Row 0 is the largest of each column of the patches. {_FIRST}",
        lambda t, c, p: np.vstack([t.max(0), t]) + p,
    ),
    "class:is-patch-0": (f"Row 0 is patch 0 once more. {_FIRST}", lambda t, c, p: np.vstack([t[:1], t]) + p),
    "class:to-all-and-first": (
        f"The class token stands in row 0 and was added to every patch too. {_FIRST}",
        lambda t, c, p: np.vstack([c, t + c]) + p,
    ),
    "class:everywhere": (
        "Every row starts from `cls`: the patches are lost. They follow the class token in their order.",
        lambda t, c, p: np.broadcast_to(c, p.shape) + p,
    ),
    "class:dropped": (
        "The class token is dropped again at the end. N rows become N+1, and row 0 is the class token's.",
        lambda t, c, p: t + p[1:],
    ),
    "class:for-last-patch": (
        "The class token stands in front and the last patch is missing. N rows become N+1.",
        lambda t, c, p: np.vstack([c, t[:-1]]) + p[:-1],
    ),
    "class:before-last": (
        f"The class token stands before the last patch. {_FIRST}",
        lambda t, c, p: _inserted(t, c, len(t) - 1) + p,
    ),
    "class:in-the-middle": (
        f"The class token stands in the middle. {_FIRST}",
        lambda t, c, p: _inserted(t, c, len(t) // 2) + p,
    ),
    "class:both-ends": (
        f"The class token stands at both ends. {_FIRST}",
        lambda t, c, p: np.vstack([c, t, c])[: len(p) + 1] + np.vstack([p, 0 * c]),
    ),
    "class:scaled": (
        "The class token was multiplied by sqrt(D). It is used as it is.",
        lambda t, c, p: np.vstack([c * len(c) ** 0.5, t]) + p,
    ),
    "class:last-with-position-0": (
        "The class token stands last, with row 0 of `pos`. It is row 0, before the patches.",
        lambda t, c, p: np.vstack([t + p[1:], c + p[0]]),
    ),
    "class:last-without-position": (
        "The class token stands last, and has no position. It is row 0 and gets row 0 of `pos`.",
        lambda t, c, p: np.vstack([t + p[1:], c]),
    ),
    "class:last-of-pos": (
        "The class token got the last row of `pos`. Row 0 of `pos` is the class token's.",
        lambda t, c, p: np.vstack([c + p[-1], t + p[1:]]),
    ),
    "positions:patches-from-row-0": (
        "The patches' positions start at row 0 of `pos`, so patch 0 has the class token's. Row 1 is patch 0's.",
        lambda t, c, p: np.vstack([c + p[0], t + p[:-1]]),
    ),
    "positions:without-last": (
        "The last row got no position. Add `pos` to all rows.",
        lambda t, c, p: np.vstack([c, t]) + np.vstack([p[:-1], 0 * c]),
    ),
    "positions:row-1-for-patches": (
        "Every patch got row 1 of `pos`. Row i of `pos` belongs to row i.",
        lambda t, c, p: np.vstack([c + p[0], t + p[1]]),
    ),
    "positions:row-0-for-patches": (
        "Every patch got row 0 of `pos`. Row i of `pos` belongs to row i.",
        lambda t, c, p: np.vstack([c, t + p[0]]),
    ),
    "positions:patches-reversed": (
        "The patches' positions are in reverse. Row i of `pos` belongs to row i.",
        lambda t, c, p: np.vstack([c + p[0], t + p[1:][::-1]]),
    ),
    "positions:twice-for-patches": (
        "The patches got their positions twice. Every row gets one, once.",
        lambda t, c, p: np.vstack([c + p[0], t + 2 * p[1:]]),
    ),
    "positions:sinusoids": (
        "You added sines and cosines. ViT's positions are learned: add `pos`.",
        lambda t, c, p: np.vstack([c, t]) + _sinusoids(p.shape),
    ),
    "positions:sinusoids-too": (
        "You added sines and cosines to `pos`. ViT's positions are learned: add `pos` alone.",
        lambda t, c, p: np.vstack([c, t]) + p + _sinusoids(p.shape),
    ),
    "positions:numbers": (
        "You added each row's number. Add `pos`, a learned row for each.",
        lambda t, c, p: np.vstack([c, t]) + np.arange(len(p))[:, None],
    ),
    "positions:numbers-too": (
        "You added each row's number as well. Add `pos` alone.",
        lambda t, c, p: np.vstack([c, t]) + p + np.arange(len(p))[:, None],
    ),
    "positions:every-other": (
        "Every other row has no position. Add `pos` to all rows.",
        lambda t, c, p: np.vstack([c, t]) + p * (np.arange(len(p)) % 2 == 0)[:, None],
    ),
    "positions:one-plus": (
        "You multiplied by 1 + `pos`. Positions are added.",
        lambda t, c, p: np.vstack([c, t]) * (1 + p),
    ),
    "positions:alone": ("Only the positions came back. They are added to the tokens.", lambda t, c, p: p.copy()),
    "positions:largest": (
        "You took the larger of token and position. They are added.",
        lambda t, c, p: np.maximum(np.vstack([c, t]), p),
    ),
    "positions:scaled": (
        "You multiplied the positions by sqrt(D). They are added as they are.",
        lambda t, c, p: np.vstack([c, t]) + p * len(c) ** 0.5,
    ),
    "positions:scaled-down": (
        "You divided the positions by sqrt(D). They are added as they are.",
        lambda t, c, p: np.vstack([c, t]) + p / len(c) ** 0.5,
    ),
    "sum:halved": (
        "The sum of token and position is halved. They are added.",
        lambda t, c, p: (np.vstack([c, t]) + p) / 2,
    ),
    "sum:scaled-rows": (
        "Class token and patches were multiplied by sqrt(D), as the text transformer does. ViT does not.",
        lambda t, c, p: np.vstack([c, t]) * len(c) ** 0.5 + p,
    ),
    "sum:scaled": (
        "Everything was multiplied by sqrt(D). ViT scales nothing.",
        lambda t, c, p: (np.vstack([c, t]) + p) * len(c) ** 0.5,
    ),
    "shape:below": (
        "You put the positions below the tokens. They are added: N+1 rows.",
        lambda t, c, p: np.vstack([c, t, p]),
    ),
    "shape:flat": ("All is in one long row. Keep the rows: (N+1, D).", lambda t, c, p: (np.vstack([c, t]) + p).ravel()),
    "shape:batch": (
        "There is an extra axis in front. The answer is (N+1, D).",
        lambda t, c, p: (np.vstack([c, t]) + p)[None],
    ),
    "shape:turned": (
        "Your tokens are the columns. Tokens are rows: (N+1, D).",
        lambda t, c, p: (np.vstack([c, t]) + p).T,
    ),
}
ALL = f"{VALUES} {PLACES}"
STEPS = {
    "z": ("z_0, when all is added", ALL),
    "rows": ("the rows before positions are added", ALL),
    "tokens": ("the tokens", f"{ALL} doubled halved negated"),
    "pos": ("the positions", f"{ALL} halved reread over-width"),
    "cls": ("the class token", VECTOR),
}
SAME = (
    "class:dropped z:rows-rolled rows:rows-rolled rows:first-row rows:first-row-0 tokens:rows-backwards "
    "tokens:last-row-0 pos:reread pos:rows-backwards pos:rows-rolled pos:rows-rolled-back pos:first-row "
    "pos:first-row-0 pos:last-row-0 pos:only-first-row pos:reread cls:ones"
)


def _one_axis(failed: Outcome, outcomes: list[Outcome]) -> bool:
    words = str(failed.error)
    return isinstance(failed.error, ValueError) and (
        "same number of dimensions" in words or "must match exactly" in words
    )


def _one_row_short(failed: Outcome, outcomes: list[Outcome]) -> bool:
    return isinstance(failed.error, ValueError) and "broadcast" in str(failed.error)


_POSITIONS = frozenset(
    {
        "one-row",
        "positions-reversed",
        "no-positions",
        "class-without-position",
        "class-only-position",
        "positions-subtracted",
        "positions-twice",
        "positions-rolled",
        "positions-rolled-back",
        "positions-before-class",
    }
)
_CLASS = frozenset({"class-zeros", "class-ones", "class-mean"})


def _case(seed: int, count: int, width: int, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        numbers(seed, count, width, spread=spread),
        numbers(seed + 1, width, spread=spread),
        numbers(seed + 2, count + 1, width, spread=spread),
    )


SOLUTION = """
import numpy as np

def add_class_and_positions(tokens, cls, pos):
    z = np.concatenate([cls[None], tokens])  # (N+1, D): the class token is row 0
    return z + pos                           # every row gets a position, row 0 too
"""

EXERCISE = Exercise(
    id="add_class_and_positions",
    title="Class token and positions",
    minutes=5,
    difficulty=1,
    importance=5,
    purpose="Without positions a ViT cannot tell a picture from its shuffled patches.",
    signature="def add_class_and_positions(tokens, cls, pos):",
    text=(
        "Write `add_class_and_positions(tokens, cls, pos)`. `tokens` is `(N, D)`, `cls` is `(D,)` and `pos` is"
        " `(N+1, D)`. Return `z_0`, of shape `(N+1, D)`: the class token as row 0, the tokens after it in their"
        " order, and `pos` added to all rows. Leave the inputs as they were."
    ),
    hints=(
        "First make room: N rows become N+1. Which row does the head read in the end, and where does it stand?",
        "`cls` has one axis and `tokens` two. `cls[None]` is `(1, D)`, and `np.concatenate([cls[None],"
        " tokens])` puts it on top.",
        "`pos` has N+1 rows, one for each row you have now, and the class token's is row 0. So add it last, to all.",
    ),
    solution=SOLUTION,
    commentary=(
        "Positions are added, not put beside the token: the width stays D. The class token has no place in the"
        " picture and still gets a row of the table; only the sum of the two is ever used."
    ),
    cases=(
        Case("4 tokens of width 3", lambda: _case(50, 4, 3)),
        Case("6 tokens of width 6", lambda: _case(60, 6, 6)),
        Case("1 token of width 5", lambda: _case(70, 1, 5)),
        Case("9 tokens of width 2", lambda: _case(80, 9, 2)),
        Case("4 tokens of width 5", lambda: _case(90, 4, 5)),
        Case("3 tokens of width 8, numbers in the thousands", lambda: _case(96, 3, 8, 3e3)),
    ),
    expected=expected,
    faulty=faulty,
    misconceptions=(
        Misconception(
            "class-without-position",
            "The class token has no position: row 0 of `pos` was left out. All N+1 rows get one, the class token too.",
        ),
        Misconception(
            "positions-before-class",
            "You added the first N rows of `pos` to the patches and put"
            " the class token in front afterwards. Every patch now has its neighbour's position,"
            " and the class token none. Class token first, then positions.",
        ),
        Misconception("class-last", "The class token stands last. It is row 0, before the patches."),
        Misconception("class-second", "The class token stands behind patch 0. It is row 0, before all patches."),
        Misconception("class-position-twice", "The class token got its position twice. Every row gets one, once."),
        Misconception("tokens-reversed", "The patches are in reverse order. They keep the order in which they came."),
        Misconception("side-by-side", "You put tokens and positions side by side. They are added: the width stays D."),
        Misconception(
            "class-added", "You added the class token to every patch. It is a row of its own: N rows become N+1."
        ),
        Misconception(
            "class-replaces", "The class token took the place of patch 0. It is put before it: N rows become N+1."
        ),
        Misconception("no-class", "The class token is missing: N rows become N+1, and row 0 is `cls`."),
        Misconception("class-zeros", "Row 0 starts from zeros. It starts from `cls`, which is learned."),
        Misconception("class-ones", "Row 0 starts from ones. It starts from `cls`, which is learned."),
        Misconception(
            "class-mean",
            "Row 0 is the average of the patches. It is `cls`: learned, with nothing of the picture in it.",
        ),
        Misconception("one-row", "Every row got the same position: row 0 of `pos`. Row i of `pos` belongs to row i."),
        Misconception("positions-reversed", "The positions are in reverse. Row i of `pos` belongs to row i."),
        Misconception(
            "positions-rolled",
            "The positions are shifted by one row: row 0 of `pos` is the class token's, row 1 is patch 0's.",
        ),
        Misconception(
            "positions-rolled-back",
            "The class token got the last row of `pos` and patch 0 the"
            " first. Row 0 of `pos` is the class token's, row 1 is patch 0's.",
        ),
        Misconception("no-positions", "The positions are missing. Add `pos` to all rows."),
        Misconception("class-only-position", "Only the class token got its position. All N+1 rows get one."),
        Misconception("positions-subtracted", "You subtracted the positions. They are added."),
        Misconception("positions-twice", "The positions were added twice."),
        Misconception("multiplied", "You multiplied by the positions. They are added."),
        Misconception(
            "scaled-root", "You multiplied the tokens by sqrt(D), as the text transformer does. ViT does not."
        ),
        Misconception(
            "one-axis",
            "`cls` has one axis and `tokens` two, so they cannot be joined. `cls[None]` is (1, D).",
            _one_axis,
        ),
        Misconception(
            "one-row-short",
            "`pos` has N+1 rows and D columns. Put the class token in front first, so that there are N+1 rows to add"
            " it to.",
            _one_row_short,
        ),
        *but(listed(OTHERS) + slips_at(STEPS), SAME),
    ),
)
