"""A reader who sets torch's default dtype or device for other work sees the course's widgets as before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORDS = """
import json, sys, torch
import widgets
from widgets.checkpoints.loading import load
from widgets.model.flop_counters import WAYS, torch_flops
from widgets.model.shape import FAMILY
{before}
said = {{name: str(getattr(widgets, name)(selection=widgets.Selection()).describe()) for name in widgets.WIDGETS}}
said |= {{way: torch_flops(FAMILY["B/16"], way) for way in WAYS if way != "fused"}}
for model in ("dinov2-small", "random-b16"):
    w = load(model, (112, 224)).model
    said[model] = [str((p.dtype, p.device, float(p.double().sum()))) for p in w.parameters()]
    said[model + " passes"] = float(w(torch.ones(1, 3, 112, 224, dtype=torch.float32, device="cpu"))[0].sum())
json.dump(said, open(sys.argv[1], "w"))
"""


def _said(told: Path, before: str) -> dict[str, object]:
    ran = subprocess.run(
        [sys.executable, "-c", WORDS.format(before=before), str(told)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(told.read_text())


def test_every_widget_and_model_is_as_ever(tmp_path: Path) -> None:
    """meta stands for mps and cuda, which this machine need not have."""
    set_by_reader = "torch.set_default_dtype(torch.float64); torch.set_default_device('meta')"
    assert _said(tmp_path / "set.json", set_by_reader) == _said(tmp_path / "usual.json", "")
