"""`python -m widgets check`: our forward pass beside the library's, stage by stage, in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import torch

from widgets.checkpoints.loading import Checkpoint, load
from widgets.model.library import weights_of
from widgets.model.reference import Value, compare_with_published, is_reference_picture, released_pixels
from widgets.model.trace import Agreement, Trace, trace
from widgets.pictures import Picture, decode, open_sample, prepare

ALLOWED = 1e-4  # relative difference of any stage: a hundred times what float32 gives on these models


def check(name: str = "dinov2-small", picture_file: str | None = None) -> int:
    """Print the comparison for a model and a picture (by default the cat); return 1 if they disagree, else 0.

    ViT-B/16 on the published picture of two cats is compared with the published values too.
    Raises ValueError or PictureRefused with a sentence, FileNotFoundError for a file that is not there.
    """
    if picture_file is not None and not Path(picture_file).is_file():
        raise FileNotFoundError(f"there is no file {picture_file}: give the path of a picture")
    picture = open_sample("cat") if picture_file is None else decode(Path(picture_file).read_bytes(), picture_file)
    checkpoint, pixels = pixels_for(name, picture)
    t = trace(checkpoint, pixels)
    rows = t.compare()
    print(f"{checkpoint.provenance.sentence}\n{picture.title}, {pixels.shape[-1]} x {pixels.shape[-2]} pixels.\n")
    print(table(("stage", "shape", "difference", "largest", "relative"), map(_cells, rows)))
    worst = max(rows, key=lambda row: row.relative)
    agrees = worst.relative <= ALLOWED
    print(f"\nThe largest relative difference is {worst.relative:.1e}, in {worst.stage}: ", end="")
    print(f"{'within' if agrees else 'over'} {ALLOWED:.0e}.")
    if name == "vit-b16" and is_reference_picture(pixels):
        agrees &= _published(t, checkpoint)
    return 0 if agrees else 1


def pixels_for(name: str, picture: Picture) -> tuple[Checkpoint, torch.Tensor]:
    """Return the checkpoint at the size of a picture, and the picture prepared for it: (1, C, H, W)."""
    if name == "vit-b16" and is_reference_picture(pixels := released_pixels(picture)):
        return load(name), pixels
    made_for, P = load(name).model.config.image_size, load(name).patch_size
    shorter = min(224, *made_for) if isinstance(made_for, (list, tuple)) else min(224, made_for)
    prepared = prepare(picture, P, shorter)
    checkpoint = load(name, image_size=prepared.shape[1:])
    return checkpoint, torch.from_numpy(checkpoint.preparation.apply(prepared))[None]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay out rows of text under their heads: the first column to the left, the others to the right."""
    lines = [tuple(heads), *map(tuple, rows)]
    first, *others = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(first), *(cell.rjust(width) for cell, width in zip(line[1:], others, strict=True))])
        for line in lines
    )


def _cells(row: Agreement) -> tuple[str, ...]:
    shape = " x ".join(str(side) for side in row.shape)
    return row.stage, shape, f"{row.difference:.1e}", f"{row.largest:.3f}", f"{row.relative:.1e}"


def _published(t: Trace, checkpoint: Checkpoint) -> bool:
    values = compare_with_published(t, weights_of(checkpoint.model))
    wrong = [value for value in values if not value.agrees]
    print(f"\nThis is the published picture: {len(values) - len(wrong)} of {len(values)} published values agree.")
    if wrong:
        print(table(("value", "ours", "published"), map(_value_cells, wrong)))
    return not wrong


def _value_cells(value: Value) -> tuple[str, ...]:
    return value.name, f"{value.ours:.4f}", f"{value.published}"
