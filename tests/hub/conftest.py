"""Tests marked `hub` run when the hub's own checkpoint is in the hub client's cache; the summary says if not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.model.conftest import original_graph  # noqa: F401  a fixture of these tests too
from widgets.common.facts import published

_absent: dict[str, int] = {}


def cached(name: str) -> Path | None:
    """Return the hub's model.safetensors of a checkpoint if its client keeps it here; nothing is asked for."""
    from huggingface_hub import try_to_load_from_cache

    hub = published("checkpoints")[name]["hub"]
    found = try_to_load_from_cache(hub["repository"], "model.safetensors", revision=hub["revision"])
    return Path(found) if isinstance(found, str) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    marks = {item: item.get_closest_marker("hub") for item in items}
    out = [item for item, mark in marks.items() if mark and cached(mark.args[0]) is None]
    for item in out:
        repository = published("checkpoints")[marks[item].args[0]]["hub"]["repository"]
        _absent[repository] = _absent.get(repository, 0) + 1
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for repository, count in _absent.items():
        terminalreporter.write_line(
            f"hub: {repository} is not in the hub client's cache, so {count} test(s) that compare with it did not run"
        )
