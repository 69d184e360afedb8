"""BreakIt without a browser: the mistake is the one named, and its figures are the model's own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from widgets.block.break_it import BreakIt
from widgets.checkpoints.loading import load
from widgets.common.number_formats import fixed
from widgets.experiments.kept_pass import read
from widgets.kit.selection import Selection
from widgets.pictures import open_sample, prepare, sample_names


@pytest.fixture
def widget() -> BreakIt:
    return BreakIt(selection=Selection())


def test_with_no_mistake_the_model_reads_the_picture_itself(widget: BreakIt) -> None:
    damage = widget.damage()
    assert np.abs(damage.seen.astype(int) - prepare(open_sample("cat"), 14)).max() <= 1
    assert damage.cosine == pytest.approx(1, abs=1e-5) and damage.largest_change == 0 and damage.nearest == "A cat"


def test_a_view_scrambles_what_is_read_and_keeps_every_number(widget: BreakIt) -> None:
    widget.fault = "view_instead_of_cut"
    damage, pixels = widget.damage(), prepare(open_sample("cat"), 14)
    # the first 588 numbers in memory are rows 0 to 2 of red and a part of row 3; 196 fill channel 0 of patch 0
    assert np.abs(damage.seen[0, :14, :14].ravel().astype(int) - pixels[0, 0, :196]).max() <= 1
    assert damage.cosine < 0.9 and damage.shape == (384,)


def test_the_wrong_normalisation_is_the_librarys_answer_to_the_wrong_pixels(widget: BreakIt) -> None:
    widget.fault = "wrong_normalisation"
    checkpoint, pixels = load("dinov2-small", 224), prepare(open_sample("cat"), 14)
    wrong = torch.from_numpy((pixels / 255 - 0.5) / 0.5).float()[None]
    right = torch.from_numpy(checkpoint.preparation.apply(pixels))[None]
    with torch.no_grad():
        ys = [checkpoint.model(pixel_values=p).last_hidden_state[0, 0].numpy() for p in (wrong, right)]
    cosine = ys[0] @ ys[1] / np.linalg.norm(ys[0]) / np.linalg.norm(ys[1])
    assert widget.damage().cosine == pytest.approx(cosine, abs=1e-4)
    assert f"a cosine of {cosine:.3f}" in widget.describe().sentence


def test_a_checkpoint_that_is_not_here_is_answered(widget: BreakIt) -> None:
    before = widget._grid.rgb
    widget.selection.checkpoint = "resnet"
    assert widget._grid.status == "refused" and "no checkpoint called" in widget._grid.message
    assert widget._grid.rgb == before, "the last good picture stays"


def test_an_unknown_fault_is_answered(widget: BreakIt) -> None:
    widget.fault = "coffee_on_the_keyboard"
    assert widget._grid.status == "refused" and "no fault" in widget._grid.message


def test_a_picture_whose_pass_would_fill_the_memory_is_refused_in_words(widget: BreakIt) -> None:
    before = widget._grid.rgb
    long = replace(open_sample("cat"), name="yours", rgb=np.zeros((100, 1500, 3), np.uint8))
    widget.selection.param.update(upload=long, picture="yours")
    assert (
        widget._grid.status == "refused"
        and "so long and narrow that DINOv2 ViT-S/14 cuts it into" in widget._grid.message
    )
    assert widget._grid.rgb == before and "so long" in widget.describe().sentence


def test_a_wrong_y_is_measured_against_the_right_y_of_other_pictures(widget: BreakIt) -> None:
    assert widget.damage().others == (), "with nothing wrong no sample is run"
    widget.fault = "view_instead_of_cut"
    rows, right = dict(widget.describe().table), _y("cat")
    cosines = {
        open_sample(name).title: float(torch.cosine_similarity(right, _y(name), dim=0))
        for name in sample_names()
        if name != "cat"
    }
    for which, of in (("most", max), ("least", min)):
        title = of(cosines, key=cosines.get)
        assert rows[f"another picture’s right y: {which} alike"] == f"{fixed(cosines[title])}, {title}"
        assert (
            title in widget.describe().sentence
            and f"<title>{title}, nothing wrong: {fixed(cosines[title])}</title>" in widget._line.object
        )
    assert widget._line.visible and widget._line.object.count("<title>") == len(
        sample_names()
    )  # the others, and y itself
    widget.fault = "none"
    assert not widget._line.visible and "another picture’s right y: most alike" not in dict(widget.describe().table)


def test_the_first_numbers_of_y_tell_that_under_a_causal_mask_the_picture_no_longer_counts() -> None:
    widget = BreakIt(selection=Selection(), faults=["causal_mask"])

    def first() -> str:
        return dict(widget.describe().table)["first numbers of y"]

    assert first() == ", ".join(fixed(v) for v in _y("cat")[:3].tolist())
    widget.fault = "causal_mask"
    masked = first()
    widget.selection.picture = "rocket"
    assert first() == masked
    widget.fault = "none"
    assert first() != masked and first() == ", ".join(fixed(v) for v in _y("rocket")[:3].tolist())


def _y(name: str) -> torch.Tensor:
    """The right y of a sample picture, (D,)."""
    return read("dinov2-small", open_sample(name)).trace.y[0]
