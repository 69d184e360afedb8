"""Likeness of patches, against NumPy on the library's own output."""

import numpy as np
import pytest
import torch

from widgets.checkpoints.loading import load
from widgets.experiments.token_similarity import patch_likeness, reader_of
from widgets.pictures import open_sample, prepare


def test_likeness_is_the_cosine_of_the_librarys_tokens() -> None:
    checkpoint = load("dinov2-small", 112)
    pixels = checkpoint.preparation.apply(prepare(open_sample("cat"), 14, 112))
    found = patch_likeness(checkpoint, pixels)
    with torch.no_grad():
        z = checkpoint.model(pixel_values=torch.from_numpy(pixels)[None]).last_hidden_state[0, 1:].double().numpy()
    length = np.sqrt((z**2).sum(1))
    assert found.shape == (64, 64)
    assert np.allclose(found, (z @ z.T) / np.outer(length, length), atol=1e-5)
    assert np.ptp(found) > 0.5, "all patches alike would mean that the model saw nothing"


def test_patches_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="reads patches of 14 px"):
        reader_of("dinov2-small", 16, (224, 224))
