"""What a reader sets in the calculator: read from text, refused with the nearest that is possible, written for a
link."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import product
from math import gcd
from typing import Any

from widgets.common.refusal import Refused
from widgets.common.typed_number import Kind, NotRead, as_typed, number_typed, split_sides
from widgets.model.shape import CHOICES, FAMILY, LARGEST_SIDE, LIMITS, MAY_BE_ZERO, ViTShape, size_pair

LONGEST_TEXT = 400  # characters of a whole setting
SWITCHES = {"yes": True, "no": False}
NUMBERS = {  # field -> (symbol, what it is)
    "image_size": ("H, W", "Picture side, px"),
    "patch_size": ("P", "Patch side, px"),
    "hidden_size": ("D", "Width"),
    "num_hidden_layers": ("L", "Layers"),
    "num_attention_heads": ("k", "Heads"),
    "intermediate_size": ("D_ff", "MLP width"),
    "num_labels": ("K", "Classes, 0 for no head"),
    "num_channels": ("C", "Colour channels"),
    "registers": ("R", "Registers"),
    "batch": ("B", "Batch, pictures"),
    "epochs": ("", "Training: epochs"),
    "images": ("", "Training: pictures"),
}
UNITS = {  # field -> what may stand behind its number
    "image_size": "px",
    "patch_size": "px",
    "num_hidden_layers": "layers",
    "num_attention_heads": "heads",
    "num_labels": "classes",
    "num_channels": "channels",
    "registers": "registers",
    "batch": "pictures",
    "epochs": "epochs",
    "images": "pictures",
}
OPTIONS = {  # field -> (what it is, text in an address -> what the reader sees)
    "class_token": ("Class token", {"yes": "one", "no": "none"}),
    "pool": ("The head reads", {"cls": "the class token", "gap": "the patches' mean", "map": "a learned query"}),
    "gated_mlp": ("MLP matrices", {"no": "two, GELU", "yes": "three, SwiGLU"}),
    "position": ("Positions", {"learned": "a learned table", "none": "no table"}),
    "qkv_bias": ("Biases of Q, K, V", {"yes": "yes", "no": "no"}),
    "norm_bias": ("Shift of the norms", {"yes": "yes", "no": "no"}),
}
OF_THE_RUN = {"batch": 1_000_000, "epochs": 1_000_000, "images": 10**12}  # the most each may be
DEFAULT = "B/16"


class SettingRefused(Refused):
    """Why a setting is not possible, and `nearest`: pairs of (what to offer, the changes that make it possible)."""

    def __init__(self, sentence: str, nearest: list[tuple[str, dict[str, str]]] | None = None) -> None:
        super().__init__(sentence)
        self.nearest = nearest or []


@dataclass(frozen=True)
class Setting:
    """One model, perhaps another beside it, and a run: a batch for memory, epochs and pictures for training."""

    shape: ViTShape = FAMILY[DEFAULT]
    other: ViTShape | None = None
    batch: int = 1
    epochs: int = 7  # the paper's Table 6
    images: int = 303_000_000  # JFT, section 4.1 of the paper


def value_of(setting: Setting, field: str) -> str:
    """A field as a reader types it."""
    if field in OF_THE_RUN:
        return f"{getattr(setting, field):,}"
    value = getattr(setting.shape, field)
    if field == "image_size":
        height, width = size_pair(value)
        return f"{height:,}" if height == width else f"{height:,} x {width:,}"
    return ("yes" if value else "no") if isinstance(value, bool) else f"{value:,}" if isinstance(value, int) else value


def changed(setting: Setting, changes: dict[str, str]) -> Setting:
    """The setting with fields as they were typed. Raises SettingRefused, with the nearest that is possible."""
    values = {field: _read(setting, field, text) for field, text in changes.items()}
    run = {field: value for field, value in values.items() if field in OF_THE_RUN}
    rest = {field: value for field, value in values.items() if field not in OF_THE_RUN}
    try:
        return replace(setting, shape=replace(setting.shape, **rest), **run)
    except Refused as error:
        raise _impossible(setting.shape, rest, str(error)) from None


def name_of(shape: ViTShape) -> str | None:
    """The name in the family of a shape, None when it is nobody's."""
    return next((name for name, known in FAMILY.items() if known == shape), None)


def title_of(shape: ViTShape) -> str:
    """What a page calls a shape: its name, or the nearest one with what was changed."""
    base, differences = _nearest_in_family(shape)
    return f"ViT-{base}" + (f" with {', '.join(differences)}" if differences else "")


# --- one field


def _read(setting: Setting, field: str, text: str) -> Any:
    """The value of what was typed. Raises SettingRefused for what is no value at all, or out of bounds."""
    typed = text.strip()
    if field in OPTIONS:
        if typed not in OPTIONS[field][1]:
            raise SettingRefused(f"{OPTIONS[field][0]} is one of {', '.join(OPTIONS[field][1])}, not “{typed[:20]}”.")
        return typed if field in CHOICES else SWITCHES[typed]
    if field not in NUMBERS:
        raise SettingRefused(f"there is no field called “{field[:30]}”")
    if field == "image_size":
        return _sides(setting, typed)
    return _whole(setting, field, typed)


def _sides(setting: Setting, typed: str) -> int | tuple[int, int]:
    """A side, or height and width, as they were typed. Raises SettingRefused; what it offers keeps the side that is
    possible."""
    try:
        texts = split_sides(typed, _kind(setting, "image_size"))
    except NotRead as reason:
        now = value_of(setting, "image_size")
        offered = [
            as_typed(tuple(map(int, near)) if isinstance(near, tuple) else int(near)) for near in reason.near
        ] or [now]
        raise SettingRefused(str(reason), [(text, {"image_size": text}) for text in offered]) from None
    return _whole(setting, "image_size", texts[0]) if len(texts) == 1 else _pair(setting, texts)


def _pair(setting: Setting, texts: list[str]) -> int | tuple[int, int]:
    sides: list[list[int]] = []
    refusal = None
    for text, now in zip(texts, size_pair(setting.shape.image_size), strict=True):
        try:
            sides.append([_whole(setting, "image_size", text)])
        except SettingRefused as refused:
            refusal = refusal or refused
            labels = [label.replace(",", "") for label, _ in refused.nearest]
            sides.append([int(label) for label in labels if label.isdecimal()] or [now])
    if refusal is None:
        (height,), (width,) = sides
        return height if height == width else (height, width)
    near = [_possible_near(setting.shape, "image_size", side[0])[:1] if len(side) == 1 else side for side in sides]
    raise SettingRefused(str(refusal), _offer("image_size", list(product(*near))[:2]))


def _whole(setting: Setting, field: str, text: str) -> int:
    """A whole number of a field. Raises SettingRefused, with the nearest that is possible."""
    try:
        return int(number_typed(text, _kind(setting, field)))
    except NotRead as reason:
        now = value_of(setting, field)
        if not reason.near:
            raise SettingRefused(str(reason), [(now, {field: now})]) from None
        found = {value for near in reason.near for value in _possible_near(setting.shape, field, int(near))}
        middle = sum(reason.near) / len(reason.near)
        raise SettingRefused(
            str(reason), _offer(field, sorted(sorted(found, key=lambda value: abs(value - middle))[:2]))
        ) from None


def _kind(setting: Setting, field: str) -> Kind:
    """What may be typed into a field; what is set in it is the example."""
    least, most = bounds(field)
    step = setting.shape.patch_size if field == "image_size" else 1
    return Kind(
        _named(field),
        least,
        most,
        True,
        tuple(UNITS[field].split()) if field in UNITS else (),
        value_of(setting, field),
        step,
    )


def bounds(field: str) -> tuple[int, int]:
    """The least and the most a number may be."""
    if field in OF_THE_RUN:
        return 1, OF_THE_RUN[field]
    return int(field not in MAY_BE_ZERO), LARGEST_SIDE if field == "image_size" else LIMITS[field]


def _named(field: str) -> str:
    symbol, name = NUMBERS[field]
    plain = name.partition(",")[0]
    return f"{plain} {symbol}" if symbol and len(symbol) < 5 and "," not in symbol else plain


# --- fields that do not go together


def _impossible(shape: ViTShape, values: dict[str, Any], error: str) -> SettingRefused:
    """Say of one changed field why it does not go with the others."""
    field, value = next(iter(values.items())) if len(values) == 1 else ("", None)
    D, k, P = shape.hidden_size, shape.num_attention_heads, shape.patch_size
    if field == "hidden_size":
        sentence = f"Width D must be a multiple of the {k:,} heads, and {value:,} is not."
    elif field == "num_attention_heads":
        sentence = f"The heads must divide the width D = {D:,}, and {value:,} does not."
    elif field == "image_size":
        size = " x ".join(f"{side:,}" for side in (value if isinstance(value, tuple) else (value,)))
        sentence = (
            f"Both sides of the picture must be multiples of P = {P:,}, and {size} does not cut into such patches."
        )
    elif field == "patch_size":
        sentence = (
            f"P must divide the sides of the picture, {value_of(Setting(shape), 'image_size')} px, and {value:,} does"
            " not."
        )
    elif field in ("class_token", "pool"):
        return SettingRefused(
            "Without a class token the head cannot read it.",
            [
                ("no class token, read the mean of the patches", {"class_token": "no", "pool": "gap"}),
                ("a class token, and read it", {"class_token": "yes", "pool": "cls"}),
            ],
        )
    else:
        return SettingRefused(f"{error[:1].upper()}{error[1:]}.")
    return SettingRefused(sentence, _offer(field, _possible_near(shape, field, value)))


def _offer(field: str, values: list[Any]) -> list[tuple[str, dict[str, str]]]:
    return [(text, {field: text}) for text in map(as_typed, values)]


def _possible_near(shape: ViTShape, field: str, value: Any) -> list[Any]:
    """The nearest possible values at and under, and at and over, a value that lies within the bounds."""
    if isinstance(value, tuple):
        return [tuple(_possible_near(shape, field, side)[0] for side in value)]
    least, most = bounds(field)
    if field in ("hidden_size", "image_size"):
        step = shape.num_attention_heads if field == "hidden_size" else shape.patch_size
        ends = (value // step * step, -(-value // step) * step)
    elif field in ("num_attention_heads", "patch_size"):
        whole = shape.hidden_size if field == "num_attention_heads" else gcd(*size_pair(shape.image_size))
        under = next((n for n in range(min(value, whole), 0, -1) if whole % n == 0), least)
        over = next((n for n in range(value, min(whole, most) + 1) if whole % n == 0), under)
        ends = (under, over)
    else:
        ends = (value,)
    return sorted({end for end in ends if least <= end <= most} or {min(max(least, ends[-1]), most)})


# --- a setting as a text


def write(setting: Setting) -> str:
    """A setting as a short text for an address; "" is the usual one."""
    if setting == Setting():
        return ""
    run = [
        f"{field}={getattr(setting, field)}"
        for field in OF_THE_RUN
        if getattr(setting, field) != getattr(Setting, field)
    ]
    text = ",".join([_write(setting.shape), *run])
    return text + (f"~{_write(setting.other)}" if setting.other else "")


def read(text: str) -> Setting:
    """The setting of an address. Raises ValueError with a sentence for what is none."""
    if len(text) > LONGEST_TEXT:
        raise SettingRefused("it is too long for a setting")
    first, *others = text.split("~")
    if len(others) > 1:
        raise SettingRefused("it names more than two models")
    if "" in others:
        raise SettingRefused("it names no second model after the ~")
    setting = _read_one(first)
    if not others:
        return setting
    return replace(setting, other=_read_one(others[0]).shape)


def _read_one(text: str) -> Setting:
    """One model: a name of the family, then the fields that differ, all at once (order must not matter)."""
    name, *changes = text.split(",") if text else [DEFAULT]
    if name not in FAMILY:
        raise SettingRefused(f"it must begin with one of {', '.join(FAMILY)}")
    pairs = [change.partition("=") for change in changes]
    return changed(Setting(FAMILY[name]), {field.strip(): value for field, _, value in pairs})


def _write(shape: ViTShape) -> str:
    base, _ = _nearest_in_family(shape)
    differing = [f.name for f in fields(shape) if getattr(shape, f.name) != getattr(FAMILY[base], f.name)]
    return ",".join(
        [base, *(f"{name}={value_of(Setting(shape), name).replace(',', '').replace(' ', '')}" for name in differing)]
    )


def _nearest_in_family(shape: ViTShape) -> tuple[str, list[str]]:
    """The family's name with the fewest differing fields, and those fields in words."""

    def differing(name: str) -> list[str]:
        return [f.name for f in fields(shape) if getattr(shape, f.name) != getattr(FAMILY[name], f.name)]

    base = min(FAMILY, key=lambda name: len(differing(name)))
    return base, [_in_words(shape, field) for field in differing(base)]


def _in_words(shape: ViTShape, field: str) -> str:
    text = value_of(Setting(shape), field)
    if field in OPTIONS:
        what, options = OPTIONS[field]
        return (
            f"{what[:1].lower()}{what[1:]}: {options[text]}"
            if field != "class_token"
            else f"{'a' if text == 'yes' else 'no'} class token"
        )
    if field == "num_labels":
        return f"{text} classes" if shape.num_labels else "no head"
    symbol = NUMBERS[field][0]
    return f"{text} px" if field == "image_size" else f"{symbol} = {text}"


def config_code(shape: ViTShape) -> str:
    """The model of the library with this shape, as code; what the library's ViT has no field for is said in a
    comment."""
    D, sizes = shape.hidden_size, shape.image_size
    missing = [
        text
        for has, text in (
            (not shape.class_token, "no class token"),
            (shape.registers, f"{shape.registers} registers"),
            (shape.pool != "cls", OPTIONS["pool"][1][shape.pool]),
            (shape.gated_mlp, "a gated MLP"),
            (shape.position != "learned", "no position table"),
            (not shape.norm_bias, "norms without a shift"),
        )
        if has
    ]
    head = bool(shape.num_labels)
    lines = [f"from transformers import ViTConfig, {'ViTForImageClassification' if head else 'ViTModel'}", ""]
    if missing:
        lines.append(f"# ViTConfig has no field for: {', '.join(missing)}. This is the nearest it can build.")
    lines += [
        "config = ViTConfig(",
        f"    image_size={sizes}, patch_size={shape.patch_size}, num_channels={shape.num_channels},",
        (
            f"    hidden_size={D}, num_hidden_layers={shape.num_hidden_layers},"
            f" num_attention_heads={shape.num_attention_heads},"
        ),
        (
            f"    intermediate_size={shape.intermediate_size},"
            f" qkv_bias={shape.qkv_bias},{f' num_labels={shape.num_labels},' if head else ''}"
        ),
        ")",
        "model = ViTForImageClassification(config)" if head else "model = ViTModel(config, add_pooling_layer=False)",
        'print(f"{sum(p.numel() for p in model.parameters()):,}")',
    ]
    return "\n".join(lines) + "\n"
