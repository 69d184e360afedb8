"""Which picture: a sample, or the reader's own, which stays in memory."""

from __future__ import annotations

from typing import Any

import panel as pn
import param

from widgets.kit.answering import STAYS
from widgets.kit.selection import Selection
from widgets.parts import PictureUpload, controls
from widgets.pictures import Picture, PictureRefused, decode, open_sample, sample_names

YOURS = "yours"


class PictureChoice(pn.viewable.Viewer):
    """A drop-down of the sample pictures and a button for the reader's own. Both write to the selection.

    A file that is refused leaves the picture as it was and says why; so does a name that is no picture.
    """

    selection: Any = param.ClassSelector(class_=Selection)

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._upload = PictureUpload(self.take, sizing_mode=None, margin=(0, 16, 8, 0))
        self._select = pn.widgets.Select(
            label="Picture", options=self._options(), value=self.picture.name, **{**controls.LOOK, "width": 170}
        )
        self._select.param.watch(self._picked, "value")
        self.selection.param.watch(self._follow, ["picture", "upload"])
        self._follow()

    @property
    def picture(self) -> Picture:
        """The picture the selection names; the first sample when it names none."""
        name = self.selection.picture
        if name == YOURS and self.selection.upload is not None:
            return self.selection.upload
        return open_sample(name if name in sample_names() else sample_names()[0])

    def take(self, data: bytes, filename: str) -> None:
        """Make an uploaded file the picture, or say why not and keep the last one."""
        try:
            picture = decode(data, filename)
        except PictureRefused as refusal:
            self._upload.refuse(f"{refusal} {STAYS}")
            return
        self.selection.param.update(upload=picture, picture=YOURS)
        height, width = picture.file_size or picture.rgb.shape[:2]
        self._upload.accept(f"Your picture is here, {height} px high and {width} px wide. It stays in memory only.")

    def _options(self) -> dict[str, str]:
        options = {open_sample(name).title: name for name in sample_names()}
        return options | ({self.selection.upload.title: YOURS} if self.selection.upload is not None else {})

    def _picked(self, event: param.parameterized.Event) -> None:
        self.selection.picture = event.new

    def _follow(self, *_: Any) -> None:
        wanted = self.selection.picture
        if wanted != self.picture.name:
            why = (
                "your own picture is gone with the page it was on"
                if wanted == YOURS
                else f"there is no picture called “{wanted}”"
            )
            self._upload.refuse(f"Showing {self.picture.named}: {why}.")
        self._select.param.update(options=self._options(), value=self.picture.name)

    @property
    def controls(self) -> list[pn.viewable.Viewable]:
        """The drop-down and the upload button, to stand first in a widget's row of controls."""
        return [self._select, self._upload]

    def __panel__(self) -> pn.viewable.Viewable:
        return controls.row(*self.controls)
