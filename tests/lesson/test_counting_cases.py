"""The cases of the counting exercises tell a right answer from one with any input or its output perturbed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import pytest

import widgets.model.count  # noqa: F401  loaded before the clock of any check runs
from widgets.lesson import check, exercises
from widgets.lesson.checking import TIME_LIMIT
from widgets.lesson.exercises._counting import GIANT, MODELS, SIZES

from .kinds import ARRAYS

PLAY_NO_PART = {  # of every counting exercise, the fields that the right answer does not read
    "vit_param_count": {"h", "pool"},
    "vit_macs": {"img", "h", "pool"},
    "pretraining_exaflops": {"img", "h", "pool"},
    "attention_crossover_res": {"img", "C", "L", "h", "n_classes", "pool"},
    "attention_memory_bytes": {"img", "C", "d", "d_ff", "n_classes", "pool"},
    "max_res_materialized": {"img", "C", "d", "d_ff", "n_classes", "pool"},
    "gpu_days": set(),
    "implied_mfu": set(),
}
COUNTING = tuple(PLAY_NO_PART)
OF_THEIR_OWN = {"wrong_row", "missing_parameters"}  # test files of that name ask what their cases tell apart
ONE_PRODUCT = {  # factors of one product, so that any two may change places
    "attention_memory_bytes": {"L", "h", "batch"},
    "max_res_materialized": {"L", "h", "batch", "bytes_per"},
    "pretraining_exaflops": {"epochs", "n_images"},
    "gpu_days": {"peak_tflops", "mfu"},
    "implied_mfu": {"device_days", "peak_tflops"},
}
FLOORED = {
    ("vit_param_count", "img"),
    ("vit_macs", "res"),
    ("pretraining_exaflops", "res"),
    ("attention_memory_bytes", "res"),
}  # one pixel more makes no patch more: // P takes it off again


def test_the_cases_of_every_exercise_are_perturbed() -> None:
    left_out = set(exercises.names()) - {*ARRAYS, *COUNTING} - OF_THEIR_OWN
    assert not left_out, "its answer is no array: name it in PLAY_NO_PART, with the fields that play no part"


Inputs = dict[str, Any]
Change = Callable[[Inputs], Inputs]


def solved(id: str) -> Callable[..., Any]:
    """The course's own right solution."""
    namespace: dict[str, Any] = {}
    exec(exercises.find(id).solution, namespace)
    return namespace[id]


def run_of(cfg: dict[str, Any], res: int, epochs: float, n_images: int) -> float:
    """pretraining_exaflops without `forward_macs`, which refuses what no ViT has."""
    return 6 * solved("vit_macs")(cfg, res)["total"] * epochs * n_images / 1e18


def arguments_of(id: str) -> list[str]:
    """Names of the arguments beside `cfg`."""
    signature = exercises.find(id).signature
    names = signature[signature.index("(") + 1 : signature.rindex(")")].split(",")
    return [name.split("=")[0].strip() for name in names if name.strip() != "cfg"]


def perturbed(id: str, change: Change) -> Callable[..., Any]:
    """The right solution of inputs that are not those given."""
    right, names = run_of if id == "pretraining_exaflops" else solved(id), arguments_of(id)
    takes_cfg = "(cfg" in exercises.find(id).signature
    defaults = {"batch": 1, "bytes_per": 2, "flash": False}

    def function(*arguments: Any) -> Any:
        given = dict(arguments[0]) if takes_cfg else {}
        rest = arguments[1:] if takes_cfg else arguments
        more = {name: defaults.get(name) for name in names} | dict(zip(names, rest, strict=False))
        inputs = change(given | more)
        beside = [inputs[name] for name in names]
        return right({name: inputs[name] for name in given}, *beside) if takes_cfg else right(*beside)

    return function


def fields_of(id: str) -> list[str]:
    """All numbers of the inputs, cfg's among them."""
    cfg = [n for n in MODELS["a small model with 3 registers"] if n not in ("cls_token", "pool")]
    return [*(cfg if "(cfg" in exercises.find(id).signature else ()), *(n for n in arguments_of(id) if n != "flash")]


def flags_of(id: str) -> dict[str, Change]:
    """Flags turned round or fixed."""
    found: dict[str, Change] = {}
    if "(cfg" in exercises.find(id).signature:
        found |= {
            "cls_token turned": lambda i: i | {"cls_token": not i["cls_token"]},
            "cls_token True": lambda i: i | {"cls_token": True},
            "cls_token False": lambda i: i | {"cls_token": False},
            "cls_token by pool": lambda i: i | {"cls_token": i["pool"] == "cls"},
            "pool cls": lambda i: i | {"pool": "cls"},
            "pool gap": lambda i: i | {"pool": "gap"},
        }
    if "flash" in arguments_of(id):
        found |= {
            "flash turned": lambda i: i | {"flash": not i["flash"]},
            "flash on": lambda i: i | {"flash": True},
            "flash off": lambda i: i | {"flash": False},
        }
    return found


def changes(id: str) -> Iterator[tuple[str, Change, bool]]:
    """(name, perturbation of the inputs, whether the answer is the same by mathematics)."""
    idle, product = PLAY_NO_PART[id], ONE_PRODUCT.get(id, set())
    for a, b in combinations(fields_of(id), 2):
        same = {a, b} <= idle or {a, b} <= product
        yield f"{a} and {b} swapped", lambda i, a=a, b=b: i | {a: i[b], b: i[a]}, same
    for a in fields_of(id):
        yield f"{a} doubled", lambda i, a=a: i | {a: 2 * i[a]}, a in idle
        yield f"{a} is 1", lambda i, a=a: i | {a: 1}, a in idle
        yield f"{a} one more", lambda i, a=a: i | {a: i[a] + 1}, a in idle or (id, a) in FLOORED
        yield f"{a} one less", lambda i, a=a: i | {a: i[a] - 1}, a in idle
    for name, change in flags_of(id).items():
        yield name, change, name.split()[0] in idle


INPUTS = [(id, name, change, same) for id in COUNTING for name, change, same in changes(id)]


@pytest.mark.parametrize(
    "id, change, same",
    [(id, change, same) for id, _, change, same in INPUTS],
    ids=[f"{id}-{name}" for id, name, _, _ in INPUTS],
)
def test_a_perturbed_input_is_refused_unless_the_answer_is_the_same(id: str, change: Change, same: bool) -> None:
    seconds = TIME_LIMIT if same else 1.0  # a factor of 0 makes a search endless
    assert check(id, perturbed(id, change), seconds).passed == same


def every(value: Any, change: Callable[[Any], Any]) -> Any:
    """A number, or each number of a dict, changed."""
    return {k: change(v) for k, v in value.items()} if isinstance(value, dict) else change(value)


OUTPUTS: dict[str, Callable[[Any], Any]] = {
    "doubled": lambda x: 2 * x,
    "halved": lambda x: x / 2,
    "halved whole": lambda x: x // 2,
    "one more": lambda x: x + 1,
    "one less": lambda x: x - 1,
    "as a float and back": lambda x: int(float(x)),
    "as a float": float,
    "to three digits": lambda x: type(x)(float(f"{x:.3g}")),
    "negated": lambda x: -x,
    "a thousandth more": lambda x: x * 1.001,
    "modulo 2^32": lambda x: x % 2**32,
    "in 32 bits": lambda x: (x + 2**31) % 2**32 - 2**31,
    "as text": str,
    "zero": lambda x: 0 * x,
}
SAME_OUTPUT = {  # the answer is a float, and small
    *(
        (id, name)
        for id in ("pretraining_exaflops", "gpu_days", "implied_mfu")
        for name in ("as a float", "modulo 2^32")
    ),
    # a side in pixels is far below 2^31
    *(
        (id, name)
        for id in ("attention_crossover_res", "max_res_materialized")
        for name in ("as a float and back", "modulo 2^32", "in 32 bits")
    ),
}


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("id", COUNTING)
def test_a_perturbed_output_is_refused(id: str, name: str) -> None:
    right, change = solved(id), OUTPUTS[name]
    result = check(id, lambda *arguments: every(right(*arguments), change))
    assert result.passed == ((id, name) in SAME_OUTPUT), result.message


@pytest.mark.parametrize("key", ["patch", "linear", "attention", "head", "total"])
@pytest.mark.parametrize("name", OUTPUTS)
def test_one_perturbed_entry_is_refused(name: str, key: str) -> None:
    right = solved("vit_macs")

    def function(cfg: dict[str, Any], res: int) -> dict[str, Any]:
        found = right(cfg, res)
        return found | {key: OUTPUTS[name](found[key])}

    stays_below_2_53 = (key, name) == ("head", "as a float and back")
    assert check("vit_macs", function).passed == stays_below_2_53


@pytest.mark.parametrize("title", [*MODELS, "the giant"])
def test_no_two_numbers_of_a_model_are_equal(title: str) -> None:
    cfg, res = (MODELS | {"the giant": GIANT})[title], SIZES.get(title, 4303)
    numbers = [cfg[n] for n in ("P", "C", "d", "L", "h", "d_ff")] + [cfg["d"] // cfg["h"]]
    numbers += [n for n in (cfg["n_classes"], cfg["n_registers"]) if n]
    prefix = cfg["cls_token"] + cfg["n_registers"]
    for size in (cfg["img"], res):
        side = size // cfg["P"]
        assert side * cfg["P"] == size
        numbers += [size, side, side**2] + ([side**2 + prefix] if prefix else [])
    assert cfg["d"] % cfg["h"] == 0 and len(set(numbers)) == len(numbers)
