"""ResidualStream without a browser: its curves are the trace's, its choices reach the whole page, and it answers."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from widgets.block.residual_stream import CURVES, DIRECTIONS, ResidualStream
from widgets.kit.selection import Selection


@pytest.fixture
def widget() -> ResidualStream:
    return ResidualStream(selection=Selection())


def drawn(widget: ResidualStream, name: str) -> tuple[np.ndarray, np.ndarray]:
    part = widget._curves[name]
    return (
        np.frombuffer(part.values, np.float32).reshape(part.tokens, part.points),
        np.frombuffer(part.band, np.float32).reshape(3, part.points),
    )


@pytest.mark.parametrize(
    ("checkpoint", "picture"), [("dinov2-small", "cat"), ("random-b16", "coffee"), ("dinov2-small", "photographer")]
)
def test_curves_are_the_traces_lengths(checkpoint: str, picture: str) -> None:
    widget = ResidualStream(selection=Selection(checkpoint=checkpoint, picture=picture))
    t = widget.reading.trace
    states = [t.z0[0], *(layer.z[0] for layer in t.layers)]
    values, band = drawn(widget, "length")
    assert np.allclose(values, np.stack([z.double().norm(dim=1).numpy() for z in states], 1), rtol=1e-6)
    assert (
        np.allclose(band[1], np.median(values[1:], axis=0), rtol=1e-6)
        and (band[0] <= band[1]).all()
        and (band[1] <= band[2]).all()
    )
    assert np.allclose(drawn(widget, "largest")[0], np.stack([z.abs().amax(1).numpy() for z in states], 1), rtol=1e-6)
    for name, added, onto in (("attention", "msa", states), ("mlp", "mlp", [layer.z_prime[0] for layer in t.layers])):
        wanted = [
            getattr(layer, added)[0].double().norm(dim=1) / z.double().norm(dim=1)
            for layer, z in zip(t.layers, onto, strict=False)
        ]
        assert np.allclose(drawn(widget, name)[0], np.stack([w.numpy() for w in wanted], 1), rtol=1e-5)
    assert widget._grid.picture_width == widget.reading.pixels.shape[2]


def test_every_value_has_a_place_on_its_axis(widget: ResidualStream) -> None:
    for name, part in widget._curves.items():
        values, _ = drawn(widget, name)
        assert part.low < values.min() and values.max() < part.high, name
    first, second = widget._curves["attention"], widget._curves["mlp"]
    assert (first.low, first.high) == (second.low, second.high), "the two are read against each other"


@pytest.mark.parametrize(("checkpoint", "picture"), [("dinov2-small", "cat"), ("random-b16", "coffee")])
def test_directions_are_the_traces_cosines(checkpoint: str, picture: str) -> None:
    widget = ResidualStream(selection=Selection(checkpoint=checkpoint, picture=picture))
    lengths = {name: part.values for name, part in widget._curves.items()}
    widget.show = "direction"
    t = widget.reading.trace
    states = [t.z0[0].double(), *(layer.z[0].double() for layer in t.layers)]
    pairs = {
        "length": [(z, states[0]) for z in states],
        "attention": [(layer.msa[0], z) for layer, z in zip(t.layers, states, strict=False)],
        "mlp": [(layer.mlp[0], layer.z_prime[0]) for layer in t.layers],
    }
    for name, of in pairs.items():
        wanted = np.stack(
            [(a.double() * b.double()).sum(1) / a.double().norm(dim=1) / b.double().norm(dim=1) for a, b in of], 1
        )
        values, band = drawn(widget, name)
        part = widget._curves[name]
        assert np.allclose(values, wanted, atol=1e-6) and np.allclose(band[1], np.median(wanted[1:], axis=0), atol=1e-6)
        assert part.even and part.low < -1 and part.high > 1 and part.title == DIRECTIONS[name][1]
    assert [axes.get_title() for axes in widget.still().axes] == [DIRECTIONS[name][1] for name in DIRECTIONS]
    widget.show = "length"
    assert {name: part.values for name, part in widget._curves.items()} == lengths
    assert [part.title for part in widget._curves.values()] == [title for title, *_ in CURVES.values()]
    assert not any(part.even or part.caption.startswith("Below") for part in widget._curves.values())


def test_a_picture_chosen_while_directions_are_shown_gives_directions(widget: ResidualStream) -> None:
    widget.show = "direction"
    before = widget._curves["mlp"].values
    widget.selection.picture = "coffee"
    assert widget._curves["mlp"].values != before and np.abs(drawn(widget, "mlp")[0]).max() <= 1


def test_a_click_reaches_the_selection_and_every_part(widget: ResidualStream) -> None:
    widget._grid.selected = 40
    assert widget.selection.token == 40 and {part.selected for part in widget._curves.values()} == {40}
    assert "patch 39" in widget.describe().sentence
    widget._curves["mlp"].layer = 7
    assert widget.selection.layer == 6 and {part.layer for part in widget._curves.values()} == {7}
    widget._curves["length"].layer = 0
    assert widget.selection.layer == 0, "z_0 stands before the first layer"


def test_the_table_names_the_layer_in_which_most_was_added(widget: ResidualStream) -> None:
    s, row = widget.stream, widget._table.by_token[0]
    assert row[0] == "the class token" and row[3].startswith(
        f"layer {s.attention[0].argmax() + 1}: {s.attention[0].max():.3f}"
    )
    assert len(widget._table.by_token) == len(s.length)


def test_ours_against_the_library_layer_by_layer(widget: ResidualStream) -> None:
    assert len(widget.differences) == 12 and max(d.relative for d in widget.differences) < 1e-4
    absolute, relative, published = widget._agreement.series
    assert list(published.y) == [7e-6, 1.8e-3] and list(published.x) == [1, 12]
    assert list(absolute.y) == [d.absolute for d in widget.differences] and max(relative.y) < 1e-4
    assert widget.differences[-1].largest == pytest.approx(widget.stream.largest[:, -1].max(), rel=1e-5)
    low, high = (
        f"{of([d.relative for d in widget.differences]):.1e}".replace("e-0", "e-").replace("-", "−")
        for of in (min, max)
    )
    assert f"over the largest number of z, from {low} to {high}." in widget._agreement.caption


def test_another_picture_keeps_the_place() -> None:
    widget = ResidualStream(selection=Selection(picture="coffee", token=380, layer=11))
    assert widget.selection.token == 380  # row 15, column 19 of 24: 81% from the left
    widget.selection.picture = "cat"
    assert widget.selection.token == 1 + 15 * 16 + 13 == widget._grid.selected
    widget.selection.picture = "coffee"
    assert widget.selection.token == 380
    assert ResidualStream(selection=Selection(token=10**6, layer=99)).selection.layer == 11


def test_the_readers_own_picture(widget: ResidualStream) -> None:
    sent = BytesIO()
    Image.new("L", (300, 200), 90).save(sent, "PNG")
    widget.choice.take(sent.getvalue(), "grey.png")
    assert widget.reading.picture.name == "yours" and "Your picture" in widget.describe().sentence
    assert widget._grid.picture_width > widget._grid.picture_height and np.isfinite(drawn(widget, "attention")[0]).all()


def test_a_checkpoint_that_is_not_here_is_answered_and_the_last_one_stays(widget: ResidualStream) -> None:
    before = widget._curves["length"].values
    widget.selection.checkpoint = "vit-b99"
    assert (
        widget._grid.status == "refused"
        and "no checkpoint called" in widget._grid.message
        and "stays" in widget._grid.message
    )
    assert widget._curves["length"].values == before
    widget.selection.checkpoint = "dinov2-small"
    assert widget._grid.status == "ready"
    nothing = ResidualStream(selection=Selection(checkpoint="resnet"))
    assert nothing._grid.status == "refused" and nothing.still().texts and nothing.__panel__() is not None
    nothing.selection.token = 3


def test_words_and_still_name_the_token(widget: ResidualStream) -> None:
    widget.selection.param.update(token=18, layer=4)
    words = widget.describe()
    s = widget.stream
    assert (
        "patch 17 has length" in words.sentence and f"attention adds {s.attention[18, 4]:.3f} times" in words.sentence
    )
    assert (
        f"is {s.attention_cosine[18, 4]:.3f}, of what the MLP adds {s.mlp_cosine[18, 4]:.3f}".replace("-", "−")
        in words.sentence
    )
    assert f"{np.median(s.kept[1:, 5]):.3f}" == dict(words.table)["cosine of z_5 with z_0: median of the patches"]
    assert f"{np.median(s.length[1:, 5]):.3f}" == dict(words.table)["z_5, length: median of the patches"]
    assert [axes.get_title() for axes in widget.still().axes[:4]] == [title for title, *_ in CURVES.values()]
