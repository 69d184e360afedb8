"""Runs the cells of a notebook for one visitor: a namespace of their own, output kept, the process left alone."""

from __future__ import annotations

import ast
import linecache
import sys
from dataclasses import dataclass, field
from typing import Any

from .output import listener


@dataclass(frozen=True)
class Shown:
    """One thing a cell showed: printed text, or an object it displayed or ended on."""

    value: Any
    is_text: bool = False


@dataclass
class _Collected:
    shown: list[Shown] = field(default_factory=list)

    def take(self, text: str) -> None:
        if self.shown and self.shown[-1].is_text:
            text = self.shown.pop().value + text
        if text:
            self.shown.append(Shown(text, is_text=True))


class Workbook:
    """The namespace of one visitor's chapter. `print` and `display` in it write to the page, not to the process."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._collected = _Collected()
        self._names: dict[str, Any] = {"__name__": "__main__", "print": self._print, "display": self._display}

    def run(self, number: int, source: str) -> tuple[list[Shown], Exception | None]:
        """What cell `number` shows, in order, and the error that stopped it, if one did."""
        self._collected = collected = _Collected()
        token = listener.set(collected.take)
        try:
            value = self._execute(f"<{self.name}, cell {number}>", source)
            if value is not None and not source.rstrip().endswith(";"):
                collected.shown.append(Shown(value))
        except SystemExit as stop:
            return collected.shown, RuntimeError(f"the cell left with {stop}")
        except Exception as error:
            return collected.shown, error
        finally:
            listener.reset(token)
        return collected.shown, None

    def close(self) -> None:
        """Let go of everything the cells made."""
        self._names.clear()
        self._collected = _Collected()

    def _execute(self, label: str, source: str) -> Any:
        linecache.cache[label] = (len(source), None, source.splitlines(keepends=True), label)  # for the log
        tree = ast.parse(source, label)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, label, "exec"), self._names)
        return None if last is None else eval(compile(ast.Expression(last.value), label, "eval"), self._names)

    def _print(self, *objects: object, sep: str | None = " ", end: str | None = "\n", file: Any = None,
               flush: bool = False) -> None:
        if file is not None and file is not sys.stdout:
            print(*objects, sep=sep, end=end, file=file, flush=flush)
            return
        sep, end = " " if sep is None else sep, "\n" if end is None else end
        self._collected.take(sep.join(map(str, objects)) + end)

    def _display(self, *objects: object, **_: object) -> None:
        self._collected.shown.extend(Shown(value) for value in objects)
