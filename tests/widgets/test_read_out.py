"""ReadOut without a browser: cosines of NumPy, and the picture each way finds most alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from widgets.block.read_out import ReadOut
from widgets.experiments.readout import read_outs
from widgets.kit.selection import Selection
from widgets.pictures import open_sample, sample_names


@pytest.fixture
def widget() -> ReadOut:
    return ReadOut(selection=Selection())


def cosine(a, b) -> float:
    a, b = a.double().numpy(), b.double().numpy()
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@pytest.mark.parametrize("picture", ["cat", "coffee", "photographer"])
def test_every_cosine_is_numpys_of_two_readings(widget: ReadOut, picture: str) -> None:
    widget.selection.picture = picture
    found = widget.neighbours()
    assert found.names == tuple(name for name in sample_names() if name != picture), (
        "a picture is not its own neighbour"
    )
    here = read_outs("dinov2-small", open_sample(picture))
    for name, row in list(zip(found.names, found.cosines, strict=True))[::4]:
        there = read_outs("dinov2-small", open_sample(name))
        assert row == pytest.approx([cosine(a, b) for a, b in zip(here, there, strict=True)], abs=1e-4)
    turned = read_outs("dinov2-small", replace(open_sample(picture), rgb=open_sample(picture).rgb[:, ::-1].copy()))
    assert found.mirrored == pytest.approx([cosine(a, b) for a, b in zip(here, turned, strict=True)], abs=1e-4)
    assert found.between == pytest.approx(cosine(*here), abs=1e-4)


def test_the_pictures_shown_are_the_nearest_of_the_table(widget: ReadOut) -> None:
    values = np.frombuffer(widget._matrix.values, dtype=np.float32).reshape(-1, 2)
    for way in (0, 1):
        title = widget._matrix.row_heads[int(values[:, way].argmax())]
        assert widget._pictures[1 + way].caption.startswith(f"{title}. Cosine {values[:, way].max():.3f}")
        assert title in widget.describe().sentence


def test_an_upload_is_compared_with_all_samples(widget: ReadOut) -> None:
    from io import BytesIO

    from PIL import Image

    sent = BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (100, 160), dtype=np.uint8)).save(sent, "PNG")
    widget.choice.take(sent.getvalue(), "grey.png")
    assert widget._matrix.rows == len(sample_names()) and widget._pictures[0].caption == "Your picture."


def test_a_checkpoint_that_is_not_here_is_answered(widget: ReadOut) -> None:
    before = widget._pictures[1].rgb
    widget.selection.checkpoint = "resnet"
    assert widget._pictures[0].status == "refused" and "no checkpoint called" in widget._pictures[0].message
    assert widget._pictures[1].rgb == before and widget.describe().table == []
    assert "no checkpoint called" in widget.still().texts[0].get_text(), "the preview says it too"
