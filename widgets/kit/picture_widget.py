"""A widget that shows what a checkpoint makes of a picture: most of the course's are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import panel as pn

from widgets.kit.model_choice import ModelChoice
from widgets.kit.picture_choice import PictureChoice
from widgets.kit.widget import Widget
from widgets.parts import controls


class PictureWidget(Widget):
    """Offers the picture (`choice`) and the checkpoint (`models`), and draws anew when one of them changes.

    A subclass makes its parts in `__init__`, then hands its method marked `@draws` to `draw_with`.
    """

    offers: ClassVar[tuple[str, ...]] = ()
    """What of the model can be chosen beside the checkpoint: "layer", "head"."""

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.choice = PictureChoice(selection=self.selection)
        self.models = ModelChoice(selection=self.selection, layer="layer" in self.offers, head="head" in self.offers)

    def draw_with(self, redraw: Callable[..., None], *own: str) -> None:
        """Call `redraw` now, and whenever picture, checkpoint or one of the widget's `own` parameters changes."""
        redraw()
        if own:
            self.param.watch(redraw, list(own))
        self.selection.param.watch(redraw, list(self.selection.READ))

    def bar(self, *more: Any) -> pn.FlexBox:
        """The controls of picture and model, and `more` behind them."""
        return controls.row(*self.choice.controls, *self.models.controls, *more)
