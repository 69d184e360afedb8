"""Exercise of chapter 09: what the attention weights take in memory."""

from __future__ import annotations

from functools import partial
from typing import Any

from widgets.lesson.exercises._bridge import shape_of
from widgets.lesson.exercises._counting import B_16, GIANT, MODELS, ODD, SAME, SIZES, case, one_by_one
from widgets.lesson.exercises._naming import explain
from widgets.lesson.exercises._quantities import ADVICE, CONDITIONS, MEANING, RES, VARIANTS, grid, of_cfg
from widgets.lesson.exercises._terms import Formula, terms
from widgets.lesson.specification import Exercise, Misconception


def expected(cfg: dict[str, Any], res: int, batch: int, bytes_per: int = 2, flash: bool = False) -> int:
    """Bytes of all layers and the whole batch."""
    from widgets.model.count import attention_memory

    return attention_memory(shape_of(cfg), res, batch, bytes_per, flash)


def faulty(
    cfg: dict[str, Any],
    res: int,
    batch: int,
    bytes_per: int = 2,
    flash: bool = False,
    faults: frozenset[str] = frozenset(),
) -> int:
    """The bytes of somebody with the named mistakes."""
    N = ((cfg["img"] if "size-ignored" in faults else res) // cfg["P"]) ** 2
    T = (
        N
        + (0 if "class-forgotten" in faults else cfg["cls_token"])
        + (0 if "registers-forgotten" in faults else cfg["n_registers"])
    )
    T = N if "patches-for-tokens" in faults else N + 1 + cfg["n_registers"] if "class-always" in faults else T
    L = 1 if "one-layer" in faults else cfg["L"]
    B = 1 if "batch-forgotten" in faults else batch
    h = 1 if "one-head" in faults else cfg["h"]
    if "width-not-heads" in faults:
        h = cfg["d"]
    if flash and "flash-ignored" not in faults:
        rows = T * T if "flash-squared" in faults else T
        if "flash-outputs" in faults:
            return L * B * (h * T * 4 + T * cfg["d"] * bytes_per)
        return L * B * h * rows * (bytes_per if "flash-bytes-per" in faults else 4)
    if "half-the-pairs" in faults:
        return L * B * h * T * (T + 1) // 2 * bytes_per
    pairs = T if "tokens-not-squared" in faults else T * T
    size = {"bytes-forgotten": 1, "always-two": 2, "bits": 8 * bytes_per}
    each = next((value for name, value in size.items() if name in faults), bytes_per)
    return (2 if "scores-too" in faults else 1) * L * B * h * pairs * each


def _read(cfg: dict[str, Any], res: int, batch: int, bytes_per: int = 2, flash: bool = False) -> dict[str, Any]:
    return of_cfg(cfg, res=res, batch=batch, bytes_per=bytes_per, flash=int(flash))


FORMULA = Formula(
    read=_read,
    derived=grid("res") | {"table": lambda v: 1 - v["flash"]},
    terms=terms({"the table A": "table L batch h T T bytes_per", "FlashAttention's rows": "flash L batch h T 4"}),
    variants=VARIANTS
    | {
        **RES,
        "batch": {"1": lambda v: 1, "batch + 1": lambda v: v["batch"] + 1},
        "bytes_per": (
            {str(n): lambda v, n=n: n for n in (1, 2, 4, 8)}
            | {
                "8 bytes_per": lambda v: 8 * v["bytes_per"],
                "bytes_per / 8": lambda v: v["bytes_per"] / 8,
                "2^bytes_per": lambda v: 2 ** v["bytes_per"],
            }
        ),
        "4": {
            "bytes_per": lambda v: v["bytes_per"],
            "1": lambda v: 1,
            "2": lambda v: 2,
            "8": lambda v: 8,
            "4 bytes_per": lambda v: 4 * v["bytes_per"],
            "32": lambda v: 32,
            "d": lambda v: v["d"],
            "D_h": lambda v: v["D_h"],
        },
        "flash": {"1": lambda v: 1, "0": lambda v: 0, "not flash": lambda v: 1 - v["flash"]},
    },
    meaning=MEANING
    | {
        "res": "the side of the picture in pixels",
        "img": "the side the model was trained with",
        "batch": "the number of pictures",
        "bytes_per": "the bytes of one weight",
    },
    advice=ADVICE
    | {
        ("flash", "not flash"): "You turned `flash` round: with it, one float32 a row is kept.",
        ("flash", "1"): "You counted as if `flash` were on, always.",
        ("flash", "0"): "You did not look at `flash`: with it, one float32 a row is kept.",
    },
    conditions=CONDITIONS
    | {
        "With `flash`": lambda v: v["flash"],
        "Without `flash`": lambda v: v["table"],
        "Where `bytes_per` is not 2": lambda v: v["bytes_per"] != 2,
        "Where `batch` is over 1": lambda v: v["batch"] > 1,
        "With `flash` and registers": lambda v: v["flash"] and v["n_registers"],
    },
    units={
        "8": "Those are bits: eight times the bytes.",
        "2": "Twice too much. Is something counted a second time?",
        "3": "Three times too much: A is kept once, not once for each of Q, K and V.",
        "/2": "Half of it.",
        "/1000": "Those are kB. Return bytes.",
        "/1000000": "Those are MB. Return bytes.",
        "/1000000000": "Those are GB. Return bytes.",
        "/1024": "Those are KiB. Return bytes.",
        "/1048576": "Those are MiB. Return bytes.",
        "/1073741824": "Those are GiB. Return bytes.",
    },
    besides=terms(
        {
            "a dropout mask of 1 byte": "L batch h T T",
            "the outputs of attention": "L batch T d bytes_per",
            "queries, keys and values": "3 L batch T d bytes_per",
            "queries, keys, values and outputs": "4 L batch T d bytes_per",
            "keys and values": "2 L batch T d bytes_per",
            "the scores or a dropout mask": "L batch h T T bytes_per",
            "the logits": "batch n_classes bytes_per",
        }
    ),
    loose=("L", "batch", "h", "T", "bytes_per", "d", "N"),
)

SOLUTION = """
def attention_memory_bytes(cfg, res, batch, bytes_per=2, flash=False):
    T = (res // cfg["P"]) ** 2 + int(cfg["cls_token"]) + cfg["n_registers"]
    rows = cfg["L"] * batch * cfg["h"] * T                  # query rows of all heads, layers and pictures
    if flash:
        return rows * 4                                     # one float32 a row, whatever bytes_per is
    return rows * T * bytes_per                             # every row holds a weight for every token
"""

EXERCISE = Exercise(
    id="attention_memory_bytes",
    title="What attention keeps in memory",
    minutes=15,
    difficulty=2,
    importance=4,
    purpose="Long before attention is the larger part of the compute, its weights can fill the memory. Count them.",
    signature="def attention_memory_bytes(cfg, res, batch, bytes_per=2, flash=False):",
    text=(
        "Write `attention_memory_bytes(cfg, res, batch, bytes_per=2, flash=False)`: the bytes that the attention"
        " weights of all layers take for a whole batch of square pictures of side `res`, kept for the backward"
        f" pass. {SAME}\n\n"
        "Each weight takes `bytes_per` bytes. With `flash`, the weights are not kept: FlashAttention keeps one"
        " float32 (4 bytes) for each query row of each head instead. Count the weights A once; leave scores before"
        " the softmax, and the inputs and outputs of attention, out of both."
    ),
    hints=(
        "How many numbers has A in one layer, for one picture? Each head has its own table of T rows.",
        "One layer and one picture: h T T numbers. Then all L layers and the whole batch.",
        (
            "With `flash` a row of T weights becomes one number of 4 bytes: L batch h T 4. `bytes_per` plays no part"
            " there."
        ),
    ),
    solution=SOLUTION,
    commentary=(
        "The stored weights grow with T squared, the fourth power of the side. FlashAttention keeps T numbers a head,"
        " so its memory grows with the area of the picture. It computes the weights again in the backward pass; the"
        " multiply-adds of the forward pass stay what they are."
    ),
    cases=(
        case("ViT-B/16 at 224 px, one picture", B_16, 224, 1),
        *(case(title, cfg, SIZES[title], 14 + i, (4, 2, 8, 1)[i % 4]) for i, (title, cfg) in enumerate(MODELS.items())),
        *(
            case(f"{title}, FlashAttention", cfg, SIZES[title], 14 + i, (4, 2, 8, 1)[i % 4], True)
            for i, (title, cfg) in enumerate(MODELS.items())
        ),
        *one_by_one(135, 14, 4),
        case("the small model, one picture more", ODD, 135, 15, 4),
        case("the small model, 16 bits a weight", ODD, 135, 14, 2),
        case("the small model, at its own size", ODD, 45, 14, 4),
        case("past 2^53", GIANT, 4303, 33, 3),
        case("past 2^32, FlashAttention", GIANT, 4303, 33, 3, True),
    ),
    expected=expected,
    faulty=faulty,
    explain=partial(explain, FORMULA),
    misconceptions=(
        Misconception(
            "patches-for-tokens",
            "You used N where T belongs: class token and registers have rows and columns in A too.",
        ),
        Misconception("class-forgotten", "The class token is missing from T."),
        Misconception("registers-forgotten", "The registers are missing from T."),
        Misconception("class-always", "You counted a class token where `cls_token` is False."),
        Misconception("size-ignored", 'You used `cfg["img"]`. The picture has the side `res`.'),
        Misconception("one-layer", "You counted one layer. The backward pass needs the weights of all L."),
        Misconception("batch-forgotten", "The batch is missing: every picture has weights of its own."),
        Misconception("one-head", "You counted one head. Each of the h heads keeps a table of T x T."),
        Misconception(
            "width-not-heads",
            "You multiplied by the width d. A has no width: its sides are tokens, and there is one table for each of"
            " the h heads.",
        ),
        Misconception("tokens-not-squared", "You counted T weights a head. Every query row has T of them: T squared."),
        Misconception(
            "half-the-pairs", "You counted each pair once. A is not symmetric: all T squared weights are kept."
        ),
        Misconception("bytes-forgotten", "That is the count of numbers. Each takes `bytes_per` bytes."),
        Misconception("always-two", "You took 2 bytes a number. It is `bytes_per`."),
        Misconception("bits", "Those are bits: eight times the bytes."),
        Misconception("scores-too", "You counted the scores before the softmax too. The weights A are asked for once."),
        Misconception("flash-ignored", "You did not look at `flash`: with it, one number a query row is kept."),
        Misconception("flash-squared", "With `flash` no table of T x T is kept: T rows, one number each."),
        Misconception("flash-bytes-per", "With `flash` each row keeps a float32, so 4 bytes, whatever `bytes_per` is."),
        Misconception("flash-outputs", "You counted the outputs of attention too. They are left out of both."),
    ),
)
