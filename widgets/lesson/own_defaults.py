"""The defaults under which the course computes, whatever the reader's notebook has set."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def own_defaults() -> Iterator[None]:
    """torch's defaults as they come (float32, the CPU, no inference mode) and NumPy's errors ignored, inside `with`.

    The device and NumPy's errors are this thread's alone. torch has one default dtype for all threads: it is put
    back at the end, and touched at all only where it is another one.
    """
    torch = sys.modules.get("torch")
    with np.errstate(all="ignore"):
        if torch is None:
            yield
            return
        kept = torch.get_default_dtype()
        if kept is not torch.float32:
            torch.set_default_dtype(torch.float32)
        try:
            with torch.device("cpu"), torch.inference_mode(False):
                yield
        finally:
            if kept is not torch.float32:
                torch.set_default_dtype(kept)
