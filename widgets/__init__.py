"""Widgets of the ViT course. Names resolve on first use, so `import widgets` costs no more than Panel."""

from __future__ import annotations

import importlib
from typing import Any

from widgets import requirements

requirements.require()  # before Panel: an old one fails in ways that say nothing of its age

import panel  # noqa: E402, F401  the one library every widget stands on

from widgets import lesson  # noqa: E402  # names only; what they stand for is loaded when it is used

WIDGETS: dict[str, str] = {
    "ForwardStepper": "widgets.first_look.forward_stepper",
    "PatchHover": "widgets.patches.patch_hover",
    "AttentionCalculator": "widgets.attention.attention_calculator",
    "ScalingDemo": "widgets.attention.scaling_demo",
    "BreakIt": "widgets.block.break_it",
    "EmbeddingBasis": "widgets.patches.embedding_basis",
    "FilterBank": "widgets.patches.filter_bank",
    "PositionSimilarity": "widgets.positions.position_similarity",
    "ShuffleTest": "widgets.positions.patch_shuffle",
    "PositionInterpolation": "widgets.positions.position_interpolation",
    "ReadOut": "widgets.block.read_out",
    "HeadExplorer": "widgets.attention.head_explorer",
    "AttentionDistance": "widgets.attention.attention_distance",
    "LayerNormLab": "widgets.block.layer_norm_lab",
    "ActivationPlot": "widgets.block.activation_plot",
    "ResidualStream": "widgets.block.residual_stream",
    "ViTCalculator": "widgets.counting.vit_calculator",
    "ParameterLedger": "widgets.counting.parameter_ledger",
    "PublishedCounts": "widgets.counting.published_counts",
    "Miscount": "widgets.counting.miscount",
    "CostExplorer": "widgets.counting.cost_explorer",
    "TensorTracer": "widgets.counting.tensor_tracer",
    "TrainingBudget": "widgets.counting.training_budget",
    "MeasureHere": "widgets.counting.measure_here",
}
"""Every widget, by the module that holds it: listed once here, it appears on the landing page and at its address."""

_NAMES: dict[str, str] = {
    **WIDGETS,
    "Selection": "widgets.kit.selection",
    "start": "widgets.page.notebook",
    **dict.fromkeys(lesson.__all__, "widgets.lesson"),
    "draw_shapes": "widgets.counting.shape_drawing",
    **dict.fromkeys(
        ("attention_image", "attention_maps", "token_points", "picture_patches", "stream_curves"),
        "widgets.composing.elements",
    ),
    "load": "widgets.checkpoints.loading",
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
