"""Right pieces of an encoder block put together wrongly: a table of arrangements."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Array = np.ndarray
Step = Callable[[Array], Array]


class Pieces(NamedTuple):
    """The parts of a block, each (T, d) to (T, d): norms, attention, MLP, and its right halves."""

    n1: Step
    n2: Step
    att: Step
    mlp: Step

    def first(self, z: Array) -> Array:
        """z' = MSA(LN(z)) + z."""
        return self.att(self.n1(z)) + z

    def second(self, middle: Array) -> Array:
        """MLP(LN(z')) + z'."""
        return self.mlp(self.n2(middle)) + middle


def _only(row: slice, new: Array, old: Array) -> Array:
    """The old rows, with some taken from the new."""
    out = old.copy()
    out[row] = new[row]
    return out


_PRE = "The block is z' = MSA(LN(z)) + z, then MLP(LN(z')) + z'."
_STREAM = "What is added is the stream before its norm: z, and then z'."
_CLASS, _PATCHES = slice(0, 1), slice(1, None)

ARRANGEMENTS: dict[str, tuple[str, Callable[[Array, Pieces], Array]]] = {
    # residuals
    "residual:first-from-norm": (
        f"The first residual adds LN(z). {_STREAM}",
        lambda z, p: p.second(p.att(p.n1(z)) + p.n1(z)),
    ),
    "residual:second-from-norm": (
        f"The second residual adds LN(z'). {_STREAM}",
        lambda z, p: (lambda m: p.mlp(p.n2(m)) + p.n2(m))(p.first(z)),
    ),
    "residual:second-from-first-norm": (
        f"The second residual adds LN(z). {_STREAM}",
        lambda z, p: p.mlp(p.n2(p.first(z))) + p.n1(z),
    ),
    "residual:second-from-attention": (
        f"The second residual adds what attention gave, without z. {_STREAM}",
        lambda z, p: p.mlp(p.n2(p.first(z))) + p.att(p.n1(z)),
    ),
    "residual:z-once-more": (
        f"z is added again at the end: z' holds it already. {_STREAM}",
        lambda z, p: p.second(p.first(z)) + z,
    ),
    "residual:first-doubled": (f"The first residual counts z twice. {_STREAM}", lambda z, p: p.second(p.first(z) + z)),
    "residual:first-subtracted": (
        f"The first residual is subtracted. {_STREAM}",
        lambda z, p: p.second(p.att(p.n1(z)) - z),
    ),
    "residual:attention-subtracted": (
        f"Attention is subtracted from z. It is added. {_PRE}",
        lambda z, p: p.second(z - p.att(p.n1(z))),
    ),
    "residual:second-subtracted": (
        f"The second residual is subtracted. {_STREAM}",
        lambda z, p: (lambda m: p.mlp(p.n2(m)) - m)(p.first(z)),
    ),
    "residual:mlp-subtracted": (
        f"What the MLP gives is subtracted. It is added. {_PRE}",
        lambda z, p: (lambda m: m - p.mlp(p.n2(m)))(p.first(z)),
    ),
    "residual:halved": (
        f"Each sum is halved. Sums are used as they are. {_PRE}",
        lambda z, p: p.second(p.first(z) / 2) / 2,
    ),
    "residual:first-halved": (
        f"The first sum is halved. Sums are used as they are. {_PRE}",
        lambda z, p: p.second(p.first(z) / 2),
    ),
    "residual:over-root": (
        f"Each sum is divided by sqrt(2). Sums are used as they are. {_PRE}",
        lambda z, p: p.second(p.first(z) / 2**0.5) / 2**0.5,
    ),
    "residual:multiplied": (f"Attention multiplies z. It is added. {_PRE}", lambda z, p: p.second(p.att(p.n1(z)) * z)),
    "residual:around-both": (
        f"One residual goes around the whole block and there is none in between. {_PRE}",
        lambda z, p: z + p.mlp(p.n2(p.att(p.n1(z)))),
    ),
    "residual:last-alone": (
        f"z is added at the very end alone, and the MLP reads attention without it. {_PRE}",
        lambda z, p: (lambda a: p.mlp(p.n2(a)) + a + z)(p.att(p.n1(z))),
    ),
    "residual:change-alone": (
        "You returned what the block adds, without z itself. The stream goes on: z is part of it.",
        lambda z, p: p.second(p.first(z)) - z,
    ),
    **{
        f"residual:scaled-{s}": (
            f"Both parts are multiplied by {s} before they are added, as LayerScale does. Here nothing scales them."
            f" {_PRE}",
            lambda z, p, s=s: (lambda m: m + s * p.mlp(p.n2(m)))(z + s * p.att(p.n1(z))),
        )
        for s in (0.1, 0.5, 0.01, 1e-5, 1e-4, 2.0)
    },
    # norms
    "norm:after-sublayers": (
        f"You normalised what each sublayer gives, not what it reads. {_PRE}",
        lambda z, p: (lambda m: m + p.n2(p.mlp(m)))(z + p.n1(p.att(z))),
    ),
    "norm:sandwich": (
        f"You normalised before and behind each sublayer. Only what it reads is normalised. {_PRE}",
        lambda z, p: (lambda m: m + p.n2(p.mlp(p.n2(m))))(z + p.n1(p.att(p.n1(z)))),
    ),
    "norm:behind-attention": (
        f"You normalised what attention gives, too. Only what it reads is normalised. {_PRE}",
        lambda z, p: p.second(z + p.n1(p.att(p.n1(z)))),
    ),
    "norm:behind-mlp": (
        f"You normalised what the MLP gives, too. Only what it reads is normalised. {_PRE}",
        lambda z, p: (lambda m: m + p.n2(p.mlp(p.n2(m))))(p.first(z)),
    ),
    "norm:attention-after": (
        f"In the first half you normalised what attention gives, not what it reads. {_PRE}",
        lambda z, p: p.second(z + p.n1(p.att(z))),
    ),
    "norm:attention-after-2": (
        f"You normalised what attention gives, with ln2, and the MLP reads z' as it is. {_PRE}",
        lambda z, p: (lambda m: m + p.mlp(m))(z + p.n2(p.att(p.n1(z)))),
    ),
    "norm:mlp-after": (
        f"In the second half you normalised what the MLP gives, not what it reads. {_PRE}",
        lambda z, p: (lambda m: m + p.n2(p.mlp(m)))(p.first(z)),
    ),
    "norm:post-first": (
        f"The first half normalises its sum, as BERT does. {_PRE}",
        lambda z, p: p.second(p.n1(z + p.att(z))),
    ),
    "norm:post-second": (
        f"The second half normalises its sum, as BERT does. {_PRE}",
        lambda z, p: (lambda m: p.n2(m + p.mlp(m)))(p.first(z)),
    ),
    "norm:post-attention-in-residual": (
        f"z itself was normalised before the sum and again after it. {_PRE}",
        lambda z, p: (lambda x: p.second(p.n1(x + p.att(x))))(p.n1(z)),
    ),
    "norm:pre-and-post": (
        f"You normalised what each sublayer reads and each sum. Sums stay as they are. {_PRE}",
        lambda z, p: (lambda m: p.n2(m + p.mlp(p.n2(m))))(p.n1(z + p.att(p.n1(z)))),
    ),
    "norm:post-with-one": (
        f"You normalised each sum, and with ln1 both times. {_PRE}",
        lambda z, p: (lambda m: p.n1(m + p.mlp(m)))(p.n1(z + p.att(z))),
    ),
    "norm:post-swapped": (
        f"You normalised each sum, with the norms exchanged. {_PRE}",
        lambda z, p: (lambda m: p.n1(m + p.mlp(m)))(p.n2(z + p.att(z))),
    ),
    "norm:sum-too": (
        f"The sum z' is normalised before the second half normalises it again. z' stays as it is. {_PRE}",
        lambda z, p: p.second(p.n1(p.first(z))),
    ),
    "norm:sum-too-2": (
        f"The sum z' is normalised with ln2 and then normalised again. z' stays as it is. {_PRE}",
        lambda z, p: p.second(p.n2(p.first(z))),
    ),
    "norm:at-the-end": (
        f"You normalised once more at the end, with ln1. The final norm comes after the last block. {_PRE}",
        lambda z, p: p.n1(p.second(p.first(z))),
    ),
    "norm:second-for-both": (
        "Both halves used the second norm's gain and shift. The first has its own: ln1_g and ln1_b.",
        lambda z, p: p.second(z + p.att(p.n2(z))),
    ),
    "norm:none": (
        f"Nothing is normalised. Each sublayer reads a normalised copy. {_PRE}",
        lambda z, p: (lambda m: m + p.mlp(m))(z + p.att(z)),
    ),
    "norm:twice": (
        f"What the sublayers read is normalised twice. Once is enough. {_PRE}",
        lambda z, p: (lambda m: m + p.mlp(p.n2(p.n2(m))))(z + p.att(p.n1(p.n1(z)))),
    ),
    # halves
    "half:no-attention": (f"Attention is missing: no token meets another. {_PRE}", lambda z, p: p.second(z)),
    "half:attention-lost": (
        f"What attention gives was lost: the second half starts from LN(z). {_PRE}",
        lambda z, p: p.second(p.n1(z)),
    ),
    "half:attention-twice": (f"Attention ran twice. {_PRE}", lambda z, p: p.second(p.first(p.first(z)))),
    "half:attention-only-twice": (
        f"The second half is attention again. It is the MLP. {_PRE}",
        lambda z, p: (lambda m: m + p.att(p.n2(m)))(p.first(z)),
    ),
    "half:mlp-twice": (f"The MLP ran twice. {_PRE}", lambda z, p: p.second(p.second(p.first(z)))),
    "half:mlp-for-both": (
        f"The first half is the MLP too. It is attention. {_PRE}",
        lambda z, p: p.second(z + p.mlp(p.n1(z))),
    ),
    "half:block-twice": (
        "The whole block ran twice. A block is one layer.",
        lambda z, p: p.second(p.first(p.second(p.first(z)))),
    ),
    "half:mlp-inside": (
        f"The MLP reads attention directly, inside one residual and without its norm. {_PRE}",
        lambda z, p: z + p.mlp(p.att(p.n1(z))),
    ),
    "half:mlp-of-attention-alone": (
        f"The MLP reads what attention gave, as it is. It reads LN(z'). {_PRE}",
        lambda z, p: (lambda a: z + a + p.mlp(a))(p.att(p.n1(z))),
    ),
    "half:mlp-reads-first-norm": (
        f"The MLP reads LN(z), with ln1. It reads LN(z'), with ln2. {_PRE}",
        lambda z, p: p.first(z) + p.mlp(p.n1(z)),
    ),
    "half:parallel-of-z": (
        f"Both halves read the block's input, and nothing is normalised. {_PRE}",
        lambda z, p: z + p.att(z) + p.mlp(z),
    ),
    "half:mlp-first-parallel": (
        f"The MLP came first, and attention reads its result. Attention comes first. {_PRE}",
        lambda z, p: (lambda m: m + p.att(p.n2(m)))(z + p.mlp(p.n1(z))),
    ),
    "half:average": (
        f"The two halves are averaged. They follow one another. {_PRE}",
        lambda z, p: (p.first(z) + p.second(z)) / 2,
    ),
    # tokens
    "tokens:mlp-for-class": (
        f"The MLP changed token 0 alone. Every token goes through it. {_PRE}",
        lambda z, p: (lambda m: _only(_CLASS, p.second(m), m))(p.first(z)),
    ),
    "tokens:mlp-for-patches": (
        f"The MLP left token 0 out. Every token goes through it. {_PRE}",
        lambda z, p: (lambda m: _only(_PATCHES, p.second(m), m))(p.first(z)),
    ),
    "tokens:attention-for-class": (
        f"Attention changed token 0 alone. Every token looks at all. {_PRE}",
        lambda z, p: p.second(_only(_CLASS, p.first(z), z)),
    ),
    "tokens:attention-for-patches": (
        f"Attention left token 0 as it was. Every token looks at all. {_PRE}",
        lambda z, p: p.second(_only(_PATCHES, p.first(z), z)),
    ),
    "tokens:class-alone": (
        f"Only token 0 is changed. The block changes every token. {_PRE}",
        lambda z, p: _only(_CLASS, p.second(p.first(z)), z),
    ),
}
