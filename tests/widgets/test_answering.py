"""A refusal is what cannot be used and why; anything else is a failure of ours: said as one, and the page goes on."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import numpy as np
import pytest

import widgets
from widgets.common.refusal import Refused
from widgets.kit.answering import FAILED, STAYS, whole_sentence
from widgets.kit.selection import Selection
from widgets.kit.widget import Widget

ROOT = Path(__file__).resolve().parents[2] / "widgets"
SECRET = "operands could not be broadcast together with shapes (7,) (3,)"
# widget -> (module, function) of ours that it asks when it draws
ASKED = {
    "AttentionDistance": ("widgets.model.inspection", "mean_attention_distance"),
    "HeadExplorer": ("widgets.experiments.kept_pass", "read"),
    "ScalingDemo": ("widgets.experiments.kept_pass", "read"),
    "BreakIt": ("widgets.experiments.fault_effects", "damage"),
    "ReadOut": ("widgets.experiments.readout", "read_outs"),
    "ResidualStream": ("widgets.model.stream", "stream"),
    "ActivationPlot": ("widgets.model.stream", "stream"),
    "LayerNormLab": ("widgets.experiments.kept_pass", "read"),
    "ShuffleTest": ("widgets.experiments.shuffle", "shuffle_test"),
    "PositionSimilarity": ("widgets.model.position_tables", "likeness"),
    "FilterBank": ("widgets.experiments.kept_pass", "read"),
    "EmbeddingBasis": ("widgets.experiments.patch_basis", "basis_of"),
    "ForwardStepper": ("widgets.first_look.forward_stepper", "opened"),
    "ParameterLedger": ("widgets.counting.parameter_ledger", "parameter_lines"),
}
START = {"LayerNormLab": {"start": "picture"}}


def broken(*_: object, **__: object) -> None:
    raise ValueError(SECRET)


def asked_by(widget: Widget) -> str:
    """The dotted name by which the widget calls what it asks: its own module's, where that imports it at the top."""
    module, function = ASKED[type(widget).__name__]
    own = type(widget).__module__
    return f"{own if hasattr(sys.modules[own], function) else module}.{function}"


def redraw(widget: Widget) -> None:
    """Make it compute again, on another picture, or where there is none with another model."""
    if isinstance(widget, widgets.ParameterLedger):
        widget.selection.checkpoint = {"dinov2-small": "random-b16"}.get(widget.selection.checkpoint, "dinov2-small")
        return
    others = [name for name in ("cat", "coffee") if name != widget.selection.picture]
    widget.selection.picture = others[0]


@pytest.mark.parametrize("name", ASKED)
def test_an_error_of_our_own_is_a_failure_and_no_refusal(
    name: str, monkeypatch: pytest.MonkeyPatch, failures: list[str]
) -> None:
    widget = getattr(widgets, name)(selection=Selection(picture="coffee"), **START.get(name, {}))
    parts = widget.notice_parts()
    assert parts and all(part.status == "ready" for part in parts), "it draws before anything is broken"
    with monkeypatch.context() as patch:
        patch.setattr(asked_by(widget), broken)
        redraw(widget)
    assert {part.status for part in parts} == {"failed"}, name
    assert all(part.message == f"{FAILED} {STAYS}" for part in parts)
    logged = "\n".join(failures)
    assert "ValueError" in logged and name in logged and "broadcast" not in logged, "the message may quote the reader"
    redraw(widget)
    assert {part.status for part in parts} == {"ready"} and not any(part.message for part in parts)


def test_what_is_refused_says_why_and_what_stays() -> None:
    widget = widgets.BreakIt(selection=Selection())
    widget.selection.checkpoint = "vit-nowhere"
    (part,) = widget.notice_parts()
    assert part.status == "refused" and "vit-nowhere" in part.message and part.message.endswith(STAYS)
    assert "vit-nowhere" in widget.describe().sentence and STAYS not in widget.describe().sentence


def test_nothing_stays_where_nothing_was_shown() -> None:
    widget = widgets.BreakIt(selection=Selection(checkpoint="vit-nowhere"))
    (part,) = widget.notice_parts()
    assert part.status == "refused" and STAYS not in part.message


@pytest.mark.parametrize(
    ("text", "said"),
    [("the side is odd", "The side is odd."), ("Is it 5?", "Is it 5?"), ("Choose one.", "Choose one.")],
)
def test_a_refusal_stands_as_a_whole_sentence(text: str, said: str) -> None:
    assert whole_sentence(text) == said


def test_words_that_fail_leave_the_widget_alive(monkeypatch: pytest.MonkeyPatch, failures: list[str]) -> None:
    widget = widgets.BreakIt(selection=Selection())
    twin = widget.text_twin()
    monkeypatch.setattr(type(widget), "describe", broken)
    redraw(widget)
    assert twin.sentence == FAILED and len(failures) == 1


def test_numpys_own_error_is_none_of_ours() -> None:
    with pytest.raises(ValueError) as caught:
        np.zeros(3) + np.zeros(7)
    assert not isinstance(caught.value, Refused)


# Where an error of another library, or of a file, is read as what it says: (file, why)
READS_OTHERS = {
    "uploads.py": "Pillow's word that a picture is damaged",
    "fetching.py": "a file of the cache that is no JSON of ours",
    "conversion.py": "a checkpoint that another program wrote",
    "download.py": "a pipe that was closed while it was read",
    "fold_weights.py": "what safetensors and transformers say of a file",
    "__main__.py": "int() of a number typed in a terminal",
    "quiz_widget.py": "a quiz file's own mistake",
    "progress_keeper.py": "progress that a browser sends",
    "progress_command.py": "a file that is no progress",
    "progress_file.py": "a file that is no progress",
    "progress_sheet.py": "a file that is no progress",
    "array_differences.py": "NumPy, where shapes do not fit",
    "prediction.py": "what an answer kind makes of a guess",
}


def test_no_file_takes_any_valueerror_for_a_refusal() -> None:
    found = {}
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler) and node.type is not None:
                kinds = {name.id for name in ast.walk(node.type) if isinstance(name, ast.Name)}
                if kinds & {"ValueError", "RuntimeError"} and path.name not in READS_OTHERS:
                    if "exercises" not in path.parts:
                        found[path.name] = node.lineno
    assert not found, found
