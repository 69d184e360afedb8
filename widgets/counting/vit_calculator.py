"""Set any ViT and read what it costs: parameters line by line, shapes, compute, memory (chapter 08)."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.common.number_formats import digits, percent, written_bytes
from widgets.common.refusal import Refused
from widgets.counting.calculator_settings import (
    NUMBERS,
    OPTIONS,
    Setting,
    SettingRefused,
    changed,
    config_code,
    name_of,
    read,
    title_of,
    value_of,
    write,
)
from widgets.counting.ledger import PIECES, Line, as_csv, parameter_lines, product_lines, words_of
from widgets.kit.answering import STAYS
from widgets.kit.widget import Description, Widget
from widgets.model import count
from widgets.model.shape import FAMILY, ViTShape
from widgets.model.shape_trace import shape_trace
from widgets.parts import CodeCopy, FieldSheet, LedgerTable, TextFile, controls

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IN_FRONT = ("image_size", "patch_size", "hidden_size")
OWN, NOTHING = "your own", "nothing"
HUES = {
    "attention": "query",
    "mlp": "value",
    "patch_embedding": "key",
    "positions": "position",
    "class_token": "class",
    "registers": "class",
}
NOTES = {"registers": "0 in the paper", "epochs": "7 or 14 in the paper", "images": "JFT: 303 million"}


class ViTCalculator(Widget):
    """A ViT of any shape: every line of its parameters, every tensor's shape, its compute and memory, beside
    another's."""

    title = "Set a model and count it"
    summary = (
        "Choose or build any Vision Transformer and see every parameter, shape and multiply-add of it, beside another"
        " one."
    )

    setting = param.String(
        "",
        doc="the models and the run, as model.setting.write writes them; given at the start, it is this widget's own",
    )
    chosen = param.String("attention", doc="the piece of the ledger that is explained")
    brief = param.Boolean(False, constant=True, doc="show the parameters only, without costs, shapes and files")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._own = bool(self.setting)
        self._good = Setting()
        self._sheet = FieldSheet(self.enter, fold="More fields: layers, heads, MLP, head, registers, batch, training")
        self._preset = pn.widgets.Select(label="Model", width=190, **controls.PLAIN)
        self._beside = pn.widgets.Select(label="Beside it", width=190, **controls.PLAIN)
        self._ledger = LedgerTable(chosen=self.chosen)
        self._why = controls.words("", sizing_mode="stretch_width")
        self._costs = LedgerTable(title="What it costs", first="", choosable=False)
        self._shapes = LedgerTable(title="Every tensor of a forward pass", first="step", choosable=False)
        self._swap = controls.button("Change places", self.swap)
        self._csv, self._code = TextFile(file_name="vit.csv"), CodeCopy(label="Copy as ViTConfig")
        self._take()
        self._preset.param.watch(self._pick, "value")
        self._beside.param.watch(self._pick_beside, "value")
        self._ledger.param.watch(lambda event: setattr(self, "chosen", event.new), ["chosen"])
        self.param.watch(self._take, ["setting"])
        self.param.watch(self._explain, ["chosen"])
        if not self._own:
            self.selection.param.watch(self._take, ["setting"])

    # what is set ------------------------------------------------------------------------------------------

    @property
    def now(self) -> Setting:
        """The last setting that was possible."""
        return self._good

    @property
    def shapes(self) -> list[tuple[str, ViTShape]]:
        """(title, shape) of the model and, if there is one, of the other."""
        pairs = [self.now.shape, *([self.now.other] if self.now.other else [])]
        return [(title_of(shape), shape) for shape in pairs]

    def enter(self, changes: dict[str, str]) -> None:
        """Take fields as the reader typed them, or say under the field why not; the last good setting stays."""
        field = next(iter(changes), "")
        try:
            self._set(changed(self.now, changes))
        except SettingRefused as refused:
            if field in NUMBERS or field in OPTIONS:
                self._sheet.refuse(field, changes[field], str(refused), refused.nearest)

    def swap(self, *_: Any) -> None:
        """Let the two models change places, so that the fields belong to the other."""
        if self.now.other:
            now = self.now
            self._set(Setting(now.other, now.shape, now.batch, now.epochs, now.images))

    def _set(self, setting: Setting) -> None:
        self._good = setting
        text = write(setting)
        if self._own:
            same, self.setting = self.setting == text, text
        else:
            same, self.selection.setting = self.selection.setting == text, text
        if same:
            self._show()

    def _take(self, *_: Any) -> None:
        """Read the setting; what is none (from code: an address is checked before) is answered by a sentence."""
        text = self.setting if self._own else self.selection.setting
        try:
            self._good = read(text)
        except Refused as refusal:
            self._ledger.param.update(
                status="refused",
                message=f"“{text[:40]}” is no setting: {str(refusal).rstrip('.')}. {STAYS}",
            )
            if self._ledger.lines:
                return
        self._show(keep_message=self._ledger.status == "refused" and write(self._good) != text)

    def _pick(self, event: param.parameterized.Event) -> None:
        if event.new in FAMILY and FAMILY[event.new] != self.now.shape:
            now = self.now
            self._set(Setting(FAMILY[event.new], now.other, now.batch, now.epochs, now.images))

    def _pick_beside(self, event: param.parameterized.Event) -> None:
        now, other = self.now, FAMILY.get(event.new)
        if event.new != OWN and other != now.other:
            self._set(Setting(now.shape, other, now.batch, now.epochs, now.images))

    # what is seen -----------------------------------------------------------------------------------------

    def __panel__(self) -> pn.viewable.Viewable:
        bar = controls.row(self._preset, self._beside, self._swap)
        left = pn.Column(
            self._ledger, self._why, styles={"flex": "1.3 1 440px", "min-width": "0", "gap": "8px"}, margin=0
        )
        if self.brief:
            left.styles = {"gap": "8px"}  # no flex: in a column it would be a height
            return pn.Column(
                bar,
                self._sheet,
                left,
                self.text_twin(),
                sizing_mode="stretch_width",
                max_width=680,
                margin=0,
                styles={"gap": "16px"},
            )
        right = pn.Column(self._costs, styles=self._beside_ledger(), margin=0)
        self._ledger.param.watch(lambda *_: setattr(right, "styles", self._beside_ledger()), ["heads"])
        files = pn.FlexBox(self._csv, self._code, gap="16px", margin=0)
        for part in (self._csv, self._code):
            part.styles = {"flex": "0 1 auto", "max-width": "100%", "min-width": "0"}
        return self.stacked(
            bar, self._sheet, pn.FlexBox(left, right, gap="28px", align_items="flex-start"), self._shapes, files, gap=16
        )

    def _beside_ledger(self) -> dict[str, str]:
        """Two models' costs need a line of their own."""
        return {"flex": "1 1 100%" if self.now.other else "1 1 330px", "min-width": "0"}

    def _show(self, keep_message: bool = False) -> None:
        now = self.now
        with pn.io.hold():
            self._sheet.show(self._fields())
            _options(self._preset, name_of(now.shape) or OWN, [*FAMILY])
            _options(self._beside, (name_of(now.other) or OWN) if now.other else NOTHING, [NOTHING, *FAMILY])
            self._swap.visible = now.other is not None
            if not keep_message:
                self._ledger.param.update(status="ready", message="")
            self._ledger.param.update(**self._ledger_state())
            self._costs.param.update(**self._cost_state())
            self._shapes.param.update(**self._shape_state())
            self._csv.text, self._code.code = as_csv(self.shapes), config_code(now.shape)
            self._explain()

    def _fields(self) -> list[dict[str, Any]]:
        fields = []
        for key, (symbol, name) in NUMBERS.items():
            fields.append(
                {
                    "key": key,
                    "symbol": symbol,
                    "name": name,
                    "value": value_of(self.now, key),
                    "options": [],
                    "note": self._note(key),
                    "more": key not in IN_FRONT,
                    "text": key == "image_size",
                }
            )  # two sides have an x
        for key, (name, options) in OPTIONS.items():
            fields.append(
                {
                    "key": key,
                    "symbol": "",
                    "name": name,
                    "value": value_of(self.now, key),
                    "options": [list(o) for o in options.items()],
                    "note": "",
                    "more": True,
                }
            )
        order = [
            *IN_FRONT,
            "num_hidden_layers",
            "num_attention_heads",
            "intermediate_size",
            "gated_mlp",
            "num_labels",
            "num_channels",
            "class_token",
            "registers",
            "pool",
            "position",
            "qkv_bias",
            "norm_bias",
            "batch",
            "epochs",
            "images",
        ]
        return sorted(fields, key=lambda field: order.index(field["key"]))

    def _note(self, key: str) -> str:
        shape = self.now.shape
        ratio = shape.intermediate_size / shape.hidden_size
        return {
            "image_size": f"N = {shape.num_patches:,} patches, T = {shape.num_tokens:,}",
            "num_attention_heads": f"of D_h = {shape.head_size:,} numbers",
            "intermediate_size": f"{ratio:.3g} D",
        }.get(key, NOTES.get(key, ""))

    def _ledger_state(self) -> dict[str, Any]:
        ledgers = [parameter_lines(shape) for _, shape in self.shapes]
        most = max(ledger[-1].running for ledger in ledgers)
        lines = _merged(ledgers, most, running=True)
        totals = [f"{ledger[-1].running:,}" for ledger in ledgers]
        titles = [title for title, _ in self.shapes]
        heads = ["parameters", "running total"] if len(ledgers) == 1 else [titles[0], "running total", titles[1]]
        foot = ["Total", totals[0], "", *totals[1:]]
        return {
            "lines": lines,
            "heads": heads,
            "foot": foot,
            "title": " beside ".join(f"{title}: {total}" for title, total in zip(titles, totals, strict=True))
            + " parameters",
            "caption": (
                "Choose a line to see what it is. A bar is a line's share"
                + (
                    " of the larger total; the dashed bar is the second model's."
                    if len(ledgers) == 2
                    else " of the total."
                )
                + f" The matrices of {titles[0]}'s blocks alone have {count.block_matrices(self.now.shape):,} numbers."
            ),
        }

    def _cost_state(self) -> dict[str, Any]:
        ledgers = [product_lines(shape) for _, shape in self.shapes]
        lines = _merged(ledgers, max(ledger[-1].running for ledger in ledgers), running=False)
        rows = [[*self._cost_rows(shape)] for _, shape in self.shapes]
        for number, (name, formula, _) in enumerate(rows[0]):
            lines.append({"key": name, "name": name, "formula": formula, "cells": [row[number][2] for row in rows]})
        heads = ["multiply-adds"] if len(ledgers) == 1 else [title for title, _ in self.shapes]
        return {
            "lines": lines,
            "heads": heads,
            "caption": (
                "One picture's forward pass, then memory and training. A multiply-add is two"
                " floating-point operations (FLOPs)."
            ),
        }

    def _cost_rows(self, shape: ViTShape) -> list[tuple[str, str, str]]:
        now, total = self.now, count.macs(shape)["total"]
        exaflops = count.pretraining_exaflops(shape, None, now.epochs, now.images)
        return [
            ("Multiply-adds, in all", "", f"{total:,}"),
            ("FLOPs", "2 × multiply-adds", f"{2 * total:,}"),
            (
                "Attention weights kept",
                f"L h T² numbers × 2 bytes, batch {now.batch:,}",
                written_bytes(count.attention_memory(shape, None, now.batch)),
            ),
            ("Parameters in memory", "× 4 bytes", written_bytes(count.weight_memory(shape))),
            (
                "In training with Adam",
                "weights, gradients, two moments",
                written_bytes(count.weight_memory(shape, copies=4)),
            ),
            (
                "Compute of training",
                f"6 × multiply-adds × {now.epochs:,} epochs × {now.images:,} pictures",
                f"{digits(exaflops)} exaFLOPs",
            ),
            ("Matrices of the blocks alone", "as very large models are counted", f"{count.block_matrices(shape):,}"),
        ]

    def _shape_state(self) -> dict[str, Any]:
        batch, traces = (
            self.now.batch,
            [{stage.symbol: stage for stage in shape_trace(shape, self.now.batch)} for _, shape in self.shapes],
        )
        titles = [title for title, _ in self.shapes]
        lines = []
        for symbol in max(traces, key=len):  # the head is the only tensor that a model may lack
            stages = [trace.get(symbol) for trace in traces]
            shown = [" × ".join(f"{n:,}" for n in stage.dims) if stage else "–" for stage in stages]
            found = [stage for stage in stages if stage]
            repeated = (
                " (in each layer)" if len(titles) > 1 else f" (in each of {self.now.shape.num_hidden_layers:,} layers)"
            )
            lines.append(
                {
                    "key": symbol,
                    "name": (
                        f"{symbol}: {' / '.join(dict.fromkeys(stage.step for stage in found))}"
                        + (repeated if found[0].in_each_layer else "")
                    ),
                    "formula": found[0].symbols,
                    "cells": shown if len(titles) > 1 else [*shown, f"{found[0].numbers:,}"],
                }
            )
        return {
            "lines": lines,
            "heads": titles if len(titles) > 1 else ["shape", "numbers"],
            "caption": (
                f"{' beside '.join(titles)}, a batch of B = {batch:,}. From the shape of the model alone: nothing is"
                " run."
            ),
        }

    def _explain(self, *_: Any) -> None:
        lines = {line.key: line for line in parameter_lines(self.now.shape)}
        self._ledger.chosen = self.chosen
        line = lines.get(self.chosen)
        text = (
            f"{line.name}: {percent(line.share)} of the total. {words_of(line.key, self.now.shape)}"
            if line
            else "This model has no such piece. Choose another line."
        )
        self._why.object = f'<p role="status" style="margin:0;color:var(--vit-ink)">{_lowered(text)}</p>'

    # the same in words and as a still ---------------------------------------------------------------------

    def describe(self) -> Description:
        """The models, their totals and every line in words."""
        said = [
            f"{title} has {parameter_lines(shape)[-1].running:,} parameters"
            + ("" if self.brief else f" and needs {count.macs(shape)['total']:,} multiply-adds a picture")
            for title, shape in self.shapes
        ]
        table = [
            (
                f"{line.name}, {title}" if len(self.shapes) > 1 else line.name,
                f"{_equation(line)} ({percent(line.share)})",
            )
            for title, shape in self.shapes
            for line in parameter_lines(shape)
        ]
        return Description("; ".join(said) + ".", table)

    def still(self) -> Figure:
        """The lines of the ledger as bars."""
        from widgets.counting.ledger_still import ledger_still

        return ledger_still(
            [
                (title, [(line.name, line.count, line.share) for line in parameter_lines(shape)])
                for title, shape in self.shapes
            ]
        )


def _options(select: pn.widgets.Select, value: str, names: list[str]) -> None:
    select.param.update(options=names if value in names else [value, *names], value=value)


def _merged(ledgers: list[list[Line]], most: int, running: bool) -> list[dict[str, Any]]:
    """Lines of one or two ledgers side by side; where one has no such line stands a dash."""
    found = [{line.key: line for line in ledger} for ledger in ledgers]
    keys = list(dict.fromkeys(key for ledger in ledgers for key in (line.key for line in ledger)))
    order = [*PIECES, "patch", "linear"]
    merged = []
    for key in sorted(keys, key=lambda key: order.index(key) if running else keys.index(key)):
        own = [lines.get(key) for lines in found]
        line = own[0] or own[-1]
        cells = [f"{one.count:,}" if one else "–" for one in own]
        if running:
            cells.insert(1, f"{own[0].running:,}" if own[0] else "–")
        bars = [[one.count / most if one and most else 0.0, HUES.get(key, "accent")] for one in own]
        merged.append(
            {
                "key": key,
                "name": line.name,
                "formula": line.formula,
                "worked": line.worked if own[0] else "",
                "cells": cells,
                "bars": bars,
            }
        )
    return merged


def _lowered(text: str) -> str:
    """Text as HTML, with W_q as W and a subscript."""
    return re.sub(r"_(\w+)", r"<sub>\1</sub>", escape(text))


def _equation(line: Line) -> str:
    return " = ".join(dict.fromkeys([line.formula, line.worked, f"{line.count:,}"])) if line.count else line.formula
