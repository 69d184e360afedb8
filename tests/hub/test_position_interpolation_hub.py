"""Chapter 11 speaks of the copy used here. Whether its sentences hold for the hub's own file is decided here, by the same tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.chapters import test_interpolation_claims as chapter
from tests.hub.test_dinov2_hub import NAME, from_hub
from tests.model import test_sample_sizes as sizes
from widgets.model import checkpoints

pytestmark = pytest.mark.hub(NAME)

OF_THE_CHAPTER = [claim for name, claim in vars(chapter).items() if name.startswith("test_")]
OF_ALL_PICTURES = [sizes.test_of_all_sample_pictures_those_that_need_the_table_least_are_those_for_which_it_does_not_win]
OF_FIVE_PICTURES = [sizes.test_which_table_stays_closest_depends_on_the_picture_and_the_size, sizes.test_wrong_positions_beat_none_for_some_pictures_only,
                    sizes.test_the_table_loses_where_the_full_size_answer_hardly_needs_it, sizes.test_the_number_of_patches_moves_y_without_any_positions]


def forget() -> None:
    """Empty every cache of the course: they are kept by a checkpoint's name, which both files bear."""
    checkpoints._RESIZED[NAME].clear()
    for module in [module for name, module in sys.modules.items() if name.startswith("widgets.")]:
        for value in list(vars(module).values()):
            if callable(getattr(value, "cache_clear", None)) and getattr(value, "__module__", "").startswith("widgets.model"):
                value.cache_clear()


@pytest.fixture(scope="module")
def hubs_file() -> Iterator[None]:
    """The course reads the hub's file wherever it asks for its default model."""
    own = checkpoints.load(NAME)
    checkpoints._BASES[NAME] = replace(own, model=from_hub().eval().requires_grad_(False))
    forget()
    yield
    checkpoints._BASES[NAME] = own
    forget()


@pytest.mark.parametrize("claim", [*OF_THE_CHAPTER, *OF_ALL_PICTURES], ids=lambda claim: claim.__name__)
def test_a_sentence_of_the_chapter(hubs_file: None, claim: Callable[[], None]) -> None:
    claim()


@pytest.mark.parametrize("claim", OF_FIVE_PICTURES, ids=lambda claim: claim.__name__)
def test_a_sentence_about_five_pictures(hubs_file: None, claim: Callable[[dict], None]) -> None:
    claim({(name, side): sizes.small_picture(sizes.DINO, name, side) for name in sizes.NAMES for side in (112, 224)})
