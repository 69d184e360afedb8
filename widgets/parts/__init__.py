"""Building blocks every widget is made of. One part, one Python file and one script."""

from widgets.parts.matrix_view import MatrixView
from widgets.parts.number_table import NumberTable
from widgets.parts.part import Part
from widgets.parts.patch_pixels import PatchPixels
from widgets.parts.picture_grid import PictureGrid
from widgets.parts.picture_upload import PictureUpload
from widgets.parts.token_strip import TokenStrip

__all__ = ["MatrixView", "NumberTable", "Part", "PatchPixels", "PictureGrid", "PictureUpload", "TokenStrip"]
