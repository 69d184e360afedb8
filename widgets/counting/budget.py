"""A training run as a reader sets it: the model, the data, the device; read from text, refused in a sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace

from widgets.common.facts import published
from widgets.common.typed_number import Kind, NotRead, as_typed, number_typed
from widgets.counting.calculator_settings import SettingRefused
from widgets.model import count
from widgets.model.costs import JFT_CLASSES, models, training_exaflops
from widgets.model.shape import ViTShape

FIELDS = {  # field -> (what it is, least, most, whole, its unit)
    "epochs": ("Epochs", 0.01, 1e6, False, "epochs"),
    "images": ("Pictures an epoch", 1, 1e12, True, "pictures"),
    "classes": ("Classes of the head", 0, 1e8, True, "classes"),
    "peak": ("Peak, TFLOP/s", 0.001, 1e6, False, "TFLOP/s"),
    "mfu": ("Utilisation, %", 0.01, 100, False, "%"),
    "devices": ("Devices at once", 1, 1e7, True, "devices"),
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
    return {
        "a TPU v3 core": v3["tflops_a_chip"] / v3["cores"],
        "a TPU v3 chip": v3["tflops_a_chip"],
        "a TPU v4 core": v4["tflops_a_chip"] / v4["cores"],
        "a TPU v4 chip": v4["tflops_a_chip"],
    }


def runs() -> dict[str, Run]:
    """Title -> run, for the rows of the paper's Table 6."""
    images = published("pretraining_data")["JFT"]["pictures"]
    return {
        f"ViT-{row['model']}, {row['epochs']} epochs": Run(row["model"], row["epochs"], images)
        for row in published("vit_paper")["table6"]["rows"]
    }


def printed_core_days(model: str) -> float | None:
    """TPU v3 core-days that the paper's Table 2 prints for a model on JFT, None where it prints none."""
    rows = published("vit_paper")["table2"]["rows"]
    return next((row["tpuv3_core_days"] for row in rows if row["model"] == model and row["data"] == "JFT"), None)


def changed(run: Run, field: str, text: str) -> Run:
    """The run with one field as it was typed. Raises SettingRefused, with what could stand there."""
    if field == "model":
        if text not in models():
            raise SettingRefused(f"the model is one of {', '.join(models())}, not “{text[:20]}”")
        return replace(run, model=text)
    if field not in FIELDS:
        raise SettingRefused(f"there is no field called “{field[:30]}”")
    return replace(run, **{field: _number(run, field, text)})


def typed(run: Run, field: str) -> str:
    """A field as a reader types it."""
    return as_typed(getattr(run, field), whole=FIELDS[field][3])


def _number(run: Run, field: str, text: str) -> float:
    name, least, most, whole, unit = FIELDS[field]
    try:
        return number_typed(text, Kind(name.partition(",")[0], least, most, whole, (unit,), typed(run, field)))
    except NotRead as reason:
        offers = [as_typed(near, whole) for near in reason.near] or [typed(run, field)]
        raise SettingRefused(str(reason), [(offer, {field: offer}) for offer in offers]) from None
