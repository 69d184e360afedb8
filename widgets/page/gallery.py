"""Every part in its states, and every colour: where the visual language is looked at before it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import panel as pn

import widgets
from widgets.common.typed_number import RULE
from widgets.kit.answering import STAYS
from widgets.parts import (
    CodeCopy,
    EditableMatrices,
    FieldSheet,
    HeadMaps,
    LedgerTable,
    Line,
    Matrix,
    MatrixView,
    NumberTable,
    Part,
    PatchCrops,
    PatternRow,
    PatternWall,
    PictureGrid,
    PictureUpload,
    Plot,
    RangeSlider,
    RowFlow,
    Series,
    StepBar,
    TextFile,
    TokenCurves,
    TokenStrip,
    controls,
    theme,
)
from widgets.patches.patch_hover import PatchHover
from widgets.pictures import open_sample, prepare
from widgets.positions.grid_field import GridField
from widgets.positions.position_similarity import PositionSimilarity
from widgets.positions.table_on_grid import TableOnGrid

STATE_WORDS = {
    "empty": "No picture yet. Choose one above.",
    "loading": "Loading the model: about two seconds.",
    "refused": f"A 225 × 224 px picture does not cut into patches of 16 px. {STAYS}",
    "failed": "The model could not be read. Run “python -m widgets fetch dinov2-small”, then reload this page.",
}


@dataclass(frozen=True)
class Specimen:
    """One part in one state."""

    name: str
    build: Callable[[], pn.viewable.Viewable]


def specimens() -> Iterator[Specimen]:
    """Every part and state, in the order the page shows them."""
    yield Specimen("Picture grid: square, 16 px", lambda: _grid("cat", 16))
    yield Specimen("Picture grid: not square, 56 px", lambda: _grid("coffee", 56))
    yield Specimen("Picture grid: coloured by a map", _coloured)
    for state, sentence in STATE_WORDS.items():
        yield Specimen(f"Picture grid: {state}", lambda s=state, w=sentence: _in_state(_grid("cat", 28), s, w))
    yield Specimen("Token strip: patches", lambda: _strip(16))
    yield Specimen("Token strip: short, with the class token", lambda: _strip(56, show_prefix=True))
    yield Specimen("Matrix: small and signed", lambda: _matrix(_signed(4, 6), "q", row_name="token"))
    yield Specimen("Matrix: small, weights", lambda: _matrix(_weights(5), "A", row_name="query", column_name="key"))
    yield Specimen("Matrix: large and signed", lambda: _matrix(_signed(197, 64), "q", row_name="token"))
    yield Specimen("Matrix: one row of many", lambda: _matrix(_signed(1, 40), "z"))
    yield Specimen("Position map: one position, and the class token's button", lambda: _positions()["learned"])
    yield Specimen("Position map: a lattice that grids of any size share", _lattice)
    yield Specimen("Map tiles: every map at its own place", lambda: _positions()["tiles"])
    yield Specimen("Pixels of a patch", lambda: PatchHover(patch_size=28)._parts["pixels"])
    yield Specimen("Head maps: three heads", _heads)
    yield Specimen("A patch in several pictures", _crops)
    yield Specimen("Patterns in a row, each with a number", _pattern_row)
    yield Specimen("Patterns on a wall", _pattern_wall)
    yield Specimen("Number table", _table)
    yield Specimen("Plot: dots and a line", _dots)
    yield Specimen("Plot: two histograms", _histograms)
    yield Specimen("Curves of a token over the layers", _curves)
    yield Specimen("Step bar", _bar)
    yield Specimen(
        "Step bar: refused",
        lambda: _in_state(_bar(), "refused", f"The patches of this picture are too alike. {STAYS}"),
    )
    yield Specimen("Row flow: a sum, and the strongest of many", _flow)
    yield Specimen("Editable matrices", _editable)
    yield Specimen("Editable matrices: refused", _refused_cell)
    yield Specimen("Fields: one refused, with offers", _fields)
    yield Specimen("Ledger: a line chosen, two bars a line", _ledger)
    yield Specimen("A text to save as a file", lambda: TextFile(text="a,b\n1,2\n", file_name="example.csv"))
    yield Specimen("Code to copy", lambda: CodeCopy(code="print(1 + 1)\n"))
    yield Specimen("Upload: ready", lambda: PictureUpload(lambda data, name: None))
    yield Specimen("Upload: refused", _refused_upload)
    yield Specimen("Grid field: refused", _refused_grid)
    yield Specimen(
        "Slider: numbers", lambda: RangeSlider(label="Numbers kept, k", start=1, end=64, value=16, width=220)
    )
    yield Specimen(
        "Slider: a list, and not to be used now",
        lambda: RangeSlider(label="D_h", end=2, value=1, texts=["2", "64", "512"], disabled=True, width=220),
    )
    yield Specimen("Controls", _controls)


def page() -> pn.viewable.Viewable:
    """The gallery as a page. The light and the dark theme are one switch apart, at the head of every page."""
    column = pn.Column(sizing_mode="stretch_width", max_width=1040, styles={"gap": "28px"}, margin=0)
    column.append(pn.pane.HTML(_swatches(), sizing_mode="stretch_width", margin=0))
    for specimen in specimens():
        column.append(pn.Column(_heading(specimen.name), specimen.build(), sizing_mode="stretch_width", margin=0))
    for name in widgets.WIDGETS:
        column.append(
            pn.Column(_heading(f"{name}, whole"), getattr(widgets, name)(), sizing_mode="stretch_width", margin=0)
        )
    return column


def _heading(text: str) -> pn.pane.HTML:
    return pn.pane.HTML(
        f'<h2 style="font:600 15px system-ui, sans-serif;color:var(--vit-accent);margin:0 0 8px">{text}</h2>',
        sizing_mode="stretch_width",
        margin=0,
    )


def _swatches() -> str:
    """The colours with their names, in the theme of the page, and the three scales."""
    cells = "".join(
        '<div style="flex:1 1 110px"><div style="height:36px;border:1px solid'
        f' var(--vit-line);background:var(--vit-{name})"></div><span style="font:13px system-ui,'
        f' sans-serif;color:var(--vit-ink)">{name}</span></div>'
        for name in theme.COLOURS
    )
    return f'<div style="display:flex;flex-wrap:wrap;gap:12px">{cells}</div>'


def _grid(picture: str, patch_size: int, **state: object) -> PictureGrid:
    sample = open_sample(picture)
    return PictureGrid(
        title="Hover a patch",
        alt=sample.alt,
        patch_size=patch_size,
        caption=f"{sample.title}, patches of {patch_size} px.",
        **PictureGrid.picture(prepare(sample, patch_size)),
        **state,
    )


def _coloured() -> PictureGrid:
    grid = _grid("cat", 28)
    rows, columns = grid.picture_height // 28, grid.picture_width // 28
    places = np.indices((rows, columns)).reshape(2, -1).T  # (N, 2)
    distance = np.linalg.norm(places[:, None] - places[None], axis=-1)  # (N, N)
    grid.param.update(
        maps=distance.astype(np.float16).tobytes(), maps_high=float(distance.max()), maps_name="distance in patches"
    )
    return grid


def _in_state(part: Part, state: str, sentence: str) -> Part:
    part.param.update(status=state, message=sentence)
    return part


def _strip(patch_size: int, **state: object) -> TokenStrip:
    return TokenStrip(
        title="The sequence",
        patch_size=patch_size,
        prefix=1,
        selected=5,
        **state,
        **PictureGrid.picture(prepare(open_sample("cat"), patch_size)),
    )


def _matrix(values: np.ndarray, symbol: str, **state: object) -> MatrixView:
    return MatrixView(
        symbol=symbol,
        caption="Random numbers, seeded: an example, no model.",
        selected=1,
        **state,
        **MatrixView.matrix(values),
    )


def _positions() -> dict[str, Part]:
    return PositionSimilarity(selection=widgets.Selection())._parts


def _signed(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(rows, columns))


def _weights(side: int) -> np.ndarray:
    powers = np.exp(_signed(side, side))
    return powers / powers.sum(1, keepdims=True)


def _bar() -> StepBar:
    return StepBar(
        blocks=[
            {"name": "First", "steps": ["Cut", "Flatten"]},
            {"name": "Second", "steps": ["Norm", ["Mix", "⇄"], "Add"]},
        ],
        step=3,
        done=[0, 2],
        mark_means="⇄ tokens meet",
    )


def _flow() -> RowFlow:
    z, A = _signed(5, 8), _weights(5)
    order = np.argsort(-A, 1)[:, :3]
    said = {"first": 0, "digits": 3, "heads": [], "one": False, "hue": "ink"}
    lines = [
        {"symbol": "z_0", "says": "comes in", "values": z[:, :6], "columns": 8, "scale": "z", "kind": "signed", **said},
        {
            "symbol": "A",
            "says": "goes out: its 3 largest",
            "values": np.take_along_axis(A, order, 1),
            "columns": 5,
            "scale": "A",
            "kind": "weight",
            "picks": order,
            **said,
        },
    ]
    return RowFlow(
        prefix=1,
        selected=2,
        tokens=["class token", *(f"patch {n}" for n in range(4))],
        caption="Random numbers, seeded: an example, no model.",
        **RowFlow.flow(lines),
    )


def _heads() -> HeadMaps:
    sample = open_sample("coffee")
    weights = np.stack([np.roll(_weights(1 + 24), head, axis=0) for head in range(3)])  # (k, T, T)
    patches = weights[..., 1:]
    facts = np.stack([weights[..., 0], patches.sum(-1), weights.sum(-1), patches.max(-1), patches.argmax(-1)], -1)
    return HeadMaps(
        title="Hover a patch",
        alt=sample.alt,
        patch_size=56,
        prefix=1,
        selected=6,
        head=1,
        head_names=["Head 1", "Head 2", "Head 3"],
        caption="Random weights, seeded: an example, no model.",
        **HeadMaps.picture(prepare(sample, 56)),
        **HeadMaps.layer(weights, facts, patches.max((0, 2))),
    )


def _noise(count: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(count, 3, 8, 8))  # (M, C, P, P)


def _crops() -> PatchCrops:
    pixels = prepare(open_sample("cat"), 28)
    return PatchCrops(
        title="The patch",
        patch_size=28,
        selected=17,
        names=["as it is", "as a negative"],
        **PatchCrops.pictures(np.stack([pixels, 255 - pixels])),
    )


def _pattern_row() -> PatternRow:
    return PatternRow(
        title="Patterns",
        heads=["1", "2", "3", "4"],
        by_token=_signed(5, 4).astype(np.float32).tobytes(),
        high=2.0,
        lit=3,
        digits=2,
        selected=1,
        caption="Random numbers, seeded. The last is not in use.",
        **PatternRow.drawn(_noise(4)),
    )


def _pattern_wall() -> PatternWall:
    return PatternWall(
        title="Click a pattern",
        names=[f"pattern {m}" for m in range(60)],
        selected=7,
        caption="Random numbers, seeded: an example, no model.",
        **PatternWall.drawn(_noise(60)),
    )


def _table() -> NumberTable:
    return NumberTable(
        names=["patch n", "row", "column"],
        by_token=[["17", "1", "3"]],
        fixed=[("entries of one attention table, T²", "38,809")],
        caption="A table with numbers that follow and numbers that stay.",
    )


def _editable() -> EditableMatrices:
    x = _signed(2, 3).round(1)
    sums = [[[(f"2×{a}".replace("-", "−"), "query")] for a in row] for row in x.tolist()]
    sheet = EditableMatrices(
        lambda key, row, column, text: None,
        chosen="y 1 2",
        caption="An example, no model: y = 2 x. Nothing answers here.",
    )
    sheet.show(
        [
            Line("Some can be edited", [Matrix("x", x, editable=True, hue="query")]),
            Line("Others follow", [Matrix("y", 2 * x, kind="signed", sums=sums, made_of=(("x", "i", "j"),))]),
        ]
    )
    return sheet


def _refused_cell() -> EditableMatrices:
    sheet = _editable()
    sheet.refuse("x", 0, 1, f"“1,5”: did you mean 1.5? {RULE} The cell keeps −0.1.")
    return sheet


def _dots() -> Plot:
    x = np.array([2, 4, 8, 16, 32, 64])
    plot = Plot(
        title="Hover a point", x_label="x", y_label="y", caption="A curve and points beside it: an example, no model."
    )
    plot.update(
        [
            Series("points", x, 1.05 * np.sqrt(x), kind="dots", hue="query"),
            Series("curve", x, np.sqrt(x), hue="key", dash=True),
        ],
        vertical=[(16, "a place")],
    )
    return plot


def _histograms() -> Plot:
    plot = Plot(
        title="Hover a bar",
        x_label="value",
        y_label="how many",
        caption="Random numbers, seeded: an example, no model.",
    )
    bars = [
        (name, hue, np.histogram(_signed(20, 25) * width, 24))
        for name, hue, width in (("narrow", "value", 1), ("wide", "key", 2))
    ]
    plot.update(
        [
            Series(name, (edges[1:] + edges[:-1]) / 2, counts, kind="bars", hue=hue, dash=name == "wide")
            for name, hue, (counts, edges) in bars
        ]
    )
    return plot


def _fields() -> FieldSheet:
    sheet = FieldSheet(lambda changes: None, caption="An example, no model. Nothing answers here.")
    sheet.show(
        [
            {
                "key": "D",
                "symbol": "D",
                "name": "Width",
                "value": "768",
                "note": "12 heads of 64",
                "options": [],
                "more": False,
            },
            {
                "key": "mlp",
                "symbol": "",
                "name": "MLP",
                "value": "no",
                "note": "",
                "options": [["no", "two matrices"], ["yes", "three"]],
                "more": True,
            },
        ]
    )
    sheet.refuse(
        "D",
        "770",
        "Width D must be a multiple of the 12 heads, and 770 is not.",
        [("768", {"D": "768"}), ("780", {"D": "780"})],
    )
    return sheet


def _ledger() -> LedgerTable:
    lines = [
        {
            "key": key,
            "name": key,
            "formula": formula,
            "worked": worked,
            "cells": [count, total],
            "bars": [[share, "query"], [share / 2, "key"]],
        }
        for key, formula, worked, count, total, share in (
            ("first", "2 D_ff", "2 × 10", "20", "20", 0.4),
            ("second", "3 D_ff", "3 × 10", "30", "50", 0.6),
        )
    ]
    return LedgerTable(
        title="Choose a line",
        lines=lines,
        heads=["count", "running total"],
        foot=["Total", "50", ""],
        chosen="second",
        caption="An example, no model.",
    )


def _refused_upload() -> PictureUpload:
    upload = PictureUpload(lambda data, name: None)
    upload.refuse(f"That file is not a picture. {STAYS}")
    return upload


def _refused_grid() -> GridField:
    field = GridField(label="To grid", grid=(16, 24))
    field._field.value = "3.7"
    return field


def _lattice() -> pn.viewable.Viewable:
    maps = TableOnGrid()._parts
    return pn.Row(maps["before"], maps["after"])


def _controls() -> pn.viewable.Viewable:
    return controls.row(*PatchHover()._controls())


def _curves() -> TokenCurves:
    values = np.exp(np.cumsum(_signed(40, 9), axis=1) / 4)  # (tokens, points)
    return TokenCurves(
        title="Curves",
        y_label="length",
        prefix=1,
        selected=5,
        caption="Random numbers, seeded: an example, no model.",
        **TokenCurves.curves(values, np.quantile(values[1:], (0.25, 0.5, 0.75), axis=0), 0),
    )
