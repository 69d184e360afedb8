"""Wrong searches for the missing 24,576."""

from __future__ import annotations

from . import mutant


def answer(attention=-27648, patch=3072, norms=0):
    return {
        "patch_embedding": patch,
        "class_token": 0,
        "positions": 0,
        "attention": attention,
        "mlp": 0,
        "layer_norms": norms,
        "final_norm": 0,
        "head": 0,
    }


@mutant("one-layer")
def one_layer_of_biases():
    return answer(attention=-3 * 768)


@mutant("one-bias")
def one_bias_a_layer():
    return answer(attention=-12 * 768)


@mutant("every-bias")
def the_output_projection_too():
    return answer(attention=-12 * 4 * 768)


@mutant("half-the-norms")
def only_one_norm():
    return answer(patch=2 * 768)


@mutant("half-the-norms")
def norms_with_a_gain_only():
    return answer(patch=768 + 768)


@mutant("norms-forgotten")
def no_norms():
    return answer(patch=0)


@mutant("norms-each-layer")
def norms_twelve_times():
    return answer(patch=12 * 4 * 768)


@mutant("norms-with-the-blocks")
def norms_elsewhere():
    return answer(patch=0, norms=3072)


@mutant("patch-bias")
def projection_without_bias():
    return answer(patch=3072 - 768)


@mutant("signs")
def ours_less_theirs():
    return {piece: -number for piece, number in answer().items()}


@mutant("no-signs")
def sizes_only():
    return {piece: abs(number) for piece, number in answer().items()}


@mutant("in-one")
def all_of_it_biases():
    return answer(attention=-24576, patch=0)


@mutant("norms-forgotten", "signs")
def two_at_once():
    return answer(attention=27648, patch=0)
