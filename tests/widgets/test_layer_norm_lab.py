"""LayerNormLab without a browser: every step is NumPy's, every written sum gives its cell, and bad input is refused."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
import torch

from widgets.block.layer_norm_lab import COMPARED, PICTURE, STARTS, LayerNormLab
from widgets.block.norm_sheet import epsilon_typed
from widgets.kit.selection import Selection
from widgets.model.norm import spread
from widgets.parts.written_sum import significant


@pytest.fixture
def lab() -> LayerNormLab:
    return LayerNormLab(selection=Selection())


def shown(lab: LayerNormLab, key: str) -> list[list[str]]:
    """The cells as the browser gets them."""
    drawn = [m for line in json.loads(lab._sheet.content) for m in line["matrices"] if m["key"] == key]
    return drawn[0]["cells"]


def by_numpy(lab: LayerNormLab, epsilon: float) -> np.ndarray:
    x = lab.x.astype(np.float64)
    return (x - x.mean()) / np.sqrt(x.var(ddof=int(lab.sample)) + epsilon) * lab.gamma + lab.beta


def worked_out(text: str) -> tuple[float, float]:
    """The value of a written sum as arithmetic, and the number that stands behind its last "="."""
    sum_, _, result = text.rpartition(" = ")
    code = re.sub(r"√\(", "math.sqrt(", sum_.replace("−", "-").replace("×", "*").replace("²", "**2"))
    return eval(code, {"math": math}), float(result.replace("−", "-"))


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("sample", [False, True])
def test_every_step_is_numpys_in_float64(lab: LayerNormLab, start: str, sample: bool) -> None:
    lab.param.update(start=start, sample=sample)
    lab.edit("gamma", 0, 2, "1.25"), lab.edit("beta", 0, 5, "−0.75")
    s = lab.steps()
    assert s.mean == pytest.approx(lab.x.mean(), abs=1e-15) and s.variance == pytest.approx(
        lab.x.var(ddof=int(sample)), rel=1e-12
    )
    for epsilon in (*COMPARED, lab.epsilon):
        assert np.allclose(lab.steps(epsilon).out, by_numpy(lab, epsilon), rtol=1e-12, atol=1e-12)


def test_the_models_own_norm_agrees_where_a_token_has_eight_numbers(lab: LayerNormLab) -> None:
    lab.edit("gamma", 0, 0, "2"), lab.edit("beta", 0, 7, "0.5"), lab.edit("x", 0, 3, "−7.25")
    from widgets.model.encoder import layer_norm

    ours = layer_norm(*(torch.from_numpy(row) for row in (lab.x, lab.gamma, lab.beta)), lab.epsilon)
    assert np.allclose(lab.steps().out, ours.numpy(), atol=1e-12)


def test_by_hand(lab: LayerNormLab) -> None:
    assert shown(lab, "mean") == [["5"]] and shown(lab, "variance") == [["4"]]
    assert shown(lab, "n")[0] == ["−1.500", "−0.500", "−0.500", "−0.500", "0.000", "0.000", "1.000", "2.000"]
    lab.sample = True
    assert shown(lab, "variance") == [["4.571"]]  # 32 / 7
    lab.edit("x", 0, 0, "10")  # mean 6, squares 16 + 3 x 4 + 2 x 1 + 1 + 9 = 40
    assert shown(lab, "mean") == [["6"]] and lab.steps().variance == pytest.approx(40 / 7)


@pytest.mark.parametrize("start", [*STARTS, PICTURE])
def test_every_written_sum_gives_the_number_in_its_cell(lab: LayerNormLab, start: str) -> None:
    lab.start = start
    lab.edit("gamma", 0, 1, "−0.3"), lab.edit("x", 0, 6, "0.123456"), lab.edit("beta", 0, 1, "0.07")
    for key, matrix in lab.matrices().items():
        for i, row in enumerate(matrix.sums or []):
            for j in range(len(row)):
                value, stands = worked_out(lab.written(key, i, j))
                unit = (
                    10.0 ** -len(lab.written(key, i, j).rpartition(".")[2])
                    if "e" not in lab.written(key, i, j).rpartition("=")[2]
                    else abs(stands) * 1e-3
                )
                assert value == pytest.approx(stands, abs=0.51 * unit + 1e-12), lab.written(key, i, j)


def test_epsilon_matters_where_the_variance_is_as_small(lab: LayerNormLab) -> None:
    assert spread(lab.compared()) < 1e-5, "an ordinary token hardly feels it"
    lab.start = "flat"
    rows = shown(lab, "compared")
    assert [row[0] for row in rows] == ["1.000", "0.707", "0.302"]
    assert spread(lab.compared()) == pytest.approx(1 - 1 / math.sqrt(11), abs=1e-5)
    lab.edit("epsilon", 0, 0, "1e-12")
    assert shown(lab, "n")[0][0] == "1.000" and shown(lab, "epsilon") == [["1e−12"]]


def test_no_variance_and_no_epsilon_is_answered_not_a_nan(lab: LayerNormLab) -> None:
    lab.start = "equal"
    assert shown(lab, "n")[0] == ["0.000"] * 8
    lab.edit("epsilon", 0, 0, "0")
    assert shown(lab, "n")[0] == ["0 / 0"] * 8 and "no number" in lab._sheet.caption
    assert "NaN" not in lab._sheet.content
    lab.still()


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("x", "abc", "is no number"),
        ("x", "", "is empty"),
        ("gamma", "inf", "is no number"),
        ("beta", "1e9", "must be at most"),
        ("x", "nan", "is no"),
        ("x", "0,5", "did you mean 0.5?"),
        ("epsilon", "0,5", "did you mean 0.5?"),
        ("epsilon", "1e-400", "too small"),
        ("epsilon", "", "is empty"),
        ("epsilon", "two", "is no number"),
        ("epsilon", "inf", "from 0 to 1"),
        ("epsilon", "-1e-6", "must be at least 0"),
        ("epsilon", "nan", "from 0 to 1"),
    ],
)
def test_bad_input_is_refused_in_place_and_the_last_good_number_stays(
    lab: LayerNormLab, key: str, text: str, said: str
) -> None:
    before = lab._sheet.content
    lab.edit(key, 0, 0, text)
    refusal = json.loads(lab._sheet.refusal)
    assert (
        (refusal["key"], refusal["column"]) == (key, 0)
        and said in refusal["sentence"]
        and "The cell keeps" in refusal["sentence"]
    )
    assert lab._sheet.content == before


def test_undo_goes_back_one_number_at_a_time(lab: LayerNormLab) -> None:
    lab.edit("x", 0, 0, "3"), lab.edit("epsilon", 0, 0, "0.5")
    lab.undo()
    assert lab.epsilon == 1e-6 and lab.x[0] == 3
    lab.undo(), lab.undo()
    assert lab.x[0] == 2


@pytest.mark.parametrize(("checkpoint", "picture"), [("dinov2-small", "coffee"), ("random-b16", "photographer")])
def test_a_token_of_the_picture_is_the_models_own(checkpoint: str, picture: str) -> None:
    lab = LayerNormLab(selection=Selection(checkpoint=checkpoint, picture=picture, token=40, layer=3), start=PICTURE)
    t = lab.reading.trace
    assert np.allclose(lab.x, t.layers[2].z[0, 40, :8].numpy(), atol=5.1e-5)
    assert shown(lab, "model")[0] == [f"{v:.3f}".replace("-", "−") for v in (t.layers[3].ln1[0, 40, :8] + 0.0).tolist()]
    assert lab.epsilon == lab.model_epsilon == 1e-6 and "patch 39" in lab.describe().sentence
    before = lab.x.copy()
    lab.selection.token = 41
    assert not np.allclose(lab.x, before) and np.allclose(lab.x, t.layers[2].z[0, 41, :8].numpy(), atol=5.1e-5)
    assert lab._grid.picture_width == lab.reading.pixels.shape[2]


def test_a_checkpoint_that_is_not_here_is_answered(lab: LayerNormLab) -> None:
    before = lab.x.copy()
    lab.selection.checkpoint = "resnet"
    lab.start = PICTURE
    assert (
        lab._sheet.status == "refused"
        and "no checkpoint called" in lab._sheet.message
        and np.array_equal(lab.x, before)
    )
    alone = LayerNormLab(selection=Selection(checkpoint="resnet"), start=PICTURE)
    assert alone.describe().sentence.startswith("A token of 8 numbers")


def test_epsilon_as_people_type_it() -> None:
    assert [epsilon_typed(t) for t in ("1e-6", "1e−12", " .001 ", "0")] == [1e-6, 1e-12, 1e-3, 0]
    assert significant(1e-12) == "1e−12" and significant(-0.25) == "−0.25"
