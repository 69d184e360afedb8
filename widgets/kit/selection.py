"""What the reader is looking at, shared by every widget of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import panel as pn
import param

if TYPE_CHECKING:
    from bokeh.document import Document


class Selection(param.Parameterized):
    """One selection for a page. Layer and head count from 0 here and from 1 on screen.

    A token is a row of z, 0..T-1: class token (if any), registers, patches; so patch n is token n + prefix.
    """

    picture = param.String("cat", doc="name of a sample picture, or 'yours' once the reader has uploaded one")
    upload = param.Parameter(None, doc="the reader's own Picture; kept in memory, never written to disk")
    checkpoint = param.String("dinov2-small", doc="name that checkpoints.load takes")
    model: Any = param.Selector(
        default="hand-set",
        objects=["hand-set", "checkpoint"],
        doc="which of the two a widget runs that can run the hand-set ViT too",
    )
    layer = param.Integer(0, bounds=(0, None), doc="encoder block, from 0")
    head = param.Integer(0, bounds=(0, None), doc="attention head, from 0")
    token = param.Integer(0, bounds=(0, None), doc="row of z that is selected")
    grid = param.Tuple((0, 0), length=2, doc="(rows, columns) of patches that `token` was chosen on; (0, 0): not said")
    patch_size = param.Integer(
        0, bounds=(0, None), doc="P of the widgets that let the reader choose it; 0 is their own"
    )
    step = param.Integer(0, bounds=(0, None), doc="step of a widget that walks through the model")
    setting = param.String(
        "", doc="what the calculators are set to, as `calculator_settings.write` writes it; empty is the usual"
    )

    channel = param.String("", constant=True, doc="what the parts of this selection call one another by in a browser")

    READ = ("picture", "upload", "checkpoint")
    """What says which picture is read, and by which model."""
    ADDRESS = ("picture", "model", "checkpoint", "layer", "head", "token", "step", "patch_size", "setting")

    def __init__(self, **params: Any) -> None:
        # not the parameter object's own name: two notebooks in one browser window would share that
        super().__init__(**{"channel": uuid4().hex, **params})
        self._spot: tuple[float, float] | None = None  # of the patch that was chosen, once it was counted anew
        self.param.watch(self._forget_grid, ["token", "grid"], onlychanged=False)  # the same grid said again counts

    def token_on(self, grid: tuple[int, int], prefix: int = 1) -> int:
        """The selected token on another grid of patches: the one over the same spot of the picture."""
        if self.grid in ((0, 0), grid) or self.token < prefix:
            return self.token
        from widgets.model.patches import same_spot

        return prefix + same_spot(min(self.token - prefix, self.grid[0] * self.grid[1] - 1), self.grid, grid)

    def choose(self, token: int, grid: tuple[int, int], prefix: int = 1) -> None:
        """Select a token of a grid of patches, unless it lies over the spot that is selected already."""
        if token != self.token_on(grid, prefix):
            self.param.update(token=token, grid=grid)

    def carry(self, before: tuple[int, int], after: tuple[int, int], prefixes: tuple[int, int] = (1, 1)) -> None:
        """Count the selected patch on the grid that a widget draws from now on: the one over the same spot.

        `before` is the grid the widget drew until now, for a token of which nobody said on which grid it was chosen;
        `prefixes` is how many tokens stand in front of the patches, before and after. The spot is that of the patch
        that was chosen, however many grids come between. A token in front of the patches stays, or becomes the first.
        """
        from widgets.model.patches import patch_at, spot_of

        n, grid = self.token - prefixes[0], before if self.grid == (0, 0) else self.grid
        if n < 0:
            self.token = self.token if self.token < prefixes[1] else 0
            return
        spot = self._spot or spot_of(min(n, grid[0] * grid[1] - 1), grid)
        self.param.update(token=prefixes[1] + patch_at(spot, after), grid=after)
        self._spot = spot

    def _forget_grid(self, *events: param.parameterized.Event) -> None:
        self._spot = None
        if {event.name for event in events} == {"token"}:  # whoever chose it did not say on which grid
            self.grid = (0, 0)

    def state(self) -> dict[str, Any]:
        """The part of the selection that fits in an address."""
        return {name: getattr(self, name) for name in self.ADDRESS}


_of_page: dict[Document, Selection] = {}
_of_kernel: list[Selection] = []


def share_in_kernel() -> Selection:
    """From now on the widgets of this process that stand on no served page share one selection (a notebook)."""
    if not _of_kernel:
        _of_kernel.append(Selection())
    return _of_kernel[0]


def selection_here() -> Selection:
    """The selection of the page that is being built; of the notebook; else a new one."""
    document = pn.state.curdoc
    if document is not None and document.session_context is not None:
        if document not in _of_page:
            _of_page[document] = Selection()

            def forget(context: Any) -> None:
                _of_page.pop(document, None)

            document.on_session_destroyed(forget)
        return _of_page[document]
    return _of_kernel[0] if _of_kernel else Selection()
