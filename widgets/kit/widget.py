"""What every widget of the course is: state as parameters, a view, and the same content in words and as a still."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param

from widgets.kit import transport
from widgets.kit.answering import STAYS, in_words, or_refusal
from widgets.kit.selection import Selection, selection_here
from widgets.kit.text_twin import TextTwin

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from widgets.parts import Part

STILLS = "VIT_COURSE_STILLS"
"""Environment variable: when set, a notebook keeps a widget's still instead of its live view."""
WIDTH = 1040  # pixels of a widget on a page
STILL_WIDTH = 640  # pixels
STILL_BYTES = 30_000
STILL_COLOURS = (128, 64, 32, 16)
TEXT_COLOURS = (4,)  # ink, muted, paper and one between: enough for a still of text alone, and half the bytes


@dataclass(frozen=True)
class Description:
    """A widget's content in words: one or two sentences, and a small table of (name, value) rows."""

    sentence: str
    table: list[tuple[str, str]]


class Widget(pn.viewable.Viewer):
    """Base of every widget. A subclass gives `title`, `summary`, `describe`, `still` and `__panel__`.

    `Widget(selection=...)` joins the widgets that hold the same selection; without one, a widget takes the
    selection of the page it stands on.
    """

    title: ClassVar[str] = ""
    """What to do, in two or three words: "Hover a patch"."""
    summary: ClassVar[str] = ""
    """One line for the landing page."""
    still_colours: ClassVar[tuple[int, ...]] = STILL_COLOURS
    """How many colours a still may have in a notebook, from the most; TEXT_COLOURS where it is text alone."""

    selection: Any = param.ClassSelector(class_=Selection, doc="what the reader is looking at on this page")

    def __init__(self, **params: Any) -> None:
        transport.tune()  # the widget may stand on a page of its reader's own
        params.setdefault("selection", selection_here())
        super().__init__(**params)

    has_drawn: bool = False
    """Whether something is shown that stays where the next cannot be drawn."""
    not_drawn: str = ""
    """Why the last drawing is none, in a sentence; empty where it stands."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """What a subclass says in words or draws as a still is a sentence where it is refused."""
        super().__init_subclass__(**kwargs)
        for name, instead in (("describe", lambda sentence: Description(sentence, [])), ("still", _sentence_still)):
            if name in vars(cls):
                setattr(cls, name, or_refusal(vars(cls)[name], instead))

    def notice_parts(self) -> list[Part]:
        """The parts on which the reader is told why nothing new could be drawn."""
        return []

    def notice(self, status: str, sentence: str) -> None:
        """Say on `notice_parts` why nothing new could be drawn ("refused" or "failed"), and that the last stays."""
        self.not_drawn = sentence
        message = f"{sentence} {STAYS}" if self.has_drawn else sentence
        for part in self.notice_parts():
            part.param.update(status=status, message=message)

    def describe(self) -> Description:
        """The present state in words."""
        raise NotImplementedError(f"{type(self).__name__} needs describe() -> Description")

    def still(self) -> Figure:
        """The present state as a matplotlib figure, made without pyplot."""
        raise NotImplementedError(f"{type(self).__name__} needs still() -> matplotlib.figure.Figure")

    def share_token(self, *parts: Part, on: Callable[[], tuple[tuple[int, int], int] | None] | None = None) -> None:
        """What these parts select is the selection's token from now on, and they follow it.

        Parts on a channel of their own may draw another grid than the rest of the page: `on` says which, as
        ((rows, columns), tokens in front of the patches), or None while nothing is drawn.
        """

        def chosen(event: param.parameterized.Event) -> None:
            if on is None:
                self.selection.token = event.new
            elif drawn := on():
                self.selection.choose(event.new, *drawn)

        def follow(*_: Any) -> None:
            drawn = on() if on else None
            if on and not drawn:
                return
            with pn.io.hold():  # one message for all of them
                for part in parts:
                    part.selected = self.selection.token_on(*drawn) if drawn else self.selection.token

        for part in parts:
            part.param.watch(chosen, ["selected"])
        self.selection.param.watch(follow, ["token", "grid"] if on else ["token"])

    def stacked(self, *rows: Any, gap: int = 16, wide: bool = False) -> pn.Column:
        """The widget on a page: `rows` under one another, `gap` pixels apart, and itself in words below them.

        It is as wide as a reader can take in at once; a `wide` one takes more where a page gives it more.
        """
        room: dict[str, Any] = {} if wide else {"max_width": WIDTH}
        styles = {"gap": f"{gap}px"} | ({"max-width": f"var(--vit-widget-width, {WIDTH}px)"} if wide else {})
        return pn.Column(*rows, self.text_twin(), sizing_mode="stretch_width", margin=0, styles=styles, **room)

    def text_twin(self, *views: Widget) -> pn.viewable.Viewable:
        """`describe()` as a folded "In words" that follows the state of the widget, of its selection, and of `views` it
        is made of."""
        twin = TextTwin()

        def refresh(*_: Any) -> None:
            try:
                words = self.describe()
            except Exception as failure:  # the words are ours: the widget itself goes on
                words = Description(in_words(failure, self)[1], [])
            twin.param.update(sentence=words.sentence, rows=[list(row) for row in words.table])

        refresh()
        for state in (self, self.selection, *views):
            state.param.watch(refresh, [name for name in state.param if name != "name"])
        return twin

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        if os.environ.get(STILLS):
            return {
                "image/png": png_of(self.still(), colours=self.still_colours),
                "text/plain": self.describe().sentence,
            }
        return super()._repr_mimebundle_(include, exclude)


def _sentence_still(sentence: str) -> Figure:
    from widgets.kit import stills  # matplotlib, which only stills need

    return stills.sentence(sentence)


def png_of(
    figure: Figure, width: int = STILL_WIDTH, limit: int = STILL_BYTES, colours: tuple[int, ...] = STILL_COLOURS
) -> bytes:
    """A matplotlib figure as a palette PNG at most `width` pixels wide and, where colours allow, `limit` bytes."""
    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=min(figure.dpi, width / figure.get_figwidth()))
    return palette(drawn, width, limit, colours)


def palette(
    png: BytesIO, width: int = STILL_WIDTH, limit: int = STILL_BYTES, colours: tuple[int, ...] = STILL_COLOURS
) -> bytes:
    """A PNG again, at most `width` pixels wide, with as many of the palette `colours` as fit in `limit` bytes."""
    from PIL import Image

    picture = Image.open(png).convert("RGB")
    if picture.width > width:
        picture = picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)
    for most in colours:
        packed = BytesIO()
        picture.quantize(most, dither=Image.Dither.NONE).save(packed, format="png", optimize=True)
        if packed.tell() <= limit:
            break
    return packed.getvalue()
