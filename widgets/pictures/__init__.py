"""Pictures: the samples, the reader's own, and how either becomes the pixels that a model reads."""

from widgets.pictures.picture import (
    MOST_PATCHES,
    Picture,
    decode,
    enlarged,
    open_sample,
    prepare,
    prepared_size,
    sample_names,
)
from widgets.pictures.preparation import PREPARATIONS, Preparation
from widgets.pictures.uploads import PictureRefused

__all__ = [
    "MOST_PATCHES",
    "PREPARATIONS",
    "Picture",
    "PictureRefused",
    "Preparation",
    "decode",
    "enlarged",
    "open_sample",
    "prepare",
    "prepared_size",
    "sample_names",
]
