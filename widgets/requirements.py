"""Whether this Python has the versions that the course was written for: said in a sentence, before anything fails for
it."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def too_old(project: Path = _PROJECT) -> list[str]:
    """A clause for each library that is absent or older than the lower bound that pyproject.toml gives it."""
    wanted = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"]
    bounds = (re.fullmatch(r"([\w.-]+)>=([\d.]+)", one) for one in wanted)
    return [clause for bound in bounds if bound and (clause := _clause(*bound.groups()))]


def require() -> None:
    """Raise ImportError with what is too old and what to do, where anything is."""
    if found := too_old():
        raise ImportError(
            f"The course needs {'; '.join(found)}. Run `pip install -c constraints.txt -e .` in the course's folder,"
            " best in an environment of its own (`make course` makes one), then restart the notebook's kernel or the"
            " server."
        )


def _clause(name: str, bound: str) -> str:
    try:
        here = version(name)
    except PackageNotFoundError:
        return f"{name} {bound} or newer, and this Python has none"
    return f"{name} {bound} or newer, and this Python has {here}" if as_numbers(here) < as_numbers(bound) else ""


def as_numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version, which is as much as a lower bound needs: 2.13.0+cpu is (2, 13, 0)."""
    return tuple(map(int, re.match(r"\d+(?:\.\d+)*", version)[0].split(".")))
