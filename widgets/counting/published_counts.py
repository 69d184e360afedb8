"""Published parameter counts that disagree, and the way of counting that gives each of them (chapter 08)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import param

from widgets.counting.ways_of_counting import Claim, published_counts
from widgets.kit.widget import Description, Widget
from widgets.parts import LedgerTable, controls

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FITS, FAILS = "✓ fits", "✗ does not"


class PublishedCounts(Widget):
    """Choose a printed count, then a way of counting: the page's calculator is set to it, and the sum is compared."""

    title = "Explain a printed count"
    summary = "Papers print different counts for the same model. Find the way of counting that gives each of them."

    claim = param.String("large", doc="key of the printed count that is looked at")
    way = param.Integer(-1, bounds=(-1, None), doc="which of its ways of counting is chosen, from 0; -1 is none yet")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._claims = {claim.key: claim for claim in published_counts()}
        self._printed = LedgerTable(title="Choose a printed count", first="model", heads=["printed"], chosen=self.claim)
        self._ways = LedgerTable(first="way of counting", heads=["parameters", ""])
        self._words = controls.words("", sizing_mode="stretch_width")
        self._printed.lines = [
            {"key": claim.key, "name": claim.model, "formula": claim.source, "cells": [claim.printed]}
            for claim in self._claims.values()
        ]
        self._show()
        self._printed.param.watch(self._choose, ["chosen"])
        self._ways.param.watch(
            lambda event: setattr(self, "way", int(event.new)) if event.new.isdigit() else None, ["chosen"]
        )
        self.param.watch(self._show, ["claim"])
        self.param.watch(self._set, ["way"])

    @property
    def now(self) -> Claim:
        """The printed count that is looked at."""
        return self._claims.get(self.claim) or next(iter(self._claims.values()))

    def __panel__(self) -> pn.viewable.Viewable:
        left = pn.Column(self._printed, styles={"flex": "1 1 300px", "min-width": "0"}, margin=0)
        right = pn.Column(
            self._ways, self._words, styles={"flex": "1.4 1 420px", "min-width": "0", "gap": "12px"}, margin=0
        )
        return self.stacked(pn.FlexBox(left, right, gap="28px", align_items="flex-start"), gap=12)

    def _choose(self, event: param.parameterized.Event) -> None:
        with param.parameterized.discard_events(self):
            self.way = 0
        self.claim = event.new
        self._set()

    def _show(self, *_: Any) -> None:
        claim = self.now
        self._printed.chosen = claim.key
        self._ways.param.update(
            title=f"{claim.model}: {claim.printed} is printed. Choose a way of counting",
            chosen=str(self.way) if self.way >= 0 else "",
            lines=[
                {"key": str(n), "name": way.words, "cells": [f"{way.counted:,}", FITS if way.fits else FAILS]}
                for n, way in enumerate(claim.conventions)
            ],
            caption=(
                "A way fits when it rounds to what is printed. A calculator on the same page is set to the way you"
                " choose. It has no attention pooling: where a way counts one, its sum is smaller. The matrices of the"
                " blocks alone stand under its ledger."
            ),
        )
        self._words.object = f'<p role="status" style="margin:0;color:var(--vit-ink)">{claim.verdict}</p>'

    def _set(self, *_: Any) -> None:
        """Set the page's calculator to the chosen way of counting."""
        ways = self.now.conventions
        chosen = ways[max(0, min(self.way, len(ways) - 1))]
        self._ways.chosen = str(ways.index(chosen))
        self.selection.setting = "" if chosen.setting == "B/16" else chosen.setting

    def describe(self) -> Description:
        """The printed count and its ways of counting in words."""
        claim = self.now
        return Description(
            f"{claim.model} is printed with {claim.printed} parameters ({claim.source}). {claim.verdict}",
            [
                (way.words, f"{way.counted:,}, {FITS[2:] if way.fits else FAILS[2:] + ' fit'}")
                for way in claim.conventions
            ],
        )

    def still(self) -> Figure:
        """The ways of counting as bars."""
        from widgets.counting.ledger_still import ways_still

        return ways_still(
            f"{self.now.model}: {self.now.printed} is printed",
            [(way.words, way.counted, way.fits) for way in self.now.conventions],
        )
