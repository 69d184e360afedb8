"""Where a reader's mouse goes: to a cell of something that is drawn as a grid."""

from __future__ import annotations

from playwright.sync_api import Locator

from .settled import box_of


def hover_cell(drawn: Locator, n: int, grid: tuple[int, int]) -> None:
    """Rest the mouse on cell n, in raster order, of what is drawn in (rows, columns)."""
    drawn.scroll_into_view_if_needed()
    box, (row, column) = box_of(drawn), divmod(n, grid[1])
    drawn.page.mouse.move(
        box["x"] + (column + 0.5) * box["width"] / grid[1], box["y"] + (row + 0.5) * box["height"] / grid[0]
    )
