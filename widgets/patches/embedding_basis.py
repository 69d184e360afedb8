"""Embedding basis: how much of a patch k numbers keep, with this picture's own components, at random, and with a
model's E."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from widgets.kit import stills
from widgets.kit.answering import draws
from widgets.kit.picture_widget import PictureWidget
from widgets.kit.widget import Description
from widgets.model.patches import patch_position
from widgets.parts import NumberTable, Part, PatchCrops, PatternRow, PictureGrid, Plot, controls
from widgets.patches import kept_numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.experiments.patch_basis import Basis

PREFIX = 1  # the class token comes before the patches in z, so patch n is token n + 1
MOST = 64  # end of the slider
SHOWN = 16  # patterns that are drawn


class EmbeddingBasis(PictureWidget):
    """Every patch of a picture as k numbers along k directions, and put together again from them."""

    title = "Keep k numbers of every patch"
    summary = "Write each patch as a mixture of a few patterns, put the picture together again, and see what is lost."

    basis = param.Selector(
        default="components",
        objects=["components", "random", "model"],
        doc="whose directions: the picture's own principal components, random ones, or the columns of a model's E",
    )
    keep = param.Selector(default="slider", objects=["slider", "all_but_one", "all"], doc="how many numbers are kept")
    k = param.Integer(16, bounds=(1, MOST), doc="numbers kept of every patch when `keep` is the slider")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._slider = controls.slider(self.param.k, "Numbers kept, k", width=200)
        self._last = self._basis("components")
        self._parts = self._make_parts()
        self.draw_with(self._redraw, "basis", "keep", "k")
        self.share_token(*self._parts.values(), on=lambda: (self._last.grid, PREFIX))

    # what is shown, as arrays -----------------------------------------------------------------------------

    def found(self) -> Basis:
        """The directions of the present state. Raises CheckpointMissing or ValueError with a sentence."""
        return self._basis(self.basis, checkpoint=self.selection.checkpoint)

    def _basis(self, kind: str, **more: Any) -> Basis:
        from widgets.experiments.patch_basis import basis_of

        return basis_of(self.choice.picture, kind, **more)

    def kept(self, basis: Basis) -> int:
        """How many numbers of every patch are kept."""
        return {"slider": min(self.k, basis.most), "all_but_one": basis.most - 1, "all": basis.most}[self.keep]

    def patch(self, basis: Basis) -> int:
        """The selected patch; patch 0 stands in for the class token."""
        return min(max(self.selection.token_on(basis.grid) - PREFIX, 0), len(basis.coordinates) - 1)

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        parts, third = self._parts, {"flex": "1 1 250px", "max-width": "320px", "min-width": "0"}
        kinds = {"this picture's components": "components", "random directions": "random", "a model's E": "model"}
        keeps = {"k, from the slider": "slider", "all but one": "all_but_one", "all": "all"}
        model = pn.Row(*self.models.controls, visible=self.param.basis.rx() == "model", margin=0)
        bar = controls.row(
            *self.choice.controls,
            controls.choice(self.param.basis, "Patterns to mix", kinds, width=234),
            model,
            controls.choice(self.param.keep, "Keep", keeps, width=168),
            self._slider,
        )
        pictures = pn.FlexBox(
            pn.Column(parts["grid"], styles=third, margin=0),
            pn.Column(parts["rebuilt"], styles=third, margin=0),
            pn.Column(
                parts["crops"], parts["table"], styles={"flex": "1 1 300px", "min-width": "0", "gap": "12px"}, margin=0
            ),
            gap="24px",
            align_items="flex-start",
        )
        return self.stacked(bar, pictures, parts["patterns"], self._plot, gap=20, wide=True)

    def _make_parts(self) -> dict[str, Part]:
        # a channel of its own: a widget beside it may cut patches of another size, and number 17 lies elsewhere there
        shared = {
            "channel": f"{self.selection.channel}-embedding-basis",
            "prefix": PREFIX,
            "selected": self.patch(self._last) + PREFIX,
        }
        self._plot = Plot(
            title="How much the numbers keep",
            x_label="numbers kept of every patch (logarithmic)",
            y_label="share of the variance",
            x_log=True,
            y_range=(0, 1.03),
            height=250,
            text_at=74,
        )
        return {
            "grid": PictureGrid(title="Hover a patch", **shared),
            "rebuilt": PictureGrid(title="Put together again", **shared),
            "crops": PatchCrops(**shared),
            "table": NumberTable(**shared),
            "patterns": PatternRow(
                title="What the patch is mixed from: the mean patch, plus these patterns times these numbers",
                size=52,
                **shared,
            ),
        }

    def _states(self, basis: Basis) -> dict[str, dict[str, Any]]:
        """What each part shows now."""
        P, k, picture = basis.patch_size, self.kept(basis), self.choice.picture
        rebuilt = basis.picture(k)
        places = np.array(
            [patch_position(n, basis.grid) for n in range(len(basis.coordinates))], dtype=np.int32
        ).tobytes()
        shared = {"patch_size": P, "positions": places}
        difference = (127.5 + (rebuilt.astype(float) - basis.pixels) / 2).round().astype(np.uint8)
        return {
            "grid": (
                PictureGrid.picture(basis.pixels)
                | shared
                | {
                    "alt": picture.alt,
                    "caption": kept_numbers.cut(picture.title, basis),
                }
            ),
            "rebuilt": (
                PictureGrid.picture(rebuilt)
                | shared
                | {
                    "alt": f"{picture.title}, rebuilt from {k} numbers a patch.",
                    "caption": (
                        f"{picture.title} from {kept_numbers.counted(k)} a patch, along {basis.of}; rounded to bytes to"
                        " be drawn."
                    ),
                }
            ),
            "crops": (
                PatchCrops.pictures(np.stack([basis.pixels, rebuilt, difference]))
                | {
                    "patch_size": P,
                    "names": ["as it is", "rebuilt", "difference"],
                    "caption": "Where the difference is grey, nothing is lost.",
                    "title": f"The patch, and again from {kept_numbers.counted(k)}",
                }
            ),
            "table": self._table(basis),
            "patterns": self._pattern_state(basis),
        }

    def _pattern_state(self, basis: Basis) -> dict[str, Any]:
        shown = basis.coordinates[:, :SHOWN].astype(np.float32)  # (N, 16)
        high = float(np.quantile(np.abs(shown), 0.95)) or 1.0  # the first would make all other bars vanish
        scaled = (
            "Each is scaled symmetrically round grey: grey is 0, its largest number is drawn as strong as there is."
        )
        model = (
            " They stand at right angles and span what the filters span: each is a filter without what those before it"
            " tell already, so these numbers are not those of the token."
            if self.basis == "model"
            else ""
        )
        return PatternRow.drawn(basis.patterns(SHOWN)) | {
            "heads": [str(m + 1) for m in range(shown.shape[1])],
            "by_token": shown.tobytes(),
            "high": high,
            "lit": self.kept(basis),
            "caption": (
                f"The first {shown.shape[1]} of {basis.most:,}: {basis.of}. {scaled}{model} The numbers are the patch's"
                f" coordinates, in steps of a byte, a bar is full at {high:,.0f}; those struck out are not kept."
            ),
        }

    def _table(self, basis: Basis) -> dict[str, Any]:
        k, errors = self.kept(basis), basis.errors(self.kept(basis))
        return {
            "names": ["patch n", "error of this patch"],
            "by_token": [[str(n), kept_numbers.error_written(error)] for n, error in enumerate(errors)],
            "fixed": kept_numbers.facts(basis, k, errors),
        }

    def _draw_plot(self, basis: Basis) -> None:
        components, random = (self._basis(kind, patch_size=basis.patch_size) for kind in ("components", "random"))
        series = [
            kept_numbers.curve("this picture's components", components.curve, "accent"),
            kept_numbers.curve("random directions", random.curve, "key", dash=True),
        ]
        if self.basis == "model":
            series.append(kept_numbers.curve(basis.of, basis.curve, "value"))
        self._plot.update(
            series, vertical=[(self.kept(basis), f"you keep {self.kept(basis):,}")], caption=self._verdict(basis)
        )

    def _verdict(self, basis: Basis) -> str:
        """What all the directions of this kind keep, and why."""
        picture = self.choice.picture
        if self.basis == "components":
            return kept_numbers.all_components(picture.title, basis)
        return kept_numbers.all_columns(picture.named, basis, self._basis("random", patch_size=basis.patch_size))

    # what changes -----------------------------------------------------------------------------------------

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._parts["grid"]]

    @draws
    def _redraw(self, *_: Any) -> None:
        self._slider.disabled = self.keep != "slider"
        basis = self.found()
        before, self._last = self._last, basis
        self.selection.carry(before.grid, basis.grid)
        with pn.io.hold():
            for name, state in self._states(basis).items():
                self._parts[name].param.update(status="ready", message="", **state)
            self._draw_plot(basis)

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """How much is kept, and the selected patch's coordinates, in words."""
        basis = self.found()
        k, n, F = self.kept(basis), self.patch(basis), basis.rows.shape[1]
        errors = basis.errors(k)
        sentence = (
            f"{self.choice.picture.title}: {kept_numbers.counted(k)} for each patch of {F:,}, along {basis.of},"
            f" keep{'s' if k == 1 else ''} {kept_numbers.share(basis.curve[k - 1])} of the variance. Patch {n} comes"
            f" back with an error of {kept_numbers.error_written(errors[n])}. {self._verdict(basis)}"
        )
        first = ", ".join(f"{v:+.1f}".replace("-", "−") for v in basis.coordinates[n, : min(k, 6)])
        return Description(
            sentence, [(f"first coordinates of patch {n}", first), *kept_numbers.facts(basis, k, errors)]
        )

    def still(self) -> Figure:
        """The picture, the picture rebuilt, and the first patterns."""
        basis = self._last
        k = self.kept(basis)
        patterns = PatternRow.drawn(basis.patterns(SHOWN))
        shown = np.frombuffer(patterns["patterns"], np.uint8).reshape(-1, basis.patch_size, basis.patch_size, 3)
        return stills.pictures_and_patterns(
            [
                (basis.pixels, self.choice.picture.title),
                (
                    basis.picture(k),
                    f"from {k:,} numbers a patch\n{kept_numbers.share(basis.curve[k - 1])} of the variance",
                ),
            ],
            shown,
            f"the first {len(shown)} of {basis.most:,} directions: {basis.of}",
        )
