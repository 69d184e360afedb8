"""A step of the stepper in words: what it does, its equation, its sizes, what of it is real, and the followed row in
numbers."""

from __future__ import annotations

import re
from html import escape

from widgets.common.number_formats import fixed
from widgets.first_look.step_parts import MARK
from widgets.first_look.step_scene import Scene
from widgets.kit.widget import Description
from widgets.lesson.contents import TITLES
from widgets.model.hand_set_vit import ORIGINS

WEIGHTS = {
    "patch_embedding": "the matrix E",
    "class_token": "the class token",
    "positions": "the positions",
    "attention": "the matrices of attention",
    "layer_norms": "the norm",
    "mlp": "the MLP",
    "head": "the answer head",
}


def where(scene: Scene) -> str:
    """The block and the step."""
    block = (
        scene.place.block if scene.place.layer is None else f"{scene.place.block} of {len(scene.run.weights.blocks)}"
    )
    return f"{block}: {scene.place.step.name}"


def origin(scene: Scene) -> str:
    """What is real in this step, and what is hand-set, random or learned."""
    if not scene.place.step.weights or scene.headless:
        return "Real: no weights take part, and all is computed from what comes in."
    if scene.opened.hand_set:
        said = ", ".join(f"{WEIGHTS[name]} ({ORIGINS[name]})" for name in scene.place.step.weights)
        return f"Real: the computation. Not trained: {said}."
    return f"The weights are {scene.opened.model}'s own."


def explanation(scene: Scene) -> str:
    """The step, its equation and what it does: short, so that the rows below stay in view on a small screen."""
    meet = (
        f'<span style="color:var(--vit-accent);font-size:14px;font-weight:600">{MARK} tokens meet here</span>'
        if scene.place.step.mixes
        else ""
    )
    mono = "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
    return (
        '<div role="status" style="color:var(--vit-ink);font:15px/1.45 system-ui,sans-serif;min-height:70px">'
        '<div style="display:flex;flex-wrap:wrap;gap:0 20px;align-items:baseline">'
        f'<span style="font-weight:600;font-size:17px">{escape(where(scene))}</span>{meet}'
        f'<span style="{mono}">{_as_html(_equation(scene))}</span></div>'
        f"<div>{escape(_does(scene))}</div></div>"
    )


def small_print(scene: Scene) -> str:
    """The sizes of the symbols, what is real, and where to read more."""
    return (
        '<div style="color:var(--vit-muted);font:13px/1.45 system-ui,sans-serif;margin-top:4px">'
        f"{_as_html(_here(scene))}{escape(origin(scene))} {_chapter(scene)}</div>"
    )


def description(scene: Scene) -> Description:
    """The step, and the first numbers of the followed token's row in each matrix of it."""
    names, token = scene.run.token_names, scene.token
    sentence = (
        f"Step {scene.index + 1} of {len(scene.places)} of {scene.opened.what}, {where(scene)}. {_does(scene)}"
        f" {_here(scene)}You follow {'the ' if token < scene.run.trace.prefix else ''}{names[token]}. {origin(scene)}"
    )
    table = _cut_table(scene) if scene.place.step.key == "cut" else []
    for rows in scene.view.rows:
        row = scene.followed(rows)
        under = (
            [("all others" if t < 0 else names[t]) for t in rows.picks[scene.row_of(rows)]]
            if rows.picks is not None
            else list(rows.heads)
        )
        written = [fixed(v) for v in row]
        said = ", ".join(f"{name} {v}" for name, v in zip(under, written, strict=True)) if under else ", ".join(written)
        shape = " × ".join(f"{side:,}" for side in rows.shape)
        some = f", first {len(row)} of {rows.columns:,} numbers" if not under and len(row) < rows.columns else ""
        table.append((f"{rows.symbol} ({shape}): {rows.says}{some}", said))
    return Description(sentence, table)


def _does(scene: Scene) -> str:
    if scene.headless:
        return (
            "Only the class token's row goes on. It is y, the model's summary of the whole picture. This model has"
            " no answer head: it ends here."
        )
    return scene.place.step.does


def _equation(scene: Scene) -> str:
    if scene.headless:
        return scene.place.step.equation.partition(",")[0]
    return scene.place.step.equation


def _here(scene: Scene) -> str:
    """The sizes that the equation names, as they are here."""
    symbols = scene.place.step.symbols
    return f"Here {', '.join(scene.run.sizes[symbol] for symbol in symbols)}. " if symbols else ""


def _chapter(scene: Scene) -> str:
    numbers = {title: number for number, title in TITLES.items()}
    return f"More in chapter {numbers[scene.place.step.chapter]}, {scene.place.step.chapter}."


def _cut_table(scene: Scene) -> list[tuple[str, str]]:
    (_, height, width), (rows, columns), P = scene.run.pixels.shape, scene.run.trace.grid, scene.run.weights.patch_size
    row, column = divmod(scene.token - scene.run.trace.prefix, columns)
    return [
        ("picture", f"{height} × {width} px"),
        ("patches", f"{rows} × {columns} of {P} × {P} px"),
        (
            "the patch you follow",
            f"pixel rows {row * P} to {row * P + P - 1}, columns {column * P} to {column * P + P - 1}",
        ),
    ]


def _as_html(text: str) -> str:
    """An equation in words as HTML: what stands behind "_" below the line, q, k and v in their colours."""
    found = re.sub(r"_(\w+)", r"<sub>\1</sub>", escape(text))
    hues = {"q": "query", "k": "key", "v": "value", "E<sub>pos</sub>": "position", "x<sub>class</sub>": "class"}
    for name, hue in hues.items():
        found = re.sub(
            rf"(?<![\w<\-]){re.escape(name)}(?![\w>\-])", f'<b style="color:var(--vit-{hue})">{name}</b>', found
        )
    return found
