"""What people put in GELU's place: other activations, GELU's other forms, and slips in the formula x Phi(x)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from widgets.lesson.exercises._slips import Faults, erf, slipping

Array = np.ndarray
Curve = tuple[str, Callable[[Array], Array]]
ROOT = math.sqrt(2 / math.pi)


def _phi(x: Array) -> Array:
    return (1 + erf(x / math.sqrt(2))) / 2


def _bell(x: Array) -> Array:
    return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _tanh_form(a: float = ROOT, b: float = 0.044715, power: int = 3) -> Callable[[Array], Array]:
    return lambda x: 0.5 * x * (1 + np.tanh(a * (x + b * x**power)))


def _erf_series(terms: int) -> Callable[[Array], Array]:
    """Phi from the first terms of erf's Taylor series."""

    def phi(x: Array) -> Array:
        u = x / math.sqrt(2)
        summed = sum((-1) ** n * u ** (2 * n + 1) / (math.factorial(n) * (2 * n + 1)) for n in range(terms))
        return (1 + 2 / math.sqrt(math.pi) * summed) / 2

    return phi


def _bell_series(terms: int) -> Callable[[Array], Array]:
    """Phi from 1/2 + phi(x) (x + x^3 / 3 + x^5 / 15 + ...)."""

    def phi(x: Array) -> Array:
        odd = [math.prod(range(1, 2 * n + 2, 2)) for n in range(terms)]
        return 0.5 + _bell(x) * sum(x ** (2 * n + 1) / below for n, below in enumerate(odd))

    return phi


def _by_table(x: Array) -> Array:
    """erf by the polynomial of Abramowitz and Stegun, 7.1.26, which holds from 0 up."""
    t = 1 / (1 + 0.3275911 * x)
    below = t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    return 1 - t * (0.254829592 + below) * np.exp(-x * x)


def _elu(x: Array, scale: float = 1.0) -> Array:
    return np.where(x > 0, x, scale * (np.exp(np.minimum(x, 0)) - 1))


_EXACT = "GELU is x Phi(x), and Phi(x) = (1 + erf(x / sqrt(2))) / 2."
_TANH = f"That is the tanh form, and not quite that either: {{}}. {_EXACT}"


def activation(x: Array, faults: Faults) -> Array:
    """GELU, or what is put in its place."""
    if (other := next((CURVES[fault][1] for fault in faults if fault in CURVES), None)) is not None:
        return other(x)
    at = slipping(faults)
    x = at("x", np.abs(x) if "absolute" in faults else x)
    for name, curve in PLAIN.items():
        if name in faults:
            return curve(x)
    inside = {"gelu-erf-unscaled": 1.0, "erf-halved": 0.5, "erf-times-root": math.sqrt(2)}
    area = erf(x * next((scale for name, scale in inside.items() if name in faults), math.sqrt(0.5)))
    share = (0 if "no-one" in faults else 1) + (-area if "mirrored" in faults else area)
    share = share if "no-half" in faults else share / 2
    return at("gelu", share if "phi-only" in faults else x * share)


PLAIN: dict[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0),
    "no-activation": lambda x: x,
    "silu": lambda x: x * _sigmoid(x),
    "gelu-tanh": _tanh_form(),
    "gelu-sigmoid": lambda x: x * _sigmoid(1.702 * x),
    "no-cube": _tanh_form(b=0.0),
    "density": lambda x: x * _bell(x),
    "softplus": lambda x: np.logaddexp(0, x),
    "logistic": _sigmoid,
}
"""Those with a sentence of their own in each exercise."""

CURVES: dict[str, Curve] = {
    # other activations
    **{
        f"curve:leaky-{slope}": (
            f"That is a leaky ReLU, with a slope of {slope} under 0. {_EXACT}",
            lambda x, slope=slope: np.where(x > 0, x, slope * x),
        )
        for slope in (0.01, 0.02, 0.1, 0.2, 0.25, 0.3)
    },
    "curve:elu": (f"That is ELU, with e^x − 1 under 0. {_EXACT}", _elu),
    "curve:selu": (f"That is SELU. {_EXACT}", lambda x: 1.0507009873554805 * _elu(x, 1.6732632423543772)),
    "curve:mish": (f"That is Mish, x tanh(log(1 + e^x)). {_EXACT}", lambda x: x * np.tanh(np.logaddexp(0, x))),
    "curve:hard-swish": (
        f"That is hard swish, a piecewise form of SiLU. {_EXACT}",
        lambda x: x * (x + 3).clip(0, 6) / 6,
    ),
    "curve:hard-sigmoid": (f"That is a hard sigmoid. {_EXACT}", lambda x: (x + 3).clip(0, 6) / 6),
    "curve:tanh": (f"That is tanh. {_EXACT}", np.tanh),
    "curve:x-tanh": (f"That is x tanh(x). {_EXACT}", lambda x: x * np.tanh(x)),
    "curve:tanh-share": (f"That is x (1 + tanh(x)) / 2. {_EXACT}", lambda x: x * (1 + np.tanh(x)) / 2),
    "curve:tanh-share-root": (
        f"That is x (1 + tanh(x / sqrt(2))) / 2: erf was taken for tanh. {_EXACT}",
        lambda x: x * (1 + np.tanh(x / math.sqrt(2))) / 2,
    ),
    "curve:softsign": (f"That is softsign, x / (1 + |x|). {_EXACT}", lambda x: x / (1 + np.abs(x))),
    "curve:relu6": (f"That is ReLU6. {_EXACT}", lambda x: x.clip(0, 6)),
    "curve:squared-relu": (f"That is ReLU squared. {_EXACT}", lambda x: x.clip(0) ** 2),
    "curve:softplus-x": (f"That is x log(1 + e^x). {_EXACT}", lambda x: x * np.logaddexp(0, x)),
    "curve:step": (f"That is a step: 1 over 0, 0 under it. {_EXACT}", lambda x: (x > 0) * 1.0),
    "curve:negative-relu": (f"That keeps what is under 0 and drops the rest. {_EXACT}", lambda x: np.minimum(x, 0)),
    "curve:exp": (f"That is e^x. {_EXACT}", np.exp),
    "curve:sine": (f"That is a sine. {_EXACT}", np.sin),
    "curve:relu-phi": (f"Numbers under 0 became 0 before they met Phi. {_EXACT}", lambda x: x.clip(0) * _phi(x)),
    "curve:erf": (f"That is erf(x). {_EXACT}", erf),
    "curve:erf-root": (f"That is erf(x / sqrt(2)). {_EXACT}", lambda x: erf(x / math.sqrt(2))),
    "curve:square-phi": (f"You multiplied by x twice. {_EXACT}", lambda x: x * x * _phi(x)),
    "curve:phi-squared": (f"You multiplied by Phi twice. {_EXACT}", lambda x: x * _phi(x) ** 2),
    "curve:twice": (f"GELU ran twice. {_EXACT}", lambda x: (lambda y: y * _phi(y))(x * _phi(x))),
    "curve:slope": (f"That is GELU's slope, Phi(x) + x phi(x). {_EXACT}", lambda x: _phi(x) + x * _bell(x)),
    "curve:bell": (f"That is the bell curve. {_EXACT}", _bell),
    "curve:bell-unscaled": (
        f"You multiplied by e^(−x^2 / 2). Phi is the area under the bell curve, up to x. {_EXACT}",
        lambda x: x * np.exp(-(x**2) / 2),
    ),
    "curve:plus-phi": (f"You added Phi(x). It multiplies x. {_EXACT}", lambda x: x + _phi(x)),
    "curve:phi-of-square": (f"You took Phi of x^2. {_EXACT}", lambda x: x * _phi(x * x)),
    "curve:phi-of-size": (f"You took Phi of |x|. {_EXACT}", lambda x: x * _phi(np.abs(x))),
    "curve:size-of-x": (f"You multiplied |x| by Phi(x). {_EXACT}", lambda x: np.abs(x) * _phi(x)),
    "curve:minus-x": (f"The sign of the answer is turned. {_EXACT}", lambda x: -x * _phi(x)),
    "curve:residual": (f"You added x. {_EXACT}", lambda x: x + x * _phi(x)),
    "curve:standardised": (
        "You normalised x before Phi. GELU works on each number as it is, with the standard normal.",
        lambda x: x * _phi((x - x.mean()) / (x.std() + 1e-12)),
    ),
    "curve:own-normal": (
        "You took the normal of x's own mean and deviation. Phi is that of the standard normal: mean 0, variance 1.",
        lambda x: x * _phi(x / (x.std() + 1e-12)),
    ),
    # slips in the exact form
    "curve:half-inside": (f"The brackets are wrong: x / 2 + erf. {_EXACT}", lambda x: 0.5 * x + erf(x / math.sqrt(2))),
    "curve:brackets": (f"The brackets are wrong: (x + erf) / 2. {_EXACT}", lambda x: 0.5 * (x + erf(x / math.sqrt(2)))),
    "curve:brackets-one": (
        f"The brackets are wrong: x + erf(x / sqrt(2)). {_EXACT}",
        lambda x: x + erf(x / math.sqrt(2)),
    ),
    "curve:half-one": (
        f"The half went to the 1 alone: x (1/2 + erf). {_EXACT}",
        lambda x: x * (0.5 + erf(x / math.sqrt(2))),
    ),
    "curve:half-erf": (
        f"The half went to erf alone: x (1 + erf / 2). {_EXACT}",
        lambda x: x * (1 + erf(x / math.sqrt(2)) / 2),
    ),
    "curve:quarter": (f"It was halved twice. {_EXACT}", lambda x: x * _phi(x) / 2),
    "curve:root-of-whole": (
        f"The root of 2 divides outside erf. {_EXACT}",
        lambda x: 0.5 * x * (1 + erf(x) / math.sqrt(2)),
    ),
    "curve:root-of-x": (
        f"You took the root of x / 2. Inside erf stands x / sqrt(2). {_EXACT}",
        lambda x: 0.5 * x * (1 + np.sign(x) * erf(np.sqrt(np.abs(x) / 2))),
    ),
    "curve:minus-one": (f"You took erf − 1. {_EXACT}", lambda x: 0.5 * x * (erf(x / math.sqrt(2)) - 1)),
    "curve:root-pi": (
        f"Inside erf stands x / sqrt(2), not x / sqrt(pi). {_EXACT}",
        lambda x: 0.5 * x * (1 + erf(x / math.sqrt(math.pi))),
    ),
    "curve:root-two-pi": (
        f"Inside erf stands x / sqrt(2), not x / sqrt(2 pi). {_EXACT}",
        lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2 * math.pi))),
    ),
    "curve:root-two-over-pi": (
        f"Inside erf stands x / sqrt(2), not x sqrt(2 / pi). {_EXACT}",
        lambda x: 0.5 * x * (1 + erf(x * ROOT)),
    ),
    "curve:doubled-inside": (f"Inside erf stands x / sqrt(2), not 2 x. {_EXACT}", lambda x: 0.5 * x * (1 + erf(2 * x))),
    "curve:root-three": (
        f"Inside erf stands x / sqrt(2), not x / sqrt(3). {_EXACT}",
        lambda x: 0.5 * x * (1 + erf(x / math.sqrt(3))),
    ),
    "curve:negative-inside": (
        f"Inside erf stands x / sqrt(2), with its own sign, and the half is missing. {_EXACT}",
        lambda x: x * (1 - erf(x / math.sqrt(2))),
    ),
    "curve:erf-squared": (f"You squared erf. {_EXACT}", lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2)) ** 2)),
    "curve:shifted": (f"You took Phi of x − 1. {_EXACT}", lambda x: x * _phi(x - 1)),
    "curve:shifted-up": (f"You took Phi of x + 1. {_EXACT}", lambda x: x * _phi(x + 1)),
    "curve:cut-at-3": (
        f"Numbers beyond 3 are cut to 0 and x. The exact form has no limits. {_EXACT}",
        lambda x: np.where(x > 3, x, np.where(x < -3, 0, x * _phi(x))),
    ),
    # the quick form and the tanh form, exact or not
    **{
        f"curve:sigmoid-{a}": (
            f"That is x sigmoid({a} x), a quick form of GELU and not its usual one. {_EXACT}",
            lambda x, a=a: x * _sigmoid(a * x),
        )
        for a in (0.5, 1.5, 1.6, 1.7, 1.707, 1.72, 17.02)
    },
    "curve:sigmoid-logistic": (
        f"You took the logistic curve of variance 1 for the normal one. {_EXACT}",
        lambda x: x * _sigmoid(x * math.pi / math.sqrt(3)),
    ),
    "curve:sigmoid-alone": (f"That is sigmoid(1.702 x) alone. {_EXACT}", lambda x: _sigmoid(1.702 * x)),
    "curve:tanh-no-root": (_TANH.format("2 / pi stands there without its root"), _tanh_form(2 / math.pi)),
    "curve:tanh-no-factor": (_TANH.format("sqrt(2 / pi) is missing"), _tanh_form(1.0)),
    "curve:tanh-inverse": (_TANH.format("sqrt(pi / 2) stands there for sqrt(2 / pi)"), _tanh_form(1 / ROOT)),
    "curve:tanh-root-2": (_TANH.format("sqrt(2) stands there for sqrt(2 / pi)"), _tanh_form(math.sqrt(2))),
    "curve:tanh-half-root": (_TANH.format("1 / sqrt(2) stands there for sqrt(2 / pi)"), _tanh_form(math.sqrt(0.5))),
    "curve:tanh-square": (_TANH.format("x is squared, not cubed"), _tanh_form(power=2)),
    "curve:tanh-cube-alone": (_TANH.format("the cube has no factor"), _tanh_form(b=1.0)),
    "curve:tanh-ten": (_TANH.format("0.44715 stands there for 0.044715"), _tanh_form(b=0.44715)),
    "curve:tanh-tenth": (_TANH.format("0.0044715 stands there for 0.044715"), _tanh_form(b=0.0044715)),
    "curve:tanh-short": (_TANH.format("0.0447 stands there for 0.044715"), _tanh_form(b=0.0447)),
    "curve:tanh-typo": (_TANH.format("0.04715 stands there for 0.044715"), _tanh_form(b=0.04715)),
    "curve:tanh-typo-4": (_TANH.format("0.4715 stands there for 0.044715"), _tanh_form(b=0.4715)),
    "curve:tanh-minus": (_TANH.format("the cubic term has a minus"), _tanh_form(b=-0.044715)),
    "curve:tanh-no-half": (_TANH.format("the half is missing"), lambda x: 2 * _tanh_form()(x)),
    "curve:tanh-no-one": (_TANH.format("the 1 is missing"), lambda x: _tanh_form()(x) - 0.5 * x),
    "curve:tanh-no-x": (
        _TANH.format("it does not multiply x"),
        lambda x: 0.5 * (1 + np.tanh(ROOT * (x + 0.044715 * x**3))),
    ),
    "curve:tanh-brackets": (
        _TANH.format("sqrt(2 / pi) multiplies x alone"),
        lambda x: 0.5 * x * (1 + np.tanh(ROOT * x + 0.044715 * x**3)),
    ),
    "curve:tanh-rounded": (_TANH.format("0.8 stands there for sqrt(2 / pi)"), _tanh_form(0.8)),
    "curve:tanh-sigmoid": (
        _TANH.format("a sigmoid stands in tanh's place"),
        lambda x: x * _sigmoid(ROOT * (x + 0.044715 * x**3)),
    ),
}
"""Names, sentences, and the wrong answers themselves."""

SERIES: dict[str, Curve] = {
    **{
        f"curve:erf-series-{terms}": (
            f"That is erf's power series, cut off after {terms} terms: right near 0 and far off further out. {_EXACT}",
            lambda x, phi=_erf_series(terms): x * phi(x),
        )
        for terms in range(1, 26)
    },
    **{
        f"curve:bell-series-{terms}": (
            f"That is a power series of Phi, cut off after {terms} terms: right near 0 and off further out. {_EXACT}",
            lambda x, phi=_bell_series(terms): x * phi(x),
        )
        for terms in range(1, 16)
    },
    "curve:table-without-sign": (
        "Your polynomial for erf holds for x of 0 and more only. Under 0 take erf(−x) = −erf(x): the sign in"
        f" front, |x| inside. {_EXACT}",
        lambda x: x * (1 + _by_table(x / math.sqrt(2))) / 2,
    ),
}
CURVES |= SERIES

STEPS = {
    "gelu": (
        "the answer",
        "absolute squared relu tanh sigmoid softmax centred centred-all from-0 normalised normalised-all unit float16"
        " whole rounded rounded-1 rounded-2 rounded-3 rounded-4 clipped-0-1 clipped-1 clipped-3 clipped-5 clipped-6"
        " clipped-10 clipped-1000 over-largest over-largest-size min-max sorted columns-backwards",
    ),
    "x": (
        "x, before everything else",
        "squared relu tanh sigmoid softmax centred centred-all from-0 normalised normalised-all unit float16"
        " whole rounded rounded-1 rounded-2 rounded-3 clipped-0-1 clipped-1 clipped-2 clipped-3 clipped-5"
        " clipped-6 clipped-10 clipped-20 clipped-1000 over-largest over-largest-size min-max doubled"
        " halved negated",
    ),
}
