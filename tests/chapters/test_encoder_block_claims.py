"""What chapter 07 says of its model in words is what the model does, on the cat and on two other pictures."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from widgets.block.layer_norm_lab import STARTS
from widgets.experiments.kept_pass import Reading, read
from widgets.lesson.predictions.chapter_07 import PREDICTIONS, positive_share
from widgets.lesson.quiz_data import questions
from widgets.model.activation import by_sign, cut_off, loud, relu_twin, varying
from widgets.model.encoder import layer_norm
from widgets.model.library import weights_of
from widgets.model.norm import norm_steps
from widgets.model.stream import Stream, differences, stream
from widgets.model.trace import trace
from widgets.pictures import open_sample


@pytest.fixture(scope="module", params=["cat", "coffee", "photographer"])
def reading(request: pytest.FixtureRequest) -> Reading:
    return read("dinov2-small", open_sample(request.param))


@pytest.fixture(scope="module")
def measured(reading: Reading) -> Stream:
    return stream(reading.trace)


def test_a_patch_is_shorter_at_first_then_many_times_longer(measured: Stream) -> None:
    median = np.median(measured.length[1:], axis=0)
    assert (
        median.argmin() == 3 and median.argmax() == 12 and median[3] < median[0] / 1.5 and median[12] > 10 * median[0]
    )
    chosen = PREDICTIONS["07-length-of-a-patch"]
    assert chosen["answer"]() == chosen["choices"][0]


def test_attention_adds_more_than_there_was_in_other_layers_for_class_and_patches(measured: Stream) -> None:
    of_patches = np.median(measured.attention[1:], axis=0)
    assert measured.attention[0].argmax() == 0 and measured.attention[0, 0] > 1
    assert of_patches.argmax() == 11 and of_patches[11] > 1


def test_the_first_layers_point_against_a_patch_and_cancel_it(measured: Stream) -> None:
    length, attention, mlp, kept = (
        np.median(of[1:], axis=0)
        for of in (measured.length, measured.attention_cosine, measured.mlp_cosine, measured.kept)
    )
    assert mlp[0] < -0.75 and attention[1] < -0.7 and attention[2] < -0.5
    assert (np.diff(length[:4]) < 0).all() and all(
        np.median(of[1:], axis=0)[:3].min() > 0.5 for of in (measured.attention, measured.mlp)
    )
    assert abs(kept[8]) < 0.1 and kept[4] < 0.35


def test_variances_of_the_first_layers_are_a_few_thousandths(reading: Reading) -> None:
    states = [reading.trace.z0, *(layer.z for layer in reading.trace.layers[:5])]
    medians = [float(z[0].var(-1, correction=0).median()) for z in states]
    assert 1e-3 < min(medians) and max(medians) < 2e-2, medians
    assert weights_of(reading.checkpoint.model).layer_norm_eps == 1e-6


def test_the_class_token_is_longer_than_a_patch_from_z_2_on_and_from_z_7_by_one_number(
    reading: Reading, measured: Stream
) -> None:
    median = np.median(measured.length[1:], axis=0)
    assert (measured.length[0, 2:12] > median[2:12]).all() and (measured.length[0, :2] < median[:2]).all()
    assert (measured.length[0, 7:12] > 1.2 * median[7:12]).all()
    squares = np.stack([layer.z[0, 0].numpy() ** 2 for layer in reading.trace.layers[6:11]])
    assert (squares.max(1) / squares.sum(1) > 0.5).all()


def test_the_class_tokens_largest_number_leads_from_z_3_to_z_11_and_not_in_z_12(
    reading: Reading, measured: Stream
) -> None:
    times = measured.largest[0] / np.median(measured.largest[1:], axis=0)  # (L + 1,)
    assert (times[3:12] > 2.5).all() and times[12] < 1 and (times[:3] < 2.5).all(), times
    places = [int(layer.z[0, 0].abs().argmax()) for layer in reading.trace.layers]
    assert len(set(places[2:11])) == 1 and places[1] != places[2]


def test_positive_numbers_are_few_and_ours_is_the_librarys(reading: Reading, measured: Stream) -> None:
    assert measured.positive.mean(0).max() < 0.4 and 10 < positive_share() < 30
    found = differences(reading.trace)
    assert max(d.relative for d in found) < 1e-5 and found[-1].absolute > 5 * found[0].absolute


def test_negative_numbers_are_not_silent(reading: Reading) -> None:
    layers, blocks = reading.trace.layers, weights_of(reading.checkpoint.model).blocks
    for layer in layers:
        a = layer.pre_activation[0].numpy()
        assert 0.4 < loud(layer.pre_activation[0]) < 0.7 and ((a > -2) & (a < 0)).mean() > 0.5
    parts = [
        np.median(by_sign(layer.pre_activation[0], block.mlp.fc2_weight), axis=1)
        for layer, block in zip(layers, blocks, strict=True)
    ]
    assert sum(negative > positive for negative, positive in parts) > 6


def test_what_the_negative_numbers_give_is_nearly_one_vector_for_all_tokens(reading: Reading) -> None:
    inputs = [
        (layer.pre_activation[0], block.mlp.fc2_weight)
        for layer, block in zip(reading.trace.layers, weights_of(reading.checkpoint.model).blocks, strict=True)
    ]
    left = np.array([varying(*each) for each in inputs])  # (L, 2)
    assert (left[2:11, 0] < 0.15).all() and (left[2:11, 1] > 0.5).all()
    rest = np.array([np.median(by_sign(*each, centred=True), axis=1) for each in inputs])
    assert (rest[:, 1] > rest[:, 0]).all()


def test_some_gains_are_many_times_others(reading: Reading) -> None:
    for block in weights_of(reading.checkpoint.model).blocks:
        assert 0 < block.ln1_weight.min() < block.ln1_weight.max() / 5


def test_a_batch_norm_asks_the_other_pictures_and_a_layer_norm_does_not(reading: Reading) -> None:
    z = reading.trace.z0
    batches = [torch.cat([z, z.flip(2) * scale]) for scale in (1, 3)]  # the same beside two others
    of_layer = [layer_norm(batch, None, None, 1e-6)[0] for batch in batches]
    of_batch = [
        torch.nn.functional.batch_norm(batch.transpose(1, 2), None, None, training=True)[0] for batch in batches
    ]
    assert torch.allclose(*of_layer, atol=1e-6) and (of_batch[0] - of_batch[1]).abs().max() > 0.1


def test_the_quiz_on_the_variance() -> None:
    """As asked, the formula runs and comes out too close to 0; without keepdim it would not run."""
    asked = next(q for q in questions("07") if q.id == "07-variance").text
    assert "`x.var(-1, keepdim=True)`" in asked
    x = torch.randn(5, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    centred = x - x.mean(-1, keepdim=True)
    normal = centred / torch.sqrt(x.var(-1, keepdim=True) + 1e-6)
    assert (normal.abs() < torch.nn.functional.layer_norm(x, (8,), eps=1e-6).abs()).all()
    with pytest.raises(RuntimeError, match="must match"):
        centred / torch.sqrt(x.var(-1) + 1e-6)


def test_relu_alone_ruins_y_and_one_vector_a_layer_brings_most_of_it_back(reading: Reading) -> None:
    w = weights_of(reading.checkpoint.model)
    other = "coffee" if reading.trace is not read("dinov2-small", open_sample("coffee")).trace else "cat"
    means = cut_off(read("dinov2-small", open_sample(other)).trace)
    alone, mended = (
        torch.cosine_similarity(trace(twin, reading.x).y, reading.trace.y).item()
        for twin in (relu_twin(w), relu_twin(w, means))
    )
    assert abs(alone) < 0.2 and mended > 0.75


@pytest.mark.parametrize(
    ("name", "printed"),
    [("cat", (0.1, 0.8, 0.2, 0.7)), ("bricks", (0.0, 0.8, 0.5, 0.7)), ("gravel", (0.0, 0.9, 0.7, 0.7))],
)
def test_what_is_printed_of_the_relu_twins_is_no_rounding_away_from_another(
    name: str, printed: tuple[float, ...]
) -> None:
    """One decimal is the same for weights from the hub and from the package: no value lies near the edge of its
    decimal."""
    of = {each: read("dinov2-small", open_sample(each)) for each in ("cat", "bricks", "gravel", "coffee")}
    w, own = weights_of(of[name].checkpoint.model), of[name].trace.y
    coffee = of["coffee"].trace
    twins = (relu_twin(w), relu_twin(w, cut_off(coffee)), relu_twin(w, cut_off(coffee, tokens=slice(0, 1))))
    alone, mended, by_class = (torch.cosine_similarity(trace(twin, of[name].x).y, own).item() for twin in twins)
    other = max(torch.cosine_similarity(run.trace.y, own).item() for each, run in of.items() if each != name)
    assert mended > other, "nearer to its own y than another picture's"
    assert by_class < mended - 0.15, "what is averaged matters"
    assert [abs(alone), mended, by_class, other] == pytest.approx(printed, abs=0.04)


@pytest.mark.parametrize("name", ["astronaut", "flower", "tower", "photographer", "galaxies"])
def test_a_mended_y_is_nearest_to_its_own_picture(name: str) -> None:
    of = {each: read("dinov2-small", open_sample(each)) for each in (name, "coffee", "cat", "rocket")}
    w = weights_of(of[name].checkpoint.model)
    mended = trace(relu_twin(w, cut_off(of["coffee"].trace)), of[name].x).y
    alike = {each: torch.cosine_similarity(mended, run.trace.y).item() for each, run in of.items()}
    assert max(alike, key=alike.get) == name and alike[name] < 0.95, "in large part, not in full"


@pytest.mark.parametrize(("variance", "factor"), [(1e-3, 0.995), (1e-6, 0.43), (1e-7, 0.33), (1e-9, 0.32)])
def test_the_quiz_on_epsilon(variance: float, factor: float) -> None:
    x = np.array([1, -1] * 4) * np.sqrt(variance)
    assert steps(tuple(x), 1e-5)[0] / steps(tuple(x), 1e-6)[0] == pytest.approx(factor, abs=6e-3)


def test_the_class_tokens_largest_number_is_tens_of_times_its_median(reading: Reading) -> None:
    states = torch.stack([layer.z[0, 0].abs() for layer in reading.trace.layers])[6:11]
    times = states.amax(1) / states.median(1).values
    assert 40 < times.min() and times.max() < 100 and states.max() < 20


def test_shares_of_positive_numbers_layer_by_layer(measured: Stream) -> None:
    of_all, of_class = measured.positive.mean(0), measured.positive[0]
    assert of_all.argmax() == 1 and of_all[1] < 0.4
    assert of_class[10] > 2 * of_all[10] and of_class[2] < of_all[2] / 2


def test_the_first_lists_of_what_was_to_be_seen() -> None:
    of_cat = stream(read("dinov2-small", open_sample("cat")).trace)
    places = of_cat.attention[1:, 11].reshape(16, 16)
    eyes = (places[5, 4:7], places[6, 12:15])  # the patches of both eyes
    assert places[15].min() > max(eye.max() for eye in eyes)
    length = of_cat.length[1:]
    assert np.corrcoef(np.log(length)).min() > 0.95  # one form for every patch
    random = stream(read("random-b16", open_sample("cat")).trace)
    for added in (random.attention, random.mlp):
        median = np.median(added[1:], axis=0)
        assert (np.diff(median) < 0).sum() >= 10 and (np.diff(median) < 0.005).all() and median[-1] < median[0] / 3


def steps(x: tuple[float, ...], epsilon: float = 1e-6, sample: bool = False) -> np.ndarray:
    return norm_steps(np.array(x, float), np.ones(8), np.zeros(8), epsilon, sample).normal


def test_the_list_after_the_sheet_of_the_norm() -> None:
    hand, flat = STARTS["hand"][1], STARTS["flat"][1]
    assert (steps(hand) != steps((*hand[:7], 10.0))).all()
    large = steps((*hand[:7], 1000.0))
    assert np.ptp(large[:7]) < 0.05 and (large[:7] < 0).all() and large[7] < np.sqrt(7)
    ordinary, sample = steps(hand), steps(hand, sample=True)
    assert (np.abs(sample) <= np.abs(ordinary)).all() and np.array_equal(sample == 0, ordinary == 0)
    sizes = [np.abs(steps(flat, epsilon)).max() for epsilon in (1e-12, 1e-6, 1e-5)]
    assert sizes[:2] == pytest.approx([1, 1 / np.sqrt(2)], abs=1e-3) and sizes[2] < 1 / 3
    z0 = read("dinov2-small", open_sample("cat")).trace.z0[0, :, :8].numpy()
    assert z0.var(1).min() > 100 * 1e-6
