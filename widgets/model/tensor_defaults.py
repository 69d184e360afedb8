"""How the course's own tensors are made, whatever default device or dtype a reader has set in the same process.

torch keeps both defaults for the whole process. A reader who sets mps or float64 for other work would otherwise get
half of a pass on one device and half on the other. A test of the house asks each call that makes a tensor to say both.
"""

from __future__ import annotations

from typing import Any

import torch

CPU = torch.device("cpu")
FLOAT32: dict[str, Any] = {"dtype": torch.float32, "device": CPU}
FLOAT64: dict[str, Any] = {"dtype": torch.float64, "device": CPU}
INT64: dict[str, Any] = {"dtype": torch.int64, "device": CPU}
BOOL: dict[str, Any] = {"dtype": torch.bool, "device": CPU}


def seeded(seed: int) -> torch.Generator:
    """A generator of random numbers of its own: the process's stays where it was."""
    return torch.Generator(CPU).manual_seed(seed)
