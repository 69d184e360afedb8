"""Mistakes in the counting exercises that no misconception lists are refused and named by what they changed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from widgets.lesson import check, exercises
from widgets.lesson.building_blocks import forward_macs

from .test_counting_cases import COUNTING, every, solved

SIDES = 10**5  # far above every side that a search finds


def quantities(cfg: dict[str, Any], res: int | None = None, **more: Any) -> dict[str, Any]:
    """What a reader writes down first, by its letter."""
    N = ((res or cfg["img"]) // cfg["P"]) ** 2
    c, R = int(cfg["cls_token"]), cfg["n_registers"]
    return dict(
        d=cfg["d"],
        L=cfg["L"],
        h=cfg["h"],
        f=cfg["d_ff"],
        K=cfg["n_classes"],
        P=cfg["P"],
        C=cfg["C"],
        R=R,
        c=c,
        N=N,
        T=N + c + R,
        img=cfg["img"],
        gap=cfg["pool"] == "gap",
        **more,
    )


ENDS = "P*P*C*d + d + c*d + R*d + (N+c)*d + 2*d + d*K + K"
BLOCK = "(4*d*d + 4*d + 2*d*f + f + d + 4*d)"


def parameters(written: str) -> Callable[..., Any]:
    """A count of parameters; "all" in it stands for the right one."""
    return lambda cfg: eval(written.replace("all", f"({ENDS} + L*{BLOCK})"), {}, quantities(cfg))


def costs(**written: str) -> Callable[..., Any]:
    """A dict of costs with some entries written otherwise."""
    right = {"patch": "N*P*P*C*d", "linear": "L*T*(4*d*d + 2*d*f)", "attention": "2*L*T*T*d", "head": "d*K"}

    def function(cfg: dict[str, Any], res: int) -> dict[str, Any]:
        found = {key: eval(written.get(key, right[key]), {}, quantities(cfg, res)) for key in right}
        return found | {"total": eval(written.get("total", "patch + linear + attention + head"), {}, found)}

    return function


def memory(table: str = "L*B*h*T*T*b", rows: str = "L*B*h*T*4") -> Callable[..., Any]:
    """Bytes of attention, with and without `flash`."""
    return lambda cfg, res, batch, bytes_per=2, flash=False: eval(
        rows if flash else table, {}, quantities(cfg, res, B=batch, b=bytes_per)
    )


def crossover(enough: str = "T >= 2*d + f", answer: str = "s*P") -> Callable[..., Any]:
    """The first side that is enough."""
    test, result = compile(enough, "enough", "eval"), compile(answer, "answer", "eval")

    def function(cfg: dict[str, Any]) -> Any:
        known = quantities(cfg)
        for s in range(1, SIDES):
            at = known | {"s": s, "N": s * s, "T": s * s + known["c"] + known["R"]}
            if eval(test, {}, at):
                return eval(result, {}, at)

    return function


def largest(
    needed: str = "L*B*h*T*T*b", answer: str = "s*P", fits: Callable[[int, int], bool] = int.__le__
) -> Callable[..., Any]:
    """The last side that fits."""
    code = compile(needed, "needed", "eval")

    def function(cfg: dict[str, Any], budget_bytes: int, batch: int = 1, bytes_per: int = 2) -> Any:
        known = quantities(cfg, B=batch, b=bytes_per)
        s = next(
            s
            for s in range(SIDES)
            if not fits(
                eval(code, {}, known | {"N": (s + 1) ** 2, "T": (s + 1) ** 2 + known["c"] + known["R"]}), budget_bytes
            )
        )
        return eval(answer, {}, known | {"s": s})

    return function


def days(written: str) -> Callable[..., Any]:
    """Days, of exaflops x, peak p and mfu m."""
    return lambda exaflops, peak_tflops, mfu: eval(written, {"math": math}, dict(x=exaflops, p=peak_tflops, m=mfu))


def share(written: str) -> Callable[..., Any]:
    """The share, of exaflops x, device days t and peak p."""
    return lambda exaflops, device_days, peak_tflops: eval(written, {}, dict(x=exaflops, t=device_days, p=peak_tflops))


def run(written: str, **instead: Any) -> Callable[..., Any]:
    """The compute of a run, of a forward pass m, epochs e and pictures n."""
    return lambda cfg, res, epochs, n_images: eval(
        written,
        {"math": math},
        dict(m=forward_macs(cfg | instead, res), e=epochs, n=n_images, T=quantities(cfg, res)["T"]),
    )


SLIPS: list[tuple[str, Callable[..., Any], str]] = [
    ("vit_param_count", parameters("all - K - L*3*d"), "the head's bias is missing"),
    ("vit_param_count", parameters("all + (d - K if K else 0)"), "the head's bias has d where n_classes belongs"),
    ("vit_param_count", parameters("all + (L-1)*2*d"), "the final norm has the factor L too many"),
    ("vit_param_count", parameters("all + (L-1)*R*d"), "the registers has the factor L too many"),
    ("vit_param_count", parameters("all - 2*R*d"), "You subtracted the term of the registers"),
    ("vit_param_count", parameters("all + L*T*T"), "table of T x T is computed, not learned"),
    ("vit_param_count", parameters("all + 2*L*(d//h)"), "too high by 2 L D_h"),
    (
        "vit_param_count",
        parameters("all - (K if gap else 0)"),
        'Where `pool` is "gap": The term of the head\'s bias is missing',
    ),
    ("vit_param_count", parameters("all - L*3*d*d + L*3*d*(d//h)"), "Q, K and V has D_h where d belongs"),
    ("vit_param_count", parameters("all - P*P*C*d + 2*P*C*d"), "has 2 P where P^2 belongs"),
    ("vit_param_count", parameters("all if K else 0"), "Where `n_classes` is 0: Your number is 0"),
    ("vit_param_count", parameters("all - L*(f + d) + f + d"), "the MLP's biases lacks the factor L"),
    ("vit_param_count", parameters("L*" + BLOCK), "everything outside the blocks is missing"),
    ("vit_param_count", parameters("all / 1e6"), "Those are millions"),
    ("vit_param_count", parameters("int(all * 1.0)"), "went through a float"),
    ("vit_param_count", parameters("[all]"), "Return one number, not a list"),
    ("vit_param_count", lambda cfg: cfg["D"], "`cfg` has no entry 'D'"),
    ("vit_macs", costs(attention="2*L*T*T*f"), "In `attention`: You took d_ff for d"),
    ("vit_macs", costs(attention="L*T*(T-1)*d"), "has T (T - 1) / 2 where T^2 belongs"),
    ("vit_macs", costs(attention="2*L*T*T*d + 3*L*T*d*d", linear="L*T*(d*d + 2*d*f)"), "they belong to `linear`"),
    ("vit_macs", costs(linear="L*T*4*d*d + 2*d*f"), "lacks the factors L and T. Is a bracket missing?"),
    (
        "vit_macs",
        costs(head="T*d*K if gap else d*K"),
        'In `head`: Where `pool` is "gap": The term of the head has the factor T',
    ),
    ("vit_macs", costs(patch="P*P*C*d"), "In `patch`: The term of the patch embedding lacks the factor N"),
    ("vit_macs", costs(attention="L*T*(4*d*d + 2*d*f)", linear="2*L*T*T*d"), "`attention` and `linear` changed places"),
    ("vit_macs", costs(total="patch + linear + attention - head"), "Your `total` subtracts `head`"),
    ("vit_macs", costs(total="patch * linear"), "not the sum of your own parts"),
    ("vit_macs", costs(head="str(K)", total="0"), "there must be a number"),
    ("vit_macs", lambda cfg, res: costs()(cfg, max(res, cfg["img"])), "You took max(res, img) for res"),
    ("vit_macs", lambda cfg, res: costs()(cfg, res)["total"], "Return a dict with `patch`"),
    ("attention_memory_bytes", memory("L*B*h*h*T*T*b"), "the table A has h^2 where h belongs"),
    ("attention_memory_bytes", memory("L*B*h*T*N*b"), "has N where T belongs"),
    ("attention_memory_bytes", memory(rows="L*B*T*4"), "FlashAttention's rows lacks the factor h"),
    ("attention_memory_bytes", memory("L*B*h*T*T*b / 2**30", "L*B*h*T*4 / 2**30"), "Those are GiB"),
    ("attention_memory_bytes", memory("L*B*h*T*T*b // 10**9", "L*B*h*T*4 // 10**9"), "Those are GB"),
    ("attention_memory_bytes", memory("L*B*h*T*T*b + L*B*h*T*T"), "Without `flash`: You counted a dropout mask"),
    ("attention_memory_bytes", memory("L*B*h*T*4", "L*B*h*T*T*b"), "You turned `flash` round"),
    ("attention_memory_bytes", memory(rows="None"), "With `flash` your function returns nothing"),
    ("attention_memory_bytes", memory("B*h*T*T*4"), "Two things at once"),
    ("attention_crossover_res", crossover("T >= 4*d + f"), "the four projections twice"),
    ("attention_crossover_res", crossover("T >= 2*d + 4*f"), "You took 4 d_ff for d_ff"),
    (
        "attention_crossover_res",
        crossover("L*2*T*T*d >= L*T*(4*d*d + 2*d*f) + N*P*P*C*d"),
        "You counted the patch embedding",
    ),
    ("attention_crossover_res", crossover("2*T*d >= 2*d*f - 4*d*d"), "on the other side of the comparison"),
    ("attention_crossover_res", crossover("s*s > 2*d + f"), "Two things at once. You took N for T"),
    ("attention_crossover_res", crossover("s >= 14 and T >= 2*d + f"), "never go below 14 patches"),
    ("attention_crossover_res", crossover(answer="min(1024, s*P)"), "never go above 1,024 px"),
    ("attention_crossover_res", crossover(answer="(s*P)**2"), "the picture's area"),
    ("attention_crossover_res", crossover("T > 2*d + f", "s"), "You returned the side in patches"),
    ("attention_crossover_res", crossover("s % 2 and T >= 2*d + f"), "in steps of 2 P"),
    ("max_res_materialized", largest("2*L*B*h*T*T*b"), "the table A twice"),
    ("max_res_materialized", largest("L*B*d*T*T*b"), "You took d for h"),
    ("max_res_materialized", largest("L*B*h*T*T*b + 3*L*B*T*d*b"), "You counted Q, K and V"),
    (
        "max_res_materialized",
        largest("L*B*h*(N+c)**2*b", fits=int.__lt__),
        "Two things at once. The registers are missing",
    ),
    ("max_res_materialized", largest("L*h*T*T*4"), "Two things at once"),
    ("max_res_materialized", largest("L*B*h*T*(T+1)//2*b"), "has T (T + 1) / 2 where T^2 belongs"),
    ("max_res_materialized", largest(answer="max(img, s*P)"), 'never go below `cfg["img"]`'),
    ("max_res_materialized", largest(answer="s*16"), "multiplied the side in patches by 16"),
    (
        "max_res_materialized",
        lambda cfg, budget, batch=1, size=2: (
            int(
                math.sqrt(
                    math.sqrt(budget / (cfg["L"] * batch * cfg["h"] * size)) - cfg["cls_token"] - cfg["n_registers"]
                )
            )
            * cfg["P"]
        ),
        "went through a float",
    ),
    ("pretraining_exaflops", run("6*m*math.ceil(e)*n/1e18"), "epochs rounded up"),
    ("pretraining_exaflops", run("6*m*T*e*n/1e18"), "T times what it should be"),
    ("pretraining_exaflops", run("8*m*e*n/1e18"), "Your factor is 8"),
    ("pretraining_exaflops", run("6*m/e*n/1e18"), "You divided by epochs"),
    ("pretraining_exaflops", run("6*m*e*n/2**60"), "You took 2^60 for 10^18"),
    ("pretraining_exaflops", run("6*m*e*n/1e18", n_registers=0), "The registers are missing"),
    ("pretraining_exaflops", run("round(6*m*e*n/1e18, 4)"), "You rounded"),
    ("gpu_days", days("x*1e18 / p*1e12*m*86400"), "one pair of brackets"),
    ("gpu_days", days("x*1e18 / p*1e12*m / 86400"), "Two things at once. You multiplied by"),
    ("gpu_days", days("x*1e6/p/3600"), "Two things at once"),
    ("gpu_days", days("x*1e6/(2*p*m*86400)"), "the dense peak already"),
    ("gpu_days", days("math.ceil(x*1e6/(p*m*86400))"), "You rounded"),
    ("gpu_days", days("x*1e6/(p*max(m, 0.3)*86400)"), "wrong wherever mfu is 0.23 or less"),
    ("implied_mfu", share("x*1e18 / t*86400*p*1e12"), "one pair of brackets"),
    ("implied_mfu", share("int(100*x*1e6/(t*86400*p))"), "in per cent, and rounded"),
    ("implied_mfu", share("min(0.99, x*1e6/(t*86400*p))"), "never go above 0.99"),
    ("implied_mfu", share("x*1e18/(t*86400)"), "You did not divide by"),
    ("implied_mfu", share("x*1e6/(t*86400*p) > 1"), "Return one number, not a bool"),
]


@pytest.mark.parametrize("id, function, words", SLIPS, ids=[f"{id}-{i}" for i, (id, _, _) in enumerate(SLIPS)])
def test_is_refused_and_named_by_what_was_changed(id: str, function: Callable[..., Any], words: str) -> None:
    result = check(id, function)
    assert not result.passed
    assert words in (result.misconception or ""), result.message


MESSES: dict[str, Callable[[Any], Any]] = {
    "past every float": lambda x: 10**400,
    "a float's limit": lambda x: 1e308,
    "no number": lambda x: float("nan"),
    "complex": lambda x: complex(x, 1),
    "an array": lambda x: np.array([x]),
    "now and then nothing": lambda x: x if int(1000 * x) % 2 else None,
    "no pattern": lambda x: x + (x % 7) * 3 + 5,
    "huge": lambda x: int(x) * 10**300,
}


FLOATS = ("pretraining_exaflops", "gpu_days", "implied_mfu")
TOO_LONG = ("past every float", "huge")  # whole numbers that no float can be


@pytest.mark.parametrize(
    "id, mess", [(id, mess) for id in COUNTING for mess in MESSES if id not in FLOATS or mess not in TOO_LONG]
)
def test_any_other_answer_is_refused_within_a_second_of_work(id: str, mess: str) -> None:
    right = solved(id)
    check(id, right)
    started = time.process_time()
    result = check(id, lambda *arguments: every(right(*arguments), MESSES[mess]))
    assert not result.passed
    assert time.process_time() - started < 1.5  # of the processor; the exercise's own cases included


@pytest.mark.parametrize("id", [id for id in COUNTING if not id.endswith(("_res", "materialized"))])
def test_a_near_miss_of_one_quantity_leaves_the_others_alone(id: str) -> None:
    found = exercises.find(id)
    formula = found.explain.args[0]
    for case in found.cases:
        base = formula.read(*case.arguments())
        assert {name: formula.values(base)[name] for name in base} == base


@pytest.mark.parametrize("id", [id for id in COUNTING if not id.endswith(("_res", "materialized"))])
def test_the_formula_is_the_right_answer(id: str) -> None:
    found = exercises.find(id)
    formula = found.explain.args[0]
    for case in found.cases:
        expected, values = found.expected(*case.arguments()), formula.at(*case.arguments())
        if isinstance(expected, dict):
            assert {key: formula.part(key).total(formula.part(key).at(*case.arguments())) for key in formula.keys} == {
                key: expected[key] for key in formula.keys
            }
        else:
            assert formula.total(values) == pytest.approx(expected, rel=1e-12 if formula.tolerance else 0, abs=0)
