"""AttentionCalculator without a browser: every cell against NumPy, every sum against its cell, every edit undone."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import torch

from widgets.attention.attention_calculator import AttentionCalculator
from widgets.kit.selection import Selection
from widgets.model.attention import AttentionWeights, multi_head_attention
from widgets.model.worked_examples import PENCIL_HEAD_1, PENCIL_HEAD_2, PRESETS, PROJECTIONS, compute
from widgets.parts.written_sum import cell, plain, value_of

from ..model.test_attention import PENCIL


def by_numpy(w: AttentionCalculator) -> dict[str, np.ndarray]:
    """The matrices of the head that is shown, in float64 and from nothing but the inputs."""
    X = w.inputs.X.numpy()
    W_q, W_k, W_v = (getattr(w.inputs, name).numpy() for name in PROJECTIONS)
    heads = []
    for h in range(len(W_q)):
        q, k, v = X @ W_q[h], X @ W_k[h], X @ W_v[h]
        S = q @ k.T / (math.sqrt(q.shape[1]) if w.scaled else 1)
        counted = np.where(np.tri(len(X)) > 0, S, -np.inf) if w.masked else S
        e = np.exp(counted - counted.max(1, keepdims=True))
        A = e / e.sum(1, keepdims=True)
        heads.append({"q": q, "k": k, "v": v, "S": S, "A": A, "O": A @ v})
    out = heads[w.shown]
    if w.inputs.U_msa is not None:
        out["SA"] = np.concatenate([head["O"] for head in heads], 1)
        out["MSA"] = out["SA"] @ w.inputs.U_msa.numpy()
    return out


def drawn(w: AttentionCalculator) -> dict[str, dict]:
    """What the page is told to draw, by matrix."""
    return {m["key"]: m for line in json.loads(w._sheet.content) for m in line["matrices"]}


def evaluated(written: str) -> float:
    """A written-out sum, worked out as Python."""
    python = (
        written.replace("−", "-")
        .replace("×", "*")
        .replace("√", "sqrt ")
        .replace("sqrt 2", "sqrt(2)")
        .replace("sqrt 3", "sqrt(3)")
    )
    return eval(python, {"exp": math.exp, "sqrt": math.sqrt})


def check_everything(w: AttentionCalculator) -> None:
    right, shown = by_numpy(w), drawn(w)
    for key, values in right.items():
        for (i, j), x in np.ndenumerate(values):
            text = shown[key]["cells"][i][j]
            assert value_of(text) == pytest.approx(x, rel=1e-3 if abs(x) >= 1e7 else 0, abs=0.5001e-3), (
                f"{key}[{i}, {j}]"
            )
            if key == "SA":
                continue
            written = "".join(piece for piece, _ in shown[key]["sums"][i][j])
            assert cell(evaluated(written)) == cell(value_of(text)), f"{key}[{i}, {j}]: {written} = {text}"


@pytest.mark.parametrize("preset", list(PRESETS))
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("head", [0, 1])
def test_every_cell_is_numpys_and_every_sum_gives_its_cell(preset: str, scaled: bool, masked: bool, head: int) -> None:
    check_everything(AttentionCalculator(selection=Selection(), preset=preset, scaled=scaled, masked=masked, head=head))


@pytest.mark.parametrize("seed", range(12))
def test_random_edits_change_every_cell_that_depends_on_them(seed: int) -> None:
    made = np.random.default_rng(seed)
    w = AttentionCalculator(selection=Selection(), preset="pencil" if seed % 2 else "small", head=seed // 2 % 2)
    keys = ["X", *PROJECTIONS, *(["U_msa"] if w.inputs.U_msa is not None else [])]
    for n in range(6):
        key = keys[made.integers(len(keys))]
        rows, columns = w.inputs.matrix(key, w.shown).shape
        row, column = int(made.integers(rows)), int(made.integers(columns))
        text = f"{made.normal() * 10.0 ** made.integers(-2, 3 if n % 3 else 1):.{made.integers(0, 5)}f}"
        w.edit(key, row, column, text)
        assert float(w.inputs.matrix(key, w.shown)[row, column]) == float(text)
        check_everything(w)


def test_scores_too_large_for_exp_are_written_with_their_maximum_taken_off() -> None:
    w = AttentionCalculator(selection=Selection(), scaled=False)
    w.edit("X", 0, 0, "1000")
    w.edit("X", 1, 1, "-1000")
    check_everything(w)
    assert any("exp(" in s and " − " in s for s in (w.written("A", 0, j) for j in range(4)))


def test_the_pencil_example_is_the_reference_and_shows_the_right_last_row() -> None:
    w = AttentionCalculator(selection=Selection(), preset="pencil")
    shown = drawn(w)
    assert shown["O"]["cells"][3] == ["−1.840", "−0.440", "−0.553"]
    result = w.result()
    for ours, published in ((result.S, "scores"), (result.A, "weights"), (result.O, "output")):
        assert np.abs(ours[0].numpy() - PENCIL[published]).max() < 1e-6
    assert w.inputs.X.tolist() == PENCIL["z"] and PENCIL_HEAD_1.tolist() == PENCIL["U_qkv"]
    assert w.written("S", 0, 0) == "(2×1 + (−1)×0 + 2×0) / √3 = 1.155"


def test_both_heads_joined_are_eq_8() -> None:
    inputs = PRESETS["pencil"].inputs
    U = torch.cat([torch.cat([head[:, i : i + 3] for head in (PENCIL_HEAD_1, PENCIL_HEAD_2)], 1) for i in (0, 3, 6)], 1)
    whole = multi_head_attention(inputs.X[None], AttentionWeights.packed(U, None, inputs.U_msa, None), 2)
    assert torch.allclose(compute(inputs).msa, whole.msa[0], atol=1e-12)
    assert torch.allclose(compute(inputs).A, whole.weights[0], atol=1e-12)


@pytest.mark.parametrize("text", ["x", "", "  ", "inf", "-inf", "nan", "1e400", "1,5", "2000", "0.12345678"])
def test_a_wrong_input_is_refused_in_place_and_changes_nothing(text: str) -> None:
    w = AttentionCalculator(selection=Selection())
    before, content = w.inputs, w._sheet.content
    w.edit("W_k", 2, 1, text)
    refusal = json.loads(w._sheet.refusal)
    assert (refusal["key"], refusal["row"], refusal["column"]) == ("W_k", 2, 1)
    assert refusal["sentence"].endswith("The cell keeps 0.") and w.inputs is before and w._sheet.content == content
    w.undo()
    assert w.inputs is before, "a refused edit leaves nothing to undo"
    w.edit("W_k", 2, 1, "1.5")
    assert w._sheet.refusal == ""


def test_undo_goes_back_edit_by_edit_and_reset_can_be_undone() -> None:
    w = AttentionCalculator(selection=Selection(), preset="pencil")
    start = w._sheet.content
    for n, text in enumerate(("5", "-5", "0.25")):
        w.edit("X", n, n, text)
    edited = w._sheet.content
    w.reset()
    assert w._sheet.content == start
    w.undo()
    assert w._sheet.content == edited
    for _ in range(3):
        w.undo()
    assert w._sheet.content == start
    w.undo()
    assert w._sheet.content == start
    w._sheet._handle_msg({"key": "X", "row": 0, "column": 0, "text": "7"})
    w._sheet._handle_msg({"undo": True})
    assert w._sheet.content == start


def test_the_same_number_typed_again_is_no_change_to_undo() -> None:
    w = AttentionCalculator(selection=Selection())
    start = w._sheet.content
    w.edit("X", 0, 0, "3")
    w.edit("X", 0, 0, "x")
    w.edit("X", 0, 0, "3.0")
    assert w._sheet.refusal == "", "what was refused is over"
    w.undo()
    assert w._sheet.content == start, "one press takes back what was seen to change"


def test_an_edit_of_one_head_leaves_the_other_alone() -> None:
    w = AttentionCalculator(selection=Selection(), preset="pencil", head=1)
    before = compute(w.inputs)
    w.edit("W_v", 0, 0, "3")
    after = w.result()
    assert torch.equal(after.O[0], before.O[0]) and not torch.equal(after.O[1], before.O[1])
    assert not torch.equal(after.msa, before.msa)


@pytest.mark.parametrize(
    ("cell_", "made_of"),
    [
        ("S", [["q", "i", ""], ["k", "j", ""]]),
        ("A", [["S", "i", ""]]),
        ("O", [["A", "i", ""], ["v", "", "j"]]),
        ("MSA", [["SA", "i", ""], ["U_msa", "", "j"]]),
    ],
)
def test_what_made_a_cell_is_marked(cell_: str, made_of: list[list[str]]) -> None:
    assert drawn(AttentionCalculator(selection=Selection(), preset="pencil"))[cell_]["made_of"] == made_of


@pytest.mark.parametrize(
    ("preset", "scaled", "masked"), [("small", True, False), ("pencil", False, True), ("pencil", True, False)]
)
def test_the_copied_code_runs_and_gives_the_same_numbers(preset: str, scaled: bool, masked: bool) -> None:
    w = AttentionCalculator(selection=Selection(), preset=preset, scaled=scaled, masked=masked)
    w.edit("X", 1, 1, "-0.125")
    space: dict = {}
    exec(w.code(), space)
    for key in "SAO":
        assert np.allclose(space[key], getattr(w.result(), key).numpy(), atol=1e-12)
    if preset == "pencil":
        assert np.allclose(space["msa"], w.result().msa.numpy(), atol=1e-12)


def test_a_masked_weight_is_nothing_and_its_score_is_struck_through() -> None:
    w = AttentionCalculator(selection=Selection(), masked=True)
    shown = drawn(w)
    assert shown["S"]["crossed"][0] == [False, True, True, True] and shown["A"]["cells"][0][0] == "1.000"
    assert plain(w.matrices()["A"].sums[0][2]).startswith("0 / (exp(")


def test_words_hold_the_rows_and_the_sum_of_the_cell_in_view() -> None:
    w = AttentionCalculator(selection=Selection(), preset="pencil", chosen="O 3 0")
    w._sheet.chosen = "A 3 1"
    words = w.describe()
    assert (
        words.table[0] == ("A, row 3, column 1", w.written("A", 3, 1))
        and ("O, row t3", "−1.840  −0.440  −0.553") in words.table
    )
    assert "head 1 of 2, D_h 3, scores divided by √3, no mask" in words.sentence
    w.preset = "small"
    assert "head 1 of 1" in w.describe().sentence and [axes.get_title() for axes in w.still().axes] == [
        "S  4 × 4",
        "A  4 × 4",
        "O  4 × 2",
    ]
