"""positions.py against sums written out, NumPy's interp, and the library's own interpolation."""

from __future__ import annotations

import math
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.small_models import library_vit
from widgets.checkpoints.loading import load
from widgets.model.library import weights_of
from widgets.model.positions import METHODS, cosine_similarity_map, interpolate_positions, sincos_1d, sincos_2d

GRIDS = st.tuples(st.integers(1, 6), st.integers(1, 6))


@given(GRIDS, st.integers(0, 3), st.sampled_from(list(METHODS)))
@settings(max_examples=50, deadline=None)
def test_the_same_grid_changes_nothing(grid: tuple[int, int], prefix: int, method: str) -> None:
    table = torch.randn(prefix + grid[0] * grid[1], 5)
    same = interpolate_positions(table, grid, grid, method, prefix=prefix)
    assert torch.equal(same, table) and same.data_ptr() != table.data_ptr()


@given(GRIDS, GRIDS, st.integers(0, 2), st.sampled_from(list(METHODS)))
@settings(max_examples=60, deadline=None)
def test_the_prefix_is_kept_and_a_constant_stays_one(
    old: tuple[int, int], new: tuple[int, int], prefix: int, method: str
) -> None:
    table = torch.full((prefix + old[0] * old[1], 3), 2.5)
    table[:prefix] = torch.randn(prefix, 3)
    resized = interpolate_positions(table, old, new, method, prefix=prefix)
    assert resized.shape == (prefix + new[0] * new[1], 3)
    assert torch.equal(resized[:prefix], table[:prefix])
    assert torch.allclose(resized[prefix:], torch.tensor(2.5), atol=1e-5)


def test_rows_and_columns_keep_their_places() -> None:
    """A table that says its own row and column must still say it, on a grid that is not square."""
    rows, columns = torch.meshgrid(torch.arange(4.0), torch.arange(6.0), indexing="ij")
    table = torch.stack([rows.flatten(), columns.flatten()], 1)
    finer = interpolate_positions(table, (4, 6), (8, 12), "bilinear", prefix=0).reshape(8, 12, 2)
    # the centre of fine cell i lies at (i + 0.5) / 2 - 0.5 of the old cells
    assert torch.allclose(finer[2:6, 5, 0], torch.tensor([0.75, 1.25, 1.75, 2.25]))
    assert torch.allclose(finer[3, 2:6, 1], torch.tensor([0.75, 1.25, 1.75, 2.25]))


def test_zoom_lays_corner_on_corner_as_scipys_zoom_of_order_one() -> None:
    table = torch.randn(14 * 14, 1, dtype=torch.float64)
    cells, places = table.numpy().reshape(14, 14), np.linspace(0, 13, 24)
    along_rows = np.stack([np.interp(places, range(14), row) for row in cells])
    expected = np.stack([np.interp(places, range(14), column) for column in along_rows.T]).T
    ours = interpolate_positions(table, (14, 14), (24, 24), "zoom", prefix=0)
    assert np.abs(ours.numpy().reshape(24, 24) - expected).max() < 1e-12


def cubic(distance: float, a: float = -0.75) -> float:
    """Weight of a cell at this distance from the place that is read."""
    d = abs(distance)
    return (a + 2) * d**3 - (a + 3) * d**2 + 1 if d <= 1 else a * (d**3 - 5 * d**2 + 8 * d - 4)


def test_bicubic_by_hand() -> None:
    """PyTorch's cubic with a = -0.75, between four neighbours in a row."""
    values = torch.tensor([0.0, 1.0, 3.0, 2.0])
    doubled = interpolate_positions(values[:, None], (1, 4), (1, 8), prefix=0)[:, 0]
    place = 3.5 / 2 - 0.5  # fine cell 3 lies at 1.25
    expected = sum(cubic(place - n) * float(values[n]) for n in range(4))
    assert float(doubled[3]) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("size", [(28, 28), (40, 40), (12, 44)])
def test_the_library_interpolates_as_we_do(size: tuple[int, int]) -> None:
    vit = library_vit(head=False)
    grid = (size[0] // 4, size[1] // 4)
    theirs = vit.embeddings.interpolate_pos_encoding(torch.empty(1, 1 + grid[0] * grid[1], 32), *size)[0]
    ours = interpolate_positions(vit.embeddings.position_embeddings[0], (7, 7), grid)
    assert torch.equal(ours, theirs)


@pytest.mark.parametrize("grid", [(16, 16), (24, 24), (8, 8), (16, 24), (20, 11)])
def test_the_real_table_comes_out_as_the_librarys_at_five_grids(grid: tuple[int, int]) -> None:
    """Two of them not square. The library is asked itself, with the released 37 x 37 table."""
    base = load("dinov2-small").model
    tokens = torch.empty(1, 1 + grid[0] * grid[1], 384)
    theirs = base.embeddings.interpolate_pos_encoding(tokens, grid[0] * 14, grid[1] * 14)[0]
    w = weights_of(base)
    ours = interpolate_positions(w.positions, w.grid, grid)
    assert w.grid == (37, 37) and torch.equal(ours, theirs.detach())
    assert torch.equal(ours, weights_of(load("dinov2-small", (grid[0] * 14, grid[1] * 14)).model).positions)


@pytest.mark.parametrize("grid", [(16, 16), (24, 24), (16, 24)])
def test_the_real_table_through_the_papers_code(grid: tuple[int, int]) -> None:
    """scipy's zoom of order 1 on the grid, class row kept, as the paper's JAX code; NumPy's interp where scipy is
    not."""
    w = weights_of(load("dinov2-small").model)
    cells = w.positions[1:].reshape(37, 37, 384).numpy()
    ours = interpolate_positions(w.positions, w.grid, grid, "zoom")
    assert torch.equal(ours[0], w.positions[0])
    assert np.abs(ours[1:].numpy().reshape(*grid, 384) - zoomed(cells, grid)).max() < 1e-6


def zoomed(cells: np.ndarray, grid: tuple[int, int]) -> np.ndarray:
    """(h, w, D) on another grid."""
    if find_spec("scipy"):
        from scipy.ndimage import zoom

        return zoom(cells, (grid[0] / cells.shape[0], grid[1] / cells.shape[1], 1), order=1)
    for axis, new in enumerate(grid):
        read_at = np.linspace(0, cells.shape[axis] - 1, new)
        cells = np.apply_along_axis(lambda line, at=read_at: np.interp(at, range(len(line)), line), axis, cells)
    return cells


def test_an_offset_reads_closer_together() -> None:
    """DINOv2's own code asks for 0.1 cells more: cell i is read at (i + 0.5) old / (new + 0.1) - 0.5."""
    values = torch.randn(20, generator=torch.Generator().manual_seed(0))
    read = interpolate_positions(values[:, None], (1, 20), (1, 8), "offset", prefix=0)[:, 0]
    for cell in range(1, 7):
        place = (cell + 0.5) * 20 / 8.1 - 0.5
        expected = sum(cubic(place - n) * float(values[n]) for n in range(int(place) - 1, int(place) + 3))
        assert float(read[cell]) == pytest.approx(expected, abs=1e-5)


def test_antialias_averages_when_it_shrinks() -> None:
    striped = torch.tensor([0.0, 1.0]).repeat(50)[:, None]
    smooth = interpolate_positions(striped, (1, 100), (1, 10), "bilinear", antialias=True, prefix=0)
    rough = interpolate_positions(striped, (1, 100), (1, 10), "nearest", prefix=0)
    assert torch.allclose(smooth, torch.tensor(0.5), atol=0.02) and set(rough.flatten().tolist()) == {0.0}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda t: interpolate_positions(t, (14, 14), (16, 16)),
            "the table has 50 rows, but a grid of 14 x 14 with 1 .* takes 197",
        ),
        (
            lambda t: interpolate_positions(t, (7, 7), (7, 8), "cubic"),
            "bicubic, bilinear, nearest, zoom, offset, not 'cubic'",
        ),
        (
            lambda t: interpolate_positions(t, (7, 7), (8, 8), "zoom", antialias=True),
            "antialias goes with bicubic or bilinear",
        ),
        (lambda t: interpolate_positions(t, (7, 7), (0, 8)), "rows must be a whole number, 1 or more, not 0"),
        (lambda t: interpolate_positions(t, (7, 7), 8), r"a grid is a pair \(rows, columns\), not 8"),
        (lambda t: interpolate_positions(t, (7, 7), (8, 8), prefix=-1), "prefix must be"),
        (lambda t: interpolate_positions(t[None], (7, 7), (8, 8)), r"of shape \(rows, D\)"),
        (lambda t: interpolate_positions(t.long(), (7, 7), (8, 8)), "must hold floats"),
        (lambda t: cosine_similarity_map(t, (7, 7), prefix=0), "takes 49"),
        (lambda t: sincos_1d(4, 5), "an even number"),
        (lambda t: sincos_1d(0, 4), "length must be"),
        (lambda t: sincos_2d((3, 3), 6), "a multiple of 4, not 6"),
    ],
)
def test_refusals(call, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(torch.randn(50, 8))


def test_sincos_by_hand() -> None:
    table = sincos_1d(5, 6)
    for p in range(5):
        for i in range(3):
            wave = p / 10_000 ** (2 * i / 6)
            assert table[p, 2 * i] == pytest.approx(math.sin(wave), abs=1e-6)
            assert table[p, 2 * i + 1] == pytest.approx(math.cos(wave), abs=1e-6)


def test_sincos_2d_tells_the_row_then_the_column() -> None:
    table = sincos_2d((3, 4), 8)
    assert table.shape == (12, 8)
    for n in range(12):
        row, column = divmod(n, 4)
        assert torch.equal(table[n], torch.cat([sincos_1d(3, 4)[row], sincos_1d(4, 4)[column]]))


def test_similarity_maps() -> None:
    table = torch.randn(1 + 6, 5)
    maps = cosine_similarity_map(table, (2, 3))
    assert maps.shape == (6, 2, 3)
    for n in range(6):
        for m in range(6):
            a, b = table[1 + n].numpy(), table[1 + m].numpy()
            assert float(maps[n, m // 3, m % 3]) == pytest.approx(
                a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-6
            )
    assert float(maps.abs().max()) <= 1
    # Sinusoidal positions are most alike along their own row and column (what Figure 7 finds for learned ones).
    centre = cosine_similarity_map(sincos_2d((7, 7), 32), (7, 7), prefix=0)[3 * 7 + 3]
    assert centre[3].mean() > centre[0].mean() and centre[:, 3].mean() > centre[:, 0].mean()
