"""A check answers whatever a reader's function does, in a sentence, and never hangs."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from widgets.lesson import check, exercises, hint, progress, reset, solution
from widgets.lesson.comparison import difference

ROOT = Path(__file__).resolve().parents[2]


def by_loops(image, P):
    """Cut with four loops: written without any axis being moved."""
    C, H, W = image.shape
    rows = []
    for top in range(0, H, P):
        for left in range(0, W, P):
            rows.append([image[c, top + u, left + v] for c in range(C) for u in range(P) for v in range(P)])
    return np.array(rows)


def test_a_right_function_passes_and_is_kept() -> None:
    result = check("patchify", by_loops)
    assert result.passed and bool(result) and "passed" in result.message and result.misconception is None
    assert progress.current().read("exercises", "patchify")["passed"]


def test_torch_functions_are_given_tensors() -> None:
    def with_torch(image, P):
        return image.unfold(1, P, P).unfold(2, P, P).permute(1, 2, 0, 3, 4).flatten(0, 1).flatten(1)

    assert check("patchify", with_torch).passed


def test_view_on_a_tensor_is_named() -> None:
    result = check("patchify", lambda image, P: image.view(-1, image.shape[0] * P * P))
    assert result.faults == ("reshaped",) and "reshaped the picture instead of cutting" in result.misconception


def test_two_mistakes_at_once_are_both_named() -> None:
    def both(image, P):
        rows = by_loops(image.transpose(0, 2, 1), P)  # the grid and every patch on their side
        return rows

    result = check("patchify", both)
    assert set(result.faults) == {"columns-first", "patch-transposed"}
    assert result.misconception.startswith("Two things at once.")


def test_message_shows_input_expected_and_what_came() -> None:
    message = check("patchify", lambda image, P: image.reshape(-1, image.shape[0] * P * P)).message
    assert "2 channels, 4 x 6 px" in message
    assert "0 1 6 7 24 25 30 31" in message and "0 1 2 3 4 5 6 7" in message
    assert "[0, 2]: 2 where 6 is expected" in message


def test_an_exception_is_told_with_its_line() -> None:
    def broken(image, P):
        side = 1
        return image.missing(side)

    result = check("patchify", broken)
    assert not result.passed and "AttributeError in its line 3" in result.message


@pytest.mark.parametrize("raised", [SystemExit, KeyboardInterrupt, MemoryError])
def test_what_ends_a_program_does_not_end_the_check(raised: type[BaseException]) -> None:
    def leaves(image, P):
        raise raised

    assert not check("patchify", leaves).passed


def test_endless_recursion_is_a_sentence() -> None:
    def again(image, P):
        return again(image, P)

    assert "calls itself without end" in check("patchify", again).message


def test_a_tuple_is_never_compared_by_fewer_names_than_it_has_parts() -> None:
    assert difference((1, 2), (1, 2), 0.0, ("a", "b")) is None
    assert difference((1, 2), (1, 3), 0.0, ("a", "b")).startswith("in `b`")
    for names in ((), ("a",)):
        with pytest.raises(ValueError, match="zip"):
            difference((1, 2), (1, 3), 0.0, names)


def test_endless_loop_is_stopped_even_if_it_swallows_everything() -> None:
    laps = [0]

    def endless(image, P):
        while True:
            try:
                laps[0] += 1
            except:  # noqa: E722  a reader's bare except swallows whatever stops the loop
                pass

    started = time.monotonic()
    result = check("patchify", endless, seconds=0.5)
    assert time.monotonic() - started < 3
    assert "had not ended after 0.5 s" in result.message and result.faults == ("endless",)
    stopped = laps[0]
    time.sleep(0.2)
    assert laps[0] == stopped, "the loop still runs"


def test_a_torch_function_that_loops_is_called_endless_too() -> None:
    def endless(image, P):
        image.permute(0, 1, 2)
        while True:
            pass

    assert check("patchify", endless, seconds=0.5).faults == ("endless",)


def test_a_loop_in_one_check_does_not_stop_another_thread() -> None:
    def endless(image, P):
        while True:
            pass

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(check, "patchify", endless, 1.0)
        quick = pool.submit(check, "patchify", by_loops)
        assert quick.result(timeout=5).passed and not slow.result(timeout=5).passed


def test_changing_the_input_is_refused_though_the_answer_is_right() -> None:
    def greedy(image, P):
        rows = by_loops(image, P)
        image[:] = 0
        return rows

    result = check("patchify", greedy)
    assert not result.passed and result.faults == ("changed-input",) and "`image`" in result.misconception


@pytest.mark.parametrize(
    "returned, words",
    [
        ([[1, 2]], "a list where an array"),
        ("rows", "a str where an array"),
        (3, "an int where an array"),
        (np.array([["a"]]), "<U1 where plain numbers"),
        (np.zeros((6, 7)), "(6, 7) where (6, 8)"),
        (np.full((6, 8), np.nan), "nan where"),
        (torch.zeros(6, 8), "numbers differ"),
        ({}, "a dict where an array"),
    ],
)
def test_a_wrong_kind_of_answer_is_a_sentence(returned: object, words: str) -> None:
    result = check("patchify", lambda image, P: returned)
    assert not result.passed and words in result.message


@pytest.mark.parametrize("function", [lambda image: image, lambda: 0, lambda image, P, more: image])
def test_a_wrong_number_of_arguments_names_the_signature(function: object) -> None:
    assert "def patchify(image, P):" in check("patchify", function).message


@pytest.mark.parametrize("function", [None, 3, np.zeros((2, 2))])
def test_something_that_is_no_function(function: object) -> None:
    assert "no brackets after its name" in check("patchify", function).message


def test_unsolved_is_one_line_that_a_notebook_compares() -> None:
    def unwritten(image, P):
        raise NotImplementedError

    for function in (unwritten, lambda image, P: None, lambda image, P: ...):
        result = check("patchify", function)
        assert not result.passed and "\n" not in result.message and "not solved yet" in result.message
        assert list(result._repr_mimebundle_()) == ["text/plain"]


def test_a_result_is_a_box_in_a_notebook_and_hostile_text_stays_text() -> None:
    def hostile(image, P):
        raise ValueError("<script>alert(1)</script>")

    bundle = check("patchify", hostile)._repr_mimebundle_()
    assert "<script>" not in bundle["text/html"] and "&lt;script&gt;" in bundle["text/html"]
    assert "<script>" in bundle["text/plain"]


def test_unknown_exercise_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="patchify"):
        check("patchfy", by_loops)


def test_hints_come_one_by_one_and_the_last_stays() -> None:
    texts = [repr(hint("patchify")) for _ in range(4)]
    assert [t[:13] for t in texts] == ["Hint 1 of 3. ", "Hint 2 of 3. ", "Hint 3 of 3. ", "Hint 3 of 3. "]
    assert len(set(texts)) == 3


def test_solution_at_the_second_call_only_and_reset() -> None:
    first, second, third = (repr(solution("patchify")) for _ in range(3))
    assert "again" in first and "\n" not in first and "reshape" not in first
    assert "def patchify" in second and third == second
    reset("patchify")
    assert repr(solution("patchify")) == first
    assert repr(hint("patchify")).startswith("Hint 1")


@pytest.mark.parametrize("id", exercises.names())
def test_exercise_is_complete(id: str) -> None:
    found = exercises.find(id)
    assert found.id == id and found.signature.startswith(f"def {id}(")
    assert len(set(found.hints)) == 3 and all(len(h) > 40 for h in found.hints), "three hints of a sentence or more"
    assert 1 <= found.difficulty <= 5 and 1 <= found.importance <= 5 and found.minutes > 0
    assert found.text and found.purpose and found.commentary
    names = [m.name for m in found.misconceptions]
    assert len(set(names)) == len(names) >= 6, "six misconceptions or more, each with a name of its own"


@pytest.mark.parametrize("id", exercises.names())
def test_worked_solution_passes(id: str) -> None:
    namespace: dict = {}
    exec(exercises.find(id).solution, namespace)
    result = check(id, namespace[id])
    assert result.passed, result.message


@pytest.mark.parametrize(
    "id, name",
    [
        (id, m.name)
        for id in exercises.names()
        for m in exercises.find(id).misconceptions
        if m.sign is None and not m.alone
    ],
)
def test_every_misconception_differs_from_the_right_answer_and_is_told_from_the_others(id: str, name: str) -> None:
    found = exercises.find(id)
    result = check(id, lambda *arguments: found.faulty(*arguments, faults=frozenset([name])))
    assert not result.passed, (
        f"`faulty` makes no mistake called {name!r}, or the cases do not tell it from what is right"
    )
    assert result.faults == (name,), result.message


def test_check_loads_neither_pages_nor_their_machinery() -> None:
    code = (
        "import sys; from widgets import check; check('patchify', lambda image, P: image);"
        "print([m for m in ('widgets.page', 'widgets.parts', 'widgets.kit.widget', 'playwright') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
