"""A reader chooses a picture: each way's nearest picture is the one drawn, and the one its column says."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import Page, expect

from widgets.block.read_out import SIDE, WAYS, ReadOut
from widgets.kit.selection import Selection
from widgets.pictures import open_sample, prepare

from .settled import read_canvas

MEAN = """canvas => {
  const d = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, mean = [0, 0, 0]
  for (let i = 0; i < d.length; i += 4) for (let k = 0; k < 3; k++) mean[k] += d[i + k] * 4 / d.length
  return mean
}"""


def test_the_nearest_pictures_follow_the_choice(page: Page, serve) -> None:
    widget = ReadOut(selection=Selection())
    page.goto(serve(lambda: widget.__panel__()))
    for title in ("A cat", "A cup of coffee"):
        page.get_by_label("Picture", exact=True).select_option(label=title)
        expect(page.locator(".part.picture-grid .caption").first).to_have_text(f"{title}.")
        rows = page.locator(".part.matrix-view tr th[scope=row]")
        expect(rows.filter(has_text=re.compile(f"^{title}$")), "it is no neighbour of itself").to_have_count(0)
        heads, cells = rows.all_text_contents(), page.locator(".part.matrix-view td").all_text_contents()
        values = np.array([float(cell.replace("−", "-")) for cell in cells]).reshape(-1, 2)
        assert len(heads) == len(values)
        for way in (0, 1):
            nearest = heads[int(values[:, way].argmax())]
            shown = page.locator(".part.picture-grid").nth(1 + way)
            expect(shown.locator(".title")).to_have_text(f"Most alike {WAYS[way]}")
            expect(shown.locator(".caption")).to_have_text(f"{nearest}. Cosine {values[:, way].max():.3f}.")
            name = next(name for name in widget.neighbours().names if open_sample(name).title == nearest)
            pixels = prepare(open_sample(name), 1, SIDE).reshape(3, -1).mean(1)
            assert np.abs(np.array(read_canvas(shown.locator("canvas").first, MEAN)) - pixels).max() < 6
