"""Executes the notebooks, slims what they show, and writes them: `make chapters`. A second run changes nothing."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from widgets.kit.widget import STILL_BYTES, STILLS, palette
from widgets.lesson import contents

SECONDS = 600
"""The longest one cell may take."""
_RICH = ("text/html", "application/")
_COLOUR_CODES = re.compile(r"\x1b\[[0-9;]*m")


class BuildFailed(RuntimeError):
    """A notebook could not be executed; the message names the cell and what was wrong. The file is as it was."""


def main(numbers: list[str] | None = None) -> int:
    """Build the chapters of these numbers, or all of them. Returns the exit status."""
    written = [c for c in contents.contents() if c.path]
    wanted = [number.zfill(2) for number in numbers or []] or [c.number for c in written]
    if unknown := sorted(set(wanted) - {c.number for c in written}):
        print(
            f"There is no notebook for chapter {', '.join(unknown)}; there are {', '.join(c.number for c in written)}.",
            file=sys.stderr,
        )
        return 1
    for chapter in (c for c in written if c.number in wanted):
        try:
            changed = build(chapter.path)
        except BuildFailed as failure:
            print(failure, file=sys.stderr)
            return 1
        print(f"{chapter.path.name}: {'written' if changed else 'unchanged'}")
    return 0


def build(path: Path) -> bool:
    """Execute, slim and write one notebook; True if that changed the file. Raises BuildFailed."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [cell for cell in notebook.cells if cell.source.strip()]
    execute(notebook, path)
    text = nbformat.writes(slim(notebook)) + "\n"
    if text == path.read_text(encoding="utf-8"):
        return False
    _replace(path, text)
    return True


def execute(notebook: NotebookNode, path: Path) -> None:
    """Run every cell in a fresh kernel of this Python, with stills on and no progress of an earlier reader."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    with tempfile.TemporaryDirectory() as fresh:
        client = NotebookClient(notebook, km=_kernel(), timeout=SECONDS, resources={"metadata": {"path": path.parent}})
        environment = os.environ | {STILLS: "1", "VIT_COURSE_PROGRESS": fresh, "IPYTHONDIR": fresh}
        try:
            client.execute(env=environment)
        except CellExecutionError as error:
            said = _COLOUR_CODES.sub("", error.evalue).strip().splitlines() or ["no reason given"]
            raise BuildFailed(
                f"{path.name}: cell {_failing(notebook)} stopped with {error.ename}: {said[0]} "
                "(the notebook was left as it was)"
            ) from None
        except (CellTimeoutError, DeadKernelError) as error:
            raise BuildFailed(f"{path.name}: {str(error).splitlines()[0]} (the notebook was left as it was)") from None


def slim(notebook: NotebookNode) -> NotebookNode:
    """The notebook as it is committed: stills and text kept, live outputs dropped, names and ids made regular."""
    kept = {name: notebook.metadata[name] for name in ("vit_course",) if name in notebook.metadata}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata = nbformat.from_dict({"kernelspec": kernel, "language_info": {"name": "python"}, **kept})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for position, cell in enumerate(notebook.cells):
        cell.id = f"cell-{position:02d}"
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k in ("tags", "vit_course")})
        if cell.cell_type == "code":
            cell.outputs = [slimmed for output in _joined(cell.outputs) if (slimmed := _slim_output(output))]
    return notebook


def _slim_output(output: NotebookNode) -> NotebookNode | None:
    if output.output_type == "stream":
        return output if output.name == "stdout" else None
    data = output.get("data")
    if data is None:
        return output
    if "image/png" in data:
        data = {"image/png": _small(data["image/png"]), "text/plain": data.get("text/plain", "")}
    elif not data or any(name.startswith(_RICH) for name in data):
        return None
    output.data, output.metadata = nbformat.from_dict(data), nbformat.from_dict({})
    return output


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Neighbouring pieces of printed text as one: how a kernel cuts them is a matter of timing."""
    joined: list[Any] = []
    for output in outputs:
        if output.output_type == "stream" and joined and joined[-1].get("name") == output.name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def _small(encoded: str) -> str:
    png = b64decode(encoded)
    return b64encode(png if len(png) <= STILL_BYTES else palette(BytesIO(png))).decode("ascii")


def _failing(notebook: NotebookNode) -> int:
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return next(n for n, cell in enumerate(code, 1) if any(o.output_type == "error" for o in cell.outputs))


def _kernel() -> Any:
    """A kernel of the Python that runs this, whatever kernels the reader has installed."""
    from ipykernel import kernelspec
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager

    class ThisPython(KernelSpecManager):
        def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
            spec = KernelSpec(resource_dir=kernelspec.RESOURCES, **kernelspec.get_kernel_dict())
            spec.argv.append("--log-level=ERROR")
            return spec

    return AsyncKernelManager(kernel_spec_manager=ThisPython())


def _replace(path: Path, text: str) -> None:
    """Write beside the file and move over it, so that the file is never half there."""
    beside = path.with_suffix(f".{os.getpid()}.part")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
