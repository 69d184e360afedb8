"""Which imports inside functions save nothing: the file's own imports load it already, or it is not large.

Read from the tree alone. What counts as large is what takes a noticeable part of a second, or is not always installed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LARGE = frozenset(
    {
        "torch",
        "transformers",
        "matplotlib",
        "holoviews",
        "nbformat",
        "nbclient",
        "yaml",
        "PIL",
        "safetensors",
        "huggingface_hub",
        "tqdm",
        "IPython",
        "ipykernel",
        "markdown_it",
        "onnx",
        "filelock",
        "platformdirs",
        "mdit_py_plugins",
        "pygments",
        "jupyter_client",
        "holoviews.plotting.mpl",  # HoloViews' second way to draw, with matplotlib
    }
)
Import = ast.Import | ast.ImportFrom


def files() -> dict[str, Path]:
    """Every module of the course by its dotted name."""
    found = {}
    for path in sorted((ROOT / "widgets").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


FILES = files()
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in FILES.items()}


def named(node: Import) -> list[str]:
    """The modules that an import loads."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    full = [f"{node.module}.{alias.name}" for alias in node.names]
    return [one if one in FILES else str(node.module) for one in full]


def at_the_top(body: list[ast.stmt]) -> Iterator[Import]:
    """Imports that run when the module is loaded: not those for types alone."""
    for node in body:
        if isinstance(node, Import):
            yield node
        elif isinstance(node, ast.If):
            yield from at_the_top(node.orelse)
            if "TYPE_CHECKING" not in ast.unparse(node.test):
                yield from at_the_top(node.body)
        elif isinstance(node, ast.Try | ast.ClassDef):
            yield from at_the_top(node.body)


@cache
def loads(name: str) -> frozenset[str]:
    """What a module of the course loads itself, with the packages it lies in."""
    parts = name.split(".")
    packages = {".".join(parts[:end]) for end in range(1, len(parts))}
    return frozenset(packages | {one for node in at_the_top(TREES[name].body) for one in named(node)})


def loaded(names: list[str]) -> set[str]:
    """Everything that comes with these modules."""
    seen, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += loads(name) if name in TREES else ()
    return seen


def large(names: set[str]) -> set[str]:
    """What of it is large."""
    return {one for one in LARGE if any(name == one or name.startswith(f"{one}.") for name in names)}


def in_functions(tree: ast.Module) -> Iterator[Import]:
    """Imports inside functions; of a function in a function twice."""
    for outer in ast.walk(tree):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (node for node in ast.walk(outer) if isinstance(node, Import))


def needless() -> list[str]:
    """Imports inside functions that could stand at the top of their file: nothing large would come, and no circle."""
    found = []
    for name, tree in TREES.items():
        top, own = set(map(id, at_the_top(tree.body))), loaded([name])
        inside = {
            id(node): node
            for outer in ast.walk(tree)
            if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(outer)
            if isinstance(node, Import)
        }
        for node in inside.values():
            comes = loaded(named(node))
            if id(node) not in top and name not in comes and not large(comes) - large(own):
                found.append(f"{name}:{node.lineno} {ast.unparse(node)}")
    return found
