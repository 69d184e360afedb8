"""The residual stream: how long every token is, layer by layer, and which sublayer added how much (chapter 07)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from widgets.common.facts import published
from widgets.common.number_formats import fixed
from widgets.common.refusal import Refused
from widgets.experiments.kept_pass import Reading, read
from widgets.kit import stills
from widgets.kit.answering import draws
from widgets.kit.picture_widget import PictureWidget
from widgets.kit.widget import Description
from widgets.model.patches import token_name
from widgets.model.stream import differences, quartiles, stream
from widgets.parts import NumberTable, Part, PictureGrid, Plot, Series, TokenCurves, controls

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.model.stream import Difference, Stream

CURVES = {  # name in model.stream.Stream: (title, label of the axis, number of the first point, what a point is)
    "length": ("How long the token is", "length: root of the sum of its squares", 0, "z"),
    "largest": ("Its largest number", "without its sign", 0, "z"),
    "attention": ("What attention added", "length of MSA(LN(z)), in lengths of z", 1, "layer"),
    "mlp": ("What the MLP added", "length of MLP(LN(z′)), in lengths of z′", 1, "layer"),
}
DIRECTIONS = {  # the same places, when directions are shown; what stood second has no direction and is left out
    "length": (
        "kept",
        "What is left of z_0",
        "cosine of z with z_0",
        "1: the direction of z_0. 0: nothing of it is left.",
    ),
    "attention": (
        "attention_cosine",
        "Where attention's part points",
        "cosine of MSA(LN(z)) with z",
        "Below 0 it points against z, and cancels part of it.",
    ),
    "mlp": (
        "mlp_cosine",
        "Where the MLP's part points",
        "cosine of MLP(LN(z′)) with z′",
        "Below 0 it points against z′, and cancels part of it.",
    ),
}
SHOW = {"lengths": "length", "directions": "direction"}
CURVE_HEIGHT = 116  # pixels: two rows of curves and the picture are seen at once on a small screen
LEGEND = (
    "Thick: the token you follow. Stars: the class token. Dashed: the median of the patches, and half of them lie in"
    " the band. Point at a layer to read it; click to keep it."
)


class ResidualStream(PictureWidget):
    """Every token on its way through the layers: its length, its largest number, and what each sublayer adds to it."""

    title = "Follow a token up the stream"
    summary = "See how a token grows layer by layer, and which sublayer added how much to it."

    show = param.Selector(
        default="length", objects=list(SHOW.values()), doc="draw lengths, or cosines: where what is added points"
    )
    against_library = param.Boolean(True, doc="compare our loop over the layers with the library's hidden states")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.reading: Reading | None = None
        self._measured: Stream | None = None
        self._differences: list[Difference] = []
        shared = {"channel": self.selection.channel}
        self._grid = PictureGrid(title="Hover a patch, click to keep it", stand_in=False, **shared)
        self._curves = {
            name: TokenCurves(title=title, y_label=label, first=first, point_name=point, drawing=CURVE_HEIGHT, **shared)
            for name, (title, label, first, point) in CURVES.items()
        }
        self._table = NumberTable(title="The token you follow", **shared)
        self._agreement = Plot(
            title="Our loop against the library",
            x_label="layer",
            y_label="ours and the library's: difference",
            y_log=True,
            height=230,
        )
        self.draw_with(self._read)
        self.selection.param.watch(self._follow_layer, ["layer"])
        self.param.watch(self._show_curves, ["show"])
        self.share_token(self._grid, self._table, *self._curves.values())
        for part in self._curves.values():
            part.param.watch(self._layer_chosen, ["layer"])

    # what is shown, as arrays -----------------------------------------------------------------------------

    @property
    def stream(self) -> Stream:
        """The numbers of every token of the reading that is shown. Raises Refused before there is one."""
        if self._measured is None:
            raise Refused(self.not_drawn)
        return self._measured

    @property
    def differences(self) -> list[Difference]:
        """Ours against the library, layer by layer."""
        return self._differences

    @property
    def prefix(self) -> int:
        """Tokens before the patches."""
        return self.reading.trace.prefix

    def name_of(self, token: int) -> str:
        """How a row of z is called on screen."""
        return token_name(token, self.prefix)

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        bar = self.bar(controls.choice(self.param.show, "Curves", SHOW, width=140))
        left = pn.Column(
            self._grid,
            self._table,
            margin=0,
            styles={"flex": "1 1 220px", "max-width": "300px", "min-width": "0", "gap": "16px"},
        )
        panels = [
            pn.Column(
                part,
                margin=0,
                styles=pn.bind(lambda show, name=name: _place(show, name), self.param.show),
                visible=True if name in DIRECTIONS else self.param.show.rx() == "length",
            )
            for name, part in self._curves.items()
        ]
        right = pn.Column(
            controls.words(LEGEND, sizing_mode="stretch_width"),
            pn.FlexBox(*panels, gap="8px 20px", margin=0),
            margin=0,
            styles={"flex": "3 1 340px", "min-width": "0", "gap": "12px"},
        )
        shown = [self._agreement] if self.against_library else []
        return self.stacked(bar, pn.FlexBox(left, right, gap="24px", align_items="flex-start"), *shown, gap=16)

    def notice_parts(self) -> list[Part]:
        """Where a refusal is said."""
        return [self._grid, self._agreement]

    @draws
    def _read(self, *_: Any) -> None:
        before, self.reading = self.reading, read(self.selection.checkpoint, self.choice.picture)
        self._measured = stream(self.reading.trace)
        self._differences = differences(self.reading.trace) if self.against_library else []
        layers = self._measured.attention.shape[1]
        old, new = (before or self.reading).trace, self.reading.trace
        self.selection.carry(old.grid, new.grid, (old.prefix, new.prefix))
        self.selection.layer = min(self.selection.layer, layers - 1)
        with pn.io.hold():
            self._show()

    def _show(self) -> None:
        reading, token = self.reading, self.selection.token
        self._grid.param.update(
            status="ready",
            message="",
            prefix=self.prefix,
            selected=token,
            alt=reading.picture.alt,
            patch_size=reading.patch_size,
            caption=reading.caption,
            **PictureGrid.picture(reading.pixels),
        )
        self._show_curves()
        self._table.param.update(prefix=0, selected=token, **self._rows())
        self._show_agreement()

    def _show_curves(self, *_: Any) -> None:
        if self._measured is None:
            return
        for name, part in self._curves.items():
            state = self._direction(name) if self.show == "direction" and name in DIRECTIONS else self._curve(name)
            part.param.update(
                prefix=self.prefix, selected=self.selection.token, layer=self.selection.layer + 1, **state
            )

    def _direction(self, name: str) -> dict[str, Any]:
        field, title, label, caption = DIRECTIONS[name]
        values = getattr(self.stream, field)
        return TokenCurves.cosines(values, quartiles(values[self.prefix :]), CURVES[name][2]) | {
            "title": title,
            "y_label": label,
            "caption": caption,
        }

    def _curve(self, name: str) -> dict[str, Any]:
        values = getattr(self.stream, name)
        title, label, first, _ = CURVES[name]
        state = TokenCurves.curves(values, quartiles(values[self.prefix :]), first) | {
            "title": title,
            "y_label": label,
            "caption": "",
            "level": 0.0,
        }
        if first:  # the two sublayers are read against each other: one axis for both
            both = np.concatenate([self.stream.attention, self.stream.mlp])
            state |= {"low": float(both.min()) * 0.9, "high": float(both.max()) * 1.1, "level": 1.0}
            state["caption"] = "1, the bold line: as much as was there."
        return state

    def _rows(self) -> dict[str, Any]:
        s = self.stream
        layers = s.attention.shape[1]
        written = [
            [
                self.name_of(t),
                _number(s.length[t, 0]),
                _number(s.length[t, -1]),
                f"layer {s.attention[t].argmax() + 1}: {_number(s.attention[t].max())} ×",
                f"layer {s.mlp[t].argmax() + 1}: {_number(s.mlp[t].max())} ×",
            ]
            for t in range(len(s.length))
        ]
        return {
            "names": [
                "followed",
                "length of its row of z_0",
                f"length of its row of z_{layers}",
                "attention added most in",
                "the MLP added most in",
            ],
            "by_token": written,
        }

    def _show_agreement(self) -> None:
        if not self.differences:
            return
        places = list(range(1, len(self.differences) + 1))
        absolute, relative = (
            [max(value, 1e-12) for value in of]
            for of in ([d.absolute for d in self.differences], [d.relative for d in self.differences])
        )
        theirs = _published_differences()
        series = [
            Series(
                "largest of any number",
                places,
                absolute,
                "line",
                "key",
                labels=[
                    f"z_{n}: off by {_power(v)} at most; largest number {_number(d.largest)}"
                    for n, v, d in zip(places, absolute, self.differences, strict=True)
                ],
            ),
            Series(
                "relative: over the largest number of z",
                places,
                relative,
                "line",
                "value",
                dash=True,
                labels=[f"z_{n}: {_power(v)} of its largest number" for n, v in zip(places, relative, strict=True)],
            ),
            Series(
                "largest of any number, ViT-B/16, as published",
                list(theirs),
                list(theirs.values()),
                "dots",
                "muted",
                labels=[f"ViT-B/16 on another picture, z_{n}: off by {_power(v)} at most" for n, v in theirs.items()],
            ),
        ]
        self._agreement.update(
            series,
            status="ready",
            message="",
            caption=(
                f"{self.reading.checkpoint.title} on {self.reading.picture.named}, this machine, float32. Dashed: over"
                f" the largest number of z, from {_power(min(relative))} to {_power(max(relative))}. The marks are the"
                " released ViT-B/16's on a picture of two cats, measured elsewhere: its stream grows far larger, and"
                " so do its differences."
            ),
        )

    # what changes -----------------------------------------------------------------------------------------

    def _follow_layer(self, *_: Any) -> None:
        if self._measured is None:
            return
        with pn.io.hold():
            for part in self._curves.values():
                part.layer = self.selection.layer + 1

    def _layer_chosen(self, event: param.parameterized.Event) -> None:
        self.selection.layer = max(event.new - 1, 0)  # z_0 stands before the first layer
        self._follow_layer()

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """The followed token on its way, in words."""
        if self.not_drawn or self._measured is None:
            return Description(self.not_drawn, [])
        s, t, layer = self.stream, min(self.selection.token, len(self.stream.length) - 1), self.selection.layer
        middle = [
            np.median(of[self.prefix :], axis=0)
            for of in (s.length, s.attention, s.mlp, s.attention_cosine, s.mlp_cosine, s.kept)
        ]
        sentence = (
            f"{self.reading.picture.title} through {self.reading.checkpoint.title}: {self.name_of(t)} has length"
            f" {_number(s.length[t, 0])} in z_0 and {_number(s.length[t, -1])} after layer {s.attention.shape[1]}. In"
            f" layer {layer + 1} attention adds {_number(s.attention[t, layer])} times the length that is there, the"
            f" MLP {_number(s.mlp[t, layer])} times. The cosine of what attention adds with the token is"
            f" {fixed(s.attention_cosine[t, layer])}, of what the MLP adds {fixed(s.mlp_cosine[t, layer])}; after this"
            f" layer the token's cosine with its row of z_0 is {fixed(s.kept[t, layer + 1])}."
        )
        table = [
            (f"z_{layer + 1}, length: median of the patches", _number(middle[0][layer + 1])),
            (f"layer {layer + 1}, attention added: median of the patches", f"{_number(middle[1][layer])} ×"),
            (f"layer {layer + 1}, MLP added: median of the patches", f"{_number(middle[2][layer])} ×"),
            (
                f"layer {layer + 1}, cosine of what attention adds with z: median of the patches",
                fixed(middle[3][layer]),
            ),
            (f"layer {layer + 1}, cosine of what the MLP adds with z′: median of the patches", fixed(middle[4][layer])),
            (f"cosine of z_{layer + 1} with z_0: median of the patches", fixed(middle[5][layer + 1])),
            ("largest number of any token after the last layer", _number(s.largest[:, -1].max())),
        ]
        if self.differences:
            table += [
                (
                    f"ours against the library, z_{n}",
                    f"{_power(d.absolute)}, {_power(d.relative)} of the largest number",
                )
                for n, d in ((1, self.differences[0]), (len(self.differences), self.differences[-1]))
            ]
        return Description(sentence, table)

    def still(self) -> Figure:
        """The curves of the followed token, the class token and the patches' middle half."""
        if self._measured is None:
            return stills.sentence(self.not_drawn)
        panels = []
        for name, (title, _, first, point) in CURVES.items():
            if self.show == "direction" and name not in DIRECTIONS:
                continue
            field, title = DIRECTIONS[name][:2] if self.show == "direction" else (name, title)
            values = getattr(self.stream, field)
            panels.append(
                (
                    title,
                    point,
                    np.arange(first, first + values.shape[1]),
                    values[self.selection.token],
                    values[0] if self.prefix else None,
                    quartiles(values[self.prefix :]),
                )
            )
        return stills.token_curves(panels, self.name_of(self.selection.token), even=self.show == "direction")


def _place(show: str, name: str) -> dict[str, str]:
    """Two curves a row where there is room; of three, the first has a row of its own."""
    alone = show == "direction" and name == "length"
    return {"flex": "1 1 100%" if alone else "1 1 calc(50% - 10px)", "min-width": "min(220px, 100%)"}


def _number(value: float) -> str:
    """A length, with three decimals or, where it is large, three digits or more."""
    return (f"{value:,.3f}" if abs(value) < 100 else f"{value:,.1f}").replace("-", "−")


def _power(value: float) -> str:
    """A difference with two digits."""
    return f"{value:.1e}".replace("e-0", "e-").replace("-", "−")


def _published_differences() -> dict[int, float]:
    return {int(n): v for n, v in published("encoder_block")["vit_b16_absolute_difference_by_layer"].items()}
