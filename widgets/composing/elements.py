"""HoloViews elements made from one forward pass, in the course's colours. Every number is the pass's own.

Layers and heads count from 1, as on the screen; tokens from 0, where 0 is the class token. `run` is what
`experiments.kept_pass.read` gives, or its `trace`.
"""

from __future__ import annotations

from typing import Any

import holoviews as hv
import holoviews.plotting.bokeh
import numpy as np

from widgets.common.refusal import Refused
from widgets.composing.look import styled
from widgets.experiments.kept_pass import Reading
from widgets.model.inspection import token_components
from widgets.model.stream import quartiles, stream
from widgets.model.trace import Trace

CLASS, PATCHES = "class token", "patches, median"
FIRST, SECOND = "component 1", "component 2"


def attention_image(run: Reading | Trace, layer: int, head: int, query: int = 0) -> hv.Image:
    """How a query, the class token unless told, weighs the patches in one head: an image of the grid (rows, columns).

    Raises Refused for a layer, head or query that the pass does not have.
    """
    t = _trace(run)
    heads = t.layers[0].weights.shape[1]
    layer, head = _within("layer", layer, 1, len(t.layers)), _within("head", head, 1, heads)
    query = _within("query", query, 0, t.z0.shape[1] - 1)
    return _image(t.attention_map(layer - 1, head - 1, query).numpy(), layer, head, query)


def attention_maps(run: Reading | Trace, query: int = 0) -> hv.DynamicMap:
    """`attention_image` of every layer and head, with a slider for each. Raises Refused as that does.

    Drawn when it is asked for: a HoloMap of 72 images takes a minute to stand in one layout with another element.
    """
    t = _trace(run)
    query = _within("query", query, 0, t.z0.shape[1] - 1)
    heads = t.layers[0].weights.shape[1]
    maps = np.stack([layer.weights[0, :, query, t.prefix :].numpy() for layer in t.layers])  # (L, heads, N)
    maps = maps.reshape(*maps.shape[:2], *t.grid)  # a copy: the pass itself is not kept alive
    places = [hv.Dimension("layer", values=range(1, len(maps) + 1)), hv.Dimension("head", values=range(1, heads + 1))]
    return hv.DynamicMap(lambda layer, head: _image(maps[layer - 1, head - 1], layer, head, query), kdims=places)


def token_points(run: Reading | Trace, layer: int | None = None) -> hv.Points:
    """Each patch's token as a point: its first two principal components over the patches of this pass.

    `layer` counts from 1; 0 is z_0, what the first layer reads, and None the last layer's output.
    """
    return styled(hv.Points(_patches(run, layer), [FIRST, SECOND], ["row", "column"], label=_after(run, layer)))


def picture_patches(run: Reading, layer: int | None = None) -> hv.Points:
    """The patches where they lie in the picture, each in its mean colour: the partner of `token_points`.

    Both hold the same columns, so that `hv.link_selections` marks in one what is chosen in the other.
    """
    if not isinstance(run, Reading):
        raise Refused("picture_patches needs the picture too: give it what read(...) returns, not its trace.")
    columns = _patches(run, layer) | {"colour": _mean_colours(run)}
    return styled(hv.Points(columns, ["column", "row"], [FIRST, SECOND, "colour"], label=run.picture.title))


def stream_curves(run: Reading | Trace) -> hv.Overlay:
    """Length of the class token and of the patches' tokens, z_0 to z_L: median, and the band of the middle half."""
    t = _trace(run)
    length = stream(t).length  # (T, L + 1)
    layers = np.arange(length.shape[1])
    low, middle, high = quartiles(length[t.prefix :])
    where = ["layer"]
    band = hv.Area((layers, low, high), where, ["length", "upper"], label="patches, middle half")
    median = hv.Curve((layers, middle), where, "length", label=PATCHES)
    of_class = hv.Curve((layers, length[0]), where, "length", label=CLASS)
    return (styled(band) * styled(median) * styled(of_class)).opts(legend_position="top_left", backend="bokeh")


def _trace(run: Any) -> Trace:
    found = getattr(run, "trace", run)
    if not isinstance(found, Trace):
        raise Refused(f"a pass is wanted, as read(...) or trace(...) gives it, not a {type(run).__name__}.")
    return found


def _within(what: str, number: Any, least: int, most: int) -> int:
    whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    if not whole or not least <= number <= most:
        raise Refused(f"the {what} is a whole number from {least} to {most}, not {str(number)[:20]!r}.")
    return int(number)


def _image(weights: np.ndarray, layer: int, head: int, query: int) -> hv.Image:
    rows, columns = weights.shape
    bounds = (-0.5, -0.5, columns - 0.5, rows - 0.5)  # patches lie at whole numbers, and the axis is turned: 0 on top
    label = f"layer {layer}, head {head}, from {f'token {query}' if query else 'the class token'}"
    return styled(hv.Image(weights[::-1], ["column", "row"], "weight", bounds=bounds, label=label))


def _patches(run: Reading | Trace, layer: int | None) -> dict[str, np.ndarray]:
    """Columns of one table, a patch a row: two components of its token, and where it lies."""
    t = _trace(run)
    last = len(t.layers)
    at = last if layer is None else _within("layer", layer, 0, last)
    tokens = (t.layers[at - 1].z if at else t.z0)[0, t.prefix :]  # (N, D)
    first, second = token_components(tokens, 2).numpy().T
    rows, columns = np.indices(t.grid).reshape(2, -1)
    return {FIRST: first, SECOND: second, "row": rows, "column": columns}


def _after(run: Reading | Trace, layer: int | None) -> str:
    at = len(_trace(run).layers) if layer is None else layer
    return f"tokens after layer {at}" if at else "tokens before layer 1"


def _mean_colours(run: Reading) -> list[str]:
    P = run.patch_size
    C, H, W = run.pixels.shape
    means = run.pixels.reshape(C, H // P, P, W // P, P).mean(axis=(2, 4)).round().astype(int)  # (3, rows, columns)
    return [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in means.reshape(3, -1).T]
