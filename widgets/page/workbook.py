"""Runs the cells of a notebook for one visitor: a namespace of their own, output kept, the process left alone."""

from __future__ import annotations

import ast
import asyncio
import inspect
import linecache
import re
import sys
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, NoReturn

from widgets.page.output import listener

_JUPYTER = re.compile(r"\s*(?:[%!?]|\w+\s*=\s*[%!])|.*\w\?\??\s*$")
"""Lines that are no Python: commands of Jupyter (%time, !ls), also as a value, and its questions (print?)."""


class OnlyInNotebooks(Exception):
    """A cell asks for what Jupyter does, and a hosted page runs Python alone; the message says what to do."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what}, and a hosted page runs Python alone; leave it out here, or give this cell the tag"
            " `notebook`, which hosted pages pass over"
        )


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
        self._names: dict[str, Any] = {
            "__name__": "__main__",
            "print": self._print,
            "display": self._display,
            "get_ipython": _no_shell,
        }

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
        tree = _parsed(source, label)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        self._evaluate(compile(tree, label, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
        if last is None:
            return None
        return self._evaluate(compile(ast.Expression(last.value), label, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))

    def _evaluate(self, code: CodeType) -> Any:
        """The value of compiled code; code that awaits, as a notebook lets it, gets a loop of its own in this
        thread."""
        value = eval(code, self._names)
        return asyncio.run(value) if code.co_flags & inspect.CO_COROUTINE else value

    def _print(
        self, *objects: object, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
    ) -> None:
        if file is not None and file is not sys.stdout:
            print(*objects, sep=sep, end=end, file=file, flush=flush)
            return
        sep, end = " " if sep is None else sep, "\n" if end is None else end
        self._collected.take(sep.join(map(str, objects)) + end)

    def _display(self, *objects: object, **_: object) -> None:
        self._collected.shown.extend(Shown(value) for value in objects)


def _parsed(source: str, label: str) -> ast.Module:
    try:
        return ast.parse(source, label)
    except SyntaxError as error:
        line = (source.splitlines() or [""])[min(error.lineno or 1, source.count("\n") + 1) - 1]
        if _JUPYTER.match(line):
            raise OnlyInNotebooks(f"line {error.lineno}, `{line.strip()[:60]}`, is a command of Jupyter") from None
        raise


def _no_shell() -> NoReturn:
    raise OnlyInNotebooks("`get_ipython()` asks for Jupyter's shell")
