"""What a reader's function raised, in a sentence: on which line, and what such an error mostly comes from."""

from __future__ import annotations

import re
import traceback
from typing import Any

from widgets.lesson.specification import Seen

CAUSES: tuple[tuple[str, str, str], ...] = (
    (
        "shapes-unfit",
        r"broadcast|matmul|must match the size|not aligned|mat1 and mat2|must match exactly",
        "Two arrays met there whose shapes do not fit. Print the `.shape` of both right before that line.",
    ),
    (
        "reshape-unfit",
        r"cannot reshape|is invalid for input of size|view size is not compatible",
        "A shape holds as many numbers as the product of its sides. Compare that product with what the array holds.",
    ),
    (
        "truth-of-many",
        r"truth value of an array|Boolean value of Tensor",
        "A whole array was asked for one yes or no. `np.where` chooses number by number.",
    ),
    (
        "one-number-only",
        r"only (size-1|length-1|0-dimensional) arrays|only one element tensors",
        "A function for a single number was given a whole array. NumPy's own take all numbers at once: `np.exp`, not"
        " `math.exp`.",
    ),
    (
        "no-such-method",
        r"'(numpy\.ndarray|Tensor)' object has no attribute|module '(numpy|torch)' has no attribute",
        "NumPy and torch do not have all the same names. Look up what this one is called in the library you use.",
    ),
    (
        "index-beyond",
        r"out of (bounds|range)",
        "An index lies beyond the end there. The last of n has the index n \u2212 1.",
    ),
)
DESCRIBED = frozenset(name for name, _, _ in CAUSES)


def cause(error: BaseException) -> Seen | None:
    """Short name and sentence of what such an error mostly comes from; None where its text does not say."""
    return next(((name, sentence) for name, words, sentence in CAUSES if re.search(words, str(error))), None)


def reached(error: BaseException, function: Any) -> int:
    """The line of the function, counted from 1 at its `def`, on which it raised; 0 where it is none of its own."""
    code = getattr(function, "__code__", None)
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code is code]
    return lines[-1] - code.co_firstlineno + 1 if lines else 0


def in_a_sentence(error: BaseException, function: Any) -> str:
    """What the reader's function raised, and on which of its lines."""
    if isinstance(error, RecursionError):
        return "Your function calls itself without end."
    if isinstance(error, MemoryError):
        return "Your function asked for more memory than this machine has."
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        return f"Your function ended the program ({type(error).__name__}); it should return its answer."
    words = str(error).split("\n")[0].strip()
    told = f": {words[:200]}" if words else ""
    return f"Your function raised {type(error).__name__}{_where(error, function)}{told}"


def _where(error: BaseException, function: Any) -> str:
    if not (line := reached(error, function)):
        return ""
    code, frames = function.__code__, traceback.walk_tb(error.__traceback__)
    told = [
        found.line
        for (frame, _), found in zip(frames, traceback.extract_tb(error.__traceback__), strict=False)
        if frame.f_code is code
    ]
    return f" in its line {line}{f', `{told[-1]}`' if told[-1] else ''}"
