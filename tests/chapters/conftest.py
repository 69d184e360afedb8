"""Notebooks: nbval's rules for `pytest --nbval chapters tests/chapters`."""

from __future__ import annotations

from . import strict  # noqa: F401  importing it makes nbval strict

collect_ignore_glob = ["fixtures/*"]
