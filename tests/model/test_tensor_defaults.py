"""What a reader sets for torch in the same process changes nothing of the course's own numbers."""

from __future__ import annotations

import ast
from pathlib import Path

WIDGETS = Path(__file__).resolve().parents[2] / "widgets"
MAKERS = {
    "arange",
    "as_tensor",
    "asarray",
    "empty",
    "eye",
    "full",
    "linspace",
    "logspace",
    "normal",
    "ones",
    "rand",
    "randint",
    "randn",
    "randperm",
    "scalar_tensor",
    "tensor",
    "zeros",
}


def test_every_tensor_the_course_makes_names_its_dtype_and_its_device() -> None:
    """`**FLOAT32` and its like name both; `torch.Generator` stands in `seeded` alone."""
    wrong = []
    for path in WIDGETS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and ast.unparse(node.func).startswith("torch.")):
                continue
            name, said = ast.unparse(node.func).removeprefix("torch."), {keyword.arg for keyword in node.keywords}
            makes = name in MAKERS and None not in said and not {"dtype", "device"} <= said
            if makes or (name == "Generator" and path.name != "tensor_defaults.py"):
                wrong.append(f"{path.relative_to(WIDGETS)}:{node.lineno} {ast.unparse(node)}")
    assert not wrong, "\n".join(wrong)
