"""A training run as a reader sets it: the model, the data, the device; read from text, refused in a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import isfinite

from widgets.model import count
from widgets.model.costs import JFT_CLASSES, models, training_exaflops
from widgets.model.facts import published
from widgets.model.setting import LONGEST, Refused
from widgets.model.shape import ViTShape

FIELDS = {   # field -> (what it is, least, most, whole)
    "epochs": ("Epochs", 0.01, 1e6, False), "images": ("Pictures an epoch", 1, 1e12, True), "classes": ("Classes of the head", 0, 1e8, True),
    "peak": ("Peak, TFLOP/s", 0.001, 1e6, False), "mfu": ("Utilisation, %", 0.01, 100, False), "devices": ("Devices at once", 1, 1e7, True),
}


@dataclass(frozen=True)
class Run:
    """A training run. `peak` is the dense peak of one device in TFLOP/s, `mfu` the part of it that is reached, in %."""

    model: str = "H/14"
    epochs: float = 14
    images: float = 303_000_000
    classes: float = JFT_CLASSES
    peak: float = 61.5
    mfu: float = 32
    devices: float = 1

    @property
    def shape(self) -> ViTShape:
        """The model with the head that it is trained with."""
        return replace(models()[self.model][1], num_labels=int(self.classes))

    def exaflops(self, way: str = "right") -> float:
        """Compute of the run in exaFLOPs, counted in one of the `costs.WAYS`."""
        return training_exaflops(self.shape, None, self.epochs, self.images, way)

    def device_days(self, way: str = "right") -> float:
        """Days on one device."""
        return count.gpu_days(self.exaflops(way), self.peak, self.mfu / 100)


def peaks() -> dict[str, float]:
    """Device -> dense peak in TFLOP/s, for the devices whose peak is published here: a TPU v3 core, a TPU v4 chip."""
    chips = {row["device"]: row for row in published("accelerators")["peaks"]["rows"]}
    v3, v4 = chips["TPUv3"], chips["TPUv4"]
    return {"a TPU v3 core": v3["tflops_a_chip"] / v3["cores"], "a TPU v3 chip": v3["tflops_a_chip"],
            "a TPU v4 core": v4["tflops_a_chip"] / v4["cores"], "a TPU v4 chip": v4["tflops_a_chip"]}


def runs() -> dict[str, Run]:
    """Title -> run, for the rows of the paper's Table 6."""
    images = published("pretraining_data")["JFT"]["pictures"]
    return {f"ViT-{row['model']}, {row['epochs']} epochs": Run(row["model"], row["epochs"], images) for row in published("vit_paper")["table6"]["rows"]}


def printed_core_days(model: str) -> float | None:
    """TPU v3 core-days that the paper's Table 2 prints for a model on JFT, None where it prints none."""
    rows = published("vit_paper")["table2"]["rows"]
    return next((row["tpuv3_core_days"] for row in rows if row["model"] == model and row["data"] == "JFT"), None)


def changed(run: Run, field: str, text: str) -> Run:
    """The run with one field as it was typed. Raises Refused, with what could stand there."""
    if field == "model":
        if text not in models():
            raise Refused(f"the model is one of {', '.join(models())}, not “{text[:20]}”")
        return replace(run, model=text)
    if field not in FIELDS:
        raise Refused(f"there is no field called “{field[:30]}”")
    return replace(run, **{field: _number(run, field, text)})


def typed(run: Run, field: str) -> str:
    """A field as a reader types it."""
    return f"{getattr(run, field):,.12g}"


def _number(run: Run, field: str, text: str) -> float:
    name, least, most, whole = FIELDS[field]
    name, short = name.partition(",")[0], text.strip()[:20]
    kept = [(typed(run, field), {field: typed(run, field)})]
    span = f"type a {'whole ' if whole else ''}number from {_plain(least)} to {_plain(most)}"
    if not text.strip():
        raise Refused(f"{name}: the field is empty; {span}.", kept)
    digits = re.sub(r"[,\s]", "", text).replace("−", "-").removesuffix("%" if field == "mfu" else "\0")
    try:
        number = float(digits) if len(text) <= LONGEST and re.fullmatch(r"[-+\d.eE]+", digits) else float("nan")
    except ValueError:
        number = float("nan")
    if number != number:
        raise Refused(f"{name}: “{short}” is no number; {span}.", kept)
    if not least <= number <= most or not isfinite(number):
        near = least if number < least else most
        held = "at least" if number < least else "at most"
        raise Refused(f"{name} must be {held} {_plain(near)}, not {short}.", [(_plain(near), {field: _plain(near)})])
    if whole and number != int(number):
        raise Refused(f"{name} must be a whole number, not {short}.", [(f"{n:,}", {field: f"{n:,}"}) for n in (int(number), int(number) + 1) if least <= n <= most])
    return number


def _plain(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) else f"{number:,g}"
