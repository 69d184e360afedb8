"""The pretrained models of the course: loaded once a process, frozen, and able to say where they come from."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from transformers import ViTConfig, ViTForImageClassification, ViTModel

from widgets.checkpoints import fetching
from widgets.checkpoints.fetching import CheckpointMissing, facts_of, names
from widgets.checkpoints.fold_weights import NoViT, fill, open_copy
from widgets.common.refusal import Refused
from widgets.model.library import empty
from widgets.model.patches import check_image_size
from widgets.model.tensor_defaults import FLOAT32, seeded
from widgets.pictures import PREPARATIONS, Preparation

__all__ = ["Checkpoint", "CheckpointMissing", "Provenance", "at_hand", "available", "load", "names"]

Size = tuple[int, int]


@dataclass(frozen=True)
class Provenance:
    """Where a checkpoint comes from. `sha256` is that of the file that was fetched, `sentence` fits on a page."""

    source: str
    revision: str
    licence: str
    sha256: str | None
    sentence: str

    @property
    def brief(self) -> str:
        """The source alone, for the end of a caption; `sentence` says more."""
        return f"Weights: {self.source}."


@dataclass(frozen=True)
class Checkpoint:
    """A frozen ViT in eval mode with eager attention, and what must be known to use it.

    `model` is a `ViTModel` without pooler, or a `ViTForImageClassification` whose classes are `labels` (empty when
    it has none worth reading). Pictures are prepared by `preparation` and have the size `model.config.image_size`.
    """

    name: str
    title: str
    model: ViTModel | ViTForImageClassification
    preparation: Preparation
    labels: tuple[str, ...]
    provenance: Provenance

    @property
    def patch_size(self) -> int:
        """P, the side of a patch in pixels."""
        P: Any = self.model.config.patch_size
        return P[0] if isinstance(P, (list, tuple)) else P

    @property
    def is_random(self) -> bool:
        """Whether its weights were drawn at random and never trained."""
        return self.name.startswith("random")


_SIZES_KEPT = 64
_LOCKS = {name: threading.Lock() for name in names()}
# The library swaps torch's initialisers, for the whole process, while it builds a model: one at a time.
_BUILDING = threading.Lock()
_BASES: dict[str, Checkpoint] = {}
_RESIZED: dict[str, OrderedDict[Size, Checkpoint]] = {name: OrderedDict() for name in names()}


def load(name: str, image_size: int | Size | None = None) -> Checkpoint:
    """Return a checkpoint, one copy for the whole process however many threads ask.

    `image_size` is a side or (height, width) in pixels; by default it is the size the checkpoint was trained at.
    For any other the position table is interpolated as the library does it (bicubic, align_corners False), once,
    here: all sizes share every other tensor. The first call may fetch the checkpoint (see `fetching`).

    Raises ValueError for an unknown name, or a size that does not cut into patches (naming the nearest that do);
    CheckpointMissing, with the ways to get it, when no source gives it.
    """
    facts_of(name)
    with _LOCKS[name]:
        if name not in _BASES:
            _BASES[name] = _build(name)
        base = _BASES[name]
        own = _pair(base.model.config.image_size)
        size = own if image_size is None else _checked(image_size, base.patch_size)
        return base if size == own else _resized(base, size)


def available() -> list[str]:
    """Return the names that load without any network: what the cache holds, and what needs no fetching."""
    return [name for name in names() if "seed" in facts_of(name) or _is_kept(name)]


def at_hand(name: str) -> Checkpoint:
    """Load a checkpoint only if it is on this machine: a click on a page must not start a long download.

    Raises CheckpointMissing with what to do, ValueError for an unknown name.
    """
    if name in names() and name not in available():
        raise CheckpointMissing(
            f"{name} is not on this machine yet: run “python -m widgets fetch {name}”, then choose again."
        )
    return load(name)


def _is_kept(name: str) -> bool:
    try:
        return fetching.kept(name, thorough=False) is not None
    except (fetching.Damaged, OSError):
        return False


def _build(name: str) -> Checkpoint:
    facts = facts_of(name)
    model, provenance = _random(facts) if "seed" in facts else _fetched(name)
    # A random model has a head, but what it calls its classes means nothing.
    named = isinstance(model, ViTForImageClassification) and "seed" not in facts
    labels = tuple(label for _, label in sorted(model.config.id2label.items())) if named else ()
    return Checkpoint(name, facts["title"], model, PREPARATIONS[facts["preparation"]], labels, provenance)


def _fetched(name: str) -> tuple[Any, Provenance]:
    for attempt in range(2):
        folder = fetching.fetch(name)
        try:
            with _BUILDING:
                model = open_copy(folder)
            break
        except NoViT as error:  # no other error: a load that is broken off says nothing about the copy
            # The sums agree and yet it does not fit: written by another version of the course or of the library.
            if attempt:
                raise CheckpointMissing(f"{name} was fetched and does not load: {error}") from error
            fetching.discard(name, str(error))
    written = fetching.kept(name, thorough=False) or {}
    return model, Provenance(**{key: written[key] for key in Provenance.__dataclass_fields__})


def _random(facts: dict[str, Any]) -> tuple[Any, Provenance]:
    """Build a ViT from its configuration, initialised as the library does it but from a generator of its own.

    Truncated normal of deviation initializer_range for matrices, tokens and positions; 0 for biases, 1 for gains.
    """
    generator = seeded(facts["seed"])
    with _BUILDING:
        model = empty(ViTConfig(**facts["shape"]), classifier=True)
        deviation = model.config.initializer_range
        state = {key: _drawn(key, value.shape, deviation, generator) for key, value in model.state_dict().items()}
    seed = f"seed {facts['seed']}"
    sentence = f"{facts['title']}: built from its configuration with random weights ({seed}), never trained."
    source = "random numbers, never trained"
    return fill(model, state), Provenance(source, seed, "none needed", None, sentence)


def _drawn(key: str, shape: torch.Size, deviation: float, generator: torch.Generator) -> torch.Tensor:
    if key.endswith("bias"):
        return torch.zeros(shape, **FLOAT32)
    if len(shape) == 1:  # the gain of a norm
        return torch.ones(shape, **FLOAT32)
    return nn.init.trunc_normal_(torch.empty(shape, **FLOAT32), std=deviation, generator=generator)


def _resized(base: Checkpoint, size: Size) -> Checkpoint:
    kept = _RESIZED[base.name]
    if size not in kept:
        config = ViTConfig.from_dict(base.model.config.to_dict() | {"image_size": size})
        state = dict(base.model.state_dict())
        key = next(key for key in state if key.endswith("embeddings.position_embeddings"))
        state[key] = _interpolated_positions(base.model, size)
        with _BUILDING:
            model = fill(empty(config, classifier=isinstance(base.model, ViTForImageClassification)), state)
        kept[size] = Checkpoint(base.name, base.title, model, base.preparation, base.labels, base.provenance)
    kept.move_to_end(size)
    while len(kept) > _SIZES_KEPT:  # each size costs its table and the modules' shells, about half a megabyte
        kept.popitem(last=False)
    return kept[size]


def _interpolated_positions(model: Any, size: Size) -> torch.Tensor:
    """Ask the library for its position table (1, 1 + N, D) at this size: class row kept, the grid interpolated."""
    embeddings = getattr(model, "vit", model).embeddings
    P, D = model.config.patch_size, model.config.hidden_size
    T = 1 + (size[0] // P) * (size[1] // P)
    tokens = torch.empty(1, T, D, dtype=torch.float32, device="meta")  # only their number is read
    return embeddings.interpolate_pos_encoding(tokens, *size).contiguous()


def _checked(image_size: Any, patch_size: int) -> Size:
    size = _pair(image_size)
    if len(size) != 2:
        raise Refused(f"image_size is one side or (height, width), not {image_size!r}")
    check_image_size(*size, patch_size)
    return int(size[0]), int(size[1])


def _pair(image_size: Any) -> tuple[Any, ...]:
    iterable = isinstance(image_size, Iterable) and not isinstance(image_size, str)
    return tuple(image_size) if iterable else (image_size, image_size)
