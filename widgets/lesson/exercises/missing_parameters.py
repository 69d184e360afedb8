"""Exercise of chapter 08: where a popular re-implementation of ViT-B/16 has fewer parameters."""

from __future__ import annotations

from dataclasses import replace

from widgets.lesson.specification import Case, Exercise, Misconception, Outcome

PIECES = ("patch_embedding", "class_token", "positions", "attention", "mlp", "layer_norms", "final_norm", "head")


def expected() -> dict[str, int]:
    """Piece -> how many parameters the re-implementation has more (or, negative, fewer) than ViT-B/16."""
    return faulty()


def faulty(faults: frozenset[str] = frozenset()) -> dict[str, int]:
    """The differences of somebody with the named mistakes."""
    from widgets.model.count import parameters
    from widgets.model.shape import FAMILY

    ours = FAMILY["B/16"]
    theirs = parameters(replace(ours, qkv_bias=False))
    found = {piece: theirs[piece][1] - parameters(ours)[piece][1] for piece in PIECES}
    D, L, norm = ours.hidden_size, ours.num_hidden_layers, parameters(ours)["final_norm"][1]
    extra = norm if "half-the-norms" in faults else 2 * norm
    if "one-layer" in faults:
        found["attention"] //= L
    if "one-bias" in faults:
        found["attention"] = -L * D
    if "every-bias" in faults:
        found["attention"] = -4 * L * D
    if "norms-each-layer" in faults:
        extra *= L
    found["layer_norms" if "norms-with-the-blocks" in faults else "patch_embedding"] += (
        0 if "norms-forgotten" in faults else extra
    )
    if "patch-bias" in faults:
        found["patch_embedding"] -= D
    if "signs" in faults:
        found = {piece: -number for piece, number in found.items()}
    if "no-signs" in faults:
        found = {piece: abs(number) for piece, number in found.items()}
    if "in-one" in faults:
        found = dict.fromkeys(PIECES, 0) | {"attention": sum(found.values())}
    return found


WIDTH, SUM = 768, -24_576
NOTHING_THERE = "In {} nothing differs: every line of it is the paper's."
WRONG_PIECES: dict[str, dict[int, str]] = {
    "attention": {
        -3: "one-layer",
        -12: "one-bias",
        -48: "every-bias",
        36: "signs",
        0: "biases-forgotten",
        -432: "layers-twice",
    },
    "patch_embedding": {
        2: "half-the-norms",
        1: "a-gain-alone",
        0: "norms-forgotten",
        48: "norms-each-layer",
        3: "patch-bias",
        -4: "signs",
        6: "a-norm-too-many",
    },
    "layer_norms": {2: "norms-with-the-blocks", 4: "norms-with-the-blocks"},
}
"""Piece -> how many vectors of the width came -> the mistake that gives them."""


def explain(outcomes: list[Outcome], lastly: bool) -> tuple[tuple[str, ...], str] | None:
    """What is wrong in each wrong piece, where each can be told; what is left over, where the sum alone is right."""
    came, right = outcomes[0].returned, outcomes[0].expected
    if lastly or came.keys() != right.keys() or any(type(number) is not int for number in came.values()):
        return None
    if all(came[piece] * WIDTH == right[piece] for piece in PIECES):
        return ("vectors",), "You counted vectors of 768. Count their numbers."
    wrong = [piece for piece in PIECES if came[piece] != right[piece]]
    if came["layer_norms"] and came["layer_norms"] + came["patch_embedding"] == right["patch_embedding"]:
        wrong.remove("patch_embedding")  # what it lacks stands with the blocks
    told = {piece: _told(piece, came) for piece in wrong}
    if not wrong or not all(told.values()):
        return None
    names = tuple(dict.fromkeys(name for name, _ in told.values()))
    return names, " ".join(dict.fromkeys(sentence for _, sentence in told.values()))


def _told(piece: str, came: dict[str, int]) -> tuple[str, str] | None:
    vectors, rest = divmod(came[piece], WIDTH)
    if not rest and (name := WRONG_PIECES.get(piece, {}).get(vectors)):
        return name, EXERCISE.misconception(name).sentence
    if piece == "attention" and sum(came.values()) == SUM:
        return (
            "left-over",
            (
                "`attention` is what your other pieces leave of \u221224,576, so it takes over their mistake."
                " Count it by itself, line by line."
            ),
        )
    if piece in ("attention", "patch_embedding"):
        return None
    return "nothing-there", NOTHING_THERE.format(f"`{piece}`")


SOLUTION = """
def missing_parameters():
    D, L = 768, 12
    pieces = "patch_embedding class_token positions attention mlp layer_norms final_norm head"
    found = dict.fromkeys(pieces.split(), 0)
    found["attention"] = -L * 3 * D           # Q, K and V without a bias, in every layer
    found["patch_embedding"] = 2 * 2 * D      # a norm of P^2 C = 768 before E and one of D after it, gain and shift
    return found                              # together -24,576
"""


def _never(failed: Outcome, outcomes: list[Outcome]) -> bool:
    """For a mistake that `explain` finds, piece by piece."""
    return False


EXERCISE = Exercise(
    id="missing_parameters",
    title="Find the missing 24,576",
    minutes=15,
    difficulty=3,
    importance=3,
    purpose="Two models called ViT-B/16 may differ. A count that is off by a few thousand tells you where to look.",
    signature="def missing_parameters():",
    text=(
        "A popular re-implementation of ViT-B/16 has 86,543,080 parameters, 24,576 fewer than the paper's 86,567,656."
        " This is its forward pass; every layer has a bias unless it says otherwise:\n\n- cut into patches of 768"
        " numbers, LayerNorm(768), Linear(768, 768), LayerNorm(768)\n- a class token in front, a position table of 197"
        " x 768 added\n- twelve times: LayerNorm(768), Linear(768, 2304, bias=False) for Q, K and V, attention,"
        " Linear(768, 768), add; LayerNorm(768), Linear(768, 3072), GELU, Linear(3072, 768), add\n- LayerNorm(768), row"
        " 0, Linear(768, 1000)\n\nWrite `missing_parameters()` that returns a dict: for each of the eight pieces of the"
        " ledger, `patch_embedding`, `class_token`, `positions`, `attention`, `mlp`, `layer_norms` (of the blocks),"
        " `final_norm` and `head`, how many parameters the re-implementation has more (positive) or fewer (negative)"
        " than the paper's model, 0 where they agree. A norm beside the patch projection belongs to `patch_embedding`."
        " The eight must sum to -24,576."
    ),
    hints=(
        (
            "Divide first: 24,576 is 32 times 768. No single piece of a model with twelve layers makes 32 vectors of"
            " 768, so look for something that is missing and something that is there too much."
        ),
        (
            "Go through the list line by line beside the ledger. Two lines differ from the paper's model: one has no"
            " bias where the paper has three, the other has norms where the paper has none."
        ),
        (
            "Three biases of 768 are missing in each of twelve layers: 36 vectors of 768. Two norms are there too much,"
            " each with a gain and a shift: 4 vectors. 36 less 4 is 32."
        ),
    ),
    solution=SOLUTION,
    commentary=(
        "The two differences have opposite signs, so the total hides how large they are. Weights of the paper's model"
        " do not fit into this one, though both are called ViT-B/16: compare piece by piece before you copy any."
    ),
    cases=(Case("ViT-B/16 at 224 px with 1,000 classes", lambda: (), 0),),
    expected=expected,
    faulty=faulty,
    any_integer=True,
    explain=explain,
    misconceptions=(
        Misconception("one-layer", "You counted the missing biases of one layer. There are twelve, each with its own."),
        Misconception(
            "one-bias",
            "You counted one missing bias a layer. Linear(768, 2304) makes Q, K and V: a bias of it has 2,304 numbers.",
        ),
        Misconception(
            "every-bias",
            "You took all four biases of attention away. The output projection, Linear(768, 768), keeps its own.",
        ),
        Misconception(
            "half-the-norms",
            "Half of the two extra norms is missing. There is one before the projection and one"
            " after it, and each has a gain and a shift: 2 x 2 x 768.",
        ),
        Misconception(
            "norms-forgotten",
            "The two norms beside the patch projection are missing. The paper's model has none there.",
        ),
        Misconception(
            "norms-each-layer",
            "You counted the two extra norms once a layer. They stand beside the patch projection, once in the model.",
        ),
        Misconception(
            "norms-with-the-blocks",
            "You put an extra norm with those of the blocks. Both stand beside the patch"
            " projection and belong to `patch_embedding`.",
        ),
        Misconception(
            "patch-bias",
            "You took the bias of the patch projection away. Only the Linear of Q, K and V is without one.",
        ),
        Misconception("layers-twice", "You multiplied by the twelve layers twice.", _never),
        Misconception(
            "a-gain-alone", "A norm has a gain and a shift, and two norms stand beside the patch projection.", _never
        ),
        Misconception("a-norm-too-many", "You counted three norms beside the patch projection. There are two.", _never),
        Misconception(
            "biases-forgotten", "Linear(768, 2304) has no bias here; the paper's model has one in each layer.", _never
        ),
        Misconception("signs", "The signs are the wrong way round: what the re-implementation has fewer is negative."),
        Misconception("no-signs", "One of the two differences is negative: biases that are missing count against it."),
        Misconception(
            "in-one", "You put the whole difference into one piece. Two pieces differ, and their signs are opposite."
        ),
    ),
)
