"""Widgets of the ViT course. Names resolve on first use, so `import widgets` costs no more than Panel."""

from __future__ import annotations

import importlib
from typing import Any

from . import requirements

requirements.require()  # before Panel: an old one fails in ways that say nothing of its age

import panel  # noqa: E402, F401  the one library every widget stands on

from . import lesson  # noqa: E402  # names only; what they stand for is loaded when it is used

WIDGETS: dict[str, str] = {
    "ForwardStepper": "widgets.forward_stepper",
    "PatchHover": "widgets.patch_hover",
    "AttentionCalculator": "widgets.attention_calculator",
    "ScalingDemo": "widgets.scaling_demo",
    "BreakIt": "widgets.break_it",
    "EmbeddingBasis": "widgets.embedding_basis",
    "FilterBank": "widgets.filter_bank",
    "PositionSimilarity": "widgets.position_similarity",
    "ShuffleTest": "widgets.shuffle_test",
    "PositionInterpolation": "widgets.position_interpolation",
    "ReadOut": "widgets.read_out",
    "HeadExplorer": "widgets.head_explorer",
    "AttentionDistance": "widgets.attention_distance",
    "LayerNormLab": "widgets.layer_norm_lab",
    "ActivationPlot": "widgets.activation_plot",
    "ResidualStream": "widgets.residual_stream",
    "ViTCalculator": "widgets.vit_calculator",
    "ParameterLedger": "widgets.parameter_ledger",
    "PublishedCounts": "widgets.published_counts",
    "Miscount": "widgets.miscount",
    "CostExplorer": "widgets.cost_explorer",
    "TensorTracer": "widgets.tensor_tracer",
    "TrainingBudget": "widgets.training_budget",
    "MeasureHere": "widgets.measure_here",
}
"""Every widget, by the module that holds it: listed once here, it appears on the landing page and at its address."""

_NAMES: dict[str, str] = {
    **WIDGETS,
    "Selection": "widgets.page.selection",
    "start": "widgets.page.notebook",
    **dict.fromkeys(lesson.__all__, "widgets.lesson"),
    "draw_shapes": "widgets.page.shape_drawing",
    "load": "widgets.model.checkpoints",
    "patchify": "widgets.model.patches",
    "unpatchify": "widgets.model.patches",
    "patch_position": "widgets.model.patches",
}

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(_NAMES[name]), name)
    raise AttributeError(f"widgets has no {name!r}; it offers {', '.join(__all__)}")


def __dir__() -> list[str]:
    return __all__
