"""A right solution that is given, or gives back, slightly other numbers is refused: the cases see every such change."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from widgets.lesson import check, checking, exercises

from .kinds import ARRAYS


def _square_turned(x: np.ndarray) -> np.ndarray:
    return x.swapaxes(-1, -2) if x.ndim > 1 and x.shape[-1] == x.shape[-2] else x


def _unit(x: np.ndarray) -> np.ndarray:
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)


def _largest(x: np.ndarray) -> np.ndarray:
    return x / max(x.max(), 1e-12)


CASES = (
    "the cases do not tell these from what is right: they want numbers of both signs, some over 1,000, and an input and"
    " an answer with equal sides; what is mathematically equal stands in EQUAL"
)

PERTURBATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "shifted to begin at 0": lambda x: x - x.min(),
    "row means off": lambda x: x - x.mean(-1, keepdims=True),
    "absolute": np.abs,
    "doubled": lambda x: x * 2,
    "negated": lambda x: -1 * x.astype(np.float64),
    "over the largest": _largest,
    "one more": lambda x: x + 1.0,
    "square turned": _square_turned,
    "cut off at 0 and 1": lambda x: x.clip(0, 1),
    "cut off at 255": lambda x: x.clip(0, 255),
    "cut off at 1000": lambda x: x.clip(-1e3, 1e3),
    "half precision": lambda x: x.astype(np.float16).astype(np.float64),
    "whole numbers": lambda x: x.astype(np.int64).astype(np.float64),
    "sorted": lambda x: np.sort(x, axis=-1),
    "rows backwards": lambda x: x[::-1] if len(x) > 1 else x,
    "length 1": _unit,
    "not a number is 0": lambda x: np.where(np.abs(x) > 1e3, 0, x),
}

EQUAL = {
    (
        "attention",
        "k",
        "one more",
    ): "a number added to all of k adds the same to all scores of a query: softmax drops it",
    ("attention", "k", "shifted to begin at 0"): "the same: one number is taken off all of k",
    ("multi_head_attention", "W_qkv", "square turned"): "(D, 3D) is never square",
    ("encoder_block", "params.W_qkv", "square turned"): "(d, 3d) is never square",
    ("layer_norm", "x", "shifted to begin at 0"): "a norm takes each row's mean off",
    ("layer_norm", "x", "row means off"): "a norm takes each row's mean off",
    ("layer_norm", "x", "one more"): "a norm takes each row's mean off",
}
"""All perturbations that leave the answer what it is, and why."""


def _names(id: str) -> list[str]:
    signature = exercises.find(id).signature
    return [name.strip() for name in signature[signature.index("(") + 1 : signature.rindex(")")].split(",")]


def _arrays(id: str) -> list[str]:
    """Arguments that are arrays, entries of a dict as `params.W_1`."""
    found = []
    for name, value in zip(_names(id), exercises.find(id).cases[0].arguments(), strict=True):
        if isinstance(value, dict):
            found += [f"{name}.{key}" for key, entry in value.items() if isinstance(entry, np.ndarray)]
        elif isinstance(value, np.ndarray):
            found.append(name)
    return found


def _places(id: str, arguments: tuple) -> dict[str, tuple[Any, Any]]:
    """Where each array stands: the container and the key in it."""
    places: dict[str, tuple[Any, Any]] = {}
    for i, (name, value) in enumerate(zip(_names(id), arguments, strict=True)):
        if isinstance(value, dict):
            places |= {f"{name}.{key}": (value, key) for key in value}
        else:
            places[name] = (arguments, i)
    return places


def _given(id: str, change: Callable[[dict[str, tuple[Any, Any]]], None]) -> Callable[..., Any]:
    """The right function, on arguments that `change` has had in its hands."""

    def solved(arguments: tuple) -> Any:
        own = [copy.copy(value) for value in arguments]
        change(_places(id, own))
        return exercises.find(id).expected(*own)

    scope: dict[str, Any] = {"solved": solved}
    names = ", ".join(_names(id))
    exec(f"def function({names}):\n    return solved(({names}{',' if ',' not in names else ''}))", scope)
    return scope["function"]


def _one(place: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[dict[str, tuple[Any, Any]]], None]:
    def change_one(places: dict[str, tuple[Any, Any]]) -> None:
        container, key = places[place]
        container[key] = change(container[key])

    return change_one


def _is_a_vector(id: str, name: str, how: str) -> bool:
    """Whether the turn of a square has nothing to turn, because this argument has one axis in every case."""
    places = [_places(id, list(case.arguments()))[name] for case in exercises.find(id).cases]
    return how == "square turned" and all(container[key].ndim == 1 for container, key in places)


@pytest.fixture(autouse=True)
def unexplained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        checking, "diagnose", lambda *_: None
    )  # whether it is refused is asked here, not how it is called


@pytest.mark.parametrize("id", ARRAYS)
def test_an_input_with_other_numbers_is_noticed(id: str) -> None:
    passed = {
        (id, name, how)
        for name in _arrays(id)
        for how, change in PERTURBATIONS.items()
        if not _is_a_vector(id, name, how) and check(id, _given(id, _one(name, change))).passed
    }
    assert passed == {key for key in EQUAL if key[0] == id}, CASES


@pytest.mark.parametrize("id", ARRAYS)
def test_an_answer_with_other_numbers_is_noticed(id: str) -> None:
    right, passed = _given(id, lambda places: None), []
    parts = len(exercises.find(id).returns) or 1
    for how, change in PERTURBATIONS.items():
        for part in range(parts):

            def function(*arguments: Any, change: Any = change, part: int = part) -> Any:
                answer = right(*arguments)
                if parts == 1:
                    return change(answer)
                return tuple(change(a) if i == part else a for i, a in enumerate(answer))

            if check(id, function).passed:
                passed.append((part, how))
    assert passed == ([(1, how) for how in WEIGHTS_KEPT] if id == "attention" else []), CASES


WEIGHTS_KEPT = ("absolute", "cut off at 0 and 1", "cut off at 255", "cut off at 1000", "not a number is 0")
"""What leaves weights between 0 and 1 as they are."""


def _pairs(id: str) -> list[tuple[str, str]]:
    """Pairs of arrays that are of one shape in some case."""
    names, found = _arrays(id), []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            for case in exercises.find(id).cases:
                places = _places(id, list(case.arguments()))
                one, other = (places[name][0][places[name][1]] for name in (first, second))
                if one.shape == other.shape:
                    found.append((first, second))
                    break
    return found


@pytest.mark.parametrize("id", ARRAYS)
def test_equal_sizes_changing_places_are_noticed(id: str) -> None:
    passed: list[tuple[str, str]] = []
    for first, second in _pairs(id):

        def swap(places: dict[str, tuple[Any, Any]], first: str = first, second: str = second) -> None:
            (one, a), (other, b) = places[first], places[second]
            if one[a].shape == other[b].shape:
                one[a], other[b] = other[b], one[a]

        if check(id, _given(id, swap)).passed:
            passed.append((first, second))
    assert passed == []
