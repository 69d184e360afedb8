"""`python -m widgets check`: the table, its exit status, and the comparison with published values."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

from tests.model.small_models import library_vit
from widgets.__main__ import main
from widgets.checkpoints import check
from widgets.checkpoints.loading import load
from widgets.common.facts import published
from widgets.model import reference
from widgets.model.library import weights_of
from widgets.model.reference import (
    FACTS,
    compare_with_published,
    is_reference_picture,
    reference_values,
    released_pixels,
)
from widgets.model.trace import trace
from widgets.pictures import PREPARATIONS, open_sample

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text())


@pytest.fixture
def small_checkpoint(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A tiny model in the place of every checkpoint."""
    made = {"model": library_vit()}

    def loaded(name: str, image_size: tuple[int, int] | None = None) -> SimpleNamespace:
        model = library_vit(image_size=tuple(image_size)) if image_size is not None else made["model"]
        provenance = SimpleNamespace(sentence="A small model.")
        P = model.config.patch_size
        return SimpleNamespace(model=model, patch_size=P, preparation=PREPARATIONS["vit-b16"], provenance=provenance)

    monkeypatch.setattr(check, "load", loaded)
    return SimpleNamespace(load=loaded)


def test_the_table_in_the_terminal(small_checkpoint: object, capsys: pytest.CaptureFixture) -> None:
    assert main(["check"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "A small model." and lines[1] == "A cat, 28 x 28 pixels."
    assert lines[3].split() == ["stage", "shape", "difference", "largest", "relative"]
    assert lines[4].startswith("patch_embeddings") and "1 x 49 x 32" in lines[4]
    assert lines[-1].startswith("The largest relative difference is") and lines[-1].endswith("within 1e-04.")


def test_a_picture_of_the_reader(small_checkpoint: object, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (60, 90, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "mine.png")
    assert main(["check", "--picture", str(tmp_path / "mine.png")]) == 0
    assert "Your picture, 44 x 28 pixels." in capsys.readouterr().out


def test_disagreement_is_exit_status_1(
    small_checkpoint: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(check, "trace", lambda checkpoint, pixels: trace(checkpoint, pixels, faults=["tanh_gelu"]))
    assert main(["check"]) == 1
    assert "over 1e-04" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--picture", "no-such-file.png"], "there is no file no-such-file.png"),
        (["--picture", __file__], "not a picture that can be read here"),
        (["--model", "vit-z"], "there is no checkpoint called 'vit-z'"),
    ],
)
def test_bad_arguments_are_one_sentence(arguments: list[str], words: str, capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["check", *arguments])
    assert left.value.code == 2
    assert words in capsys.readouterr().err


# --- published values


def test_the_published_file_holds_the_reference_values() -> None:
    facts, expected = published(FACTS), REFERENCE["vit_b16_cats"]
    assert facts["source"]
    assert {name: facts[name] for name in expected if name not in reference.NOT_VALUES} == {
        name: value for name, value in expected.items() if name not in reference.NOT_VALUES
    }
    preparation = PREPARATIONS["vit-b16"]
    # the first published numbers are whole bytes of a picture: the preparation is the right one
    for number in facts["patch0_first8"]:
        assert np.abs(preparation.levels()[0] - number).min() < 6e-4


@pytest.fixture(scope="module")
def random_b16() -> tuple:
    """A ViT-B/16 at random, so every published name can be read out of a trace of the right shape."""
    checkpoint = load("random-b16")
    t = trace(checkpoint, released_pixels(open_sample("cat")))
    return t, weights_of(checkpoint.model)


def rounded(value: object) -> object:
    """A value as a published file would hold it: three decimals."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list) or (isinstance(value, torch.Tensor) and value.ndim):
        return [rounded(inner) for inner in value]
    return value if isinstance(value, int) else round(float(value), 3)


def test_our_own_values_agree_and_a_wrong_one_is_found(random_b16: tuple) -> None:
    facts = {name: value for name, value in published(FACTS).items() if name not in reference.NOT_VALUES}
    ours = rounded(reference_values(*random_b16, facts))
    assert set(ours) == set(facts), "every published value is read out"
    values = compare_with_published(*random_b16, ours)
    assert len(values) > 150 and all(value.agrees for value in values)
    wrong = ours | {"y_first6": [ours["y_first6"][0] + 0.05, *ours["y_first6"][1:]]}
    assert [value.name for value in compare_with_published(*random_b16, wrong) if not value.agrees] == ["y_first6 0"]
    # a random model is not the released one
    assert sum(not value.agrees for value in compare_with_published(*random_b16)) > 100
    with pytest.raises(ValueError, match="nothing to compare the published z9 with"):
        compare_with_published(*random_b16, ours | {"z9": 1.0})


def test_values_read_out_are_the_ones_their_names_say(random_b16: tuple) -> None:
    t, w = random_b16
    values = reference_values(t, w, published(FACTS))
    z = t.z0[0, 0].double()
    assert float(values["ln1_class"]["variance"]) == pytest.approx(float(((z - z.mean()) ** 2).mean()), rel=1e-4)
    assert torch.allclose(values["ln1_class"]["out_first6"], t.layers[0].ln1[0, 0, :6], atol=1e-5)
    assert values["layer1_head8_class_top_tokens"][1] == [8, float(t.layers[0].weights[0, 7, 0, 8])]
    assert float(values["layer1_head1_weight_on_all_patches"]) == pytest.approx(
        1 - float(t.layers[0].weights[0, 0, 0, 0]), abs=1e-5
    )
    assert values["top5"][0][0] == int(t.logits.argmax()) and values["top5"][0][1] >= values["top5"][1][1]


def test_the_reference_picture_is_known_by_its_first_patch() -> None:
    pixels = released_pixels(open_sample("cat"))
    assert pixels.shape == (1, 3, 224, 224) and not is_reference_picture(pixels)
    pixels[0, 0, 0, :8] = torch.tensor(published(FACTS)["patch0_first8"])
    assert is_reference_picture(pixels)


def test_the_published_comparison_decides_the_exit_status(
    random_b16: tuple, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    t, _ = random_b16
    checkpoint = SimpleNamespace(model=load("random-b16").model, provenance=SimpleNamespace(sentence="At random."))
    monkeypatch.setattr(check, "pixels_for", lambda name, picture: (checkpoint, t.pixels))
    monkeypatch.setattr(check, "is_reference_picture", lambda pixels: True)
    monkeypatch.setattr(check, "trace", lambda checkpoint, pixels: t)
    assert check.check("vit-b16") == 1
    assert "published values agree." in capsys.readouterr().out
