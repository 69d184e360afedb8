"""What a reader's function returned, as plain values: whatever it was, looking at it afterwards can do no harm.

An object's own code may raise, hang or lie: how it is copied, compared, printed or made an array. So all of that
happens once, here, while the function's time still runs. What comes out holds nothing of the reader's any more.
"""

from __future__ import annotations

import inspect
import io
import sys
from dataclasses import dataclass
from reprlib import Repr
from types import GeneratorType, ModuleType
from typing import Any

import numpy as np

from widgets.lesson.time_limit import OutOfTime

DEEP = 6  # lists in lists that are looked into
LARGEST = 2**27  # numbers of an array that is copied; the right answers hold some thousands
ATOMS = (type(None), type(...), bool, int, float, complex, str, bytes)
SHORT = Repr()
SHORT.maxstring = SHORT.maxother = SHORT.maxlong = 120
VIEWS = (type({}.keys()), type({}.values()), type({}.items()), map, zip, filter, range, set, frozenset)


@dataclass(frozen=True)
class Foreign:
    """Something that is no plain value. `kind` names it, with its article; `text` shows it; `advice` may follow."""

    kind: str
    text: str
    advice: str = ""

    def __repr__(self) -> str:
        return self.text


def plain(value: Any, depth: int = DEEP) -> Any:
    """A copy in numbers, texts, lists, tuples, dicts, NumPy arrays and CPU tensors; a Foreign for anything else.

    Never raises, but for the end of the function's time.
    """
    try:
        return _plain(value, depth)
    except OutOfTime:
        raise
    except BaseException as error:  # whatever it wants to be, it cannot be read
        return Foreign(kind_of(value), f"<{_name(type(error))} while it was read>")


def kind_of(value: Any) -> str:
    """What a value is, with its article: "a list", "an int", "a NumPy int64"."""
    if isinstance(value, Foreign):
        return value.kind
    if value is None:
        return "None"
    kind = type(value)
    name = _name(kind)
    if kind.__module__ == "numpy":
        return f"a NumPy {'array' if kind is np.ndarray else name}"
    if kind.__module__ == "torch" and name == "Tensor":
        return "a tensor"
    return _with_article(name)


def shown(value: Any) -> str:
    """`repr` of a value that may not have one, cut where it gets long."""
    try:
        return str(repr(value) if isinstance(value, (dict, list, tuple)) else SHORT.repr(value))[:300]
    except OutOfTime:
        raise
    except BaseException:
        return f"<{_name(type(value))}>"


def _plain(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind in ATOMS:
        return value
    torch = sys.modules.get("torch")
    if torch is not None and issubclass(kind, getattr(torch, "Tensor", ())):
        return _tensor(torch, value)
    if issubclass(kind, np.ndarray):
        return _array(value)
    if issubclass(kind, np.generic):
        return np.ndarray.__getitem__(np.array(value), ())
    if depth and issubclass(kind, (list, tuple)):
        base = list if issubclass(kind, list) else tuple
        return base([plain(v, depth - 1) for v in base.__iter__(value)])
    if depth and issubclass(kind, dict):
        return {_key(k): plain(v, depth - 1) for k, v in dict.items(value)}
    if issubclass(kind, (int, float)):
        return int.__index__(value) if issubclass(kind, int) else float.__float__(value)
    return _foreign(value)


def _key(key: Any) -> Any:
    key = plain(key, 0)
    return key if type(key) in ATOMS or isinstance(key, (Foreign, np.generic)) else Foreign(kind_of(key), shown(key))


def _array(value: np.ndarray) -> Any:
    if isinstance(value, np.ma.MaskedArray) and (masked := int(np.ma.count_masked(value))):
        return Foreign(
            "a masked array",
            f"an array of shape {value.shape} with {masked:,} of its numbers masked",
            "A masked number is no number. Fill the masked ones in, or return an array without a mask.",
        )
    if value.size > LARGEST or value.dtype.hasobject:
        what = f"{value.size:,} numbers" if value.size > LARGEST else f"{value.dtype}s"
        return Foreign(
            f"an array of {what}",
            f"shape {value.shape}",
            ""
            if value.size > LARGEST
            else "Its entries are Python objects, not numbers: often lists of unlike length, or tensors.",
        )
    return np.array(value, copy=True, subok=False)


def _tensor(torch: Any, value: Any) -> Any:
    unlike = (
        "sparse"
        if value.layout is not torch.strided
        else "quantised"
        if value.is_quantized
        else "nested"
        if value.is_nested
        else ""
    )
    if unlike:
        return Foreign(
            f"a {unlike} tensor",
            f"a {unlike} tensor of shape {tuple(value.shape)}",
            {
                "sparse": "`to_dense()` makes an ordinary tensor of it.",
                "quantised": "`dequantize()` makes an ordinary tensor of it.",
                "nested": "`torch.nested.to_padded_tensor` makes an ordinary tensor of it.",
            }[unlike],
        )
    if value.device.type == "meta":
        return Foreign(
            "a tensor on the device `meta`",
            f"a tensor of shape {tuple(value.shape)} without numbers",
            "A tensor on `meta` has a shape and no numbers. Make it on the device of the input.",
        )
    if value.numel() > LARGEST:
        return Foreign(f"a tensor of {value.numel():,} numbers", f"shape {tuple(value.shape)}")
    own = value.detach().as_subclass(torch.Tensor).resolve_conj().resolve_neg()
    copied = torch.empty(own.shape, dtype=own.dtype, device="cpu").copy_(own)
    try:
        copied.numpy()
    except TypeError:  # NumPy has no bfloat16, for one
        return copied.to(torch.complex64 if own.is_complex() else torch.float32)
    return copied


def _foreign(value: Any) -> Foreign:
    if inspect.iscoroutine(value):
        value.close()  # else Python complains later that nobody awaited it
        return Foreign("a coroutine", "a coroutine", "Your function is an `async def`. Write it with `def` alone.")
    if isinstance(value, GeneratorType):
        return Foreign(
            "a generator",
            "a generator",
            "A generator hands its things out one by one, when asked. Where"
            " your function says `yield`, or returns `(... for ...)`, let it build all and `return` it.",
        )
    if isinstance(value, VIEWS):
        return Foreign(
            kind_of(value),
            shown(value),
            "Make a list of it with `list(...)`, and of that an array with `np.array` or `np.stack`.",
        )
    if isinstance(value, io.IOBase):
        return Foreign("an open file", shown(value), "Return what is in it, not the file.")
    if isinstance(value, ModuleType):
        return Foreign("a module", shown(value))
    if callable(value):
        return Foreign(
            kind_of(value),
            shown(value),
            "That is something to be called. Call it, with brackets, and return what it gives.",
        )
    return Foreign(kind_of(value), shown(value))


def _name(kind: type) -> str:
    return str(type.__getattribute__(kind, "__name__"))


def _with_article(name: str) -> str:
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"
