"""Pictures: the samples, the reader's own, and how either becomes the pixels that a model reads."""

from widgets.pictures.picture import (
    MOST_PATCHES,
    PREPARATIONS,
    Picture,
    PictureRefused,
    Preparation,
    decode,
    enlarged,
    open_sample,
    prepare,
    prepared_size,
    sample_names,
)

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
