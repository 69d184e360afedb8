"""Whatever a function returns or raises, a check answers in a sentence, and passes the right answer alone."""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import threading
import types
import warnings

import numpy as np
import pytest
import torch

from widgets.lesson import check, checking, exercises, progress
from widgets.lesson.plain_values import Foreign, plain

from .test_checking import by_loops

SHAPE = (6, 8)  # of the right answer to the first case of patchify


class Hostile:
    """Raises whatever is done with it."""

    __hash__ = object.__hash__

    def _no(self, *args, **more):
        raise GeneratorExit("leave me alone")

    __eq__ = __ne__ = __bool__ = __len__ = __iter__ = __array__ = __repr__ = __str__ = __copy__ = __deepcopy__ = _no
    __reduce_ex__ = __float__ = __index__ = __getitem__ = __neg__ = __lt__ = __format__ = _no


class HostileArray(np.ndarray):
    __array_ufunc__ = __array_function__ = None

    def __eq__(self, other):
        raise SystemExit

    def __copy__(self):
        raise SystemExit


class HostileDict(dict):
    def items(self):
        raise KeyboardInterrupt

    keys = values = __iter__ = __getitem__ = __eq__ = items


class HostileTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *args, **more):
        raise GeneratorExit


class Error(BaseException):
    def __str__(self):
        raise SystemExit

    __repr__ = __str__


def generator(image, P):
    yield image


async def coroutine(image, P):
    return by_loops(image, P)


def hostile_in_an_array(image, P):
    rows = np.empty(1, dtype=object)
    rows[0] = Hostile()
    return rows


def itself(image, P):
    rows: list = []
    rows.append(rows)
    return rows


ODD = {
    "generator": lambda image, P: (row for row in by_loops(image, P)),
    "yields": generator,
    "async": coroutine,
    "dict.values": lambda image, P: {0: image}.values(),
    "dict.items": lambda image, P: {0: image}.items(),
    "map": lambda image, P: map(float, [1]),
    "set": lambda image, P: {1, 2},
    "range": lambda image, P: range(48),
    "module": lambda image, P: np,
    "class": lambda image, P: Hostile,
    "function": lambda image, P: by_loops,
    "method": lambda image, P: image.reshape,
    "file": lambda image, P: open(__file__),
    "lock": lambda image, P: threading.Lock(),
    "thread": lambda image, P: threading.current_thread(),
    "hostile": lambda image, P: Hostile(),
    "hostile in a list": lambda image, P: [Hostile()],
    "hostile key": lambda image, P: {Hostile(): Hostile()},
    "hostile dict": lambda image, P: HostileDict(a=1),
    "hostile in an array": hostile_in_an_array,
    "hostile tensor": lambda image, P: torch.zeros(SHAPE).as_subclass(HostileTensor),
    "sparse": lambda image, P: torch.eye(8).to_sparse(),
    "sparse csr": lambda image, P: torch.eye(8).to_sparse_csr(),
    "quantised": lambda image, P: torch.quantize_per_tensor(torch.zeros(SHAPE), 0.1, 0, torch.qint8),
    "meta": lambda image, P: torch.empty(SHAPE, device="meta"),
    "complex": lambda image, P: np.zeros(SHAPE, complex),
    "half complex": lambda image, P: torch.zeros(SHAPE, dtype=torch.complex32),
    "bool": lambda image, P: True,
    "masked": lambda image, P: np.ma.masked_equal(by_loops(image, P), 3),
    "nan": lambda image, P: np.full(SHAPE, np.nan),
    "ragged": lambda image, P: np.array([[1], [1, 2]], dtype=object),
    "itself": itself,
    "dates": lambda image, P: np.zeros(SHAPE, "datetime64[s]"),
    "records": lambda image, P: np.zeros(6, "i4,f8"),
    "huge": lambda image, P: np.broadcast_to(0.0, (10**6, 10**6)),
    "text": lambda image, P: "rows" * 10**6,
    "huge tensor": lambda image, P: torch.zeros(1).expand(10**6, 10**6),
    "huge int": lambda image, P: 10**6000,
    "list of huge ints": lambda image, P: [10**6000],
    "enum": lambda image, P: enum.Enum("E", "a").a,
    "bfloat16": lambda image, P: torch.zeros(SHAPE, dtype=torch.bfloat16),
    "bytes": lambda image, P: b"rows",
    "dataclass": lambda image, P: dataclasses.make_dataclass("D", ["a"])(Hostile()),
    "module of torch": lambda image, P: torch.nn.Linear(2, 2),
    "empty": lambda image, P: np.zeros((0, 8)),
    "namespace": lambda image, P: types.SimpleNamespace(a=Hostile()),
    "nothing in a list": lambda image, P: [None],
}


@pytest.mark.parametrize("function", ODD.values(), ids=ODD)
def test_an_odd_answer_is_refused_in_a_sentence(function) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a coroutine that nobody awaited would say so
        result = check("patchify", function)
        result._repr_mimebundle_()
    assert not result.passed and result.checked, result.message
    assert "Difference: " in result.message and "Input: " in result.message


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("id", ["gpu_days", "vit_param_count", "vit_macs", "attention", "missing_parameters"])
def test_and_so_where_a_number_a_dict_or_two_arrays_are_expected(id: str, odd: str) -> None:
    result = check(id, lambda *given: ODD[odd](np.arange(48.0).reshape(2, 4, 6), 2))
    assert not result.passed and result.checked and "Difference: " in result.message, result.message


@pytest.mark.parametrize(
    "raised",
    [
        GeneratorExit,
        SystemExit,
        KeyboardInterrupt,
        StopIteration,
        asyncio.CancelledError,
        Error,
        BaseExceptionGroup("two", [SystemExit()]),
        OSError,
        AssertionError,
    ],
)
@pytest.mark.parametrize("from_case", [0, 1, 6])
def test_whatever_is_raised_is_no_success(raised, from_case: int) -> None:
    cases = iter(range(100))

    def leaves(image, P):
        if next(cases) >= from_case:
            raise raised
        return by_loops(image, P)

    result = check("patchify", leaves)
    assert not result.passed and result.checked and "Your function" in result.message
    assert progress.current().read("exercises", "patchify") == {"checks": 1}


def test_what_torch_cannot_do_is_not_called_unsolved() -> None:
    def sparse(image, P):
        return torch.empty(1, device="meta").item() or torch.zeros(2).to_sparse().view(2)

    def unsolved(image, P):
        raise NotImplementedError("later")

    assert "not solved yet" in check("patchify", unsolved).message
    assert "not solved yet" not in check("patchify", sparse).message


RIGHT = {
    "tensor": torch.from_numpy,
    "matrix": np.asmatrix,
    "with grad": lambda rows: torch.from_numpy(rows).requires_grad_(),
    "parameter": lambda rows: torch.nn.Parameter(torch.from_numpy(rows)),
    "unmasked": np.ma.masked_array,
    "a view": lambda rows: np.asfortranarray(rows)[:, :],
    "read only": lambda rows: np.broadcast_to(rows, rows.shape),
    "subclass": lambda rows: rows.view(type("Mine", (np.ndarray,), {})),
    "hostile array": lambda rows: rows.view(HostileArray),
    "negated twice": lambda rows: torch._neg_view(torch.from_numpy(-rows)),
    "long double": lambda rows: rows.astype(np.longdouble),
}


@pytest.mark.parametrize("dress", RIGHT.values(), ids=RIGHT)
def test_the_right_numbers_pass_in_any_dress(dress) -> None:
    result = check("patchify", lambda image, P: dress(np.array(by_loops(image, P), dtype=np.float64)))
    assert result.passed, result.message


NUMBERS = {
    "float64": np.float64,
    "0-d array": np.array,
    "tensor": lambda x: torch.tensor(x, dtype=torch.float64),
    "with grad": lambda x: torch.tensor(x, dtype=torch.float64, requires_grad=True),
}


@pytest.mark.parametrize("dress", NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("id", ["gpu_days", "implied_mfu", "pretraining_exaflops"])
def test_a_right_number_passes_in_any_dress(id: str, dress) -> None:
    found = exercises.find(id)
    assert check(id, lambda *given: dress(found.expected(*given))).passed


@pytest.mark.parametrize(
    "dress, fault, words",
    [
        (np.int64, "numpy-integer", "a NumPy integer, int64."),
        (np.array, "boxed-integer", "in a NumPy array of one number"),
        (torch.tensor, "boxed-integer", "in a tensor of one number"),
        (float, "fraction", "whole number"),
        (np.float64, "fraction", "whole number"),
        (lambda n: torch.tensor(float(n)), "fraction", "whole number"),
    ],
)
def test_a_count_must_be_pythons_and_the_sentence_says_what_came(dress, fault: str, words: str) -> None:
    for id in ("vit_param_count", "max_res_materialized", "vit_macs"):
        expected = exercises.find(id).expected

        def counted(*given, expected=expected):
            found = expected(*given)
            return {k: dress(v) for k, v in found.items()} if isinstance(found, dict) else dress(found)

        result = check(id, counted)
        assert result.faults == (fault,) and words in result.misconception, result.message


@pytest.mark.parametrize("entry", [Hostile(), None, [1], "many", {}])
def test_an_entry_that_is_no_number_is_named_in_the_readers_words(entry) -> None:
    result = check("vit_macs", lambda cfg, res: exercises.find("vit_macs").expected(cfg, res) | {"head": entry})
    assert result.faults == ("wrong-kind",) and "In `head` there must be a number" in result.misconception
    assert "Foreign" not in result.message and "NoneType" not in result.message


def test_a_wrong_count_in_numpys_integers_is_not_called_an_overflow() -> None:
    result = check("vit_param_count", lambda cfg: np.int64(12345))
    assert "numpy-integer" not in result.faults and "a NumPy int64" in result.message


def test_a_wrong_array_for_a_count_is_told_as_an_array() -> None:
    result = check("vit_param_count", lambda cfg: np.ones(3))
    assert result.misconception is None and "a NumPy array where a whole number is expected" in result.message


def test_one_array_filled_again_and_again_is_judged_as_it_was_returned() -> None:
    kept = np.zeros(35)

    def same_array(x):
        rows = kept[: x.size].reshape(x.shape)
        rows[...] = exercises.find("gelu").expected(x)
        return rows

    assert check("gelu", same_array).passed


def test_a_thread_left_over_changes_nothing() -> None:
    ended = threading.Event()

    def starts_one(image, P):
        threading.Thread(target=ended.wait, daemon=True).start()
        return by_loops(image, P)

    assert check("patchify", starts_one).passed
    ended.set()


def test_an_input_replaced_by_something_hostile_is_a_changed_input() -> None:
    def spoils(z, params):
        right = exercises.find("encoder_block").expected(z, params)
        params["h"] = Hostile()
        return right

    result = check("encoder_block", spoils)
    assert result.faults == ("changed-input",) and "`params`" in result.misconception


@pytest.mark.parametrize("part", ["expected", "difference", "first_place", "diagnose", "arguments"])
def test_what_goes_wrong_in_the_course_is_said_as_its_own_and_not_counted(part: str, monkeypatch) -> None:
    def broken(*args, **more):
        raise ZeroDivisionError("of the course")

    found = exercises.find("patchify")
    if part in ("expected", "arguments"):
        changes = (
            {"expected": broken}
            if part == "expected"
            else {"cases": (*found.cases[:-1], dataclasses.replace(found.cases[-1], arguments=broken))}
        )
        monkeypatch.setattr(checking.exercises, "find", lambda id: dataclasses.replace(found, **changes))
    else:
        monkeypatch.setattr(checking, part, broken)
    result = check("patchify", lambda image, P: np.zeros(SHAPE))
    assert not result.passed and not result.checked and result.faults == ()
    assert "The course itself went wrong" in result.message and "ZeroDivisionError: 'of the course'" in result.message
    assert "not yet" not in result.message and "\u2717" not in result.as_html()
    assert progress.current().read("exercises", "patchify") == {}


def test_passed_means_as_many_answers_as_cases(monkeypatch) -> None:
    def one_short(questions, function, run):
        for question in questions.arrays[:-1]:
            run.answers.append(checking.Answer(plain(function(*question.given)), None, plain(question.given)))

    monkeypatch.setattr(checking, "put", one_short)
    cases = len(exercises.find("patchify").cases)
    short = f"{cases - 1} of {cases} cases were run"
    result = check("patchify", by_loops)
    assert not result.passed and not result.checked and short in result.message


def test_plain_values_hold_nothing_of_the_readers() -> None:
    assert isinstance(plain(Hostile()), Foreign) and plain(Hostile()).kind == "a Hostile"
    assert type(plain(np.zeros(2).view(HostileArray))) is np.ndarray
    assert type(plain(torch.nn.Parameter(torch.zeros(2)))) is torch.Tensor
    assert plain(enum.IntEnum("N", {"two": 2}).two) == 2 and type(plain(enum.IntEnum("N", {"two": 2}).two)) is int
    assert plain({"a": (1, [2.0, None])}) == {"a": (1, [2.0, None])}
