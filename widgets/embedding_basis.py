"""Embedding basis: how much of a patch k numbers keep, with this picture's own components, at random, and with a model's E."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from widgets.model.patches import patch_index, patch_position, patchify, unpatchify
from widgets.model.pictures import Picture, prepare
from widgets.page import figures
from widgets.page.model_choice import ModelChoice
from widgets.page.picture_choice import PictureChoice
from widgets.parts import NumberTable, Part, PatchCrops, PatternRow, PictureGrid, Plot, Series, controls
from widgets.widget import Description, Widget

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.model.embedding import Components

PREFIX = 1         # the class token comes before the patches in z, so patch n is token n + 1
PATCH_SIZE = 16    # of the two bases that belong to no model
MOST = 64          # end of the slider
SHOWN = 16         # patterns that are drawn
SEED = 0           # of the random E


@dataclass(frozen=True)
class Basis:
    """A picture's patches, and directions to write them in. `curve` is the share of variance kept by 1, 2, ... numbers."""

    pixels: np.ndarray       # uint8 (3, H, W)
    patch_size: int
    components: Components   # every direction there is, (most, C*P*P), with the mean patch
    coordinates: np.ndarray  # (N, most)
    curve: np.ndarray        # (most,)
    of: str                  # whose directions these are, in words

    @property
    def most(self) -> int:
        """How many directions there are."""
        return len(self.curve)

    @property
    def grid(self) -> tuple[int, int]:
        """(rows, columns) of patches."""
        return self.pixels.shape[1] // self.patch_size, self.pixels.shape[2] // self.patch_size

    @property
    def rows(self) -> np.ndarray:
        """The patches, bytes (N, C*P*P)."""
        return patchify(self.pixels, self.patch_size)

    def rebuilt(self, k: int) -> np.ndarray:
        """The patches again from their first k numbers: float64 (N, C*P*P), not yet rounded to bytes."""
        import torch

        from widgets.model.embedding import reconstruct

        return reconstruct(torch.from_numpy(self.coordinates[:, :k]), self.components).numpy()

    def errors(self, k: int) -> np.ndarray:
        """Root mean square error of every patch, in steps of a byte: (N,)."""
        import torch

        from widgets.model.embedding import rebuild_error

        return rebuild_error(torch.from_numpy(self.rows), torch.from_numpy(self.rebuilt(k))).numpy()


@lru_cache(maxsize=8)
def basis_of(picture: Picture, kind: str, checkpoint: str = "", patch_size: int = PATCH_SIZE) -> Basis:
    """The directions of one kind for a picture: "components", "random", or the columns of a checkpoint's E ("model").

    A model cuts the picture into patches of its own size.

    Raises CheckpointMissing or ValueError with a sentence when the checkpoint cannot be had.
    """
    import torch

    from widgets.model import embedding

    P, E, of = patch_size, None, f"random directions (seed {SEED})"
    if kind == "model":
        from widgets.model.checkpoints import at_hand
        from widgets.model.library import weights_of

        loaded = at_hand(checkpoint)
        filters = weights_of(loaded.model).filters
        P, of = filters.shape[-1], f"directions made from the filters of {loaded.title}"
        E = embedding.projection_of_bytes(filters, loaded.preparation.deviation)
    pixels = prepare(picture, P)
    rows = torch.from_numpy(patchify(pixels, P))
    if kind == "components":
        found, of = embedding.patch_basis(rows, min(len(rows) - 1, rows.shape[1])), f"the components of {within(picture.title)}"
    else:
        found = embedding.column_basis(rows, embedding.random_projection(rows.shape[1], rows.shape[1], SEED) if E is None else E)
    return Basis(pixels, P, found, embedding.coordinates(rows, found).numpy(), found.explained().numpy(), of)


class EmbeddingBasis(Widget):
    """Every patch of a picture as k numbers along k directions, and put together again from them."""

    title = "Keep k numbers of every patch"
    summary = "Write each patch as a mixture of a few patterns, put the picture together again, and see what is lost."

    basis = param.Selector(default="components", objects=["components", "random", "model"],
                           doc="whose directions: the picture's own principal components, random ones, or the columns of a model's E")
    keep = param.Selector(default="slider", objects=["slider", "all_but_one", "all"], doc="how many numbers are kept")
    k = param.Integer(16, bounds=(1, MOST), doc="numbers kept of every patch when `keep` is the slider")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.choice, self.models = PictureChoice(selection=self.selection), ModelChoice(selection=self.selection)
        self._slider = controls.slider(self.param.k, "Numbers kept, k", width=220)
        self._last = basis_of(self.choice.picture, "components")
        self._parts = self._make_parts()
        self._redraw()
        self.param.watch(self._redraw, ["basis", "keep", "k"])
        self.selection.param.watch(self._redraw, ["picture", "upload", "checkpoint"])
        self.selection.param.watch(self._select, ["token", "grid"])
        for part in self._parts.values():
            part.param.watch(self._chosen, ["selected"])

    # what is shown, as arrays -----------------------------------------------------------------------------

    def found(self) -> Basis:
        """The directions of the present state. Raises CheckpointMissing or ValueError with a sentence."""
        return basis_of(self.choice.picture, self.basis, self.selection.checkpoint if self.basis == "model" else "")

    def kept(self, basis: Basis) -> int:
        """How many numbers of every patch are kept."""
        return {"slider": min(self.k, basis.most), "all_but_one": basis.most - 1, "all": basis.most}[self.keep]

    def patterns(self, basis: Basis) -> np.ndarray:
        """The first directions as patterns of pixels: (16, 3, P, P)."""
        directions = basis.components.directions[:SHOWN].numpy()          # (16, C*P*P)
        return directions.reshape(len(directions), -1, basis.patch_size, basis.patch_size)

    def rebuilt(self, basis: Basis) -> np.ndarray:
        """The whole picture from the numbers kept: uint8 (3, H, W)."""
        rows = basis.rebuilt(self.kept(basis)).round().clip(0, 255).astype(np.uint8)
        return unpatchify(rows, basis.pixels.shape[1:], basis.patch_size)

    def patch(self, basis: Basis) -> int:
        """The selected patch; patch 0 stands in for the class token."""
        return min(max(self.selection.token_on(basis.grid) - PREFIX, 0), len(basis.coordinates) - 1)

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        parts, third = self._parts, {"flex": "1 1 250px", "max-width": "320px", "min-width": "0"}
        kinds = {"this picture's components": "components", "random directions": "random", "a model's E": "model"}
        keeps = {"k, from the slider": "slider", "all but one": "all_but_one", "all": "all"}
        model = pn.Row(*self.models.controls, visible=self.param.basis.rx() == "model", margin=0)
        bar = pn.FlexBox(*self.choice.controls, controls.choice(self.param.basis, "Patterns to mix", kinds, width=220), model,
                         controls.choice(self.param.keep, "Keep", keeps, width=170), self._slider, align_items="flex-end", margin=0)
        pictures = pn.FlexBox(pn.Column(parts["grid"], styles=third, margin=0), pn.Column(parts["rebuilt"], styles=third, margin=0),
                              pn.Column(parts["crops"], parts["table"], styles={"flex": "1 1 300px", "min-width": "0", "gap": "12px"}, margin=0),
                              gap="24px", align_items="flex-start")
        return pn.Column(bar, pictures, parts["patterns"], self._plot, self.text_twin(), sizing_mode="stretch_width", margin=0,
                         styles={"gap": "20px", "max-width": "var(--vit-widget-width, 1040px)"})

    def _make_parts(self) -> dict[str, Part]:
        # a channel of its own: a widget beside it may cut patches of another size, and number 17 lies elsewhere there
        shared = {"channel": f"{self.selection.channel}-embedding-basis", "prefix": PREFIX, "selected": self.patch(self._last) + PREFIX}
        self._plot = Plot(title="How much the numbers keep", x_label="numbers kept of every patch (logarithmic)",
                          y_label="share of the variance", x_log=True, y_range=(0, 1.03), height=250, text_at=74)
        return {"grid": PictureGrid(title="Hover a patch", **shared), "rebuilt": PictureGrid(title="Put together again", **shared),
                "crops": PatchCrops(**shared), "table": NumberTable(**shared),
                "patterns": PatternRow(title="What the patch is mixed from: the mean patch, plus these patterns times these numbers", size=52, **shared)}

    def _states(self, basis: Basis) -> dict[str, dict[str, Any]]:
        """What each part shows now."""
        P, k, picture, rebuilt = basis.patch_size, self.kept(basis), self.choice.picture, self.rebuilt(basis)
        places = np.array([patch_position(n, basis.grid) for n in range(len(basis.coordinates))], dtype=np.int32).tobytes()
        shared = {"patch_size": P, "positions": places}
        difference = (127.5 + (rebuilt.astype(float) - basis.pixels) / 2).round().astype(np.uint8)
        return {
            "grid": PictureGrid.picture(basis.pixels) | shared | {"alt": picture.alt, "caption": self._picture_caption(basis)},
            "rebuilt": PictureGrid.picture(rebuilt) | shared | {
                "alt": f"{picture.title}, rebuilt from {k} numbers a patch.",
                "caption": f"{picture.title} from {counted(k, 'number')} a patch, along {basis.of}; rounded to bytes to be drawn."},
            "crops": PatchCrops.pictures(np.stack([basis.pixels, rebuilt, difference])) | {
                "patch_size": P, "names": ["as it is", "rebuilt", "difference"], "caption": "Where the difference is grey, nothing is lost.",
                "title": f"The patch, and again from {counted(k, 'number')}"},
            "table": self._table(basis), "patterns": self._pattern_state(basis),
        }

    def _pattern_state(self, basis: Basis) -> dict[str, Any]:
        shown = basis.coordinates[:, :SHOWN].astype(np.float32)           # (N, 16)
        high = float(np.quantile(np.abs(shown), 0.95)) or 1.0             # the first would make all other bars vanish
        scaled = "Each is scaled symmetrically round grey: grey is 0, its largest number is drawn as strong as there is."
        model = (" They stand at right angles and span what the filters span: each is a filter without what those before it tell"
                 " already, so these numbers are not those of the token." if self.basis == "model" else "")
        return PatternRow.drawn(self.patterns(basis)) | {
            "heads": [str(m + 1) for m in range(shown.shape[1])], "by_token": shown.tobytes(), "high": high, "lit": self.kept(basis),
            "caption": f"The first {shown.shape[1]} of {basis.most:,}: {basis.of}. {scaled}{model}"
                       f" The numbers are the patch's coordinates, in steps of a byte, a bar is full at {high:,.0f}; those struck out are not kept."}

    def _table(self, basis: Basis) -> dict[str, Any]:
        k, errors = self.kept(basis), basis.errors(self.kept(basis))
        return {"names": ["patch n", "error of this patch"],
                "by_token": [[str(n), written_error(error)] for n, error in enumerate(errors)],
                "fixed": self._fixed(basis, k, errors)}

    def _fixed(self, basis: Basis, k: int, errors: np.ndarray) -> list[tuple[str, str]]:
        return [("error of the whole picture", written_error(float(np.sqrt((errors**2).mean())))),
                ("numbers kept, of " + f"{basis.rows.shape[1]:,} a patch", f"{k:,}"),
                ("directions there are", f"{basis.most:,}"),
                ("share of the variance kept", share(basis.curve[k - 1]))]

    def _picture_caption(self, basis: Basis) -> str:
        rows, columns = basis.grid
        return (f"{self.choice.picture.title}, cut into {rows} × {columns} = {rows * columns:,} patches of {basis.patch_size} px:"
                f" rows of {basis.rows.shape[1]:,} bytes. Errors are the root of the mean square, in steps of a byte.")

    def _draw_plot(self, basis: Basis) -> None:
        components, random = (basis_of(self.choice.picture, kind, "", basis.patch_size) for kind in ("components", "random"))
        series = [curve("this picture's components", components.curve, "accent"),
                  curve("random directions", random.curve, "key", dash=True)]
        if self.basis == "model":
            series.append(curve(basis.of, basis.curve, "value"))
        self._plot.update(series, vertical=[(self.kept(basis), f"you keep {self.kept(basis):,}")], caption=self._verdict(basis))

    def _verdict(self, basis: Basis) -> str:
        """What all the directions of this kind keep, and why."""
        (N, F), title = basis.rows.shape, self.choice.picture.title
        if self.basis == "components":
            return (f"{title}: {N:,} patches less their mean differ in at most {basis.most:,} directions, so {basis.most:,} numbers a patch"
                    f" rebuild this picture exactly. They were chosen for it: they do not rebuild another picture exactly.")
        if basis.most == F:
            return (f"{basis.most:,} independent directions are all that a patch of {F:,} numbers has. E has full rank: no patch of any"
                    f" picture loses anything. One direction fewer, and something is lost.")
        random = basis_of(self.choice.picture, "random", "", basis.patch_size).curve[basis.most - 1]
        return (f"Tokens of {basis.most:,} numbers for patches of {F:,}: the rank of E is below {F:,}, so some is lost. All of them together keep"
                f" {share(basis.curve[-1])} of the variance of {within(title)}; as many random directions keep {share(random)}.")

    # what changes -----------------------------------------------------------------------------------------

    def _redraw(self, *_: Any) -> None:
        self._slider.disabled = self.keep != "slider"
        try:
            basis = self.found()
        except (RuntimeError, ValueError) as refusal:
            self._parts["grid"].param.update(status="refused", message=f"{refusal} The last picture stays.")
            return
        if self.selection.grid == (0, 0):  # chosen here, or by nobody who said on which patches
            self.selection.grid = self._last.grid
        chosen, self._last = self.selection.token_on(basis.grid), basis
        with pn.io.hold():
            for name, state in self._states(basis).items():
                self._parts[name].param.update(status="ready", message="", **state)
            self._draw_plot(basis)
        if self.selection.token >= PREFIX:  # the same spot, now counted on these patches
            self.selection.param.update(token=chosen, grid=basis.grid)

    def _select(self, *_: Any) -> None:
        with pn.io.hold():
            for part in self._parts.values():
                part.selected = self.selection.token_on(self._last.grid)

    def _chosen(self, event: param.parameterized.Event) -> None:
        self.selection.choose(event.new, self._last.grid)

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """How much is kept, and the selected patch's coordinates, in words."""
        try:
            basis = self.found()
        except (RuntimeError, ValueError) as refusal:
            return Description(str(refusal), [])
        k, n, F = self.kept(basis), self.patch(basis), basis.rows.shape[1]
        errors = basis.errors(k)
        sentence = (f"{self.choice.picture.title}: {counted(k, 'number')} for each patch of {F:,}, along {basis.of}, keep {share(basis.curve[k - 1])} of"
                    f" the variance. Patch {n} comes back with an error of {written_error(errors[n])}. {self._verdict(basis)}")
        first = ", ".join(f"{v:+.1f}".replace("-", "−") for v in basis.coordinates[n, :min(k, 6)])
        return Description(sentence, [(f"first coordinates of patch {n}", first), *self._fixed(basis, k, errors)])

    def still(self) -> Figure:
        """The picture, the picture rebuilt, and the first patterns."""
        basis = self._last
        k = self.kept(basis)
        patterns = PatternRow.drawn(self.patterns(basis))
        shown = np.frombuffer(patterns["patterns"], np.uint8).reshape(-1, basis.patch_size, basis.patch_size, 3)
        return figures.pictures_and_patterns(
            [(basis.pixels, self.choice.picture.title), (self.rebuilt(basis), f"from {k:,} numbers a patch\n{share(basis.curve[k - 1])} of the variance")],
            shown, f"the first {len(shown)} of {basis.most:,} directions: {basis.of}")


def curve(name: str, kept: np.ndarray, hue: str, dash: bool = False) -> Series:
    """The share of variance over the numbers kept, at some sixty places of the logarithmic axis."""
    places = np.unique(np.geomspace(1, len(kept), 60).round().astype(int))
    return Series(name, places, kept[places - 1], hue=hue, dash=dash,
                  labels=[f"{name}: {counted(k, 'number')} keep {share(kept[k - 1])}" for k in places])


def counted(count: int, thing: str) -> str:
    """A count with its noun: 1 number, 195 numbers."""
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def within(title: str) -> str:
    """A picture's title inside a sentence."""
    return title[:1].lower() + title[1:]


def share(part: float) -> str:
    """A share as a percentage that says 100 only when nothing is missing."""
    if part > 1 - 1e-9:
        return "100% (all)"
    return f"{min(100 * part, 99.99):.2f}%" if part > 0.999 else f"{100 * part:.1f}%"


def written_error(error: float) -> str:
    """An error in steps of a byte; rounding of the computation itself is called none."""
    if error < 1e-6:
        return "0 (exact)"
    return f"{error:.2f}" if error >= 0.01 else "under 0.01"
