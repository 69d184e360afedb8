"""Every parameter of a loaded checkpoint: choose a term of the formula and see the tensors that make it up (chapter
08)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.common.number_formats import fixed
from widgets.counting.ledger import PIECES, parameter_lines
from widgets.kit.answering import draws
from widgets.kit.model_choice import ModelChoice
from widgets.kit.widget import Description, Widget
from widgets.model.library import tensors_by_term
from widgets.model.shape import ViTShape
from widgets.parts import LedgerTable, Part, controls

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from torch import Tensor

    from widgets.checkpoints.loading import Checkpoint

OTHER = ("Not in the formula", "Tensors that this model carries and the paper's model does not use.")
FIRST = 6  # numbers of a tensor that are written out


class ParameterLedger(Widget):
    """The formula's terms beside the checkpoint's own tensors: names, shapes, counts, down to the exact total."""

    title = "Open a term of the formula"
    summary = (
        "Choose a term of the parameter formula and see the tensors of the loaded model that make it up, to the last"
        " number."
    )

    term = param.String("attention", doc="piece of count.parameters whose tensors are shown")
    tensor = param.String("", doc="name of the tensor whose numbers are shown; empty takes the term's first")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.models = ModelChoice(selection=self.selection)
        self._terms = LedgerTable(
            title="Choose a term", chosen=self.term, heads=["parameters", "running total"], first="term"
        )
        self._tensors = LedgerTable(first="tensor", heads=["numbers", "running total"], frame_height=418)
        self._words = controls.words("", sizing_mode="stretch_width")
        self._found: dict[str, dict[str, Tensor]] = {}
        self._load()
        self._terms.param.watch(lambda event: setattr(self, "term", event.new), ["chosen"])
        self._tensors.param.watch(lambda event: setattr(self, "tensor", event.new), ["chosen"])
        self.param.watch(self._open, ["term"])
        self.param.watch(self._look_at, ["tensor"])
        self.selection.param.watch(self._load, ["checkpoint"])

    # the numbers ------------------------------------------------------------------------------------------

    def checkpoint(self) -> Checkpoint:
        """The checkpoint of the selection. Raises CheckpointMissing or ValueError with a sentence."""
        from widgets.checkpoints.loading import at_hand

        return at_hand(self.selection.checkpoint)

    def tensors(self) -> dict[str, dict[str, Tensor]]:
        """Term -> name -> tensor, of every parameter of the checkpoint."""
        return tensors_by_term(self.checkpoint().model)

    def counted(self) -> int:
        """What PyTorch counts: the sum over model.parameters()."""
        return sum(parameter.numel() for parameter in self.checkpoint().model.parameters())

    @property
    def opened(self) -> str:
        """The term that is shown: the chosen one, or the first of a model that does not have it."""
        return self.term if self.term in self._found else next(iter(self._found), "")

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        bar = controls.row(*self.models.controls)
        left = pn.Column(self._terms, styles={"flex": "1 1 400px", "min-width": "0"}, margin=0)
        right = pn.Column(
            self._tensors, self._words, styles={"flex": "1 1 400px", "min-width": "0", "gap": "12px"}, margin=0
        )
        return self.stacked(bar, pn.FlexBox(left, right, gap="28px", align_items="flex-start"), gap=16)

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._terms]

    @draws
    def _load(self, *_: Any) -> None:
        checkpoint, self._found = self.checkpoint(), self.tensors()
        self._lines = {line.key: line for line in parameter_lines(ViTShape.from_checkpoint(checkpoint))}
        self._running = _running(self._found)
        total, of_torch = max(self._running.values()), self.counted()
        same = "the same number" if total == of_torch else "another number: something is missing here"
        self._terms.param.update(
            status="ready",
            message="",
            chosen=self.opened,
            foot=["Total", f"{total:,}", ""],
            lines=[
                {
                    "key": term,
                    "name": self._name(term)[0],
                    "formula": getattr(self._lines.get(term), "formula", ""),
                    "worked": getattr(self._lines.get(term), "worked", ""),
                    "cells": [f"{_size(found):,}", f"{self._running[term]:,}"],
                    "bars": [[_size(found) / total, "accent"]],
                }
                for term, found in self._found.items()
            ],
            caption=(
                f"{checkpoint.title}. PyTorch counts sum(p.numel() for p in model.parameters()) = {of_torch:,}: {same}."
                f" {checkpoint.provenance.sentence}"
            ),
        )
        self._open()

    def _open(self, *_: Any) -> None:
        found, term = self._found.get(self.opened, {}), self.opened
        running = self._running.get(term, 0) - _size(found)
        lines = []
        for name, tensor in found.items():
            running += tensor.numel()
            lines.append(
                {
                    "key": name,
                    "name": name,
                    "plain": True,
                    "formula": _shape_of(tensor),
                    "cells": [f"{tensor.numel():,}", f"{running:,}"],
                }
            )
        matched = term in self._lines and self._lines[term].count == _size(found)
        agrees = f" The formula gives {self._lines[term].count:,}." if term in self._lines else ""
        self._tensors.param.update(
            title=f"{self._name(term)[0]}: {_tensors(found)}",
            lines=lines,
            foot=["Together", f"{_size(found):,}", ""],
            caption=(
                f"{self._name(term)[1]}{agrees}{' They agree.' if matched else ''} The library counts layers from 0."
            ),
        )
        if self.tensor not in found:
            self.tensor = next(iter(found), "")
        self._look_at()

    def _look_at(self, *_: Any) -> None:
        tensor = self._found.get(self.opened, {}).get(self.tensor)
        if tensor is None:
            return
        self._tensors.chosen = self.tensor
        self._words.object = controls.status(_seen(self.tensor, tensor), more="overflow-wrap:anywhere")

    def _name(self, term: str) -> tuple[str, str]:
        return PIECES.get(term, OTHER)

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """The chosen term and its tensors in words."""
        if not self._found:
            return Description(self._terms.message, [])
        found, title = self._found[self.opened], self.checkpoint().title
        sentence = (
            f"{title} has {self.counted():,} parameters. {self._name(self.opened)[0]}: {len(found)} tensors with"
            f" {_size(found):,} numbers."
        )
        return Description(
            sentence,
            [
                (self._name(term)[0], f"{_size(tensors):,} in {_tensors(tensors)}")
                for term, tensors in self._found.items()
            ],
        )

    def still(self) -> Figure:
        """The terms as bars."""
        from widgets.counting.ledger_still import ledger_still
        from widgets.kit.stills import sentence

        if not self._found:
            return sentence(self._terms.message)
        total = max(self._running.values())
        return ledger_still(
            [
                (
                    self.checkpoint().title,
                    [(self._name(t)[0], _size(found), _size(found) / total) for t, found in self._found.items()],
                )
            ]
        )


def _size(tensors: dict[str, Tensor]) -> int:
    return sum(tensor.numel() for tensor in tensors.values())


def _tensors(tensors: dict[str, Tensor]) -> str:
    return f"{len(tensors)} tensor{'s' if len(tensors) != 1 else ''}"


def _running(found: dict[str, dict[str, Tensor]]) -> dict[str, int]:
    running, sums = 0, {}
    for term, tensors in found.items():
        running += _size(tensors)
        sums[term] = running
    return sums


def _shape_of(tensor: Tensor) -> str:
    return " × ".join(f"{n:,}" for n in tensor.shape)


def _seen(name: str, tensor: Tensor) -> str:
    values = tensor.detach().flatten()
    first = ", ".join(fixed(x) for x in values[:FIRST].tolist())
    spread = (
        f" Smallest {fixed(values.min().item())}, largest {fixed(values.max().item())}, mean"
        f" {fixed(values.mean().item())}."
    )
    return f"{name}, {_shape_of(tensor)}. Its first numbers: {first}{', …' if len(values) > FIRST else ''}.{spread}"
