"""Exercise of chapter 04: the class token and the position table, Eq. 1."""

from __future__ import annotations

import numpy as np

from ..specification import Case, Exercise, Misconception
from ._bridge import numbers


def expected(tokens: np.ndarray, cls: np.ndarray, pos: np.ndarray) -> np.ndarray:
    """z_0 = [x_class; tokens] + E_pos."""
    return np.concatenate([cls[None], tokens]) + pos


def faulty(tokens: np.ndarray, cls: np.ndarray, pos: np.ndarray, faults: frozenset[str] = frozenset()) -> np.ndarray:
    """z_0 as it comes out with the named mistakes."""
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
    pos = {"one-row": np.broadcast_to(pos[:1], pos.shape), "positions-reversed": pos[::-1],
           "no-positions": 0 * pos, "class-without-position": np.vstack([0 * cls, pos[1:]]),
           "class-only-position": np.vstack([pos[:1], 0 * pos[1:]]), "positions-subtracted": -pos,
           "positions-twice": 2 * pos, "positions-rolled": np.roll(pos, -1, axis=0),
           "positions-rolled-back": np.roll(pos, 1, axis=0),
           "positions-before-class": np.vstack([0 * cls, pos[:-1]])}.get(next(iter(faults & _POSITIONS), ""), pos)
    first = {"class-zeros": 0 * cls, "class-ones": 0 * cls + 1, "class-mean": tokens.mean(0)}.get(
        next(iter(faults & _CLASS), ""), cls)
    if "tokens-reversed" in faults:
        tokens = tokens[::-1]
    if "class-second" in faults:
        return np.insert(tokens, 1, first, axis=0) + pos
    if "class-position-twice" in faults:
        first = first + pos[0]
    if "class-last" in faults:
        return np.vstack([tokens, first]) + pos
    rows = np.vstack([first, tokens])
    return rows * pos if "multiplied" in faults else rows + pos


_POSITIONS = frozenset({"one-row", "positions-reversed", "no-positions", "class-without-position",
                        "class-only-position", "positions-subtracted", "positions-twice", "positions-rolled",
                        "positions-rolled-back",
                        "positions-before-class"})
_CLASS = frozenset({"class-zeros", "class-ones", "class-mean"})


def _case(seed: int, count: int, width: int, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (numbers(seed, count, width, spread=spread), numbers(seed + 1, width, spread=spread),
            numbers(seed + 2, count + 1, width, spread=spread))


SOLUTION = '''
import numpy as np

def add_class_and_positions(tokens, cls, pos):
    z = np.concatenate([cls[None], tokens])  # (N+1, D): the class token is row 0
    return z + pos                           # every row gets a position, row 0 too
'''

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
        "`pos` has N+1 rows, one for each row you have now, and the class token's is row 0. So add it last, to"
        " all.",
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
        Misconception("class-without-position", "The class token has no position: row 0 of `pos` was left"
                      " out. All N+1 rows get one, the class token too."),
        Misconception("positions-before-class", "You added the first N rows of `pos` to the patches and put"
                      " the class token in front afterwards. Every patch now has its neighbour's position,"
                      " and the class token none. Class token first, then positions."),
        Misconception("class-last", "The class token stands last. It is row 0, before the patches."),
        Misconception("class-second", "The class token stands behind patch 0. It is row 0, before all patches."),
        Misconception("class-position-twice", "The class token got its position twice. Every row gets one, once."),
        Misconception("tokens-reversed", "The patches are in reverse order. They keep the order in which they"
                      " came."),
        Misconception("side-by-side", "You put tokens and positions side by side. They are added: the width"
                      " stays D."),
        Misconception("class-added", "You added the class token to every patch. It is a row of its own: N"
                      " rows become N+1."),
        Misconception("class-replaces", "The class token took the place of patch 0. It is put before it: N"
                      " rows become N+1."),
        Misconception("no-class", "The class token is missing: N rows become N+1, and row 0 is `cls`."),
        Misconception("class-zeros", "Row 0 starts from zeros. It starts from `cls`, which is learned."),
        Misconception("class-ones", "Row 0 starts from ones. It starts from `cls`, which is learned."),
        Misconception("class-mean", "Row 0 is the average of the patches. It is `cls`: learned, with nothing of the"
                      " picture in it."),
        Misconception("one-row", "Every row got the same position: row 0 of `pos`. Row i of `pos` belongs to"
                      " row i."),
        Misconception("positions-reversed", "The positions are in reverse. Row i of `pos` belongs to row i."),
        Misconception("positions-rolled", "The positions are shifted by one row: row 0 of `pos` is the class"
                      " token's, row 1 is patch 0's."),
        Misconception("positions-rolled-back", "The class token got the last row of `pos` and patch 0 the"
                      " first. Row 0 of `pos` is the class token's, row 1 is patch 0's."),
        Misconception("no-positions", "The positions are missing. Add `pos` to all rows."),
        Misconception("class-only-position", "Only the class token got its position. All N+1 rows get one."),
        Misconception("positions-subtracted", "You subtracted the positions. They are added."),
        Misconception("positions-twice", "The positions were added twice."),
        Misconception("multiplied", "You multiplied by the positions. They are added."),
        Misconception("scaled-root", "You multiplied the tokens by sqrt(D), as the text transformer does. ViT"
                      " does not."),
    ),
)
