"""other_sizes.py against the library at other sizes, NumPy, and what each mistake must do."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image

from widgets.checkpoints.loading import load
from widgets.experiments.other_sizes import (
    RESIZES,
    WAYS,
    answer,
    answers,
    by_resize,
    passes,
    reference_side,
    resize_differences,
    resized_table,
    shorter_sides,
    similarity_of,
)
from widgets.model.library import weights_of
from widgets.model.positions import cosine_similarity_map, interpolate_positions
from widgets.pictures import decode, open_sample, prepare

DINO = "dinov2-small"


def picture_of(width: int, height: int):
    noise, sent = np.random.default_rng(0).integers(0, 255, (height, width, 3), dtype=np.uint8), BytesIO()
    Image.fromarray(noise).save(sent, "PNG")
    return decode(sent.getvalue(), "noise.png")


@pytest.mark.parametrize(("picture", "side"), [("cat", 112), ("coffee", 168)])
def test_y_at_another_size_is_the_librarys(picture: str, side: int) -> None:
    """The whole library model at that size, with its own interpolation: on a square picture and one that is not."""
    found = answer(DINO, open_sample(picture), "interpolated", side)
    checkpoint = load(DINO)
    x = torch.from_numpy(checkpoint.preparation.apply(prepare(open_sample(picture), 14, side)))[None]
    with torch.no_grad():
        theirs = checkpoint.model(x, interpolate_pos_encoding=True).last_hidden_state[0, 0]
    assert found.image_size == tuple(x.shape[2:]) and found.grid == (x.shape[2] // 14, x.shape[3] // 14)
    assert float((found.y - theirs).abs().max()) < 1e-3 and not torch.equal(found.y, found.y * 0)


def test_the_reference_is_like_itself_and_for_the_cat_a_fitted_table_beats_the_others() -> None:
    """For the cat: test_sample_sizes.py has pictures for which it does not."""
    cat = open_sample("cat")
    found = {(way, side): answer(DINO, cat, way, side).cosine for way in WAYS for side in (112, 224, 518)}
    assert found["interpolated", 518] == pytest.approx(1, abs=1e-5) == found["cut off", 518]
    for side in (112, 224):
        assert found["interpolated", side] > 0.85 > 0.6 > found["cut off", side] > 0 and found["none", side] < 0.6
    assert found["none", 518] < 0.6
    for side in (168, 336, 448):
        fitted, *others = (answer(DINO, cat, way, side).cosine for way in WAYS)
        assert fitted > 0.9 > 0.7 > max(others)


def test_a_cosine_is_numpys() -> None:
    cat = open_sample("cat")
    a, b = (answer(DINO, cat, "interpolated", side).y.double().numpy() for side in (112, 518))
    assert answer(DINO, cat, "interpolated", 112).cosine == pytest.approx(
        a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-5
    )


def test_where_the_table_has_too_few_rows_there_is_no_answer() -> None:
    found = answer("random-b16", open_sample("cat"), "cut off", 256)
    assert found.grid == (16, 16) and found.y is None and found.cosine is None
    assert answer("random-b16", open_sample("cat"), "cut off", 192).y is not None


def test_sizes_end_at_the_tables_own_and_the_reference_is_run_first() -> None:
    cat = open_sample("cat")
    assert shorter_sides(14, (37, 37), cat) == [112, 168, 224, 336, 448, 518] and reference_side(DINO, cat) == 518
    assert shorter_sides(16, (14, 14), cat) == [128, 192, 224, 256, 384] and reference_side("random-b16", cat) == 224
    todo = passes(DINO, cat)
    assert todo[0] == ("interpolated", 518) and len(todo) == len(set(todo)) == 18


def test_a_long_picture_is_not_run_twice_at_one_size() -> None:
    long = picture_of(1500, 100)  # at 518 px it would have 20,000 patches
    sides = shorter_sides(14, (37, 37), long)
    sizes = [prepare(long, 14, side).shape for side in sides]
    assert len(sizes) == len(set(sizes)) < 6 and reference_side(DINO, long) == sides[-1]
    assert sizes[-1][1] * sizes[-1][2] <= 3136 * 14**2


def test_answers_are_the_passes_in_their_order() -> None:
    small = picture_of(60, 40)
    found = [next(one) for one in [answers("random-b16", small)] for _ in range(2)]
    assert [(one.way, min(one.image_size)) for one in found] == passes("random-b16", small)[:2]
    assert found[0].cosine == pytest.approx(1, abs=1e-6)


def test_every_way_to_interpolate_is_tried_on_the_model() -> None:
    found = by_resize(DINO, open_sample("cat"), 112)
    assert list(found) == list(RESIZES) and found["bicubic"] == pytest.approx(1, abs=1e-6)
    w = weights_of(load(DINO).model)
    assert min(found.values()) < found["bilinear"] < 1
    assert torch.equal(
        resized_table(w.positions, w.grid, (8, 8), "bicubic, antialiased"),
        interpolate_positions(w.positions, w.grid, (8, 8), "bicubic", antialias=True),
    )


def test_differences_by_hand() -> None:
    w = weights_of(load(DINO).model)
    found = resize_differences(w.positions, w.grid, (16, 24))
    right, rows = (
        interpolate_positions(w.positions, w.grid, (16, 24), method)[1:].double().numpy()
        for method in ("bicubic", "zoom")
    )
    cosines = (right * rows).sum(1) / np.linalg.norm(right, axis=1) / np.linalg.norm(rows, axis=1)
    one = found["linear, corner on corner"]
    assert one.mean_cosine == pytest.approx(cosines.mean(), abs=1e-6) and one.lowest_cosine == pytest.approx(
        cosines.min(), abs=1e-6
    )
    assert one.largest_difference == pytest.approx(np.abs(right - rows).max(), abs=1e-7)
    assert found["bicubic"].largest_difference == 0


def test_one_similarity_map_is_a_row_of_all() -> None:
    w = weights_of(load(DINO).model)
    every = cosine_similarity_map(w.positions, (37, 37))
    assert torch.allclose(similarity_of(w.positions, (37, 37), (5, 30)), every[5 * 37 + 30], atol=1e-5)


def test_unknown_ways_are_answered() -> None:
    with pytest.raises(ValueError, match="no way 'cropped': use one of interpolated, cut off, none"):
        answer(DINO, open_sample("cat"), "cropped", 224)
    with pytest.raises(ValueError, match="no way 'cubic': use one of bicubic"):
        resized_table(torch.zeros(10, 2), (3, 3), (2, 2), "cubic")
