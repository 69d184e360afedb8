"""Exercise of chapter 09: the largest picture whose attention weights fit."""

from __future__ import annotations

from functools import partial
from math import isqrt
from typing import Any

from widgets.lesson.exercises._bridge import shape_of
from widgets.lesson.exercises._counting import AVERAGED, B_16, LONE, MODELS, ODD, SAME, case, one_by_one
from widgets.lesson.exercises._quantities import ADVICE, CONDITIONS, MEANING, VARIANTS, of_cfg, tokens_of_side
from widgets.lesson.exercises._searches import Search, explain_search
from widgets.lesson.exercises._terms import Formula, terms
from widgets.lesson.specification import Case, Exercise, Misconception


def expected(cfg: dict[str, Any], budget_bytes: int, batch: int = 1, bytes_per: int = 2) -> int:
    """The largest side, a multiple of P, whose kept weights fit."""
    from widgets.model.count import max_image_size

    return max_image_size(shape_of(cfg), budget_bytes, batch, bytes_per)


def faulty(
    cfg: dict[str, Any], budget_bytes: int, batch: int = 1, bytes_per: int = 2, faults: frozenset[str] = frozenset()
) -> int:
    """The side that somebody with the named mistakes finds."""
    P, prefix = cfg["P"], cfg["cls_token"] + cfg["n_registers"]
    prefix = 0 if "patches-for-tokens" in faults else 1 + cfg["n_registers"] if "class-always" in faults else prefix
    prefix = int(cfg["cls_token"]) if "registers-forgotten" in faults else prefix
    L, B, h = (
        1 if name in faults else number
        for name, number in (("one-layer", cfg["L"]), ("batch-forgotten", batch), ("one-head", cfg["h"]))
    )
    each = 1 if "bytes-forgotten" in faults else 2 if "always-two" in faults else bytes_per
    pair = L * B * h * each
    if "flash" in faults:
        tokens = budget_bytes // (L * B * h * 4)
    else:
        tokens = budget_bytes // pair if "tokens-not-squared" in faults else isqrt(budget_bytes // pair)
    if "strictly-less" in faults and tokens * tokens * pair == budget_bytes:
        tokens -= 1
    if "tokens-returned" in faults:
        return tokens
    side = isqrt(max(0, tokens - prefix))
    if "prefix-added" in faults:
        side = isqrt(tokens + prefix)
    if "rounded-up" in faults and side * side < tokens - prefix:
        side += 1
    if "one-further" in faults:
        side += 1
    if "one-short" in faults:
        side -= 1
    if "any-pixel" in faults:
        return int((max(0, tokens - prefix)) ** 0.5 * P)
    if "capped-at-img" in faults:
        side = min(side, cfg["img"] // P)
    return side if "grid-returned" in faults else side * P


def _read(cfg: dict[str, Any], budget_bytes: int, batch: int = 1, bytes_per: int = 2) -> dict[str, Any]:
    return of_cfg(cfg, budget_bytes=budget_bytes, batch=batch, bytes_per=bytes_per, side=1)


FORMULA = Formula(
    read=_read,
    derived=tokens_of_side(),
    advice=ADVICE,
    fixed=("the budget",),
    terms=(*terms({"the table A": "L batch h T T bytes_per"}), *terms({"the budget": "budget_bytes"}, sign=-1)),
    variants=VARIANTS
    | {
        "batch": {"1": lambda v: 1, "batch + 1": lambda v: v["batch"] + 1},
        "bytes_per": {str(n): lambda v, n=n: n for n in (1, 2, 4, 8)} | {"8 bytes_per": lambda v: 8 * v["bytes_per"]},
        "budget_bytes": {
            f"budget {sign} {n}": lambda v, n=n, sign=sign: (
                v["budget_bytes"] * n if sign == "times" else v["budget_bytes"] // n
            )
            for n in (8, 1000, 1024, 10**6, 2**20, 10**9, 2**30)
            for sign in ("times", "over")
        },
    },
    meaning=MEANING
    | {
        "batch": "the number of pictures",
        "bytes_per": "the bytes of one weight",
        "budget_bytes": "the room there is, in bytes",
    },
    conditions=CONDITIONS
    | {
        "Where `batch` is over 1": lambda v: v["batch"] > 1,
        "Where `bytes_per` is not 2": lambda v: v["bytes_per"] != 2,
    },
    besides=terms(
        {
            "Q, K and V": "L batch T 3 d bytes_per",
            "the outputs of attention": "L batch T d bytes_per",
            "one number a row": "L batch h T bytes_per",
            "a float32 a row": "L batch h T 4",
            "the parameters' bytes": "L d d 4 bytes_per",
        }
    ),
)
SEARCH = Search(FORMULA, largest=True)

SOLUTION = """
def max_res_materialized(cfg, budget_bytes, batch=1, bytes_per=2):
    prefix = int(cfg["cls_token"]) + cfg["n_registers"]

    def needed(side):                                       # side in patches
        T = side * side + prefix
        return cfg["L"] * batch * cfg["h"] * T * T * bytes_per

    side = 1
    while needed(side + 1) <= budget_bytes:                 # equal fits
        side += 1
    return side * cfg["P"]
"""


def _at_the_limit(title: str, cfg: dict[str, Any], side: int, batch: int, bytes_per: int) -> tuple[Case, Case]:
    """A budget that `side` x `side` patches take to the last byte, and one byte less."""
    tokens = side**2 + cfg["cls_token"] + cfg["n_registers"]
    budget = cfg["L"] * batch * cfg["h"] * tokens**2 * bytes_per
    return (
        case(f"{title}, exactly what {side} x {side} patches take", cfg, budget, batch, bytes_per),
        case(f"{title}, one byte less", cfg, budget - 1, batch, bytes_per),
    )


def _room_for(side: int, prefix: int) -> tuple[Case, Case]:
    """The small model with the room that this many tokens beside the patches would take, and with one byte less."""
    budget = ODD["L"] * 14 * ODD["h"] * (side**2 + prefix) ** 2 * 4
    return (
        case(f"the small model, room for {side} x {side} patches and {prefix} tokens", ODD, budget, 14, 4),
        case(
            f"the small model, one byte less than for {side} x {side} patches and {prefix} tokens",
            ODD,
            budget - 1,
            14,
            4,
        ),
    )


def _half_the_table(side: int) -> tuple[Case, Case]:
    """The room that every pair of tokens would take once, and one byte less."""
    tokens = side**2 + ODD["cls_token"] + ODD["n_registers"]
    budget = ODD["L"] * 14 * ODD["h"] * tokens * (tokens + 1) // 2 * 4
    return (
        case("the small model, room for half the table", ODD, budget, 14, 4),
        case("the small model, room for half the table less one byte", ODD, budget - 1, 14, 4),
    )


EXERCISE = Exercise(
    id="max_res_materialized",
    title="The largest picture that fits",
    minutes=15,
    difficulty=3,
    importance=3,
    purpose="A card with more memory takes larger pictures, but how much larger? Turn the count round.",
    signature="def max_res_materialized(cfg, budget_bytes, batch=1, bytes_per=2):",
    text=(
        "Write `max_res_materialized(cfg, budget_bytes, batch=1, bytes_per=2)`: the largest side of a square picture,"
        " in pixels and a multiple of `P`, whose attention weights, kept for all layers and the whole batch, take at"
        " most `budget_bytes`. That is `attention_memory_bytes` with `flash=False`, turned round."
        f" {SAME}\n\n"
        'In every case at least one patch fits. `cfg["img"]` plays no part.'
    ),
    hints=(
        "The bytes of a side s (in patches): T = s² plus class token and registers, and L batch h T² bytes_per.",
        "Try s = 1, 2, 3 and so on, as long as the next one still fits. Return s P.",
        (
            "Exactly `budget_bytes` still fits. Without a loop: T is at most the whole square root of budget // (L"
            " batch h bytes_per), and s the whole square root of what is left of T."
        ),
    ),
    solution=SOLUTION,
    commentary=(
        "The bytes grow with the fourth power of the side. Sixteen times the memory buys pictures of twice the side."
        " That is why large pictures need FlashAttention or windows, not a larger card."
    ),
    cases=(
        case("ViT-B/16, 16 GiB", B_16, 16 * 2**30),
        *(
            c
            for i, (title, cfg) in enumerate(MODELS.items())
            for c in _at_the_limit(title, cfg, 33 + 2 * i, 14 + i, (4, 2, 8, 1)[i % 4])
        ),
        *one_by_one(1_234_567_891, 14, 4),
        case("the small model, one picture more", ODD, 1_234_567_891, 15, 4),
        case("the small model, 16 bits a weight", ODD, 1_234_567_891, 14, 2),
        case("the small model, more room", ODD, 2_345_678_912, 14, 4),
        *(c for tokens in (0, 1, 2, 3, 5) for c in _room_for(39 + tokens, tokens)),
        *_half_the_table(43),
        *_at_the_limit("a large batch", ODD, 500, 6007, 8),
        *_at_the_limit("one patch", AVERAGED, 1, 3, 2)[:1],
        *_at_the_limit("three by three patches", LONE, 3, 3, 2),
        case("room for hardly one patch", ODD, 7 * 8 * 5 * 5 * 2, 1, 2),
        case("a budget past 2^53", B_16, 10**17 + 1, 2, 4),
    ),
    expected=expected,
    faulty=faulty,
    explain=partial(explain_search, SEARCH),
    misconceptions=(
        Misconception(
            "patches-for-tokens", "You used N where T belongs: class token and registers have rows and columns too."
        ),
        Misconception("registers-forgotten", "The registers are missing from T."),
        Misconception("class-always", "You counted a class token where `cls_token` is False."),
        Misconception(
            "prefix-added",
            "You added class token and registers to the patches that fit. They take room: subtract them.",
        ),
        Misconception("one-layer", "You counted one layer. All L keep their weights."),
        Misconception("batch-forgotten", "The batch is missing: every picture has weights of its own."),
        Misconception("one-head", "You counted one head. Each of the h heads keeps a table of T x T."),
        Misconception("bytes-forgotten", "You counted numbers, not bytes: each takes `bytes_per`."),
        Misconception("always-two", "You took 2 bytes a number. It is `bytes_per`."),
        Misconception("tokens-not-squared", "You counted T weights a head. Every query row has T of them: T squared."),
        Misconception("flash", "You counted what FlashAttention keeps. The whole table is asked for."),
        Misconception("strictly-less", '"At most" includes the size that takes exactly the budget.'),
        Misconception("rounded-up", "You rounded up, and that no longer fits. Round down."),
        Misconception("one-further", "That is one step too far: it no longer fits."),
        Misconception("one-short", "That is one step too small: the next side still fits."),
        Misconception(
            "any-pixel", "That side is no multiple of P. Round the side in patches down, then multiply by P."
        ),
        Misconception("capped-at-img", 'You stopped at `cfg["img"]`, which plays no part.'),
        Misconception("grid-returned", "You returned the side in patches. Multiply by P for pixels."),
        Misconception("tokens-returned", "You returned the number of tokens. The side in pixels is asked for."),
    ),
)
