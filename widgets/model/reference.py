"""The values published for the released ViT-B/16 on one picture, read out of a trace for comparison."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from widgets.common.facts import published
from widgets.common.refusal import Refused
from widgets.model.tensor_defaults import FLOAT32
from widgets.model.trace import Trace
from widgets.model.vit import ViTWeights
from widgets.pictures import Picture
from widgets.pictures.preparation import PREPARATIONS

FACTS = "vit_b16_cats"
NOT_VALUES = ("source", "note", "checkpoint", "revision", "picture")


class Value(NamedTuple):
    """One published number and ours; `agrees` within a unit of the last digit that was published."""

    name: str
    ours: float
    published: float
    agrees: bool


def released_pixels(picture: Picture) -> Tensor:
    """Prepare a picture as ViT-B/16's release does: stretched to 224 x 224, -1 to 1. Returns (1, 3, 224, 224)."""
    image = Image.fromarray(picture.rgb).resize((224, 224), Image.Resampling.BILINEAR)
    pixels = np.asarray(image).transpose(2, 0, 1)
    return torch.from_numpy(PREPARATIONS["vit-b16"].apply(pixels))[None]


def is_reference_picture(pixels: Tensor) -> bool:
    """Tell whether `released_pixels` are those of the published picture, by the first eight numbers of patch 0."""
    first = torch.tensor(published(FACTS)["patch0_first8"], **FLOAT32)
    return bool((pixels[0, 0, 0, :8] - first).abs().max() < 0.02)  # two and a half levels of a byte


def reference_values(t: Trace, w: ViTWeights, facts: dict[str, Any]) -> dict[str, Any]:
    """Return our numbers under the published names. The facts are asked only which tokens and layers they list."""
    first, last = t.layers[0], t.layers[-1]
    assert t.logits is not None and w.class_token is not None  # the released ViT-B/16 has both
    probabilities = t.logits[0].softmax(-1)
    class_weights = first.weights[0, :, 0]  # (k, T): layer 1, the class query
    return {
        "patch0_first8": t.patches[0, 0, :8],
        "patch0_number256": t.patches[0, 0, 256],
        "patch0_number512": t.patches[0, 0, 512],
        "patch0_embedding_first6": t.patch_embeddings[0, 0, :6],
        "x_class_first6": w.class_token[:6],
        "E_pos0_first6": w.positions[0, :6],
        "E_pos1_first6": w.positions[1, :6],
        "z0_row0_first6": t.z0[0, 0, :6],
        "z0_row1_first6": t.z0[0, 1, :6],
        "ln1_class": _norm_by_hand(t.z0[0, 0], w),
        "layer1_head1_class_scores_first6": first.scores[0, 0, 0, :6],
        "layer1_head1_class_weight_on_itself": class_weights[0, 0],
        "layer1_class_self_weight_by_head": class_weights[:, 0],
        "layer1_head1_class_top_tokens": _at(facts["layer1_head1_class_top_tokens"], class_weights[0]),
        "layer1_head8_class_top_tokens": _at(facts["layer1_head8_class_top_tokens"], class_weights[7]),
        "layer1_head1_weight_on_all_patches": class_weights[0, 1:].sum(),
        "layer1_head1_smallest_weight": class_weights[0].min(),
        "layer1_head1_SA_first6": first.heads[0, 0, 0, :6],
        "z_prime1_class_first6": first.z_prime[0, 0, :6],
        "ln2_class_first6": first.ln2[0, 0, :6],
        "pre_gelu_first6": first.pre_activation[0, 0, :6],
        "post_gelu_first6": first.post_activation[0, 0, :6],
        "share_positive_pre_gelu": (first.pre_activation[0, 0] > 0).double().mean(),
        "z1_class_first6": first.z[0, 0, :6],
        "largest_value_by_layer": {n: t.layers[int(n) - 1].z.abs().max() for n in facts["largest_value_by_layer"]},
        "zL_class_first6": last.z[0, 0, :6],
        "zL_class_mean": last.z[0, 0].mean(),
        "zL_class_variance": last.z[0, 0].var(correction=0),
        "y_first6": t.y[0, :6],
        "top5": [[int(c), probabilities[c]] for c in probabilities.argsort(descending=True)[:5]],
    }


def compare_with_published(t: Trace, w: ViTWeights, facts: dict[str, Any] | None = None) -> list[Value]:
    """Compare every published value with ours, number by number, in the order of the published file.

    Raises ValueError for a published value that we do not know how to read out.
    """
    facts = facts or published(FACTS)
    facts = {name: value for name, value in facts.items() if name not in NOT_VALUES}
    ours = reference_values(t, w, facts)
    if unknown := set(facts) - set(ours):
        raise Refused(f"there is nothing to compare the published {', '.join(sorted(unknown))} with")
    rows = []
    for name, value in facts.items():
        theirs, mine = dict(_flat(name, value)), dict(_flat(name, ours[name]))
        unit = 10.0 ** -max(_decimals(number) for number in theirs.values())
        for key, number in theirs.items():
            # slack of half a percent for large values: decoders of JPEG differ by a level here and there
            close = abs(mine[key] - number) <= unit + 0.005 * abs(number)
            rows.append(Value(key, mine[key], number, close))
    return rows


def _norm_by_hand(z: Tensor, w: ViTWeights) -> dict[str, Any]:
    mean, variance = z.mean(), z.var(correction=0)
    normalised = (z - mean) / (variance + w.layer_norm_eps).sqrt()  # (D,)
    gamma, beta = w.blocks[0].ln1_weight, w.blocks[0].ln1_bias
    assert beta is not None  # the released ViT-B/16 has every bias
    return {
        "mean": mean,
        "variance": variance,
        "std": variance.sqrt(),
        "gamma_first6": gamma[:6],
        "beta_first6": beta[:6],
        "out_first6": (normalised * gamma + beta)[:6],
        "normalised_first6": normalised[:6],
    }


def _at(listed: list[list[float]], weights: Tensor) -> list[list[float]]:
    return [[token, float(weights[int(token)])] for token, _ in listed]


def _flat(name: str, value: Any) -> list[tuple[str, float]]:
    if isinstance(value, dict):
        return [pair for key, inner in value.items() for pair in _flat(f"{name} {key}", inner)]
    if isinstance(value, list) or (isinstance(value, torch.Tensor) and value.ndim):
        return [pair for place, inner in enumerate(value) for pair in _flat(f"{name} {place}", inner)]
    return [(name, float(value))]


def _decimals(number: float) -> int:
    return len(text.split(".")[1]) if "." in (text := repr(number)) and not number.is_integer() else 0
