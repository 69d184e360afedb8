"""The clock of a check runs for the reader's function alone, and whatever that does, it is stopped."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from widgets.lesson import check, checking, exercises, time_limit
from widgets.lesson.time_limit import run_within

from .test_checking import by_loops

ROOT = Path(__file__).resolve().parents[2]
SLOW = '''
import sys, time

class Slow:
    """Lets whoever imports torch for the first time wait three seconds."""
    def find_spec(self, name, path=None, target=None):
        if name == "torch" and not waited:
            waited.append(name)
            time.sleep(3)

waited = []
sys.meta_path.insert(0, Slow())
'''


def in_a_fresh_kernel(code: str) -> str:
    code = SLOW + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_courses_own_imports_are_not_on_the_clock() -> None:
    said = in_a_fresh_kernel("""
        import math
        import numpy as np
        from widgets import check
        def gelu(x):
            return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
        print(check("gelu", gelu, seconds=1.5).passed, waited, "torch" in sys.modules)
        print(check("gelu", lambda x: np.maximum(x, 0), seconds=1.5).faults)
    """)
    assert said.splitlines() == ["True ['torch'] True", "('relu',)"]


def test_nor_is_what_the_function_imports_which_would_be_left_half_imported() -> None:
    said = in_a_fresh_kernel("""
        from widgets import check
        from widgets.lesson import exercises
        def count(cfg):
            import torch
            return torch.zeros(1).numel() * exercises.find("vit_param_count").expected(cfg)
        print(check("vit_param_count", count, seconds=1.5).passed, waited)
        import torch
        print(torch.ones(2).sum().item())
    """)
    assert said.splitlines() == ["True ['torch']", "2.0"]


def test_an_endless_import_is_stopped_too(monkeypatch, tmp_path) -> None:
    (tmp_path / "never_imported.py").write_text("while True:\n    pass\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(time_limit, "IMPORTS_FOR", 0.5)
    assert run_within(0.2, lambda: __import__("never_imported")) is False
    assert not [t for t in threading.enumerate() if t.name == "reader's function"]


@pytest.mark.parametrize("slow", ["expected", "arguments", "faulty"])
def test_the_clock_runs_for_the_readers_function_alone(slow: str, monkeypatch) -> None:
    found = exercises.find("patchify")

    def slowly(function):
        def later(*args, **more):
            time.sleep(0.1)  # of a dozen calls: more than the reader's function has
            return function(*args, **more)

        return later

    if slow == "arguments":
        changed = {"cases": tuple(dataclasses.replace(c, arguments=slowly(c.arguments)) for c in found.cases)}
    else:
        changed = {slow: slowly(getattr(found, slow))}
    if slow != "expected":  # each of them is asked on every case
        changed["misconceptions"] = found.misconceptions[:2]
    monkeypatch.setattr(checking.exercises, "find", lambda id: dataclasses.replace(found, **changed))
    assert check("patchify", by_loops, seconds=0.3).passed
    assert check("patchify", lambda image, P: image, seconds=0.3).faults != ("endless",)


def test_time_is_that_of_all_cases_together() -> None:
    def slow(image, P):
        time.sleep(0.2)
        return by_loops(image, P)

    assert check("patchify", slow, seconds=0.5).faults == ("endless",)
    assert check("patchify", slow, seconds=20).passed


def swallows() -> None:
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def swallows_and_tidies_up() -> None:
    while True:
        try:
            while True:
                try:
                    sum(i for i in range(1000))
                finally:
                    pass
        except:  # noqa: E722  a reader's bare except swallows whatever stops the loop
            pass


def swallows_again_and_again() -> None:
    try:
        while True:
            [i for i in range(100)]
    except BaseException:
        swallows_again_and_again()


@pytest.mark.parametrize("work", [swallows, swallows_and_tidies_up, swallows_again_and_again])
def test_a_function_that_catches_everything_is_stopped(work) -> None:
    started = time.monotonic()
    assert run_within(0.2, work) is False
    assert not [t for t in threading.enumerate() if t.name == "reader's function"], "it still runs"
    assert time.monotonic() - started < 0.2 + time_limit.STOP_FOR + 5


def test_a_right_answer_after_the_time_is_none() -> None:
    def late(image, P):
        try:
            while True:
                pass
        except BaseException:
            return by_loops(image, P)

    assert check("patchify", late, seconds=0.3).faults == ("endless",)


def test_the_thread_is_not_traced_before_its_time_is_up() -> None:
    traces: list = []
    assert run_within(5, lambda: traces.append(sys.gettrace()))
    assert traces == [threading.gettrace()]


@pytest.mark.parametrize("id", exercises.names())
@pytest.mark.parametrize("default", ["float64", "meta", "both"])
def test_a_default_of_the_readers_does_not_reach_the_courses_numbers(id: str, default: str) -> None:
    found, namespace = exercises.find(id), {}
    exec(found.solution, namespace)
    kept = torch.get_default_dtype()
    try:
        if default != "meta":
            torch.set_default_dtype(torch.float64)
        if default != "float64":
            torch.set_default_device("meta")
        result = check(id, namespace[id])
        first = next(m for m in found.misconceptions if m.sign is None)
        wrong = check(id, lambda *given: in_own(found, given, first.name))
        set_still = torch.get_default_dtype(), torch.empty(1).device.type
    finally:
        torch.set_default_device(None)
        torch.set_default_dtype(kept)
    assert result.passed, result.message
    assert wrong.faults == (first.name,), wrong.message
    assert (
        set_still
        == {"float64": (torch.float64, "cpu"), "meta": (torch.float32, "meta"), "both": (torch.float64, "meta")}[
            default
        ]
    )


def in_own(found, given, name):
    with torch.device("cpu"):
        return found.faulty(*given, faults=frozenset([name]))


def test_numpys_errors_and_inference_mode_do_not_reach_them_either() -> None:
    with np.errstate(all="raise"), torch.inference_mode():
        assert check("gelu", lambda x: np.maximum(x, 0)).faults == ("relu",)
        assert check("attention", lambda q, k, v: exercises.find("attention").expected(q, k, v)).passed
