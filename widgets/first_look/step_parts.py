"""What each part of the stepper shows at a step: picture, rows, pixels of the patch, whole matrix, and the bar of
steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from widgets.first_look.step_scene import EARLY, Opened, Scene
from widgets.model.patches import number_places
from widgets.model.step_rows import BRIGHT
from widgets.parts import MatrixView, PictureGrid, RowFlow

if TYPE_CHECKING:
    from widgets.model.step_rows import Rows
    from widgets.model.steps import Place

MARK = "⇄"
MOST_FLOAT32 = 100_000  # numbers of a matrix that is sent as float32; larger ones go as float16


def states(scene: Scene) -> dict[str, dict[str, Any]]:
    """What "grid", "flow", "pixels" and, where there is one, "matrix" show."""
    view, run = scene.view, scene.run
    names, prefix = run.token_names, run.trace.prefix
    cut = scene.place.step.key == "cut"
    caption = f"{scene.opened.what}. {scene.opened.origin}"
    early = scene.place.step.key in EARLY
    flow = RowFlow.flow([_line(rows) for rows in view.rows])
    found = {
        "grid": _maps(scene) | {"stand_in": early},
        "flow": (
            flow | {"tokens": names, "prefix": prefix, "class_button": not early, "caption": "" if cut else caption}
        ),
        "pixels": {"prefix": prefix, "caption": caption, **(_patches(scene.opened) if cut else {})},
    }
    return found | ({"matrix": _matrix(scene, view.whole)} if view.whole is not None else {})


def picture(opened: Opened) -> dict[str, Any]:
    """The picture with its grid of patches."""
    run = opened.run
    rows, columns = run.trace.grid
    places = np.indices((rows, columns)).reshape(2, -1).T  # (N, 2)
    _, height, width = run.pixels.shape
    return {
        **PictureGrid.picture(run.pixels),
        "patch_size": run.weights.patch_size,
        "prefix": run.trace.prefix,
        "alt": opened.picture.alt,
        "positions": places.astype(np.int32).tobytes(),
        "caption": f"{opened.picture.title}, {height} px high and {width} px wide, in {rows} × {columns} patches.",
    }


def blocks(places: list[Place], layers: int) -> list[dict[str, Any]]:
    """The blocks of a walk with their steps, for the bar."""
    found: dict[str, dict[str, Any]] = {}
    for place in places:
        label = f"{place.layer + 1}" if place.layer and layers > 4 else place.block
        block = found.setdefault(place.block, {"name": place.block, "label": label, "steps": []})
        block["steps"].append([place.step.name, MARK] if place.step.mixes else place.step.name)
    return list(found.values())


def _line(rows: Rows) -> dict[str, Any]:
    return {
        "symbol": rows.symbol,
        "says": rows.says,
        "values": rows.values,
        "columns": rows.columns,
        "first": rows.first,
        "hue": rows.hue,
        "scale": rows.scale,
        "kind": "weight" if rows.weight else "signed",
        "digits": 3,
        "picks": rows.picks,
        "heads": list(rows.heads),
        "one": rows.one,
        "top": rows.top,
    }


def _matrix(scene: Scene, whole: Rows) -> dict[str, Any]:
    kind = "float32" if whole.values.size <= MOST_FLOAT32 else "float16"
    run, shown = scene.run, whole.values.shape[1]
    square = shown == run.tokens
    rows = [f"{t + whole.first} ({name})" for t, name in enumerate(run.token_names[whole.first :])]
    some = "" if shown == whole.columns else f"The first {shown} of {whole.columns:,} columns. "
    scale = {"kind": "weight", "low": 0.0, "high": whole.top, "over": bool(whole.values.max() > whole.top)}
    scale = scale if whole.weight else {"kind": "signed", "over": False}
    return (
        MatrixView.matrix(whole.values, kind)
        | scale
        | {
            "symbol": whole.symbol,
            "row_offset": whole.first,
            "row_heads": rows,
            "column_heads": rows if square else list(whole.heads),
            "column_name": "token" if square else "number",
            "prefix": run.trace.prefix,
            "caption": f"{some}Hover a row to follow its token.",
        }
    )


def _maps(scene: Scene) -> dict[str, Any]:
    view = scene.view
    if view.maps is None:
        return {"maps": b""}
    signed = scene.place.step.key == "scores"
    high = float(np.abs(view.maps).max() if signed else np.quantile(view.maps, BRIGHT))
    return {
        "maps": view.maps.astype(np.float16).tobytes(),
        "maps_low": -high if signed else 0.0,
        "maps_high": high,
        "maps_over": bool(view.maps.max() > high),
        "maps_kind": "signed" if signed else "weight",
        "maps_name": view.maps_name,
    }


def _patches(opened: Opened) -> dict[str, Any]:
    run, P = opened.run, opened.run.weights.patch_size
    spans = [f"{c * P * P:,} to {(c + 1) * P * P - 1:,}" for c in range(3)]
    return {
        **PictureGrid.picture(run.pixels),
        "patch_size": P,
        "spans": spans,
        "values": run.trace.patches[0].numpy().astype(np.float16).tobytes(),
        "places": number_places(P, 3, False).astype(np.int32).tobytes(),
    }
