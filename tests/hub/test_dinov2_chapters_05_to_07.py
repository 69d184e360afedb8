"""What chapters 05 to 07 measured on the copy used there, asked of the hub's own file: the same tests on its weights."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.chapters import test_self_attention_claims as self_attention
from tests.chapters.test_encoder_block_claims import (  # noqa: F401  the tests and the fixtures they ask for
    measured, reading,
    test_a_mended_y_is_nearest_to_its_own_picture,
    test_a_patch_is_shorter_at_first_then_many_times_longer,
    test_attention_adds_more_than_there_was_in_other_layers_for_class_and_patches,
    test_negative_numbers_are_not_silent,
    test_positive_numbers_are_few_and_ours_is_the_librarys,
    test_relu_alone_ruins_y_and_one_vector_a_layer_brings_most_of_it_back,
    test_shares_of_positive_numbers_layer_by_layer,
    test_some_gains_are_many_times_others,
    test_the_class_token_is_longer_than_a_patch_from_z_2_on_and_from_z_7_by_one_number,
    test_the_class_tokens_largest_number_is_tens_of_times_its_median,
    test_the_class_tokens_largest_number_leads_from_z_3_to_z_11_and_not_in_z_12,
    test_the_first_layers_point_against_a_patch_and_cancel_it,
    test_the_first_lists_of_what_was_to_be_seen,
    test_variances_of_the_first_layers_are_a_few_thousandths,
    test_what_is_printed_of_the_relu_twins_is_no_rounding_away_from_another,
    test_what_the_negative_numbers_give_is_nearly_one_vector_for_all_tokens,
)
from tests.chapters.test_multi_head_claims import (  # noqa: F401
    test_a_score_of_layer_1_sees_one_patch_in_its_place_and_one_of_layer_2_sees_more,
    test_five_of_six_heads_pick_out_the_dahlia_and_the_other_leaves_it_dark,
    test_the_first_layers_one_large_weight_hands_on_less_than_it_weighs,
    test_three_heads_of_layer_1_give_the_dahlia_more_than_three_times_its_share,
)
from tests.chapters.test_self_attention_claims import (  # noqa: F401
    test_a_heads_two_products_are_all_that_counts_and_have_rank_D_h,
    test_behind_a_causal_mask_no_head_gets_below_ln_K,
    test_on_other_pictures_too_the_class_token_does_not_speak_for_its_head,
    test_the_class_tokens_spread_is_near_1_in_most_heads_and_the_mean_over_queries_is_larger,
)
from tests.hub.test_dinov2_hub import NAME, from_hub
from tests.model.test_inside import (  # noqa: F401
    distances,
    test_three_heads_of_layer_4_look_at_one_neighbour_as_chapter_06_says,
    test_what_chapter_06_says_of_this_models_heads,
)
from widgets.model import checkpoints
from widgets.model.checkpoints import Checkpoint
from widgets.page import reading as readings

pytestmark = pytest.mark.hub(NAME)


@pytest.fixture(scope="module", autouse=True)
def weights_of_the_hub() -> Iterator[Checkpoint]:
    """The hub's file wherever the course asks for this checkpoint, and nothing kept of a pass through other weights."""
    with pytest.MonkeyPatch.context() as patch:
        theirs = replace(checkpoints.load(NAME), model=from_hub())
        patch.setitem(checkpoints._BASES, NAME, theirs)
        patch.setitem(checkpoints._RESIZED, NAME, OrderedDict())
        patch.setattr(readings, "_kept", OrderedDict())
        _forget()
        yield theirs
    _forget()


def _forget() -> None:
    for kept in (self_attention.spreads, self_attention.answers):
        kept.cache_clear()


def test_these_are_the_hubs_weights(weights_of_the_hub: Checkpoint, reading: readings.Reading) -> None:  # noqa: F811
    used, theirs = (model.state_dict() for model in (reading.checkpoint.model, weights_of_the_hub.model))
    name = next(each for each in theirs if each.endswith("fc2.weight"))
    assert used[name].data_ptr() == theirs[name].data_ptr()
