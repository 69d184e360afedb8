"""What a reader composes with HoloViews holds the pass's own numbers, refuses what is none, and stands as a still."""

from __future__ import annotations

from io import BytesIO

import holoviews as hv
import numpy as np
import pytest
from PIL import Image

from widgets import attention_image, attention_maps, picture_patches, stream_curves, token_points
from widgets.common.refusal import Refused
from widgets.composing.composed import composed, shown_in_notebook, still
from widgets.experiments.kept_pass import Reading, read
from widgets.kit.widget import STILLS
from widgets.page.results import view
from widgets.parts.composed import TAG, Composed
from widgets.pictures import open_sample


@pytest.fixture(scope="module")
def run() -> Reading:
    return read("dinov2-small", open_sample("coffee"))  # rows and columns differ


def test_an_image_is_one_row_of_a_laid_over_the_grid(run: Reading) -> None:
    drawn = attention_image(run, layer=3, head=2, query=40)
    A = run.trace.layers[2].weights[0, 1]  # (T, T)
    rows, columns = run.trace.grid
    for row, column in ((0, 0), (2, columns - 1), (rows - 1, 5)):
        assert drawn[column, row] == A[40, 1 + row * columns + column], (row, column)
    assert drawn.dimension_values("weight").sum() == pytest.approx(float(A[40, 1:].sum()), rel=1e-5)


def test_maps_are_the_images_of_every_layer_and_head(run: Reading) -> None:
    maps = attention_maps(run)
    assert [d.name for d in maps.kdims] == ["layer", "head"]
    assert [list(d.values) for d in maps.kdims] == [list(range(1, 13)), list(range(1, 7))]
    one, same = maps[5, 6], attention_image(run, 5, 6)
    assert np.array_equal(one.dimension_values("weight"), same.dimension_values("weight")) and one.label == same.label


def test_points_are_the_first_two_components_by_numpys_svd(run: Reading) -> None:
    for layer, z in ((0, run.trace.z0), (7, run.trace.layers[6].z), (None, run.trace.layers[-1].z)):
        tokens = z[0, 1:].double().numpy()
        u, s, _ = np.linalg.svd(tokens - tokens.mean(0), full_matrices=False)
        points = token_points(run, layer)
        for number, name in enumerate(("component 1", "component 2")):
            found, wanted = points.dimension_values(name), u[:, number] * s[number]
            assert min(abs(found - wanted).max(), abs(found + wanted).max()) < 1e-3 * abs(wanted).max(), (layer, name)
    columns = run.trace.grid[1]
    assert list(points.dimension_values("row")[: columns + 1]) == [0] * columns + [1]


def test_patches_lie_where_they_were_in_their_mean_colour(run: Reading) -> None:
    drawn, P = picture_patches(run), run.patch_size
    colours = drawn.dimension_values("colour")
    for n in (0, 25, len(colours) - 1):
        row, column = divmod(n, run.trace.grid[1])
        mean = run.pixels[:, row * P : row * P + P, column * P : column * P + P].mean((1, 2)).round().astype(int)
        assert colours[n] == "#{:02x}{:02x}{:02x}".format(*mean)
        assert (drawn.dimension_values("row")[n], drawn.dimension_values("column")[n]) == (row, column)


def test_curves_are_the_lengths_of_z(run: Reading) -> None:
    of_class = next(one for one in stream_curves(run) if one.label == "class token").dimension_values("length")
    states = [run.trace.z0, *(layer.z for layer in run.trace.layers)]
    assert of_class == pytest.approx([float(np.linalg.norm(z[0, 0].double().numpy())) for z in states], rel=1e-5)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda run: attention_image(run, 0, 1), "layer is a whole number from 1 to 12, not '0'"),
        (lambda run: attention_image(run, 13, 1), "layer is a whole number from 1 to 12"),
        (lambda run: attention_image(run, 1, "first"), "head is a whole number from 1 to 6, not 'first'"),
        (lambda run: attention_image(run, 1, True), "head is a whole number"),
        (lambda run: attention_image(run, 1, 1, query=9999), "query is a whole number from 0 to"),
        (lambda run: attention_maps(run, query=-1), "query is a whole number"),
        (lambda run: token_points(run, 1.5), "layer is a whole number from 0 to 12"),
        (lambda run: token_points("cat"), "a pass is wanted"),
        (lambda run: picture_patches(run.trace), "give it what read"),
    ],
)
def test_what_a_pass_does_not_have_is_refused_in_a_sentence(run: Reading, ask, said: str) -> None:
    with pytest.raises(Refused, match=said):
        ask(run)


def test_a_selection_in_one_marks_the_same_patches_in_the_other(run: Reading) -> None:
    linked = hv.link_selections.instance()
    both = linked(picture_patches(run) + token_points(run))
    hv.render(both, backend="bokeh")
    linked.selection_expr = hv.dim("component 1") > 0
    chosen = token_points(run).dimension_values("component 1") > 0
    assert linked.filter(picture_patches(run).dframe()).index.tolist() == np.flatnonzero(chosen).tolist()


def compositions(run: Reading) -> dict[str, object]:
    return {
        "two images": attention_image(run, 12, 1) + attention_image(run, 1, 1),
        "sliders": attention_maps(run) + picture_patches(run),
        "overlay": stream_curves(run),
        "linked": hv.link_selections(picture_patches(run) + token_points(run)),
    }


def test_every_composition_stands_on_a_page_and_as_a_still(run: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, drawn in compositions(run).items():
        part = composed(drawn)
        assert isinstance(part, Composed) and part.get_root(), name
        assert isinstance(view(drawn).objects[0], Composed), "a hosted page shows the live plot"
        picture = Image.open(BytesIO(still(drawn)))
        assert picture.width <= 640 and len(picture.getcolors()) > 3, name
        monkeypatch.setenv(STILLS, "1")
        assert shown_in_notebook(drawn)["image/png"].startswith(b"\x89PNG"), name
        monkeypatch.delenv(STILLS)


def test_figures_carry_the_tag_that_the_script_looks_for(run: Reading) -> None:
    assert TAG in hv.render(attention_image(run, 1, 1), backend="bokeh").tags
