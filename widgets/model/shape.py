"""The shape of a Vision Transformer: a few numbers from which every tensor's size, count and cost follows."""

from __future__ import annotations

from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any

from widgets.common.refusal import Refused
from widgets.model.patches import check_image_size

# The most each field may be: far above any model built, and low enough that nothing below becomes absurd.
LIMITS = {
    "patch_size": 4096,
    "num_channels": 4096,
    "hidden_size": 1_048_576,
    "num_hidden_layers": 10_000,
    "num_attention_heads": 65_536,
    "intermediate_size": 16_777_216,
    "num_labels": 100_000_000,
    "registers": 65_536,
}
MAY_BE_ZERO = ("num_labels", "registers")
LARGEST_SIDE = 1_048_576
CHOICES = {"pool": ("cls", "gap", "map"), "position": ("learned", "none")}


@dataclass(frozen=True)
class ViTShape:
    """A ViT's configuration, under the names the Hugging Face library uses. The defaults are ViT-B/16 at 224 px.

    image_size is a side or a pair (H, W) in pixels. `pool` says what the head reads: "cls" the class token, "gap" the
    mean of the patches, "map" one learned query over them (whose own parameters are left out of every count).
    `position`: "learned", one row a patch and one for the class token, or "none". A `gated_mlp` has three matrices.

    Raises ValueError, naming the field, its value and what would be valid.
    """

    image_size: int | tuple[int, int] = 224
    patch_size: int = 16  # P
    num_channels: int = 3  # C
    hidden_size: int = 768  # D
    num_hidden_layers: int = 12  # L
    num_attention_heads: int = 12  # k
    intermediate_size: int = 3072  # D_ff, 4D in the paper
    num_labels: int = 1000  # K; 0: no head
    class_token: bool = True
    registers: int = 0  # R
    pool: str = "cls"
    gated_mlp: bool = False
    position: str = "learned"
    qkv_bias: bool = True
    norm_bias: bool = True

    def __post_init__(self) -> None:
        for name, most in LIMITS.items():
            object.__setattr__(self, name, _whole(name, getattr(self, name), int(name not in MAY_BE_ZERO), most))
        object.__setattr__(self, "image_size", checked_size(self.image_size, self.patch_size))
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "bool" and not isinstance(value, bool):
                raise Refused(f"{field.name} must be True or False, not {value!r}")
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise Refused(f"{name} must be one of {', '.join(allowed)}, not {getattr(self, name)!r}")
        if self.pool == "cls" and not self.class_token:
            raise Refused("pool 'cls' reads the class token: set class_token to True, or use pool 'gap' or 'map'")
        _check_heads(self.hidden_size, self.num_attention_heads)

    @property
    def grid(self) -> tuple[int, int]:
        """(rows, columns) of patches."""
        height, width = size_pair(self.image_size)
        return height // self.patch_size, width // self.patch_size

    @property
    def num_patches(self) -> int:
        """N = H W / P^2."""
        rows, columns = self.grid
        return rows * columns

    @property
    def prefix(self) -> int:
        """How many tokens stand before the patches: class token and registers."""
        return int(self.class_token) + self.registers

    @property
    def num_tokens(self) -> int:
        """T: the rows of z."""
        return self.num_patches + self.prefix

    @property
    def head_size(self) -> int:
        """D_h = D / k."""
        return self.hidden_size // self.num_attention_heads

    @classmethod
    def from_checkpoint(cls, model: Any) -> ViTShape:
        """Read the shape of a checkpoint, or of a library ViT; a pooler or mask token it may carry is not part of it.

        Raises TypeError for anything without the library's ViT configuration.
        """
        model = getattr(model, "model", model)
        config: Any = getattr(model, "config", None)
        if getattr(config, "model_type", None) != "vit":
            raise TypeError(f"from_checkpoint takes a checkpoint or a library ViT, not {type(model).__name__}")
        size, P = config.image_size, config.patch_size
        return cls(
            image_size=tuple(size) if isinstance(size, (list, tuple)) else size,
            patch_size=P[0] if isinstance(P, (list, tuple)) else P,
            num_channels=config.num_channels,
            hidden_size=config.hidden_size,
            num_hidden_layers=config.num_hidden_layers,
            num_attention_heads=config.num_attention_heads,
            intermediate_size=config.intermediate_size,
            qkv_bias=config.qkv_bias,
            # Every library configuration states labels; only a model with a head around the backbone has them.
            num_labels=config.num_labels if model.base_model is not model else 0,
        )


def size_pair(image_size: int | tuple[int, int]) -> tuple[int, int]:
    """Return (H, W) of a side or a pair."""
    return image_size if isinstance(image_size, tuple) else (image_size, image_size)


def checked_size(image_size: int | tuple[int, int], patch_size: int) -> int | tuple[int, int]:
    """Return image_size as Python ints; raise ValueError unless each side is a positive multiple of P."""
    pair = isinstance(image_size, (tuple, list))
    sides = tuple(image_size) if isinstance(image_size, (tuple, list)) else (image_size, image_size)
    if len(sides) != 2:
        raise Refused(f"image_size must be one side or a pair (height, width), not {image_size!r}")
    height, width = (_whole("image_size", side, 1, LARGEST_SIDE) for side in sides)
    try:
        check_image_size(height, width, patch_size)
    except Refused as error:
        raise Refused(f"image_size: {error}") from None
    return (height, width) if pair else height


def _whole(name: str, value: Any, least: int, most: int) -> int:
    valid = isinstance(value, Integral) and not isinstance(value, bool)
    if not valid or not least <= value <= most:
        raise Refused(f"{name} must be a whole number from {least} to {most:,}, not {value!r}")
    return int(value)


def _check_heads(hidden_size: int, heads: int) -> None:
    if hidden_size % heads == 0:
        return
    below = next(k for k in range(min(heads, hidden_size), 0, -1) if hidden_size % k == 0)
    above = next((k for k in range(heads, hidden_size + 1) if hidden_size % k == 0), None)
    nearest = f"{below}" if above is None else f"{below} or {above}"
    raise Refused(
        f"num_attention_heads {heads} does not divide hidden_size {hidden_size}, so the heads would not be of one"
        f" width: use {nearest}"
    )


def _large(D: int, L: int, k: int, D_ff: int, P: int = 14, **others: Any) -> ViTShape:
    """The larger models, counted without a head; most read their answer with one learned query."""
    settings: dict[str, Any] = {"class_token": False, "pool": "map", "num_labels": 0} | others
    return ViTShape(
        patch_size=P, hidden_size=D, num_hidden_layers=L, num_attention_heads=k, intermediate_size=D_ff, **settings
    )


# The paper's Table 1 with DeiT's two smaller ones (224 px, 1,000 classes), and what came after (no head).
FAMILY: dict[str, ViTShape] = {
    "Ti/16": ViTShape(hidden_size=192, num_attention_heads=3, intermediate_size=768),
    "S/16": ViTShape(hidden_size=384, num_attention_heads=6, intermediate_size=1536),
    "B/16": ViTShape(),
    "B/32": ViTShape(patch_size=32),
    "L/16": ViTShape(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096),
    "L/32": ViTShape(
        patch_size=32, hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096
    ),
    "H/14": ViTShape(
        patch_size=14, hidden_size=1280, num_hidden_layers=32, num_attention_heads=16, intermediate_size=5120
    ),
    "So400m/14": _large(1152, 27, 16, 4304),  # Alabdulmohsin et al. 2023
    "g/14": _large(1408, 40, 16, 6144),  # Zhai et al. 2022
    "G/14": _large(1664, 48, 16, 8192),  # Zhai et al. 2022
    "22B": _large(6144, 48, 48, 24576, qkv_bias=False, norm_bias=False),  # Dehghani et al. 2023
    "DINOv3-7B": _large(  # Simeoni et al. 2025; rotary positions
        4096, 40, 32, 8192, P=16, class_token=True, registers=4, pool="cls", gated_mlp=True, position="none"
    ),
}
