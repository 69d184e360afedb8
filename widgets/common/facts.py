"""Where the repository keeps its data, and the published facts in it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "data"


@cache
def published(name: str) -> Any:
    """Return the facts in `data/published/<name>.json`: each file says where they come from.

    Raises FileNotFoundError with the names there are when `name` is not one of them.
    """
    path = DATA / "published" / f"{name}.json"
    if not path.is_file():
        known = sorted(p.stem for p in path.parent.glob("*.json"))
        raise FileNotFoundError(f"no published facts called {name!r}; there are {', '.join(known)}")
    return json.loads(path.read_text(encoding="utf-8"))
