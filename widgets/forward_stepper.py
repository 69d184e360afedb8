"""Step through a ViT: one picture from its pixels to the answer, one step at a time (chapter 00)."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from widgets.model.amounts import fixed
from widgets.model.patches import number_places
from widgets.model.steps import Place, Walk, moved
from widgets.page import figures
from widgets.page.contents import TITLES
from widgets.page.picture_choice import PictureChoice
from widgets.parts import MatrixView, Part, PatchPixels, PictureGrid, RowFlow, StepBar, controls
from widgets.widget import Description, Widget

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.model.step_rows import Pass, Rows, StepView

HAND_SET, CHECKPOINT = "hand-set", "checkpoint"
HAND_SET_TITLE = "A small ViT, set by hand"
MARK = "⇄"
WEIGHTS = {"patch_embedding": "the matrix E", "class_token": "the class token", "positions": "the positions",
           "attention": "the matrices of attention", "layer_norms": "the norm", "mlp": "the MLP", "head": "the answer head"}
WITH_HEADS = ("qkv", "scores", "softmax", "mix")
EARLY = ("cut", "flatten", "embed")  # the class token has not joined yet
MOST_FLOAT32 = 100_000  # numbers of a matrix that is sent as float32; larger ones go as float16


class ForwardStepper(Widget):
    """A picture on its way through a whole ViT. Steps, one after another; the token that is followed in every one.

    The hand-set ViT is small enough to be shown complete; of a checkpoint the first columns are shown. `walk` is the
    walk itself: `stepper.walk.on("enter", hook, "softmax")` calls `hook` with the place whenever that step is entered.
    """

    title = "Step through a ViT"
    summary = "Follow one patch from its pixels to the answer, one step at a time, with every number on the way."

    refusal = param.String("", doc="why the last choice could not be shown; empty when it is")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self.selection.checkpoint != type(self.selection).param.checkpoint.default:
            self.selection.model = CHECKPOINT  # an address that names another checkpoint wants to see it
        self.choice = PictureChoice(selection=self.selection)
        self.walk = Walk(1)
        self._run: Pass | None = None
        self._names = ("", "")  # of model and provenance
        self._shown: tuple[str, ...] = ()  # the model and picture that were asked for last
        self._parts = self._make_parts()
        self._head_select = pn.widgets.Select(label="Head", width=80, **controls.LOOK)
        self._model_select = pn.widgets.Select(label="Model", width=260, **controls.LOOK)
        self._words = pn.pane.HTML("", sizing_mode="stretch_width", margin=0)
        self._notes = pn.pane.HTML("", sizing_mode="stretch_width", margin=0)
        self._connect()
        self._reload(at=self.selection.step)
        self._begin()

    # what is shown, as arrays -----------------------------------------------------------------------------

    @property
    def place(self) -> Place:
        """The step shown and its layer."""
        return self.walk.place

    @property
    def run(self) -> Pass:
        """The picture's pass through the model. Raises RuntimeError with a sentence when there is none."""
        if self._run is None:
            raise RuntimeError(self.refusal)
        return self._run

    @property
    def head(self) -> int:
        """The head shown, from 0."""
        return min(self.selection.head, self.run.weights.num_attention_heads - 1)

    @property
    def token(self) -> int:
        """The row of z that is followed; before the class token is there, patch 0 in its stead."""
        first = self.run.trace.prefix if self.place.step.key in EARLY else 0
        return max(first, min(self.selection.token, self.run.tokens - 1))

    def view(self) -> StepView:
        """All that the step shows, for every token."""
        from widgets.model.step_rows import view_of

        return view_of(self.run, self.place, self.head)

    def _open(self) -> tuple[Pass, tuple[str, str]]:
        """The pass, the title of the model, and where its weights are from. Raises with a sentence."""
        from widgets.model.step_rows import Pass, hand_set_pass

        if self.selection.model == HAND_SET:
            return hand_set_pass(self.choice.picture), ("the hand-set ViT", "Its weights are set by hand or random, not trained.")
        from widgets.model.library import weights_of
        from widgets.page.reading import read

        found = read(self.selection.checkpoint, self.choice.picture)
        weights = weights_of(found.checkpoint.model)
        return (Pass(found.trace, weights, found.pixels, found.checkpoint.labels),
                (found.checkpoint.title, found.checkpoint.provenance.sentence))

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        parts = self._parts
        bar = pn.FlexBox(*self.choice.controls, self._model_select, self._head_select, align_items="flex-end", margin=0)
        column = {"min-width": "0"}
        picture = pn.Column(parts["grid"], styles={**column, "flex": "1 1 240px", "max-width": "320px"}, margin=0)
        self._pixels_column = pn.Column(parts["pixels"], sizing_mode="stretch_width", margin=0)
        flow = pn.Column(parts["flow"], self._pixels_column, self._notes, styles={**column, "flex": "3 1 380px"}, margin=0)
        matrix = pn.Column(parts["matrix"], styles={**column, "flex": "1 1 200px"}, margin=0)
        self._matrix_column = matrix
        self._show_columns()
        whole = pn.FlexBox(picture, flow, matrix, gap="24px", align_items="flex-start")
        return pn.Column(bar, parts["bar"], self._words, whole, self.text_twin(), sizing_mode="stretch_width", margin=0,
                         styles={"gap": "8px", "max-width": "var(--vit-widget-width, 1040px)"})

    def _make_parts(self) -> dict[str, Part]:
        shared = {"channel": self.selection.channel, "selected": self.selection.token}
        return {"bar": StepBar(mark_means=f"{MARK} here a token takes in something of other tokens"),
                "grid": PictureGrid(title="Hover a patch, click to keep it", **shared),
                "flow": RowFlow(**shared), "pixels": PatchPixels(digits=3, **shared),
                "matrix": MatrixView(title="All tokens", heat_height=240, **shared)}

    def _connect(self) -> None:
        followers = [part for name, part in self._parts.items() if name != "bar"]
        for part in followers:
            part.param.watch(lambda event: setattr(self.selection, "token", event.new), ["selected"])
        self._parts["bar"].param.watch(lambda event: self._go(event.new), ["step"])
        self._model_select.param.watch(self._model_picked, "value")
        self._head_select.param.watch(lambda event: setattr(self.selection, "head", event.new or 0), "value")
        self.selection.param.watch(lambda *_: self._reload(), ["picture", "upload", "checkpoint", "model"])
        self.selection.param.watch(self._follow, ["step", "layer"])
        self.selection.param.watch(lambda *_: self._redraw(), ["head"])
        self.selection.param.watch(self._select, ["token"])

    def _reload(self, at: int | None = None) -> None:
        """Run the model on the picture, and stand at the same step of it; what cannot be run is answered."""
        before, self._shown = self._run, self._asked()
        try:
            self._run, self._names = self._open()
            self.refusal = ""
        except (RuntimeError, ValueError) as refusal:
            self.refusal = _sentence(str(refusal), self.selection.model == HAND_SET, before is not None)
            self._fill_selects()
            self._parts["bar"].param.update(status="refused", message=self.refusal)
            return
        layers = len(self._run.weights.blocks)
        self.walk = self.walk.resized(layers) if at is None else Walk(layers, at)
        if before is not None:
            self._keep_place(before)
        self._fill_selects()
        with pn.io.hold():
            self._parts["bar"].param.update(status="ready", message="", blocks=self._blocks())
            self._parts["grid"].param.update(**self._picture_state())
            self._arrived()

    def _begin(self) -> None:
        """A new visitor follows a patch in the middle: the class token joins late, and has no place to look at."""
        if self._run is not None and self.selection.token == 0 and self.selection.step == 0:
            rows, columns = self._run.trace.grid
            self.selection.token = self._run.trace.prefix + rows // 2 * columns + columns // 2

    def _go(self, index: int) -> None:
        """Go to a step by its number; beyond the last, to the last."""
        if self._run is None or index == self.walk.index:
            return
        self.walk.go(index)
        self._arrived()

    def _arrived(self) -> None:
        layer = {} if self.place.layer is None else {"layer": self.place.layer}
        self.selection.param.update(step=self.walk.index, **layer)
        done = sorted(i for i, place in enumerate(self.walk.places) if place in self.walk.done)
        with pn.io.hold():
            self._parts["bar"].param.update(step=self.walk.index, done=done)
            self._redraw()

    def _asked(self) -> tuple[str, ...]:
        return self.selection.model, self.selection.checkpoint if self.selection.model == CHECKPOINT else "", self.choice.picture.name

    def _follow(self, *_: Any) -> None:
        """Another widget chose a step; or a layer: then stand at the same step of that one."""
        if self._run is None or self._asked() != self._shown:
            return  # another stepper has reloaded first, and speaks of another walk
        layer = self.selection.layer
        if self.selection.step != self.walk.index:
            self._go(self.selection.step)
        elif self.place.layer not in (None, layer) and layer < len(self._run.weights.blocks):
            self._go(self.walk.places.index(moved(self.place, layer)))

    def _redraw(self) -> None:
        if self._run is None:
            return
        with pn.io.hold():
            for name, state in self._states().items():
                self._parts[name].param.update(**state)
            self._words.object, self._notes.object = self._explanation(), self._small_print()
            self._show_columns()
            self._head_select.visible = self.place.step.key in WITH_HEADS

    def _show_columns(self) -> None:
        if hasattr(self, "_matrix_column") and self._run is not None:
            self._matrix_column.visible = self.view().whole is not None
            self._pixels_column.visible = self.place.step.key == "cut"

    def _states(self) -> dict[str, dict[str, Any]]:
        """What each part shows at this step."""
        view, run = self.view(), self.run
        names, prefix = run.token_names, run.trace.prefix
        cut = self.place.step.key == "cut"
        caption = f"{self._what()}. {self._names[1]}"
        early = self.place.step.key in EARLY
        flow = RowFlow.flow([self._line(rows) for rows in view.rows])
        states = {"grid": self._maps(view) | {"stand_in": early},
                  "flow": flow | {"tokens": names, "prefix": prefix, "class_button": not early,
                                  "caption": "" if cut else caption},
                  "pixels": {"prefix": prefix, "caption": caption, **(self._patch_state() if cut else {})}}
        return states | ({"matrix": self._matrix(view.whole)} if view.whole is not None else {})

    def _line(self, rows: Rows) -> dict[str, Any]:
        return {"symbol": rows.symbol, "says": rows.says, "values": rows.values, "columns": rows.columns, "first": rows.first,
                "hue": rows.hue, "scale": rows.scale, "kind": "weight" if rows.weight else "signed", "digits": 3,
                "picks": rows.picks, "heads": list(rows.heads), "one": rows.one, "top": rows.top}

    def _matrix(self, whole: Rows) -> dict[str, Any]:
        kind = "float32" if whole.values.size <= MOST_FLOAT32 else "float16"
        run, shown = self.run, whole.values.shape[1]
        square = shown == run.tokens
        rows = [f"{t + whole.first} ({name})" for t, name in enumerate(run.token_names[whole.first:])]
        some = "" if shown == whole.columns else f"The first {shown} of {whole.columns:,} columns. "
        scale = {"kind": "weight", "low": 0.0, "high": whole.top, "over": bool(whole.values.max() > whole.top)}
        scale = scale if whole.weight else {"kind": "signed", "over": False}
        return MatrixView.matrix(whole.values, kind) | scale | {
            "symbol": whole.symbol, "row_offset": whole.first, "row_heads": rows, "column_heads": rows if square else list(whole.heads),
            "column_name": "token" if square else "number", "prefix": run.trace.prefix,
            "caption": f"{some}Hover a row to follow its token."}

    def _maps(self, view: StepView) -> dict[str, Any]:
        if view.maps is None:
            return {"maps": b""}
        from widgets.model.step_rows import BRIGHT

        signed = self.place.step.key == "scores"
        high = float(np.abs(view.maps).max() if signed else np.quantile(view.maps, BRIGHT))
        return {"maps": view.maps.astype(np.float16).tobytes(), "maps_low": -high if signed else 0.0, "maps_high": high,
                "maps_over": bool(view.maps.max() > high),
                "maps_kind": "signed" if signed else "weight", "maps_name": view.maps_name}

    def _picture_state(self) -> dict[str, Any]:
        run = self.run
        rows, columns = run.trace.grid
        places = np.indices((rows, columns)).reshape(2, -1).T             # (N, 2)
        _, height, width = run.pixels.shape
        return {**PictureGrid.picture(run.pixels), "patch_size": run.weights.patch_size, "prefix": run.trace.prefix,
                "alt": self.choice.picture.alt, "positions": places.astype(np.int32).tobytes(),
                "caption": f"{self.choice.picture.title}, {height} px high and {width} px wide, in {rows} × {columns} patches."}

    def _patch_state(self) -> dict[str, Any]:
        run, P = self.run, self.run.weights.patch_size
        spans = [f"{c * P * P:,} to {(c + 1) * P * P - 1:,}" for c in range(3)]
        return {**PictureGrid.picture(run.pixels), "patch_size": P, "spans": spans,
                "values": run.trace.patches[0].numpy().astype(np.float16).tobytes(),
                "places": number_places(P, 3, False).astype(np.int32).tobytes()}

    def _blocks(self) -> list[dict[str, Any]]:
        """The blocks of the walk with their steps, for the bar."""
        blocks: dict[str, dict[str, Any]] = {}
        for place in self.walk.places:
            label = f"{place.layer + 1}" if place.layer and len(self.run.weights.blocks) > 4 else place.block
            block = blocks.setdefault(place.block, {"name": place.block, "label": label, "steps": []})
            block["steps"].append([place.step.name, MARK] if place.step.mixes else place.step.name)
        return list(blocks.values())

    # what changes -----------------------------------------------------------------------------------------

    def _fill_selects(self) -> None:
        from widgets.model.checkpoints import available
        from widgets.model.fetching import facts_of

        models = {HAND_SET_TITLE: HAND_SET} | {facts_of(name)["title"]: name for name in available()}
        chosen = HAND_SET if self.selection.model == HAND_SET else self.selection.checkpoint
        if chosen not in models.values():
            models |= {chosen: chosen}
        self._model_select.param.update(options=models, value=chosen)
        if self._run is not None:
            count = self._run.weights.num_attention_heads
            self._head_select.param.update(options={f"{h + 1}": h for h in range(count)}, value=self.head)

    def _model_picked(self, event: param.parameterized.Event) -> None:
        if event.new == HAND_SET:
            self.selection.model = HAND_SET
        elif event.new:
            self.selection.param.update(checkpoint=event.new, model=CHECKPOINT)

    def _keep_place(self, before: Pass) -> None:
        """Follow the patch over the same spot when the grid is another one."""
        after, token = self.run, self.selection.token
        if after.trace.grid == before.trace.grid and after.trace.prefix == before.trace.prefix:
            return
        n = min(token, before.tokens - 1) - before.trace.prefix
        if n < 0:
            self.selection.token = 0
            return
        (rows, columns), (h, w) = before.trace.grid, after.trace.grid
        row, column = int((n // columns + 0.5) / rows * h), int((n % columns + 0.5) / columns * w)
        self.selection.token = after.trace.prefix + row * w + column

    def _select(self, *_: Any) -> None:
        with pn.io.hold():
            for name, part in self._parts.items():
                if name != "bar":
                    part.selected = self.selection.token

    def _story(self) -> list[tuple[Rows, str, float]]:
        """The last row of a few steps, with the step's name and the end of its scale."""
        from widgets.model.step_rows import view_of

        found = []
        for place in self.walk.places:
            if place.step.key in ("embed", "positions", "add2", "head") or place.step.key == "softmax" and place.layer == 0:
                rows = view_of(self.run, place, self.head).rows[0 if place.step.key == "head" else -1]
                name = place.step.name if place.layer is None else f"{place.block}, {place.step.name}"
                found.append((rows, name, rows.top or float(np.abs(rows.values).max(initial=0))))
        return found

    # the same in words and as a still ---------------------------------------------------------------------

    def _what(self) -> str:
        return f"{self.choice.picture.title} through {self._names[0]}"

    def _where(self) -> str:
        where = self.place.block if self.place.layer is None else f"{self.place.block} of {len(self.run.weights.blocks)}"
        return f"{where}: {self.place.step.name}"

    def origin(self) -> str:
        """What is real in this step, and what is hand-set, random or learned."""
        from widgets.model.handset import ORIGINS

        if not self.place.step.weights or (self.place.step.key == "head" and self.run.trace.logits is None):
            return "Real: no weights take part, and all is computed from what comes in."
        if self.selection.model == HAND_SET:
            said = ", ".join(f"{WEIGHTS[name]} ({ORIGINS[name]})" for name in self.place.step.weights)
            return f"Real: the computation. Not trained: {said}."
        return f"The weights are {self._names[0]}'s own."

    def _does(self) -> str:
        if self.place.step.key == "head" and self.run.trace.logits is None:
            return ("Only the class token's row goes on. It is y, the model's summary of the whole picture. This model has"
                    " no answer head: it ends here.")
        return self.place.step.does

    def _equation(self) -> str:
        if self.place.step.key == "head" and self.run.trace.logits is None:
            return self.place.step.equation.partition(",")[0]
        return self.place.step.equation

    def _here(self) -> str:
        """The sizes that the equation names, as they are here."""
        symbols = self.place.step.symbols
        return f"Here {', '.join(self.run.sizes[symbol] for symbol in symbols)}. " if symbols else ""

    def _chapter(self) -> str:
        numbers = {title: number for number, title in TITLES.items()}
        return f"More in chapter {numbers[self.place.step.chapter]}, {self.place.step.chapter}."

    def _explanation(self) -> str:
        """The step, its equation and what it does: short, so that the rows below stay in view on a small screen."""
        meet = (f'<span style="color:var(--vit-accent);font-size:14px;font-weight:600">{MARK} tokens meet here</span>'
                if self.place.step.mixes else "")
        mono = "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
        return ('<div role="status" style="color:var(--vit-ink);font:15px/1.45 system-ui,sans-serif;min-height:70px">'
                '<div style="display:flex;flex-wrap:wrap;gap:0 20px;align-items:baseline">'
                f'<span style="font-weight:600;font-size:17px">{escape(self._where())}</span>{meet}'
                f'<span style="{mono}">{_equation(self._equation())}</span></div>'
                f'<div>{escape(self._does())}</div></div>')

    def _small_print(self) -> str:
        """The sizes of the symbols, what is real, and where to read more."""
        return (f'<div style="color:var(--vit-muted);font:13px/1.45 system-ui,sans-serif;margin-top:4px">'
                f'{_equation(self._here())}{escape(self.origin())} {self._chapter()}</div>')

    def describe(self) -> Description:
        """The step, and the first numbers of the followed token's row in each matrix of it."""
        if self._run is None:
            return Description(self.refusal, [])
        names, token = self.run.token_names, self.token
        sentence = (f"Step {self.walk.index + 1} of {len(self.walk.places)} of {self._what()}, {self._where()}. {self._does()}"
                    f" {self._here()}You follow {'the ' if token < self.run.trace.prefix else ''}{names[token]}. {self.origin()}")
        table = self._cut_table() if self.place.step.key == "cut" else []
        for rows in self.view().rows:
            r = 0 if rows.one else token - rows.first
            row = rows.values[r]
            under = [("all others" if t < 0 else names[t]) for t in rows.picks[r]] if rows.picks is not None else list(rows.heads)
            written = [fixed(v) for v in row]
            said = ", ".join(f"{name} {v}" for name, v in zip(under, written)) if under else ", ".join(written)
            shape = " × ".join(f"{side:,}" for side in rows.shape)
            some = f", first {len(row)} of {rows.columns:,} numbers" if not under and len(row) < rows.columns else ""
            table.append((f"{rows.symbol} ({shape}): {rows.says}{some}", said))
        return Description(sentence, table)

    def _cut_table(self) -> list[tuple[str, str]]:
        (_, height, width), (rows, columns), P = self.run.pixels.shape, self.run.trace.grid, self.run.weights.patch_size
        row, column = divmod(self.token - self.run.trace.prefix, columns)
        return [("picture", f"{height} × {width} px"), ("patches", f"{rows} × {columns} of {P} × {P} px"),
                ("the patch you follow", f"pixel rows {row * P} to {row * P + P - 1}, columns {column * P} to {column * P + P - 1}")]

    def still(self) -> Figure:
        """The picture with the followed patch, and its rows at this step in coloured cells."""
        if self._run is None:
            return figures.rows_still(np.zeros((3, 32, 32), np.uint8), 32, 0, self.refusal, [])
        view, run, token = self.view(), self.run, self.token
        title = f"Step {self.walk.index + 1} of {len(self.walk.places)}. {self._where()}"
        if self.place.step.key == "cut":  # nothing has happened yet: the preview shows where it leads
            title = f"{self._what()}: {run.token_names[token]}, step by step"
            shown = self._story()
        else:
            shown = [(rows, rows.says, rows.top or max(float(np.abs(other.values).max(initial=0)) for other in view.rows if other.scale == rows.scale))
                     for rows in view.rows]
        lines = [(f"{rows.symbol}: {says}", rows.values[0 if rows.one else token - rows.first], high, rows.weight) for rows, says, high in shown]
        return figures.rows_still(run.pixels, run.weights.patch_size, max(0, token - run.trace.prefix), title, lines)


def _sentence(refusal: str, hand_set: bool, kept: bool) -> str:
    """A refusal as whole sentences, with what to do and what is still shown."""
    said = refusal[:1].upper() + refusal[1:].rstrip(".") + "."
    said += " Choose another picture, or another model." if hand_set else ""
    return said + (" What you see is what was shown before." if kept else "")


def _equation(text: str) -> str:
    """An equation in words as HTML: what stands behind "_" below the line, q, k and v in their colours."""
    found = re.sub(r"_(\w+)", r"<sub>\1</sub>", escape(text))
    hues = {"q": "query", "k": "key", "v": "value", "E<sub>pos</sub>": "position", "x<sub>class</sub>": "class"}
    for name, hue in hues.items():
        found = re.sub(rf"(?<![\w<\-]){re.escape(name)}(?![\w>\-])", f'<b style="color:var(--vit-{hue})">{name}</b>', found)
    return found
