"""What chapter 07 says of its model in words is what the model does, on the cat and on two other pictures."""

from __future__ import annotations

import numpy as np
import pytest

from widgets.lesson.predictions.chapter_07 import PREDICTIONS, positive_share
from widgets.model.library import weights_of
from widgets.model.pictures import open_sample
from widgets.model.stream import Stream, differences, stream
from widgets.page.reading import Reading, read


@pytest.fixture(scope="module", params=["cat", "coffee", "photographer"])
def reading(request: pytest.FixtureRequest) -> Reading:
    return read("dinov2-small", open_sample(request.param))


@pytest.fixture(scope="module")
def measured(reading: Reading) -> Stream:
    return stream(reading.trace)


def test_a_patch_is_shorter_at_first_then_many_times_longer(measured: Stream) -> None:
    median = np.median(measured.length[1:], axis=0)
    assert median.argmin() == 3 and median.argmax() == 12 and median[3] < median[0] / 1.5 and median[12] > 10 * median[0]
    chosen = PREDICTIONS["07-length-of-a-patch"]
    assert chosen["answer"]() == chosen["choices"][0]


def test_attention_adds_more_than_there_was_in_other_layers_for_class_and_patches(measured: Stream) -> None:
    of_patches = np.median(measured.attention[1:], axis=0)
    assert measured.attention[0].argmax() == 0 and measured.attention[0, 0] > 1
    assert of_patches.argmax() == 11 and of_patches[11] > 1


def test_variances_of_the_first_layers_are_a_few_thousandths(reading: Reading) -> None:
    states = [reading.trace.z0, *(layer.z for layer in reading.trace.layers[:5])]
    medians = [float(z[0].var(-1, correction=0).median()) for z in states]
    assert 1e-3 < min(medians) and max(medians) < 2e-2, medians
    assert weights_of(reading.checkpoint.model).layer_norm_eps == 1e-6


def test_the_class_token_is_longer_than_a_patch_from_z_7_to_z_11_by_one_number(reading: Reading, measured: Stream) -> None:
    median = np.median(measured.length[1:], axis=0)
    assert (measured.length[0, 7:12] > 1.2 * median[7:12]).all()
    assert (measured.largest[0, 7:12] > 3 * np.median(measured.largest[1:], axis=0)[7:12]).all()
    squares = np.stack([layer.z[0, 0].numpy()**2 for layer in reading.trace.layers[6:11]])
    assert (squares.max(1) / squares.sum(1) > 0.5).all() and len(set(squares.argmax(1))) == 1


def test_positive_numbers_are_few_and_ours_is_the_librarys(reading: Reading, measured: Stream) -> None:
    assert measured.positive.mean(0).max() < 0.4 and 10 < positive_share() < 30
    found = differences(reading.trace)
    assert max(d.relative for d in found) < 1e-5 and found[-1].absolute > 5 * found[0].absolute
