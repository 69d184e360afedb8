"""PositionSimilarity without a browser: its maps are cosine_similarity_map's, its words and measures are theirs."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image

from widgets.checkpoints.loading import load
from widgets.kit.selection import Selection
from widgets.model.library import weights_of
from widgets.model.positions import cosine_similarity_map, interpolate_positions, sincos_2d
from widgets.positions.position_similarity import NAMES, STORED, PositionSimilarity


@pytest.fixture
def widget() -> PositionSimilarity:
    return PositionSimilarity(selection=Selection())


def maps_of(widget: PositionSimilarity, name: str) -> np.ndarray:
    part = widget._parts[name]
    return np.frombuffer(part.maps, dtype=np.float16).reshape(-1, part.rows, part.columns)


def own_table(checkpoint: str, grid: tuple[int, int]) -> torch.Tensor:
    w = weights_of(load(checkpoint).model)
    return interpolate_positions(w.positions, w.grid, grid).detach()


@pytest.mark.parametrize(
    ("picture", "checkpoint", "grid"),
    [("cat", "dinov2-small", (16, 16)), ("coffee", "dinov2-small", (16, 24)), ("photographer", "random-b16", (14, 14))],
)
def test_the_learned_map_is_that_of_the_models_own_table(
    widget, picture: str, checkpoint: str, grid: tuple[int, int]
) -> None:
    widget.selection.param.update(picture=picture, checkpoint=checkpoint)
    maps, table = maps_of(widget, "learned"), own_table(checkpoint, grid)
    expected = cosine_similarity_map(table, grid).numpy()
    assert maps.shape == (1 + grid[0] * grid[1], *grid)
    assert np.abs(maps[1:] - expected).max() < 2e-3  # sent as float16
    of_class = torch.cosine_similarity(table[:1], table[1:]).reshape(grid).numpy()
    assert np.abs(maps[0] - of_class).max() < 2e-3
    caption = widget._parts["learned"].caption
    assert load(checkpoint).title in caption
    assert ("never trained" in caption) == (checkpoint == "random-b16")
    assert ("37 × 37, interpolated to" in caption) == (checkpoint == "dinov2-small")


def test_the_formula_is_the_formula(widget) -> None:
    expected = cosine_similarity_map(sincos_2d((16, 16), 384), (16, 16), prefix=0).numpy()
    assert np.abs(maps_of(widget, "sincos_2d")[1:] - expected).max() < 2e-3
    assert not maps_of(widget, "sincos_2d")[0].any() and "zeros" in widget.said("sincos_2d")[0]


@pytest.mark.parametrize("table", [*NAMES, STORED])
def test_every_tile_is_the_map_of_its_own_token(widget, table: str) -> None:
    widget.table = table
    part = widget._parts["tiles"]
    similar, _, grid = widget.similarity(table)
    tiles = np.frombuffer(part.maps, dtype=np.float16).reshape(-1, *grid)
    assert len(tiles) == len(part.names) == 64 and part.across == 8
    stride = {STORED: 5}.get(table, 2)
    for i in (0, 9, 63):
        n = i // 8 * stride * grid[1] + i % 8 * stride
        assert np.abs(tiles[i] - similar[1 + n].reshape(grid)).max() < 2e-3
        assert part.names[i].endswith(f"row {n // grid[1]}, column {n % grid[1]}")
        assert part.tokens == [] or part.tokens[i] == 1 + n, "a tile of another grid follows no token"
    assert bool(part.tokens) == (table != STORED)


def test_the_four_are_told_apart_by_their_measures(widget) -> None:
    rows = widget.facts()
    learned, one, two, chance = (rows[NAMES[kind]] for kind in NAMES)
    assert learned[0] + learned[1] > 0.9 and min(learned[:2]) > 0.3  # rows and columns
    assert one[0] > 0.9 and one[1] < 0.01  # rows alone
    assert abs(two[2] - two[3]) < 1e-3 and two[4] > 0.7  # both, and all far places alike
    assert chance[0] + chance[1] < 0.2 and abs(chance[2]) < 0.01  # neither
    shown = np.frombuffer(widget._parts["facts"].values, dtype=np.float32).reshape(5, 5)
    assert np.allclose(shown[:4], [learned, one, two, chance], atol=6e-4)


def test_what_is_said_of_a_position_is_its_maps_highest_cell(widget) -> None:
    similar = maps_of(widget, "learned")[1 + 17].astype(np.float64).ravel()
    similar[17] = -2
    best = int(similar.argmax())
    assert widget.said("learned")[18].startswith(
        f"Most alike: row {best // 16}, column {best % 16} (cosine {similar[best]:.2f}"
    )


def test_a_scale_of_its_own_is_each_tables_own(widget) -> None:
    widget.scale = "own"
    for name in NAMES:
        part = widget._parts[name]
        assert (
            part.high == 1
            and part.low == pytest.approx(float(maps_of(widget, name).min()), abs=2e-3)
            and part.kind == "weight"
        )
    widget.scale = "same"
    assert {(widget._parts[name].low, widget._parts[name].kind) for name in NAMES} == {(-1, "signed")}


def test_radio_buttons_stay_while_they_are_used_and_stored_is_offered_where_it_is_another(widget) -> None:
    before = widget._radio.objects[0]
    widget.table = STORED
    assert widget._radio.objects[0] is before
    widget.selection.checkpoint = "random-b16"  # its table is made for this grid
    assert widget.table == "learned" and STORED not in widget._radio.objects[0][1].options.values()


def test_it_begins_at_a_patch_but_an_address_is_kept(widget) -> None:
    assert widget.selection.token == 1 + 5 * 16 + 5 == widget._parts["tiles"].selected
    assert PositionSimilarity(selection=Selection(token=18)).selection.token == 18


def test_a_place_is_kept_when_the_grid_is_another_one(widget) -> None:
    widget._parts["learned"].selected = 1 + 8 * 16 + 12
    widget.selection.picture = "coffee"
    assert widget.similarity("learned")[2] == (16, 24) and widget.selection.token == 1 + 8 * 24 + 18
    widget.selection.checkpoint = "random-b16"
    assert widget.similarity("learned")[2] == (14, 21) and widget.selection.token == 1 + 7 * 21 + 16
    assert widget._parts["learned"].selected == widget._parts["tiles"].selected == widget.selection.token
    widget._parts["learned"].selected = 0
    widget.selection.picture = "cat"
    assert widget.selection.token == 0, "the class token has no place to keep"


def test_an_untrained_table_is_not_said_to_be_single_cells_where_resizing_has_mixed_them(widget) -> None:
    widget.selection.checkpoint = "random-b16"
    assert widget._parts["learned"].caption.startswith("Look for a single cell")
    widget.selection.picture = "coffee"
    assert "making it larger mixes each place" in widget._parts["learned"].caption
    similar, _, grid = widget.similarity("learned")
    n = 7 * grid[1] + 10
    assert max(similar[1 + n, n - 1], similar[1 + n, n + 1]) > 0.3, "and so they are alike"


def test_a_click_reaches_every_part_and_the_words(widget) -> None:
    widget._parts["random"].selected = 18
    assert widget.selection.token == 18
    assert {widget._parts[name].selected for name in ("picture", *NAMES, "tiles")} == {18}
    assert "patch 17, row 1, column 1" in widget.describe().sentence


@pytest.mark.parametrize("checkpoint", ["resnet", "vit-b16"])
def test_a_checkpoint_that_is_not_here_is_answered_and_the_last_maps_stay(widget, checkpoint: str) -> None:
    from widgets.checkpoints.loading import available

    if checkpoint in available():
        checkpoint = "resnet"
    before = widget._parts["learned"].maps
    widget.selection.checkpoint = checkpoint
    assert widget._parts["picture"].status == "refused" and len(widget._parts["picture"].message) > 20
    assert widget._parts["learned"].maps == before and widget.describe().table == []
    assert len(widget.still().texts[0].get_text()) > 20, "the preview says it too"
    widget.selection.checkpoint = "dinov2-small"
    assert widget._parts["picture"].status == "ready"


def test_a_picture_of_too_many_patches_is_refused_in_words(widget) -> None:
    sent = BytesIO()
    Image.new("RGB", (1600, 200)).save(sent, "PNG")
    widget.choice.take(sent.getvalue(), "long.png")
    assert "choose a picture with at most 800" in widget._parts["picture"].message
    assert maps_of(widget, "learned").shape == (257, 16, 16)
