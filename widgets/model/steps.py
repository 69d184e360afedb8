"""The forward pass as data: every step with what it does in words and what it makes, and a walk through them.

Nothing here computes. `trace` holds the tensors, `step_rows` says which of their rows a step shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from widgets.common.refusal import Refused

BLOCKS = {"input": "From picture to tokens", "layer": "Layer", "output": "Answer"}


@dataclass(frozen=True)
class Step:
    """One step of the pass. `makes` names tensors as `Trace.stages` does, those of a layer without "layer 1 ".

    A step `mixes` when the row a token gets depends on the rows of other tokens. `weights` are keys of
    `handset.ORIGINS`, `symbols` the sizes that its equation names, `chapter` the title of the chapter about it.
    """

    key: str
    name: str
    block: str
    does: str
    equation: str
    makes: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()
    mixes: bool = False
    symbols: tuple[str, ...] = ()
    chapter: str = ""


STEPS: tuple[Step, ...] = (
    Step(
        "cut",
        "Cut",
        "input",
        "The picture is cut into square patches. From here on the model knows the picture only as these squares.",
        "picture, H × W pixels → N squares of P × P pixels",
        symbols=("H", "W", "P", "N"),
        chapter="Patchify",
    ),
    Step(
        "flatten",
        "Flatten",
        "input",
        "The numbers of each patch are laid out in one long row: all its red, then all its green, then all its blue.",
        "x_p: N rows of P² · 3 numbers",
        ("patches",),
        symbols=("N", "P² · 3"),
        chapter="Patchify",
    ),
    Step(
        "embed",
        "Embed",
        "input",
        "One matrix, the same for every patch, makes a shorter row of D numbers from each long one. That row is a"
        " token.",
        "token = x_p E + b",
        ("patch_embeddings",),
        ("patch_embedding",),
        symbols=("D",),
        chapter="Patch embedding",
    ),
    Step(
        "positions",
        "Class token, positions",
        "input",
        "One more token is put in front, the class token, which will carry the answer. Then each token is given its own"
        " position, by adding a row of numbers.",
        "z_0 = [x_class; x_p E + b] + E_pos",
        ("z0",),
        ("class_token", "positions"),
        symbols=("T", "D"),
        chapter="Class token and positions",
    ),
    Step(
        "norm1",
        "Norm",
        "layer",
        "Each token, by itself, is shifted and scaled until its numbers have mean 0 and deviation 1. A gain and a shift"
        " follow.",
        "LN(z) = gain · (z − mean) / deviation + shift",
        ("ln1",),
        ("layer_norms",),
        chapter="The encoder block",
    ),
    Step(
        "qkv",
        "Q, K, V",
        "layer",
        "Three matrices make three rows from each token: a query (what it looks for), a key (what it can be found by)"
        " and a value (what it passes on).",
        "q = LN(z) W_q, k = LN(z) W_k, v = LN(z) W_v",
        ("q", "k", "v"),
        ("attention",),
        symbols=("D", "D_h"),
        chapter="Self-attention",
    ),
    Step(
        "scores",
        "Scores",
        "layer",
        "The query of a token meets the key of every token. The better they match, the higher the score. Nothing is"
        " taken over yet.",
        "score = q · k / √D_h, for every pair of tokens",
        ("scores",),
        mixes=True,
        symbols=("D_h",),
        chapter="Self-attention",
    ),
    Step(
        "softmax",
        "Softmax",
        "layer",
        "The scores in a token's row become shares: none is negative, and together they make 1.",
        "A = softmax(scores), row by row",
        ("weights",),
        chapter="Self-attention",
    ),
    Step(
        "mix",
        "Mix",
        "layer",
        "Each token gathers the values of all tokens, each in proportion to its share. What the heads found is put side"
        " by side and goes through one more matrix.",
        "MSA = [A v of every head] U_msa",
        ("heads", "msa"),
        ("attention",),
        mixes=True,
        chapter="Multi-head attention",
    ),
    Step(
        "add1",
        "Add",
        "layer",
        "What attention found is added to the token. A sum sets nothing in its place, but can cancel part of what was"
        " there.",
        "z′ = z + MSA",
        ("z_prime",),
        chapter="The encoder block",
    ),
    Step(
        "norm2",
        "Norm",
        "layer",
        "Each token is normalised once more, by itself, as before attention.",
        "LN(z′) = gain · (z′ − mean) / deviation + shift",
        ("ln2",),
        ("layer_norms",),
        chapter="The encoder block",
    ),
    Step(
        "mlp",
        "MLP",
        "layer",
        "A small network, the same for every token, works on each token by itself: to a wider row, a bend, and back.",
        "MLP = GELU(LN(z′) W_1 + b_1) W_2 + b_2",
        ("pre_activation", "post_activation", "mlp"),
        ("mlp",),
        symbols=("D", "D_ff"),
        chapter="The encoder block",
    ),
    Step(
        "add2",
        "Add",
        "layer",
        "What the network made is added to the token. The layer is done, and its tokens have the shape they came in"
        " with.",
        "z = z′ + MLP",
        ("z",),
        chapter="The encoder block",
    ),
    Step(
        "final_norm",
        "Norm",
        "output",
        "After the last layer every token is normalised once more.",
        "LN(z) = gain · (z − mean) / deviation + shift",
        ("normalised",),
        ("layer_norms",),
        chapter="The encoder block",
    ),
    Step(
        "head",
        "Read out",
        "output",
        "Only the class token's row goes on. It is y, the model's summary of the whole picture. The answer head, one"
        " more matrix, makes a score for each answer from it.",
        "y = row 0 of LN(z), answer = y W_head + b",
        ("y", "logits"),
        ("head",),
        symbols=("D",),
        chapter="Training and fine-tuning",
    ),
)
"""In the order of the pass; those of block "layer" repeat in each layer."""


class Place(NamedTuple):
    """A step and the layer it stands in, from 0; None before the first layer and after the last."""

    step: Step
    layer: int | None

    @property
    def stages(self) -> tuple[str, ...]:
        """What is made here, by its names in `Trace.stages`."""
        return tuple(name if self.layer is None else f"layer {self.layer + 1} {name}" for name in self.step.makes)

    @property
    def block(self) -> str:
        """The part of the model this is in, as it is written on the screen."""
        return BLOCKS[self.step.block] + ("" if self.layer is None else f" {self.layer + 1}")


def places(num_layers: int) -> list[Place]:
    """Every step of a model of so many layers, in order. Raises ValueError for fewer than one."""
    if num_layers < 1:
        raise Refused(f"a model to walk through has at least one layer, not {num_layers}")
    inside = [step for step in STEPS if step.block == "layer"]
    return [
        *(Place(step, None) for step in STEPS if step.block == "input"),
        *(Place(step, layer) for layer in range(num_layers) for step in inside),
        *(Place(step, None) for step in STEPS if step.block == "output"),
    ]


def moved(place: Place, layer: int) -> Place:
    """The same step in another layer; a step outside the layers is the same everywhere."""
    return place if place.layer is None else Place(place.step, layer)


class Walk:
    """A place in the pass and the way to the others; `done` are the places whose next step was gone on to."""

    def __init__(self, num_layers: int, at: int = 0) -> None:
        self.places = places(num_layers)
        self.done: set[Place] = set()
        self.index = self._within(at)

    @property
    def place(self) -> Place:
        """Where the walk stands."""
        return self.places[self.index]

    def go(self, index: int) -> Place:
        """Go to a place by its number; beyond an end, to that end. The step just before it counts as completed."""
        index = self._within(index)
        if index == self.index:
            return self.place
        if index == self.index + 1:
            self.done.add(self.place)
        self.index = index
        return self.place

    def next(self) -> Place:
        """One step on; on the last step that completes it."""
        if self.index == len(self.places) - 1:
            self.done.add(self.place)
        return self.go(self.index + 1)

    def previous(self) -> Place:
        """One step back."""
        return self.go(self.index - 1)

    def resized(self, num_layers: int) -> Walk:
        """The walk through a model of so many layers: at the same step, in the same layer or the last."""
        here = self.place if self.place.layer is None else moved(self.place, min(self.place.layer, num_layers - 1))
        other = Walk(num_layers)
        other.index = other.places.index(here)
        other.done = self.done & set(other.places)
        return other

    def _within(self, index: int) -> int:
        return min(max(index, 0), len(self.places) - 1)
