"""The drawings' JavaScript: each imports what it uses and no more, and what it imports is sent with it."""

from __future__ import annotations

import base64
import importlib
import re
from pathlib import Path

import pytest

from widgets.parts import theme
from widgets.parts.part import Part

ROOT = Path(__file__).resolve().parents[2] / "widgets"
IMPORT = re.compile(r"^import (?:\{ ([\w, ]+) \} from )?'([\w/]+)'$", re.MULTILINE)
EXPORT = re.compile(r"^export (?:function|const) (\w+)", re.MULTILINE)


def parts() -> list[type[Part]]:
    """Every kind of part that has a script of its own."""
    for path in sorted(ROOT.glob("*/*.py")):
        if "Part" in path.read_text(encoding="utf-8"):
            importlib.import_module(f"widgets.{path.parent.name}.{path.stem}")
    found, waiting = [], [Part]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if isinstance(kind.__dict__.get("_esm"), Path) and kind.__module__.startswith("widgets."):
            found.append(kind)
    return sorted(found, key=lambda kind: kind.__name__)


def sent(kind: type[Part]) -> dict[str, str]:
    """The modules that go to the browser with a part, by name."""
    addresses = kind._process_importmap()["imports"]
    return {name: base64.b64decode(address.partition("base64,")[2]).decode() for name, address in addresses.items()}


def exported(module: str) -> set[str]:
    return {*EXPORT.findall(module), *(["vit"] if "export { vit }" in module else [])}


def lacking(name: str, source: str, modules: dict[str, str]) -> list[str]:
    """What is wrong with the imports of one script."""
    wrong, code = [], re.sub(r"^\s*//.*$|^import .*$", "", source, flags=re.MULTILINE)
    taken: set[str] = set()
    for names, module in IMPORT.findall(source):
        if module not in modules:
            wrong.append(f"{name} imports {module}, which is not sent with it")
            continue
        taken |= set(names.split(", ")) if names else set()
        wrong += [
            f"{name}: {module} has no {n}"
            for n in (names.split(", ") if names else [])
            if n not in exported(modules[module])
        ]
    wrong += [f"{name} imports {n} and does not use it" for n in sorted(taken) if not re.search(rf"\b{n}\b", code)]
    offered = {n for module in modules.values() for n in exported(module)} - exported(source)
    called = {n for n in offered - taken if re.search(rf"(?<![\w.]){n}\(", code)}
    made = {n for n in called if re.search(rf"(?:function|const|let) {n}\b", code)}
    return wrong + [f"{name} calls {n} and does not import it" for n in sorted(called - made)]


def test_all_parts_are_looked_at() -> None:
    written = {path for path in ROOT.glob("*/*.js") if "from 'vit/part'" in path.read_text(encoding="utf-8")}
    assert written <= {kind.__dict__["_esm"] for kind in parts()} and len(written) > 20


@pytest.mark.parametrize("kind", parts(), ids=lambda kind: kind.__name__)
def test_a_part_imports_what_it_uses_and_no_more(kind: type[Part]) -> None:
    source, modules = kind._esm.read_text(encoding="utf-8"), sent(kind)
    assert lacking(kind.__name__, source, modules) == []
    for name, module in modules.items():
        if name != "vit/theme":
            assert lacking(name, module, modules) == []


def test_a_wrong_import_is_found() -> None:
    modules = {"vit/drawing": "export const make = 1", "vit/part": "export function frame() {}"}
    source = "import { make, ring } from 'vit/drawing'\nimport { a } from 'vit/no'\nframe()\n"
    assert lacking("x", source, modules) == [
        "x: vit/drawing has no ring",
        "x imports vit/no, which is not sent with it",
        "x imports make and does not use it",
        "x imports ring and does not use it",
        "x calls frame and does not import it",
    ]


def test_the_scales_come_whole() -> None:
    scales = dict(re.findall(r'"([\w-]+)": "([0-9a-f]{1536})"', theme.module()))
    assert set(scales) == {"weight", "grey", "signed-light", "signed-dark"}
    for name, text in scales.items():
        kind, _, shade = name.partition("-")
        found = [tuple(bytes.fromhex(text[i : i + 6])) for i in range(0, 1536, 6)]
        assert found == theme.colour_scale(kind, shade == "dark")
